/// @file
/// What a program brings along when it opens a hub, besides numbers: credentials, dispatch, log.
#ifndef POSTHOUSE_HOST_HPP
#define POSTHOUSE_HOST_HPP

#include <posthouse.h>
#include <posthouse/headers.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace posthouse {

/// Who runs handlers and callbacks.
enum class Dispatch {
    /// Threads of the library: one for each subscription, one for everything else of a hub.
    threads = POSTHOUSE_DISPATCH_THREADS,
    /// The program, in `process()`, when the descriptor `fd()` is readable.
    fd = POSTHOUSE_DISPATCH_FD,
};

/// How much a line of the log matters.
enum class LogLevel {
    debug = POSTHOUSE_LEVEL_DEBUG,
    info = POSTHOUSE_LEVEL_INFO,
    warning = POSTHOUSE_LEVEL_WARNING,
};

/// A credential: a text, or a function that is asked anew at every attempt to connect.
class Credential {
public:
    Credential(std::string text) : text_(std::move(text)) {}
    Credential(const char *text) : text_(text) {}
    Credential(std::function<std::string()> ask) : ask_(std::move(ask)) {}

    /// The text; nothing where a function is asked.
    [[nodiscard]] posthouse_str_t text() const noexcept {
        return ask_ ? posthouse_str_t{nullptr, 0} : detail::toC(text_);
    }
    /// The function, empty where it is a text.
    [[nodiscard]] const std::function<std::string()> &ask() const noexcept { return ask_; }

private:
    std::string text_;
    std::function<std::string()> ask_;
};

} // namespace posthouse

#endif
