/// @file
/// Posthouse with JSON as text: no JSON library, nothing parsed. Include this, or `posthouse/json.hpp`.
#ifndef POSTHOUSE_TEXT_HPP
#define POSTHOUSE_TEXT_HPP

#include <posthouse/hub.hpp>

#include <string>
#include <string_view>

namespace posthouse {

/// JSON text both ways. The library checks it; what it gives out is valid.
struct TextCodec {
    using Value = std::string;
    using Given = std::string_view;
    /// What handlers are shown: good only while they run.
    using Shown = std::string_view;

    template <class F>
    static void encode(std::string_view text, F &&send) {
        send(detail::toC(text));
    }
    static std::string decode(std::string_view text) { return std::string(text); }
    static std::string_view shown(std::string_view text) noexcept { return text; }
    static std::string_view null() noexcept { return "null"; }
};

/// Hubs, variables and what belongs to them, with JSON as text.
namespace text {
using Hub = BasicHub<TextCodec>;
using Variable = BasicVariable<TextCodec>;
using Subscription = BasicSubscription<TextCodec>;
using Context = BasicContext<TextCodec>;
using HandleContext = BasicHandleContext<TextCodec>;
using Deferred = BasicDeferred<TextCodec>;
using Reply = BasicReply<TextCodec>;
using ManyResult = BasicManyResult<TextCodec>;
} // namespace text

} // namespace posthouse

#endif
