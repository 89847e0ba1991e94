// What the C tests share: a plain runner, hubs of a namespace of their own on the broker that
// `bindings-cpp/tests/run` has started, and contexts of closures that count.
#ifndef TEST_H
#define TEST_H

#include <posthouse.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Defines a test and has it run.
#define TEST(name)                                                                                                     \
    static void name(void);                                                                                            \
    __attribute__((constructor)) static void add_##name(void) { test_add(#name, name); }                               \
    static void name(void)

/// Notes a failure and goes on.
#define CHECK(holds) check((holds), #holds, __FILE__, __LINE__)
/// The same for a call that has to end with this code.
#define CODE(call, wanted) check_code((call), (wanted), #call, __FILE__, __LINE__)
/// For what has to work.
#define OK(call) CODE(call, POSTHOUSE_OK)

void test_add(const char *name, void (*test)(void));
void check(bool holds, const char *what, const char *file, int line);
void check_code(posthouse_code_t code, posthouse_code_t wanted, const char *what, const char *file, int line);

/// The borrowed text of a literal.
posthouse_str_t t(const char *text);
bool same(posthouse_str_t text, const char *wanted);
/// Whether it holds the part.
bool has(posthouse_str_t text, const char *part);
/// The error's message has the part; frees the error.
bool says(posthouse_error_t *error, const char *part);

/// A name that no other test has. Static until the next call.
const char *fresh(void);
/// Options that name the test's broker.
posthouse_hub_options_t here(void);
/// A connected hub of a namespace of its own.
posthouse_hub_t *open_hub(const posthouse_host_t *host);
posthouse_variable_t *variable(const posthouse_hub_t *hub, const char *name);
/// Subscribes or handles, and waits until the broker knows.
posthouse_subscription_t *subscribed(const posthouse_variable_t *variable, bool answers,
                                     posthouse_message_closure_t closure);
/// Asks and waits; the code of the request's end.
posthouse_code_t ask(const posthouse_variable_t *variable, const char *body, int64_t timeout_ms,
                     posthouse_result_t **result);
/// Waits for the end of what was begun.
posthouse_code_t finish(posthouse_operation_t *operation);
/// The hub's broker has seen everything that was sent before.
void flush(const posthouse_hub_t *hub);

/// What a closure of a test counts. Its members are used under a lock that tools see; the library's own they do not.
struct counts {
    int calls;
    int drops;
    char last[256];                   ///< What the last call heard.
    void (*act)(struct counts *self); ///< Called by each call, without the lock.
    void *with;                       ///< For `act`.
};
struct counts *counts(void (*act)(struct counts *self), void *with);
int calls(struct counts *counts);
int drops(struct counts *counts);
/// Waits, half a minute at most, until there were so many calls.
bool called(struct counts *counts, int times);
bool dropped(struct counts *counts, int times);
/// Waits until nobody uses it any more and frees it.
void counts_end(struct counts *counts);

/// What a thread did before is known to whoever calls this later.
void meet(void);

void heard(struct counts *counts, posthouse_str_t what);
void count_drop(void *context);
posthouse_message_closure_t on_message(struct counts *counts);
posthouse_view_closure_t on_view(struct counts *counts);
posthouse_json_closure_t on_json(struct counts *counts);
posthouse_done_closure_t on_done(struct counts *counts);
posthouse_log_closure_t on_log(struct counts *counts);

#endif
