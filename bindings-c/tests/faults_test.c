// A panic in the core becomes an error, and ends at most the hub it was in. Needs the library with hooks.
#include "test.h"

#include <dlfcn.h>
#include <sched.h>

TEST(a_fault_of_the_library_becomes_an_error) {
    typedef posthouse_code_t fail_t(const posthouse_hub_t *, uint32_t, posthouse_error_t **);
    fail_t *fail = NULL;
    // What POSIX says to do with a function's address.
    *(void **)&fail = dlsym(RTLD_DEFAULT, "posthouse_test_fail");
    if (fail == NULL) return;
    enum { HERE, IN_AN_OPERATION, ON_THE_IO_THREAD, PLACES };
    for (uint32_t place = 0; place < PLACES; ++place) {
        posthouse_hub_t *sound = open_hub(NULL), *hub = open_hub(NULL);
        posthouse_variable_t *x = variable(hub, "x"), *unanswered = variable(hub, "unanswered");
        struct counts *got = counts(NULL, NULL), *silent = counts(NULL, NULL), *done = counts(NULL, NULL);
        posthouse_subscription_t *sub = subscribed(x, false, on_message(got));
        posthouse_subscription_t *listener = subscribed(unanswered, false, on_message(silent));
        posthouse_operation_t *operation = NULL;
        OK(posthouse_variable_request(unanswered, t("1"), NULL, &operation, NULL));
        OK(posthouse_operation_then(operation, on_done(done), NULL));
        posthouse_operation_free(operation);
        posthouse_error_t *error = NULL;
        const posthouse_code_t code = fail(hub, place, &error);
        if (place == ON_THE_IO_THREAD) {
            posthouse_error_free(error);
        } else {
            CHECK(code == POSTHOUSE_INTERNAL);
            CHECK(says(error, "told to fail"));
        }
        if (place == HERE) {
            // Nothing was under way: the hub is as good as before.
            OK(posthouse_variable_publish(x, t("1"), NULL, NULL));
            CHECK(called(got, 1));
            CHECK(posthouse_hub_state(hub) == POSTHOUSE_STATE_CONNECTED);
        } else {
            // Whoever waits is told; from then on the hub says why it does nothing.
            CHECK(called(done, 1));
            CHECK(strcmp(done->last, "CLOSED") == 0);
            posthouse_buf_t json = {NULL, 0, 0};
            while (posthouse_hub_status(hub, &json, NULL) == POSTHOUSE_OK) {
                posthouse_buf_free(&json);
                sched_yield();
            }
            CODE(posthouse_variable_publish(x, t("1"), NULL, &error), POSTHOUSE_INTERNAL);
            CHECK(says(error, "hub"));
            CHECK(posthouse_hub_state(hub) == POSTHOUSE_STATE_CLOSED);
        }
        // Others have noticed nothing.
        flush(sound);
        posthouse_subscription_free(sub);
        posthouse_subscription_free(listener);
        posthouse_variable_free(x);
        posthouse_variable_free(unanswered);
        posthouse_hub_free(hub);
        posthouse_hub_free(sound);
        counts_end(got);
        counts_end(silent);
        counts_end(done);
    }
}
