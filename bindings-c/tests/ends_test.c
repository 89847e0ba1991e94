// Ends: closing again, at once, in every kind of callback; use after it; forks; the library's own end.
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

TEST(close_again_and_use_afterwards) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x"), *other = NULL;
    struct counts *got = counts(NULL, NULL);
    posthouse_subscription_t *sub = subscribed(x, false, on_message(got)), *more = NULL;
    posthouse_operation_t *operation = NULL;
    posthouse_watch_t *watch = NULL;
    OK(posthouse_variable_set(x, t("1"), NULL));
    OK(posthouse_hub_close(hub, NULL));
    OK(posthouse_hub_close(hub, NULL));
    const posthouse_message_closure_t none = {NULL, NULL, NULL};
    posthouse_error_t *error = NULL;
    CODE(posthouse_variable_publish(x, t("1"), NULL, &error), POSTHOUSE_CLOSED);
    CHECK(says(error, "closed"));
    CODE(posthouse_variable_set(x, t("1"), NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_variable_erase(x, NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_variable_request(x, t("1"), NULL, &operation, NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_variable_request_many(x, t("1"), NULL, &operation, NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_variable_subscribe(x, NULL, none, &more, &operation, NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_variable_handle(x, NULL, none, &more, &operation, NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_variable_watch(x, (posthouse_view_closure_t){NULL, NULL, NULL}, &watch, NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_hub_watch(hub, (posthouse_json_closure_t){NULL, NULL, NULL}, &watch, NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_hub_variable(hub, t("new"), &other, NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_hub_flush(hub, POSTHOUSE_DEFAULT, &operation, NULL), POSTHOUSE_CLOSED);
    CODE(posthouse_hub_drain(hub, POSTHOUSE_DEFAULT, &operation, NULL), POSTHOUSE_CLOSED);
    CHECK(operation == NULL && more == NULL && watch == NULL && other == NULL);
    OK(posthouse_subscription_unsubscribe(sub, NULL));
    bool exists = false;
    posthouse_buf_t value = {NULL, 0, 0};
    OK(posthouse_variable_get(x, &exists, &value, NULL));
    CHECK(exists && value.len == 1);
    posthouse_buf_free(&value);
    OK(posthouse_hub_status(hub, &value, NULL));
    CHECK(has((posthouse_str_t){value.data, value.len}, "\"closed\""));
    posthouse_buf_free(&value);
    CHECK(posthouse_hub_state(hub) == POSTHOUSE_STATE_CLOSED);
    posthouse_subscription_free(sub);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    counts_end(got);
}

/// Closes the hub, and sees that waiting is refused.
static void close_inside(struct counts *self) {
    posthouse_operation_t *operation = NULL;
    if (posthouse_hub_flush(self->with, POSTHOUSE_DEFAULT, &operation, NULL) == POSTHOUSE_OK) {
        CODE(finish(operation), POSTHOUSE_BLOCKING_IN_HANDLER);
    }
    CODE(posthouse_hub_may_block(self->with, t("a call"), NULL), POSTHOUSE_BLOCKING_IN_HANDLER);
    OK(posthouse_hub_close(self->with, NULL));
    OK(posthouse_hub_close(self->with, NULL));
}

static void close_deferred(void *context, const posthouse_message_t *message) {
    posthouse_deferred_t *deferred = NULL;
    OK(posthouse_message_defer(message, &deferred, NULL));
    heard(context, posthouse_message_body(message));
    CODE(posthouse_deferred_complete(deferred, t("1"), NULL, NULL), POSTHOUSE_CLOSED);
    posthouse_deferred_free(deferred);
}

static void close_and_drop(void *context) {
    struct counts *counts = context;
    OK(posthouse_hub_close(counts->with, NULL));
    count_drop(counts);
}

enum { MESSAGE, ANSWER, DEFERRED, VIEW, STATUS, INSTANCES, DONE, DROP, KINDS };

TEST(close_in_every_kind_of_callback) {
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int manual = 0; manual < 2; ++manual) {
            posthouse_host_t host = POSTHOUSE_HOST_INIT;
            if (manual) host.dispatch = POSTHOUSE_DISPATCH_FD;
            posthouse_hub_t *hub = open_hub(&host);
            posthouse_variable_t *x = variable(hub, "x");
            struct counts *closing = counts(kind == DROP ? NULL : close_inside, hub);
            posthouse_subscription_t *sub = NULL;
            posthouse_watch_t *watch = NULL;
            posthouse_operation_t *operation = NULL;
            switch (kind) {
            case MESSAGE:
                sub = subscribed(x, false, on_message(closing));
                OK(posthouse_variable_publish(x, t("1"), NULL, NULL));
                break;
            case ANSWER:
            case DEFERRED: {
                posthouse_message_closure_t closure = on_message(closing);
                if (kind == DEFERRED) closure.call = close_deferred;
                sub = subscribed(x, true, closure);
                OK(posthouse_variable_request(x, t("1"), NULL, &operation, NULL));
                break;
            }
            case VIEW:
                OK(posthouse_variable_watch(x, on_view(closing), &watch, NULL));
                OK(posthouse_variable_set(x, t("1"), NULL));
                break;
            case STATUS:
                OK(posthouse_hub_watch(hub, on_json(closing), &watch, NULL));
                break;
            case INSTANCES:
                OK(posthouse_hub_watch_instances(hub, on_json(closing), &watch, NULL));
                break;
            default:
                OK(posthouse_hub_flush(hub, POSTHOUSE_DEFAULT, &operation, NULL));
                posthouse_done_closure_t closure = on_done(closing);
                if (kind == DROP) closure.drop = close_and_drop;
                OK(posthouse_operation_then(operation, closure, NULL));
                break;
            }
            // `called` looks again until it is so; in turns somebody has to run them.
            while (manual && calls(closing) == 0) OK(posthouse_hub_process(hub, 8, NULL, NULL));
            CHECK(called(closing, 1));
            OK(posthouse_hub_close(hub, NULL));
            CHECK(posthouse_hub_state(hub) == POSTHOUSE_STATE_CLOSED);
            posthouse_operation_free(operation);
            posthouse_watch_free(watch);
            posthouse_subscription_free(sub);
            posthouse_variable_free(x);
            posthouse_hub_free(hub);
            counts_end(closing);
        }
    }
}

/// Closes the hub as soon as its handle is known.
static void close_when_known(struct counts *self) {
    struct counts *known = self->with;
    called(known, 1);
    OK(posthouse_hub_close(known->with, NULL));
}

static void ask_heard(void *context, posthouse_str_t what, posthouse_answer_t *answer) {
    posthouse_answer_set(answer, t("token"));
    heard(context, what);
}

TEST(close_where_a_line_is_told_or_a_credential_asked_for) {
    for (int asks = 0; asks < 2; ++asks) {
        struct counts *known = counts(NULL, NULL), *closing = counts(close_when_known, known);
        const posthouse_hub_options_t options = here();
        posthouse_host_t host = POSTHOUSE_HOST_INIT;
        if (asks) {
            host.asks = POSTHOUSE_ASK_TOKEN;
            host.ask = (posthouse_ask_closure_t){closing, ask_heard, count_drop};
        } else {
            host.log = on_log(closing);
        }
        posthouse_hub_t *hub = NULL;
        OK(posthouse_hub_open(t(fresh()), &options, &host, &hub, NULL));
        known->with = hub;
        heard(known, t(""));
        CHECK(called(closing, 1));
        OK(posthouse_hub_close(hub, NULL));
        CHECK(posthouse_hub_state(hub) == POSTHOUSE_STATE_CLOSED);
        posthouse_hub_free(hub);
        counts_end(closing);
        count_drop(known);
        counts_end(known);
    }
}

static void free_inside(struct counts *self) { posthouse_hub_free(self->with); }

TEST(a_hub_freed_in_its_own_callback) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    struct counts *freeing = counts(free_inside, hub);
    posthouse_subscription_t *sub = subscribed(x, false, on_message(freeing));
    OK(posthouse_variable_publish(x, t("1"), NULL, NULL));
    CHECK(called(freeing, 1));
    posthouse_subscription_free(sub);
    posthouse_variable_free(x);
    counts_end(freeing);
}

static void *close_elsewhere(void *hub) {
    OK(posthouse_hub_close(hub, NULL));
    return NULL;
}

TEST(two_threads_close_at_once) {
    for (int round = 0; round < 10; ++round) {
        posthouse_hub_t *hub = open_hub(NULL);
        pthread_t other;
        CHECK(pthread_create(&other, NULL, close_elsewhere, hub) == 0);
        OK(posthouse_hub_close(hub, NULL));
        pthread_join(other, NULL);
        posthouse_hub_free(hub);
    }
}

static void slow(struct counts *self) {
    struct counts *gate = self->with;
    called(gate, 1);
}

TEST(a_drain_that_is_too_late_says_so) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    struct counts *gate = counts(NULL, NULL), *stuck = counts(slow, gate);
    posthouse_subscription_t *sub = subscribed(x, false, on_message(stuck));
    OK(posthouse_variable_publish(x, t("1"), NULL, NULL));
    flush(hub);
    posthouse_operation_t *operation = NULL;
    OK(posthouse_hub_drain(hub, 100, &operation, NULL));
    CODE(finish(operation), POSTHOUSE_DRAIN_TIMEOUT);
    heard(gate, t(""));
    posthouse_hub_free(hub);
    posthouse_subscription_free(sub);
    posthouse_variable_free(x);
    counts_end(stuck);
    count_drop(gate);
    counts_end(gate);
}

TEST(a_forked_child_is_refused) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    const pid_t child = fork();
    if (child == 0) {
        posthouse_hub_t *another = NULL;
        const bool refused = posthouse_variable_publish(x, t("1"), NULL, NULL) == POSTHOUSE_FORKED &&
                             posthouse_hub_close(hub, NULL) == POSTHOUSE_FORKED &&
                             posthouse_hub_open(t("x"), NULL, NULL, &another, NULL) == POSTHOUSE_FORKED;
        posthouse_variable_free(x);
        posthouse_hub_free(hub);
        _exit(refused ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    OK(posthouse_variable_publish(x, t("1"), NULL, NULL));
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
}

TEST(the_library_ends_and_begins_again) {
    for (int round = 0; round < 3; ++round) {
        posthouse_hub_t *hub = open_hub(NULL);
        struct counts *seen = counts(NULL, NULL);
        posthouse_watch_t *watch = NULL;
        OK(posthouse_hub_watch(hub, on_json(seen), &watch, NULL));
        CHECK(called(seen, 1));
        posthouse_shutdown();
        CHECK(posthouse_hub_state(hub) == POSTHOUSE_STATE_CLOSED);
        posthouse_watch_free(watch);
        posthouse_hub_free(hub);
        counts_end(seen);
    }
}
