// Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.

import type { Credential, HeadersInput, PosthouseError } from "./index.js";

/** The stable codes that an error carries in `code`. */
export declare const ErrorCode: {
  /** An option is unknown, of the wrong type, out of range, or contradicts another one. Correct the option that the message names; it gives the allowed range or the nearest known name. */
  readonly INVALID_OPTIONS: "INVALID_OPTIONS";
  /** A namespace or variable name is empty, too long, not valid Unicode, or holds a control character. Use 1 to 128 UTF-8 bytes without U+0000–U+001F and U+007F. */
  readonly INVALID_NAME: "INVALID_NAME";
  /** A message name, pattern or queue name breaks the rules for levels and wildcards, or a pattern was given where one concrete name is needed. Avoid empty levels; use `*` for one whole level and `>` at the end only, and only to subscribe or handle. */
  readonly INVALID_TOPIC: "INVALID_TOPIC";
  /** A value of a variable is not JSON as every language can carry it. Send null, booleans, finite numbers (integers within ±(2^53−1)), valid Unicode text, arrays or objects with string keys, nested 32 deep at most, with at most 20,000 nodes. */
  readonly INVALID_VALUE: "INVALID_VALUE";
  /** A header name or value holds a character that is not allowed. Use token characters in names, and visible ASCII with inner spaces in values. */
  readonly INVALID_HEADERS: "INVALID_HEADERS";
  /** The body of a message, request or answer is not JSON as every language can carry it. See INVALID_VALUE. If it came from another program, correct that program: its message was dropped. */
  readonly INVALID_MESSAGE: "INVALID_MESSAGE";
  /** A server address cannot be used, or what answers there does not speak NATS. Give `nats://`, `tls://`, `ws://` or `wss://` with host and port, and check what listens there. */
  readonly INVALID_SERVER: "INVALID_SERVER";
  /** A state record from the network does not follow the protocol and was ignored. Find the program that publishes on this namespace's state subjects and correct it. */
  readonly INVALID_RECORD: "INVALID_RECORD";
  /** Two different contents came with the same version of a variable; the one already held stays. Make sure that no two programs use the same instance id, and set the variable again. */
  readonly VERSION_COLLISION: "VERSION_COLLISION";
  /** The encoded value of a variable is larger than allowed. Split the value over several variables; the error carries the limit and the actual size. */
  readonly VALUE_TOO_LARGE: "VALUE_TOO_LARGE";
  /** A message with its headers is larger than the hub's limit or than the broker accepts. Send less at a time, or raise `messaging.payload_bytes` and the broker's maximum payload. */
  readonly MESSAGE_TOO_LARGE: "MESSAGE_TOO_LARGE";
  /** The hub holds as many variables, or as many bytes of them, as it may. Use fewer names, or raise `max_variables` or `max_memory_bytes`. */
  readonly MEMORY_FULL: "MEMORY_FULL";
  /** A bounded buffer or table is full: outbound bytes, subscriptions, requests, or the answers of one request. Nothing of the refused operation was sent. Wait for earlier work (`flush`), end what is not needed, or raise the limit that the message names. */
  readonly BUFFER_OVERFLOW: "BUFFER_OVERFLOW";
  /** A handler does not keep up: new messages of its subscription were dropped. Do less in the handler, share the work in a queue group, or raise `pending_messages` or `pending_bytes`. */
  readonly SLOW_CONSUMER: "SLOW_CONSUMER";
  /** Nothing came back in time. Whatever was sent may still be carried out by the other side. Check that the other side runs; repeat only what is safe to repeat, or give operations an id of your own. */
  readonly TIMEOUT: "TIMEOUT";
  /** The caller cancelled the operation. Whatever was sent may still be carried out by the other side. Nothing, if the cancellation was meant. */
  readonly CANCELLED: "CANCELLED";
  /** There is no active connection, or it was lost or changed while the operation ran. Wait for `connected()` and decide whether to try again; messages are never stored for later. */
  readonly DISCONNECTED: "DISCONNECTED";
  /** The hub is draining and takes no new operation. Finish; open a new hub for new work. */
  readonly DRAINING: "DRAINING";
  /** Accepted work did not finish within the drain's deadline; the rest was cleaned up. Give the drain more time, or make handlers shorter. */
  readonly DRAIN_TIMEOUT: "DRAIN_TIMEOUT";
  /** A drain was called inside a handler that this drain would have to wait for. Signal the owner of the hub and let it drain outside the handler. */
  readonly DRAIN_IN_HANDLER: "DRAIN_IN_HANDLER";
  /** A blocking call was made on a thread that runs handlers; it would wait for itself. Use the asynchronous form there, or make the call on a thread of your own. */
  readonly BLOCKING_IN_HANDLER: "BLOCKING_IN_HANDLER";
  /** The hub or the subscription is closed. Open a new one. */
  readonly CLOSED: "CLOSED";
  /** The broker says that nobody listens on this name. Start the program that handles it, and check namespace and name. */
  readonly NO_RESPONDERS: "NO_RESPONDERS";
  /** A reply was asked for, but the message carries no address to reply to, or the context has ended. Reply only to requests, and only while the handler runs. */
  readonly NO_REPLY_SUBJECT: "NO_REPLY_SUBJECT";
  /** The broker's permissions refuse this publication or subscription. Grant the subjects of this namespace to the user; the security guide lists them. */
  readonly PERMISSION_DENIED: "PERMISSION_DENIED";
  /** The broker refused the credentials, or wants some and none were given. Check token, user and password, nkey or credentials file; secrets never appear in this message. */
  readonly AUTH_FAILED: "AUTH_FAILED";
  /** A handler failed. Its requester is told nothing and may run into its time-out. Correct the handler; answer a business failure as data. */
  readonly HANDLER_ERROR: "HANDLER_ERROR";
  /** The hub was opened by the parent process and cannot work in a forked child. Open a new hub in the child, or start the child by spawning. */
  readonly FORKED: "FORKED";
  /** This platform, build or broker cannot do what was asked. See the message for what is missing. */
  readonly UNSUPPORTED: "UNSUPPORTED";
  /** The operation needs the wall clock, and this platform has none that is set. Set the clock first, for instance from the network. */
  readonly CLOCK_REQUIRED: "CLOCK_REQUIRED";
  /** A fault of Posthouse itself. Report it with the message; the hub may be unusable afterwards. */
  readonly INTERNAL: "INTERNAL";
  /** The name of a queue binding is empty. Give the name of an entry of the deployment's `queues`. */
  readonly QUEUE_BINDING: "QUEUE_BINDING";
  /** A queue binding is not granted or not configured. No error of a queue: it ends the request or event that used it. Correct the deployment's configuration; a program should not catch this. */
  readonly DEPLOYMENT: "DEPLOYMENT";
  /** The body is not one JSON value, or holds a number that overflows. Send exactly one value as RFC 8259 has it, with numbers below 1.8e308. */
  readonly QUEUE_BODY_JSON: "QUEUE_BODY_JSON";
  /** The body holds a lone surrogate, which no UTF-8 text can carry. Repair the text, or send its bytes as base64. */
  readonly QUEUE_BODY_UNICODE: "QUEUE_BODY_UNICODE";
  /** An object in the body has a key that is reserved for the host: `$句柄`, `$未定义`, `$大整数` or `$数字`. Use another key. */
  readonly QUEUE_BODY_RESERVED: "QUEUE_BODY_RESERVED";
  /** The body, as given or as normalised, is larger than 128,000 bytes. Store the data elsewhere and send where it is, or send less at once. */
  readonly QUEUE_BODY_SIZE: "QUEUE_BODY_SIZE";
  /** The body is nested more than 24 deep; on reading, more than 32, which fails the event. Flatten it. */
  readonly QUEUE_BODY_DEPTH: "QUEUE_BODY_DEPTH";
  /** A delay is no whole number of seconds from 0 to 43,200. Give whole seconds, at most 12 hours. */
  readonly QUEUE_DELAY: "QUEUE_DELAY";
  /** The text of a batch is not a JSON array. Give an array of objects with `body` and, where wanted, `delaySeconds`. */
  readonly QUEUE_BATCH_JSON: "QUEUE_BATCH_JSON";
  /** A batch is empty or has more than 100 messages. Nothing was sent. Send 1 to 100 messages at a time. */
  readonly QUEUE_BATCH_COUNT: "QUEUE_BATCH_COUNT";
  /** An item of a batch is no object with `body` and at most `delaySeconds` besides. Nothing was sent. Correct the item with that number, counted from 0. */
  readonly QUEUE_BATCH_ITEM: "QUEUE_BATCH_ITEM";
  /** The bodies of a batch are together larger than 256,000 bytes. Nothing was sent. Send the messages in several batches. */
  readonly QUEUE_BATCH_SIZE: "QUEUE_BATCH_SIZE";
  /** The text of a batch is larger than 1 MiB. Nothing was sent. Send fewer or smaller messages at a time. */
  readonly QUEUE_BATCH_TEXT: "QUEUE_BATCH_TEXT";
  /** The store refused a message or a batch, in its own words. See what the store says; sending again may double what was accepted. */
  readonly QUEUE_STORE: "QUEUE_STORE";
  /** An operation of consuming was called where no queue event runs, or after the event had ended. Call it in the handler, before the handler ends. */
  readonly QUEUE_NO_EVENT: "QUEUE_NO_EVENT";
  /** A message of the batch has a body that is no JSON value; another producer put it there. Correct that producer; acknowledge the message by its number to be rid of it. */
  readonly QUEUE_BODY_NOT_JSON: "QUEUE_BODY_NOT_JSON";
  /** There is no message with that number in the batch. Count from 0 in the order of the batch. */
  readonly QUEUE_INDEX: "QUEUE_INDEX";
  /** The lease of the message has ended: it was given to another consumer, whose word counts. Nothing for this message. If it happens often, make handlers shorter or `visibility_timeout` longer. */
  readonly QUEUE_LEASE_LOST: "QUEUE_LEASE_LOST";
};
export type ErrorCode = keyof typeof ErrorCode;

/** What a hub is opened with. */
export interface HubOptions {
  /** Addresses of the brokers to choose from: `nats://`, `tls://`, `ws://` or `wss://`. Given, the hub is a client only and never owns a node. Default: the local node, `nats://127.0.0.1:4222`. */
  servers?: string | readonly string[] | undefined;
  /** Whether the hub may become the local node where none listens: `auto`, true (it must be possible) or false (never). Default: auto. */
  node?: "auto" | boolean | undefined;
  /** Token for the broker, or a callback that is asked anew at every attempt to connect. */
  token?: Credential | undefined;
  /** User name for the broker, or a callback that is asked anew at every attempt. */
  user?: Credential | undefined;
  /** Password of `user`, or a callback that is asked anew at every attempt. */
  password?: Credential | undefined;
  /** Seed of an nkey, or a callback that is asked anew at every attempt. */
  nkey?: Credential | undefined;
  /** Path of a credentials file (a user's JWT and its seed), or a callback that gives its content anew at every attempt. */
  credentials?: Credential | undefined;
  /** Trust and client certificate of TLS connections. */
  tls?: TlsOptions | undefined;
  /** How long connecting, and each operation that gives none of its own, may take. Default 3_000 ms; 1 to 2_147_483_647 ms. */
  timeout?: number | undefined;
  /** How long other instances have to answer a query for the current state; after it a variable that nobody holds counts as absent. Default 80 % of `timeout`; 1 to 2_147_483_647 ms. */
  peerTimeout?: number | undefined;
  /** How often the hub reports its own health to the namespace. Default 5_000 ms; 1 to 2_147_483_647 ms. */
  healthInterval?: number | undefined;
  /** How often the hub asks the others for their state again and measures the other servers. Default 15_000 ms; 1 to 2_147_483_647 ms. */
  probeInterval?: number | undefined;
  /** How long the link may be silent before the hub pings it. Default 5_000 ms; 1 to 2_147_483_647 ms. */
  pingInterval?: number | undefined;
  /** How many pings in a row may stay unanswered; a dead link is noticed within `ping_interval` × (this + 1). Default 1; 0 to 1_000. */
  pingMissed?: number | undefined;
  /** How many variable references, and how many records, the hub holds at most. Default 10_000; 1 to 10_000_000. */
  maxVariables?: number | undefined;
  /** How many bytes of state records the hub holds at most. Default 16_777_216 bytes; 1 to 2_147_483_647 bytes. */
  maxMemoryBytes?: number | undefined;
  /** How many other instances the hub remembers at most. Default 1_024; 1 to 1_000_000. */
  maxInstances?: number | undefined;
  /** When the hub moves to a better one of several servers. */
  selection?: SelectionOptions | undefined;
  /** Bounds for messages, per hub. */
  messaging?: MessagingOptions | undefined;
  /** Called with an exception that a handler or a watch callback raised; without it the exception is logged. */
  onCallbackError?: ((error: PosthouseError) => void) | undefined;
}

/** TLS: every field is the path of a PEM file, but the last. */
export interface TlsOptions {
  /** Authorities to trust instead of the system's own. */
  caFile?: string | undefined;
  /** Certificate chain of this client. */
  certFile?: string | undefined;
  /** Private key of `cert_file`. */
  keyFile?: string | undefined;
  /** Start TLS before the broker has said anything, instead of after its greeting. Default: false. */
  handshakeFirst?: boolean | undefined;
}

/** When a hub moves to a better one of several servers: better by both figures, and not again before the pause is over. */
export interface SelectionOptions {
  /** By how many milliseconds the round trip must be shorter. Milliseconds in every language, as its name says. Default 10 ms; 0 to 2_147_483_647 ms. */
  improvementMs?: number | undefined;
  /** By which part of the present round trip it must be shorter. Default 0.2; 0.0 to 1.0. */
  improvementRatio?: number | undefined;
  /** How long the hub stays where it is after a switch. Default 30_000 ms; 0 to 2_147_483_647 ms. */
  cooldown?: number | undefined;
}

/** Bounds for messages, per hub. */
export interface MessagingOptions {
  /** Subscriptions and handlers at a time. Default 128; 1 to 1_000_000. */
  subscriptions?: number | undefined;
  /** Requests and collections that wait for answers at a time. Default 64; 1 to 1_000_000. */
  requests?: number | undefined;
  /** Messages received and not yet done with: queued, running, collected. Default 4_096; 1 to 100_000_000. */
  pendingMessages?: number | undefined;
  /** Bytes of the messages received and not yet done with. Default 8_388_608 bytes; 1 to 2_147_483_647 bytes. */
  pendingBytes?: number | undefined;
  /** Bytes accepted for sending and not yet handed to the system. Default 8_388_608 bytes; 1 to 2_147_483_647 bytes. */
  outboundBytes?: number | undefined;
  /** The largest body of one message. Default 65_536 bytes; 1 to 67_108_864 bytes. */
  payloadBytes?: number | undefined;
  /** The largest header block of one message. Default 4_096 bytes; 0 to 65_536 bytes. */
  headerBytes?: number | undefined;
  /** Header entries of one message. Default 32; 0 to 1_024. */
  headerEntries?: number | undefined;
  /** Answers that one collection may gather; its `max_replies` may only lower this. Default 16; 1 to 1_000_000. */
  replies?: number | undefined;
  /** Bytes of answers that one collection may gather; its `max_bytes` may only lower this. Default 1_048_576 bytes; 1 to 2_147_483_647 bytes. */
  replyBytes?: number | undefined;
}

/** What a subscription or a handler is opened with. */
export interface SubscribeOptions {
  /** Queue group: the broker gives each message to one member. Without it every subscriber gets every message. */
  queue?: string | undefined;
  /** Messages that may wait for this subscription's handler; further ones are dropped and counted. Default 256; 1 to 100_000_000. */
  pendingMessages?: number | undefined;
  /** Bytes that may wait for this subscription's handler. Default 1_048_576 bytes; 1 to 2_147_483_647 bytes. */
  pendingBytes?: number | undefined;
  /** How long the broker has to confirm the subscription. Default 3_000 ms; 1 to 2_147_483_647 ms. */
  timeout?: number | undefined;
}

/** What a publication may carry besides its data. */
export interface PublishOptions {
  /** Headers: a key takes one text or several. */
  headers?: HeadersInput | undefined;
}

/** What a request for one answer takes. */
export interface RequestOptions {
  /** How long the whole request may take. Default 3_000 ms; 1 to 2_147_483_647 ms. */
  timeout?: number | undefined;
  /** Headers: a key takes one text or several. */
  headers?: HeadersInput | undefined;
  /** Give the answer with its headers instead of the data alone. Default: false. */
  details?: boolean | undefined;
  /** An AbortSignal that cancels the request. */
  signal?: AbortSignal | undefined;
}

/** What a collection of several answers takes. */
export interface RequestManyOptions {
  /** The window in which answers are gathered, counted from the call. Default 3_000 ms; 1 to 2_147_483_647 ms. */
  timeout?: number | undefined;
  /** The collection ends with this many answers; at most the hub's `messaging.replies`. Default 16; 1 to 1_000_000. */
  maxReplies?: number | undefined;
  /** The collection fails beyond this many bytes of answers; at most the hub's `messaging.reply_bytes`. Default 1_048_576 bytes; 1 to 2_147_483_647 bytes. */
  maxBytes?: number | undefined;
  /** Headers: a key takes one text or several. */
  headers?: HeadersInput | undefined;
  /** Give the answers with their headers and the reason why the collection ended. Default: false. */
  details?: boolean | undefined;
  /** An AbortSignal that cancels the collection. */
  signal?: AbortSignal | undefined;
}

/** What the drain of a hub or of a subscription takes. */
export interface DrainOptions {
  /** How long accepted work has to finish; past it the rest is cleaned up and the drain fails with DRAIN_TIMEOUT. Default 5_000 ms; 1 to 2_147_483_647 ms. */
  timeout?: number | undefined;
}

/** How a queue is served: settings of the deployment, in its configuration and not in the program. There, durations are seconds. */
export interface QueueOptions {
  /** How many messages a handler gets at once, at most. Default 10; 1 to 100. */
  maxBatchSize?: number | undefined;
  /** How long a batch that is not full waits for more messages; 0 hands over at once what is there. Default 5_000 ms; 0 to 60_000 ms. */
  maxBatchWait?: number | undefined;
  /** How often a message is delivered again after the first time; 0 delivers once. Default 3; 0 to 100. */
  maxRetries?: number | undefined;
  /** How long a message waits before it is delivered again, where the retry itself says nothing; whole seconds. Default 0 ms; 0 to 43_200_000 ms. */
  retryDelay?: number | undefined;
  /** The queue, in the same store, that gets what is out of retries. Default: none: what is out of retries is dropped and counted. */
  deadLetterQueue?: string | undefined;
  /** How long a consumer that is heard of no more keeps its messages; renewed while the handler runs. Default 30_000 ms; 100 to 43_200_000 ms. */
  visibilityTimeout?: number | undefined;
  /** How many batches one consumer handles at a time. Default 1; 1 to 250. */
  maxConcurrency?: number | undefined;
  /** How long the queue keeps a message, counted from when it was sent; then it is dropped and counted. Default 345_600_000 ms; 1_000 to 1_209_600_000 ms. */
  retention?: number | undefined;
  /** How long the handler of a batch may take; then the batch has failed. Default 900_000 ms; 100 to 43_200_000 ms. */
  handlerTimeout?: number | undefined;
}
