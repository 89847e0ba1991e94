// Collections: several answers to one request, until enough have come or the window closes.
#include <posthouse/json.hpp>

#include <chrono>
#include <iostream>
#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using posthouse::Json;

int main() {
    posthouse::Hub hub("example-collect");
    hub.connected();
    auto rollCall = hub.var("roll-call");
    std::vector<posthouse::Subscription> machines;
    for (const std::string name : {"saw", "drill", "lathe"}) {
        machines.push_back(rollCall.handle([name] { return Json{{"machine", name}}; }));
    }

    // Ends as soon as three have answered.
    const auto everyone = rollCall.requestManyDetails(nullptr, {.maxReplies = 3}).get();
    std::set<Json> names;
    for (const auto &reply : everyone.replies) names.insert(reply.data["machine"]);
    for (const Json &name : names) std::cout << name << " ";
    std::cout << "(" << reasonName(everyone.reason) << ")\n";

    // Nobody knows how many there are: the window decides.
    const auto some = rollCall.requestManyDetails(nullptr, {.timeout = 300ms}).get();
    std::cout << some.replies.size() << " answers (" << reasonName(some.reason) << ")\n";
    hub.drain();
}
