// Who owns what: closures are dropped exactly once, handles freed in any order, what is borrowed stays as long as it
// should.
#include "test.h"

TEST(nothing_may_be_freed) {
    posthouse_buf_free(NULL);
    posthouse_error_free(NULL);
    posthouse_headers_free(NULL);
    posthouse_hub_free(NULL);
    posthouse_operation_free(NULL);
    posthouse_result_free(NULL);
    posthouse_variable_free(NULL);
    posthouse_message_free(NULL);
    posthouse_deferred_free(NULL);
    posthouse_subscription_free(NULL);
    posthouse_watch_free(NULL);
    posthouse_operation_cancel(NULL);
    CHECK(posthouse_message_clone(NULL) == NULL);
    posthouse_headers_t *empty = posthouse_headers_clone(NULL);
    CHECK(posthouse_headers_count(empty) == 0);
    posthouse_headers_free(empty);
    CHECK(posthouse_error_code(NULL) == POSTHOUSE_OK && posthouse_error_message(NULL).data == NULL);
    CHECK(posthouse_result_count(NULL) == 0 && posthouse_result_body(NULL, 0).data == NULL);
}

TEST(nothing_is_no_handle) {
    posthouse_error_t *error = NULL;
    CODE(posthouse_hub_close(NULL, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(says(error, "NULL"));
    CODE(posthouse_hub_flush(NULL, 1, NULL, NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_variable_set(NULL, t("1"), NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_variable_publish(NULL, t("1"), NULL, NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_operation_wait(NULL, 0, NULL, NULL, NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_subscription_unsubscribe(NULL, NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_message_reply(NULL, t("1"), NULL, NULL), POSTHOUSE_INVALID_OPTIONS);
    posthouse_hub_t *hub = open_hub(NULL);
    // A place for the result is wanted, too.
    CODE(posthouse_hub_flush(hub, 1000, NULL, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(says(error, "NULL"));
    CODE(posthouse_hub_status(hub, NULL, NULL), POSTHOUSE_INVALID_OPTIONS);
    posthouse_hub_free(hub);
}

TEST(each_closure_is_dropped_once) {
    struct counts *all[9];
    for (size_t at = 0; at < sizeof all / sizeof *all; ++at) all[at] = counts(NULL, NULL);
    posthouse_host_t host = POSTHOUSE_HOST_INIT;
    host.log = on_log(all[0]);
    posthouse_hub_t *hub = open_hub(&host);
    posthouse_variable_t *x = variable(hub, "x");
    posthouse_subscription_t *unsubscribed = subscribed(x, false, on_message(all[1]));
    posthouse_subscription_t *freed = subscribed(x, false, on_message(all[2]));
    posthouse_subscription_t *left = subscribed(x, true, on_message(all[3]));
    posthouse_watch_t *view = NULL, *status = NULL, *instances = NULL;
    OK(posthouse_variable_watch(x, on_view(all[4]), &view, NULL));
    OK(posthouse_hub_watch(hub, on_json(all[5]), &status, NULL));
    OK(posthouse_hub_watch_instances(hub, on_json(all[6]), &instances, NULL));
    posthouse_operation_t *operation = NULL;
    OK(posthouse_hub_flush(hub, POSTHOUSE_DEFAULT, &operation, NULL));
    OK(posthouse_operation_then(operation, on_done(all[7]), NULL));
    posthouse_operation_free(operation);
    // One whose end never comes but by the hub's.
    OK(posthouse_variable_ready(x, POSTHOUSE_DEFAULT, &operation, NULL));
    OK(posthouse_operation_then(operation, on_done(all[8]), NULL));
    posthouse_operation_free(operation);
    CHECK(called(all[7], 1));

    OK(posthouse_subscription_unsubscribe(unsubscribed, NULL));
    CHECK(drops(all[1]) == 1);
    OK(posthouse_subscription_unsubscribe(unsubscribed, NULL));
    posthouse_subscription_free(freed);
    CHECK(drops(all[2]) == 1);
    posthouse_watch_free(view);
    CHECK(drops(all[4]) == 1);
    OK(posthouse_hub_close(hub, NULL));
    OK(posthouse_hub_close(hub, NULL));
    for (size_t at = 1; at < sizeof all / sizeof *all; ++at) CHECK(dropped(all[at], 1));
    posthouse_hub_free(hub);
    posthouse_subscription_free(left);
    posthouse_subscription_free(unsubscribed);
    posthouse_watch_free(status);
    posthouse_watch_free(instances);
    posthouse_variable_free(x);
    for (size_t at = 0; at < sizeof all / sizeof *all; ++at) counts_end(all[at]);
}

static void never(void *context, posthouse_str_t what, posthouse_answer_t *answer) {
    (void)answer;
    heard(context, what);
}

static void never_woken(void *context) { heard(context, t("")); }

TEST(a_closure_is_dropped_where_its_call_fails) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *bad = variable(hub, "a..b");
    posthouse_subscription_t *sub = NULL;
    posthouse_operation_t *operation = NULL;
    posthouse_watch_t *watch = NULL;
    struct counts *all[8];
    for (size_t at = 0; at < sizeof all / sizeof *all; ++at) all[at] = counts(NULL, NULL);
    CODE(posthouse_variable_subscribe(bad, NULL, on_message(all[0]), &sub, &operation, NULL), POSTHOUSE_INVALID_TOPIC);
    CODE(posthouse_variable_handle(NULL, NULL, on_message(all[1]), &sub, &operation, NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_variable_watch(NULL, on_view(all[2]), &watch, NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_hub_watch(NULL, on_json(all[3]), &watch, NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_operation_then(NULL, on_done(all[4]), NULL), POSTHOUSE_INVALID_OPTIONS);
    CHECK(sub == NULL && operation == NULL && watch == NULL);
    posthouse_host_t host = POSTHOUSE_HOST_INIT;
    host.dispatch = POSTHOUSE_DISPATCH_WAKE;
    host.wake = (posthouse_wake_closure_t){all[5], never_woken, count_drop};
    host.ask = (posthouse_ask_closure_t){all[6], never, count_drop};
    host.log = on_log(all[7]);
    posthouse_hub_t *none = NULL;
    CODE(posthouse_hub_open(t("a\nb"), NULL, &host, &none, NULL), POSTHOUSE_INVALID_NAME);
    for (size_t at = 0; at < sizeof all / sizeof *all; ++at) {
        CHECK(calls(all[at]) == 0);
        counts_end(all[at]);
    }
    posthouse_variable_free(bad);
    posthouse_hub_free(hub);
}

TEST(a_buffer_is_used_again) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    posthouse_buf_t value = {NULL, 0, 0};
    bool exists = false;
    OK(posthouse_variable_set(x, t("\"a long text, so that the short one fits\""), NULL));
    OK(posthouse_variable_get(x, &exists, &value, NULL));
    const char *place = value.data;
    OK(posthouse_variable_set(x, t("\"short\""), NULL));
    OK(posthouse_variable_get(x, &exists, &value, NULL));
    CHECK(value.data == place && value.len == 7);
    posthouse_buf_free(&value);
    CHECK(value.data == NULL && value.len == 0);
    posthouse_buf_free(&value);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
}

/// A message and the duty to end it, kept by a handler.
struct kept {
    posthouse_message_t *message;
    posthouse_deferred_t *deferred;
    struct counts *counts;
};

static void keep(void *context, const posthouse_message_t *message) {
    struct kept *kept = context;
    meet();
    kept->message = posthouse_message_clone(message);
    OK(posthouse_message_defer(message, &kept->deferred, NULL));
    posthouse_deferred_t *again = NULL;
    CODE(posthouse_message_defer(message, &again, NULL), POSTHOUSE_CLOSED);
    heard(kept->counts, posthouse_message_body(message));
}

static void keep_drop(void *context) { count_drop(((struct kept *)context)->counts); }

TEST(a_deferred_answer_is_given_once) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    struct kept kept = {NULL, NULL, counts(NULL, NULL)};
    posthouse_subscription_t *handler = subscribed(x, true, (posthouse_message_closure_t){&kept, keep, keep_drop});
    posthouse_operation_t *operation = NULL;
    posthouse_result_t *result = NULL;
    OK(posthouse_variable_request(x, t("[1]"), NULL, &operation, NULL));
    CHECK(called(kept.counts, 1));
    CODE(posthouse_deferred_complete(kept.deferred, t("nope"), NULL, NULL), POSTHOUSE_INVALID_MESSAGE);
    OK(posthouse_deferred_complete(kept.deferred, t("[2]"), NULL, NULL));
    CODE(posthouse_deferred_complete(kept.deferred, t("[3]"), NULL, NULL), POSTHOUSE_CLOSED);
    OK(posthouse_operation_finish(operation, &result, NULL));
    CHECK(same(posthouse_result_body(result, 0), "[2]"));
    posthouse_result_free(result);
    posthouse_deferred_free(kept.deferred);
    CHECK(same(posthouse_message_body(kept.message), "[1]") && same(posthouse_message_topic(kept.message), "x"));
    CODE(posthouse_message_answer(kept.message, t("1"), NULL, NULL), POSTHOUSE_CLOSED);
    // Replying any number of times is what subscriptions do.
    CODE(posthouse_message_reply(kept.message, t("1"), NULL, NULL), POSTHOUSE_INVALID_OPTIONS);
    posthouse_message_free(kept.message);
    // Letting go is giving up: the caller runs into its time-out, and the next one is served.
    meet();
    OK(posthouse_variable_request(x, t("[4]"), NULL, &operation, NULL));
    CHECK(called(kept.counts, 2));
    posthouse_deferred_free(kept.deferred);
    posthouse_message_t *old = kept.message;
    posthouse_operation_free(operation);
    meet();
    OK(posthouse_variable_request(x, t("[5]"), NULL, &operation, NULL));
    CHECK(called(kept.counts, 3));
    posthouse_deferred_fail(kept.deferred, t("because"));
    posthouse_buf_t status = {NULL, 0, 0};
    OK(posthouse_hub_status(hub, &status, NULL));
    CHECK(has((posthouse_str_t){status.data, status.len}, "because"));
    posthouse_buf_free(&status);
    posthouse_operation_free(operation);
    posthouse_subscription_free(handler);
    posthouse_hub_free(hub);
    CHECK(same(posthouse_message_body(old), "[4]"));
    posthouse_message_free(old);
    CODE(posthouse_deferred_complete(kept.deferred, t("1"), NULL, NULL), POSTHOUSE_CLOSED);
    posthouse_deferred_free(kept.deferred);
    posthouse_message_free(kept.message);
    posthouse_variable_free(x);
    counts_end(kept.counts);
}

static void reply_twice(void *context, const posthouse_message_t *message) {
    struct kept *kept = context;
    meet();
    OK(posthouse_message_reply(message, t("1"), NULL, NULL));
    OK(posthouse_message_reply(message, t("2"), NULL, NULL));
    CODE(posthouse_message_answer(message, t("3"), NULL, NULL), POSTHOUSE_CLOSED);
    kept->message = posthouse_message_clone(message);
    heard(kept->counts, posthouse_message_body(message));
}

TEST(a_subscription_replies_while_its_handler_runs) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    struct kept kept = {NULL, NULL, counts(NULL, NULL)};
    posthouse_subscription_t *sub = subscribed(x, false, (posthouse_message_closure_t){&kept, reply_twice, keep_drop});
    posthouse_request_many_options_t options = POSTHOUSE_REQUEST_MANY_OPTIONS_INIT;
    options.max_replies = 2;
    posthouse_operation_t *operation = NULL;
    posthouse_result_t *result = NULL;
    OK(posthouse_variable_request_many(x, (posthouse_str_t){NULL, 0}, &options, &operation, NULL));
    OK(posthouse_operation_finish(operation, &result, NULL));
    CHECK(posthouse_result_count(result) == 2 && same(posthouse_result_body(result, 1), "2"));
    posthouse_result_free(result);
    OK(posthouse_subscription_unsubscribe(sub, NULL));
    CHECK(same(posthouse_message_body(kept.message), "null"));
    CODE(posthouse_message_reply(kept.message, t("4"), NULL, NULL), POSTHOUSE_CLOSED);
    posthouse_message_free(kept.message);
    posthouse_subscription_free(sub);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    counts_end(kept.counts);
}

TEST(handles_are_freed_in_any_order) {
    enum { PARTS = 7 };
    for (int order = 0; order < PARTS; ++order) {
        posthouse_hub_t *hub = open_hub(NULL);
        posthouse_variable_t *x = variable(hub, "x");
        struct kept kept = {NULL, NULL, counts(NULL, NULL)};
        struct counts *seen = counts(NULL, NULL);
        posthouse_subscription_t *handler = subscribed(x, true, (posthouse_message_closure_t){&kept, keep, keep_drop});
        posthouse_watch_t *watch = NULL;
        OK(posthouse_variable_watch(x, on_view(seen), &watch, NULL));
        posthouse_operation_t *operation = NULL;
        OK(posthouse_variable_request(x, t("1"), NULL, &operation, NULL));
        CHECK(called(kept.counts, 1));
        for (int at = 0; at < PARTS; ++at) {
            switch ((at * 3 + order) % PARTS) {
            case 0:
                posthouse_hub_free(hub);
                break;
            case 1:
                posthouse_variable_free(x);
                break;
            case 2:
                posthouse_subscription_free(handler);
                break;
            case 3:
                posthouse_watch_free(watch);
                break;
            case 4:
                posthouse_operation_free(operation);
                break;
            case 5:
                posthouse_deferred_free(kept.deferred);
                break;
            default:
                posthouse_message_free(kept.message);
                break;
            }
        }
        counts_end(kept.counts);
        counts_end(seen);
    }
}
