/* What the calls of the table are made with. Nothing of it is ever run. */
#include <posthouse.h>

extern posthouse_hub_t *hub;
extern posthouse_variable_t *variable;
extern posthouse_subscription_t *subscription;
extern posthouse_operation_t *operation;
extern posthouse_result_t *result;
extern posthouse_watch_t *watch;
extern const posthouse_message_t *message;
extern posthouse_message_t *kept;
extern posthouse_deferred_t *deferred;
extern posthouse_answer_t *answer;
extern posthouse_headers_t *headers;
extern posthouse_error_t *error;
extern posthouse_error_t *failure;

extern posthouse_hub_options_t hub_options;
extern posthouse_subscription_options_t subscription_options;
extern posthouse_request_options_t request_options;
extern posthouse_request_many_options_t request_many_options;
extern posthouse_host_t host;
extern posthouse_message_closure_t on_message;
extern posthouse_view_closure_t on_view;
extern posthouse_json_closure_t on_json;
extern posthouse_done_closure_t on_done;

extern posthouse_str_t namespace;
extern posthouse_str_t name;
extern posthouse_str_t text;
extern posthouse_str_t data;
extern posthouse_str_t value;
extern posthouse_str_t found_name;
extern posthouse_str_t found_value;
extern posthouse_buf_t json;
extern posthouse_buf_t storage;
extern posthouse_meta_t meta;
extern posthouse_code_t code;
extern int64_t timeout_ms;
extern size_t index;
extern size_t max;
extern bool exists;
extern bool ended;
extern bool more;
