// Drain: stop taking new work, finish what was accepted, then close.
#include <posthouse/json.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

int main() {
    posthouse::Hub hub("example-drain");
    hub.connected();
    auto jobs = hub.var("jobs");
    std::atomic<int> done = 0;
    auto worker = jobs.subscribe([&] {
        std::this_thread::sleep_for(20ms); // the work itself
        ++done;
    });
    for (int number = 1; number <= 5; ++number) jobs.publish(number);
    hub.flush();

    hub.drain(5s);
    std::cout << "done before the hub closed: " << done << "\n";
    try {
        jobs.publish(6);
        std::cout << "published\n";
    } catch (const posthouse::Error &error) {
        std::cout << "refused: " << error.name() << "\n";
    }
}
