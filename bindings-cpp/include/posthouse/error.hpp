/// @file
/// Errors as exceptions, and how results of the C functions become them.
#ifndef POSTHOUSE_ERROR_HPP
#define POSTHOUSE_ERROR_HPP

#include <posthouse.h>
#include <posthouse/code.hpp>
#include <posthouse/headers.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace posthouse {

/// An answer as it came: its JSON text, and its headers.
struct TextReply {
    std::string data;
    Headers headers;
};

/// What went wrong. `what()` says what was given, what is allowed and what to do; it never has a secret.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string &message) : std::runtime_error(message), code_(code) {}

    /// Takes an error of the C functions over.
    explicit Error(posthouse_error_t *error)
        : std::runtime_error(std::string(detail::view(posthouse_error_message(error)))),
          code_(static_cast<ErrorCode>(posthouse_error_code(error))) {
        const std::unique_ptr<posthouse_error_t, detail::Free<posthouse_error_free>> owned(error);
        if (const auto limit = posthouse_error_limit(error); limit >= 0) limit_ = limit;
        if (const auto actual = posthouse_error_actual(error); actual >= 0) actual_ = actual;
        const std::size_t count = posthouse_error_partial_count(error);
        if (count == 0) return;
        auto replies = std::make_shared<std::vector<TextReply>>();
        for (std::size_t at = 0; at < count; ++at) {
            replies->push_back({std::string(detail::view(posthouse_error_partial_body(error, at))),
                                Headers::copy(posthouse_error_partial_headers(error, at))});
        }
        partial_ = std::move(replies);
    }

    /// What kind of thing it is, the same in every language.
    [[nodiscard]] ErrorCode code() const noexcept { return code_; }
    /// The code as text, e.g. `NO_RESPONDERS`.
    [[nodiscard]] std::string_view name() const noexcept { return codeName(code_); }
    /// The limit that was passed, where it is about one.
    [[nodiscard]] std::optional<std::int64_t> limit() const noexcept { return limit_; }
    /// What was measured against it.
    [[nodiscard]] std::optional<std::int64_t> actual() const noexcept { return actual_; }
    /// The answers that a collection had before it failed, as JSON text.
    [[nodiscard]] const std::vector<TextReply> &partialReplies() const noexcept {
        static const std::vector<TextReply> none;
        return partial_ ? *partial_ : none;
    }

private:
    ErrorCode code_;
    std::optional<std::int64_t> limit_;
    std::optional<std::int64_t> actual_;
    // Shared: exceptions have to be copied without failing.
    std::shared_ptr<const std::vector<TextReply>> partial_;
};

namespace detail {

/// Calls a C function that takes the place of its error last, and throws what went wrong.
template <auto Function, class... Arguments>
void call(Arguments... arguments) {
    posthouse_error_t *error = nullptr;
    const auto code = [&] {
        const Into into;
        return Function(arguments..., &error);
    }();
    if (code != POSTHOUSE_OK) throw Error(error);
}

/// The text of the exception that is being handled, for reports.
inline std::string currentMessage() noexcept {
    try {
        try {
            throw;
        } catch (const std::exception &error) {
            return error.what();
        } catch (...) {
            return "something that is no std::exception was thrown";
        }
    } catch (...) {
        return {};
    }
}

} // namespace detail
} // namespace posthouse

#endif
