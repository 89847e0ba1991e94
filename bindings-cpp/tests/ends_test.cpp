// Ends: close, drain, destruction in any order, forks, faults of the library.
#include "common.hpp"

#include <dlfcn.h>
#include <sys/wait.h>

namespace text = posthouse::text;

TEST(Ends, CloseAgainAndUseAfterwards) {
    auto hub = open();
    auto lamp = hub.var("lamp");
    auto sub = lamp.sub([] {});
    auto watch = lamp.watchValue([](const auto &) {});
    lamp.set("1");
    hub.close();
    hub.close();
    const std::vector<std::function<void()>> calls{
        [&] { lamp.pub("1"); },
        [&] { lamp.set("1"); },
        [&] { lamp.erase(); },
        [&] { lamp.req("1").get(); },
        [&] { lamp.requestMany("1").get(); },
        [&] { auto again = lamp.sub([] {}); },
        [&] { auto again = lamp.handle([] {}); },
        [&] { auto again = lamp.watchValue([](const auto &) {}); },
        [&] { auto again = hub.watch([](const auto &) {}); },
        [&] { (void)hub.var("new"); },
        [&] { hub.flush(); },
        [&] { hub.connected(); },
        [&] { hub.drain(); },
    };
    for (std::size_t at = 0; at < calls.size(); ++at) EXPECT_EQ(refusal(calls[at]), ErrorCode::Closed) << at;
    EXPECT_EQ(lamp.value(), "1");
    EXPECT_EQ(hub.state(), posthouse::ConnectionState::closed);
    EXPECT_TRUE(has(hub.status(), "\"closed\""));
    sub.unsubscribe();
}

TEST(Ends, ADrainFinishesWhatWasAccepted) {
    auto hub = open();
    std::atomic<int> done = 0;
    auto sub = hub.var("x").sub([&] {
        std::this_thread::sleep_for(2ms);
        ++done;
    });
    for (int number = 0; number < 20; ++number) hub.var("x").pub();
    hub.flush();
    hub.drain();
    EXPECT_EQ(done, 20);
}

TEST(Ends, ADrainThatIsTooLateSaysSo) {
    auto hub = open();
    Box<text::Deferred> held;
    auto sub = hub.var("x").subscribeDeferred([&](auto, const auto &, text::Deferred later) { held.put(later); });
    hub.var("x").pub();
    auto deferred = held.take();
    EXPECT_EQ(refusal([&] { hub.drain(100ms); }), ErrorCode::DrainTimeout);
    hub.close();
    deferred.complete();
}

TEST(Ends, ASubscriptionDrains) {
    auto hub = open();
    std::atomic<int> done = 0;
    auto sub = hub.var("x").sub([&] { ++done; });
    for (int number = 0; number < 20; ++number) hub.var("x").pub();
    hub.flush();
    sub.drain();
    EXPECT_EQ(done, 20);
    EXPECT_TRUE(has(sub.status(), "\"closed\"") || has(sub.status(), "ended")) << sub.status();
    hub.flush();
}

TEST(Ends, InAnyOrder) {
    for (int order = 0; order < 6; ++order) {
        auto hub = std::make_unique<Hub>(fresh(), here());
        hub->connected();
        auto lamp = std::make_unique<text::Variable>(hub->var("lamp"));
        Box<text::Deferred> held;
        auto sub = std::make_unique<text::Subscription>(
            lamp->handleDeferred([&](auto, const auto &, text::Deferred later) { held.put(later); }));
        auto watch = std::make_unique<posthouse::Watch>(lamp->watchValue([copy = *lamp](const auto &) {}));
        auto request = std::make_unique<posthouse::Request<std::string>>(lamp->req("1"));
        auto deferred = std::make_unique<text::Deferred>(held.take());
        const std::vector<std::function<void()>> parts{[&] { hub.reset(); },     [&] { lamp.reset(); },
                                                       [&] { sub.reset(); },     [&] { watch.reset(); },
                                                       [&] { request.reset(); }, [&] { deferred.reset(); }};
        for (std::size_t at = 0; at < parts.size(); ++at)
            parts[(at * 5 + static_cast<std::size_t>(order)) % parts.size()]();
    }
}

TEST(Ends, AHubDestroyedInItsOwnCallback) {
    Box<int> done;
    auto hub = std::make_shared<Hub>(fresh(), here());
    hub->connected();
    std::mutex lock;
    std::unique_lock guard(lock);
    auto sub = hub->var("x").sub([&] {
        const std::lock_guard inner(lock);
        hub.reset();
        done.put(1);
    });
    hub->var("x").pub();
    guard.unlock();
    done.take();
}

TEST(Ends, TwoThreadsCloseAtOnce) {
    for (int round = 0; round < 10; ++round) {
        auto hub = open();
        auto sub = hub.var("x").sub([] {});
        std::thread other([&] { hub.close(); });
        hub.close();
        other.join();
    }
}

TEST(Ends, AForkedChildIsRefused) {
    auto hub = open();
    auto lamp = hub.var("lamp");
    const pid_t child = ::fork();
    if (child == 0) {
        const bool refused = refusal([&] { lamp.pub("1"); }) == ErrorCode::Forked &&
                             refusal([&] { hub.close(); }) == ErrorCode::Forked &&
                             refusal([&] { Hub another("x", here()); }) == ErrorCode::Forked;
        ::_exit(refused ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    lamp.pub("1");
}

TEST(Faults, OfTheLibraryBecomeErrors) {
    using Fail = posthouse_code_t (*)(const posthouse_hub_t *, std::uint32_t, posthouse_error_t **);
    const auto fail = reinterpret_cast<Fail>(::dlsym(RTLD_DEFAULT, "posthouse_test_fail"));
    if (fail == nullptr) GTEST_SKIP() << "this is the library without hooks";
    for (std::uint32_t where = 0; where < 3; ++where) {
        auto sound = open();
        posthouse_hub_t *hub = nullptr;
        const std::string url = std::getenv("POSTHOUSE_TEST_URL");
        const posthouse_str_t server{url.data(), url.size()};
        posthouse_hub_options_t options = POSTHOUSE_HUB_OPTIONS_INIT;
        options.servers = &server;
        options.servers_count = 1;
        ASSERT_EQ(posthouse_hub_open(posthouse_text("faults"), &options, nullptr, &hub, nullptr), POSTHOUSE_OK);
        posthouse_operation_t *connected = nullptr;
        ASSERT_EQ(posthouse_hub_connected(hub, POSTHOUSE_DEFAULT, &connected, nullptr), POSTHOUSE_OK);
        ASSERT_EQ(posthouse_operation_finish(connected, nullptr, nullptr), POSTHOUSE_OK);
        posthouse_error_t *error = nullptr;
        const posthouse_code_t code = fail(hub, where, &error);
        if (where < 2) {
            EXPECT_EQ(code, POSTHOUSE_INTERNAL);
            EXPECT_TRUE(has(std::string(posthouse::detail::view(posthouse_error_message(error))), "told to fail"));
        }
        posthouse_error_free(error);
        if (where > 0) {
            EXPECT_TRUE(eventually([&] {
                posthouse_buf_t json{};
                const auto status = posthouse_hub_status(hub, &json, nullptr);
                posthouse_buf_free(&json);
                return status == POSTHOUSE_INTERNAL;
            }));
        }
        posthouse_hub_close(hub, nullptr);
        posthouse_hub_free(hub);
        sound.flush();
    }
}
