/// @file
/// A name of a hub: state, events and requests.
#ifndef POSTHOUSE_VARIABLE_HPP
#define POSTHOUSE_VARIABLE_HPP

#include <posthouse.h>
#include <posthouse/message.hpp>
#include <posthouse/options.hpp>
#include <posthouse/request.hpp>
#include <posthouse/state.hpp>
#include <posthouse/subscription.hpp>
#include <posthouse/thunks.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace posthouse {

/// An answer with its headers.
template <class Codec>
struct BasicReply {
    typename Codec::Value data;
    Headers headers;
};

/// Why a collection ended well.
enum class Reason {
    /// The window is over.
    deadline = POSTHOUSE_REASON_DEADLINE,
    /// As many answers as wanted have come.
    maxReplies = POSTHOUSE_REASON_MAX_REPLIES,
};

/// A reason as every language spells it.
inline std::string_view reasonName(Reason reason) noexcept {
    return reason == Reason::deadline ? "deadline" : "maxReplies";
}

/// The answers of a collection, and why it ended.
template <class Codec>
struct BasicManyResult {
    std::vector<BasicReply<Codec>> replies;
    Reason reason;
};

/// A name in the hub's namespace. State methods take the name as it stands; message methods read its dots as
/// levels, and `subscribe` and `handle` also patterns. A value: copies are the same variable. Any thread.
template <class Codec>
class BasicVariable {
public:
    using Value = typename Codec::Value;
    using Given = typename Codec::Given;
    using Context = BasicContext<Codec>;
    using HandleContext = BasicHandleContext<Codec>;
    using Deferred = BasicDeferred<Codec>;
    using Subscription = BasicSubscription<Codec>;
    using Reply = BasicReply<Codec>;
    using ManyResult = BasicManyResult<Codec>;

    BasicVariable(detail::StatePtr state, posthouse_variable_t *variable)
        : state_(std::move(state)), variable_(variable, detail::Free<posthouse_variable_free>()) {}

    [[nodiscard]] std::string name() const { return std::string(detail::view(posthouse_variable_name(handle()))); }

    // State

    /// The value in memory; `nullopt` where there is none, or it is not known.
    [[nodiscard]] std::optional<Value> value() const {
        detail::Buffer json;
        bool exists = false;
        detail::call<posthouse_variable_get>(handle(), &exists, json.place());
        if (!exists) return std::nullopt;
        return Codec::decode(json.view());
    }
    /// The same.
    [[nodiscard]] std::optional<Value> get() const { return value(); }
    /// The value in memory, or what is given. Never waits, never writes.
    [[nodiscard]] Value get(Value fallback) const {
        auto known = value();
        return known ? std::move(*known) : std::move(fallback);
    }
    /// The value as a type of the program's, by way of the JSON library.
    template <class T>
    [[nodiscard]] std::optional<T> get() const {
        auto known = value();
        if (!known) return std::nullopt;
        return Codec::template as<T>(*known);
    }

    /// What is known besides the value.
    [[nodiscard]] Meta meta() const {
        detail::Buffer storage;
        posthouse_meta_t meta{};
        detail::call<posthouse_variable_meta>(handle(), &meta, storage.place());
        return detail::fromC(meta);
    }

    /// Writes the value: into memory at once, to the others as soon as there is a way.
    /// `INVALID_VALUE`, `VALUE_TOO_LARGE`, `MEMORY_FULL`, `DRAINING`, `CLOSED`.
    void set(Given value) const {
        Codec::encode(value, [&](posthouse_str_t json) { detail::call<posthouse_variable_set>(handle(), json); });
    }
    /// Deletes the value, for everybody. `MEMORY_FULL`, `DRAINING`, `CLOSED`.
    void erase() const { detail::call<posthouse_variable_erase>(handle()); }

    /// Waits until the state is known. Without a time-out as long as it takes, which the hub bounds.
    const BasicVariable &ready(std::optional<std::chrono::milliseconds> timeout = {}) const {
        detail::mayBlock(*state_, "ready()");
        auto request = readyAsync(timeout);
        request.get();
        return *this;
    }
    /// The same without waiting.
    Request<void> readyAsync(std::optional<std::chrono::milliseconds> timeout = {}) const {
        return detail::begin<posthouse_variable_ready>(state_, handle(), detail::millis(timeout));
    }

    /// Calls `callback(std::optional<Value>, Meta)` once the state is known and after every change.
    template <class F>
    Watch watch(F callback) const {
        return watchWith([callback = std::move(callback)](const posthouse_view_t &view) mutable {
            callback(detail::valueOf<Codec>(view), detail::fromC(view.meta));
        });
    }
    /// Calls `callback(std::optional<Value>)` at the same times, so perhaps for other metadata alone.
    template <class F>
    Watch watchValue(F callback) const {
        return watchWith([callback = std::move(callback)](const posthouse_view_t &view) mutable {
            callback(detail::valueOf<Codec>(view));
        });
    }

    // Messages

    /// Sends an event to whoever is subscribed now; done when the bounded transport has taken it.
    /// `INVALID_TOPIC`, `INVALID_MESSAGE`, `MESSAGE_TOO_LARGE`, `BUFFER_OVERFLOW`, `DISCONNECTED`, `DRAINING`,
    /// `CLOSED`.
    void publish(Given data, const Headers &headers = {}) const {
        Codec::encode(data, [&](posthouse_str_t body) {
            detail::call<posthouse_variable_publish>(handle(), body, headers.given());
        });
    }
    /// The same with JSON null.
    void publish() const {
        detail::call<posthouse_variable_publish>(handle(), posthouse_str_t{nullptr, 0},
                                                 static_cast<const posthouse_headers_t *>(nullptr));
    }
    /// Short for `publish`.
    void pub(Given data, const Headers &headers = {}) const { publish(data, headers); }
    void pub() const { publish(); }

    /// Receives events and requests, once the broker has taken the subscription. `handler(data)` or
    /// `handler(data, context)`; what it returns is ignored; its context may `reply`.
    /// `INVALID_TOPIC`, `INVALID_OPTIONS`, `BUFFER_OVERFLOW`, `PERMISSION_DENIED`, `TIMEOUT`, `DISCONNECTED`,
    /// `DRAINING`, `CLOSED`, `BLOCKING_IN_HANDLER`.
    template <class F>
    Subscription subscribe(F handler, const SubscriptionOptions &options = {}) const {
        detail::mayBlock(*state_, "subscribe()");
        auto request = subscribeAsync(std::move(handler), options);
        return request.get();
    }
    /// Short for `subscribe`.
    template <class F>
    Subscription sub(F handler, const SubscriptionOptions &options = {}) const {
        return subscribe(std::move(handler), options);
    }
    /// The same without waiting.
    template <class F>
    Request<Subscription> subscribeAsync(F handler, const SubscriptionOptions &options = {}) const {
        return open<posthouse_variable_subscribe>(detail::onMessage<Codec>(state_, std::move(handler)), options);
    }
    /// The same with `handler(data, context, deferred)`: handling ends when `deferred` is completed or gone.
    template <class F>
    Subscription subscribeDeferred(F handler, const SubscriptionOptions &options = {}) const {
        detail::mayBlock(*state_, "subscribeDeferred()");
        auto request = subscribeDeferredAsync(std::move(handler), options);
        return request.get();
    }
    template <class F>
    Request<Subscription> subscribeDeferredAsync(F handler, const SubscriptionOptions &options = {}) const {
        return open<posthouse_variable_subscribe>(detail::onDeferred<Codec>(state_, std::move(handler)), options);
    }

    /// Answers requests with what `handler(data)` or `handler(data, context)` returns; `void` answers JSON
    /// null. What it throws is reported here, and the caller may run into its time-out. As `subscribe`.
    template <class F>
    Subscription handle(F handler, const SubscriptionOptions &options = {}) const {
        detail::mayBlock(*state_, "handle()");
        auto request = handleAsync(std::move(handler), options);
        return request.get();
    }
    /// The same without waiting.
    template <class F>
    Request<Subscription> handleAsync(F handler, const SubscriptionOptions &options = {}) const {
        return open<posthouse_variable_handle>(detail::onRequest<Codec>(state_, std::move(handler)), options);
    }
    /// The same with `handler(data, context, deferred)`: the answer comes through `deferred`, on any thread.
    template <class F>
    Subscription handleDeferred(F handler, const SubscriptionOptions &options = {}) const {
        detail::mayBlock(*state_, "handleDeferred()");
        auto request = handleDeferredAsync(std::move(handler), options);
        return request.get();
    }
    template <class F>
    Request<Subscription> handleDeferredAsync(F handler, const SubscriptionOptions &options = {}) const {
        return open<posthouse_variable_handle>(detail::onDeferred<Codec>(state_, std::move(handler)), options);
    }

    /// Asks for one answer. Nothing is ever sent twice; giving up undoes nothing on the other side.
    /// `NO_RESPONDERS`, `TIMEOUT`, `INVALID_MESSAGE`, `DISCONNECTED`, `CANCELLED`, `BUFFER_OVERFLOW` …
    Request<Value> request(Given data, const RequestOptions &options = {}) const {
        return ask<Value>(data, options, [](const posthouse_result_t *result) {
            return Codec::decode(detail::view(posthouse_result_body(result, 0)));
        });
    }
    /// The same with JSON null.
    Request<Value> request() const { return request(Codec::null()); }
    /// Short for `request`.
    Request<Value> req(Given data, const RequestOptions &options = {}) const { return request(data, options); }
    Request<Value> req() const { return request(); }
    /// The same with the headers of the answer.
    Request<Reply> requestDetails(Given data, const RequestOptions &options = {}) const {
        return ask<Reply>(data, options, [](const posthouse_result_t *result) { return reply(result, 0); });
    }

    /// Asks, and collects answers until the window closes or enough have come. A failure carries the answers
    /// until then: `Error::partialReplies`.
    Request<std::vector<Value>> requestMany(Given data, const RequestManyOptions &options = {}) const {
        return askMany<std::vector<Value>>(data, options, [](const posthouse_result_t *result) {
            std::vector<Value> all;
            for (std::size_t at = 0; at < posthouse_result_count(result); ++at) {
                all.push_back(Codec::decode(detail::view(posthouse_result_body(result, at))));
            }
            return all;
        });
    }
    /// The same with headers, and why it ended.
    Request<ManyResult> requestManyDetails(Given data, const RequestManyOptions &options = {}) const {
        return askMany<ManyResult>(data, options, [](const posthouse_result_t *result) {
            ManyResult all{{}, static_cast<Reason>(posthouse_result_reason(result))};
            for (std::size_t at = 0; at < posthouse_result_count(result); ++at)
                all.replies.push_back(reply(result, at));
            return all;
        });
    }

private:
    [[nodiscard]] const posthouse_variable_t *handle() const noexcept { return variable_.get(); }

    static Reply reply(const posthouse_result_t *result, std::size_t at) {
        return {Codec::decode(detail::view(posthouse_result_body(result, at))),
                Headers::copy(posthouse_result_headers(result, at))};
    }

    template <class F>
    Watch watchWith(F callback) const {
        posthouse_watch_t *watch = nullptr;
        detail::call<posthouse_variable_watch>(handle(), detail::onView(state_, std::move(callback)), &watch);
        return Watch(state_, watch);
    }

    template <auto Function>
    Request<Subscription> open(posthouse_message_closure_t closure, const SubscriptionOptions &options) const {
        const posthouse_subscription_options_t all = detail::toC(options);
        posthouse_subscription_t *subscription = nullptr;
        posthouse_operation_t *operation = nullptr;
        detail::call<Function>(handle(), &all, closure, &subscription, &operation);
        // Shared, because a function object has to be copyable; ended where the registration fails.
        auto opened = std::make_shared<Subscription>(state_, subscription);
        return Request<Subscription>(state_, operation,
                                     [opened](const posthouse_result_t *) { return std::move(*opened); });
    }

    template <class T, class Convert>
    Request<T> ask(Given data, const RequestOptions &options, Convert convert) const {
        const posthouse_request_options_t all = detail::toC(options);
        posthouse_operation_t *operation = nullptr;
        Codec::encode(data, [&](posthouse_str_t body) {
            detail::call<posthouse_variable_request>(handle(), body, &all, &operation);
        });
        return Request<T>(state_, operation, convert);
    }

    template <class T, class Convert>
    Request<T> askMany(Given data, const RequestManyOptions &options, Convert convert) const {
        const posthouse_request_many_options_t all = detail::toC(options);
        posthouse_operation_t *operation = nullptr;
        Codec::encode(data, [&](posthouse_str_t body) {
            detail::call<posthouse_variable_request_many>(handle(), body, &all, &operation);
        });
        return Request<T>(state_, operation, convert);
    }

    detail::StatePtr state_;
    std::shared_ptr<posthouse_variable_t> variable_;
};

} // namespace posthouse

#endif
