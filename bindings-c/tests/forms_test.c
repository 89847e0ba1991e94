// The three forms of everything that has an end (waiting, being called, looking), and the three ways to run callbacks.
#include "test.h"

#include <poll.h>

static void echo(void *context, const posthouse_message_t *message) {
    struct counts *counts = context;
    OK(posthouse_message_answer(message, posthouse_message_body(message), NULL, NULL));
    CODE(posthouse_message_answer(message, t("1"), NULL, NULL), POSTHOUSE_CLOSED);
    heard(counts, posthouse_message_body(message));
}

static posthouse_message_closure_t on_echo(struct counts *counts) {
    return (posthouse_message_closure_t){counts, echo, count_drop};
}

TEST(blocking) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *lamp = variable(hub, "lamp");
    CHECK(same(posthouse_variable_name(lamp), "lamp"));
    CHECK(posthouse_hub_state(hub) == POSTHOUSE_STATE_CONNECTED);

    bool exists = true;
    posthouse_buf_t value = {NULL, 0, 0};
    posthouse_operation_t *operation = NULL;
    OK(posthouse_variable_ready(lamp, POSTHOUSE_DEFAULT, &operation, NULL));
    OK(finish(operation));
    OK(posthouse_variable_get(lamp, &exists, &value, NULL));
    CHECK(!exists && value.len == 0);
    OK(posthouse_variable_set(lamp, t("{\"on\": true}"), NULL));
    OK(posthouse_variable_get(lamp, &exists, &value, NULL));
    CHECK(exists && same((posthouse_str_t){value.data, value.len}, "{\"on\":true}"));
    posthouse_meta_t meta;
    OK(posthouse_variable_meta(lamp, &meta, &value, NULL));
    CHECK(meta.initialized && meta.exists == 1 && same(meta.counter, "1"));
    CHECK(meta.writer.len > 0);
    OK(posthouse_variable_erase(lamp, NULL));
    OK(posthouse_variable_get(lamp, &exists, &value, NULL));
    CHECK(!exists);
    posthouse_buf_free(&value);

    struct counts *handled = counts(NULL, NULL);
    posthouse_subscription_t *handler = subscribed(lamp, true, on_echo(handled));
    posthouse_result_t *result = NULL;
    OK(ask(lamp, "{\"x\":1.0}", POSTHOUSE_DEFAULT, &result));
    // Numbers travel as every language spells them.
    CHECK(posthouse_result_count(result) == 1 && same(posthouse_result_body(result, 0), "{\"x\":1}"));
    CHECK(posthouse_result_body(result, 1).data == NULL && posthouse_result_headers(result, 1) == NULL);
    CHECK(posthouse_result_reason(result) == POSTHOUSE_REASON_NONE);
    posthouse_result_free(result);

    posthouse_request_many_options_t options = POSTHOUSE_REQUEST_MANY_OPTIONS_INIT;
    options.max_replies = 1;
    OK(posthouse_variable_request_many(lamp, t("7"), &options, &operation, NULL));
    OK(posthouse_operation_finish(operation, &result, NULL));
    CHECK(posthouse_result_count(result) == 1 && posthouse_result_reason(result) == POSTHOUSE_REASON_MAX_REPLIES);
    posthouse_result_free(result);

    posthouse_variable_t *unused = variable(hub, "unused");
    CODE(ask(unused, "1", POSTHOUSE_DEFAULT, NULL), POSTHOUSE_NO_RESPONDERS);
    CODE(posthouse_variable_publish(lamp, t("nope"), NULL, NULL), POSTHOUSE_INVALID_MESSAGE);
    CODE(posthouse_variable_set(lamp, t("NaN"), NULL), POSTHOUSE_INVALID_VALUE);

    OK(posthouse_subscription_status(handler, &value, NULL));
    CHECK(has((posthouse_str_t){value.data, value.len}, "\"phase\":\"active\""));
    posthouse_buf_free(&value);
    OK(posthouse_subscription_drain(handler, POSTHOUSE_DEFAULT, &operation, NULL));
    OK(finish(operation));
    OK(posthouse_hub_instances(hub, &value, NULL));
    CHECK(has((posthouse_str_t){value.data, value.len}, "\"connected\""));
    posthouse_buf_free(&value);
    OK(posthouse_hub_drain(hub, POSTHOUSE_DEFAULT, &operation, NULL));
    OK(finish(operation));
    posthouse_subscription_free(handler);
    posthouse_variable_free(unused);
    posthouse_variable_free(lamp);
    posthouse_hub_free(hub);
    counts_end(handled);
}

TEST(headers_go_both_ways) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    struct counts *handled = counts(NULL, NULL);
    posthouse_subscription_t *handler = subscribed(x, true, on_echo(handled));
    posthouse_headers_t *headers = posthouse_headers_new();
    OK(posthouse_headers_append(headers, t("X-Tag"), t("a"), NULL));
    OK(posthouse_headers_append(headers, t("x-tag"), t("b"), NULL));
    OK(posthouse_headers_set(headers, t("other"), t("c"), NULL));
    posthouse_error_t *error = NULL;
    CODE(posthouse_headers_append(headers, t("x"), t("a\r\nb"), &error), POSTHOUSE_INVALID_HEADERS);
    CHECK(says(error, "header"));
    posthouse_headers_t *copy = posthouse_headers_clone(headers);
    posthouse_headers_free(headers);
    CHECK(posthouse_headers_count(copy) == 3);
    CHECK(same(posthouse_headers_get(copy, t("X-TAG"), 1), "b"));
    CHECK(posthouse_headers_get(copy, t("x-tag"), 2).data == NULL);
    posthouse_str_t name, value;
    CODE(posthouse_headers_at(copy, 3, &name, &value, NULL), POSTHOUSE_INVALID_OPTIONS);
    posthouse_request_options_t options = POSTHOUSE_REQUEST_OPTIONS_INIT;
    options.headers = copy;
    posthouse_operation_t *operation = NULL;
    OK(posthouse_variable_request(x, t("1"), &options, &operation, NULL));
    posthouse_headers_free(copy);
    OK(finish(operation));
    OK(posthouse_subscription_unsubscribe(handler, NULL));
    posthouse_subscription_free(handler);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    counts_end(handled);
}

TEST(looking_and_waiting_for_some_time) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    posthouse_deferred_t *deferred = NULL;
    posthouse_operation_t *operation = NULL;
    struct counts *handled = counts(NULL, NULL);
    posthouse_subscription_t *silent = subscribed(x, false, on_message(handled));
    OK(posthouse_variable_request(x, t("1"), NULL, &operation, NULL));
    bool ended = true;
    OK(posthouse_operation_wait(operation, 0, &ended, NULL, NULL));
    CHECK(!ended);
    OK(posthouse_operation_wait(operation, 10, &ended, NULL, NULL));
    CHECK(!ended);
    posthouse_operation_cancel(operation);
    CODE(posthouse_operation_wait(operation, -1, &ended, NULL, NULL), POSTHOUSE_CANCELLED);
    CHECK(ended);
    posthouse_error_t *error = NULL;
    CODE(posthouse_operation_wait(operation, -1, &ended, NULL, &error), POSTHOUSE_CLOSED);
    CHECK(says(error, "given out"));
    struct counts *late = counts(NULL, NULL);
    CODE(posthouse_operation_then(operation, on_done(late), NULL), POSTHOUSE_CLOSED);
    CHECK(calls(late) == 0);
    counts_end(late);
    posthouse_operation_free(operation);
    // One that is let go of is given up.
    OK(posthouse_variable_request(x, t("2"), NULL, &operation, NULL));
    posthouse_operation_free(operation);
    posthouse_deferred_free(deferred);
    posthouse_subscription_free(silent);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    counts_end(handled);
}

TEST(being_called) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    struct counts *handled = counts(NULL, NULL), *good = counts(NULL, NULL), *bad = counts(NULL, NULL),
                  *late = counts(NULL, NULL);
    posthouse_subscription_t *handler = subscribed(x, true, on_echo(handled));
    posthouse_operation_t *operation = NULL;
    OK(posthouse_variable_request(x, t("41"), NULL, &operation, NULL));
    OK(posthouse_operation_then(operation, on_done(good), NULL));
    CODE(posthouse_operation_wait(operation, 0, NULL, NULL, NULL), POSTHOUSE_CLOSED);
    posthouse_operation_free(operation);
    CHECK(called(good, 1));
    CHECK(strcmp(good->last, "41") == 0);
    posthouse_variable_t *unused = variable(hub, "unused");
    OK(posthouse_variable_request(unused, t("1"), NULL, &operation, NULL));
    OK(posthouse_operation_then(operation, on_done(bad), NULL));
    posthouse_operation_free(operation);
    CHECK(called(bad, 1));
    CHECK(strcmp(bad->last, "NO_RESPONDERS") == 0);
    // Also where the end has come before, and the hub gone.
    OK(posthouse_hub_flush(hub, POSTHOUSE_DEFAULT, &operation, NULL));
    OK(posthouse_hub_close(hub, NULL));
    OK(posthouse_operation_then(operation, on_done(late), NULL));
    posthouse_operation_free(operation);
    CHECK(called(late, 1));
    posthouse_subscription_free(handler);
    posthouse_variable_free(unused);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    counts_end(good);
    counts_end(bad);
    counts_end(late);
    counts_end(handled);
}

TEST(a_callback_that_is_given_after_the_end_of_the_hub) {
    posthouse_host_t host = POSTHOUSE_HOST_INIT;
    host.dispatch = POSTHOUSE_DISPATCH_FD;
    posthouse_hub_t *hub = open_hub(&host);
    struct counts *done = counts(NULL, NULL);
    posthouse_operation_t *first = NULL, *second = NULL;
    OK(posthouse_hub_drain(hub, POSTHOUSE_DEFAULT, &first, NULL));
    OK(posthouse_hub_drain(hub, POSTHOUSE_DEFAULT, &second, NULL));
    // The hub's own end waits to be processed, and the first operation's comes behind it.
    OK(finish(second));
    OK(posthouse_operation_then(first, on_done(done), NULL));
    posthouse_operation_free(first);
    bool more = true;
    while (calls(done) == 0 && more) OK(posthouse_hub_process(hub, 100, &more, NULL));
    CHECK(calls(done) == 1 && strcmp(done->last, "") == 0);
    posthouse_hub_free(hub);
    counts_end(done);
}

/// Refuses to run callbacks inside one.
static void process_inside(struct counts *self) {
    CODE(posthouse_hub_process(self->with, 1, NULL, NULL), POSTHOUSE_BLOCKING_IN_HANDLER);
}

TEST(where_a_descriptor_is_watched) {
    posthouse_host_t host = POSTHOUSE_HOST_INIT;
    host.dispatch = POSTHOUSE_DISPATCH_FD;
    posthouse_hub_t *hub = open_hub(&host);
    posthouse_variable_t *x = variable(hub, "x");
    struct counts *got = counts(process_inside, hub), *done = counts(NULL, NULL);
    posthouse_subscription_t *sub = subscribed(x, false, on_message(got));
    for (int number = 0; number < 100; ++number) OK(posthouse_variable_publish(x, t("1"), NULL, NULL));
    posthouse_operation_t *operation = NULL;
    OK(posthouse_hub_flush(hub, POSTHOUSE_DEFAULT, &operation, NULL));
    OK(posthouse_operation_then(operation, on_done(done), NULL));
    posthouse_operation_free(operation);
    CHECK(calls(got) == 0 && calls(done) == 0);
    while (calls(got) < 100 || calls(done) < 1) {
        struct pollfd readable = {posthouse_hub_fd(hub), POLLIN, 0};
        if (poll(&readable, 1, 30000) != 1) break;
        bool more = false;
        OK(posthouse_hub_process(hub, 7, &more, NULL));
        readable.revents = 0;
        CHECK(!more || poll(&readable, 1, 0) == 1);
    }
    CHECK(calls(got) == 100 && calls(done) == 1);
    posthouse_subscription_free(sub);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    counts_end(got);
    counts_end(done);
}

static void woken(void *context) { heard(context, t("")); }

TEST(where_the_program_is_woken) {
    struct counts *wakes = counts(NULL, NULL), *got = counts(NULL, NULL);
    posthouse_host_t host = POSTHOUSE_HOST_INIT;
    host.dispatch = POSTHOUSE_DISPATCH_WAKE;
    host.wake = (posthouse_wake_closure_t){wakes, woken, count_drop};
    posthouse_hub_t *hub = open_hub(&host);
    CHECK(posthouse_hub_fd(hub) == -1);
    posthouse_variable_t *x = variable(hub, "x");
    posthouse_subscription_t *sub = subscribed(x, false, on_message(got));
    for (int number = 0; number < 100; ++number) OK(posthouse_variable_publish(x, t("1"), NULL, NULL));
    int seen = 0;
    while (calls(got) < 100 && called(wakes, seen + 1)) {
        seen = calls(wakes);
        OK(posthouse_hub_process(hub, 7, NULL, NULL));
    }
    CHECK(calls(got) == 100);
    posthouse_subscription_free(sub);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    counts_end(got);
    counts_end(wakes);
}

TEST(where_threads_run_callbacks_nobody_else_does) {
    posthouse_hub_t *hub = open_hub(NULL);
    CHECK(posthouse_hub_fd(hub) == -1);
    CODE(posthouse_hub_process(hub, 1, NULL, NULL), POSTHOUSE_UNSUPPORTED);
    OK(posthouse_hub_may_block(hub, t("a call"), NULL));
    posthouse_hub_free(hub);
}
