// Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.
// clang-format off
#ifndef POSTHOUSE_CODE_HPP
#define POSTHOUSE_CODE_HPP

#include <posthouse.h>

#include <string_view>

namespace posthouse {

/// What went wrong, as a code that every language shares. New ones may come.
enum class ErrorCode {
    /// An option is unknown, of the wrong type, out of range, or contradicts another one.
    InvalidOptions = POSTHOUSE_INVALID_OPTIONS,
    /// A namespace or variable name is empty, too long, not valid Unicode, or holds a control character.
    InvalidName = POSTHOUSE_INVALID_NAME,
    /// A message name, pattern or queue name breaks the rules for levels and wildcards, or a pattern was given where one concrete name is needed.
    InvalidTopic = POSTHOUSE_INVALID_TOPIC,
    /// A value of a variable is not JSON as every language can carry it.
    InvalidValue = POSTHOUSE_INVALID_VALUE,
    /// A header name or value holds a character that is not allowed.
    InvalidHeaders = POSTHOUSE_INVALID_HEADERS,
    /// The body of a message, request or answer is not JSON as every language can carry it.
    InvalidMessage = POSTHOUSE_INVALID_MESSAGE,
    /// A server address cannot be used, or what answers there does not speak NATS.
    InvalidServer = POSTHOUSE_INVALID_SERVER,
    /// A state record from the network does not follow the protocol and was ignored.
    InvalidRecord = POSTHOUSE_INVALID_RECORD,
    /// Two different contents came with the same version of a variable; the one already held stays.
    VersionCollision = POSTHOUSE_VERSION_COLLISION,
    /// The encoded value of a variable is larger than allowed.
    ValueTooLarge = POSTHOUSE_VALUE_TOO_LARGE,
    /// A message with its headers is larger than the hub's limit or than the broker accepts.
    MessageTooLarge = POSTHOUSE_MESSAGE_TOO_LARGE,
    /// The hub holds as many variables, or as many bytes of them, as it may.
    MemoryFull = POSTHOUSE_MEMORY_FULL,
    /// A bounded buffer or table is full: outbound bytes, subscriptions, requests, or the answers of one request. Nothing of the refused operation was sent.
    BufferOverflow = POSTHOUSE_BUFFER_OVERFLOW,
    /// A handler does not keep up: new messages of its subscription were dropped.
    SlowConsumer = POSTHOUSE_SLOW_CONSUMER,
    /// Nothing came back in time. Whatever was sent may still be carried out by the other side.
    Timeout = POSTHOUSE_TIMEOUT,
    /// The caller cancelled the operation. Whatever was sent may still be carried out by the other side.
    Cancelled = POSTHOUSE_CANCELLED,
    /// There is no active connection, or it was lost or changed while the operation ran.
    Disconnected = POSTHOUSE_DISCONNECTED,
    /// The hub is draining and takes no new operation.
    Draining = POSTHOUSE_DRAINING,
    /// Accepted work did not finish within the drain's deadline; the rest was cleaned up.
    DrainTimeout = POSTHOUSE_DRAIN_TIMEOUT,
    /// A drain was called inside a handler that this drain would have to wait for.
    DrainInHandler = POSTHOUSE_DRAIN_IN_HANDLER,
    /// A blocking call was made on a thread that runs handlers; it would wait for itself.
    BlockingInHandler = POSTHOUSE_BLOCKING_IN_HANDLER,
    /// The hub or the subscription is closed.
    Closed = POSTHOUSE_CLOSED,
    /// The broker says that nobody listens on this name.
    NoResponders = POSTHOUSE_NO_RESPONDERS,
    /// A reply was asked for, but the message carries no address to reply to, or the context has ended.
    NoReplySubject = POSTHOUSE_NO_REPLY_SUBJECT,
    /// The broker's permissions refuse this publication or subscription.
    PermissionDenied = POSTHOUSE_PERMISSION_DENIED,
    /// The broker refused the credentials, or wants some and none were given.
    AuthFailed = POSTHOUSE_AUTH_FAILED,
    /// A handler failed. Its requester is told nothing and may run into its time-out.
    HandlerError = POSTHOUSE_HANDLER_ERROR,
    /// The hub was opened by the parent process and cannot work in a forked child.
    Forked = POSTHOUSE_FORKED,
    /// This platform, build or broker cannot do what was asked.
    Unsupported = POSTHOUSE_UNSUPPORTED,
    /// The operation needs the wall clock, and this platform has none that is set.
    ClockRequired = POSTHOUSE_CLOCK_REQUIRED,
    /// A fault of Posthouse itself.
    Internal = POSTHOUSE_INTERNAL,
    /// The name of a queue binding is empty.
    QueueBinding = POSTHOUSE_QUEUE_BINDING,
    /// A queue binding is not granted or not configured. No error of a queue: it ends the request or event that used it.
    Deployment = POSTHOUSE_DEPLOYMENT,
    /// The body is not one JSON value, or holds a number that overflows.
    QueueBodyJson = POSTHOUSE_QUEUE_BODY_JSON,
    /// The body holds a lone surrogate, which no UTF-8 text can carry.
    QueueBodyUnicode = POSTHOUSE_QUEUE_BODY_UNICODE,
    /// An object in the body has a key that is reserved for the host: `$句柄`, `$未定义`, `$大整数` or `$数字`.
    QueueBodyReserved = POSTHOUSE_QUEUE_BODY_RESERVED,
    /// The body, as given or as normalised, is larger than 128,000 bytes.
    QueueBodySize = POSTHOUSE_QUEUE_BODY_SIZE,
    /// The body is nested more than 24 deep; on reading, more than 32, which fails the event.
    QueueBodyDepth = POSTHOUSE_QUEUE_BODY_DEPTH,
    /// A delay is no whole number of seconds from 0 to 43,200.
    QueueDelay = POSTHOUSE_QUEUE_DELAY,
    /// The text of a batch is not a JSON array.
    QueueBatchJson = POSTHOUSE_QUEUE_BATCH_JSON,
    /// A batch is empty or has more than 100 messages. Nothing was sent.
    QueueBatchCount = POSTHOUSE_QUEUE_BATCH_COUNT,
    /// An item of a batch is no object with `body` and at most `delaySeconds` besides. Nothing was sent.
    QueueBatchItem = POSTHOUSE_QUEUE_BATCH_ITEM,
    /// The bodies of a batch are together larger than 256,000 bytes. Nothing was sent.
    QueueBatchSize = POSTHOUSE_QUEUE_BATCH_SIZE,
    /// The text of a batch is larger than 1 MiB. Nothing was sent.
    QueueBatchText = POSTHOUSE_QUEUE_BATCH_TEXT,
    /// The store refused a message or a batch, in its own words.
    QueueStore = POSTHOUSE_QUEUE_STORE,
    /// An operation of consuming was called where no queue event runs, or after the event had ended.
    QueueNoEvent = POSTHOUSE_QUEUE_NO_EVENT,
    /// A message of the batch has a body that is no JSON value; another producer put it there.
    QueueBodyNotJson = POSTHOUSE_QUEUE_BODY_NOT_JSON,
    /// There is no message with that number in the batch.
    QueueIndex = POSTHOUSE_QUEUE_INDEX,
    /// The lease of the message has ended: it was given to another consumer, whose word counts.
    QueueLeaseLost = POSTHOUSE_QUEUE_LEASE_LOST,
};

/// A code as every language spells it, e.g. `NO_RESPONDERS`.
inline std::string_view codeName(ErrorCode code) noexcept {
    const posthouse_str_t name = posthouse_code_name(static_cast<posthouse_code_t>(code));
    return {name.data, name.len};
}

} // namespace posthouse

#endif
