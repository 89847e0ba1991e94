/// @file
/// Something that was begun and has an end: to wait for, to be told of, or to await in a coroutine.
#ifndef POSTHOUSE_REQUEST_HPP
#define POSTHOUSE_REQUEST_HPP

#include <posthouse.h>
#include <posthouse/state.hpp>

#include <coroutine>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace posthouse {
namespace detail {

using ResultPtr = std::unique_ptr<posthouse_result_t, Free<posthouse_result_free>>;
using OperationPtr = std::unique_ptr<posthouse_operation_t, Free<posthouse_operation_free>>;

} // namespace detail

/// How something ended: what it gave, or what went wrong.
template <class T>
class Outcome {
public:
    using Stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

    explicit Outcome(std::exception_ptr error) : error_(std::move(error)) {}
    explicit Outcome(Stored value) : value_(std::move(value)) {}

    /// What it gave; throws what went wrong. Once.
    T get() {
        if (error_) std::rethrow_exception(error_);
        if constexpr (!std::is_void_v<T>) return std::move(*value_);
    }
    /// What went wrong, if anything did.
    [[nodiscard]] std::exception_ptr error() const noexcept { return error_; }

private:
    std::optional<Stored> value_;
    std::exception_ptr error_;
};

/// Something begun: its end comes out once, by `get`, `then`, `future` or `co_await`. Destroyed before any of
/// these, it is given up; what was sent is not undone.
template <class T>
class [[nodiscard]] Request {
public:
    using Convert = std::function<T(const posthouse_result_t *)>;

    Request(detail::StatePtr state, posthouse_operation_t *operation, Convert convert)
        : state_(std::move(state)), operation_(operation), convert_(std::move(convert)) {}

    /// Waits for the end. The operation's own error, or `BLOCKING_IN_HANDLER` in a callback of the hub.
    T get() {
        posthouse_result_t *result = nullptr;
        detail::call<posthouse_operation_wait>(static_cast<const posthouse_operation_t *>(operation_.get()),
                                               std::int64_t{-1}, static_cast<bool *>(nullptr), &result);
        const detail::ResultPtr owned(result);
        return convert_(result);
    }

    /// Has `done` called with the `Outcome<T>`, where callbacks of the hub run; also where the end has come
    /// already. What `done` throws is reported.
    template <class F>
    void then(F done) {
        struct Context {
            detail::StatePtr state;
            Convert convert;
            F done;
        };
        auto context = std::make_unique<Context>(Context{state_, std::move(convert_), std::move(done)});
        posthouse_done_closure_t closure{};
        closure.call = [](void *given, posthouse_result_t *result, posthouse_error_t *error) noexcept {
            const detail::OutOf outOf;
            auto &held = *static_cast<Context *>(given);
            const detail::ResultPtr owned(result);
            try {
                held.done(outcome(held.convert, result, error));
            } catch (...) {
                held.state->report("the callback of an operation");
            }
        };
        closure.drop = detail::drop<Context>;
        closure.context = context.release();
        // Nothing of this object is used from here on: `done` may have destroyed it.
        detail::call<posthouse_operation_then>(static_cast<const posthouse_operation_t *>(operation_.get()), closure);
    }

    /// The end as a future, which may be waited for in a handler, too, where threads of the library run them.
    std::future<T> future() {
        auto promise = std::make_shared<std::promise<T>>();
        auto future = promise->get_future();
        then([promise](Outcome<T> outcome) {
            if (outcome.error()) {
                promise->set_exception(outcome.error());
            } else if constexpr (std::is_void_v<T>) {
                promise->set_value();
            } else {
                promise->set_value(outcome.get());
            }
        });
        return future;
    }

    /// Gives it up: it ends with `CANCELLED`, unless it has ended already. What was sent is not undone.
    void cancel() noexcept { posthouse_operation_cancel(operation_.get()); }

    /// Awaits the end in a coroutine, which goes on where callbacks of the hub run.
    auto operator co_await() && {
        struct Awaiter {
            Request request;
            std::optional<Outcome<T>> outcome;

            [[nodiscard]] bool await_ready() const noexcept { return false; }
            void await_suspend(std::coroutine_handle<> waiting) {
                request.then([this, waiting](Outcome<T> ended) {
                    outcome = std::move(ended);
                    waiting.resume();
                });
            }
            T await_resume() { return outcome->get(); }
        };
        return Awaiter{std::move(*this), std::nullopt};
    }

private:
    static Outcome<T> outcome(const Convert &convert, const posthouse_result_t *result, posthouse_error_t *error) {
        try {
            if (error != nullptr) throw Error(error);
            if constexpr (std::is_void_v<T>) {
                convert(result);
                return Outcome<T>(std::monostate{});
            } else {
                return Outcome<T>(convert(result));
            }
        } catch (...) {
            return Outcome<T>(std::current_exception());
        }
    }

    detail::StatePtr state_;
    detail::OperationPtr operation_;
    Convert convert_;
};

namespace detail {

/// Begins an operation that gives nothing but its success.
template <auto Function, class Handle>
Request<void> begin(const StatePtr &state, const Handle *handle, std::int64_t timeout) {
    posthouse_operation_t *operation = nullptr;
    call<Function>(handle, timeout, &operation);
    return Request<void>(state, operation, [](const posthouse_result_t *) {});
}

/// A time-out for the C functions.
inline std::int64_t millis(const std::optional<std::chrono::milliseconds> &timeout) noexcept {
    return timeout ? timeout->count() : POSTHOUSE_DEFAULT;
}

} // namespace detail
} // namespace posthouse

#endif
