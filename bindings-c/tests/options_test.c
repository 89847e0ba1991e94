// Every way in which options can be wrong. (An option that does not exist cannot be named in C: it does not compile.)
#include "test.h"

#include <math.h>
#include <stddef.h>

/// Opening fails with INVALID_OPTIONS, or another code, and says this.
static void refuses(const posthouse_hub_options_t *options, const posthouse_host_t *host, posthouse_code_t code,
                    const char *saying) {
    posthouse_hub_t *hub = NULL;
    posthouse_error_t *error = NULL;
    CODE(posthouse_hub_open(t("options"), options, host, &hub, &error), code);
    CHECK(hub == NULL);
    CHECK(says(error, saying));
    posthouse_hub_free(hub);
}

TEST(numbers_out_of_range_are_refused_by_name) {
#define NUMBER(field, name, bad)                                                                                       \
    { name, offsetof(posthouse_hub_options_t, field), bad }
    static const struct {
        const char *name;
        size_t place;
        int64_t bad;
    } numbers[] = {
        NUMBER(timeout_ms, "timeout", 0),
        NUMBER(peer_timeout_ms, "peer_timeout", 0),
        NUMBER(health_interval_ms, "health_interval", -5),
        NUMBER(probe_interval_ms, "probe_interval", 0),
        NUMBER(ping_interval_ms, "ping_interval", INT64_MAX),
        NUMBER(ping_missed, "ping_missed", -1),
        NUMBER(max_variables, "max_variables", 0),
        NUMBER(max_memory_bytes, "max_memory_bytes", 0),
        NUMBER(max_instances, "max_instances", 0),
        NUMBER(selection_improvement_ms, "selection.improvement_ms", -1),
        NUMBER(selection_cooldown_ms, "selection.cooldown", -1),
        NUMBER(messaging_subscriptions, "messaging.subscriptions", 0),
        NUMBER(messaging_requests, "messaging.requests", 0),
        NUMBER(messaging_pending_messages, "messaging.pending_messages", 0),
        NUMBER(messaging_pending_bytes, "messaging.pending_bytes", 0),
        NUMBER(messaging_outbound_bytes, "messaging.outbound_bytes", 0),
        NUMBER(messaging_payload_bytes, "messaging.payload_bytes", 1LL << 40),
        NUMBER(messaging_header_bytes, "messaging.header_bytes", -1),
        NUMBER(messaging_header_entries, "messaging.header_entries", 2000),
        NUMBER(messaging_replies, "messaging.replies", 0),
        NUMBER(messaging_reply_bytes, "messaging.reply_bytes", 0),
    };
    for (size_t at = 0; at < sizeof numbers / sizeof *numbers; ++at) {
        posthouse_hub_options_t options = here();
        *(int64_t *)(void *)((char *)&options + numbers[at].place) = numbers[at].bad;
        refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, numbers[at].name);
    }
    posthouse_hub_options_t options = here();
    options.max_variables = 0;
    posthouse_hub_t *hub = NULL;
    posthouse_error_t *error = NULL;
    CODE(posthouse_hub_open(t("options"), &options, NULL, &hub, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(posthouse_error_code(error) == POSTHOUSE_INVALID_OPTIONS);
    CHECK(posthouse_error_limit(error) == 1 && posthouse_error_actual(error) == 0);
    posthouse_error_free(error);
    // C++ spells them in its own way.
    posthouse_host_t host = POSTHOUSE_HOST_INIT;
    host.camel_case = true;
    refuses(&options, &host, POSTHOUSE_INVALID_OPTIONS, "maxVariables");
}

TEST(flags_ratios_and_texts_are_checked) {
    posthouse_hub_options_t options = here();
    options.node = 2;
    refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, "node");
    options = here();
    options.tls_handshake_first = 7;
    refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, "handshake_first");
    options = here();
    options.selection_improvement_ratio = 1.5;
    refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, "selection.improvement_ratio");
    options.selection_improvement_ratio = NAN;
    refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, "selection.improvement_ratio");
    options = here();
    options.user = t("\xff");
    refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, "UTF-8");
    options = here();
    options.token = t("S3CR3T\n");
    refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, "token");
    options = here();
    options.password = t("b");
    refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, "together");
    options.user = t("a");
    options.token = t("c");
    refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, "token");
    const posthouse_str_t servers[] = {t("nats://127.0.0.1:1"), t("gopher://u:S3CR3T@x")};
    options = here();
    options.servers = servers;
    options.servers_count = 2;
    refuses(&options, NULL, POSTHOUSE_INVALID_SERVER, "scheme");
    options.servers_count = 0;
    refuses(&options, NULL, POSTHOUSE_INVALID_OPTIONS, "servers");
}

TEST(no_secret_is_told) {
    posthouse_hub_options_t options = here();
    const posthouse_str_t server = t("nats://u:S3CR3T@[bad");
    options.servers = &server;
    posthouse_hub_t *hub = NULL;
    posthouse_error_t *error = NULL;
    CODE(posthouse_hub_open(t("options"), &options, NULL, &hub, &error), POSTHOUSE_INVALID_SERVER);
    CHECK(!has(posthouse_error_message(error), "S3CR3T"));
    posthouse_error_free(error);
    options = here();
    options.token = t("S3CR3T\n");
    CODE(posthouse_hub_open(t("options"), &options, NULL, &hub, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(!has(posthouse_error_message(error), "S3CR3T"));
    posthouse_error_free(error);
}

TEST(structures_say_their_size) {
    posthouse_hub_options_t options = here();
    const uint32_t full = options.size;
    const uint32_t wrong[] = {0, 3, full + 8, UINT32_MAX};
    for (size_t at = 0; at < sizeof wrong / sizeof *wrong; ++at) {
        options.size = wrong[at];
        refuses(&options, NULL, POSTHOUSE_UNSUPPORTED, "INIT");
        posthouse_host_t host = POSTHOUSE_HOST_INIT;
        host.size = wrong[at];
        refuses(NULL, &host, POSTHOUSE_UNSUPPORTED, "POSTHOUSE_HOST_INIT");
    }
    // A program of an older header does not know the fields at the end.
    options = here();
    options.messaging_reply_bytes = 0;
    options.size = offsetof(posthouse_hub_options_t, messaging_reply_bytes);
    posthouse_hub_t *hub = NULL;
    OK(posthouse_hub_open(t(fresh()), &options, NULL, &hub, NULL));
    posthouse_hub_free(hub);
    options.size = offsetof(posthouse_hub_options_t, token);
    OK(posthouse_hub_open(t(fresh()), &options, NULL, &hub, NULL));
    posthouse_hub_free(hub);
}

TEST(options_of_calls_are_checked) {
    posthouse_hub_t *hub = open_hub(NULL);
    posthouse_variable_t *x = variable(hub, "x");
    posthouse_operation_t *operation = NULL;
    posthouse_subscription_t *sub = NULL;
    posthouse_error_t *error = NULL;
    const posthouse_message_closure_t none = {NULL, NULL, NULL};

    const posthouse_subscription_options_t good = POSTHOUSE_SUBSCRIPTION_OPTIONS_INIT;
    posthouse_subscription_options_t options = good;
    options.pending_messages = 0;
    CODE(posthouse_variable_subscribe(x, &options, none, &sub, &operation, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(says(error, "pending_messages"));
    options = good;
    options.timeout_ms = -7;
    CODE(posthouse_variable_handle(x, &options, none, &sub, &operation, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(says(error, "timeout"));
    options = good;
    options.queue = t("a*");
    CODE(posthouse_variable_subscribe(x, &options, none, &sub, &operation, NULL), POSTHOUSE_INVALID_TOPIC);
    options = good;
    options.size = 2;
    CODE(posthouse_variable_subscribe(x, &options, none, &sub, &operation, NULL), POSTHOUSE_UNSUPPORTED);

    posthouse_request_options_t request = POSTHOUSE_REQUEST_OPTIONS_INIT;
    request.timeout_ms = 0;
    CODE(posthouse_variable_request(x, t("1"), &request, &operation, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(says(error, "timeout"));
    request.size = 1000;
    CODE(posthouse_variable_request(x, t("1"), &request, &operation, NULL), POSTHOUSE_UNSUPPORTED);

    const posthouse_request_many_options_t many = POSTHOUSE_REQUEST_MANY_OPTIONS_INIT;
    posthouse_request_many_options_t collect = many;
    collect.max_replies = 17;
    CODE(posthouse_variable_request_many(x, t("1"), &collect, &operation, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(says(error, "16"));
    collect = many;
    collect.max_bytes = 0;
    CODE(posthouse_variable_request_many(x, t("1"), &collect, &operation, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(says(error, "max_bytes"));
    collect.size = 0;
    CODE(posthouse_variable_request_many(x, t("1"), &collect, &operation, NULL), POSTHOUSE_UNSUPPORTED);

    CODE(posthouse_hub_flush(hub, -1, &operation, &error), POSTHOUSE_INVALID_OPTIONS);
    CHECK(says(error, "timeout"));
    CODE(posthouse_hub_connected(hub, -1, &operation, NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_hub_ready(hub, -1, &operation, NULL), POSTHOUSE_INVALID_OPTIONS);
    CODE(posthouse_hub_drain(hub, -1, &operation, NULL), POSTHOUSE_INVALID_OPTIONS);
    CHECK(operation == NULL && sub == NULL);
    posthouse_variable_free(x);
    posthouse_hub_free(hub);
}

TEST(what_the_program_brings_along_is_checked) {
    posthouse_host_t host = POSTHOUSE_HOST_INIT;
    host.dispatch = (posthouse_dispatch_t)3;
    refuses(NULL, &host, POSTHOUSE_INVALID_OPTIONS, "dispatch");
    host = (posthouse_host_t)POSTHOUSE_HOST_INIT;
    host.dispatch = POSTHOUSE_DISPATCH_WAKE;
    refuses(NULL, &host, POSTHOUSE_INVALID_OPTIONS, "wake");
    host = (posthouse_host_t)POSTHOUSE_HOST_INIT;
    host.asks = POSTHOUSE_ASK_TOKEN;
    refuses(NULL, &host, POSTHOUSE_INVALID_OPTIONS, "ask");
    host.asks = 32;
    refuses(NULL, &host, POSTHOUSE_INVALID_OPTIONS, "asks");
    host = (posthouse_host_t)POSTHOUSE_HOST_INIT;
    host.sdk = t("\xff");
    refuses(NULL, &host, POSTHOUSE_INVALID_OPTIONS, "sdk");
    CHECK(posthouse_code_name(POSTHOUSE_NO_RESPONDERS).len == 13);
    CHECK(posthouse_code_name((posthouse_code_t)1000).data == NULL);
}

static void answer(void *context, posthouse_str_t what, posthouse_answer_t *answer) {
    posthouse_answer_set(answer, t("tells"));
    heard(context, what);
}

TEST(credentials_are_asked_for) {
    struct counts *asked = counts(NULL, NULL);
    posthouse_host_t host = POSTHOUSE_HOST_INIT;
    host.asks = POSTHOUSE_ASK_TOKEN;
    host.ask = (posthouse_ask_closure_t){asked, answer, count_drop};
    // The broker wants no token, and takes any.
    posthouse_hub_t *hub = open_hub(&host);
    CHECK(calls(asked) >= 1);
    CHECK(strcmp(asked->last, "token") == 0);
    posthouse_hub_free(hub);
    counts_end(asked);
}
