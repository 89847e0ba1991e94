// What handlers do with a message. Each message is deferred, so that a gate or a request of its own holds up no thread.
#include "agent.h"

#include <stdio.h>
#include <stdlib.h>

/// What a closure keeps of the request that made it.
struct handling {
    char *request;
    bool answers;
};

struct task {
    char *request; ///< Its own: the subscription may end before it.
    struct each actions;
    posthouse_message_t *message;
    posthouse_deferred_t *deferred;
    posthouse_headers_t *headers;
    text_t result;
    bool answers;
};

static text_t whole(const char *text) { return posthouse_text(text); }

static void task_end(struct task *task) {
    posthouse_headers_free(task->headers);
    posthouse_deferred_free(task->deferred);
    posthouse_message_free(task->message);
    free(task->request);
    free(task);
}

/// The handler has failed: with the library's error, which is freed, or for a reason of its own.
static void task_fail(struct task *task, posthouse_error_t *error, text_t reason) {
    posthouse_deferred_fail(task->deferred, error == NULL ? reason : posthouse_error_message(error));
    posthouse_error_free(error);
    task_end(task);
}

static void put_member(const char *name, text_t text, const char *suffix) {
    put_text(name);
    size_t length = 0;
    char *plain = unquoted(text, &length);
    char *full = malloc(length + 16);
    if (full == NULL) abort();
    const int written = snprintf(full, length + 16, "%s%s", plain == NULL ? "" : plain, suffix);
    put_quoted((text_t){full, (size_t)written});
    free(full);
    free(plain);
}

void task_begin_call(const struct task *task) {
    put_text("{\"event\":\"call\"");
    put_member(",\"stream\":", member(whole(task->request), "as"), ".calls");
    put_text(",");
}

static void reply(struct task *task, text_t action, text_t value) {
    posthouse_error_t *error = NULL;
    posthouse_headers_t *headers = headers_of(member(action, "headers"), &error);
    if (error == NULL) posthouse_message_reply(task->message, value, headers, &error);
    posthouse_headers_free(headers);
    line_begin();
    task_begin_call(task);
    if (error != NULL) put_error(error);
    if (error == NULL) put_text("\"ok\":null");
    put_text("}");
    line_end();
}

void task_go_on(struct task *task) {
    posthouse_error_t *error = NULL;
    while (next(&task->actions)) {
        const text_t action = task->actions.value;
        struct each first = each(action);
        if (!next(&first)) continue;
        const text_t answer = member(action, "reply");
        const text_t value = first.value;
        if (answer.data != NULL) {
            reply(task, action, answer);
        } else if (is(first.name, "echo")) {
            task->result = posthouse_message_body(task->message);
        } else if (is(first.name, "return")) {
            task->result = value;
        } else if (is(first.name, "wait")) {
            if (gate_wait(value, task)) return;
        } else if (is(first.name, "reply_headers")) {
            posthouse_headers_free(task->headers);
            task->headers = headers_of(value, &error);
            if (error != NULL) {
                task_fail(task, error, value);
                return;
            }
        } else if (is(first.name, "keep")) {
            store(CONTEXT, value, posthouse_message_clone(task->message));
        } else if (is(first.name, "call")) {
            run(value, (struct listener){NULL, task});
            return;
        } else {
            task_fail(task, NULL, value);
            return;
        }
    }
    line_begin();
    put_text("{\"event\":\"done\"");
    put_member(",\"stream\":", member(whole(task->request), "as"), ".done");
    put_text("}");
    line_end();
    const text_t nothing = {NULL, 0};
    posthouse_deferred_complete(task->deferred, task->answers ? task->result : nothing,
                                task->answers ? task->headers : NULL, &error);
    if (error != NULL) {
        task_fail(task, error, nothing);
    } else {
        task_end(task);
    }
}

static void put_looked(const posthouse_headers_t *headers, text_t wanted) {
    put_text(",\"got\":{");
    bool first = true;
    for (struct each one = each(wanted); next(&one); first = false) {
        size_t length = 0;
        char *plain = unquoted(one.value, &length);
        const text_t name = {plain, length};
        if (!first) put_text(",");
        put_raw(one.value);
        put_text(":{\"get\":");
        text_t value = posthouse_headers_get(headers, name, 0);
        if (value.data == NULL) put_text("null");
        if (value.data != NULL) put_quoted(value);
        put_text(",\"all\":[");
        for (size_t at = 0; (value = posthouse_headers_get(headers, name, at)).data != NULL; ++at) {
            if (at > 0) put_text(",");
            put_quoted(value);
        }
        put_text("]}");
        free(plain);
    }
    put_text("}");
}

static void received(void *context, const posthouse_message_t *message) {
    const struct handling *handling = context;
    struct task *task = calloc(1, sizeof *task);
    if (task == NULL) abort();
    task->request = copy(whole(handling->request));
    task->answers = handling->answers;
    task->actions = each(member(whole(task->request), "do"));
    task->message = posthouse_message_clone(message);
    const posthouse_headers_t *headers = posthouse_message_headers(message);
    line_begin();
    put_text("{\"event\":\"message\",\"stream\":");
    put_raw(member(whole(task->request), "as"));
    put_text(",\"data\":");
    put_raw(posthouse_message_body(message));
    put_text(",\"topic\":");
    put_quoted(posthouse_message_topic(message));
    put_text(",\"headers\":");
    put_headers(headers);
    put_looked(headers, member(whole(task->request), "look"));
    put_text("}");
    line_end();
    posthouse_error_t *error = NULL;
    if (posthouse_message_defer(message, &task->deferred, &error) != POSTHOUSE_OK) {
        posthouse_message_fail(message, posthouse_error_message(error));
        posthouse_error_free(error);
        task_end(task);
        return;
    }
    task_go_on(task);
}

static void dropped(void *context) {
    struct handling *handling = context;
    free(handling->request);
    free(handling);
}

posthouse_message_closure_t handler(text_t request, bool answers) {
    struct handling *handling = malloc(sizeof *handling);
    if (handling == NULL) abort();
    *handling = (struct handling){copy(request), answers};
    return (posthouse_message_closure_t){handling, received, dropped};
}
