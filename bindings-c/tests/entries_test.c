// What is let in and what is not, in every entry: names (R12), control characters (R38), headers (R21), numbers (R25),
// and secrets (R39), which come out nowhere.
#include "test.h"

static const char *const controls[] = {"a\r\nPUB x 1\r\nb", "a\nb", "a\tb", "a\x1f", "\x7f", "\x01z"};
enum { CONTROLS = sizeof controls / sizeof *controls };

TEST(names_in_any_script_work) {
    posthouse_hub_t *hub = open_hub(NULL);
    static const char *const names[] = {"living room.temperature", "传感器.温度", "🙂", "a/b"};
    for (size_t at = 0; at < sizeof names / sizeof *names; ++at) {
        posthouse_variable_t *x = variable(hub, names[at]);
        struct counts *got = counts(NULL, NULL);
        posthouse_subscription_options_t options = POSTHOUSE_SUBSCRIPTION_OPTIONS_INIT;
        options.queue = t("job worker");
        posthouse_subscription_t *sub = NULL;
        posthouse_operation_t *operation = NULL;
        OK(posthouse_variable_subscribe(x, &options, on_message(got), &sub, &operation, NULL));
        OK(finish(operation));
        OK(posthouse_variable_set(x, t("1"), NULL));
        OK(posthouse_variable_publish(x, t("1"), NULL, NULL));
        CHECK(called(got, 1));
        posthouse_subscription_free(sub);
        posthouse_variable_free(x);
        counts_end(got);
    }
    posthouse_hub_free(hub);
}

TEST(names_that_are_none_are_refused) {
    posthouse_hub_t *hub = open_hub(NULL), *other = NULL;
    posthouse_variable_t *none = NULL;
    char long_name[130];
    memset(long_name, 'x', sizeof long_name);
    CODE(posthouse_hub_variable(hub, (posthouse_str_t){long_name, 129}, &none, NULL), POSTHOUSE_INVALID_NAME);
    CODE(posthouse_hub_variable(hub, t(""), &none, NULL), POSTHOUSE_INVALID_NAME);
    CODE(posthouse_hub_variable(hub, t("a\xed\xa0\x80"), &none, NULL), POSTHOUSE_INVALID_NAME);
    CODE(posthouse_hub_variable(hub, (posthouse_str_t){"a\0b", 3}, &none, NULL), POSTHOUSE_INVALID_NAME);
    for (int at = 0; at < CONTROLS; ++at) {
        CODE(posthouse_hub_variable(hub, t(controls[at]), &none, NULL), POSTHOUSE_INVALID_NAME);
        CODE(posthouse_hub_open(t(controls[at]), NULL, NULL, &other, NULL), POSTHOUSE_INVALID_NAME);
    }
    CHECK(none == NULL && other == NULL);
    static const char *const topics[] = {"a..b", "a.", ".a", "*", ">", "a.*"};
    for (size_t at = 0; at < sizeof topics / sizeof *topics; ++at) {
        posthouse_variable_t *x = variable(hub, topics[at]);
        posthouse_operation_t *operation = NULL;
        OK(posthouse_variable_set(x, t("1"), NULL));
        CODE(posthouse_variable_publish(x, t("1"), NULL, NULL), POSTHOUSE_INVALID_TOPIC);
        CODE(posthouse_variable_request(x, t("1"), NULL, &operation, NULL), POSTHOUSE_INVALID_TOPIC);
        CODE(posthouse_variable_request_many(x, t("1"), NULL, &operation, NULL), POSTHOUSE_INVALID_TOPIC);
        CHECK(operation == NULL);
        posthouse_variable_free(x);
    }
    posthouse_hub_free(hub);
}

TEST(control_characters_go_nowhere) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    posthouse_headers_t *headers = posthouse_headers_new();
    posthouse_subscription_t *sub = NULL;
    posthouse_operation_t *operation = NULL;
    const posthouse_message_closure_t none = {NULL, NULL, NULL};
    for (int at = 0; at < CONTROLS; ++at) {
        const posthouse_str_t bad = t(controls[at]);
        CODE(posthouse_headers_append(headers, t("x"), bad, NULL), POSTHOUSE_INVALID_HEADERS);
        CODE(posthouse_headers_append(headers, bad, t("x"), NULL), POSTHOUSE_INVALID_HEADERS);
        CODE(posthouse_headers_set(headers, t("x"), bad, NULL), POSTHOUSE_INVALID_HEADERS);
        posthouse_subscription_options_t options = POSTHOUSE_SUBSCRIPTION_OPTIONS_INIT;
        options.queue = bad;
        CODE(posthouse_variable_subscribe(x, &options, none, &sub, &operation, NULL), POSTHOUSE_INVALID_TOPIC);
        CODE(posthouse_variable_handle(x, &options, none, &sub, &operation, NULL), POSTHOUSE_INVALID_TOPIC);
        for (int field = 0; field < 3; ++field) {
            posthouse_hub_options_t auth = here();
            auth.token = field == 0 ? bad : auth.token;
            auth.user = field == 0 ? auth.user : field == 1 ? bad : t("u");
            auth.password = field == 0 ? auth.password : field == 1 ? t("p") : bad;
            posthouse_hub_t *other = NULL;
            CODE(posthouse_hub_open(t("x"), &auth, NULL, &other, NULL), POSTHOUSE_INVALID_OPTIONS);
        }
    }
    CODE(posthouse_headers_append(headers, t("a:b"), t("1"), NULL), POSTHOUSE_INVALID_HEADERS);
    CODE(posthouse_headers_append(headers, t("a b"), t("1"), NULL), POSTHOUSE_INVALID_HEADERS);
    CODE(posthouse_headers_append(headers, t("a"), t("\xc3\xa4"), NULL), POSTHOUSE_INVALID_HEADERS);
    CHECK(posthouse_headers_count(headers) == 0 && sub == NULL && operation == NULL);
    posthouse_headers_free(headers);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
}

/// Sends the headers of the message back.
static void mirror(void *context, const posthouse_message_t *message) {
    const posthouse_headers_t *headers = posthouse_message_headers(message);
    CHECK(same(posthouse_headers_get(headers, t("X-TAG"), 0), "a"));
    CHECK(same(posthouse_headers_get(headers, t("x-Tag"), 2), "c"));
    OK(posthouse_message_answer(message, t("1"), headers, NULL));
    heard(context, t(""));
}

TEST(values_of_one_header_keep_their_order) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    struct counts *got = counts(NULL, NULL);
    posthouse_subscription_t *handler = subscribed(x, true, (posthouse_message_closure_t){got, mirror, count_drop});
    posthouse_headers_t *headers = posthouse_headers_new();
    OK(posthouse_headers_append(headers, t("X-Tag"), t("a"), NULL));
    OK(posthouse_headers_append(headers, t("x-tag"), t(" b "), NULL));
    OK(posthouse_headers_append(headers, t("X-TAG"), t("c"), NULL));
    posthouse_request_options_t options = POSTHOUSE_REQUEST_OPTIONS_INIT;
    options.headers = headers;
    posthouse_operation_t *operation = NULL;
    posthouse_result_t *result = NULL;
    OK(posthouse_variable_request(x, t("1"), &options, &operation, NULL));
    OK(posthouse_operation_finish(operation, &result, NULL));
    const posthouse_headers_t *back = posthouse_result_headers(result, 0);
    CHECK(posthouse_headers_count(back) == 3);
    CHECK(same(posthouse_headers_get(back, t("x-TAG"), 1), "b"));
    CHECK(posthouse_headers_get(back, t("x-tag"), 3).data == NULL);
    posthouse_str_t name, value;
    OK(posthouse_headers_at(back, 0, &name, &value, NULL));
    CHECK(same(name, "x-tag") && same(value, "a"));
    posthouse_result_free(result);
    posthouse_headers_free(headers);
    posthouse_subscription_free(handler);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    counts_end(got);
}

/// Answers with what is no answer, and then with what is.
static void answer_badly(void *context, const posthouse_message_t *message) {
    CODE(posthouse_message_answer(message, t("9007199254740993"), NULL, NULL), POSTHOUSE_INVALID_MESSAGE);
    OK(posthouse_message_answer(message, t("9007199254740991"), NULL, NULL));
    heard(context, posthouse_message_body(message));
}

TEST(integers_that_would_change_are_refused) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    posthouse_operation_t *operation = NULL;
    static const char *const numbers[] = {"9007199254740992", "-9007199254740992", "[9007199254740993]", "1e300",
                                          "{\"deep\":[9007199254740992.0]}"};
    for (size_t at = 0; at < sizeof numbers / sizeof *numbers; ++at) {
        const posthouse_str_t bad = t(numbers[at]);
        CODE(posthouse_variable_set(x, bad, NULL), POSTHOUSE_INVALID_VALUE);
        CODE(posthouse_variable_publish(x, bad, NULL, NULL), POSTHOUSE_INVALID_MESSAGE);
        CODE(posthouse_variable_request(x, bad, NULL, &operation, NULL), POSTHOUSE_INVALID_MESSAGE);
        CODE(posthouse_variable_request_many(x, bad, NULL, &operation, NULL), POSTHOUSE_INVALID_MESSAGE);
    }
    CHECK(operation == NULL);
    struct counts *got = counts(NULL, NULL);
    posthouse_subscription_t *handler =
        subscribed(x, true, (posthouse_message_closure_t){got, answer_badly, count_drop});
    posthouse_result_t *result = NULL;
    OK(ask(x, "1", POSTHOUSE_DEFAULT, &result));
    CHECK(same(posthouse_result_body(result, 0), "9007199254740991"));
    posthouse_result_free(result);
    posthouse_subscription_free(handler);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
    counts_end(got);
}

static void look_for_secrets(void *context, posthouse_level_t level, posthouse_str_t code, posthouse_str_t line) {
    (void)level;
    CHECK(!has(line, "S3CR3T"));
    heard(context, code);
}

TEST(secrets_are_told_nowhere) {
    for (int way = 0; way < 4; ++way) {
        struct counts *lines = counts(NULL, NULL);
        posthouse_host_t host = POSTHOUSE_HOST_INIT;
        host.log = (posthouse_log_closure_t){lines, look_for_secrets, count_drop};
        posthouse_hub_options_t options = here();
        const posthouse_str_t server = t("nats://u:S3CR3T@127.0.0.1:1");
        options.timeout_ms = 200;
        if (way == 0) options.token = t("S3CR3T");
        if (way == 1) options.nkey = t("S3CR3T");
        if (way == 2) options.servers = &server;
        if (way == 3) {
            options.user = t("u");
            options.password = t("S3CR3T");
        }
        posthouse_hub_t *hub = NULL;
        posthouse_operation_t *operation = NULL;
        posthouse_error_t *error = NULL;
        posthouse_buf_t json = {NULL, 0, 0};
        OK(posthouse_hub_open(t(fresh()), &options, &host, &hub, NULL));
        OK(posthouse_hub_connected(hub, POSTHOUSE_DEFAULT, &operation, NULL));
        if (posthouse_operation_finish(operation, NULL, &error) != POSTHOUSE_OK) {
            CHECK(!has(posthouse_error_message(error), "S3CR3T"));
        }
        posthouse_error_free(error);
        OK(posthouse_hub_status(hub, &json, NULL));
        CHECK(!has((posthouse_str_t){json.data, json.len}, "S3CR3T"));
        posthouse_buf_free(&json);
        posthouse_hub_free(hub);
        counts_end(lines);
    }
}
