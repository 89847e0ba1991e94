// What the C++ programs of the benches have in common: arguments, the payload, what they count and print.
#pragma once

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

namespace bench {

/// The first number in a payload's `seq`, so that all payloads are equally long.
inline constexpr long FIRST = 1'000'000;
/// Requests that are not measured: connections and caches get warm.
inline constexpr int WARM_UP = 200;
inline constexpr std::string_view NAMESPACE = "bench";

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of processor time that this process has used, all threads, user and system.
inline double cpu() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The payload of message `i` as text, made afresh.
inline std::string textReading(long i) {
    std::string text = "{\"seq\":";
    text.reserve(160);
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, FIRST + i);
    text.append(digits, end.ptr);
    text += ",\"ts\":1764500000.125,\"name\":\"sensor/front\",\"x\":0.125,\"y\":-1.5,\"z\":9.8125,\"ok\":true,"
            "\"unit\":\"m/s2\",\"tags\":[\"a\",\"b\"]}";
    return text;
}

/// Its number, found in the text.
inline long textSeq(std::string_view text) {
    const auto at = text.find("\"seq\":");
    long number = 0;
    if (at != std::string_view::npos) std::from_chars(text.data() + at + 6, text.data() + text.size(), number);
    return number;
}

/// The payload as a value of the JSON library, made afresh.
template <class Json>
Json jsonReading(long i) {
    return {{"seq", FIRST + i}, {"ts", 1764500000.125}, {"name", "sensor/front"}, {"x", 0.125},        {"y", -1.5},
            {"z", 9.8125},      {"ok", true},           {"unit", "m/s2"},         {"tags", {"a", "b"}}};
}

inline std::string hex(std::string_view text) {
    std::string all;
    for (const char byte : text) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
        all += two;
    }
    return all;
}

/// The subject on the wire of a concrete name, for the raw publisher.
inline std::string wire(std::string_view name) {
    std::string subject = "_msg.v1." + hex(NAMESPACE);
    for (std::size_t from = 0; from <= name.size();) {
        const auto to = std::min(name.find('.', from), name.size());
        subject += "." + hex(name.substr(from, to - from));
        from = to + 1;
    }
    return subject;
}

inline void ready(const std::string &subject) {
    std::cout << "{\"ready\":true,\"subject\":\"" << subject << "\"}" << std::endl;
}

inline void untilStdinEnds() {
    char byte;
    while (std::cin.get(byte)) {
    }
}

/// Counts what a subscriber gets.
class Receipt {
public:
    explicit Receipt(long wanted) : wanted_(wanted) {}

    void take(long seq) {
        if (received_ == 0) {
            began_ = now();
            cpuBegan_ = cpu();
        }
        sum_ += seq;
        if (++received_ == wanted_) finish();
    }

    /// Waits for the last message, or for silence of 1.5 s, and prints the count.
    void report(long drops) {
        std::unique_lock guard(lock_);
        for (long last = -1; !done_;) {
            if (done_told_.wait_for(guard, std::chrono::milliseconds(1500)) == std::cv_status::timeout) {
                const long got = received_;
                if (got > 0 && got == last) break;
                last = got;
            }
        }
        if (!done_) {
            ended_ = now() - 1.5;
            cpuEnded_ = cpu();
        }
        std::printf("{\"n\":%ld,\"received\":%ld,\"elapsed_s\":%.9f,\"cpu_s\":%.9f,\"check\":%ld,\"own_drops\":%ld}\n",
                    wanted_, received_.load(), ended_ - began_, cpuEnded_ - cpuBegan_, sum_, drops);
        std::fflush(stdout);
    }

private:
    void finish() {
        const std::lock_guard guard(lock_);
        ended_ = now();
        cpuEnded_ = cpu();
        done_ = true;
        done_told_.notify_all();
    }

    const long wanted_;
    std::atomic<long> received_ = 0;
    long sum_ = 0;
    double began_ = 0, ended_ = 0, cpuBegan_ = 0, cpuEnded_ = 0;
    std::mutex lock_;
    std::condition_variable done_told_;
    bool done_ = false;
};

/// Prints how long requests took, in microseconds each.
inline void tellTimes(std::vector<double> took, double elapsed, double used) {
    std::sort(took.begin(), took.end());
    const auto quantile = [&](double share) {
        return took[std::min(took.size() - 1, static_cast<std::size_t>(static_cast<double>(took.size()) * share))];
    };
    std::printf("{\"n\":%zu,\"elapsed_s\":%.9f,\"cpu_s\":%.9f,\"p50_us\":%.3f,\"p99_us\":%.3f}\n", took.size(), elapsed,
                used, quantile(0.5), quantile(0.99));
}

inline void check(long seq, long i) {
    if (seq != FIRST + i) throw std::runtime_error("request " + std::to_string(i) + " got another answer");
}

struct Arguments {
    std::string mode, url, subject;
    std::vector<long> numbers;

    Arguments(int argc, char **argv) {
        if (argc < 4) throw std::runtime_error("MODE URL SUBJECT NUMBERS…");
        mode = argv[1];
        url = argv[2];
        subject = argv[3];
        for (int at = 4; at < argc; ++at) numbers.push_back(std::strtol(argv[at], nullptr, 10));
    }
};

} // namespace bench
