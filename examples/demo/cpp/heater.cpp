// A heater: does what the thermostat's state says, has a state of its own, answers the roll call.
#include <posthouse/json.hpp>

#include <iostream>
#include <semaphore>

using posthouse::Json;

int main(int count, char **arguments) {
    posthouse::Hub hub(count > 1 ? arguments[1] : "demo");
    hub.connected();
    auto heater = hub.var("heater");
    heater.set({{"on", false}});
    auto here = hub.var("roll-call").handle([](const Json &) { return Json("heater in C++"); });
    std::counting_semaphore over(0);
    auto end = hub.var("demo.end").subscribe([&](const Json &) { over.release(); });
    auto watch = hub.var("thermostat").watchValue([&](const std::optional<Json> &thermostat) {
        const bool on = thermostat && thermostat->value("heating", false);
        if (heater.get({{"on", false}})["on"] == on) return;
        std::cout << "<- thermostat  state: " << *thermostat << std::endl;
        heater.set({{"on", on}});
        std::cout << "-> all         state: " << (on ? "on" : "off") << std::endl;
    });
    std::cout << "ready" << std::endl;

    over.acquire();
    std::cout << "<- shell       event: the end; leaving in order" << std::endl;
    hub.drain();
}
