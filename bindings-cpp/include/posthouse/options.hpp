// Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.
// clang-format off
#ifndef POSTHOUSE_OPTIONS_HPP
#define POSTHOUSE_OPTIONS_HPP

#include <posthouse/headers.hpp>
#include <posthouse/host.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace posthouse {

/// Limits that no option changes.
namespace limits {
/// The longest namespace, variable, message or queue name, in UTF-8. In bytes.
inline constexpr std::int64_t NAME_BYTES = 128;
/// The longest instance id, writer or inbox id. In bytes.
inline constexpr std::int64_t ID_BYTES = 128;
/// How deep arrays and objects may be nested below the root of a value. In levels.
inline constexpr std::int64_t VALUE_DEPTH = 32;
/// How many nodes one JSON value may have. In nodes.
inline constexpr std::int64_t VALUE_NODES = 20000;
/// The largest encoded value of a variable. In bytes.
inline constexpr std::int64_t VALUE_BYTES = 65536;
/// The largest magnitude of an integer-valued number: 2^53 − 1. In integer.
inline constexpr std::int64_t SAFE_INTEGER = 9007199254740991;
/// The longest counter of a version, in decimal digits. In digits.
inline constexpr std::int64_t COUNTER_DIGITS = 40;
/// The largest status in a health report, measured before unknown fields are dropped. In bytes.
inline constexpr std::int64_t STATUS_BYTES = 2048;
/// The longest error text or reason in a health report. In characters.
inline constexpr std::int64_t REPORT_TEXT_CHARS = 240;
/// The longest interval that a health report may announce. In ms.
inline constexpr std::int64_t REPORT_INTERVAL_MAX_MS = 2147483647;
/// An instance counts as offline once its last report is this many of its intervals old. In intervals.
inline constexpr std::int64_t ONLINE_INTERVALS = 3;
/// What a header block costs besides its entries. In bytes.
inline constexpr std::int64_t HEADER_FIXED_BYTES = 12;
/// What each header entry costs besides its name and value. In bytes.
inline constexpr std::int64_t HEADER_ENTRY_BYTES = 4;
/// The pause before the first attempt to reconnect; it doubles from there. In ms.
inline constexpr std::int64_t RECONNECT_FIRST_MS = 100;
/// The longest pause between two attempts to reconnect, before jitter. In ms.
inline constexpr std::int64_t RECONNECT_MAX_MS = 5000;
/// How far a pause between attempts may differ from its nominal length, either way. In percent.
inline constexpr std::int64_t RECONNECT_JITTER = 20;
/// How long a planned switch of the broker waits for handlers that already run. In ms.
inline constexpr std::int64_t SWITCH_DRAIN_MS = 5000;
/// The default of `peer_timeout`, as a part of `timeout`. In percent.
inline constexpr std::int64_t PEER_TIMEOUT_PERCENT = 80;
/// Within this time another hub of the machine takes over an owned node whose owner went. In ms.
inline constexpr std::int64_t TAKE_OVER_MS = 2000;
/// TCP port of the local node. In port.
inline constexpr std::int64_t LOCAL_PORT = 4222;
/// WebSocket port of the local node. In port.
inline constexpr std::int64_t LOCAL_WEBSOCKET_PORT = 9222;
/// The largest body of a queue message, as given and as normalised. In bytes.
inline constexpr std::int64_t QUEUE_BODY_BYTES = 128000;
/// How deep a body may be nested when it is sent; arrays and objects count one each. In levels.
inline constexpr std::int64_t QUEUE_DEPTH = 24;
/// How deep a body may be nested when it is read; beyond it the event fails. In levels.
inline constexpr std::int64_t QUEUE_READ_DEPTH = 32;
/// The longest delay of a message or of a retry. In seconds.
inline constexpr std::int64_t QUEUE_DELAY_MAX = 43200;
/// How many messages a batch may have. In messages.
inline constexpr std::int64_t QUEUE_BATCH_MESSAGES = 100;
/// How large the normalised bodies of a batch may be together. In bytes.
inline constexpr std::int64_t QUEUE_BATCH_BYTES = 256000;
/// The largest text of a batch. In bytes.
inline constexpr std::int64_t QUEUE_BATCH_TEXT_BYTES = 1048576;
} // namespace limits

/// TLS: every field is the path of a PEM file, but the last.
struct TlsOptions {
    /// Authorities to trust instead of the system's own.
    std::optional<std::string> caFile{};
    /// Certificate chain of this client.
    std::optional<std::string> certFile{};
    /// Private key of `cert_file`.
    std::optional<std::string> keyFile{};
    /// Start TLS before the broker has said anything, instead of after its greeting.
    std::optional<bool> handshakeFirst{};
};

/// When a hub moves to a better one of several servers: better by both figures, and not again before the pause is over.
struct SelectionOptions {
    /// By how many milliseconds the round trip must be shorter. Milliseconds in every language, as its name says. Default 10 ms, allowed 0 to 2147483647.
    std::optional<std::chrono::milliseconds> improvementMs{};
    /// By which part of the present round trip it must be shorter. Default 0.2, allowed 0 to 1.
    std::optional<double> improvementRatio{};
    /// How long the hub stays where it is after a switch. Default 30000 ms, allowed 0 to 2147483647.
    std::optional<std::chrono::milliseconds> cooldown{};
};

/// Bounds for messages, per hub.
struct MessagingOptions {
    /// Subscriptions and handlers at a time. Default 128, allowed 1 to 1000000.
    std::optional<std::int64_t> subscriptions{};
    /// Requests and collections that wait for answers at a time. Default 64, allowed 1 to 1000000.
    std::optional<std::int64_t> requests{};
    /// Messages received and not yet done with: queued, running, collected. Default 4096, allowed 1 to 100000000.
    std::optional<std::int64_t> pendingMessages{};
    /// Bytes of the messages received and not yet done with. Default 8388608 bytes, allowed 1 to 2147483647.
    std::optional<std::int64_t> pendingBytes{};
    /// Bytes accepted for sending and not yet handed to the system. Default 8388608 bytes, allowed 1 to 2147483647.
    std::optional<std::int64_t> outboundBytes{};
    /// The largest body of one message. Default 65536 bytes, allowed 1 to 67108864.
    std::optional<std::int64_t> payloadBytes{};
    /// The largest header block of one message. Default 4096 bytes, allowed 0 to 65536.
    std::optional<std::int64_t> headerBytes{};
    /// Header entries of one message. Default 32, allowed 0 to 1024.
    std::optional<std::int64_t> headerEntries{};
    /// Answers that one collection may gather; its `max_replies` may only lower this. Default 16, allowed 1 to 1000000.
    std::optional<std::int64_t> replies{};
    /// Bytes of answers that one collection may gather; its `max_bytes` may only lower this. Default 1048576 bytes, allowed 1 to 2147483647.
    std::optional<std::int64_t> replyBytes{};
};

/// What a hub is opened with.
struct HubOptions {
    /// Addresses of the brokers to choose from: `nats://`, `tls://`, `ws://` or `wss://`. Given, the hub is a client only and never owns a node.
    std::optional<std::vector<std::string>> servers{};
    /// Whether the hub may become the local node where none listens: `auto`, true (it must be possible) or false (never).
    std::optional<bool> node{};
    /// Token for the broker, or a callback that is asked anew at every attempt to connect.
    std::optional<Credential> token{};
    /// User name for the broker, or a callback that is asked anew at every attempt.
    std::optional<Credential> user{};
    /// Password of `user`, or a callback that is asked anew at every attempt.
    std::optional<Credential> password{};
    /// Seed of an nkey, or a callback that is asked anew at every attempt.
    std::optional<Credential> nkey{};
    /// Path of a credentials file (a user's JWT and its seed), or a callback that gives its content anew at every attempt.
    std::optional<Credential> credentials{};
    /// Trust and client certificate of TLS connections.
    TlsOptions tls{};
    /// How long connecting, and each operation that gives none of its own, may take. Default 3000 ms, allowed 1 to 2147483647.
    std::optional<std::chrono::milliseconds> timeout{};
    /// How long other instances have to answer a query for the current state; after it a variable that nobody holds counts as absent. Default 80 % of `timeout`, allowed 1 to 2147483647.
    std::optional<std::chrono::milliseconds> peerTimeout{};
    /// How often the hub reports its own health to the namespace. Default 5000 ms, allowed 1 to 2147483647.
    std::optional<std::chrono::milliseconds> healthInterval{};
    /// How often the hub asks the others for their state again and measures the other servers. Default 15000 ms, allowed 1 to 2147483647.
    std::optional<std::chrono::milliseconds> probeInterval{};
    /// How long the link may be silent before the hub pings it. Default 5000 ms, allowed 1 to 2147483647.
    std::optional<std::chrono::milliseconds> pingInterval{};
    /// How many pings in a row may stay unanswered; a dead link is noticed within `ping_interval` × (this + 1). Default 1, allowed 0 to 1000.
    std::optional<std::int64_t> pingMissed{};
    /// How many variable references, and how many records, the hub holds at most. Default 10000, allowed 1 to 10000000.
    std::optional<std::int64_t> maxVariables{};
    /// How many bytes of state records the hub holds at most. Default 16777216 bytes, allowed 1 to 2147483647.
    std::optional<std::int64_t> maxMemoryBytes{};
    /// How many other instances the hub remembers at most. Default 1024, allowed 1 to 1000000.
    std::optional<std::int64_t> maxInstances{};
    /// When the hub moves to a better one of several servers.
    SelectionOptions selection{};
    /// Bounds for messages, per hub.
    MessagingOptions messaging{};
    /// Called with an exception that a handler or a watch callback raised; without it the exception is logged.
    std::function<void(std::string_view what, std::exception_ptr error)> onCallbackError{};
    /// Runs handlers and callbacks on a thread of the program's: called, on any thread, with a short task
    /// to be run there. Without it, and without `dispatch`, they run on threads of the library.
    std::function<void(std::function<void()>)> executor{};
    /// Who runs handlers and callbacks; see `BasicHub::fd` and `BasicHub::process`.
    Dispatch dispatch{Dispatch::threads};
    /// Hears of lines for the program's log, which never carry a secret or a value.
    std::function<void(LogLevel level, std::string_view code, std::string_view line)> onLog{};
};

/// What a subscription or a handler is opened with.
struct SubscriptionOptions {
    /// Queue group: the broker gives each message to one member. Without it every subscriber gets every message.
    std::optional<std::string> queue{};
    /// Messages that may wait for this subscription's handler; further ones are dropped and counted. Default 256, allowed 1 to 100000000.
    std::optional<std::int64_t> pendingMessages{};
    /// Bytes that may wait for this subscription's handler. Default 1048576 bytes, allowed 1 to 2147483647.
    std::optional<std::int64_t> pendingBytes{};
    /// How long the broker has to confirm the subscription. Default 3000 ms, allowed 1 to 2147483647.
    std::optional<std::chrono::milliseconds> timeout{};
};

/// What a request for one answer takes.
struct RequestOptions {
    /// How long the whole request may take. Default 3000 ms, allowed 1 to 2147483647.
    std::optional<std::chrono::milliseconds> timeout{};
    /// Headers: a key takes one text or several.
    Headers headers{};
};

/// What a collection of several answers takes.
struct RequestManyOptions {
    /// The window in which answers are gathered, counted from the call. Default 3000 ms, allowed 1 to 2147483647.
    std::optional<std::chrono::milliseconds> timeout{};
    /// The collection ends with this many answers; at most the hub's `messaging.replies`. Default 16, allowed 1 to 1000000.
    std::optional<std::int64_t> maxReplies{};
    /// The collection fails beyond this many bytes of answers; at most the hub's `messaging.reply_bytes`. Default 1048576 bytes, allowed 1 to 2147483647.
    std::optional<std::int64_t> maxBytes{};
    /// Headers: a key takes one text or several.
    Headers headers{};
};

namespace detail {

inline posthouse_hub_options_t toC(const HubOptions &options, std::vector<posthouse_str_t> &texts) {
    posthouse_hub_options_t all = POSTHOUSE_HUB_OPTIONS_INIT;
    if (options.servers) {
        for (const std::string &text : *options.servers) texts.push_back(toC(text));
        static constexpr posthouse_str_t none{nullptr, 0};
        all.servers = texts.empty() ? &none : texts.data();
        all.servers_count = texts.size();
    }
    if (options.node) all.node = *options.node ? 1 : 0;
    if (options.token) all.token = options.token->text();
    if (options.user) all.user = options.user->text();
    if (options.password) all.password = options.password->text();
    if (options.nkey) all.nkey = options.nkey->text();
    if (options.credentials) all.credentials = options.credentials->text();
    if (options.tls.caFile) all.tls_ca_file = toC(*options.tls.caFile);
    if (options.tls.certFile) all.tls_cert_file = toC(*options.tls.certFile);
    if (options.tls.keyFile) all.tls_key_file = toC(*options.tls.keyFile);
    if (options.tls.handshakeFirst) all.tls_handshake_first = *options.tls.handshakeFirst ? 1 : 0;
    if (options.timeout) all.timeout_ms = options.timeout->count();
    if (options.peerTimeout) all.peer_timeout_ms = options.peerTimeout->count();
    if (options.healthInterval) all.health_interval_ms = options.healthInterval->count();
    if (options.probeInterval) all.probe_interval_ms = options.probeInterval->count();
    if (options.pingInterval) all.ping_interval_ms = options.pingInterval->count();
    if (options.pingMissed) all.ping_missed = *options.pingMissed;
    if (options.maxVariables) all.max_variables = *options.maxVariables;
    if (options.maxMemoryBytes) all.max_memory_bytes = *options.maxMemoryBytes;
    if (options.maxInstances) all.max_instances = *options.maxInstances;
    if (options.selection.improvementMs) all.selection_improvement_ms = options.selection.improvementMs->count();
    if (options.selection.improvementRatio) all.selection_improvement_ratio = *options.selection.improvementRatio;
    if (options.selection.cooldown) all.selection_cooldown_ms = options.selection.cooldown->count();
    if (options.messaging.subscriptions) all.messaging_subscriptions = *options.messaging.subscriptions;
    if (options.messaging.requests) all.messaging_requests = *options.messaging.requests;
    if (options.messaging.pendingMessages) all.messaging_pending_messages = *options.messaging.pendingMessages;
    if (options.messaging.pendingBytes) all.messaging_pending_bytes = *options.messaging.pendingBytes;
    if (options.messaging.outboundBytes) all.messaging_outbound_bytes = *options.messaging.outboundBytes;
    if (options.messaging.payloadBytes) all.messaging_payload_bytes = *options.messaging.payloadBytes;
    if (options.messaging.headerBytes) all.messaging_header_bytes = *options.messaging.headerBytes;
    if (options.messaging.headerEntries) all.messaging_header_entries = *options.messaging.headerEntries;
    if (options.messaging.replies) all.messaging_replies = *options.messaging.replies;
    if (options.messaging.replyBytes) all.messaging_reply_bytes = *options.messaging.replyBytes;
    return all;
}

inline posthouse_subscription_options_t toC(const SubscriptionOptions &options) {
    posthouse_subscription_options_t all = POSTHOUSE_SUBSCRIPTION_OPTIONS_INIT;
    if (options.queue) all.queue = toC(*options.queue);
    if (options.pendingMessages) all.pending_messages = *options.pendingMessages;
    if (options.pendingBytes) all.pending_bytes = *options.pendingBytes;
    if (options.timeout) all.timeout_ms = options.timeout->count();
    return all;
}

inline posthouse_request_options_t toC(const RequestOptions &options) {
    posthouse_request_options_t all = POSTHOUSE_REQUEST_OPTIONS_INIT;
    if (options.timeout) all.timeout_ms = options.timeout->count();
    all.headers = options.headers.given();
    return all;
}

inline posthouse_request_many_options_t toC(const RequestManyOptions &options) {
    posthouse_request_many_options_t all = POSTHOUSE_REQUEST_MANY_OPTIONS_INIT;
    if (options.timeout) all.timeout_ms = options.timeout->count();
    if (options.maxReplies) all.max_replies = *options.maxReplies;
    if (options.maxBytes) all.max_bytes = *options.maxBytes;
    all.headers = options.headers.given();
    return all;
}

} // namespace detail
} // namespace posthouse

#endif
