// The first program: state and a request by one name, with nothing else installed.
// [cut]
#include <posthouse/json.hpp>

#include <iostream>

using posthouse::Json;

int main() {
    posthouse::Hub hub("workshop"); // connects, or is the node itself
    hub.connected();
    auto lamp = hub.var("lamp");
    lamp.set({{"on", true}}); // state: shared, merged, works offline
    auto handler = lamp.handle([](const Json &wish) { return Json{{"done", wish}}; }); // requests: answered here
    std::cout << lamp.req({{"on", false}}).get() << "\n";                              // and asked
}
// [/cut]
