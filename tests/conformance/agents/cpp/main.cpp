// The C++ agent of the shared scenarios: requests on standard input, answers and events on standard output,
// as the corpus' README tells. It uses the public interface of `posthouse` only.
//
// Every request is a coroutine: it starts on the main thread, so in the order of the lines, and goes on
// wherever what it waits for ends. What handlers do is one, too, with a deferred end.
#include "agent.hpp"

#include <iostream>

namespace {

/// Answers one request.
Detached serve(Agent &agent, Json request) {
    Json line{{"id", request["id"]}};
    try {
        line["ok"] = co_await run(agent, request);
    } catch (...) {
        line["error"] = failure();
    }
    tell(line);
}

} // namespace

int main() {
    tell({{"event", "hello"},
          {"stream", "hello"},
          {"language", "cpp"},
          {"capabilities",
           {"state", "messages", "queue", "headers", "collect", "in-handler", "context", "cancel", "node", "own-limits",
            "limit-in-errors", "instance-list", "one-connection", "websocket", "surrogates"}}});
    Agent agent;
    for (std::string line; std::getline(std::cin, line);) serve(agent, parseRequest(line));
}
