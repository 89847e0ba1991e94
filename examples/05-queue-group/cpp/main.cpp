// Queue groups: interchangeable workers share the messages; others get their own copy.
#include <posthouse/json.hpp>

#include <iostream>
#include <latch>
#include <mutex>
#include <set>

using posthouse::Json;

namespace {

void show(const char *who, const std::multiset<int> &numbers) {
    std::cout << who << ": ";
    char mark = '[';
    for (const int number : numbers) {
        std::cout << mark << (mark == '[' ? "" : " ") << number;
        mark = ',';
    }
    std::cout << "]\n";
}

} // namespace

int main() {
    posthouse::Hub hub("example-queue-group");
    hub.connected();
    auto jobs = hub.var("jobs");
    std::mutex lock; // handlers of different subscriptions run side by side
    std::multiset<int> done, seen;
    std::latch all(20);
    const auto into = [&](std::multiset<int> &numbers) {
        return [&](int number) {
            const std::lock_guard guard(lock);
            numbers.insert(number);
            all.count_down();
        };
    };
    auto first = jobs.subscribe(into(done), {.queue = "workers"});
    auto second = jobs.subscribe(into(done), {.queue = "workers"});
    auto auditor = jobs.subscribe(into(seen));
    for (int number = 1; number <= 10; ++number) jobs.publish(number);
    all.wait();

    show("the workers together", done);
    show("the auditor alone", seen);
    hub.drain();
}
