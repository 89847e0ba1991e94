// Headers: about the data, beside the data. Names in any case, values repeated and in order.
#include <posthouse/json.hpp>

#include <iostream>

using posthouse::Json;

int main() {
    posthouse::Hub hub("example-headers");
    hub.connected();
    auto order = hub.var("order");
    auto handler = order.handle([](const Json &, posthouse::HandleContext &context) {
        std::cout << "trace: " << context.headers().get("TRACE-ID").value_or("none") << "\n";
        const auto tags = context.headers().getAll("tag");
        std::cout << "tags: [\"" << tags.at(0) << "\", \"" << tags.at(1) << "\"]\n";
        context.replyHeaders().set("served-by", "example");
        return "accepted";
    });

    const posthouse::Headers headers{{"Trace-Id", "a1b2"}, {"tag", {"fragile", "urgent"}}};
    const auto reply = order.requestDetails({{"item", 7}}, {.headers = headers}).get();
    std::cout << reply.data << " from " << reply.headers.get("served-by").value_or("nobody") << "\n";

    try {
        order.publish(nullptr, {{"note", "two\nlines"}});
    } catch (const posthouse::Error &error) {
        std::cout << "refused: " << error.name() << "\n";
    }
    hub.drain();
}
