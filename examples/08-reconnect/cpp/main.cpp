// Reconnect: state works offline and is merged on return; messages need a connection.
//
// Stop the broker when this says `connected`, and start it again when it says `offline`.
#include <posthouse/json.hpp>

#include <chrono>
#include <iostream>
#include <semaphore>

using namespace std::chrono_literals;
using posthouse::Json;

int main() {
    posthouse::Hub hub("example-reconnect");
    hub.connected();
    auto counter = hub.var("counter");
    counter.set(1);
    hub.flush();
    std::cout << "connected" << std::endl;

    std::binary_semaphore lost(0);
    auto states = hub.watch([&, told = false](const Json &status) mutable {
        if (status["connection"] != "connected" && !told) {
            told = true;
            lost.release();
        }
    });
    lost.acquire();
    states.stop();
    counter.set(2);
    std::cout << "offline: the value is " << counter.get(nullptr) << "\n";
    try {
        counter.publish("lost");
    } catch (const posthouse::Error &error) {
        std::cout << "offline: a message is refused with " << error.name() << std::endl;
    }

    hub.connected(60s);
    std::binary_semaphore confirmed(0);
    auto changes = counter.watch([&, told = false](const auto &, const posthouse::Meta &meta) mutable {
        if (!meta.pending && !told) {
            told = true;
            confirmed.release();
        }
    });
    confirmed.acquire();
    std::cout << "connected again: the value is " << counter.get(nullptr) << ", confirmed\n";
    hub.drain();
}
