/// @file
/// The program's functions as closures of C: what they throw is reported, and never passes the boundary.
#ifndef POSTHOUSE_THUNKS_HPP
#define POSTHOUSE_THUNKS_HPP

#include <posthouse.h>
#include <posthouse/message.hpp>
#include <posthouse/state.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace posthouse {

/// Which write of a variable is held.
struct Version {
    std::string counter;
    std::string writer;
};

/// What is known of a variable besides its value.
struct Meta {
    /// Whether it is known if there is a value.
    bool initialized = false;
    /// Whether there is one; `nullopt` while that is not known.
    std::optional<bool> exists;
    /// The version held, a deletion's included.
    std::optional<Version> version;
    /// A write of this hub that no server has confirmed yet.
    bool pending = false;
    /// Whether the hub has an active connection.
    bool connected = false;
};

namespace detail {

inline Meta fromC(const posthouse_meta_t &meta) {
    Meta all{meta.initialized, std::nullopt, std::nullopt, meta.pending, meta.connected};
    if (meta.exists >= 0) all.exists = meta.exists == 1;
    if (meta.counter.data != nullptr)
        all.version = Version{std::string(view(meta.counter)), std::string(view(meta.writer))};
    return all;
}

template <class Codec>
std::optional<typename Codec::Value> valueOf(const posthouse_view_t &shown) {
    if (shown.value.data == nullptr) return std::nullopt;
    return Codec::decode(view(shown.value));
}

/// What a closure holds: the hub's state, and the program's function.
template <class F>
struct Held {
    StatePtr state;
    F function;
};

/// A closure around a function of the program's. `Call` says how it is called.
template <class Closure, class F>
Closure closure(const StatePtr &state, F function, decltype(Closure::call) call) {
    Closure all{};
    all.context = new Held<F>{state, std::move(function)};
    all.call = call;
    all.drop = drop<Held<F>>;
    return all;
}

template <class F>
posthouse_view_closure_t onView(const StatePtr &state, F function) {
    return closure<posthouse_view_closure_t>(state, std::move(function),
                                             [](void *context, const posthouse_view_t *shown) noexcept {
                                                 const OutOf outOf;
                                                 auto &held = *static_cast<Held<F> *>(context);
                                                 try {
                                                     held.function(*shown);
                                                 } catch (...) {
                                                     held.state->report("a watch callback");
                                                 }
                                             });
}

template <class Codec, class F>
posthouse_json_closure_t onJson(const StatePtr &state, F function) {
    return closure<posthouse_json_closure_t>(state, std::move(function),
                                             [](void *context, posthouse_str_t json) noexcept {
                                                 const OutOf outOf;
                                                 auto &held = *static_cast<Held<F> *>(context);
                                                 try {
                                                     held.function(Codec::decode(view(json)));
                                                 } catch (...) {
                                                     held.state->report("a watch callback");
                                                 }
                                             });
}

/// A handler threw.
inline void failed(const State &state, const posthouse_message_t *message) noexcept {
    posthouse_message_fail(message, toC(currentMessage()));
    state.heard("a message handler");
}

/// Calls a function of the program's with the data, and with the context if it takes one.
template <class Codec, class Context, class F>
decltype(auto) show(F &function, const posthouse_message_t *message, Context *context) {
    const std::string_view body = view(posthouse_message_body(message));
    if constexpr (std::is_invocable_v<F &, typename Codec::Shown, Context &>) {
        return function(Codec::shown(body), *context);
    } else if constexpr (std::is_invocable_v<F &, typename Codec::Shown>) {
        return function(Codec::shown(body));
    } else {
        static_assert(std::is_invocable_v<F &>, "a handler takes (data), (data, context) or nothing");
        return function();
    }
}

template <class Codec, class Context, class F>
inline constexpr bool takesContext = std::is_invocable_v<F &, typename Codec::Shown, Context &>;

template <class Codec, class F>
posthouse_message_closure_t onMessage(const StatePtr &state, F function) {
    using Context = BasicContext<Codec>;
    return closure<posthouse_message_closure_t>(
        state, std::move(function), [](void *given, const posthouse_message_t *message) noexcept {
            const OutOf outOf;
            auto &held = *static_cast<Held<F> *>(given);
            try {
                std::optional<Context> context;
                if constexpr (takesContext<Codec, Context, F>) context.emplace(message);
                show<Codec, Context>(held.function, message, context ? &*context : nullptr);
            } catch (...) {
                failed(*held.state, message);
            }
        });
}

template <class Codec, class F>
posthouse_message_closure_t onRequest(const StatePtr &state, F function) {
    using Context = BasicHandleContext<Codec>;
    return closure<posthouse_message_closure_t>(
        state, std::move(function), [](void *given, const posthouse_message_t *message) noexcept {
            const OutOf outOf;
            auto &held = *static_cast<Held<F> *>(given);
            try {
                std::optional<Context> context;
                if constexpr (takesContext<Codec, Context, F>) context.emplace(message);
                Context *shown = context ? &*context : nullptr;
                using Answer = decltype(show<Codec, Context>(held.function, message, shown));
                const auto send = [&](posthouse_str_t body) {
                    call<posthouse_message_answer>(message, body, context ? context->replyHeaders().given() : nullptr);
                };
                if constexpr (std::is_void_v<Answer>) {
                    show<Codec, Context>(held.function, message, shown);
                    send(posthouse_str_t{nullptr, 0});
                } else {
                    Codec::encode(show<Codec, Context>(held.function, message, shown), send);
                }
            } catch (...) {
                failed(*held.state, message);
            }
        });
}

template <class Codec, class F>
posthouse_message_closure_t onDeferred(const StatePtr &state, F function) {
    return closure<posthouse_message_closure_t>(
        state, std::move(function), [](void *given, const posthouse_message_t *message) noexcept {
            const OutOf outOf;
            auto &held = *static_cast<Held<F> *>(given);
            try {
                BasicDeferred<Codec> deferred(message);
                held.function(Codec::shown(view(posthouse_message_body(message))), BasicContext<Codec>(message),
                              std::move(deferred));
            } catch (...) {
                failed(*held.state, message);
            }
        });
}

} // namespace detail
} // namespace posthouse

#endif
