// What each request does.
#include "agent.hpp"

#include <chrono>
#include <functional>

using posthouse::Headers;
using posthouse::Hub;
using posthouse::Outcome;
using posthouse::Request;
using posthouse::Variable;
using Millis = std::optional<std::chrono::milliseconds>;

namespace {

/// Awaits something that another request may cancel meanwhile.
template <class T>
auto ended(std::shared_ptr<Request<T>> request) {
    struct Awaiter {
        std::shared_ptr<Request<T>> request;
        std::optional<Outcome<T>> outcome;
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> waiting) {
            request->then([this, waiting](Outcome<T> result) {
                outcome = std::move(result);
                waiting.resume();
            });
        }
        T await_resume() { return outcome->get(); }
    };
    return Awaiter{std::move(request), std::nullopt};
}

template <class T>
std::shared_ptr<Request<T>> labelled(Agent &agent, const Json &r, Request<T> request) {
    auto shared = std::make_shared<Request<T>>(std::move(request));
    if (r.contains("label")) {
        auto cancel = std::make_shared<std::pair<std::mutex, std::function<void()>>>();
        cancel->second = [shared] { shared->cancel(); };
        agent.cancels.put(r["label"], std::move(cancel));
    }
    return shared;
}

Json dataOf(const Json &r) {
    const std::string special = r.value("special", "");
    if (special == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (special == "surrogate") return "\xed\xa0\x80";
    if (!special.empty()) return std::numeric_limits<double>::infinity();
    return r.value("data", Json());
}

Json valueOf(const std::optional<Json> &value) { return value ? Json{{"value", *value}} : Json::object(); }

Json metaOf(const posthouse::Meta &meta) {
    Json version = nullptr;
    if (meta.version) version = {{"counter", meta.version->counter}, {"writer", meta.version->writer}};
    return {{"initialized", meta.initialized},
            {"exists", meta.exists ? Json(*meta.exists) : Json()},
            {"version", version},
            {"pending", meta.pending},
            {"connected", meta.connected}};
}

Json replyOf(const posthouse::Reply &reply) { return {{"data", reply.data}, {"headers", pairs(reply.headers)}}; }

template <class Options>
Options optionsOf(const Json &r, const Millis &timeout) {
    Options options{.timeout = timeout, .headers = headersOf(r.value("headers", Json()))};
    if constexpr (requires { options.maxReplies; }) {
        if (r.contains("max_replies")) options.maxReplies = r["max_replies"];
        if (r.contains("max_bytes")) options.maxBytes = r["max_bytes"];
    }
    return options;
}

Task onHub(Agent &agent, Hub &hub, const Json &r, Millis timeout) {
    const std::string op = r["op"];
    if (op == "connected") {
        co_await hub.connectedAsync(timeout);
    } else if (op == "ready") {
        co_await hub.readyAsync(timeout);
    } else if (op == "flush") {
        co_await hub.flushAsync(timeout);
    } else if (op == "drain") {
        co_await hub.drainAsync(timeout);
    } else if (op == "close") {
        hub.close();
    } else if (op == "status") {
        co_return hub.status();
    } else if (op == "instances") {
        co_return hub.instances().list();
    } else if (op == "namespace") {
        co_return hub.namespaceName();
    } else if (op == "instance_id") {
        co_return hub.instanceId();
    } else if (op == "watch_hub") {
        auto watch = hub.watch([r](const Json &status) {
            tell({{"event", "status"}, {"stream", r["as"]}, {"status", status}});
            if (r.contains("raise")) throw std::runtime_error(r["raise"].get<std::string>());
        });
        agent.watches.put(r["as"], std::make_shared<posthouse::Watch>(std::move(watch)));
    }
    co_return nullptr;
}

void watch(Agent &agent, const Variable &var, const Json &r) {
    const auto show = [r](const std::optional<Json> &value, const Json &more) {
        Json event = valueOf(value);
        event.update({{"event", "watch"}, {"stream", r["as"]}});
        event.update(more);
        tell(event);
        if (r.contains("raise")) throw std::runtime_error(r["raise"].get<std::string>());
    };
    auto watch = r["op"] == "watch" ? var.watch([show](const auto &value, const auto &meta) {
        show(value, {{"meta", metaOf(meta)}});
    })
                                    : var.watchValue([show](const auto &value) { show(value, Json::object()); });
    agent.watches.put(r["as"], std::make_shared<posthouse::Watch>(std::move(watch)));
}

Task subscribe(Agent &agent, Variable var, Json r) {
    posthouse::SubscriptionOptions options;
    if (r.contains("queue")) options.queue = r["queue"];
    if (r.contains("pending_messages")) options.pendingMessages = r["pending_messages"];
    if (r.contains("pending_bytes")) options.pendingBytes = r["pending_bytes"];
    const bool answers = r["op"] == "handle";
    const auto handler = [&agent, r, answers](Json data, posthouse::Context context, posthouse::Deferred deferred) {
        act(agent, r, std::move(data), std::move(context), std::move(deferred), answers);
    };
    auto request = answers ? var.handleDeferredAsync(handler, options) : var.subscribeDeferredAsync(handler, options);
    auto subscription = co_await std::move(request);
    agent.subscriptions.put(r["as"], std::make_shared<posthouse::Subscription>(std::move(subscription)));
    co_return nullptr;
}

Task onVariable(Agent &agent, Variable var, const Json &r, Millis timeout) {
    const std::string op = r["op"];
    if (op == "set") {
        var.set(dataOf(r));
    } else if (op == "delete") {
        var.erase();
    } else if (op == "var_ready") {
        co_await var.readyAsync(timeout);
    } else if (op == "value" || (op == "get" && !r.contains("fallback"))) {
        co_return valueOf(op == "get" ? var.get() : var.value());
    } else if (op == "get") {
        co_return Json{{"value", var.get(r["fallback"])}};
    } else if (op == "meta") {
        co_return metaOf(var.meta());
    } else if (op == "watch" || op == "watch_value") {
        watch(agent, var, r);
    } else if (op == "pub" || op == "publish") {
        const auto headers = headersOf(r.value("headers", Json()));
        op == "pub" ? var.pub(dataOf(r), headers) : var.publish(dataOf(r), headers);
    } else if (op == "sub" || op == "subscribe" || op == "handle") {
        co_return co_await subscribe(agent, var, r);
    } else if (op == "request_many") {
        const auto options = optionsOf<posthouse::RequestManyOptions>(r, timeout);
        if (!r.value("details", false)) {
            auto request = labelled(agent, r, var.requestMany(dataOf(r), options));
            co_return Json(co_await ended(request));
        }
        auto request = labelled(agent, r, var.requestManyDetails(dataOf(r), options));
        const auto result = co_await ended(request);
        Json replies = Json::array();
        for (const auto &reply : result.replies) replies.push_back(replyOf(reply));
        co_return Json{{"replies", replies}, {"reason", posthouse::reasonName(result.reason)}};
    } else {
        const auto options = optionsOf<posthouse::RequestOptions>(r, timeout);
        if (r.value("details", false)) {
            auto request = labelled(agent, r, var.requestDetails(dataOf(r), options));
            co_return replyOf(co_await ended(request));
        }
        auto request = labelled(agent, r, op == "req" ? var.req(dataOf(r), options) : var.request(dataOf(r), options));
        co_return co_await ended(request);
    }
    co_return nullptr;
}

void reset(Agent &agent) {
    for (const auto &[_, gate] : agent.gates.take()) gate->open();
    for (const auto &[_, hub] : agent.hubs.take()) hub->close();
    agent.subscriptions.take();
    agent.watches.take();
    agent.contexts.take();
    agent.cancels.take();
}

} // namespace

Task run(Agent &agent, Json r) {
    const std::string op = r["op"];
    const std::string stream = r.value("as", "");
    Millis timeout;
    if (r.contains("timeout")) timeout = std::chrono::milliseconds(r["timeout"].get<std::int64_t>());
    if (op == "reset") {
        reset(agent);
    } else if (op == "open") {
        agent.hubs.put(r["hub"], openHub(r));
    } else if (op == "release") {
        agent.gates.getOrMake(r["gate"])->open();
    } else if (op == "cancel") {
        agent.cancels.get(r["target"])->second();
    } else if (op == "context_reply") {
        agent.contexts.get(r["context"])->reply(r["data"], headersOf(r.value("headers", Json())));
    } else if (op == "unwatch") {
        agent.watches.get(stream)->stop();
    } else if (op == "unsubscribe") {
        agent.subscriptions.get(stream)->unsubscribe();
    } else if (op == "drain_sub") {
        co_await agent.subscriptions.get(stream)->drainAsync(timeout);
    } else if (op == "sub_status") {
        co_return agent.subscriptions.get(stream)->status();
    } else {
        const auto hub = agent.hubs.get(r["hub"]);
        if (!r.contains("var")) co_return co_await onHub(agent, *hub, r, timeout);
        co_return co_await onVariable(agent, hub->var(r["var"].get<std::string>()), r, timeout);
    }
    co_return nullptr;
}

Detached act(Agent &agent, Json r, Json data, posthouse::Context context, posthouse::Deferred deferred, bool answers) {
    const std::string stream = r["as"];
    Json event{{"event", "message"},
               {"stream", stream},
               {"data", data},
               {"topic", context.topic()},
               {"headers", pairs(context.headers())}};
    for (const std::string name : r.value("look", Json::array())) {
        const auto first = context.headers().get(name);
        event["got"][name] = {{"get", first ? Json(*first) : Json()}, {"all", context.headers().getAll(name)}};
    }
    tell(event);
    try {
        Json result;
        Headers headers;
        for (const Json &action : r.value("do", Json::array())) {
            const std::string verb = action.contains("reply") ? "reply" : action.begin().key();
            const Json value = action[verb];
            if (verb == "echo") {
                result = data;
            } else if (verb == "return") {
                result = value;
            } else if (verb == "wait") {
                const auto gate = agent.gates.getOrMake(value);
                co_await gate->wait();
            } else if (verb == "reply_headers") {
                headers = headersOf(value);
            } else if (verb == "keep") {
                agent.contexts.put(value, std::make_shared<posthouse::Context>(context));
            } else if (verb == "reply" || verb == "call") {
                Json line{{"event", "call"}, {"stream", stream + ".calls"}};
                try {
                    if (verb == "call") {
                        line["ok"] = co_await run(agent, value);
                    } else {
                        context.reply(value, headersOf(action.value("headers", Json())));
                        line["ok"] = nullptr;
                    }
                } catch (...) {
                    line["error"] = failure();
                }
                tell(line);
            } else {
                throw std::runtime_error(value.dump());
            }
        }
        tell({{"event", "done"}, {"stream", stream + ".done"}});
        answers ? deferred.complete(result, headers) : deferred.complete();
    } catch (const std::exception &error) {
        deferred.fail(error.what());
    }
}
