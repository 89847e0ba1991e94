// A program that ends in one of many ways while its callbacks run: `ending WAY`.
#include <posthouse.h>

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(posthouse_code_t code) {
    if (code == POSTHOUSE_OK) return;
    const posthouse_str_t name = posthouse_code_name(code);
    fprintf(stderr, "unexpected: %.*s\n", (int)name.len, name.data);
    abort();
}

static posthouse_hub_t *open_hub(posthouse_dispatch_t dispatch) {
    char name[64];
    snprintf(name, sizeof name, "ending-%d", (int)getpid());
    const posthouse_str_t server = posthouse_text(getenv("POSTHOUSE_TEST_URL"));
    posthouse_hub_options_t options = POSTHOUSE_HUB_OPTIONS_INIT;
    options.servers = &server;
    options.servers_count = 1;
    options.timeout_ms = 20000;
    posthouse_host_t host = POSTHOUSE_HOST_INIT;
    host.dispatch = dispatch;
    posthouse_hub_t *hub = NULL;
    posthouse_operation_t *operation = NULL;
    must(posthouse_hub_open(posthouse_text(name), &options, &host, &hub, NULL));
    must(posthouse_hub_connected(hub, POSTHOUSE_DEFAULT, &operation, NULL));
    must(posthouse_operation_finish(operation, NULL, NULL));
    return hub;
}

/// A hub at work: each event causes the next, each changes the state, and requests are under way.
static struct busy {
    posthouse_hub_t *hub;
    posthouse_variable_t *x, *y, *state;
    posthouse_subscription_t *sub, *handler;
    posthouse_watch_t *watch, *status, *instances;
    sem_t going;
    atomic_long count;
    atomic_bool told;
    void (*in_handler)(void), (*in_watch)(void), (*in_done)(void);
} busy;

static void once(void (*what)(void)) {
    if (what != NULL && atomic_load(&busy.told)) what();
}

static void event(void *context, const posthouse_message_t *message) {
    (void)context;
    (void)message;
    if (atomic_fetch_add(&busy.count, 1) == 20) sem_post(&busy.going);
    once(busy.in_handler);
    char text[32];
    snprintf(text, sizeof text, "%ld", atomic_load(&busy.count));
    posthouse_variable_set(busy.state, posthouse_text(text), NULL);
    posthouse_variable_publish(busy.x, posthouse_text("1"), NULL, NULL);
}

static void answer(void *context, const posthouse_message_t *message) {
    (void)context;
    posthouse_message_answer(message, posthouse_message_body(message), NULL, NULL);
}

static void view(void *context, const posthouse_view_t *view) {
    (void)context;
    (void)view;
    once(busy.in_watch);
}

static void news(void *context, posthouse_str_t json) {
    (void)context;
    (void)json;
}

static void request(void);

static void answered(void *context, posthouse_result_t *result, posthouse_error_t *error) {
    (void)context;
    const bool good = error == NULL;
    posthouse_result_free(result);
    posthouse_error_free(error);
    once(busy.in_done);
    if (good) request();
}

static void request(void) {
    posthouse_operation_t *operation = NULL;
    if (posthouse_variable_request(busy.y, posthouse_text("1"), NULL, &operation, NULL) != POSTHOUSE_OK) return;
    posthouse_operation_then(operation, (posthouse_done_closure_t){NULL, answered, NULL}, NULL);
    posthouse_operation_free(operation);
}

static posthouse_subscription_t *subscribed(const posthouse_variable_t *variable, bool answers,
                                            void (*call)(void *, const posthouse_message_t *)) {
    posthouse_subscription_t *subscription = NULL;
    posthouse_operation_t *operation = NULL;
    const posthouse_message_closure_t closure = {NULL, call, NULL};
    must((answers ? posthouse_variable_handle : posthouse_variable_subscribe)(variable, NULL, closure, &subscription,
                                                                              &operation, NULL));
    must(posthouse_operation_finish(operation, NULL, NULL));
    return subscription;
}

/// Opens it and waits until it is at work; with turns, runs its callbacks on this thread.
static void work(posthouse_dispatch_t dispatch) {
    sem_init(&busy.going, 0, 0);
    busy.hub = open_hub(dispatch);
    must(posthouse_hub_variable(busy.hub, posthouse_text("x"), &busy.x, NULL));
    must(posthouse_hub_variable(busy.hub, posthouse_text("y"), &busy.y, NULL));
    must(posthouse_hub_variable(busy.hub, posthouse_text("state"), &busy.state, NULL));
    busy.sub = subscribed(busy.x, false, event);
    busy.handler = subscribed(busy.y, true, answer);
    must(posthouse_variable_watch(busy.state, (posthouse_view_closure_t){NULL, view, NULL}, &busy.watch, NULL));
    must(posthouse_hub_watch(busy.hub, (posthouse_json_closure_t){NULL, news, NULL}, &busy.status, NULL));
    must(posthouse_hub_watch_instances(busy.hub, (posthouse_json_closure_t){NULL, news, NULL}, &busy.instances, NULL));
    request();
    for (int time = 0; time < 2; ++time) must(posthouse_variable_publish(busy.x, posthouse_text("1"), NULL, NULL));
    if (dispatch == POSTHOUSE_DISPATCH_FD) {
        while (sem_trywait(&busy.going) != 0) {
            struct pollfd readable = {posthouse_hub_fd(busy.hub), POLLIN, 0};
            poll(&readable, 1, -1);
            must(posthouse_hub_process(busy.hub, 64, NULL, NULL));
        }
    } else {
        while (sem_wait(&busy.going) != 0) continue;
    }
    puts("ready");
    fflush(stdout);
    atomic_store(&busy.told, true);
}

enum { PARTS = 7 };

/// Frees the parts beginning with one of them, in steps that visit all.
static void end(int first, int step) {
    for (int at = 0; at < PARTS; ++at) {
        switch ((first + at * step) % PARTS) {
        case 0:
            posthouse_hub_free(busy.hub);
            break;
        case 1:
            posthouse_subscription_free(busy.sub);
            break;
        case 2:
            posthouse_subscription_free(busy.handler);
            break;
        case 3:
            posthouse_watch_free(busy.watch);
            break;
        case 4:
            posthouse_watch_free(busy.status);
            break;
        case 5:
            posthouse_watch_free(busy.instances);
            break;
        default:
            break;
        }
    }
    // Callbacks use these; none runs any more.
    posthouse_variable_free(busy.x);
    posthouse_variable_free(busy.y);
    posthouse_variable_free(busy.state);
}

static void leave(void) { exit(3); }
static void close_inside(void) { must(posthouse_hub_close(busy.hub, NULL)); }

static void *leave_here(void *unused) {
    (void)unused;
    exit(3);
}

static void *work_here(void *unused) {
    (void)unused;
    work(POSTHOUSE_DISPATCH_THREADS);
    must(posthouse_hub_close(busy.hub, NULL));
    return NULL;
}

static void in_thread(void *(*what)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, what, NULL);
    pthread_join(thread, NULL);
}

_Noreturn static void forever(void) {
    for (;;) pause();
}

static volatile sig_atomic_t interrupted;
static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

/// Kilobytes in use.
static long memory(void) {
    FILE *lines = fopen("/proc/self/status", "r");
    char line[256];
    long size = 0;
    while (lines != NULL && fgets(line, sizeof line, lines) != NULL) {
        if (strncmp(line, "VmRSS:", 6) == 0) size = strtol(line + 6, NULL, 10);
    }
    if (lines != NULL) fclose(lines);
    return size;
}

static int cycles(void) {
    posthouse_hub_t *hub = open_hub(POSTHOUSE_DISPATCH_THREADS);
    posthouse_variable_t *x = NULL;
    must(posthouse_hub_variable(hub, posthouse_text("x"), &x, NULL));
    long before = 0;
    for (int cycle = 0; cycle < 10000; ++cycle) {
        if (cycle == 2000) before = memory();
        posthouse_subscription_free(subscribed(x, false, answer));
    }
    const long grown = memory() - before;
    fprintf(stderr, "grew by %ld kB in 8,000 cycles\n", grown);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    return grown < 1024 ? 0 : 1;
}

static int plugin(const char *path) {
    for (int time = 0; time < 20; ++time) {
        void *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        int (*run)(void) = NULL;
        if (loaded != NULL) *(void **)&run = dlsym(loaded, "run_plugin");
        if (run == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        if (run() != 0) return 1;
        dlclose(loaded);
    }
    return 0;
}

/// A panic in the middle of an operation: an error here, the end of this hub, and no harm to another.
static int panic(void) {
    posthouse_code_t (*fail)(const posthouse_hub_t *, uint32_t, posthouse_error_t **) = NULL;
    *(void **)&fail = dlsym(NULL, "posthouse_test_fail");
    if (fail == NULL) return 2;
    // Rust's own words about it.
    if (freopen("/dev/null", "w", stderr) == NULL) return 2;
    posthouse_hub_t *other = open_hub(POSTHOUSE_DISPATCH_THREADS);
    posthouse_operation_t *operation = NULL;
    if (fail(busy.hub, 1, NULL) != POSTHOUSE_INTERNAL) return 1;
    if (posthouse_variable_publish(busy.x, posthouse_text("1"), NULL, NULL) != POSTHOUSE_INTERNAL) return 1;
    must(posthouse_hub_flush(other, POSTHOUSE_DEFAULT, &operation, NULL));
    must(posthouse_operation_finish(operation, NULL, NULL));
    posthouse_hub_free(other);
    end(0, 1);
    return 0;
}

static int wait_child(void) {
    const pid_t child = fork();
    // What the parent's threads would do at the end is not the child's.
    if (child == 0) return 0;
    int status = 1;
    waitpid(child, &status, 0);
    return status;
}

static int after(const char *way) {
    if (strcmp(way, "leaked") == 0) return 0;
    if (strcmp(way, "exit") == 0) exit(3);
    if (strcmp(way, "exit-in-thread") == 0) in_thread(leave_here);
    if (strstr(way, "exit-in") != NULL || strcmp(way, "interrupt") == 0) forever();
    if (strcmp(way, "fork") == 0) return wait_child();
    if (strcmp(way, "panic") == 0) return panic();
    if (strcmp(way, "handled-interrupt") == 0) {
        while (interrupted == 0) sched_yield();
    }
    if (strcmp(way, "drain") == 0) {
        // It never comes to rest: every event causes another.
        posthouse_operation_t *operation = NULL;
        must(posthouse_hub_drain(busy.hub, 500, &operation, NULL));
        const posthouse_code_t code = posthouse_operation_finish(operation, NULL, NULL);
        if (code != POSTHOUSE_DRAIN_TIMEOUT) must(code);
    }
    if (strcmp(way, "closing") == 0) {
        while (posthouse_hub_state(busy.hub) != POSTHOUSE_STATE_CLOSED) sched_yield();
    }
    if (strcmp(way, "twice") == 0 || strcmp(way, "afterwards") == 0) {
        must(posthouse_hub_close(busy.hub, NULL));
        must(posthouse_hub_close(busy.hub, NULL));
    }
    if (strcmp(way, "afterwards") == 0) {
        if (posthouse_variable_publish(busy.x, posthouse_text("1"), NULL, NULL) != POSTHOUSE_CLOSED) return 1;
        if (posthouse_variable_set(busy.state, posthouse_text("1"), NULL) != POSTHOUSE_CLOSED) return 1;
    }
    if (strcmp(way, "shutdown") == 0) posthouse_shutdown();
    if (strcmp(way, "order") == 0) {
        // Each of the orders is somebody's.
        end((int)getpid() % PARTS, 2);
    } else {
        end(0, 1);
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "cycles") == 0) return cycles();
    if (strcmp(way, "plugin") == 0) return plugin(argc > 2 ? argv[2] : "");
    if (strcmp(way, "exit-in-handler") == 0) busy.in_handler = leave;
    if (strcmp(way, "exit-in-watch") == 0) busy.in_watch = leave;
    if (strcmp(way, "exit-in-done") == 0) busy.in_done = leave;
    if (strcmp(way, "closing") == 0) {
        // In every kind at once: whoever comes first closes, the others close again.
        busy.in_handler = busy.in_watch = busy.in_done = close_inside;
    }
    if (strcmp(way, "handled-interrupt") == 0) {
        const struct sigaction action = {.sa_handler = on_interrupt};
        sigaction(SIGINT, &action, NULL);
    }
    if (strcmp(way, "thread") == 0) {
        in_thread(work_here);
        end(1, 1);
        return 0;
    }
    work(strcmp(way, "turns") == 0 ? POSTHOUSE_DISPATCH_FD : POSTHOUSE_DISPATCH_THREADS);
    return after(way);
}
