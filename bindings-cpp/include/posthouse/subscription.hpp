/// @file
/// Live subscriptions and watches: ended by their destructors.
#ifndef POSTHOUSE_SUBSCRIPTION_HPP
#define POSTHOUSE_SUBSCRIPTION_HPP

#include <posthouse.h>
#include <posthouse/request.hpp>
#include <posthouse/state.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace posthouse {

/// A live subscription or handler. Its destructor ends it: outside callbacks of the hub, its handler does not
/// run any more then.
template <class Codec>
class [[nodiscard]] BasicSubscription {
public:
    BasicSubscription() = default;
    BasicSubscription(detail::StatePtr state, posthouse_subscription_t *subscription)
        : state_(std::move(state)), subscription_(subscription) {}

    /// Stops delivery and discards what waits. Outside callbacks of the hub waits for a handler that runs.
    void unsubscribe() {
        if (subscription_) detail::call<posthouse_subscription_unsubscribe>(handle());
    }

    /// Stops delivery and finishes what was accepted. `DRAIN_TIMEOUT`; `DRAIN_IN_HANDLER` in its own handler,
    /// `BLOCKING_IN_HANDLER` in another callback of the hub.
    void drain(std::optional<std::chrono::milliseconds> timeout = {}) {
        auto request = drainAsync(timeout);
        request.get();
    }
    /// The same without waiting.
    Request<void> drainAsync(std::optional<std::chrono::milliseconds> timeout = {}) {
        return detail::begin<posthouse_subscription_drain>(state_, handle(), detail::millis(timeout));
    }

    /// Queued and running messages, limits, drops and high-water marks.
    [[nodiscard]] typename Codec::Value status() const {
        detail::Buffer json;
        detail::call<posthouse_subscription_status>(handle(), json.place());
        return Codec::decode(json.view());
    }

    /// Whether there is one: a subscription that was moved from is none.
    explicit operator bool() const noexcept { return subscription_ != nullptr; }

private:
    [[nodiscard]] const posthouse_subscription_t *handle() const noexcept { return subscription_.get(); }

    detail::StatePtr state_;
    std::unique_ptr<posthouse_subscription_t, detail::Free<posthouse_subscription_free>> subscription_;
};

/// A live watch. Its destructor ends it: outside callbacks of the hub, its callback does not run any more then.
class [[nodiscard]] Watch {
public:
    Watch() = default;
    Watch(detail::StatePtr state, posthouse_watch_t *watch) : state_(std::move(state)), watch_(watch) {}

    /// Ends it.
    void stop() noexcept { watch_.reset(); }

private:
    detail::StatePtr state_;
    std::unique_ptr<posthouse_watch_t, detail::Free<posthouse_watch_free>> watch_;
};

} // namespace posthouse

#endif
