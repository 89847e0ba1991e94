/// @file
/// JSON text to and from a value of the JSON library, for text that is known to be valid.
#ifndef POSTHOUSE_JSON_TEXT_HPP
#define POSTHOUSE_JSON_TEXT_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace posthouse::detail {

inline void writeString(std::string_view text, std::string &out) {
    out.push_back('"');
    std::size_t from = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        out.append(text, from, at - from);
        from = at + 1;
        switch (byte) {
        case '"':
            out.append("\\\"");
            break;
        case '\\':
            out.append("\\\\");
            break;
        case '\n':
            out.append("\\n");
            break;
        case '\r':
            out.append("\\r");
            break;
        case '\t':
            out.append("\\t");
            break;
        default: {
            constexpr std::string_view digits = "0123456789abcdef";
            out.append("\\u00");
            out.push_back(digits[byte >> 4U]);
            out.push_back(digits[byte & 15U]);
        }
        }
    }
    out.append(text, from);
    out.push_back('"');
}

template <class Number>
void writeNumber(Number number, std::string &out) {
    std::array<char, 40> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), end.ptr);
}

/// Writes a value as text. What is no JSON, not a number or bytes, is written in a way that the library
/// refuses, which says where it is.
template <class Json>
void write(const Json &value, std::string &out) {
    using Kind = typename Json::value_t;
    switch (value.type()) {
    case Kind::null:
        out.append("null");
        break;
    case Kind::boolean:
        out.append(value.template get_ref<const typename Json::boolean_t &>() ? "true" : "false");
        break;
    case Kind::number_integer:
        writeNumber(value.template get_ref<const typename Json::number_integer_t &>(), out);
        break;
    case Kind::number_unsigned:
        writeNumber(value.template get_ref<const typename Json::number_unsigned_t &>(), out);
        break;
    case Kind::number_float: {
        const auto number = value.template get_ref<const typename Json::number_float_t &>();
        if (std::isfinite(number)) {
            writeNumber(number, out);
        } else {
            out.append("NaN");
        }
        break;
    }
    case Kind::string:
        writeString(value.template get_ref<const typename Json::string_t &>(), out);
        break;
    case Kind::array: {
        char mark = '[';
        for (const auto &item : value.template get_ref<const typename Json::array_t &>()) {
            out.push_back(mark);
            mark = ',';
            write(item, out);
        }
        if (mark == '[') out.push_back('[');
        out.push_back(']');
        break;
    }
    case Kind::object: {
        char mark = '{';
        for (const auto &[key, item] : value.template get_ref<const typename Json::object_t &>()) {
            out.push_back(mark);
            mark = ',';
            writeString(key, out);
            out.push_back(':');
            write(item, out);
        }
        if (mark == '{') out.push_back('{');
        out.push_back('}');
        break;
    }
    case Kind::binary:
    case Kind::discarded:
        out.append("bytes");
        break;
    }
}

/// Reads text that the library has checked: valid JSON, valid UTF-8, numbers in range, bounded depth. What is
/// none of that gives some value or another, but reads nothing outside the text.
template <class Json>
class Parser {
public:
    explicit Parser(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

    Json value() {
        switch (next()) {
        case '{':
            return object();
        case '[':
            return array();
        case '"':
            return string();
        case 't':
            at_ += std::min<std::ptrdiff_t>(4, end_ - at_);
            return true;
        case 'f':
            at_ += std::min<std::ptrdiff_t>(5, end_ - at_);
            return false;
        case 'n':
            at_ += std::min<std::ptrdiff_t>(4, end_ - at_);
            return nullptr;
        default:
            return number();
        }
    }

private:
    /// The next byte that is no white space; 0 at the end.
    char next() noexcept {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
        return at_ == end_ ? '\0' : *at_;
    }

    bool take(char byte) noexcept {
        if (next() != byte || at_ == end_) return false;
        ++at_;
        return true;
    }

    Json object() {
        Json all(Json::value_t::object);
        auto &members = all.template get_ref<typename Json::object_t &>();
        ++at_;
        while (next() == '"') {
            typename Json::string_t key = string();
            take(':');
            // Of a duplicate key the last wins.
            members.insert_or_assign(std::move(key), value());
            if (!take(',')) break;
        }
        take('}');
        return all;
    }

    Json array() {
        Json all(Json::value_t::array);
        auto &items = all.template get_ref<typename Json::array_t &>();
        ++at_;
        while (next() != ']' && at_ != end_) {
            items.push_back(value());
            if (!take(',')) break;
        }
        take(']');
        return all;
    }

    typename Json::string_t string() {
        const char *from = ++at_;
        while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
        typename Json::string_t text(from, at_);
        while (at_ != end_ && *at_ == '\\') {
            escape(text);
            from = at_;
            while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
            text.append(from, at_);
        }
        if (at_ != end_) ++at_;
        return text;
    }

    void escape(typename Json::string_t &text) {
        if (++at_ == end_) return;
        switch (const char byte = *at_++) {
        case 'b':
            text.push_back('\b');
            break;
        case 'f':
            text.push_back('\f');
            break;
        case 'n':
            text.push_back('\n');
            break;
        case 'r':
            text.push_back('\r');
            break;
        case 't':
            text.push_back('\t');
            break;
        case 'u': {
            std::uint32_t point = hex();
            if (point >= 0xD800 && point < 0xDC00 && end_ - at_ >= 6) {
                at_ += 2;
                point = 0x10000 + ((point - 0xD800) << 10U) + (hex() - 0xDC00);
            }
            append(text, point);
            break;
        }
        default:
            text.push_back(byte);
        }
    }

    std::uint32_t hex() noexcept {
        std::uint32_t unit = 0;
        const char *to = at_ + std::min<std::ptrdiff_t>(4, end_ - at_);
        at_ = std::from_chars(at_, to, unit, 16).ptr;
        return unit;
    }

    static void append(typename Json::string_t &text, std::uint32_t point) {
        const auto byte = [&](std::uint32_t bits) {
            text.push_back(static_cast<char>(static_cast<unsigned char>(bits)));
        };
        if (point < 0x80) {
            byte(point);
        } else if (point < 0x800) {
            byte(0xC0U | (point >> 6U));
            byte(0x80U | (point & 0x3FU));
        } else if (point < 0x10000) {
            byte(0xE0U | (point >> 12U));
            byte(0x80U | ((point >> 6U) & 0x3FU));
            byte(0x80U | (point & 0x3FU));
        } else {
            byte(0xF0U | (point >> 18U));
            byte(0x80U | ((point >> 12U) & 0x3FU));
            byte(0x80U | ((point >> 6U) & 0x3FU));
            byte(0x80U | (point & 0x3FU));
        }
    }

    Json number() {
        const char *to = at_;
        bool whole = true;
        for (; to != end_ &&
               (std::string_view("+-.eE").find(*to) != std::string_view::npos || (*to >= '0' && *to <= '9'));
             ++to) {
            whole = whole && *to != '.' && *to != 'e' && *to != 'E';
        }
        const char *from = std::exchange(at_, to);
        // Not a number at all: past what is no JSON, so that the end is reached.
        if (from == to) at_ = end_;
        if (whole && from != to && *from != '-') {
            typename Json::number_unsigned_t number = 0;
            if (std::from_chars(from, to, number).ec == std::errc()) return number;
        } else if (whole) {
            typename Json::number_integer_t number = 0;
            if (std::from_chars(from, to, number).ec == std::errc()) return number;
        }
        typename Json::number_float_t number = 0;
        std::from_chars(from, to, number);
        return number;
    }

    const char *at_;
    const char *end_;
};

template <class Json>
Json parse(std::string_view text) {
    return Parser<Json>(text).value();
}

} // namespace posthouse::detail

#endif
