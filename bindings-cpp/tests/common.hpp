// What the tests share: hubs of a namespace of their own on the broker that `run` has started.
#pragma once

#include <posthouse/text.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using posthouse::ErrorCode;
using posthouse::HubOptions;
using posthouse::text::Hub;

inline HubOptions here(HubOptions options = {}) {
    if (const char *url = std::getenv("POSTHOUSE_TEST_URL")) options.servers = {url};
    options.timeout = 20s;
    return options;
}

/// A name that no other test has.
inline std::string fresh() {
    static std::atomic<int> last = 0;
    return "test-" + std::to_string(::getpid()) + "-" + std::to_string(++last);
}

/// A connected hub of a namespace of its own.
inline Hub open(HubOptions options = {}) {
    Hub hub(fresh(), here(std::move(options)));
    hub.connected();
    return hub;
}

/// What `call` throws, or nothing.
inline std::optional<ErrorCode> refusal(const std::function<void()> &call) {
    try {
        call();
    } catch (const posthouse::Error &error) {
        return error.code();
    }
    return std::nullopt;
}

/// Things that callbacks leave for the test, which waits for them.
template <class T>
class Box {
public:
    void put(T item) {
        const std::lock_guard guard(lock_);
        items_.push_back(std::move(item));
        told_.notify_all();
    }
    T take() {
        std::unique_lock guard(lock_);
        if (!told_.wait_for(guard, 30s, [&] { return !items_.empty(); })) throw std::runtime_error("nothing has come");
        T item = std::move(items_.front());
        items_.erase(items_.begin());
        return item;
    }
    bool empty() {
        const std::lock_guard guard(lock_);
        return items_.empty();
    }

private:
    std::mutex lock_;
    std::condition_variable told_;
    std::vector<T> items_;
};

/// Waits for a condition that no callback tells of.
inline bool eventually(const std::function<bool()> &holds) {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::yield();
    }
    return true;
}

inline bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
