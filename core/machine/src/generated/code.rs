//! Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.

/// What went wrong, as a stable code that every language shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// `INVALID_OPTIONS`: An option is unknown, of the wrong type, out of range, or contradicts another one.
    InvalidOptions,
    /// `INVALID_NAME`: A namespace or variable name is empty, too long, not valid Unicode, or holds a control character.
    InvalidName,
    /// `INVALID_TOPIC`: A message name, pattern or queue name breaks the rules for levels and wildcards, or a pattern was given where one concrete name is needed.
    InvalidTopic,
    /// `INVALID_VALUE`: A value of a variable is not JSON as every language can carry it.
    InvalidValue,
    /// `INVALID_HEADERS`: A header name or value holds a character that is not allowed.
    InvalidHeaders,
    /// `INVALID_MESSAGE`: The body of a message, request or answer is not JSON as every language can carry it.
    InvalidMessage,
    /// `INVALID_SERVER`: A server address cannot be used, or what answers there does not speak NATS.
    InvalidServer,
    /// `INVALID_RECORD`: A state record from the network does not follow the protocol and was ignored.
    InvalidRecord,
    /// `VERSION_COLLISION`: Two different contents came with the same version of a variable; the one already held stays.
    VersionCollision,
    /// `VALUE_TOO_LARGE`: The encoded value of a variable is larger than allowed.
    ValueTooLarge,
    /// `MESSAGE_TOO_LARGE`: A message with its headers is larger than the hub's limit or than the broker accepts.
    MessageTooLarge,
    /// `MEMORY_FULL`: The hub holds as many variables, or as many bytes of them, as it may.
    MemoryFull,
    /// `BUFFER_OVERFLOW`: A bounded buffer or table is full: outbound bytes, subscriptions, requests, or the answers of one request. Nothing of the refused operation was sent.
    BufferOverflow,
    /// `SLOW_CONSUMER`: A handler does not keep up: new messages of its subscription were dropped.
    SlowConsumer,
    /// `TIMEOUT`: Nothing came back in time. Whatever was sent may still be carried out by the other side.
    Timeout,
    /// `CANCELLED`: The caller cancelled the operation. Whatever was sent may still be carried out by the other side.
    Cancelled,
    /// `DISCONNECTED`: There is no active connection, or it was lost or changed while the operation ran.
    Disconnected,
    /// `DRAINING`: The hub is draining and takes no new operation.
    Draining,
    /// `DRAIN_TIMEOUT`: Accepted work did not finish within the drain's deadline; the rest was cleaned up.
    DrainTimeout,
    /// `DRAIN_IN_HANDLER`: A drain was called inside a handler that this drain would have to wait for.
    DrainInHandler,
    /// `BLOCKING_IN_HANDLER`: A blocking call was made on a thread that runs handlers; it would wait for itself.
    BlockingInHandler,
    /// `CLOSED`: The hub or the subscription is closed.
    Closed,
    /// `NO_RESPONDERS`: The broker says that nobody listens on this name.
    NoResponders,
    /// `NO_REPLY_SUBJECT`: A reply was asked for, but the message carries no address to reply to, or the context has ended.
    NoReplySubject,
    /// `PERMISSION_DENIED`: The broker's permissions refuse this publication or subscription.
    PermissionDenied,
    /// `AUTH_FAILED`: The broker refused the credentials, or wants some and none were given.
    AuthFailed,
    /// `HANDLER_ERROR`: A handler failed. Its requester is told nothing and may run into its time-out.
    HandlerError,
    /// `FORKED`: The hub was opened by the parent process and cannot work in a forked child.
    Forked,
    /// `UNSUPPORTED`: This platform, build or broker cannot do what was asked.
    Unsupported,
    /// `CLOCK_REQUIRED`: The operation needs the wall clock, and this platform has none that is set.
    ClockRequired,
    /// `INTERNAL`: A fault of Posthouse itself.
    Internal,
    /// `QUEUE_BINDING`: The name of a queue binding is empty.
    QueueBinding,
    /// `DEPLOYMENT`: A queue binding is not granted or not configured. No error of a queue: it ends the request or event that used it.
    Deployment,
    /// `QUEUE_BODY_JSON`: The body is not one JSON value, or holds a number that overflows.
    QueueBodyJson,
    /// `QUEUE_BODY_UNICODE`: The body holds a lone surrogate, which no UTF-8 text can carry.
    QueueBodyUnicode,
    /// `QUEUE_BODY_RESERVED`: An object in the body has a key that is reserved for the host: `$句柄`, `$未定义`, `$大整数` or `$数字`.
    QueueBodyReserved,
    /// `QUEUE_BODY_SIZE`: The body, as given or as normalised, is larger than 128,000 bytes.
    QueueBodySize,
    /// `QUEUE_BODY_DEPTH`: The body is nested more than 24 deep; on reading, more than 32, which fails the event.
    QueueBodyDepth,
    /// `QUEUE_DELAY`: A delay is no whole number of seconds from 0 to 43,200.
    QueueDelay,
    /// `QUEUE_BATCH_JSON`: The text of a batch is not a JSON array.
    QueueBatchJson,
    /// `QUEUE_BATCH_COUNT`: A batch is empty or has more than 100 messages. Nothing was sent.
    QueueBatchCount,
    /// `QUEUE_BATCH_ITEM`: An item of a batch is no object with `body` and at most `delaySeconds` besides. Nothing was sent.
    QueueBatchItem,
    /// `QUEUE_BATCH_SIZE`: The bodies of a batch are together larger than 256,000 bytes. Nothing was sent.
    QueueBatchSize,
    /// `QUEUE_BATCH_TEXT`: The text of a batch is larger than 1 MiB. Nothing was sent.
    QueueBatchText,
    /// `QUEUE_STORE`: The store refused a message or a batch, in its own words.
    QueueStore,
    /// `QUEUE_NO_EVENT`: An operation of consuming was called where no queue event runs, or after the event had ended.
    QueueNoEvent,
    /// `QUEUE_BODY_NOT_JSON`: A message of the batch has a body that is no JSON value; another producer put it there.
    QueueBodyNotJson,
    /// `QUEUE_INDEX`: There is no message with that number in the batch.
    QueueIndex,
    /// `QUEUE_LEASE_LOST`: The lease of the message has ended: it was given to another consumer, whose word counts.
    QueueLeaseLost,
}

impl Code {
    /// All codes, in the order of the table.
    pub const ALL: &'static [Self] = &[
        Self::InvalidOptions,
        Self::InvalidName,
        Self::InvalidTopic,
        Self::InvalidValue,
        Self::InvalidHeaders,
        Self::InvalidMessage,
        Self::InvalidServer,
        Self::InvalidRecord,
        Self::VersionCollision,
        Self::ValueTooLarge,
        Self::MessageTooLarge,
        Self::MemoryFull,
        Self::BufferOverflow,
        Self::SlowConsumer,
        Self::Timeout,
        Self::Cancelled,
        Self::Disconnected,
        Self::Draining,
        Self::DrainTimeout,
        Self::DrainInHandler,
        Self::BlockingInHandler,
        Self::Closed,
        Self::NoResponders,
        Self::NoReplySubject,
        Self::PermissionDenied,
        Self::AuthFailed,
        Self::HandlerError,
        Self::Forked,
        Self::Unsupported,
        Self::ClockRequired,
        Self::Internal,
        Self::QueueBinding,
        Self::Deployment,
        Self::QueueBodyJson,
        Self::QueueBodyUnicode,
        Self::QueueBodyReserved,
        Self::QueueBodySize,
        Self::QueueBodyDepth,
        Self::QueueDelay,
        Self::QueueBatchJson,
        Self::QueueBatchCount,
        Self::QueueBatchItem,
        Self::QueueBatchSize,
        Self::QueueBatchText,
        Self::QueueStore,
        Self::QueueNoEvent,
        Self::QueueBodyNotJson,
        Self::QueueIndex,
        Self::QueueLeaseLost,
    ];

    /// The code as every language spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidOptions => "INVALID_OPTIONS",
            Self::InvalidName => "INVALID_NAME",
            Self::InvalidTopic => "INVALID_TOPIC",
            Self::InvalidValue => "INVALID_VALUE",
            Self::InvalidHeaders => "INVALID_HEADERS",
            Self::InvalidMessage => "INVALID_MESSAGE",
            Self::InvalidServer => "INVALID_SERVER",
            Self::InvalidRecord => "INVALID_RECORD",
            Self::VersionCollision => "VERSION_COLLISION",
            Self::ValueTooLarge => "VALUE_TOO_LARGE",
            Self::MessageTooLarge => "MESSAGE_TOO_LARGE",
            Self::MemoryFull => "MEMORY_FULL",
            Self::BufferOverflow => "BUFFER_OVERFLOW",
            Self::SlowConsumer => "SLOW_CONSUMER",
            Self::Timeout => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::Disconnected => "DISCONNECTED",
            Self::Draining => "DRAINING",
            Self::DrainTimeout => "DRAIN_TIMEOUT",
            Self::DrainInHandler => "DRAIN_IN_HANDLER",
            Self::BlockingInHandler => "BLOCKING_IN_HANDLER",
            Self::Closed => "CLOSED",
            Self::NoResponders => "NO_RESPONDERS",
            Self::NoReplySubject => "NO_REPLY_SUBJECT",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::AuthFailed => "AUTH_FAILED",
            Self::HandlerError => "HANDLER_ERROR",
            Self::Forked => "FORKED",
            Self::Unsupported => "UNSUPPORTED",
            Self::ClockRequired => "CLOCK_REQUIRED",
            Self::Internal => "INTERNAL",
            Self::QueueBinding => "QUEUE_BINDING",
            Self::Deployment => "DEPLOYMENT",
            Self::QueueBodyJson => "QUEUE_BODY_JSON",
            Self::QueueBodyUnicode => "QUEUE_BODY_UNICODE",
            Self::QueueBodyReserved => "QUEUE_BODY_RESERVED",
            Self::QueueBodySize => "QUEUE_BODY_SIZE",
            Self::QueueBodyDepth => "QUEUE_BODY_DEPTH",
            Self::QueueDelay => "QUEUE_DELAY",
            Self::QueueBatchJson => "QUEUE_BATCH_JSON",
            Self::QueueBatchCount => "QUEUE_BATCH_COUNT",
            Self::QueueBatchItem => "QUEUE_BATCH_ITEM",
            Self::QueueBatchSize => "QUEUE_BATCH_SIZE",
            Self::QueueBatchText => "QUEUE_BATCH_TEXT",
            Self::QueueStore => "QUEUE_STORE",
            Self::QueueNoEvent => "QUEUE_NO_EVENT",
            Self::QueueBodyNotJson => "QUEUE_BODY_NOT_JSON",
            Self::QueueIndex => "QUEUE_INDEX",
            Self::QueueLeaseLost => "QUEUE_LEASE_LOST",
        }
    }

    /// What happened, in one sentence or two.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::InvalidOptions => {
                "An option is unknown, of the wrong type, out of range, or contradicts another one."
            }
            Self::InvalidName => {
                "A namespace or variable name is empty, too long, not valid Unicode, or holds a control character."
            }
            Self::InvalidTopic => {
                "A message name, pattern or queue name breaks the rules for levels and wildcards, or a pattern was given where one concrete name is needed."
            }
            Self::InvalidValue => {
                "A value of a variable is not JSON as every language can carry it."
            }
            Self::InvalidHeaders => "A header name or value holds a character that is not allowed.",
            Self::InvalidMessage => {
                "The body of a message, request or answer is not JSON as every language can carry it."
            }
            Self::InvalidServer => {
                "A server address cannot be used, or what answers there does not speak NATS."
            }
            Self::InvalidRecord => {
                "A state record from the network does not follow the protocol and was ignored."
            }
            Self::VersionCollision => {
                "Two different contents came with the same version of a variable; the one already held stays."
            }
            Self::ValueTooLarge => "The encoded value of a variable is larger than allowed.",
            Self::MessageTooLarge => {
                "A message with its headers is larger than the hub's limit or than the broker accepts."
            }
            Self::MemoryFull => {
                "The hub holds as many variables, or as many bytes of them, as it may."
            }
            Self::BufferOverflow => {
                "A bounded buffer or table is full: outbound bytes, subscriptions, requests, or the answers of one request. Nothing of the refused operation was sent."
            }
            Self::SlowConsumer => {
                "A handler does not keep up: new messages of its subscription were dropped."
            }
            Self::Timeout => {
                "Nothing came back in time. Whatever was sent may still be carried out by the other side."
            }
            Self::Cancelled => {
                "The caller cancelled the operation. Whatever was sent may still be carried out by the other side."
            }
            Self::Disconnected => {
                "There is no active connection, or it was lost or changed while the operation ran."
            }
            Self::Draining => "The hub is draining and takes no new operation.",
            Self::DrainTimeout => {
                "Accepted work did not finish within the drain's deadline; the rest was cleaned up."
            }
            Self::DrainInHandler => {
                "A drain was called inside a handler that this drain would have to wait for."
            }
            Self::BlockingInHandler => {
                "A blocking call was made on a thread that runs handlers; it would wait for itself."
            }
            Self::Closed => "The hub or the subscription is closed.",
            Self::NoResponders => "The broker says that nobody listens on this name.",
            Self::NoReplySubject => {
                "A reply was asked for, but the message carries no address to reply to, or the context has ended."
            }
            Self::PermissionDenied => {
                "The broker's permissions refuse this publication or subscription."
            }
            Self::AuthFailed => {
                "The broker refused the credentials, or wants some and none were given."
            }
            Self::HandlerError => {
                "A handler failed. Its requester is told nothing and may run into its time-out."
            }
            Self::Forked => {
                "The hub was opened by the parent process and cannot work in a forked child."
            }
            Self::Unsupported => "This platform, build or broker cannot do what was asked.",
            Self::ClockRequired => {
                "The operation needs the wall clock, and this platform has none that is set."
            }
            Self::Internal => "A fault of Posthouse itself.",
            Self::QueueBinding => "The name of a queue binding is empty.",
            Self::Deployment => {
                "A queue binding is not granted or not configured. No error of a queue: it ends the request or event that used it."
            }
            Self::QueueBodyJson => {
                "The body is not one JSON value, or holds a number that overflows."
            }
            Self::QueueBodyUnicode => {
                "The body holds a lone surrogate, which no UTF-8 text can carry."
            }
            Self::QueueBodyReserved => {
                "An object in the body has a key that is reserved for the host: `$句柄`, `$未定义`, `$大整数` or `$数字`."
            }
            Self::QueueBodySize => {
                "The body, as given or as normalised, is larger than 128,000 bytes."
            }
            Self::QueueBodyDepth => {
                "The body is nested more than 24 deep; on reading, more than 32, which fails the event."
            }
            Self::QueueDelay => "A delay is no whole number of seconds from 0 to 43,200.",
            Self::QueueBatchJson => "The text of a batch is not a JSON array.",
            Self::QueueBatchCount => {
                "A batch is empty or has more than 100 messages. Nothing was sent."
            }
            Self::QueueBatchItem => {
                "An item of a batch is no object with `body` and at most `delaySeconds` besides. Nothing was sent."
            }
            Self::QueueBatchSize => {
                "The bodies of a batch are together larger than 256,000 bytes. Nothing was sent."
            }
            Self::QueueBatchText => "The text of a batch is larger than 1 MiB. Nothing was sent.",
            Self::QueueStore => "The store refused a message or a batch, in its own words.",
            Self::QueueNoEvent => {
                "An operation of consuming was called where no queue event runs, or after the event had ended."
            }
            Self::QueueBodyNotJson => {
                "A message of the batch has a body that is no JSON value; another producer put it there."
            }
            Self::QueueIndex => "There is no message with that number in the batch.",
            Self::QueueLeaseLost => {
                "The lease of the message has ended: it was given to another consumer, whose word counts."
            }
        }
    }

    /// What the person who reads it can do.
    pub const fn action(self) -> &'static str {
        match self {
            Self::InvalidOptions => {
                "Correct the option that the message names; it gives the allowed range or the nearest known name."
            }
            Self::InvalidName => "Use 1 to 128 UTF-8 bytes without U+0000–U+001F and U+007F.",
            Self::InvalidTopic => {
                "Avoid empty levels; use `*` for one whole level and `>` at the end only, and only to subscribe or handle."
            }
            Self::InvalidValue => {
                "Send null, booleans, finite numbers (integers within ±(2^53−1)), valid Unicode text, arrays or objects with string keys, nested 32 deep at most, with at most 20,000 nodes."
            }
            Self::InvalidHeaders => {
                "Use token characters in names, and visible ASCII with inner spaces in values."
            }
            Self::InvalidMessage => {
                "See INVALID_VALUE. If it came from another program, correct that program: its message was dropped."
            }
            Self::InvalidServer => {
                "Give `nats://`, `tls://`, `ws://` or `wss://` with host and port, and check what listens there."
            }
            Self::InvalidRecord => {
                "Find the program that publishes on this namespace's state subjects and correct it."
            }
            Self::VersionCollision => {
                "Make sure that no two programs use the same instance id, and set the variable again."
            }
            Self::ValueTooLarge => {
                "Split the value over several variables; the error carries the limit and the actual size."
            }
            Self::MessageTooLarge => {
                "Send less at a time, or raise `messaging.payload_bytes` and the broker's maximum payload."
            }
            Self::MemoryFull => "Use fewer names, or raise `max_variables` or `max_memory_bytes`.",
            Self::BufferOverflow => {
                "Wait for earlier work (`flush`), end what is not needed, or raise the limit that the message names."
            }
            Self::SlowConsumer => {
                "Do less in the handler, share the work in a queue group, or raise `pending_messages` or `pending_bytes`."
            }
            Self::Timeout => {
                "Check that the other side runs; repeat only what is safe to repeat, or give operations an id of your own."
            }
            Self::Cancelled => "Nothing, if the cancellation was meant.",
            Self::Disconnected => {
                "Wait for `connected()` and decide whether to try again; messages are never stored for later."
            }
            Self::Draining => "Finish; open a new hub for new work.",
            Self::DrainTimeout => "Give the drain more time, or make handlers shorter.",
            Self::DrainInHandler => {
                "Signal the owner of the hub and let it drain outside the handler."
            }
            Self::BlockingInHandler => {
                "Use the asynchronous form there, or make the call on a thread of your own."
            }
            Self::Closed => "Open a new one.",
            Self::NoResponders => {
                "Start the program that handles it, and check namespace and name."
            }
            Self::NoReplySubject => "Reply only to requests, and only while the handler runs.",
            Self::PermissionDenied => {
                "Grant the subjects of this namespace to the user; the security guide lists them."
            }
            Self::AuthFailed => {
                "Check token, user and password, nkey or credentials file; secrets never appear in this message."
            }
            Self::HandlerError => "Correct the handler; answer a business failure as data.",
            Self::Forked => "Open a new hub in the child, or start the child by spawning.",
            Self::Unsupported => "See the message for what is missing.",
            Self::ClockRequired => "Set the clock first, for instance from the network.",
            Self::Internal => "Report it with the message; the hub may be unusable afterwards.",
            Self::QueueBinding => "Give the name of an entry of the deployment's `queues`.",
            Self::Deployment => {
                "Correct the deployment's configuration; a program should not catch this."
            }
            Self::QueueBodyJson => {
                "Send exactly one value as RFC 8259 has it, with numbers below 1.8e308."
            }
            Self::QueueBodyUnicode => "Repair the text, or send its bytes as base64.",
            Self::QueueBodyReserved => "Use another key.",
            Self::QueueBodySize => {
                "Store the data elsewhere and send where it is, or send less at once."
            }
            Self::QueueBodyDepth => "Flatten it.",
            Self::QueueDelay => "Give whole seconds, at most 12 hours.",
            Self::QueueBatchJson => {
                "Give an array of objects with `body` and, where wanted, `delaySeconds`."
            }
            Self::QueueBatchCount => "Send 1 to 100 messages at a time.",
            Self::QueueBatchItem => "Correct the item with that number, counted from 0.",
            Self::QueueBatchSize => "Send the messages in several batches.",
            Self::QueueBatchText => "Send fewer or smaller messages at a time.",
            Self::QueueStore => {
                "See what the store says; sending again may double what was accepted."
            }
            Self::QueueNoEvent => "Call it in the handler, before the handler ends.",
            Self::QueueBodyNotJson => {
                "Correct that producer; acknowledge the message by its number to be rid of it."
            }
            Self::QueueIndex => "Count from 0 in the order of the batch.",
            Self::QueueLeaseLost => {
                "Nothing for this message. If it happens often, make handlers shorter or `visibility_timeout` longer."
            }
        }
    }
}

impl core::str::FromStr for Code {
    type Err = UnknownCode;
    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        Ok(match text {
            "INVALID_OPTIONS" => Self::InvalidOptions,
            "INVALID_NAME" => Self::InvalidName,
            "INVALID_TOPIC" => Self::InvalidTopic,
            "INVALID_VALUE" => Self::InvalidValue,
            "INVALID_HEADERS" => Self::InvalidHeaders,
            "INVALID_MESSAGE" => Self::InvalidMessage,
            "INVALID_SERVER" => Self::InvalidServer,
            "INVALID_RECORD" => Self::InvalidRecord,
            "VERSION_COLLISION" => Self::VersionCollision,
            "VALUE_TOO_LARGE" => Self::ValueTooLarge,
            "MESSAGE_TOO_LARGE" => Self::MessageTooLarge,
            "MEMORY_FULL" => Self::MemoryFull,
            "BUFFER_OVERFLOW" => Self::BufferOverflow,
            "SLOW_CONSUMER" => Self::SlowConsumer,
            "TIMEOUT" => Self::Timeout,
            "CANCELLED" => Self::Cancelled,
            "DISCONNECTED" => Self::Disconnected,
            "DRAINING" => Self::Draining,
            "DRAIN_TIMEOUT" => Self::DrainTimeout,
            "DRAIN_IN_HANDLER" => Self::DrainInHandler,
            "BLOCKING_IN_HANDLER" => Self::BlockingInHandler,
            "CLOSED" => Self::Closed,
            "NO_RESPONDERS" => Self::NoResponders,
            "NO_REPLY_SUBJECT" => Self::NoReplySubject,
            "PERMISSION_DENIED" => Self::PermissionDenied,
            "AUTH_FAILED" => Self::AuthFailed,
            "HANDLER_ERROR" => Self::HandlerError,
            "FORKED" => Self::Forked,
            "UNSUPPORTED" => Self::Unsupported,
            "CLOCK_REQUIRED" => Self::ClockRequired,
            "INTERNAL" => Self::Internal,
            "QUEUE_BINDING" => Self::QueueBinding,
            "DEPLOYMENT" => Self::Deployment,
            "QUEUE_BODY_JSON" => Self::QueueBodyJson,
            "QUEUE_BODY_UNICODE" => Self::QueueBodyUnicode,
            "QUEUE_BODY_RESERVED" => Self::QueueBodyReserved,
            "QUEUE_BODY_SIZE" => Self::QueueBodySize,
            "QUEUE_BODY_DEPTH" => Self::QueueBodyDepth,
            "QUEUE_DELAY" => Self::QueueDelay,
            "QUEUE_BATCH_JSON" => Self::QueueBatchJson,
            "QUEUE_BATCH_COUNT" => Self::QueueBatchCount,
            "QUEUE_BATCH_ITEM" => Self::QueueBatchItem,
            "QUEUE_BATCH_SIZE" => Self::QueueBatchSize,
            "QUEUE_BATCH_TEXT" => Self::QueueBatchText,
            "QUEUE_STORE" => Self::QueueStore,
            "QUEUE_NO_EVENT" => Self::QueueNoEvent,
            "QUEUE_BODY_NOT_JSON" => Self::QueueBodyNotJson,
            "QUEUE_INDEX" => Self::QueueIndex,
            "QUEUE_LEASE_LOST" => Self::QueueLeaseLost,
            _ => return Err(UnknownCode),
        })
    }
}

/// The text is the spelling of no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCode;
