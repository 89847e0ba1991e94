/// @file
/// A hub: a member of a namespace.
#ifndef POSTHOUSE_HUB_HPP
#define POSTHOUSE_HUB_HPP

#include <posthouse.h>
#include <posthouse/options.hpp>
#include <posthouse/request.hpp>
#include <posthouse/state.hpp>
#include <posthouse/subscription.hpp>
#include <posthouse/thunks.hpp>
#include <posthouse/variable.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace posthouse {

/// State of a hub's connection.
enum class ConnectionState {
    starting = POSTHOUSE_STATE_STARTING,
    connecting = POSTHOUSE_STATE_CONNECTING,
    connected = POSTHOUSE_STATE_CONNECTED,
    offline = POSTHOUSE_STATE_OFFLINE,
    error = POSTHOUSE_STATE_ERROR,
    closed = POSTHOUSE_STATE_CLOSED,
};

namespace detail {

/// Who is asked for which credential.
struct Asked {
    std::array<std::pair<std::string_view, std::function<std::string()>>, 5> all;
    StatePtr state;

    std::uint32_t bits() const noexcept {
        std::uint32_t bits = 0;
        for (std::size_t at = 0; at < all.size(); ++at) {
            if (all[at].second) bits |= 1U << at;
        }
        return bits;
    }
};

inline Asked asked(const HubOptions &options, const StatePtr &state) {
    const auto ask = [](const std::optional<Credential> &credential) {
        return credential ? credential->ask() : std::function<std::string()>();
    };
    return {{{{"token", ask(options.token)},
              {"user", ask(options.user)},
              {"password", ask(options.password)},
              {"nkey", ask(options.nkey)},
              {"credentials", ask(options.credentials)}}},
            state};
}

inline void answer(void *context, posthouse_str_t what, posthouse_answer_t *place) noexcept {
    const OutOf outOf;
    const auto &asked = *static_cast<Asked *>(context);
    try {
        for (const auto &[name, function] : asked.all) {
            if (name == view(what) && function) posthouse_answer_set(place, toC(function()));
        }
    } catch (...) {
        asked.state->report("a credential callback");
    }
}

using Log = std::function<void(LogLevel, std::string_view, std::string_view)>;

inline void line(void *context, posthouse_level_t level, posthouse_str_t code, posthouse_str_t text) noexcept {
    const OutOf outOf;
    try {
        (*static_cast<Log *>(context))(static_cast<LogLevel>(level), view(code), view(text));
    } catch (...) {
        // A line about the log's own failure would fail, too.
    }
}

/// Posts one task for each announcement to the program's executor.
struct Post {
    std::weak_ptr<State> state;
    std::function<void(std::function<void()>)> executor;

    void operator()() const noexcept {
        const OutOf outOf;
        try {
            executor([state = state] {
                if (const auto alive = state.lock()) alive->process();
            });
        } catch (...) {
            // An executor that takes nothing any more has ended; so have the callbacks.
        }
    }
};

inline StatePtr openHub(std::optional<std::string_view> name, const HubOptions &options) {
    if (posthouse_abi() != POSTHOUSE_ABI) {
        throw Error(ErrorCode::Unsupported,
                    "the library that is loaded has another binary interface than the header that the program was "
                    "compiled with: compile with the header of the installed library");
    }
    auto state = std::make_shared<State>();
    state->onCallbackError = options.onCallbackError;
    posthouse_host_t host{};
    host.size = sizeof(host);
    host.sdk = toC("cpp");
    host.camel_case = true;
    host.dispatch = static_cast<posthouse_dispatch_t>(options.dispatch);
    std::optional<Post> post;
    if (options.executor) {
        post = Post{state, options.executor};
        host.dispatch = POSTHOUSE_DISPATCH_WAKE;
        host.wake.context = new Post(*post);
        host.wake.call = [](void *context) noexcept { (*static_cast<Post *>(context))(); };
        host.wake.drop = drop<Post>;
    }
    // The state would hold itself.
    Asked credentials = asked(options, std::make_shared<State>());
    host.asks = credentials.bits();
    if (host.asks != 0) {
        host.ask.context = new Asked(std::move(credentials));
        host.ask.call = answer;
        host.ask.drop = drop<Asked>;
    }
    if (options.onLog) {
        host.log.context = new Log(options.onLog);
        host.log.call = line;
        host.log.drop = drop<Log>;
    }
    std::vector<posthouse_str_t> texts;
    const posthouse_hub_options_t all = toC(options, texts);
    posthouse_hub_t *hub = nullptr;
    call<posthouse_hub_open>(name ? toC(*name) : posthouse_str_t{nullptr, 0}, &all,
                             static_cast<const posthouse_host_t *>(&host), &hub);
    state->hub = hub;
    // What was announced before anybody could process it.
    if (post) (*post)();
    return state;
}

} // namespace detail

/// A member of a namespace: variables, events and requests by name. It connects in the background at once.
/// Any thread may use it. The destructor closes it.
template <class Codec>
class BasicHub {
public:
    using Value = typename Codec::Value;
    using Variable = BasicVariable<Codec>;

    /// Alone in a fresh namespace. As the other constructor.
    BasicHub() : state_(detail::openHub(std::nullopt, {})) {}
    /// In a namespace that hubs share by name; `nullopt` gives a fresh one.
    /// `INVALID_OPTIONS`, `INVALID_NAME`, `INVALID_SERVER`, `FORKED`.
    explicit BasicHub(std::optional<std::string_view> name, const HubOptions &options = {})
        : state_(detail::openHub(name, options)) {}
    BasicHub(BasicHub &&) noexcept = default;
    BasicHub &operator=(BasicHub &&other) noexcept {
        if (this != &other) {
            end();
            state_ = std::move(other.state_);
        }
        return *this;
    }
    BasicHub(const BasicHub &) = delete;
    BasicHub &operator=(const BasicHub &) = delete;
    ~BasicHub() { end(); }

    /// The variable of a name; the same name always means the same one. `INVALID_NAME`, `MEMORY_FULL`, `CLOSED`.
    [[nodiscard]] Variable var(std::string_view name) const {
        posthouse_variable_t *variable = nullptr;
        detail::call<posthouse_hub_variable>(handle(), detail::toC(name), &variable);
        return Variable(state_, variable);
    }

    [[nodiscard]] std::string namespaceName() const {
        return std::string(detail::view(posthouse_hub_namespace(handle())));
    }
    /// This hub's identity, new for every hub.
    [[nodiscard]] std::string instanceId() const {
        return std::string(detail::view(posthouse_hub_instance_id(handle())));
    }
    [[nodiscard]] ConnectionState state() const noexcept {
        return static_cast<ConnectionState>(posthouse_hub_state(handle()));
    }
    /// Everything that the hub tells of itself.
    [[nodiscard]] Value status() const {
        detail::Buffer json;
        detail::call<posthouse_hub_status>(handle(), json.place());
        return Codec::decode(json.view());
    }
    /// Calls `callback(status)` now and after every change.
    template <class F>
    Watch watch(F callback) const {
        posthouse_watch_t *watch = nullptr;
        detail::call<posthouse_hub_watch>(handle(), detail::onJson<Codec>(state_, std::move(callback)), &watch);
        return Watch(state_, watch);
    }

    /// Who else is in the namespace.
    class Instances {
    public:
        explicit Instances(const BasicHub &hub) : hub_(hub) {}
        /// The hubs, ordered by identity.
        [[nodiscard]] Value list() const {
            detail::Buffer json;
            detail::call<posthouse_hub_instances>(hub_.handle(), json.place());
            return Codec::decode(json.view());
        }
        /// Calls `callback(list)` now and after every change.
        template <class F>
        Watch watch(F callback) const {
            posthouse_watch_t *watch = nullptr;
            detail::call<posthouse_hub_watch_instances>(
                hub_.handle(), detail::onJson<Codec>(hub_.state_, std::move(callback)), &watch);
            return Watch(hub_.state_, watch);
        }

    private:
        const BasicHub &hub_;
    };
    [[nodiscard]] Instances instances() const { return Instances(*this); }

    /// Waits for an active connection; at once where there is one. `TIMEOUT`, `AUTH_FAILED`, `INVALID_SERVER`.
    const BasicHub &connected(std::optional<std::chrono::milliseconds> timeout = {}) const {
        detail::mayBlock(*state_, "connected()");
        auto request = connectedAsync(timeout);
        request.get();
        return *this;
    }
    Request<void> connectedAsync(std::optional<std::chrono::milliseconds> timeout = {}) const {
        return detail::begin<posthouse_hub_connected>(state_, handle(), detail::millis(timeout));
    }
    /// Waits until it is known what all variables hold.
    const BasicHub &ready(std::optional<std::chrono::milliseconds> timeout = {}) const {
        detail::mayBlock(*state_, "ready()");
        auto request = readyAsync(timeout);
        request.get();
        return *this;
    }
    Request<void> readyAsync(std::optional<std::chrono::milliseconds> timeout = {}) const {
        return detail::begin<posthouse_hub_ready>(state_, handle(), detail::millis(timeout));
    }
    /// Waits until the broker has confirmed what was written before. `TIMEOUT`, `PERMISSION_DENIED`.
    void flush(std::optional<std::chrono::milliseconds> timeout = {}) const {
        detail::mayBlock(*state_, "flush()");
        auto request = flushAsync(timeout);
        request.get();
    }
    Request<void> flushAsync(std::optional<std::chrono::milliseconds> timeout = {}) const {
        return detail::begin<posthouse_hub_flush>(state_, handle(), detail::millis(timeout));
    }
    /// Finishes accepted work and requests, then closes; 5 s if not given. `DRAIN_TIMEOUT` past that, everything
    /// cleaned up all the same; `DRAIN_IN_HANDLER` in a callback of this hub.
    void drain(std::optional<std::chrono::milliseconds> timeout = {}) const {
        auto request = drainAsync(timeout);
        request.get();
        close();
    }
    Request<void> drainAsync(std::optional<std::chrono::milliseconds> timeout = {}) const {
        return detail::begin<posthouse_hub_drain>(state_, handle(), detail::millis(timeout));
    }
    /// Leaves at once, without draining; any number of times. Outside callbacks of this hub waits until none
    /// runs any more; inside one it returns at once, and the hub ends after it.
    void close() const { detail::call<posthouse_hub_close>(handle()); }

    /// With `Dispatch::fd`: the descriptor that is readable while `process` has something to do.
    [[nodiscard]] int fd() const noexcept { return posthouse_hub_fd(handle()); }
    /// Runs handlers and callbacks on this thread, for at most `max` events and messages; says whether there
    /// is more. Never waits.
    bool process(std::size_t max = 256) const {
        bool more = false;
        detail::call<posthouse_hub_process>(handle(), max, &more);
        return more;
    }

    /// The hub in the C interface, for what is not here. Borrowed; null for one that was moved from.
    [[nodiscard]] const posthouse_hub_t *handle() const noexcept { return state_ ? state_->hub.load() : nullptr; }

private:
    void end() noexcept {
        // Fails only in a forked child, which has nothing to end.
        const detail::Into into;
        if (state_) posthouse_hub_close(handle(), nullptr);
    }

    detail::StatePtr state_;
};

} // namespace posthouse

#endif
