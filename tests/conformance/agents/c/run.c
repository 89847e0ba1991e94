// What each request does. What has an end is begun here, and its end told by a callback.
#include "agent.h"

#include <stdlib.h>

enum shape { NOTHING, DATA, DETAILS, MANY, MANY_DETAILS };

/// An operation under way.
struct begun {
    struct listener listener;
    enum shape shape;
};

/// What watches and hub watches show.
struct watching {
    char *request;
    posthouse_hub_t *hub;
};

void listener_tell(const struct listener *listener) {
    line_begin();
    if (listener->task != NULL) {
        task_begin_call(listener->task);
    } else {
        put_text("{\"id\":");
        put_text(listener->id);
        put_text(",");
    }
}

void listener_told(struct listener *listener) {
    put_text("}");
    line_end();
    free(listener->id);
    if (listener->task != NULL) task_go_on(listener->task);
}

static void fail(struct listener listener, posthouse_error_t *error) {
    listener_tell(&listener);
    put_error(error);
    listener_told(&listener);
}

static void succeed(struct listener listener, text_t json) {
    listener_tell(&listener);
    put_text("\"ok\":");
    put_raw(json);
    listener_told(&listener);
}

/// The end of what ends at once.
static void ended(struct listener listener, posthouse_error_t *error) {
    if (error != NULL) {
        fail(listener, error);
    } else {
        succeed(listener, posthouse_text("null"));
    }
}

static void put_reply(const posthouse_result_t *result, size_t at, bool details) {
    if (details) put_text("{\"data\":");
    put_raw(posthouse_result_body(result, at));
    if (!details) return;
    put_text(",\"headers\":");
    put_headers(posthouse_result_headers(result, at));
    put_text("}");
}

static void put_result(enum shape shape, const posthouse_result_t *result) {
    if (shape == NOTHING) {
        put_text("null");
    } else if (shape == DATA || shape == DETAILS) {
        put_reply(result, 0, shape == DETAILS);
    } else {
        put_text(shape == MANY ? "[" : "{\"replies\":[");
        for (size_t at = 0; at < posthouse_result_count(result); ++at) {
            if (at > 0) put_text(",");
            put_reply(result, at, shape == MANY_DETAILS);
        }
        const bool deadline = posthouse_result_reason(result) == POSTHOUSE_REASON_DEADLINE;
        put_text(shape == MANY ? "]" : deadline ? "],\"reason\":\"deadline\"}" : "],\"reason\":\"maxReplies\"}");
    }
}

static void done(void *context, posthouse_result_t *result, posthouse_error_t *error) {
    struct begun *begun = context;
    listener_tell(&begun->listener);
    if (error != NULL) {
        put_error(error);
    } else {
        put_text("\"ok\":");
        put_result(begun->shape, result);
    }
    posthouse_result_free(result);
    listener_told(&begun->listener);
}

/// An operation was begun, or `error` says why not.
static void begun(struct listener listener, enum shape shape, text_t label, posthouse_operation_t *operation,
                  posthouse_error_t *error) {
    if (error != NULL) {
        fail(listener, error);
        return;
    }
    struct begun *context = malloc(sizeof *context);
    if (context == NULL) abort();
    *context = (struct begun){listener, shape};
    if (label.data != NULL) store(OPERATION, label, operation);
    if (posthouse_operation_then(operation, (posthouse_done_closure_t){context, done, free}, &error) != POSTHOUSE_OK) {
        fail(listener, error);
    }
    if (label.data == NULL) posthouse_operation_free(operation);
}

static void watched(const struct watching *watching) {
    put_text("}");
    line_end();
    size_t length = 0;
    char *reason = unquoted(member(posthouse_text(watching->request), "raise"), &length);
    // C has no exceptions: a callback says that it has failed.
    if (reason != NULL) {
        posthouse_hub_callback_failed(watching->hub, posthouse_text("a watch callback"), (text_t){reason, length});
    }
    free(reason);
}

static void view(void *context, const posthouse_view_t *view) {
    const struct watching *watching = context;
    const text_t request = posthouse_text(watching->request);
    line_begin();
    put_text("{\"event\":\"watch\",\"stream\":");
    put_raw(member(request, "as"));
    if (view->value.data != NULL) {
        put_text(",\"value\":");
        put_raw(view->value);
    }
    if (is(member(request, "op"), "watch")) {
        put_text(",\"meta\":");
        put_meta(&view->meta);
    }
    watched(watching);
}

static void status(void *context, posthouse_str_t json) {
    const struct watching *watching = context;
    line_begin();
    put_text("{\"event\":\"status\",\"stream\":");
    put_raw(member(posthouse_text(watching->request), "as"));
    put_text(",\"status\":");
    put_raw(json);
    watched(watching);
}

static void unwatched(void *context) {
    struct watching *watching = context;
    free(watching->request);
    free(watching);
}

static struct watching *watching(text_t request, posthouse_hub_t *hub) {
    struct watching *made = malloc(sizeof *made);
    if (made == NULL) abort();
    *made = (struct watching){copy(request), hub};
    return made;
}

/// Bytes of the library's that are the answer.
static void told(struct listener listener, posthouse_buf_t *json, posthouse_error_t *error) {
    if (error != NULL) {
        fail(listener, error);
    } else {
        succeed(listener, (text_t){json->data, json->len});
    }
    posthouse_buf_free(json);
}

static void quoted(struct listener listener, text_t text) {
    listener_tell(&listener);
    put_text("\"ok\":");
    put_quoted(text);
    listener_told(&listener);
}

static void on_hub(posthouse_hub_t *hub, text_t r, struct listener listener) {
    typedef posthouse_code_t wait_t(const posthouse_hub_t *, int64_t, posthouse_operation_t **, posthouse_error_t **);
    static const struct {
        const char *op;
        wait_t *wait;
    } waits[] = {{"connected", posthouse_hub_connected},
                 {"ready", posthouse_hub_ready},
                 {"flush", posthouse_hub_flush},
                 {"drain", posthouse_hub_drain}};
    const text_t op = member(r, "op"), none = {NULL, 0};
    posthouse_error_t *error = NULL;
    posthouse_buf_t json = {NULL, 0, 0};
    for (size_t at = 0; at < sizeof waits / sizeof *waits; ++at) {
        if (!is(op, waits[at].op)) continue;
        posthouse_operation_t *operation = NULL;
        waits[at].wait(hub, number(member(r, "timeout"), POSTHOUSE_DEFAULT), &operation, &error);
        begun(listener, NOTHING, none, operation, error);
        return;
    }
    if (is(op, "status")) {
        posthouse_hub_status(hub, &json, &error);
        told(listener, &json, error);
    } else if (is(op, "instances")) {
        posthouse_hub_instances(hub, &json, &error);
        told(listener, &json, error);
    } else if (is(op, "namespace")) {
        quoted(listener, posthouse_hub_namespace(hub));
    } else if (is(op, "instance_id")) {
        quoted(listener, posthouse_hub_instance_id(hub));
    } else if (is(op, "watch_hub")) {
        posthouse_watch_t *watch = NULL;
        posthouse_hub_watch(hub, (posthouse_json_closure_t){watching(r, hub), status, unwatched}, &watch, &error);
        if (watch != NULL) store(WATCH, member(r, "as"), watch);
        ended(listener, error);
    } else {
        posthouse_hub_close(hub, &error);
        ended(listener, error);
    }
}

static text_t data_of(text_t r) {
    static const struct {
        const char *name, *json;
    } special[] = {{"nan", "NaN"}, {"inf", "Infinity"}, {"-inf", "-Infinity"}, {"surrogate", "\"\xed\xa0\x80\""}};
    for (size_t at = 0; at < sizeof special / sizeof *special; ++at) {
        if (is(member(r, "special"), special[at].name)) return posthouse_text(special[at].json);
    }
    return member(r, "data");
}

static void get(const posthouse_variable_t *variable, text_t fallback, struct listener listener) {
    bool exists = false;
    posthouse_buf_t value = {NULL, 0, 0};
    posthouse_error_t *error = NULL;
    if (posthouse_variable_get(variable, &exists, &value, &error) != POSTHOUSE_OK) {
        fail(listener, error);
        return;
    }
    const text_t shown = exists ? (text_t){value.data, value.len} : fallback;
    listener_tell(&listener);
    put_text(shown.data == NULL ? "\"ok\":{" : "\"ok\":{\"value\":");
    put_raw(shown);
    put_text("}");
    posthouse_buf_free(&value);
    listener_told(&listener);
}

static void meta(const posthouse_variable_t *variable, struct listener listener) {
    posthouse_meta_t meta;
    posthouse_buf_t storage = {NULL, 0, 0};
    posthouse_error_t *error = NULL;
    if (posthouse_variable_meta(variable, &meta, &storage, &error) != POSTHOUSE_OK) {
        fail(listener, error);
        return;
    }
    listener_tell(&listener);
    put_text("\"ok\":");
    put_meta(&meta);
    posthouse_buf_free(&storage);
    listener_told(&listener);
}

static void subscribe(const posthouse_variable_t *variable, text_t r, struct listener listener) {
    const bool answers = is(member(r, "op"), "handle");
    posthouse_subscription_options_t options = POSTHOUSE_SUBSCRIPTION_OPTIONS_INIT;
    char *queue = unquoted(member(r, "queue"), &options.queue.len);
    options.queue.data = queue;
    options.pending_messages = number(member(r, "pending_messages"), POSTHOUSE_DEFAULT);
    options.pending_bytes = number(member(r, "pending_bytes"), POSTHOUSE_DEFAULT);
    posthouse_subscription_t *subscription = NULL;
    posthouse_operation_t *operation = NULL;
    posthouse_error_t *error = NULL;
    (answers ? posthouse_variable_handle : posthouse_variable_subscribe)(variable, &options, handler(r, answers),
                                                                         &subscription, &operation, &error);
    free(queue);
    if (subscription != NULL) store(SUBSCRIPTION, member(r, "as"), subscription);
    begun(listener, NOTHING, (text_t){NULL, 0}, operation, error);
}

static void request(const posthouse_variable_t *variable, text_t r, struct listener listener) {
    const bool details = is(member(r, "details"), "true"), many = is(member(r, "op"), "request_many");
    posthouse_error_t *error = NULL;
    posthouse_operation_t *operation = NULL;
    posthouse_headers_t *headers = headers_of(member(r, "headers"), &error);
    const int64_t timeout = number(member(r, "timeout"), POSTHOUSE_DEFAULT);
    if (error == NULL && many) {
        posthouse_request_many_options_t options = POSTHOUSE_REQUEST_MANY_OPTIONS_INIT;
        options.timeout_ms = timeout;
        options.max_replies = number(member(r, "max_replies"), POSTHOUSE_DEFAULT);
        options.max_bytes = number(member(r, "max_bytes"), POSTHOUSE_DEFAULT);
        options.headers = headers;
        posthouse_variable_request_many(variable, data_of(r), &options, &operation, &error);
    } else if (error == NULL) {
        posthouse_request_options_t options = POSTHOUSE_REQUEST_OPTIONS_INIT;
        options.timeout_ms = timeout;
        options.headers = headers;
        posthouse_variable_request(variable, data_of(r), &options, &operation, &error);
    }
    posthouse_headers_free(headers);
    const enum shape shape = many ? (details ? MANY_DETAILS : MANY) : details ? DETAILS : DATA;
    begun(listener, shape, member(r, "label"), operation, error);
}

static void publish(const posthouse_variable_t *variable, text_t r, struct listener listener) {
    posthouse_error_t *error = NULL;
    posthouse_headers_t *headers = headers_of(member(r, "headers"), &error);
    if (error == NULL) posthouse_variable_publish(variable, data_of(r), headers, &error);
    posthouse_headers_free(headers);
    ended(listener, error);
}

static void on_variable(posthouse_hub_t *hub, const posthouse_variable_t *variable, text_t r,
                        struct listener listener) {
    const text_t op = member(r, "op"), none = {NULL, 0};
    posthouse_error_t *error = NULL;
    if (is(op, "set")) {
        const text_t data = data_of(r);
        posthouse_variable_set(variable, data.data == NULL ? posthouse_text("null") : data, &error);
        ended(listener, error);
    } else if (is(op, "delete")) {
        posthouse_variable_erase(variable, &error);
        ended(listener, error);
    } else if (is(op, "var_ready")) {
        posthouse_operation_t *operation = NULL;
        posthouse_variable_ready(variable, number(member(r, "timeout"), POSTHOUSE_DEFAULT), &operation, &error);
        begun(listener, NOTHING, none, operation, error);
    } else if (is(op, "get") || is(op, "value")) {
        get(variable, is(op, "get") ? member(r, "fallback") : none, listener);
    } else if (is(op, "meta")) {
        meta(variable, listener);
    } else if (is(op, "watch") || is(op, "watch_value")) {
        posthouse_watch_t *watch = NULL;
        posthouse_variable_watch(variable, (posthouse_view_closure_t){watching(r, hub), view, unwatched}, &watch,
                                 &error);
        if (watch != NULL) store(WATCH, member(r, "as"), watch);
        ended(listener, error);
    } else if (is(op, "pub") || is(op, "publish")) {
        publish(variable, r, listener);
    } else if (is(op, "sub") || is(op, "subscribe") || is(op, "handle")) {
        subscribe(variable, r, listener);
    } else {
        request(variable, r, listener);
    }
}

static void on_subscription(posthouse_subscription_t *subscription, text_t r, struct listener listener) {
    const text_t op = member(r, "op"), none = {NULL, 0};
    posthouse_error_t *error = NULL;
    if (is(op, "unsubscribe")) {
        posthouse_subscription_unsubscribe(subscription, &error);
        ended(listener, error);
    } else if (is(op, "sub_status")) {
        posthouse_buf_t json = {NULL, 0, 0};
        posthouse_subscription_status(subscription, &json, &error);
        told(listener, &json, error);
    } else {
        posthouse_operation_t *operation = NULL;
        posthouse_subscription_drain(subscription, number(member(r, "timeout"), POSTHOUSE_DEFAULT), &operation, &error);
        begun(listener, NOTHING, none, operation, error);
    }
}

static void context_reply(const posthouse_message_t *message, text_t r, struct listener listener) {
    posthouse_error_t *error = NULL;
    posthouse_headers_t *headers = headers_of(member(r, "headers"), &error);
    if (error == NULL) posthouse_message_reply(message, member(r, "data"), headers, &error);
    posthouse_headers_free(headers);
    ended(listener, error);
}

static void open_one(text_t r, struct listener listener) {
    posthouse_hub_t *hub = NULL;
    posthouse_error_t *error = NULL;
    if (open_hub(r, &hub, &error) == POSTHOUSE_OK) store(HUB, member(r, "hub"), hub);
    ended(listener, error);
}

static void named(text_t r, struct listener listener) {
    posthouse_hub_t *hub = find(HUB, member(r, "hub"));
    const text_t json = member(r, "var");
    if (json.data == NULL) {
        on_hub(hub, r, listener);
        return;
    }
    size_t length = 0;
    char *name = unquoted(json, &length);
    posthouse_variable_t *variable = NULL;
    posthouse_error_t *error = NULL;
    if (posthouse_hub_variable(hub, (text_t){name, length}, &variable, &error) != POSTHOUSE_OK) {
        fail(listener, error);
    } else {
        on_variable(hub, variable, r, listener);
    }
    posthouse_variable_free(variable);
    free(name);
}

void run(text_t r, struct listener listener) {
    const text_t op = member(r, "op");
    if (is(op, "reset")) {
        reset();
    } else if (is(op, "release")) {
        gate_open(member(r, "gate"));
    } else if (is(op, "cancel")) {
        posthouse_operation_cancel(find(OPERATION, member(r, "target")));
    } else if (is(op, "unwatch")) {
        posthouse_watch_free(take(WATCH, member(r, "as")));
    } else {
        if (is(op, "open")) {
            open_one(r, listener);
        } else if (is(op, "context_reply")) {
            context_reply(find(CONTEXT, member(r, "context")), r, listener);
        } else if (is(op, "unsubscribe") || is(op, "drain_sub") || is(op, "sub_status")) {
            on_subscription(find(SUBSCRIPTION, member(r, "as")), r, listener);
        } else {
            named(r, listener);
        }
        return;
    }
    ended(listener, NULL);
}
