// A program that is not linked with the library: it loads it by name, compares the number of the interface, opens a hub,
// and unloads it, again and again: `loading LIBRARY`.
#include <posthouse.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int use(void *library) {
    uint32_t (*abi)(void) = NULL;
    posthouse_code_t (*open)(posthouse_str_t, const posthouse_hub_options_t *, const posthouse_host_t *,
                             posthouse_hub_t **, posthouse_error_t **) = NULL;
    posthouse_code_t (*connected)(const posthouse_hub_t *, int64_t, posthouse_operation_t **, posthouse_error_t **) =
        NULL;
    posthouse_code_t (*finish)(posthouse_operation_t *, posthouse_result_t **, posthouse_error_t **) = NULL;
    void (*free_hub)(posthouse_hub_t *) = NULL;
    void (*stop)(void) = NULL;
    // What POSIX says to do with a function's address.
    *(void **)&abi = dlsym(library, "posthouse_abi");
    *(void **)&open = dlsym(library, "posthouse_hub_open");
    *(void **)&connected = dlsym(library, "posthouse_hub_connected");
    *(void **)&finish = dlsym(library, "posthouse_operation_finish");
    *(void **)&free_hub = dlsym(library, "posthouse_hub_free");
    *(void **)&stop = dlsym(library, "posthouse_shutdown");
    if (abi == NULL || open == NULL || connected == NULL || finish == NULL || free_hub == NULL || stop == NULL) {
        fprintf(stderr, "a function is missing: %s\n", dlerror());
        return 1;
    }
    if (abi() != POSTHOUSE_ABI) {
        fprintf(stderr, "the interface is %u, the header's %d\n", (unsigned)abi(), POSTHOUSE_ABI);
        return 1;
    }
    const posthouse_str_t server = posthouse_text(getenv("POSTHOUSE_TEST_URL"));
    posthouse_hub_options_t options = POSTHOUSE_HUB_OPTIONS_INIT;
    options.servers = &server;
    options.servers_count = 1;
    posthouse_hub_t *hub = NULL;
    posthouse_operation_t *operation = NULL;
    if (open((posthouse_str_t){NULL, 0}, &options, NULL, &hub, NULL) != POSTHOUSE_OK) return 1;
    const bool failed = connected(hub, POSTHOUSE_DEFAULT, &operation, NULL) != POSTHOUSE_OK ||
                        finish(operation, NULL, NULL) != POSTHOUSE_OK;
    free_hub(hub);
    stop();
    return failed;
}

int main(int argc, char **argv) {
    for (int time = 0; time < 20; ++time) {
        void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        if (use(library) != 0 || dlclose(library) != 0) return 1;
    }
    return 0;
}
