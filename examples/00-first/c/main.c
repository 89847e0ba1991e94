// The first program in C: state and a request by one name, with nothing else installed.
#include <posthouse.h>

#include <stdio.h>

static posthouse_error_t *error;

static int failed(void) {
    const posthouse_str_t message = posthouse_error_message(error);
    fprintf(stderr, "%.*s\n", (int)message.len, message.data);
    posthouse_error_free(error);
    return 1;
}

// Answers {"done": wish}. Runs on a thread of the library; the message is borrowed for the call.
static void answer(void *context, const posthouse_message_t *message) {
    (void)context;
    const posthouse_str_t wish = posthouse_message_body(message);
    char text[256];
    snprintf(text, sizeof text, "{\"done\":%.*s}", (int)wish.len, wish.data);
    posthouse_message_answer(message, posthouse_text(text), NULL, NULL);
}

int main(void) {
    posthouse_hub_t *hub = NULL;
    posthouse_variable_t *lamp = NULL;
    posthouse_subscription_t *handler = NULL;
    posthouse_operation_t *operation = NULL;
    posthouse_result_t *result = NULL;
    if (posthouse_hub_open(posthouse_text("workshop"), NULL, NULL, &hub, &error)) return failed();
    if (posthouse_hub_connected(hub, POSTHOUSE_DEFAULT, &operation, &error)) return failed();
    if (posthouse_operation_finish(operation, NULL, &error)) return failed();

    if (posthouse_hub_variable(hub, posthouse_text("lamp"), &lamp, &error)) return failed();
    if (posthouse_variable_set(lamp, posthouse_text("{\"on\":true}"), &error)) return failed();
    const posthouse_message_closure_t closure = {NULL, answer, NULL};
    if (posthouse_variable_handle(lamp, NULL, closure, &handler, &operation, &error)) return failed();
    if (posthouse_operation_finish(operation, NULL, &error)) return failed();

    if (posthouse_variable_request(lamp, posthouse_text("{\"on\":false}"), NULL, &operation, &error)) return failed();
    if (posthouse_operation_finish(operation, &result, &error)) return failed();
    const posthouse_str_t answered = posthouse_result_body(result, 0);
    printf("%.*s\n", (int)answered.len, answered.data);

    posthouse_result_free(result);
    posthouse_subscription_free(handler);
    posthouse_variable_free(lamp);
    posthouse_hub_free(hub);
    return 0;
}
