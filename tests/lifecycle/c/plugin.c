// A plugin that uses a hub while it is loaded.
#include <posthouse.h>

#include <stdlib.h>

static void echo(void *context, const posthouse_message_t *message) {
    (void)context;
    posthouse_message_answer(message, posthouse_message_body(message), NULL, NULL);
}

static int use(posthouse_hub_t *hub) {
    posthouse_variable_t *x = NULL;
    posthouse_subscription_t *handler = NULL;
    posthouse_operation_t *operation = NULL;
    posthouse_result_t *result = NULL;
    const posthouse_message_closure_t closure = {NULL, echo, NULL};
    if (posthouse_hub_connected(hub, POSTHOUSE_DEFAULT, &operation, NULL)) return 1;
    if (posthouse_operation_finish(operation, NULL, NULL)) return 1;
    if (posthouse_hub_variable(hub, posthouse_text("x"), &x, NULL)) return 1;
    if (posthouse_variable_handle(x, NULL, closure, &handler, &operation, NULL)) return 1;
    if (posthouse_operation_finish(operation, NULL, NULL)) return 1;
    if (posthouse_variable_request(x, posthouse_text("7"), NULL, &operation, NULL)) return 1;
    if (posthouse_operation_finish(operation, &result, NULL)) return 1;
    const bool answered = posthouse_result_body(result, 0).len == 1 && posthouse_result_body(result, 0).data[0] == '7';
    posthouse_result_free(result);
    posthouse_subscription_free(handler);
    posthouse_variable_free(x);
    return answered ? 0 : 1;
}

int run_plugin(void);
int run_plugin(void) {
    const posthouse_str_t server = posthouse_text(getenv("POSTHOUSE_TEST_URL"));
    posthouse_hub_options_t options = POSTHOUSE_HUB_OPTIONS_INIT;
    options.servers = &server;
    options.servers_count = 1;
    posthouse_hub_t *hub = NULL;
    if (posthouse_hub_open((posthouse_str_t){NULL, 0}, &options, NULL, &hub, NULL)) return 1;
    const int failed = use(hub);
    posthouse_hub_free(hub);
    // The plugin's code goes; the library's threads must not be left in it.
    posthouse_shutdown();
    return failed;
}
