// A program that ends in one of many ways while its handlers run: `ending WAY`.
#include <posthouse/text.hpp>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <semaphore>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using posthouse::text::Hub;

namespace {

posthouse::HubOptions here() {
    posthouse::HubOptions options;
    options.servers = {std::getenv("POSTHOUSE_TEST_URL")};
    return options;
}

std::string fresh() { return "ending-" + std::to_string(::getpid()); }

/// A hub at work: each event causes the next, and each changes the state.
struct Busy {
    Hub hub{fresh(), here()};
    std::atomic<long> count = 0;
    std::atomic<bool> told = false;
    std::binary_semaphore going{0};
    std::function<void()> once;
    posthouse::text::Subscription sub;
    posthouse::text::Subscription handler;
    posthouse::Watch watch;
    posthouse::Watch status;

    explicit Busy(std::function<void()> inHandler = {}, std::function<void()> inWatch = {})
        : once(std::move(inHandler)) {
        hub.connected();
        auto var = hub.var("x");
        sub = var.sub([this, var] {
            if (++count == 20) going.release();
            if (told && once) once();
            hub.var("state").set(std::to_string(count));
            var.pub();
        });
        handler = hub.var("y").handle([] { return "1"; });
        watch = hub.var("state").watchValue([this, inWatch](const auto &) {
            if (told && inWatch) inWatch();
        });
        status = hub.watch([](const auto &) {});
        var.pub();
        var.pub();
    }

    void ready() {
        going.acquire();
        std::puts("ready");
        std::fflush(stdout);
        told = true;
    }
};

std::atomic<int> interrupted = 0;

[[noreturn]] void forever() {
    for (;;) ::pause();
}

/// A panic in the middle of an operation: an error here, the end of this hub, and no harm to another.
int panic() {
    using Fail = posthouse_code_t (*)(const posthouse_hub_t *, std::uint32_t, posthouse_error_t **);
    const auto fail = reinterpret_cast<Fail>(::dlsym(RTLD_DEFAULT, "posthouse_test_fail"));
    // Rust's own words about it go nowhere.
    if (fail == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr) return 2;
    Busy other;
    Busy busy;
    busy.ready();
    if (fail(busy.hub.handle(), 1, nullptr) != POSTHOUSE_INTERNAL) return 1;
    try {
        busy.hub.var("x").pub();
        return 1;
    } catch (const posthouse::Error &error) {
        if (error.code() != posthouse::ErrorCode::Internal) return 1;
    }
    other.hub.flush();
    return 0;
}

/// What is destroyed in one of its orders.
int order() {
    auto busy = std::make_unique<Busy>();
    busy->ready();
    const std::vector<std::function<void()>> parts{[&] { busy->hub.close(); }, [&] { busy->sub = {}; },
                                                   [&] { busy->handler = {}; }, [&] { busy->watch = {}; },
                                                   [&] { busy->status = {}; }};
    const auto first = static_cast<std::size_t>(::getpid());
    for (std::size_t at = 0; at < parts.size(); ++at) parts[(first + at * 2) % parts.size()]();
    return 0;
}

/// Kilobytes in use.
long memory() {
    std::ifstream lines("/proc/self/status");
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("VmRSS:", 0) == 0) return std::strtol(line.c_str() + 6, nullptr, 10);
    }
    return 0;
}

int cycles() {
    Hub hub(fresh(), here());
    hub.connected();
    auto var = hub.var("x");
    long before = 0;
    for (int cycle = 0; cycle < 10'000; ++cycle) {
        if (cycle == 2'000) before = memory();
        auto sub = var.sub([](std::string_view, const posthouse::text::Context &) {});
        sub.unsubscribe();
    }
    const long grown = memory() - before;
    std::cerr << "grew by " << grown << " kB in 8,000 cycles\n";
    return grown < 1'024 ? 0 : 1;
}

int plugin(const char *path) {
    for (int time = 0; time < 20; ++time) {
        void *loaded = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (loaded == nullptr) {
            std::cerr << ::dlerror() << "\n";
            return 1;
        }
        const auto run = reinterpret_cast<int (*)()>(::dlsym(loaded, "run_plugin"));
        if (run() != 0) return 1;
        ::dlclose(loaded);
    }
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const std::string way = argc > 1 ? argv[1] : "";
    if (way == "cycles") return cycles();
    if (way == "plugin") return plugin(argv[2]);
    if (way == "return") {
        Busy busy;
        busy.ready();
        return 0;
    }
    if (way == "leaked") {
        auto *busy = new Busy;
        busy->ready();
        return 0;
    }
    if (way == "static") {
        static Busy busy;
        busy.ready();
        return 0;
    }
    if (way == "exit") {
        Busy busy;
        busy.ready();
        std::exit(3);
    }
    if (way == "exit-in-handler" || way == "exit-in-watch") {
        const auto leave = [] { std::exit(3); };
        auto *busy = way == "exit-in-handler" ? new Busy(leave) : new Busy({}, leave);
        busy->ready();
        forever();
    }
    if (way == "exit-in-thread") {
        Busy busy;
        busy.ready();
        std::thread([] { std::exit(3); }).join();
    }
    if (way == "thread") {
        std::thread([] {
            Busy busy;
            busy.ready();
        }).join();
        return 0;
    }
    if (way == "twice" || way == "afterwards") {
        Busy busy;
        busy.ready();
        busy.hub.close();
        busy.hub.close();
        try {
            if (way == "afterwards") busy.hub.var("x").pub();
            return way == "twice" ? 0 : 1;
        } catch (const posthouse::Error &error) {
            return error.code() == posthouse::ErrorCode::Closed ? 0 : 1;
        }
    }
    if (way == "closing") {
        // In every kind of callback: whoever comes first closes, the others close again.
        Busy *closing = nullptr;
        const auto close = [&] { closing->hub.close(); };
        Busy busy(close, close);
        closing = &busy;
        busy.ready();
        while (busy.hub.state() != posthouse::ConnectionState::closed) std::this_thread::yield();
        return 0;
    }
    if (way == "order") return order();
    if (way == "panic") return panic();
    if (way == "interrupt") {
        Busy busy;
        busy.ready();
        forever();
    }
    if (way == "handled-interrupt") {
        std::signal(SIGINT, [](int) { interrupted = 1; });
        Busy busy;
        busy.ready();
        while (interrupted == 0) std::this_thread::yield();
        busy.hub.close();
        busy.hub.close();
        return 0;
    }
    if (way == "drain") {
        Busy busy;
        busy.ready();
        try {
            busy.hub.drain();
        } catch (const posthouse::Error &error) {
            if (error.code() != posthouse::ErrorCode::DrainTimeout) throw;
        }
        return 0;
    }
    if (way == "fork") {
        Busy busy;
        busy.ready();
        const pid_t child = ::fork();
        if (child == 0) return 0;
        int status = 1;
        ::waitpid(child, &status, 0);
        return status;
    }
    std::cerr << "there is no way " << way << "\n";
    return 2;
}
