/// @file
/// JSON text to and from a value of the JSON library, for text that is known to be valid.
#ifndef POSTHOUSE_JSON_TEXT_HPP
#define POSTHOUSE_JSON_TEXT_HPP

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

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

template <class Json>
Json parse(std::string_view text) {
    return Json::parse(text);
}

} // namespace posthouse::detail

#endif
