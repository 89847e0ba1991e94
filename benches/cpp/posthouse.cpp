// Posthouse for C++ as a program of the benches: `bench-posthouse-cpp MODE URL SUBJECT NUMBERS…`, with nlohmann's
// JSON at both ends; compiled with BENCH_TEXT, with text that is put together and searched.
// `BENCH_ROOM=1`: queues as large as those of the plain NATS clients, so that a flood fits.
#include "contract.hpp"

#ifdef BENCH_TEXT
#include <posthouse/text.hpp>
#else
#include <posthouse/json.hpp>
#endif

#include <deque>

namespace {

#ifdef BENCH_TEXT
using posthouse::text::Hub;
using posthouse::text::Variable;
using Data = std::string;
using Shown = std::string_view;
Data reading(long i) { return bench::textReading(i); }
long seqOf(Shown data) { return bench::textSeq(data); }
std::string again(Shown data) { return std::string(data); }
#else
using posthouse::Hub;
using posthouse::Variable;
using Data = posthouse::Json;
using Shown = const posthouse::Json &;
Data reading(long i) { return bench::jsonReading<posthouse::Json>(i); }
long seqOf(Shown data) { return data["seq"].get<long>(); }
Data again(Shown data) { return data; }
#endif

using namespace std::chrono_literals;

posthouse::SubscriptionOptions room() {
    if (std::getenv("BENCH_ROOM") == nullptr) return {};
    return {.pendingMessages = 524'288, .pendingBytes = 128 << 20};
}

void publish(Hub &hub, const Variable &var, long n) {
    long waits = 0;
    const double cpuBegan = bench::cpu(), began = bench::now();
    for (long i = 0; i < n; ++i) {
        for (;;) {
            try {
                var.pub(reading(i));
                break;
            } catch (const posthouse::Error &error) {
                // The outbound buffer is bounded: full, it has to be waited for.
                if (error.code() != posthouse::ErrorCode::BufferOverflow) throw;
                ++waits;
                hub.flush(60s);
            }
        }
    }
    hub.flush(60s);
    std::printf("{\"n\":%ld,\"elapsed_s\":%.9f,\"cpu_s\":%.9f,\"overflow_waits\":%ld}\n", n, bench::now() - began,
                bench::cpu() - cpuBegan, waits);
}

void subscribe(const Variable &var, const std::string &subject, long n) {
    bench::Receipt receipt(n);
    auto subscription = var.sub([&](Shown data) { receipt.take(seqOf(data)); }, room());
    bench::ready(bench::wire(subject));
    receipt.report(0);
}

void respond(const Variable &var, const std::string &subject) {
    auto handler = var.handle([](Shown data) { return again(data); });
    bench::ready(bench::wire(subject));
    bench::untilStdinEnds();
    std::printf("{\"cpu_s\":%.9f}\n", bench::cpu());
}

void request(const Variable &var, long n, long inFlight) {
    const posthouse::RequestOptions options{.timeout = 10s};
    for (long i = 0; i < bench::WARM_UP; ++i) bench::check(seqOf(var.req(reading(i), options).get()), i);
    struct Pending {
        long number;
        double began;
        posthouse::Request<Data> request;
    };
    std::deque<Pending> pending;
    std::vector<double> took;
    took.reserve(static_cast<std::size_t>(n));
    const double cpuBegan = bench::cpu(), began = bench::now();
    for (long i = 0; i < n || !pending.empty();) {
        if (i < n && static_cast<long>(pending.size()) < inFlight) {
            const double at = bench::now();
            pending.push_back({i, at, var.req(reading(i), options)});
            ++i;
            continue;
        }
        auto &oldest = pending.front();
        bench::check(seqOf(oldest.request.get()), oldest.number);
        took.push_back((bench::now() - oldest.began) * 1e6);
        pending.pop_front();
    }
    bench::tellTimes(std::move(took), bench::now() - began, bench::cpu() - cpuBegan);
}

} // namespace

int main(int argc, char **argv) {
    const bench::Arguments all(argc, argv);
    posthouse::HubOptions options;
    options.servers = {all.url};
    if (std::getenv("BENCH_ROOM") != nullptr) {
        options.messaging.pendingMessages = 524'288;
        options.messaging.pendingBytes = 128 << 20;
    }
    Hub hub(bench::NAMESPACE, options);
    hub.connected(60s);
    const auto var = hub.var(all.subject);
    if (all.mode == "pub") {
        publish(hub, var, all.numbers.at(0));
    } else if (all.mode == "sub") {
        subscribe(var, all.subject, all.numbers.at(0));
    } else if (all.mode == "resp") {
        respond(var, all.subject);
    } else if (all.mode == "req") {
        request(var, all.numbers.at(0), all.numbers.at(1));
    } else {
        std::cerr << "there is no mode " << all.mode << "\n";
        return 2;
    }
}
