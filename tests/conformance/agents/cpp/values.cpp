// Lines, errors, headers and options as the corpus writes them.
#include "agent.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>

using posthouse::Headers;

void tell(const Json &line) {
    static std::mutex lock;
    const std::lock_guard guard(lock);
    std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

Json failure() {
    try {
        throw;
    } catch (const posthouse::Error &error) {
        Json all{{"code", error.name()}, {"message", error.what()}, {"partial_replies", Json::array()}};
        if (error.limit()) all["limit"] = *error.limit();
        if (error.actual()) all["actual"] = *error.actual();
        for (const auto &reply : posthouse::partialReplies(error)) {
            all["partial_replies"].push_back({{"data", reply.data}, {"headers", pairs(reply.headers)}});
        }
        return all;
    } catch (const std::exception &error) {
        return {{"code", "AGENT"}, {"message", error.what()}};
    }
}

Headers headersOf(const Json &given) {
    Headers headers;
    for (const Json &pair : given) {
        const Json &value = pair[1];
        for (const Json &one : value.is_array() ? value : Json::array({value})) {
            headers.append(pair[0].get<std::string>(), one.get<std::string>());
        }
    }
    return headers;
}

namespace {

using Ordered = nlohmann::ordered_json;

/// Headers as a list of pairs, in a request and in what its handler does.
void listHeaders(Ordered &request) {
    for (const char *key : {"headers", "reply_headers"}) {
        if (!request.contains(key)) continue;
        Ordered list = Ordered::array();
        for (const auto &[name, value] : request[key].items()) list.push_back(Ordered::array({name, value}));
        request[key] = std::move(list);
    }
    if (!request.contains("do")) return;
    for (Ordered &action : request["do"]) {
        listHeaders(action);
        if (action.contains("call")) listHeaders(action["call"]);
    }
}

} // namespace

Json parseRequest(const std::string &line) {
    // The library's usual objects are sorted; headers come in an order that shows on the wire.
    auto request = Ordered::parse(line);
    listHeaders(request);
    return Json::parse(request.dump());
}

Json pairs(const Headers &headers) {
    Json all = Json::array();
    for (const auto &[name, value] : headers.entries()) all.push_back({name, value});
    return all;
}

std::shared_ptr<posthouse::Hub> openHub(const Json &request) {
    posthouse::HubOptions options;
    using Set = std::function<void(const Json &)>;
    const auto millis = [](auto &field) -> Set {
        return [&](const Json &value) { field = std::chrono::milliseconds(value.get<std::int64_t>()); };
    };
    const auto number = [](auto &field) -> Set {
        return [&](const Json &value) { field = value.get<std::int64_t>(); };
    };
    const auto text = [](auto &field) -> Set { return [&](const Json &value) { field = value.get<std::string>(); }; };
    auto &most = options.messaging;
    const std::map<std::string, Set> known{
        {"servers", [&](const Json &value) { options.servers = value.get<std::vector<std::string>>(); }},
        {"token", text(options.token)},
        {"nkey", text(options.nkey)},
        {"user", text(options.user)},
        {"password", text(options.password)},
        {"timeout", millis(options.timeout)},
        {"peer_timeout", millis(options.peerTimeout)},
        {"health_interval", millis(options.healthInterval)},
        {"probe_interval", millis(options.probeInterval)},
        {"ping_interval", millis(options.pingInterval)},
        {"ping_missed", number(options.pingMissed)},
        {"max_variables", number(options.maxVariables)},
        {"max_memory_bytes", number(options.maxMemoryBytes)},
        {"messaging.subscriptions", number(most.subscriptions)},
        {"messaging.requests", number(most.requests)},
        {"messaging.pending_messages", number(most.pendingMessages)},
        {"messaging.pending_bytes", number(most.pendingBytes)},
        {"messaging.outbound_bytes", number(most.outboundBytes)},
        {"messaging.payload_bytes", number(most.payloadBytes)},
        {"messaging.replies", number(most.replies)},
        {"messaging.reply_bytes", number(most.replyBytes)},
    };
    const Json given = request.value("options", Json::object());
    for (const auto &[name, value] : given.items()) {
        if (name == "messaging") {
            for (const auto &[member, held] : value.items()) known.at("messaging." + member)(held);
        } else {
            known.at(name)(value);
        }
    }
    const std::string name = request.value("namespace", "");
    const bool named = request.contains("namespace") && !request["namespace"].is_null();
    return std::make_shared<posthouse::Hub>(named ? std::optional<std::string_view>(name) : std::nullopt, options);
}
