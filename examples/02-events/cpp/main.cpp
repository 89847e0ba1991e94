// Events: to whoever is subscribed now. Patterns: `*` is one level, `>` at the end the rest.
#include <posthouse/json.hpp>

#include <iostream>
#include <latch>

using posthouse::Json;

int main() {
    posthouse::Hub hub("example-events");
    hub.connected();
    // [cut]
    std::latch three(3);
    auto readings = hub.var("sensor.*.temperature").subscribe([&](const Json &data, const posthouse::Context &context) {
        std::cout << context.topic() << ": " << data << "\n";
        three.count_down();
    });

    // Nobody is subscribed to this one: it is gone.
    hub.var("sensor.hall.humidity").publish(40);
    hub.var("sensor.hall.temperature").publish(19.5);
    hub.var("sensor.yard.temperature").publish(-2);
    // Equal events are separate messages.
    hub.var("sensor.yard.temperature").publish(-2);
    three.wait();
    // [/cut]
    hub.drain();
}
