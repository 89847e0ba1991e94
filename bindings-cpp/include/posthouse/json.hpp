/// @file
/// Posthouse with `nlohmann::json`: `posthouse::Hub` and `posthouse::Json`. This header takes long to compile;
/// `posthouse/text.hpp` does not.
#ifndef POSTHOUSE_JSON_HPP
#define POSTHOUSE_JSON_HPP

#include <posthouse/hub.hpp>
#include <posthouse/json_text.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace posthouse {

using Json = nlohmann::json;

/// `nlohmann::json` at the face, text at the boundary.
struct JsonCodec {
    using Value = Json;
    using Given = const Json &;
    using Shown = Json;

    template <class F>
    static void encode(const Json &value, F &&send) {
        // One for each level of messages that are sent while one is written: none, for nothing calls back.
        thread_local std::string buffer;
        buffer.clear();
        detail::write(value, buffer);
        send(detail::toC(buffer));
        constexpr std::size_t keep = 128 * 1024;
        if (buffer.capacity() > keep) buffer = std::string();
    }
    static Json decode(std::string_view text) { return detail::parse<Json>(text); }
    static Json shown(std::string_view text) { return decode(text); }
    static Json null() { return nullptr; }
    template <class T>
    static T as(const Json &value) {
        return value.get<T>();
    }
};

using Hub = BasicHub<JsonCodec>;
using Variable = BasicVariable<JsonCodec>;
using Subscription = BasicSubscription<JsonCodec>;
using Context = BasicContext<JsonCodec>;
using HandleContext = BasicHandleContext<JsonCodec>;
using Deferred = BasicDeferred<JsonCodec>;
using Reply = BasicReply<JsonCodec>;
using ManyResult = BasicManyResult<JsonCodec>;

/// The answers that a collection had before it failed.
inline std::vector<Reply> partialReplies(const Error &error) {
    std::vector<Reply> all;
    for (const TextReply &reply : error.partialReplies()) all.push_back({JsonCodec::decode(reply.data), reply.headers});
    return all;
}

} // namespace posthouse

#endif
