// A C++ program that talks to a robot through the bridge; talk.py and talk.mjs are the same.
#include <posthouse/json.hpp>

#include <chrono>
#include <future>
#include <iostream>
#include <latch>
#include <optional>
#include <string>
#include <vector>

using posthouse::Json;

int main(int, char **argv) {
    posthouse::HubOptions options;
    options.servers = std::vector<std::string>{argv[2]};
    posthouse::Hub hub(argv[1], options);
    hub.connected();
    std::latch three(3);
    std::latch end(1);
    std::vector<int> presses;
    auto press = hub.var("robot.press").subscribe([&](const Json &data) {
        presses.push_back(data["data"].get<int>());
        three.count_down();
    });
    auto ask = hub.var("ask.cpp").handle([](const Json &) { return Json{{"success", true}, {"message", "cpp"}}; });
    auto over = hub.var("end").subscribe([&](const Json &) { end.count_down(); });
    std::promise<void> ready;
    bool told = false;
    auto state = hub.var("robot.state").watchValue([&](const std::optional<Json> &value) {
        if (!told && value && value->value("data", "") == "ready") {
            told = true;
            ready.set_value();
        }
    });
    ready.get_future().wait();
    hub.var("say.cpp").publish({{"data", "cpp"}});
    hub.var("mode.cpp").set({{"data", "cpp"}});
    const Json motor = hub.var("robot.motor").request({{"data", true}}, {.timeout = std::chrono::seconds(20)}).get();
    std::cout << "motor " << motor["message"].get<std::string>() << std::endl;
    three.wait();
    std::cout << "presses";
    for (const int number : presses) {
        std::cout << ' ' << number;
    }
    std::cout << std::endl;
    end.wait();
    std::cout << "ends" << std::endl;
    hub.close();
}
