/// @file
/// What the calls of the table are made with. Nothing of it is ever run.
#include <posthouse/json.hpp>
#include <posthouse/text.hpp>

#include <utility>

using namespace posthouse;

/// A type of the program's.
struct Lamp {
    bool on;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Lamp, on)

/// Callbacks and handlers, by what they are called with.
struct OnJson {
    void operator()(const Json &json) const;
};
struct OnState {
    void operator()(const std::optional<Json> &value, const Meta &meta) const;
};
struct OnValue {
    void operator()(const std::optional<Json> &value) const;
};
struct OnMessage {
    void operator()(const Json &data, const Context &context) const;
};
struct OnLamp {
    void operator()(Lamp lamp) const;
};
struct OnRequest {
    Json operator()(const Json &data, HandleContext &context) const;
};
struct OnDeferred {
    void operator()(const Json &data, const Context &context, Deferred deferred) const;
};
struct OnOutcome {
    void operator()(Outcome<Json> outcome) const;
};

extern Hub hub;
extern Variable variable;
extern Subscription subscription;
extern Watch watch;
extern Context context;
extern HandleContext handleContext;
extern Deferred deferred;
extern Request<Json> request;
extern Outcome<Json> outcome;
extern Reply reply;
extern ManyResult many;
extern Headers headers;
extern const posthouse_headers_t *cHeaders;
extern const Error &error;
extern HubOptions hubOptions;
extern SubscriptionOptions subscriptionOptions;
extern RequestOptions requestOptions;
extern RequestManyOptions requestManyOptions;
extern Json data;
extern Json value;
extern Json fallback;
extern Lamp lamp;
extern std::chrono::milliseconds timeout;
extern std::string_view namespaceName;
extern std::string_view name;
extern std::string_view what;
extern std::size_t max;
extern Reason reason;
extern ErrorCode code;
extern OnJson callback;
extern OnState onState;
extern OnValue onValue;
extern OnMessage handler;
extern OnLamp onLamp;
extern OnRequest answering;
extern OnDeferred deferring;
extern OnOutcome onOutcome;
