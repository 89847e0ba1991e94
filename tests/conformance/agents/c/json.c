// Reading requests and writing lines. The runner's JSON is valid, so reading only looks for the ends of things.
#include "agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *past_string(const char *at, const char *end) {
    for (++at; at < end && *at != '"'; ++at) {
        if (*at == '\\') ++at;
    }
    return at < end ? at + 1 : end;
}

static const char *past_value(const char *at, const char *end) {
    size_t depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = past_string(at, end);
            if (depth == 0) return at;
            continue;
        }
        if (depth == 0 && strchr(",]} \n", *at) != NULL) return at;
        if (*at == '{' || *at == '[') ++depth;
        if ((*at == '}' || *at == ']') && --depth == 0) return at + 1;
        ++at;
    }
    return end;
}

static const char *past_any(const char *at, const char *end, const char *letters) {
    while (at < end && strchr(letters, *at) != NULL) ++at;
    return at;
}

struct each each(text_t container) {
    const char *end = container.data + container.len;
    if (container.len == 0 || strchr("{[", container.data[0]) == NULL) return (struct each){.at = end, .end = end};
    return (struct each){.at = container.data + 1, .end = end};
}

bool next(struct each *each) {
    each->at = past_any(each->at, each->end, ", \n");
    if (each->at >= each->end || *each->at == '}' || *each->at == ']') return false;
    const char *past = past_value(each->at, each->end);
    each->value = (text_t){each->at, (size_t)(past - each->at)};
    past = past_any(past, each->end, " \n");
    if (past < each->end && *past == ':') {
        each->name = (text_t){each->value.data + 1, each->value.len - 2};
        each->at = past_any(past + 1, each->end, " \n");
        past = past_value(each->at, each->end);
        each->value = (text_t){each->at, (size_t)(past - each->at)};
    }
    each->at = past;
    return true;
}

bool is(text_t text, const char *wanted) {
    if (text.len >= 2 && text.data[0] == '"') text = (text_t){text.data + 1, text.len - 2};
    return text.data != NULL && text.len == strlen(wanted) && memcmp(text.data, wanted, text.len) == 0;
}

text_t member(text_t object, const char *name) {
    for (struct each one = each(object); next(&one);) {
        if (is(one.name, name)) return one.value;
    }
    return (text_t){NULL, 0};
}

int64_t number(text_t json, int64_t otherwise) { return json.data == NULL ? otherwise : strtoll(json.data, NULL, 10); }

char *copy(text_t text) {
    char *made = malloc(text.len + 1);
    if (made == NULL) abort();
    if (text.len > 0) memcpy(made, text.data, text.len);
    made[text.len] = '\0';
    return made;
}

static unsigned long hex(const char *digits) {
    const char four[5] = {digits[0], digits[1], digits[2], digits[3], '\0'};
    return strtoul(four, NULL, 16);
}

/// UTF-8, for surrogates that stand alone, too: the library is to refuse them.
static char *put_letter(char *out, unsigned long letter) {
    if (letter < 0x80) {
        *out++ = (char)letter;
        return out;
    }
    const int more = letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(first[more] | letter >> 6 * more);
    for (int rest = more - 1; rest >= 0; --rest) *out++ = (char)(0x80 | (letter >> 6 * rest & 0x3f));
    return out;
}

char *unquoted(text_t json, size_t *length) {
    if (json.data == NULL || json.data[0] != '"') return NULL;
    char *made = copy(json);
    char *out = made;
    const char *end = json.data + json.len - 1;
    for (const char *at = json.data + 1; at < end; ++at) {
        if (*at != '\\') {
            *out++ = *at;
            continue;
        }
        static const char short_forms[] = "b\bf\fn\nr\rt\t";
        const char *known = strchr(short_forms, *++at);
        if (*at != 'u') {
            *out++ = known != NULL ? known[1] : *at;
            continue;
        }
        unsigned long letter = hex(at + 1);
        at += 4;
        if (letter >> 10 == 0x36 && at + 6 < end && at[1] == '\\' && at[2] == 'u' && hex(at + 3) >> 10 == 0x37) {
            letter = 0x10000 + ((letter & 0x3ff) << 10) + (hex(at + 3) & 0x3ff);
            at += 6;
        }
        out = put_letter(out, letter);
    }
    *length = (size_t)(out - made);
    *out = '\0';
    return made;
}

void line_begin(void) { flockfile(stdout); }

void line_end(void) {
    putchar('\n');
    fflush(stdout);
    funlockfile(stdout);
}

void put_text(const char *text) { fputs(text, stdout); }

void put_raw(text_t text) {
    // In JSON a line break is white space; here it would end the line.
    for (size_t at = 0; at < text.len; ++at) putchar(text.data[at] == '\n' ? ' ' : text.data[at]);
}

void put_quoted(text_t text) {
    putchar('"');
    for (size_t at = 0; at < text.len; ++at) {
        const unsigned char letter = (unsigned char)text.data[at];
        if (letter < 0x20) {
            printf("\\u%04x", letter);
        } else {
            if (letter == '"' || letter == '\\') putchar('\\');
            putchar(letter);
        }
    }
    putchar('"');
}

void put_headers(const posthouse_headers_t *headers) {
    putchar('[');
    for (size_t at = 0; at < posthouse_headers_count(headers); ++at) {
        text_t name = {NULL, 0}, value = {NULL, 0};
        posthouse_headers_at(headers, at, &name, &value, NULL);
        put_text(at > 0 ? ",[" : "[");
        put_quoted(name);
        putchar(',');
        put_quoted(value);
        putchar(']');
    }
    putchar(']');
}

void put_meta(const posthouse_meta_t *meta) {
    static const char *const states[] = {"null", "false", "true"};
    printf(
        "{\"initialized\":%s,\"exists\":%s,\"pending\":%s,\"connected\":%s,\"version\":", states[meta->initialized + 1],
        states[meta->exists + 1], states[meta->pending + 1], states[meta->connected + 1]);
    if (meta->counter.data == NULL) {
        put_text("null}");
        return;
    }
    put_text("{\"counter\":");
    put_quoted(meta->counter);
    put_text(",\"writer\":");
    put_quoted(meta->writer);
    put_text("}}");
}

void put_error(posthouse_error_t *error) {
    put_text("\"error\":{\"code\":");
    put_quoted(posthouse_code_name(posthouse_error_code(error)));
    put_text(",\"message\":");
    put_quoted(posthouse_error_message(error));
    const int64_t limit = posthouse_error_limit(error), actual = posthouse_error_actual(error);
    if (limit >= 0) printf(",\"limit\":%lld", (long long)limit);
    if (actual >= 0) printf(",\"actual\":%lld", (long long)actual);
    put_text(",\"partial_replies\":[");
    for (size_t at = 0; at < posthouse_error_partial_count(error); ++at) {
        put_text(at > 0 ? ",{\"data\":" : "{\"data\":");
        put_raw(posthouse_error_partial_body(error, at));
        put_text(",\"headers\":");
        put_headers(posthouse_error_partial_headers(error, at));
        putchar('}');
    }
    put_text("]}");
    posthouse_error_free(error);
}
