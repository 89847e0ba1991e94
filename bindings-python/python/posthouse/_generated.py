# Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.
"""Error codes, limits, option names and defaults, shared with every other language."""

from __future__ import annotations

from typing import Final, Literal

Code = Literal[
    "INVALID_OPTIONS",
    "INVALID_NAME",
    "INVALID_TOPIC",
    "INVALID_VALUE",
    "INVALID_HEADERS",
    "INVALID_MESSAGE",
    "INVALID_SERVER",
    "INVALID_RECORD",
    "VERSION_COLLISION",
    "VALUE_TOO_LARGE",
    "MESSAGE_TOO_LARGE",
    "MEMORY_FULL",
    "BUFFER_OVERFLOW",
    "SLOW_CONSUMER",
    "TIMEOUT",
    "CANCELLED",
    "DISCONNECTED",
    "DRAINING",
    "DRAIN_TIMEOUT",
    "DRAIN_IN_HANDLER",
    "BLOCKING_IN_HANDLER",
    "CLOSED",
    "NO_RESPONDERS",
    "NO_REPLY_SUBJECT",
    "PERMISSION_DENIED",
    "AUTH_FAILED",
    "HANDLER_ERROR",
    "FORKED",
    "UNSUPPORTED",
    "CLOCK_REQUIRED",
    "INTERNAL",
    "QUEUE_BINDING",
    "DEPLOYMENT",
    "QUEUE_BODY_JSON",
    "QUEUE_BODY_UNICODE",
    "QUEUE_BODY_RESERVED",
    "QUEUE_BODY_SIZE",
    "QUEUE_BODY_DEPTH",
    "QUEUE_DELAY",
    "QUEUE_BATCH_JSON",
    "QUEUE_BATCH_COUNT",
    "QUEUE_BATCH_ITEM",
    "QUEUE_BATCH_SIZE",
    "QUEUE_BATCH_TEXT",
    "QUEUE_STORE",
    "QUEUE_NO_EVENT",
    "QUEUE_BODY_NOT_JSON",
    "QUEUE_INDEX",
    "QUEUE_LEASE_LOST",
]


class ErrorCode:
    """The stable codes that an error carries in `code`."""

    INVALID_OPTIONS: Final = "INVALID_OPTIONS"
    """An option is unknown, of the wrong type, out of range, or contradicts another one."""

    INVALID_NAME: Final = "INVALID_NAME"
    """A namespace or variable name is empty, too long, not valid Unicode, or holds a control
    character."""

    INVALID_TOPIC: Final = "INVALID_TOPIC"
    """A message name, pattern or queue name breaks the rules for levels and wildcards, or a
    pattern was given where one concrete name is needed."""

    INVALID_VALUE: Final = "INVALID_VALUE"
    """A value of a variable is not JSON as every language can carry it."""

    INVALID_HEADERS: Final = "INVALID_HEADERS"
    """A header name or value holds a character that is not allowed."""

    INVALID_MESSAGE: Final = "INVALID_MESSAGE"
    """The body of a message, request or answer is not JSON as every language can carry it."""

    INVALID_SERVER: Final = "INVALID_SERVER"
    """A server address cannot be used, or what answers there does not speak NATS."""

    INVALID_RECORD: Final = "INVALID_RECORD"
    """A state record from the network does not follow the protocol and was ignored."""

    VERSION_COLLISION: Final = "VERSION_COLLISION"
    """Two different contents came with the same version of a variable; the one already held
    stays."""

    VALUE_TOO_LARGE: Final = "VALUE_TOO_LARGE"
    """The encoded value of a variable is larger than allowed."""

    MESSAGE_TOO_LARGE: Final = "MESSAGE_TOO_LARGE"
    """A message with its headers is larger than the hub's limit or than the broker accepts."""

    MEMORY_FULL: Final = "MEMORY_FULL"
    """The hub holds as many variables, or as many bytes of them, as it may."""

    BUFFER_OVERFLOW: Final = "BUFFER_OVERFLOW"
    """A bounded buffer or table is full: outbound bytes, subscriptions, requests, or the
    answers of one request. Nothing of the refused operation was sent."""

    SLOW_CONSUMER: Final = "SLOW_CONSUMER"
    """A handler does not keep up: new messages of its subscription were dropped."""

    TIMEOUT: Final = "TIMEOUT"
    """Nothing came back in time. Whatever was sent may still be carried out by the other
    side."""

    CANCELLED: Final = "CANCELLED"
    """The caller cancelled the operation. Whatever was sent may still be carried out by the
    other side."""

    DISCONNECTED: Final = "DISCONNECTED"
    """There is no active connection, or it was lost or changed while the operation ran."""

    DRAINING: Final = "DRAINING"
    """The hub is draining and takes no new operation."""

    DRAIN_TIMEOUT: Final = "DRAIN_TIMEOUT"
    """Accepted work did not finish within the drain's deadline; the rest was cleaned up."""

    DRAIN_IN_HANDLER: Final = "DRAIN_IN_HANDLER"
    """A drain was called inside a handler that this drain would have to wait for."""

    BLOCKING_IN_HANDLER: Final = "BLOCKING_IN_HANDLER"
    """A blocking call was made on a thread that runs handlers; it would wait for itself."""

    CLOSED: Final = "CLOSED"
    """The hub or the subscription is closed."""

    NO_RESPONDERS: Final = "NO_RESPONDERS"
    """The broker says that nobody listens on this name."""

    NO_REPLY_SUBJECT: Final = "NO_REPLY_SUBJECT"
    """A reply was asked for, but the message carries no address to reply to, or the context
    has ended."""

    PERMISSION_DENIED: Final = "PERMISSION_DENIED"
    """The broker's permissions refuse this publication or subscription."""

    AUTH_FAILED: Final = "AUTH_FAILED"
    """The broker refused the credentials, or wants some and none were given."""

    HANDLER_ERROR: Final = "HANDLER_ERROR"
    """A handler failed. Its requester is told nothing and may run into its time-out."""

    FORKED: Final = "FORKED"
    """The hub was opened by the parent process and cannot work in a forked child."""

    UNSUPPORTED: Final = "UNSUPPORTED"
    """This platform, build or broker cannot do what was asked."""

    CLOCK_REQUIRED: Final = "CLOCK_REQUIRED"
    """The operation needs the wall clock, and this platform has none that is set."""

    INTERNAL: Final = "INTERNAL"
    """A fault of Posthouse itself."""

    QUEUE_BINDING: Final = "QUEUE_BINDING"
    """The name of a queue binding is empty."""

    DEPLOYMENT: Final = "DEPLOYMENT"
    """A queue binding is not granted or not configured. No error of a queue: it ends the
    request or event that used it."""

    QUEUE_BODY_JSON: Final = "QUEUE_BODY_JSON"
    """The body is not one JSON value, or holds a number that overflows."""

    QUEUE_BODY_UNICODE: Final = "QUEUE_BODY_UNICODE"
    """The body holds a lone surrogate, which no UTF-8 text can carry."""

    QUEUE_BODY_RESERVED: Final = "QUEUE_BODY_RESERVED"
    """An object in the body has a key that is reserved for the host: `$句柄`, `$未定义`,
    `$大整数` or `$数字`."""

    QUEUE_BODY_SIZE: Final = "QUEUE_BODY_SIZE"
    """The body, as given or as normalised, is larger than 128,000 bytes."""

    QUEUE_BODY_DEPTH: Final = "QUEUE_BODY_DEPTH"
    """The body is nested more than 24 deep; on reading, more than 32, which fails the event."""

    QUEUE_DELAY: Final = "QUEUE_DELAY"
    """A delay is no whole number of seconds from 0 to 43,200."""

    QUEUE_BATCH_JSON: Final = "QUEUE_BATCH_JSON"
    """The text of a batch is not a JSON array."""

    QUEUE_BATCH_COUNT: Final = "QUEUE_BATCH_COUNT"
    """A batch is empty or has more than 100 messages. Nothing was sent."""

    QUEUE_BATCH_ITEM: Final = "QUEUE_BATCH_ITEM"
    """An item of a batch is no object with `body` and at most `delaySeconds` besides. Nothing
    was sent."""

    QUEUE_BATCH_SIZE: Final = "QUEUE_BATCH_SIZE"
    """The bodies of a batch are together larger than 256,000 bytes. Nothing was sent."""

    QUEUE_BATCH_TEXT: Final = "QUEUE_BATCH_TEXT"
    """The text of a batch is larger than 1 MiB. Nothing was sent."""

    QUEUE_STORE: Final = "QUEUE_STORE"
    """The store refused a message or a batch, in its own words."""

    QUEUE_NO_EVENT: Final = "QUEUE_NO_EVENT"
    """An operation of consuming was called where no queue event runs, or after the event had
    ended."""

    QUEUE_BODY_NOT_JSON: Final = "QUEUE_BODY_NOT_JSON"
    """A message of the batch has a body that is no JSON value; another producer put it there."""

    QUEUE_INDEX: Final = "QUEUE_INDEX"
    """There is no message with that number in the batch."""

    QUEUE_LEASE_LOST: Final = "QUEUE_LEASE_LOST"
    """The lease of the message has ended: it was given to another consumer, whose word
    counts."""


CODES: Final[tuple[Code, ...]] = (
    "INVALID_OPTIONS",
    "INVALID_NAME",
    "INVALID_TOPIC",
    "INVALID_VALUE",
    "INVALID_HEADERS",
    "INVALID_MESSAGE",
    "INVALID_SERVER",
    "INVALID_RECORD",
    "VERSION_COLLISION",
    "VALUE_TOO_LARGE",
    "MESSAGE_TOO_LARGE",
    "MEMORY_FULL",
    "BUFFER_OVERFLOW",
    "SLOW_CONSUMER",
    "TIMEOUT",
    "CANCELLED",
    "DISCONNECTED",
    "DRAINING",
    "DRAIN_TIMEOUT",
    "DRAIN_IN_HANDLER",
    "BLOCKING_IN_HANDLER",
    "CLOSED",
    "NO_RESPONDERS",
    "NO_REPLY_SUBJECT",
    "PERMISSION_DENIED",
    "AUTH_FAILED",
    "HANDLER_ERROR",
    "FORKED",
    "UNSUPPORTED",
    "CLOCK_REQUIRED",
    "INTERNAL",
    "QUEUE_BINDING",
    "DEPLOYMENT",
    "QUEUE_BODY_JSON",
    "QUEUE_BODY_UNICODE",
    "QUEUE_BODY_RESERVED",
    "QUEUE_BODY_SIZE",
    "QUEUE_BODY_DEPTH",
    "QUEUE_DELAY",
    "QUEUE_BATCH_JSON",
    "QUEUE_BATCH_COUNT",
    "QUEUE_BATCH_ITEM",
    "QUEUE_BATCH_SIZE",
    "QUEUE_BATCH_TEXT",
    "QUEUE_STORE",
    "QUEUE_NO_EVENT",
    "QUEUE_BODY_NOT_JSON",
    "QUEUE_INDEX",
    "QUEUE_LEASE_LOST",
)

# Limits that no option changes; durations in milliseconds, as their names say.
NAME_BYTES: Final = 128
ID_BYTES: Final = 128
VALUE_DEPTH: Final = 32
VALUE_NODES: Final = 20_000
VALUE_BYTES: Final = 65_536
SAFE_INTEGER: Final = 9_007_199_254_740_991
COUNTER_DIGITS: Final = 40
STATUS_BYTES: Final = 2_048
REPORT_TEXT_CHARS: Final = 240
REPORT_INTERVAL_MAX_MS: Final = 2_147_483_647
ONLINE_INTERVALS: Final = 3
HEADER_FIXED_BYTES: Final = 12
HEADER_ENTRY_BYTES: Final = 4
RECONNECT_FIRST_MS: Final = 100
RECONNECT_MAX_MS: Final = 5_000
RECONNECT_JITTER: Final = 20
SWITCH_DRAIN_MS: Final = 5_000
PEER_TIMEOUT_PERCENT: Final = 80
TAKE_OVER_MS: Final = 2_000
LOCAL_PORT: Final = 4222
LOCAL_WEBSOCKET_PORT: Final = 9222
QUEUE_BODY_BYTES: Final = 128_000
QUEUE_DEPTH: Final = 24
QUEUE_READ_DEPTH: Final = 32
QUEUE_DELAY_MAX: Final = 43_200
QUEUE_BATCH_MESSAGES: Final = 100
QUEUE_BATCH_BYTES: Final = 256_000
QUEUE_BATCH_TEXT_BYTES: Final = 1_048_576

# Defaults of options; durations in seconds.
HUB_DEFAULT_TIMEOUT: Final = 3.0
HUB_DEFAULT_HEALTH_INTERVAL: Final = 5.0
HUB_DEFAULT_PROBE_INTERVAL: Final = 15.0
HUB_DEFAULT_PING_INTERVAL: Final = 5.0
HUB_DEFAULT_PING_MISSED: Final = 1
HUB_DEFAULT_MAX_VARIABLES: Final = 10_000
HUB_DEFAULT_MAX_MEMORY_BYTES: Final = 16_777_216
HUB_DEFAULT_MAX_INSTANCES: Final = 1_024
SELECTION_DEFAULT_IMPROVEMENT_MS: Final = 10
SELECTION_DEFAULT_IMPROVEMENT_RATIO: Final = 0.2
SELECTION_DEFAULT_COOLDOWN: Final = 30.0
MESSAGING_DEFAULT_SUBSCRIPTIONS: Final = 128
MESSAGING_DEFAULT_REQUESTS: Final = 64
MESSAGING_DEFAULT_PENDING_MESSAGES: Final = 4_096
MESSAGING_DEFAULT_PENDING_BYTES: Final = 8_388_608
MESSAGING_DEFAULT_OUTBOUND_BYTES: Final = 8_388_608
MESSAGING_DEFAULT_PAYLOAD_BYTES: Final = 65_536
MESSAGING_DEFAULT_HEADER_BYTES: Final = 4_096
MESSAGING_DEFAULT_HEADER_ENTRIES: Final = 32
MESSAGING_DEFAULT_REPLIES: Final = 16
MESSAGING_DEFAULT_REPLY_BYTES: Final = 1_048_576
SUBSCRIPTION_DEFAULT_PENDING_MESSAGES: Final = 256
SUBSCRIPTION_DEFAULT_PENDING_BYTES: Final = 1_048_576
SUBSCRIPTION_DEFAULT_TIMEOUT: Final = 3.0
REQUEST_DEFAULT_TIMEOUT: Final = 3.0
REQUEST_MANY_DEFAULT_TIMEOUT: Final = 3.0
REQUEST_MANY_DEFAULT_MAX_REPLIES: Final = 16
REQUEST_MANY_DEFAULT_MAX_BYTES: Final = 1_048_576
DRAIN_DEFAULT_TIMEOUT: Final = 5.0
QUEUE_DEFAULT_MAX_BATCH_SIZE: Final = 10
QUEUE_DEFAULT_MAX_BATCH_WAIT: Final = 5.0
QUEUE_DEFAULT_MAX_RETRIES: Final = 3
QUEUE_DEFAULT_RETRY_DELAY: Final = 0.0
QUEUE_DEFAULT_VISIBILITY_TIMEOUT: Final = 30.0
QUEUE_DEFAULT_MAX_CONCURRENCY: Final = 1
QUEUE_DEFAULT_RETENTION: Final = 345600.0
QUEUE_DEFAULT_HANDLER_TIMEOUT: Final = 900.0

# The option names that each group knows.
HUB_OPTIONS: Final[tuple[str, ...]] = (
    "servers",
    "node",
    "token",
    "user",
    "password",
    "nkey",
    "credentials",
    "tls",
    "timeout",
    "peer_timeout",
    "health_interval",
    "probe_interval",
    "ping_interval",
    "ping_missed",
    "max_variables",
    "max_memory_bytes",
    "max_instances",
    "selection",
    "messaging",
    "on_callback_error",
)
TLS_OPTIONS: Final[tuple[str, ...]] = ("ca_file", "cert_file", "key_file", "handshake_first")
SELECTION_OPTIONS: Final[tuple[str, ...]] = ("improvement_ms", "improvement_ratio", "cooldown")
MESSAGING_OPTIONS: Final[tuple[str, ...]] = (
    "subscriptions",
    "requests",
    "pending_messages",
    "pending_bytes",
    "outbound_bytes",
    "payload_bytes",
    "header_bytes",
    "header_entries",
    "replies",
    "reply_bytes",
)
SUBSCRIPTION_OPTIONS: Final[tuple[str, ...]] = (
    "queue",
    "pending_messages",
    "pending_bytes",
    "with_context",
    "timeout",
)
PUBLISH_OPTIONS: Final[tuple[str, ...]] = ("headers",)
REQUEST_OPTIONS: Final[tuple[str, ...]] = ("timeout", "headers", "details")
REQUEST_MANY_OPTIONS: Final[tuple[str, ...]] = (
    "timeout",
    "max_replies",
    "max_bytes",
    "headers",
    "details",
)
DRAIN_OPTIONS: Final[tuple[str, ...]] = ("timeout",)
QUEUE_OPTIONS: Final[tuple[str, ...]] = (
    "max_batch_size",
    "max_batch_wait",
    "max_retries",
    "retry_delay",
    "dead_letter_queue",
    "visibility_timeout",
    "max_concurrency",
    "retention",
    "handler_timeout",
)

# Environment variables.
ENV_SERVERS: Final = "POSTHOUSE_SERVERS"
ENV_TOKEN: Final = "POSTHOUSE_TOKEN"
ENV_CREDENTIALS: Final = "POSTHOUSE_CREDENTIALS"
ENV_LOG: Final = "POSTHOUSE_LOG"
