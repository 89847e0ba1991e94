// What callbacks may do: throw, wait, close, unsubscribe; where they run; and how often what they hold is dropped.
#include "common.hpp"

#include <coroutine>
#include <poll.h>
#include <set>
#include <stdexcept>

namespace text = posthouse::text;

TEST(Callbacks, MayThrowAnything) {
    Box<std::string> heard;
    HubOptions options;
    options.onCallbackError = [&](std::string_view what, std::exception_ptr error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception &thrown) {
            heard.put(std::string(what) + ": " + thrown.what());
        } catch (...) {
            heard.put(std::string(what) + ": something else");
        }
        throw std::logic_error("nobody hears this");
    };
    auto hub = open(std::move(options));
    std::atomic<int> sub = 0, handled = 0;
    auto first = hub.var("sub").sub([&] {
        if (++sub == 1) throw std::runtime_error("boom");
        if (sub == 2) throw 7;
    });
    auto second = hub.var("handle").handle([&]() -> std::string {
        if (++handled == 1) throw std::runtime_error("boom");
        return "\"fine\"";
    });
    for (int time = 0; time < 3; ++time) hub.var("sub").pub();
    EXPECT_EQ(heard.take(), "a message handler: boom");
    EXPECT_EQ(heard.take(), "a message handler: something else");
    EXPECT_TRUE(eventually([&] { return sub == 3; }));
    EXPECT_TRUE(has(hub.status(), "HANDLER_ERROR"));
    EXPECT_EQ(refusal([&] { hub.var("handle").req("1", {.timeout = 200ms}).get(); }), ErrorCode::Timeout);
    EXPECT_EQ(hub.var("handle").req("1").get(), "\"fine\"");
    EXPECT_EQ(heard.take(), "a message handler: boom");

    auto watch = hub.var("state").watchValue([](const auto &) { throw std::runtime_error("watch"); });
    EXPECT_EQ(heard.take(), "a watch callback: watch");
    std::atomic<bool> once = false;
    auto status = hub.watch([&](const auto &) {
        if (!once.exchange(true)) throw std::runtime_error("status");
    });
    EXPECT_EQ(heard.take(), "a watch callback: status");
    hub.flushAsync().then([](auto) { throw std::runtime_error("flush"); });
    EXPECT_EQ(heard.take(), "the callback of an operation: flush");
    hub.flush();
}

TEST(Callbacks, AnswersThatAreNoJsonAreReported) {
    auto hub = open();
    auto handler = hub.var("x").handle([] { return "nope"; });
    EXPECT_EQ(refusal([&] { hub.var("x").req("1", {.timeout = 200ms}).get(); }), ErrorCode::Timeout);
    EXPECT_TRUE(has(hub.status(), "HANDLER_ERROR"));
}

TEST(Callbacks, MustNotWaitForThemselves) {
    auto hub = open();
    Box<std::optional<ErrorCode>> codes;
    std::optional<text::Subscription> own;
    std::mutex lock;
    own = hub.var("x").sub([&] {
        codes.put(refusal([&] { hub.flush(); }));
        codes.put(refusal([&] { hub.var("y").req("1").get(); }));
        codes.put(refusal([&] { auto other = hub.var("z").sub([] {}); }));
        codes.put(refusal([&] { hub.drain(); }));
        const std::lock_guard guard(lock);
        codes.put(refusal([&] { auto drain = own->drainAsync(); }));
    });
    {
        const std::lock_guard guard(lock);
        hub.var("x").pub();
    }
    for (int time = 0; time < 3; ++time) EXPECT_EQ(codes.take(), ErrorCode::BlockingInHandler);
    EXPECT_EQ(codes.take(), ErrorCode::DrainInHandler);
    EXPECT_EQ(codes.take(), ErrorCode::DrainInHandler);
}

TEST(Callbacks, MayWaitForFuturesWhereThreadsRunThem) {
    auto hub = open();
    auto helper = hub.var("helper").handle([](std::string_view data) { return std::string(data); });
    auto outer = hub.var("outer").handle([&] { return hub.var("helper").req("7").future().get(); });
    EXPECT_EQ(hub.var("outer").req("1").get(), "7");
}

TEST(Callbacks, MayCloseTheirHub) {
    using Arrange = std::function<void(Hub &, Box<int> &, std::vector<std::shared_ptr<void>> &)>;
    const auto keep = [](auto thing, auto &kept) {
        kept.push_back(std::make_shared<decltype(thing)>(std::move(thing)));
    };
    const std::vector<Arrange> ways{
        [&](Hub &hub, Box<int> &done, auto &kept) {
            keep(hub.var("x").sub([&] {
                hub.close();
                done.put(1);
            }),
                 kept);
            hub.var("x").pub();
        },
        [&](Hub &hub, Box<int> &done, auto &kept) {
            keep(hub.var("x").handle([&] {
                hub.close();
                done.put(1);
            }),
                 kept);
            hub.var("x").req("1").then([](auto) {});
        },
        [&](Hub &hub, Box<int> &done, auto &kept) {
            keep(hub.var("x").handleDeferred([&](auto, const auto &, text::Deferred deferred) {
                hub.close();
                EXPECT_EQ(refusal([&] { deferred.complete("1"); }), ErrorCode::Closed);
                done.put(1);
            }),
                 kept);
            hub.var("x").req("1").then([](auto) {});
        },
        [&](Hub &hub, Box<int> &done, auto &kept) {
            keep(hub.var("x").watch([&](const auto &, const auto &) {
                hub.close();
                done.put(1);
            }),
                 kept);
            hub.var("x").set("1");
        },
        [&](Hub &hub, Box<int> &done, auto &kept) {
            keep(hub.watch([&](const auto &) {
                hub.close();
                done.put(1);
            }),
                 kept);
        },
        [&](Hub &hub, Box<int> &done, auto &kept) {
            keep(hub.instances().watch([&](const auto &) {
                hub.close();
                done.put(1);
            }),
                 kept);
        },
        [&](Hub &hub, Box<int> &done, auto &) {
            hub.flushAsync().then([&](auto) {
                hub.close();
                done.put(1);
            });
        },
    };
    for (const auto &way : ways) {
        auto hub = open();
        Box<int> done;
        std::vector<std::shared_ptr<void>> kept;
        way(hub, done, kept);
        done.take();
        hub.close();
        EXPECT_EQ(hub.state(), posthouse::ConnectionState::closed);
        EXPECT_EQ(refusal([&] { hub.var("x").pub(); }), ErrorCode::Closed);
        // What they refer to goes before they do.
        kept.clear();
    }
}

TEST(Callbacks, DoNotRunAfterTheEndOfTheirSubscription) {
    auto hub = open();
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> over = false;
        std::atomic<int> calls = 0, late = 0;
        auto subscription = hub.var("flood").sub([&] {
            ++calls;
            if (over) ++late;
        });
        std::thread writer([&] {
            for (int number = 0; number < 200; ++number) hub.var("flood").pub();
        });
        EXPECT_TRUE(eventually([&] { return calls > 0; }));
        subscription.unsubscribe();
        over = true;
        writer.join();
        hub.flush();
        EXPECT_EQ(late, 0);
    }
}

TEST(Callbacks, MayEndTheirOwnSubscription) {
    auto hub = open();
    Box<int> done;
    std::optional<text::Subscription> own;
    std::mutex lock;
    std::unique_lock guard(lock);
    own = hub.var("x").sub([&] {
        const std::lock_guard inner(lock);
        own->unsubscribe();
        own.reset();
        done.put(1);
    });
    guard.unlock();
    hub.var("x").pub();
    hub.var("x").pub();
    done.take();
    hub.flush();
    EXPECT_TRUE(done.empty());
}

TEST(Callbacks, AreDroppedOnce) {
    struct Counted {
        explicit Counted(std::atomic<int> &count) : alive(count) { ++alive; }
        Counted(const Counted &) = delete;
        ~Counted() { --alive; }
        std::atomic<int> &alive;
    };
    std::atomic<int> alive = 0;
    {
        auto hub = open();
        const auto token = [&] { return std::make_shared<Counted>(alive); };
        auto sub = hub.var("x").sub([held = token()] {});
        auto handle = hub.var("y").handle([held = token()] {});
        auto watch = hub.var("z").watchValue([held = token()](const auto &) {});
        auto status = hub.watch([held = token()](const auto &) {});
        hub.flushAsync().then([held = token()](auto) {});
        EXPECT_TRUE(refusal([&] { auto bad = hub.var("..").sub([held = token()] {}); }).has_value());
        sub.unsubscribe();
        watch.stop();
        hub.flush();
        EXPECT_TRUE(eventually([&] { return alive == 2; }));
    }
    EXPECT_EQ(alive, 0);
}

TEST(Callbacks, RunOnTheProgramsThreadWithAnExecutor) {
    std::mutex lock;
    std::condition_variable told;
    std::vector<std::function<void()>> tasks;
    HubOptions options;
    options.executor = [&](std::function<void()> task) {
        const std::lock_guard guard(lock);
        tasks.push_back(std::move(task));
        told.notify_all();
    };
    auto hub = open(std::move(options));
    std::set<std::thread::id> threads;
    int messages = 0, states = 0, ends = 0;
    auto sub = hub.var("x").sub([&] { threads.insert(std::this_thread::get_id()), ++messages; });
    auto watch = hub.watch([&](const auto &) { threads.insert(std::this_thread::get_id()), ++states; });
    Box<text::Deferred> open_;
    auto deferred = hub.var("y").handleDeferred([&](auto, const auto &, text::Deferred later) { open_.put(later); });
    for (int number = 0; number < 1000; ++number) hub.var("x").pub();
    for (int number = 0; number < 3; ++number) hub.var("y").req("1").then([&](auto answer) { answer.get(), ++ends; });
    std::thread answers([&] {
        for (int number = 0; number < 3; ++number) open_.take().complete("1");
    });
    while (messages < 256 || states == 0 || ends < 3) {
        std::unique_lock guard(lock);
        if (!told.wait_for(guard, 30s, [&] { return !tasks.empty(); })) break;
        const auto batch = std::exchange(tasks, {});
        guard.unlock();
        for (const auto &task : batch) task();
    }
    answers.join();
    EXPECT_EQ(ends, 3);
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
    hub.close();
    // Tasks that are left find nothing to do, and no more come.
    std::unique_lock guard(lock);
    const auto left = std::exchange(tasks, {});
    guard.unlock();
    for (const auto &task : left) task();
    EXPECT_TRUE(tasks.empty());
}

TEST(Callbacks, RunWhereTheDescriptorIsWatched) {
    auto hub = open({.dispatch = posthouse::Dispatch::fd});
    ASSERT_GE(hub.fd(), 0);
    int messages = 0;
    std::string refused;
    auto sub = hub.var("x").sub([&] {
        ++messages;
        if (const auto code = refusal([&] { hub.process(); })) refused = codeName(*code);
    });
    for (int number = 0; number < 100; ++number) hub.var("x").pub();
    while (messages < 100) {
        pollfd readable{hub.fd(), POLLIN, 0};
        ASSERT_EQ(::poll(&readable, 1, 30000), 1);
        hub.process(7);
    }
    EXPECT_EQ(refused, "BLOCKING_IN_HANDLER");
    hub.drain();
    // Also where the turn was over with the very last message.
    auto one = open({.dispatch = posthouse::Dispatch::fd});
    int got = 0;
    auto last = one.var("y").sub([&] { ++got; });
    one.var("y").pub();
    one.flush();
    while (got == 0) one.process(1);
    one.drain();
    auto threads = open();
    EXPECT_EQ(threads.fd(), -1);
    EXPECT_EQ(refusal([&] { threads.process(); }), ErrorCode::Unsupported);
}

namespace {

struct Detached {
    struct promise_type {
        Detached get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

Detached ask(Hub &hub, Box<std::string> &said) {
    co_await hub.connectedAsync();
    const std::string answer = co_await hub.var("x").req("1");
    said.put(answer);
    try {
        co_await hub.var("unused").req("1");
    } catch (const posthouse::Error &error) {
        said.put(std::string(error.name()));
    }
}

} // namespace

TEST(Coroutines, AwaitRequests) {
    auto hub = open();
    auto handler = hub.var("x").handle([] { return "\"awaited\""; });
    Box<std::string> said;
    ask(hub, said);
    EXPECT_EQ(said.take(), "\"awaited\"");
    EXPECT_EQ(said.take(), "NO_RESPONDERS");
}
