// What the parts of the C agent share. JSON stays text: a request is its line, and what is picked from it a piece of
// that line, so that data goes on as it came.
#ifndef AGENT_H
#define AGENT_H

#include <posthouse.h>

/// A piece of JSON, or of anything; NULL where there is none.
typedef posthouse_str_t text_t;

/// Goes through the members of an object or the items of an array.
struct each {
    const char *at;
    const char *end;
    text_t name; ///< Of the member, without quotes; NULL in an array.
    text_t value;
};
struct each each(text_t container);
bool next(struct each *each);
/// The value of a member, or NULL.
text_t member(text_t object, const char *name);
/// Whether it is this text, in quotes or not.
bool is(text_t text, const char *wanted);
int64_t number(text_t json, int64_t otherwise);
/// The text that a JSON string stands for, to be freed; NULL for NULL.
char *unquoted(text_t json, size_t *length);
/// A copy that ends with a zero, to be freed.
char *copy(text_t text);

/// Writing one line of output: from `line_begin` to `line_end` no other thread writes.
void line_begin(void);
void line_end(void);
void put_text(const char *text);
void put_raw(text_t text);
void put_quoted(text_t text);
void put_headers(const posthouse_headers_t *headers);
void put_meta(const posthouse_meta_t *meta);
/// Frees the error.
void put_error(posthouse_error_t *error);

/// What requests leave behind for later ones, by name.
enum kind { HUB, SUBSCRIPTION, WATCH, CONTEXT, OPERATION, GATE };
void store(enum kind kind, text_t name, void *thing);
/// The newest of that name, or NULL.
void *find(enum kind kind, text_t name);
/// The same, out of the store.
void *take(enum kind kind, text_t name);
/// Opens every gate, closes every hub and forgets everything.
void reset(void);

/// One message being handled: goes through its actions, and waits between them without a thread.
struct task;
/// Goes on with the next action.
void task_go_on(struct task *task);
void gate_open(text_t name);
/// Whether the task has to wait; if so it goes on when the gate is opened.
bool gate_wait(text_t name, struct task *task);

/// Who hears of a request's end: an answer to the line `id`, or an event of the task, which then goes on.
struct listener {
    char *id;
    struct task *task;
};
/// Begins the line that tells of an end; `listener_told` ends it.
void listener_tell(const struct listener *listener);
void listener_told(struct listener *listener);
/// The beginning of the events of the task's own requests.
void task_begin_call(const struct task *task);

/// Does one request.
void run(text_t request, struct listener listener);
/// A handler's work: `handle`, or a subscription.
posthouse_message_closure_t handler(text_t request, bool answers);
/// Headers from an object, to be freed; NULL where none are given or `*error` says what is wrong.
posthouse_headers_t *headers_of(text_t given, posthouse_error_t **error);
posthouse_code_t open_hub(text_t request, posthouse_hub_t **hub, posthouse_error_t **error);

#endif
