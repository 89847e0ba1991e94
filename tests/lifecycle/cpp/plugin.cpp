// A plugin that uses a hub while it is loaded.
#include <posthouse/text.hpp>

#include <cstdlib>

extern "C" int run_plugin() {
    posthouse::HubOptions options;
    options.servers = {std::getenv("POSTHOUSE_TEST_URL")};
    posthouse::text::Hub hub(std::nullopt, options);
    hub.connected();
    auto handler = hub.var("x").handle([](std::string_view data) { return std::string(data); });
    const bool answered = hub.var("x").req("7").get() == "7";
    hub.close();
    // The plugin's code goes; the library's threads must not be left in it.
    posthouse_shutdown();
    return answered ? 0 : 1;
}
