/// @file
/// Headers: names in any case, each with one value or several, in order.
#ifndef POSTHOUSE_HEADERS_HPP
#define POSTHOUSE_HEADERS_HPP

#include <posthouse.h>
#include <posthouse/sanitizer.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace posthouse {
namespace detail {

/// Frees a handle.
template <auto Function>
struct Free {
    template <class Handle>
    void operator()(Handle *handle) const noexcept {
        const Into into;
        Function(handle);
    }
};

inline std::string_view view(posthouse_str_t text) noexcept {
    return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.len);
}

/// A text for a call. Empty is not the same as none.
inline posthouse_str_t toC(std::string_view text) noexcept {
    return {text.data() == nullptr ? "" : text.data(), text.size()};
}

[[noreturn]] void fail(posthouse_error_t *error);

} // namespace detail

/// Headers of a message. A value type; the rules for names and values are checked when they are set.
class Headers {
public:
    /// A name with its values, for lists of them.
    struct Entry {
        Entry(std::string_view entryName, std::string_view value) : name(entryName), values{std::string(value)} {}
        Entry(std::string_view entryName, const char *value) : name(entryName), values{value} {}
        Entry(std::string_view entryName, std::initializer_list<const char *> all)
            : name(entryName), values(all.begin(), all.end()) {}
        Entry(std::string_view entryName, std::vector<std::string> all) : name(entryName), values(std::move(all)) {}

        std::string name;
        std::vector<std::string> values;
    };

    Headers() = default;
    /// `INVALID_HEADERS`.
    Headers(std::initializer_list<Entry> entries) {
        for (const Entry &entry : entries) {
            for (const std::string &value : entry.values) append(entry.name, value);
        }
    }
    Headers(const Headers &other) : handle_(other.handle_ ? posthouse_headers_clone(other.handle_.get()) : nullptr) {}
    Headers(Headers &&) noexcept = default;
    Headers &operator=(const Headers &other) {
        if (this != &other) *this = Headers(other);
        return *this;
    }
    Headers &operator=(Headers &&) noexcept = default;
    ~Headers() = default;

    /// A copy of headers that belong to something else.
    static Headers copy(const posthouse_headers_t *headers) {
        Headers all;
        if (posthouse_headers_count(headers) > 0) all.handle_.reset(posthouse_headers_clone(headers));
        return all;
    }

    /// Adds a value to those that the name has. `INVALID_HEADERS`.
    void append(std::string_view name, std::string_view value) { change<posthouse_headers_append>(name, value); }
    /// Gives the name one value instead of those that it has. `INVALID_HEADERS`.
    void set(std::string_view name, std::string_view value) { change<posthouse_headers_set>(name, value); }

    /// The first value of the name.
    [[nodiscard]] std::optional<std::string> get(std::string_view name) const {
        const posthouse_str_t value = posthouse_headers_get(handle_.get(), detail::toC(name), 0);
        if (value.data == nullptr) return std::nullopt;
        return std::string(detail::view(value));
    }

    /// All values of the name, in order.
    [[nodiscard]] std::vector<std::string> getAll(std::string_view name) const {
        std::vector<std::string> all;
        for (std::size_t at = 0;; ++at) {
            const posthouse_str_t value = posthouse_headers_get(handle_.get(), detail::toC(name), at);
            if (value.data == nullptr) return all;
            all.emplace_back(detail::view(value));
        }
    }

    /// Every entry: the names as given or received.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> entries() const {
        std::vector<std::pair<std::string, std::string>> all;
        for (std::size_t at = 0; at < size(); ++at) {
            posthouse_str_t name{}, value{};
            if (posthouse_headers_at(handle_.get(), at, &name, &value, nullptr) != POSTHOUSE_OK) break;
            all.emplace_back(detail::view(name), detail::view(value));
        }
        return all;
    }

    /// How many entries there are: every value of every name counts.
    [[nodiscard]] std::size_t size() const noexcept { return posthouse_headers_count(handle_.get()); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    /// What is handed to the C functions: nothing for no headers.
    [[nodiscard]] const posthouse_headers_t *given() const noexcept { return handle_.get(); }

private:
    template <auto Function>
    void change(std::string_view name, std::string_view value) {
        if (!handle_) handle_.reset(posthouse_headers_new());
        posthouse_error_t *error = nullptr;
        if (Function(handle_.get(), detail::toC(name), detail::toC(value), &error) != POSTHOUSE_OK) {
            detail::fail(error);
        }
    }

    std::unique_ptr<posthouse_headers_t, detail::Free<posthouse_headers_free>> handle_;
};

} // namespace posthouse

#include <posthouse/error.hpp>

namespace posthouse::detail {
[[noreturn]] inline void fail(posthouse_error_t *error) { throw Error(error); }
} // namespace posthouse::detail

#endif
