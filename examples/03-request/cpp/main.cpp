// Requests: one answer, or a reason why there is none.
#include <posthouse/json.hpp>

#include <iostream>
#include <numeric>
#include <vector>

using posthouse::Json;

int main() {
    posthouse::Hub hub("example-request");
    hub.connected();
    // [cut]
    auto sum = hub.var("sum");
    auto handler = sum.handle([](const Json &request) {
        const auto numbers = request.get<std::vector<int>>();
        return Json{{"sum", std::accumulate(numbers.begin(), numbers.end(), 0)}};
    });
    std::cout << "answer: " << sum.request({1, 2, 3}).get() << "\n";

    // A handler's failure is recorded on its side; a business failure is data. Here nobody listens at all,
    // which the broker says at once.
    handler.drain();
    try {
        const Json answer = sum.request({4}).get();
        std::cout << "answer: " << answer << "\n";
    } catch (const posthouse::Error &error) {
        std::cout << "refused: " << error.name() << "\n";
    }
    // [/cut]
    hub.drain();
}
