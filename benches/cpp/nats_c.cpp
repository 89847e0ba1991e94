// nats.c as a program of the benches, with nlohmann's JSON at both ends: `bench-nats-c MODE URL SUBJECT NUMBERS…`.
// Requests in flight together are made by as many threads, each waiting for its own; it sends at once.
#include "contract.hpp"

#include <nats/nats.h>
#include <nlohmann/json.hpp>

#include <thread>

namespace {

using Json = nlohmann::json;

void good(natsStatus status) {
    if (status != NATS_OK) throw std::runtime_error(natsStatus_GetText(status));
}

Json parse(natsMsg *message) {
    const char *data = natsMsg_GetData(message);
    return Json::parse(data, data + natsMsg_GetDataLength(message));
}

std::string reading(long i) { return bench::jsonReading<Json>(i).dump(); }

void publish(natsConnection *client, const std::string &subject, long n) {
    const double cpuBegan = bench::cpu(), began = bench::now();
    for (long i = 0; i < n; ++i) {
        const std::string text = reading(i);
        good(natsConnection_Publish(client, subject.c_str(), text.data(), static_cast<int>(text.size())));
    }
    good(natsConnection_FlushTimeout(client, 60'000));
    std::printf("{\"n\":%ld,\"elapsed_s\":%.9f,\"cpu_s\":%.9f}\n", n, bench::now() - began, bench::cpu() - cpuBegan);
}

void subscribe(natsConnection *client, const std::string &subject, long n) {
    bench::Receipt receipt(n);
    natsSubscription *subscription = nullptr;
    const auto handler = [](natsConnection *, natsSubscription *, natsMsg *message, void *given) {
        static_cast<bench::Receipt *>(given)->take(parse(message)["seq"].get<long>());
        natsMsg_Destroy(message);
    };
    good(natsConnection_Subscribe(&subscription, client, subject.c_str(), handler, &receipt));
    good(natsConnection_Flush(client));
    bench::ready(subject);
    receipt.report(0);
    natsSubscription_Unsubscribe(subscription);
    natsSubscription_Destroy(subscription);
}

void respond(natsConnection *client, const std::string &subject) {
    natsSubscription *subscription = nullptr;
    const auto handler = [](natsConnection *nats, natsSubscription *, natsMsg *message, void *) {
        const std::string text = parse(message).dump();
        natsConnection_Publish(nats, natsMsg_GetReply(message), text.data(), static_cast<int>(text.size()));
        natsMsg_Destroy(message);
    };
    good(natsConnection_Subscribe(&subscription, client, subject.c_str(), handler, nullptr));
    good(natsConnection_Flush(client));
    bench::ready(subject);
    bench::untilStdinEnds();
    std::printf("{\"cpu_s\":%.9f}\n", bench::cpu());
    natsSubscription_Destroy(subscription);
}

double ask(natsConnection *client, const std::string &subject, long i) {
    const double began = bench::now();
    const std::string text = reading(i);
    natsMsg *answer = nullptr;
    good(natsConnection_Request(&answer, client, subject.c_str(), text.data(), static_cast<int>(text.size()), 10'000));
    bench::check(parse(answer)["seq"].get<long>(), i);
    natsMsg_Destroy(answer);
    return (bench::now() - began) * 1e6;
}

void request(natsConnection *client, const std::string &subject, long n, long inFlight) {
    for (long i = 0; i < bench::WARM_UP; ++i) ask(client, subject, i);
    std::atomic<long> next = 0;
    std::mutex lock;
    std::vector<double> took;
    const auto asker = [&] {
        std::vector<double> own;
        for (long i = next++; i < n; i = next++) own.push_back(ask(client, subject, i));
        const std::lock_guard guard(lock);
        took.insert(took.end(), own.begin(), own.end());
    };
    const double cpuBegan = bench::cpu(), began = bench::now();
    if (inFlight == 1) {
        asker();
    } else {
        std::vector<std::thread> threads;
        for (long thread = 0; thread < inFlight; ++thread) threads.emplace_back(asker);
        for (auto &thread : threads) thread.join();
    }
    bench::tellTimes(std::move(took), bench::now() - began, bench::cpu() - cpuBegan);
}

} // namespace

int main(int argc, char **argv) {
    const bench::Arguments all(argc, argv);
    natsOptions *options = nullptr;
    natsConnection *client = nullptr;
    good(natsOptions_Create(&options));
    good(natsOptions_SetURL(options, all.url.c_str()));
    // Else what is written waits for up to a millisecond; publishing is faster then.
    if (all.mode == "req" || all.mode == "resp") good(natsOptions_SetSendAsap(options, true));
    good(natsConnection_Connect(&client, options));
    if (all.mode == "pub") {
        publish(client, all.subject, all.numbers.at(0));
    } else if (all.mode == "sub") {
        subscribe(client, all.subject, all.numbers.at(0));
    } else if (all.mode == "resp") {
        respond(client, all.subject);
    } else if (all.mode == "req") {
        request(client, all.subject, all.numbers.at(0), all.numbers.at(1));
    } else {
        std::cerr << "there is no mode " << all.mode << "\n";
        return 2;
    }
    natsConnection_Destroy(client);
    natsOptions_Destroy(options);
}
