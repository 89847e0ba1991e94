// Hubs and headers from requests.
#include "agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXTS = 32 };

static const struct option {
    const char *name;
    size_t place;
    bool is_text;
} known[] = {
#define TEXT(name)                                                                                                     \
    { #name, offsetof(posthouse_hub_options_t, name), true }
#define NUMBER(name, field)                                                                                            \
    { name, offsetof(posthouse_hub_options_t, field), false }
    TEXT(token),
    TEXT(nkey),
    TEXT(user),
    TEXT(password),
    NUMBER("timeout", timeout_ms),
    NUMBER("peer_timeout", peer_timeout_ms),
    NUMBER("health_interval", health_interval_ms),
    NUMBER("probe_interval", probe_interval_ms),
    NUMBER("ping_interval", ping_interval_ms),
    NUMBER("ping_missed", ping_missed),
    NUMBER("max_variables", max_variables),
    NUMBER("max_memory_bytes", max_memory_bytes),
    NUMBER("subscriptions", messaging_subscriptions),
    NUMBER("requests", messaging_requests),
    NUMBER("pending_messages", messaging_pending_messages),
    NUMBER("pending_bytes", messaging_pending_bytes),
    NUMBER("outbound_bytes", messaging_outbound_bytes),
    NUMBER("payload_bytes", messaging_payload_bytes),
    NUMBER("replies", messaging_replies),
    NUMBER("reply_bytes", messaging_reply_bytes),
};

/// Texts that an option structure borrows.
struct texts {
    posthouse_str_t all[MOST_TEXTS];
    size_t count;
};

static posthouse_str_t keep(struct texts *texts, text_t json) {
    if (texts->count == MOST_TEXTS) abort();
    posthouse_str_t *text = &texts->all[texts->count++];
    text->data = unquoted(json, &text->len);
    return *text;
}

static void set(posthouse_hub_options_t *options, struct texts *texts, text_t given) {
    for (struct each one = each(given); next(&one);) {
        if (is(one.name, "messaging")) {
            set(options, texts, one.value);
        } else if (is(one.name, "servers")) {
            options->servers = &texts->all[texts->count];
            for (struct each server = each(one.value); next(&server); ++options->servers_count) {
                keep(texts, server.value);
            }
        } else {
            size_t at = 0;
            while (at < sizeof known / sizeof *known && !is(one.name, known[at].name)) ++at;
            if (at == sizeof known / sizeof *known) {
                fprintf(stderr, "this agent does not know the option %.*s\n", (int)one.name.len, one.name.data);
                abort();
            }
            void *field = (char *)options + known[at].place;
            if (known[at].is_text) {
                *(posthouse_str_t *)field = keep(texts, one.value);
            } else {
                *(int64_t *)field = number(one.value, POSTHOUSE_DEFAULT);
            }
        }
    }
}

posthouse_code_t open_hub(text_t request, posthouse_hub_t **hub, posthouse_error_t **error) {
    posthouse_hub_options_t options = POSTHOUSE_HUB_OPTIONS_INIT;
    struct texts texts = {.count = 0};
    set(&options, &texts, member(request, "options"));
    const posthouse_str_t name = keep(&texts, member(request, "namespace"));
    const posthouse_code_t code = posthouse_hub_open(name, &options, NULL, hub, error);
    for (size_t at = 0; at < texts.count; ++at) free((char *)(uintptr_t)texts.all[at].data);
    return code;
}

static void append(posthouse_headers_t *headers, text_t name, text_t value, posthouse_error_t **error) {
    size_t length = 0;
    char *plain = unquoted(value, &length);
    if (*error == NULL) posthouse_headers_append(headers, name, (text_t){plain, length}, error);
    free(plain);
}

posthouse_headers_t *headers_of(text_t given, posthouse_error_t **error) {
    if (given.data == NULL || is(given, "null")) return NULL;
    posthouse_headers_t *headers = posthouse_headers_new();
    for (struct each one = each(given); next(&one);) {
        // The name with its quotes.
        size_t length = 0;
        char *plain = unquoted((text_t){one.name.data - 1, one.name.len + 2}, &length);
        const text_t name = {plain, length};
        if (one.value.data[0] == '[') {
            for (struct each value = each(one.value); next(&value);) append(headers, name, value.value, error);
        } else {
            append(headers, name, one.value, error);
        }
        free(plain);
    }
    if (*error == NULL) return headers;
    posthouse_headers_free(headers);
    return NULL;
}
