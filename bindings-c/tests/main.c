// The runner: `posthouse-c-tests [-EXCEPT] [NAME…]`, parts of names.
#include "test.h"

#include <time.h>
#include <unistd.h>

enum { MOST = 128 };

static struct {
    const char *name;
    void (*run)(void);
} tests[MOST];
static int known, failures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;

void test_add(const char *name, void (*test)(void)) {
    if (known == MOST) abort();
    tests[known].name = name;
    tests[known++].run = test;
}

void check(bool holds, const char *what, const char *file, int line) {
    if (holds) return;
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    pthread_mutex_lock(&lock);
    ++failures;
    pthread_mutex_unlock(&lock);
}

void check_code(posthouse_code_t code, posthouse_code_t wanted, const char *what, const char *file, int line) {
    const posthouse_str_t name = posthouse_code_name(code);
    if (code != wanted) fprintf(stderr, "%s:%d: %.*s\n", file, line, (int)name.len, name.data);
    check(code == wanted, what, file, line);
}

posthouse_str_t t(const char *text) { return posthouse_text(text); }

bool same(posthouse_str_t text, const char *wanted) {
    return text.data != NULL && text.len == strlen(wanted) && memcmp(text.data, wanted, text.len) == 0;
}

bool has(posthouse_str_t text, const char *part) {
    const size_t length = strlen(part);
    for (size_t at = 0; at + length <= text.len; ++at) {
        if (memcmp(text.data + at, part, length) == 0) return true;
    }
    return false;
}

bool says(posthouse_error_t *error, const char *part) {
    const posthouse_str_t message = posthouse_error_message(error);
    const bool found = has(message, part);
    if (!found) fprintf(stderr, "it says %.*s\n", (int)message.len, message.data);
    posthouse_error_free(error);
    return found;
}

const char *fresh(void) {
    static char name[64];
    static int last;
    snprintf(name, sizeof name, "c-%d-%d", (int)getpid(), ++last);
    return name;
}

posthouse_hub_options_t here(void) {
    static posthouse_str_t server;
    server = t(getenv("POSTHOUSE_TEST_URL"));
    posthouse_hub_options_t options = POSTHOUSE_HUB_OPTIONS_INIT;
    options.timeout_ms = 20000;
    options.servers = &server;
    options.servers_count = 1;
    return options;
}

posthouse_hub_t *open_hub(const posthouse_host_t *host) {
    const posthouse_hub_options_t options = here();
    posthouse_hub_t *hub = NULL;
    posthouse_operation_t *operation = NULL;
    OK(posthouse_hub_open(t(fresh()), &options, host, &hub, NULL));
    OK(posthouse_hub_connected(hub, POSTHOUSE_DEFAULT, &operation, NULL));
    OK(posthouse_operation_finish(operation, NULL, NULL));
    return hub;
}

posthouse_variable_t *variable(const posthouse_hub_t *hub, const char *name) {
    posthouse_variable_t *variable = NULL;
    OK(posthouse_hub_variable(hub, t(name), &variable, NULL));
    return variable;
}

posthouse_subscription_t *subscribed(const posthouse_variable_t *variable, bool answers,
                                     posthouse_message_closure_t closure) {
    posthouse_subscription_t *subscription = NULL;
    posthouse_operation_t *operation = NULL;
    OK((answers ? posthouse_variable_handle : posthouse_variable_subscribe)(variable, NULL, closure, &subscription,
                                                                            &operation, NULL));
    OK(posthouse_operation_finish(operation, NULL, NULL));
    return subscription;
}

posthouse_code_t ask(const posthouse_variable_t *variable, const char *body, int64_t timeout_ms,
                     posthouse_result_t **result) {
    posthouse_request_options_t options = POSTHOUSE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = timeout_ms;
    posthouse_operation_t *operation = NULL;
    const posthouse_code_t begun = posthouse_variable_request(variable, t(body), &options, &operation, NULL);
    return begun == POSTHOUSE_OK ? posthouse_operation_finish(operation, result, NULL) : begun;
}

posthouse_code_t finish(posthouse_operation_t *operation) { return posthouse_operation_finish(operation, NULL, NULL); }

void flush(const posthouse_hub_t *hub) {
    posthouse_operation_t *operation = NULL;
    OK(posthouse_hub_flush(hub, POSTHOUSE_DEFAULT, &operation, NULL));
    OK(finish(operation));
}

struct counts *counts(void (*act)(struct counts *self), void *with) {
    struct counts *made = calloc(1, sizeof *made);
    if (made == NULL) abort();
    pthread_mutex_lock(&lock);
    made->act = act;
    made->with = with;
    pthread_mutex_unlock(&lock);
    return made;
}

void meet(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

void heard(struct counts *counts, posthouse_str_t what) {
    pthread_mutex_lock(&lock);
    void (*act)(struct counts * self) = counts->act;
    snprintf(counts->last, sizeof counts->last, "%.*s", (int)what.len, what.data == NULL ? "" : what.data);
    check(counts->drops == 0, "no call after the drop", __FILE__, __LINE__);
    pthread_mutex_unlock(&lock);
    if (act != NULL) act(counts);
    pthread_mutex_lock(&lock);
    ++counts->calls;
    pthread_cond_broadcast(&told);
    pthread_mutex_unlock(&lock);
}

void count_drop(void *context) {
    struct counts *counts = context;
    pthread_mutex_lock(&lock);
    ++counts->drops;
    pthread_cond_broadcast(&told);
    pthread_mutex_unlock(&lock);
}

static bool reached(const int *number, int wanted) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    pthread_mutex_lock(&lock);
    while (*number < wanted && pthread_cond_timedwait(&told, &lock, &until) == 0) continue;
    const bool done = *number >= wanted;
    pthread_mutex_unlock(&lock);
    return done;
}

static int locked(const int *number) {
    pthread_mutex_lock(&lock);
    const int now = *number;
    pthread_mutex_unlock(&lock);
    return now;
}

int calls(struct counts *counts) { return locked(&counts->calls); }
int drops(struct counts *counts) { return locked(&counts->drops); }
bool called(struct counts *counts, int times) { return reached(&counts->calls, times); }
bool dropped(struct counts *counts, int times) { return reached(&counts->drops, times); }

void counts_end(struct counts *counts) {
    CHECK(dropped(counts, 1));
    CHECK(drops(counts) == 1);
    free(counts);
}

static void message_heard(void *context, const posthouse_message_t *message) {
    heard(context, posthouse_message_body(message));
}
static void view_heard(void *context, const posthouse_view_t *view) { heard(context, view->value); }
static void json_heard(void *context, posthouse_str_t json) { heard(context, json); }

static void end_heard(void *context, posthouse_result_t *result, posthouse_error_t *error) {
    heard(context, error == NULL ? posthouse_result_body(result, 0) : posthouse_code_name(posthouse_error_code(error)));
    posthouse_result_free(result);
    posthouse_error_free(error);
}

static void line_heard(void *context, posthouse_level_t level, posthouse_str_t code, posthouse_str_t line) {
    (void)level;
    (void)code;
    heard(context, line);
}

posthouse_message_closure_t on_message(struct counts *counts) {
    return (posthouse_message_closure_t){counts, message_heard, count_drop};
}
posthouse_view_closure_t on_view(struct counts *counts) {
    return (posthouse_view_closure_t){counts, view_heard, count_drop};
}
posthouse_json_closure_t on_json(struct counts *counts) {
    return (posthouse_json_closure_t){counts, json_heard, count_drop};
}
posthouse_done_closure_t on_done(struct counts *counts) {
    return (posthouse_done_closure_t){counts, end_heard, count_drop};
}
posthouse_log_closure_t on_log(struct counts *counts) {
    return (posthouse_log_closure_t){counts, line_heard, count_drop};
}

int main(int argc, char **argv) {
    int ran = 0, failed = 0;
    for (int number = 0; number < known; ++number) {
        bool wanted = argc < 2 || argv[1][0] == '-';
        for (int at = 1; at < argc; ++at) {
            const bool except = argv[at][0] == '-';
            if (strstr(tests[number].name, argv[at] + except) != NULL) wanted = !except;
        }
        if (!wanted) continue;
        const int before = failures;
        tests[number].run();
        ++ran;
        if (failures > before) printf("FAILED %s\n", tests[number].name);
        failed += failures > before;
    }
    printf("%d passed, %d failed\n", ran - failed, failed);
    return failures == 0 && ran > 0 ? 0 : 1;
}
