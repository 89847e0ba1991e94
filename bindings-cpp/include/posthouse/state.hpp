/// @file
/// What everything of one hub shares, and how the program's functions cross the C boundary.
#ifndef POSTHOUSE_STATE_HPP
#define POSTHOUSE_STATE_HPP

#include <posthouse.h>
#include <posthouse/error.hpp>
#include <posthouse/options.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace posthouse::detail {

/// The hub's handle, kept by its variables, subscriptions and watches; the hub itself ends it before.
struct State {
    State() = default;
    State(const State &) = delete;
    State &operator=(const State &) = delete;
    ~State() {
        const Into into;
        posthouse_hub_free(hub.load());
    }

    std::atomic<posthouse_hub_t *> hub{nullptr};
    std::function<void(std::string_view what, std::exception_ptr error)> onCallbackError;

    /// Tells the program of the exception that is being handled; the hub was told before.
    void heard(std::string_view what) const noexcept {
        if (!onCallbackError) return;
        try {
            onCallbackError(what, std::current_exception());
        } catch (...) {
            // Whoever hears of exceptions must not throw any; there is nobody left to tell.
        }
    }

    /// Reports the exception that is being handled.
    void report(std::string_view what) const noexcept {
        posthouse_hub_callback_failed(hub.load(), toC(what), toC(currentMessage()));
        heard(what);
    }

    /// Runs callbacks that wait, for hubs with an executor.
    void process() const noexcept {
        const Into into;
        // Refused only inside a callback of the hub, and then what waits is announced again.
        if (auto *open = hub.load()) posthouse_hub_process(open, 256, nullptr, nullptr);
    }
};

using StatePtr = std::shared_ptr<State>;

/// Frees the context of a closure.
template <class Context>
void drop(void *context) noexcept {
    const OutOf outOf;
    delete static_cast<Context *>(context);
}

/// `BLOCKING_IN_HANDLER` before anything is begun that would be waited for.
inline void mayBlock(const State &state, std::string_view what) {
    call<posthouse_hub_may_block>(static_cast<const posthouse_hub_t *>(state.hub.load()), toC(what));
}

/// JSON that the library has made and the program reads.
class Buffer {
public:
    Buffer() = default;
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { posthouse_buf_free(&buffer_); }

    posthouse_buf_t *place() noexcept { return &buffer_; }
    [[nodiscard]] std::string_view view() const noexcept {
        return buffer_.data == nullptr ? std::string_view() : std::string_view(buffer_.data, buffer_.len);
    }

private:
    posthouse_buf_t buffer_{nullptr, 0, 0};
};

} // namespace posthouse::detail

#endif
