// What requests leave behind for later ones, and the coroutines that serve them.
#pragma once

#include <posthouse/json.hpp>

#include <coroutine>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using posthouse::Json;

/// A coroutine that nobody waits for.
struct Detached {
    struct promise_type {
        Detached get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

/// A coroutine that another one waits for.
class Task {
public:
    struct promise_type {
        std::coroutine_handle<> waiting;
        Json result;
        std::exception_ptr error;

        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        auto final_suspend() noexcept {
            struct Back {
                bool await_ready() noexcept { return false; }
                std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
                    return done.promise().waiting;
                }
                void await_resume() noexcept {}
            };
            return Back{};
        }
        void return_value(Json value) { result = std::move(value); }
        void unhandled_exception() { error = std::current_exception(); }
    };

    explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}
    Task(Task &&other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
    Task(const Task &) = delete;
    ~Task() {
        if (coroutine_) coroutine_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) {
        coroutine_.promise().waiting = waiting;
        return coroutine_;
    }
    Json await_resume() {
        if (coroutine_.promise().error) std::rethrow_exception(coroutine_.promise().error);
        return std::move(coroutine_.promise().result);
    }

private:
    std::coroutine_handle<promise_type> coroutine_;
};

/// Something that is opened once, for good.
class Gate {
public:
    void open() {
        std::unique_lock guard(lock_);
        open_ = true;
        const auto waiting = std::move(waiting_);
        guard.unlock();
        for (const auto &one : waiting) one.resume();
    }

    auto wait() {
        struct Awaiter {
            Gate &gate;
            bool await_ready() const noexcept { return false; }
            bool await_suspend(std::coroutine_handle<> waiting) {
                const std::lock_guard guard(gate.lock_);
                if (!gate.open_) gate.waiting_.push_back(waiting);
                return !gate.open_;
            }
            void await_resume() const noexcept {}
        };
        return Awaiter{*this};
    }

private:
    std::mutex lock_;
    bool open_ = false;
    std::vector<std::coroutine_handle<>> waiting_;
};

/// Things by name.
template <class T>
class Store {
public:
    void put(const std::string &name, std::shared_ptr<T> item) {
        const std::lock_guard guard(lock_);
        // The old one is let go of without the lock: that may wait for handlers.
        std::swap(items_[name], item);
    }
    std::shared_ptr<T> get(const std::string &name) {
        const std::lock_guard guard(lock_);
        const auto found = items_.find(name);
        if (found == items_.end()) throw posthouse::Error(posthouse::ErrorCode::Internal, "no `" + name + "`");
        return found->second;
    }
    std::map<std::string, std::shared_ptr<T>> take() {
        const std::lock_guard guard(lock_);
        return std::exchange(items_, {});
    }
    std::shared_ptr<T> getOrMake(const std::string &name) {
        const std::lock_guard guard(lock_);
        auto &item = items_[name];
        if (!item) item = std::make_shared<T>();
        return item;
    }

private:
    std::mutex lock_;
    std::map<std::string, std::shared_ptr<T>> items_;
};

struct Agent {
    Store<posthouse::Hub> hubs;
    Store<posthouse::Subscription> subscriptions;
    Store<posthouse::Watch> watches;
    Store<Gate> gates;
    Store<posthouse::Context> contexts;
    Store<std::pair<std::mutex, std::function<void()>>> cancels;
};

/// Writes one line.
void tell(const Json &line);
/// The exception that is being handled, as the answer has it.
Json failure();
/// A request from its line, with headers as lists of pairs.
Json parseRequest(const std::string &line);
/// Headers from such a list: a name has one text or several.
posthouse::Headers headersOf(const Json &given);
/// Headers as a list of names and values, in their order.
Json pairs(const posthouse::Headers &headers);
/// Opens a hub with the options of a request; does not wait for its connection.
std::shared_ptr<posthouse::Hub> openHub(const Json &request);
/// Does one request.
Task run(Agent &agent, Json request);
/// Does what the scenario says with one message.
Detached act(Agent &agent, Json request, Json data, posthouse::Context context, posthouse::Deferred deferred,
             bool answers);
