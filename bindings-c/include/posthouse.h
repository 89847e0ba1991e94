/* Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.
 * The types are kept in bindings-c/header/types.h, the functions in bindings-c/src. */
/* clang-format off */
/** @file
 * Posthouse for C: state, events and requests by name over NATS. docs/c.md has the whole story.
 *
 * Who owns what: `*_free` takes what the program owns, also NULL. Everything called `posthouse_str_t` is
 * borrowed. What is handed out through a pointer to a pointer is the program's from then on.
 *
 * Errors: what can fail returns a code, POSTHOUSE_OK for success, and fills `error` unless that is NULL;
 * the program frees it. After a failure the other results are unset. No function unwinds. */
#ifndef POSTHOUSE_H
#define POSTHOUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The binary interface that this header describes: the number in the library's name. */
#define POSTHOUSE_ABI 0

#ifdef __cplusplus
extern "C" {
#endif

/** Borrowed text or bytes: not terminated by a zero, and good only as long as the function that gave it
 *  says. `data` may be NULL where `len` is 0; as an argument NULL means "not given". */
typedef struct posthouse_str {
    const char *data;
    size_t len;
} posthouse_str_t;

/** Bytes that the library has made and the program owns: give them back with `posthouse_buf_free`. */
typedef struct posthouse_buf {
    char *data;
    size_t len;
    size_t capacity;
} posthouse_buf_t;

/** State of a hub's connection. */
typedef enum posthouse_state {
    POSTHOUSE_STATE_STARTING = 0,   /**< Not dialled yet. */
    POSTHOUSE_STATE_CONNECTING = 1, /**< Dialling, or being set up. */
    POSTHOUSE_STATE_CONNECTED = 2,  /**< In use. */
    POSTHOUSE_STATE_OFFLINE = 3,    /**< Lost, and being sought again. */
    POSTHOUSE_STATE_ERROR = 4,      /**< Every server refuses; being sought all the same. */
    POSTHOUSE_STATE_CLOSED = 5      /**< The hub is closed. */
} posthouse_state_t;

/** Why a collection of answers ended well. */
typedef enum posthouse_reason {
    POSTHOUSE_REASON_NONE = 0,       /**< The result is not of a collection. */
    POSTHOUSE_REASON_DEADLINE = 1,   /**< The window is over. */
    POSTHOUSE_REASON_MAX_REPLIES = 2 /**< As many answers as wanted have come. */
} posthouse_reason_t;

/** How much a line of the log matters. */
typedef enum posthouse_level {
    POSTHOUSE_LEVEL_DEBUG = 0,
    POSTHOUSE_LEVEL_INFO = 1,
    POSTHOUSE_LEVEL_WARNING = 2
} posthouse_level_t;

/** A hub: a member of a namespace. Any thread may use it. */
typedef struct posthouse_hub posthouse_hub_t;
/** A name of a hub, for state and messages. Any thread may use it. */
typedef struct posthouse_variable posthouse_variable_t;
/** A live subscription or handler. Any thread may use it. */
typedef struct posthouse_subscription posthouse_subscription_t;
/** A live watch. Any thread may use it. */
typedef struct posthouse_watch posthouse_watch_t;
/** Something begun that has an end. Any thread may use it. */
typedef struct posthouse_operation posthouse_operation_t;
/** What an operation gave. One thread at a time. */
typedef struct posthouse_result posthouse_result_t;
/** What went wrong. One thread at a time. */
typedef struct posthouse_error posthouse_error_t;
/** Headers of a message. One thread at a time; any number while nobody changes them. */
typedef struct posthouse_headers posthouse_headers_t;
/** A message whose handler runs, or a kept one. Any thread may use it. */
typedef struct posthouse_message posthouse_message_t;
/** The duty to end the handling of one message later. Any thread may use it. */
typedef struct posthouse_deferred posthouse_deferred_t;
/** Where a credential callback puts its answer. */
typedef struct posthouse_answer posthouse_answer_t;

/** What is known of a variable besides its value. */
typedef struct posthouse_meta {
    bool initialized;        /**< Whether it is known if there is a value. */
    int32_t exists;          /**< 1, 0, or -1 while that is unknown. */
    bool pending;            /**< A write of this hub that no server has confirmed yet. */
    bool connected;          /**< Whether the hub has an active connection. */
    posthouse_str_t counter; /**< The version's counter, decimal; NULL where there is no version. */
    posthouse_str_t writer;  /**< The version's writer; NULL where there is no version. */
} posthouse_meta_t;

/** A variable at one moment: its JSON, NULL where there is no value, and what is known besides. */
typedef struct posthouse_view {
    posthouse_str_t value;
    posthouse_meta_t meta;
} posthouse_view_t;

/** What went wrong, as a code that every language shares. New ones may come. */
typedef enum posthouse_code {
    POSTHOUSE_OK = 0, /**< Nothing went wrong. */
    /** An option is unknown, of the wrong type, out of range, or contradicts another one. */
    POSTHOUSE_INVALID_OPTIONS = 1,
    /** A namespace or variable name is empty, too long, not valid Unicode, or holds a control character. */
    POSTHOUSE_INVALID_NAME = 2,
    /** A message name, pattern or queue name breaks the rules for levels and wildcards, or a pattern was given where one concrete name is needed. */
    POSTHOUSE_INVALID_TOPIC = 3,
    /** A value of a variable is not JSON as every language can carry it. */
    POSTHOUSE_INVALID_VALUE = 4,
    /** A header name or value holds a character that is not allowed. */
    POSTHOUSE_INVALID_HEADERS = 5,
    /** The body of a message, request or answer is not JSON as every language can carry it. */
    POSTHOUSE_INVALID_MESSAGE = 6,
    /** A server address cannot be used, or what answers there does not speak NATS. */
    POSTHOUSE_INVALID_SERVER = 7,
    /** A state record from the network does not follow the protocol and was ignored. */
    POSTHOUSE_INVALID_RECORD = 8,
    /** Two different contents came with the same version of a variable; the one already held stays. */
    POSTHOUSE_VERSION_COLLISION = 9,
    /** The encoded value of a variable is larger than allowed. */
    POSTHOUSE_VALUE_TOO_LARGE = 10,
    /** A message with its headers is larger than the hub's limit or than the broker accepts. */
    POSTHOUSE_MESSAGE_TOO_LARGE = 11,
    /** The hub holds as many variables, or as many bytes of them, as it may. */
    POSTHOUSE_MEMORY_FULL = 12,
    /** A bounded buffer or table is full: outbound bytes, subscriptions, requests, or the answers of one request. Nothing of the refused operation was sent. */
    POSTHOUSE_BUFFER_OVERFLOW = 13,
    /** A handler does not keep up: new messages of its subscription were dropped. */
    POSTHOUSE_SLOW_CONSUMER = 14,
    /** Nothing came back in time. Whatever was sent may still be carried out by the other side. */
    POSTHOUSE_TIMEOUT = 15,
    /** The caller cancelled the operation. Whatever was sent may still be carried out by the other side. */
    POSTHOUSE_CANCELLED = 16,
    /** There is no active connection, or it was lost or changed while the operation ran. */
    POSTHOUSE_DISCONNECTED = 17,
    /** The hub is draining and takes no new operation. */
    POSTHOUSE_DRAINING = 18,
    /** Accepted work did not finish within the drain's deadline; the rest was cleaned up. */
    POSTHOUSE_DRAIN_TIMEOUT = 19,
    /** A drain was called inside a handler that this drain would have to wait for. */
    POSTHOUSE_DRAIN_IN_HANDLER = 20,
    /** A blocking call was made on a thread that runs handlers; it would wait for itself. */
    POSTHOUSE_BLOCKING_IN_HANDLER = 21,
    /** The hub or the subscription is closed. */
    POSTHOUSE_CLOSED = 22,
    /** The broker says that nobody listens on this name. */
    POSTHOUSE_NO_RESPONDERS = 23,
    /** A reply was asked for, but the message carries no address to reply to, or the context has ended. */
    POSTHOUSE_NO_REPLY_SUBJECT = 24,
    /** The broker's permissions refuse this publication or subscription. */
    POSTHOUSE_PERMISSION_DENIED = 25,
    /** The broker refused the credentials, or wants some and none were given. */
    POSTHOUSE_AUTH_FAILED = 26,
    /** A handler failed. Its requester is told nothing and may run into its time-out. */
    POSTHOUSE_HANDLER_ERROR = 27,
    /** The hub was opened by the parent process and cannot work in a forked child. */
    POSTHOUSE_FORKED = 28,
    /** This platform, build or broker cannot do what was asked. */
    POSTHOUSE_UNSUPPORTED = 29,
    /** The operation needs the wall clock, and this platform has none that is set. */
    POSTHOUSE_CLOCK_REQUIRED = 30,
    /** A fault of Posthouse itself. */
    POSTHOUSE_INTERNAL = 31,
    /** The name of a queue binding is empty. */
    POSTHOUSE_QUEUE_BINDING = 32,
    /** A queue binding is not granted or not configured. No error of a queue: it ends the request or event that used it. */
    POSTHOUSE_DEPLOYMENT = 33,
    /** The body is not one JSON value, or holds a number that overflows. */
    POSTHOUSE_QUEUE_BODY_JSON = 34,
    /** The body holds a lone surrogate, which no UTF-8 text can carry. */
    POSTHOUSE_QUEUE_BODY_UNICODE = 35,
    /** An object in the body has a key that is reserved for the host: `$句柄`, `$未定义`, `$大整数` or `$数字`. */
    POSTHOUSE_QUEUE_BODY_RESERVED = 36,
    /** The body, as given or as normalised, is larger than 128,000 bytes. */
    POSTHOUSE_QUEUE_BODY_SIZE = 37,
    /** The body is nested more than 24 deep; on reading, more than 32, which fails the event. */
    POSTHOUSE_QUEUE_BODY_DEPTH = 38,
    /** A delay is no whole number of seconds from 0 to 43,200. */
    POSTHOUSE_QUEUE_DELAY = 39,
    /** The text of a batch is not a JSON array. */
    POSTHOUSE_QUEUE_BATCH_JSON = 40,
    /** A batch is empty or has more than 100 messages. Nothing was sent. */
    POSTHOUSE_QUEUE_BATCH_COUNT = 41,
    /** An item of a batch is no object with `body` and at most `delaySeconds` besides. Nothing was sent. */
    POSTHOUSE_QUEUE_BATCH_ITEM = 42,
    /** The bodies of a batch are together larger than 256,000 bytes. Nothing was sent. */
    POSTHOUSE_QUEUE_BATCH_SIZE = 43,
    /** The text of a batch is larger than 1 MiB. Nothing was sent. */
    POSTHOUSE_QUEUE_BATCH_TEXT = 44,
    /** The store refused a message or a batch, in its own words. */
    POSTHOUSE_QUEUE_STORE = 45,
    /** An operation of consuming was called where no queue event runs, or after the event had ended. */
    POSTHOUSE_QUEUE_NO_EVENT = 46,
    /** A message of the batch has a body that is no JSON value; another producer put it there. */
    POSTHOUSE_QUEUE_BODY_NOT_JSON = 47,
    /** There is no message with that number in the batch. */
    POSTHOUSE_QUEUE_INDEX = 48,
    /** The lease of the message has ended: it was given to another consumer, whose word counts. */
    POSTHOUSE_QUEUE_LEASE_LOST = 49
} posthouse_code_t;

/** The longest namespace, variable, message or queue name, in UTF-8. In bytes. */
#define POSTHOUSE_NAME_BYTES 128
/** The longest instance id, writer or inbox id. In bytes. */
#define POSTHOUSE_ID_BYTES 128
/** How deep arrays and objects may be nested below the root of a value. In levels. */
#define POSTHOUSE_VALUE_DEPTH 32
/** How many nodes one JSON value may have. In nodes. */
#define POSTHOUSE_VALUE_NODES 20000
/** The largest encoded value of a variable. In bytes. */
#define POSTHOUSE_VALUE_BYTES 65536
/** The largest magnitude of an integer-valued number: 2^53 − 1. In integer. */
#define POSTHOUSE_SAFE_INTEGER 9007199254740991
/** The longest counter of a version, in decimal digits. In digits. */
#define POSTHOUSE_COUNTER_DIGITS 40
/** The largest status in a health report, measured before unknown fields are dropped. In bytes. */
#define POSTHOUSE_STATUS_BYTES 2048
/** The longest error text or reason in a health report. In characters. */
#define POSTHOUSE_REPORT_TEXT_CHARS 240
/** The longest interval that a health report may announce. In ms. */
#define POSTHOUSE_REPORT_INTERVAL_MAX_MS 2147483647
/** An instance counts as offline once its last report is this many of its intervals old. In intervals. */
#define POSTHOUSE_ONLINE_INTERVALS 3
/** What a header block costs besides its entries. In bytes. */
#define POSTHOUSE_HEADER_FIXED_BYTES 12
/** What each header entry costs besides its name and value. In bytes. */
#define POSTHOUSE_HEADER_ENTRY_BYTES 4
/** The pause before the first attempt to reconnect; it doubles from there. In ms. */
#define POSTHOUSE_RECONNECT_FIRST_MS 100
/** The longest pause between two attempts to reconnect, before jitter. In ms. */
#define POSTHOUSE_RECONNECT_MAX_MS 5000
/** How far a pause between attempts may differ from its nominal length, either way. In percent. */
#define POSTHOUSE_RECONNECT_JITTER 20
/** How long a planned switch of the broker waits for handlers that already run. In ms. */
#define POSTHOUSE_SWITCH_DRAIN_MS 5000
/** The default of `peer_timeout`, as a part of `timeout`. In percent. */
#define POSTHOUSE_PEER_TIMEOUT_PERCENT 80
/** Within this time another hub of the machine takes over an owned node whose owner went. In ms. */
#define POSTHOUSE_TAKE_OVER_MS 2000
/** TCP port of the local node. In port. */
#define POSTHOUSE_LOCAL_PORT 4222
/** WebSocket port of the local node. In port. */
#define POSTHOUSE_LOCAL_WEBSOCKET_PORT 9222
/** The largest body of a queue message, as given and as normalised. In bytes. */
#define POSTHOUSE_QUEUE_BODY_BYTES 128000
/** How deep a body may be nested when it is sent; arrays and objects count one each. In levels. */
#define POSTHOUSE_QUEUE_DEPTH 24
/** How deep a body may be nested when it is read; beyond it the event fails. In levels. */
#define POSTHOUSE_QUEUE_READ_DEPTH 32
/** The longest delay of a message or of a retry. In seconds. */
#define POSTHOUSE_QUEUE_DELAY_MAX 43200
/** How many messages a batch may have. In messages. */
#define POSTHOUSE_QUEUE_BATCH_MESSAGES 100
/** How large the normalised bodies of a batch may be together. In bytes. */
#define POSTHOUSE_QUEUE_BATCH_BYTES 256000
/** The largest text of a batch. In bytes. */
#define POSTHOUSE_QUEUE_BATCH_TEXT_BYTES 1048576

/** An option that is not given: the default holds. */
#define POSTHOUSE_DEFAULT INT64_MIN
/** The same for a ratio. */
#define POSTHOUSE_DEFAULT_RATIO (-1.0)
/** The same for what is true (1) or false (0). */
#define POSTHOUSE_DEFAULT_FLAG (-1)

/** What a hub is opened with. Start from `POSTHOUSE_HUB_OPTIONS_INIT`. */
typedef struct posthouse_hub_options {
    uint32_t size; /**< sizeof(posthouse_hub_options_t) */
    /** Addresses of the brokers to choose from: `nats://`, `tls://`, `ws://` or `wss://`. Given, the hub is a client only and never owns a node. */
    const posthouse_str_t *servers;
    /** How many `servers` points at. */
    size_t servers_count;
    /** Whether the hub may become the local node where none listens: `auto`, true (it must be possible) or false (never). */
    int32_t node;
    /** Token for the broker, or a callback that is asked anew at every attempt to connect. */
    posthouse_str_t token;
    /** User name for the broker, or a callback that is asked anew at every attempt. */
    posthouse_str_t user;
    /** Password of `user`, or a callback that is asked anew at every attempt. */
    posthouse_str_t password;
    /** Seed of an nkey, or a callback that is asked anew at every attempt. */
    posthouse_str_t nkey;
    /** Path of a credentials file (a user's JWT and its seed), or a callback that gives its content anew at every attempt. */
    posthouse_str_t credentials;
    /** Authorities to trust instead of the system's own. */
    posthouse_str_t tls_ca_file;
    /** Certificate chain of this client. */
    posthouse_str_t tls_cert_file;
    /** Private key of `cert_file`. */
    posthouse_str_t tls_key_file;
    /** Start TLS before the broker has said anything, instead of after its greeting. */
    int32_t tls_handshake_first;
    /** How long connecting, and each operation that gives none of its own, may take. Default 3000 ms, allowed 1 to 2147483647. */
    int64_t timeout_ms;
    /** How long other instances have to answer a query for the current state; after it a variable that nobody holds counts as absent. Default 80 % of `timeout`, allowed 1 to 2147483647. */
    int64_t peer_timeout_ms;
    /** How often the hub reports its own health to the namespace. Default 5000 ms, allowed 1 to 2147483647. */
    int64_t health_interval_ms;
    /** How often the hub asks the others for their state again and measures the other servers. Default 15000 ms, allowed 1 to 2147483647. */
    int64_t probe_interval_ms;
    /** How long the link may be silent before the hub pings it. Default 5000 ms, allowed 1 to 2147483647. */
    int64_t ping_interval_ms;
    /** How many pings in a row may stay unanswered; a dead link is noticed within `ping_interval` × (this + 1). Default 1, allowed 0 to 1000. */
    int64_t ping_missed;
    /** How many variable references, and how many records, the hub holds at most. Default 10000, allowed 1 to 10000000. */
    int64_t max_variables;
    /** How many bytes of state records the hub holds at most. Default 16777216 bytes, allowed 1 to 2147483647. */
    int64_t max_memory_bytes;
    /** How many other instances the hub remembers at most. Default 1024, allowed 1 to 1000000. */
    int64_t max_instances;
    /** By how many milliseconds the round trip must be shorter. Milliseconds in every language, as its name says. Default 10 ms, allowed 0 to 2147483647. */
    int64_t selection_improvement_ms;
    /** By which part of the present round trip it must be shorter. Default 0.2, allowed 0 to 1. */
    double selection_improvement_ratio;
    /** How long the hub stays where it is after a switch. Default 30000 ms, allowed 0 to 2147483647. */
    int64_t selection_cooldown_ms;
    /** Subscriptions and handlers at a time. Default 128, allowed 1 to 1000000. */
    int64_t messaging_subscriptions;
    /** Requests and collections that wait for answers at a time. Default 64, allowed 1 to 1000000. */
    int64_t messaging_requests;
    /** Messages received and not yet done with: queued, running, collected. Default 4096, allowed 1 to 100000000. */
    int64_t messaging_pending_messages;
    /** Bytes of the messages received and not yet done with. Default 8388608 bytes, allowed 1 to 2147483647. */
    int64_t messaging_pending_bytes;
    /** Bytes accepted for sending and not yet handed to the system. Default 8388608 bytes, allowed 1 to 2147483647. */
    int64_t messaging_outbound_bytes;
    /** The largest body of one message. Default 65536 bytes, allowed 1 to 67108864. */
    int64_t messaging_payload_bytes;
    /** The largest header block of one message. Default 4096 bytes, allowed 0 to 65536. */
    int64_t messaging_header_bytes;
    /** Header entries of one message. Default 32, allowed 0 to 1024. */
    int64_t messaging_header_entries;
    /** Answers that one collection may gather; its `max_replies` may only lower this. Default 16, allowed 1 to 1000000. */
    int64_t messaging_replies;
    /** Bytes of answers that one collection may gather; its `max_bytes` may only lower this. Default 1048576 bytes, allowed 1 to 2147483647. */
    int64_t messaging_reply_bytes;
} posthouse_hub_options_t;

#define POSTHOUSE_HUB_OPTIONS_INIT \
    { sizeof(posthouse_hub_options_t), \
      NULL, \
      0, \
      POSTHOUSE_DEFAULT_FLAG, \
      {NULL, 0}, \
      {NULL, 0}, \
      {NULL, 0}, \
      {NULL, 0}, \
      {NULL, 0}, \
      {NULL, 0}, \
      {NULL, 0}, \
      {NULL, 0}, \
      POSTHOUSE_DEFAULT_FLAG, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT_RATIO, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT }

/** What a subscription or a handler is opened with. Start from `POSTHOUSE_SUBSCRIPTION_OPTIONS_INIT`. */
typedef struct posthouse_subscription_options {
    uint32_t size; /**< sizeof(posthouse_subscription_options_t) */
    /** Queue group: the broker gives each message to one member. Without it every subscriber gets every message. */
    posthouse_str_t queue;
    /** Messages that may wait for this subscription's handler; further ones are dropped and counted. Default 256, allowed 1 to 100000000. */
    int64_t pending_messages;
    /** Bytes that may wait for this subscription's handler. Default 1048576 bytes, allowed 1 to 2147483647. */
    int64_t pending_bytes;
    /** How long the broker has to confirm the subscription. Default 3000 ms, allowed 1 to 2147483647. */
    int64_t timeout_ms;
} posthouse_subscription_options_t;

#define POSTHOUSE_SUBSCRIPTION_OPTIONS_INIT \
    { sizeof(posthouse_subscription_options_t), \
      {NULL, 0}, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT }

/** What a request for one answer takes. Start from `POSTHOUSE_REQUEST_OPTIONS_INIT`. */
typedef struct posthouse_request_options {
    uint32_t size; /**< sizeof(posthouse_request_options_t) */
    /** How long the whole request may take. Default 3000 ms, allowed 1 to 2147483647. */
    int64_t timeout_ms;
    /** Headers: a key takes one text or several. */
    const posthouse_headers_t *headers;
} posthouse_request_options_t;

#define POSTHOUSE_REQUEST_OPTIONS_INIT \
    { sizeof(posthouse_request_options_t), \
      POSTHOUSE_DEFAULT, \
      NULL }

/** What a collection of several answers takes. Start from `POSTHOUSE_REQUEST_MANY_OPTIONS_INIT`. */
typedef struct posthouse_request_many_options {
    uint32_t size; /**< sizeof(posthouse_request_many_options_t) */
    /** The window in which answers are gathered, counted from the call. Default 3000 ms, allowed 1 to 2147483647. */
    int64_t timeout_ms;
    /** The collection ends with this many answers; at most the hub's `messaging.replies`. Default 16, allowed 1 to 1000000. */
    int64_t max_replies;
    /** The collection fails beyond this many bytes of answers; at most the hub's `messaging.reply_bytes`. Default 1048576 bytes, allowed 1 to 2147483647. */
    int64_t max_bytes;
    /** Headers: a key takes one text or several. */
    const posthouse_headers_t *headers;
} posthouse_request_many_options_t;

#define POSTHOUSE_REQUEST_MANY_OPTIONS_INIT \
    { sizeof(posthouse_request_many_options_t), \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      POSTHOUSE_DEFAULT, \
      NULL }

/* Callbacks. `call` may be called on a thread of the library, or inside `posthouse_hub_process`;
 * `drop`, which may be NULL, exactly once, after the last `call` has returned, on any thread. Neither may
 * unwind: a C++ exception or a longjmp must not leave it. Whoever takes a closure owns it from the call
 * on, also where that fails. */

/** Hears of messages, one after the other. The message is borrowed for the call. */
typedef struct posthouse_message_closure {
    void *context;
    void (*call)(void *context, const posthouse_message_t *message);
    void (*drop)(void *context);
} posthouse_message_closure_t;

/** Hears of a variable's state. The view is borrowed for the call. */
typedef struct posthouse_view_closure {
    void *context;
    void (*call)(void *context, const posthouse_view_t *view);
    void (*drop)(void *context);
} posthouse_view_closure_t;

/** Hears of the hub's status or instances, as JSON borrowed for the call. */
typedef struct posthouse_json_closure {
    void *context;
    void (*call)(void *context, posthouse_str_t json);
    void (*drop)(void *context);
} posthouse_json_closure_t;

/** Hears of the end of an operation, once. Owns what it is given: `error` is NULL where it went well,
 *  `result` where it failed or there is nothing but its success. */
typedef struct posthouse_done_closure {
    void *context;
    void (*call)(void *context, posthouse_result_t *result, posthouse_error_t *error);
    void (*drop)(void *context);
} posthouse_done_closure_t;

/** Gives credentials: `what` is the option's name. `posthouse_answer_set` gives one; returning without it
 *  fails this attempt to connect. */
typedef struct posthouse_ask_closure {
    void *context;
    void (*call)(void *context, posthouse_str_t what, posthouse_answer_t *answer);
    void (*drop)(void *context);
} posthouse_ask_closure_t;

/** Hears of lines for the program's log; they never carry a secret or a value. */
typedef struct posthouse_log_closure {
    void *context;
    void (*call)(void *context, posthouse_level_t level, posthouse_str_t code, posthouse_str_t line);
    void (*drop)(void *context);
} posthouse_log_closure_t;

/** Is told that `posthouse_hub_process` has something to do: quickly, on any thread, under no lock; it must
 *  not call into the hub. */
typedef struct posthouse_wake_closure {
    void *context;
    void (*call)(void *context);
    void (*drop)(void *context);
} posthouse_wake_closure_t;

/** Who runs callbacks. */
typedef enum posthouse_dispatch {
    /** Threads of the library: one for each subscription, one for everything else of a hub. */
    POSTHOUSE_DISPATCH_THREADS = 0,
    /** The program, in `posthouse_hub_process`, when the descriptor of `posthouse_hub_fd` is readable. */
    POSTHOUSE_DISPATCH_FD = 1,
    /** The program, in `posthouse_hub_process`, after the closure `wake` was called. */
    POSTHOUSE_DISPATCH_WAKE = 2
} posthouse_dispatch_t;

/** Credentials to be asked for by the closure `ask`, to be combined with `|`. */
typedef enum posthouse_asked {
    POSTHOUSE_ASK_NOTHING = 0,
    POSTHOUSE_ASK_TOKEN = 1,
    POSTHOUSE_ASK_USER = 2,
    POSTHOUSE_ASK_PASSWORD = 4,
    POSTHOUSE_ASK_NKEY = 8,
    POSTHOUSE_ASK_CREDENTIALS = 16
} posthouse_asked_t;

/** What the program brings along when it opens a hub. Start from `POSTHOUSE_HOST_INIT`. */
typedef struct posthouse_host {
    uint32_t size;                 /**< sizeof(posthouse_host_t) */
    posthouse_dispatch_t dispatch; /**< Who runs callbacks. */
    posthouse_wake_closure_t wake; /**< For POSTHOUSE_DISPATCH_WAKE. */
    uint32_t asks;                 /**< posthouse_asked_t: what `ask` is for. */
    posthouse_ask_closure_t ask;   /**< Credentials, asked anew at every attempt to connect. */
    posthouse_log_closure_t log;   /**< Lines for the log; without it they go nowhere (see POSTHOUSE_LOG). */
    posthouse_str_t sdk;           /**< The language, as others see it; `c` where not given. */
    posthouse_str_t runtime;       /**< The platform, as others see it, e.g. `c++/20`. */
    bool camel_case;               /**< Messages about options spell them in camel case. */
} posthouse_host_t;

#define POSTHOUSE_HOST_INIT                                                                                            \
    {                                                                                                                  \
        sizeof(posthouse_host_t), POSTHOUSE_DISPATCH_THREADS, {NULL, NULL, NULL}, POSTHOUSE_ASK_NOTHING,               \
            {NULL, NULL, NULL}, {NULL, NULL, NULL}, {NULL, 0}, {NULL, 0}, false                                        \
    }

/** A borrowed text from a C string. */
static inline posthouse_str_t posthouse_text(const char *text) {
    posthouse_str_t borrowed = {text, 0};
    while (text != NULL && text[borrowed.len] != '\0') ++borrowed.len;
    return borrowed;
}

/* ---- The library ---- */

/** The binary interface of the library that is loaded; compare it with POSTHOUSE_ABI. */
uint32_t posthouse_abi(void);

/** The version of the library that is loaded, e.g. `0.1.0`. Static. */
posthouse_str_t posthouse_version(void);

/** A code as every language spells it, e.g. `NO_RESPONDERS`; `OK` for 0. Static; NULL for a number that
 * is no code. */
posthouse_str_t posthouse_code_name(posthouse_code_t code);

/** Ends the library's threads, e.g. before a plugin is unloaded: closes the hubs that are left and waits,
 * at most a second. A hub opened later starts anew. At the end of the program this happens by itself. */
void posthouse_shutdown(void);

/* ---- Bytes ---- */

/** Frees bytes that the library has made, and leaves an empty buffer. NULL and empty ones are fine. */
void posthouse_buf_free(posthouse_buf_t *buffer);

/* ---- Errors ---- */

/** What went wrong. */
posthouse_code_t posthouse_error_code(const posthouse_error_t *error);

/** What was given, what is allowed and what to do; never a secret. Borrowed from the error. */
posthouse_str_t posthouse_error_message(const posthouse_error_t *error);

/** The limit that was passed, or -1 where the error is not about one. */
int64_t posthouse_error_limit(const posthouse_error_t *error);

/** What was measured against the limit, or -1 where the error is not about one. */
int64_t posthouse_error_actual(const posthouse_error_t *error);

/** How many answers a collection had before it failed. */
size_t posthouse_error_partial_count(const posthouse_error_t *error);

/** The JSON of one of these answers, borrowed from the error; NULL past the last. */
posthouse_str_t posthouse_error_partial_body(const posthouse_error_t *error, size_t index);

/** The headers of one of these answers, borrowed from the error; NULL past the last. */
const posthouse_headers_t *posthouse_error_partial_headers(
    const posthouse_error_t *error,
    size_t index);

/** Frees an error. NULL is fine. */
void posthouse_error_free(posthouse_error_t *error);

/* ---- Headers ---- */

/** New headers, empty. The program owns them. */
posthouse_headers_t *posthouse_headers_new(void);

/** A copy that the program owns, e.g. of the headers of a message. NULL gives empty ones. */
posthouse_headers_t *posthouse_headers_clone(const posthouse_headers_t *headers);

/** Frees headers that the program owns. NULL is fine. */
void posthouse_headers_free(posthouse_headers_t *headers);

/** Adds a value to those that a name has. INVALID_HEADERS. */
posthouse_code_t posthouse_headers_append(
    posthouse_headers_t *headers,
    posthouse_str_t name,
    posthouse_str_t value,
    posthouse_error_t **error);

/** Gives a name one value instead of those that it has. INVALID_HEADERS. */
posthouse_code_t posthouse_headers_set(
    posthouse_headers_t *headers,
    posthouse_str_t name,
    posthouse_str_t value,
    posthouse_error_t **error);

/** The value number `index` of a name, in any case; NULL past the last. Borrowed from the headers until
 * they change. */
posthouse_str_t posthouse_headers_get(
    const posthouse_headers_t *headers,
    posthouse_str_t name,
    size_t index);

/** How many entries there are: every value of every name counts. */
size_t posthouse_headers_count(const posthouse_headers_t *headers);

/** The entry number `index`, its name as given or received. Borrowed until the headers change.
 * INVALID_OPTIONS past the last. */
posthouse_code_t posthouse_headers_at(
    const posthouse_headers_t *headers,
    size_t index,
    posthouse_str_t *name,
    posthouse_str_t *value,
    posthouse_error_t **error);

/* ---- Hubs ---- */

/** Opens a hub and returns at once: variables work, the connection is being sought. `namespace` NULL gives
 * a fresh one that nobody else is in; `options` and `host` may be NULL. Close and free it.
 * INVALID_OPTIONS, INVALID_NAME, INVALID_SERVER, FORKED, UNSUPPORTED for structures of a newer header. */
posthouse_code_t posthouse_hub_open(
    posthouse_str_t namespace_,
    const posthouse_hub_options_t *options,
    const posthouse_host_t *host,
    posthouse_hub_t **hub,
    posthouse_error_t **error);

/** Ends the hub at once, without draining. Outside its callbacks waits until everything is gone and no
 * callback runs any more, running handlers included; inside one it returns at once, and the hub ends
 * when the callback has returned. Any number of times, on any thread. With callbacks in the program's
 * turns it runs what is left of them. */
posthouse_code_t posthouse_hub_close(const posthouse_hub_t *hub, posthouse_error_t **error);

/** Closes a hub as `posthouse_hub_close` does and frees its handle. NULL is fine. Variables, subscriptions,
 * watches and operations of it may be freed before or after. */
void posthouse_hub_free(posthouse_hub_t *hub);

/** The namespace; a fresh one where none was given. Borrowed from the hub. */
posthouse_str_t posthouse_hub_namespace(const posthouse_hub_t *hub);

/** This hub's identity, new for every hub. Borrowed from the hub. */
posthouse_str_t posthouse_hub_instance_id(const posthouse_hub_t *hub);

/** The state of the connection: a `posthouse_state_t`. */
posthouse_state_t posthouse_hub_state(const posthouse_hub_t *hub);

/** Everything that the hub tells of itself, as JSON with keys in camel case. The program frees it.
 * FORKED, INTERNAL. */
posthouse_code_t posthouse_hub_status(
    const posthouse_hub_t *hub,
    posthouse_buf_t *json,
    posthouse_error_t **error);

/** The hubs of the namespace, as JSON: a list ordered by identity. The program frees it. FORKED, INTERNAL. */
posthouse_code_t posthouse_hub_instances(
    const posthouse_hub_t *hub,
    posthouse_buf_t *json,
    posthouse_error_t **error);

/** Waits for an active connection; at once where there is one. POSTHOUSE_DEFAULT is the hub's `timeout`.
 * The operation ends with TIMEOUT, AUTH_FAILED, INVALID_SERVER, CLOSED. */
posthouse_code_t posthouse_hub_connected(
    const posthouse_hub_t *hub,
    int64_t timeout_ms,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/** Waits until it is known what all variables hold. POSTHOUSE_DEFAULT: as long as it takes, which the
 * hub's `peer_timeout` bounds. The operation ends with TIMEOUT, CLOSED. */
posthouse_code_t posthouse_hub_ready(
    const posthouse_hub_t *hub,
    int64_t timeout_ms,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/** Waits until the broker has confirmed what was written before. POSTHOUSE_DEFAULT is the hub's `timeout`.
 * The operation ends with TIMEOUT, PERMISSION_DENIED, DISCONNECTED, CLOSED. */
posthouse_code_t posthouse_hub_flush(
    const posthouse_hub_t *hub,
    int64_t timeout_ms,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/** Ends the hub in order: no new operations, accepted work and requests finish, the broker confirms.
 * POSTHOUSE_DEFAULT is 5,000 ms. Close or free the hub afterwards.
 * DRAIN_IN_HANDLER in a callback of this hub; the operation ends with DRAIN_TIMEOUT, CLOSED. */
posthouse_code_t posthouse_hub_drain(
    const posthouse_hub_t *hub,
    int64_t timeout_ms,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/** BLOCKING_IN_HANDLER where this thread runs a callback of the hub: what waits would wait for itself.
 * `what` is the call, for the message. */
posthouse_code_t posthouse_hub_may_block(
    const posthouse_hub_t *hub,
    posthouse_str_t what,
    posthouse_error_t **error);

/** A callback of the program's that is no handler failed: reported as HANDLER_ERROR. `what` is e.g.
 * "a watch callback". */
void posthouse_hub_callback_failed(
    const posthouse_hub_t *hub,
    posthouse_str_t what,
    posthouse_str_t text);

/** Gives a credential, inside the closure `ask` only. */
void posthouse_answer_set(posthouse_answer_t *answer, posthouse_str_t text);

/* ---- Callbacks on the program's own thread ---- */

/** With POSTHOUSE_DISPATCH_FD the descriptor that is readable while `posthouse_hub_process` has something
 * to do; else -1. Only to be waited on; it is the hub's. */
int32_t posthouse_hub_fd(const posthouse_hub_t *hub);

/** Runs callbacks on this thread, for at most `max` events and messages; never waits for any. `more`, which
 * may be NULL, says whether there is something left: the descriptor stays readable then, or `wake` is
 * called again. One thread at a time runs them, another one waits.
 * BLOCKING_IN_HANDLER inside a callback of this hub, UNSUPPORTED where threads of the library run
 * callbacks, FORKED. */
posthouse_code_t posthouse_hub_process(
    const posthouse_hub_t *hub,
    size_t max,
    bool *more,
    posthouse_error_t **error);

/* ---- Operations and their results ---- */

/** Waits for the end, at most `timeout_ms`; negative: as long as it takes; 0: looks only. `ended` says
 * whether it has come, and then the code and `error` are the operation's. The end comes out once.
 * `result`, which may be NULL, is NULL where there is nothing but success.
 * BLOCKING_IN_HANDLER in a callback of the hub, but for 0; CLOSED where the end was given out already, or
 * goes to a callback. */
posthouse_code_t posthouse_operation_wait(
    const posthouse_operation_t *operation,
    int64_t timeout_ms,
    bool *ended,
    posthouse_result_t **result,
    posthouse_error_t **error);

/** Waits as long as it takes and frees the operation: the blocking form of everything.
 * The operation's own error, or BLOCKING_IN_HANDLER, which gives it up. */
posthouse_code_t posthouse_operation_finish(
    posthouse_operation_t *operation,
    posthouse_result_t **result,
    posthouse_error_t **error);

/** Has `done` called with the end, once, also where it has come already. The operation goes on when
 * its handle is freed.
 * CLOSED where the end was given out already, or another thread waits for it; FORKED. */
posthouse_code_t posthouse_operation_then(
    const posthouse_operation_t *operation,
    posthouse_done_closure_t done,
    posthouse_error_t **error);

/** Gives the operation up. Its end comes all the same, with CANCELLED unless it has ended already; what was
 * sent is not undone. Any thread. */
void posthouse_operation_cancel(const posthouse_operation_t *operation);

/** Frees the handle; gives the operation up if its end has not come and goes to no callback. NULL is fine. */
void posthouse_operation_free(posthouse_operation_t *operation);

/** How many answers there are: 1 for a request. */
size_t posthouse_result_count(const posthouse_result_t *result);

/** The JSON of an answer. Borrowed from the result; NULL past the last. */
posthouse_str_t posthouse_result_body(const posthouse_result_t *result, size_t index);

/** The headers of an answer. Borrowed from the result; NULL past the last. */
const posthouse_headers_t *posthouse_result_headers(const posthouse_result_t *result, size_t index);

/** Why a collection ended. */
posthouse_reason_t posthouse_result_reason(const posthouse_result_t *result);

/** Frees a result. NULL is fine. */
void posthouse_result_free(posthouse_result_t *result);

/* ---- Variables: state ---- */

/** The variable of a name; the same name always means the same one. Freeing the handle forgets nothing.
 * INVALID_NAME, MEMORY_FULL, CLOSED, FORKED. */
posthouse_code_t posthouse_hub_variable(
    const posthouse_hub_t *hub,
    posthouse_str_t name,
    posthouse_variable_t **variable,
    posthouse_error_t **error);

/** Frees a variable's handle. NULL is fine. */
void posthouse_variable_free(posthouse_variable_t *variable);

/** Its name. Borrowed from the handle. */
posthouse_str_t posthouse_variable_name(const posthouse_variable_t *variable);

/** Writes the value, as JSON: into memory at once, to the others as soon as there is a way.
 * INVALID_VALUE, VALUE_TOO_LARGE, MEMORY_FULL, DRAINING, CLOSED, FORKED. */
posthouse_code_t posthouse_variable_set(
    const posthouse_variable_t *variable,
    posthouse_str_t value,
    posthouse_error_t **error);

/** Deletes the value, for everybody. MEMORY_FULL, DRAINING, CLOSED, FORKED. */
posthouse_code_t posthouse_variable_erase(
    const posthouse_variable_t *variable,
    posthouse_error_t **error);

/** The current value, as JSON, from memory. `exists` is false where there is none or it is not known; then
 * the buffer is empty. `value` has to be zeroed or of an earlier call: its memory is used again. The
 * program frees it. FORKED, INTERNAL. */
posthouse_code_t posthouse_variable_get(
    const posthouse_variable_t *variable,
    bool *exists,
    posthouse_buf_t *value,
    posthouse_error_t **error);

/** What is known besides the value. The texts point into `storage`, which has to be zeroed or of an earlier
 * call, and which the program frees. FORKED, INTERNAL. */
posthouse_code_t posthouse_variable_meta(
    const posthouse_variable_t *variable,
    posthouse_meta_t *meta,
    posthouse_buf_t *storage,
    posthouse_error_t **error);

/** Waits until it is known what the variable holds. POSTHOUSE_DEFAULT: as long as it takes, which the hub's
 * `peer_timeout` bounds. The operation ends with TIMEOUT, CLOSED. */
posthouse_code_t posthouse_variable_ready(
    const posthouse_variable_t *variable,
    int64_t timeout_ms,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/* ---- Variables: messages ---- */

/** Sends an event to whoever is subscribed now; done when the bounded transport has taken it. `body` NULL is
 * JSON null, `headers` may be NULL. Never blocks.
 * INVALID_TOPIC, INVALID_MESSAGE, MESSAGE_TOO_LARGE, BUFFER_OVERFLOW, DISCONNECTED, DRAINING, CLOSED, FORKED. */
posthouse_code_t posthouse_variable_publish(
    const posthouse_variable_t *variable,
    posthouse_str_t body,
    const posthouse_headers_t *headers,
    posthouse_error_t **error);

/** Asks; the operation gives the first answer. `body` NULL is JSON null, `options` may be NULL. Nothing is
 * ever sent twice; giving up undoes nothing on the other side.
 * As `posthouse_variable_publish`; the operation ends with TIMEOUT, NO_RESPONDERS, INVALID_MESSAGE,
 * DISCONNECTED, CANCELLED, BUFFER_OVERFLOW, PERMISSION_DENIED, CLOSED. */
posthouse_code_t posthouse_variable_request(
    const posthouse_variable_t *variable,
    posthouse_str_t body,
    const posthouse_request_options_t *options,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/** Asks, and collects answers until the window closes or enough have come. A failure carries the answers
 * until then. As `posthouse_variable_request`. */
posthouse_code_t posthouse_variable_request_many(
    const posthouse_variable_t *variable,
    posthouse_str_t body,
    const posthouse_request_many_options_t *options,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/** Receives events and requests, once the broker has taken the subscription: when the operation has ended.
 * `closure` is called with one message after the other. `options` may be NULL. Free both handles; freeing
 * the subscription ends it.
 * INVALID_TOPIC, INVALID_OPTIONS, BUFFER_OVERFLOW, DISCONNECTED, DRAINING, CLOSED, FORKED; the operation
 * ends with PERMISSION_DENIED, TIMEOUT, DISCONNECTED, CLOSED. */
posthouse_code_t posthouse_variable_subscribe(
    const posthouse_variable_t *variable,
    const posthouse_subscription_options_t *options,
    posthouse_message_closure_t closure,
    posthouse_subscription_t **subscription,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/** Handles requests: `closure` answers each with `posthouse_message_answer`, defers it, or fails. One that
 * returns without any of these has answered JSON null. As `posthouse_variable_subscribe`. */
posthouse_code_t posthouse_variable_handle(
    const posthouse_variable_t *variable,
    const posthouse_subscription_options_t *options,
    posthouse_message_closure_t closure,
    posthouse_subscription_t **subscription,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/* ---- Messages and answers ---- */

/** The JSON that came. Borrowed from the message. */
posthouse_str_t posthouse_message_body(const posthouse_message_t *message);

/** The name that it was sent to, where a pattern was subscribed to one of many. Borrowed from the message. */
posthouse_str_t posthouse_message_topic(const posthouse_message_t *message);

/** Its headers. Borrowed from the message. */
const posthouse_headers_t *posthouse_message_headers(const posthouse_message_t *message);

/** Whether it wants an answer. */
bool posthouse_message_wants_answer(const posthouse_message_t *message);

/** Sends one answer; in a subscription any number of times while the handler runs. `body` NULL is JSON
 * null, `headers` may be NULL. Never blocks.
 * NO_REPLY_SUBJECT, CLOSED once the handler has ended, DISCONNECTED, INVALID_MESSAGE, MESSAGE_TOO_LARGE,
 * BUFFER_OVERFLOW; INVALID_OPTIONS in a handler of requests. */
posthouse_code_t posthouse_message_reply(
    const posthouse_message_t *message,
    posthouse_str_t body,
    const posthouse_headers_t *headers,
    posthouse_error_t **error);

/** Answers a request in its handler, once. `body` NULL is JSON null, as if nothing was answered at all.
 * What is no JSON is an error here, and the handler may answer something else; what cannot be sent is
 * reported by the hub, for nobody waits for it.
 * INVALID_MESSAGE, MESSAGE_TOO_LARGE; CLOSED the second time. */
posthouse_code_t posthouse_message_answer(
    const posthouse_message_t *message,
    posthouse_str_t body,
    const posthouse_headers_t *headers,
    posthouse_error_t **error);

/** The handler failed: reported as HANDLER_ERROR with this text, and no answer is sent. */
void posthouse_message_fail(const posthouse_message_t *message, posthouse_str_t text);

/** A handle that the program owns and may keep: what came stays readable, but nothing can be sent once the
 * handler has ended. NULL for NULL. */
posthouse_message_t *posthouse_message_clone(const posthouse_message_t *message);

/** Frees a handle that the program owns. NULL is fine. */
void posthouse_message_free(posthouse_message_t *message);

/** Inside a handler: the message is not done with when the callback returns, but when what is given here
 * is completed, cancelled or freed, on any thread. Until then the subscription delivers no other message,
 * and drains wait.
 * CLOSED where the message is answered already, or its handler has ended. */
posthouse_code_t posthouse_message_defer(
    const posthouse_message_t *message,
    posthouse_deferred_t **deferred,
    posthouse_error_t **error);

/** Ends the handling: answers, in a handler of requests, or just ends where `body` is NULL and it is a
 * subscription. The handle stays to be freed. Never blocks.
 * INVALID_MESSAGE leaves it open; CLOSED the second time, or after the subscription's end; as
 * `posthouse_message_reply`. */
posthouse_code_t posthouse_deferred_complete(
    const posthouse_deferred_t *deferred,
    posthouse_str_t body,
    const posthouse_headers_t *headers,
    posthouse_error_t **error);

/** Ends the handling as failed: reported as HANDLER_ERROR with this text, and no answer is sent. */
void posthouse_deferred_fail(const posthouse_deferred_t *deferred, posthouse_str_t text);

/** Ends the handling without an answer: the caller may run into its time-out. The handle stays to be
 * freed; freeing it without a `complete` is the same as this. */
void posthouse_deferred_cancel(const posthouse_deferred_t *deferred);

/** Frees the handle; ends the handling as `posthouse_deferred_cancel` does if nothing has yet. NULL is fine. */
void posthouse_deferred_free(posthouse_deferred_t *deferred);

/* ---- Subscriptions ---- */

/** Ends it at once: what waits is discarded. Outside callbacks of the hub waits until its handler does not
 * run; inside one it returns at once, and a handler that runs may finish. Any number of times. FORKED. */
posthouse_code_t posthouse_subscription_unsubscribe(
    const posthouse_subscription_t *subscription,
    posthouse_error_t **error);

/** Ends it in order: accepted messages are handled and their answers sent. POSTHOUSE_DEFAULT is 5,000 ms.
 * DRAIN_IN_HANDLER in its own handler; the operation ends with DRAIN_TIMEOUT, CLOSED. */
posthouse_code_t posthouse_subscription_drain(
    const posthouse_subscription_t *subscription,
    int64_t timeout_ms,
    posthouse_operation_t **operation,
    posthouse_error_t **error);

/** Counts, limits and phase, as JSON with keys in camel case. The program frees it. FORKED, INTERNAL. */
posthouse_code_t posthouse_subscription_status(
    const posthouse_subscription_t *subscription,
    posthouse_buf_t *json,
    posthouse_error_t **error);

/** Ends it as `posthouse_subscription_unsubscribe` does and frees the handle. NULL is fine. */
void posthouse_subscription_free(posthouse_subscription_t *subscription);

/* ---- Watches ---- */

/** Calls `closure` once the state is known and after every change of value or metadata. States may be
 * passed over, never the last. Freeing the handle ends it. CLOSED, FORKED. */
posthouse_code_t posthouse_variable_watch(
    const posthouse_variable_t *variable,
    posthouse_view_closure_t closure,
    posthouse_watch_t **watch,
    posthouse_error_t **error);

/** Calls `closure` with the hub's status, as `posthouse_hub_status` gives it, now and after every change.
 * Freeing the handle ends it. CLOSED, FORKED. */
posthouse_code_t posthouse_hub_watch(
    const posthouse_hub_t *hub,
    posthouse_json_closure_t closure,
    posthouse_watch_t **watch,
    posthouse_error_t **error);

/** Calls `closure` with the hubs of the namespace, as `posthouse_hub_instances` gives them, now and after
 * every change. Freeing the handle ends it. CLOSED, FORKED. */
posthouse_code_t posthouse_hub_watch_instances(
    const posthouse_hub_t *hub,
    posthouse_json_closure_t closure,
    posthouse_watch_t **watch,
    posthouse_error_t **error);

/** Ends a watch and frees its handle: outside callbacks of the hub, its callback does not run once this has
 * returned. NULL is fine. */
void posthouse_watch_free(posthouse_watch_t *watch);

#ifdef __cplusplus
}
#endif

#endif /* POSTHOUSE_H */
