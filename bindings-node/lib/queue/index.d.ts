// Queues in Node. The contract is that of all stores and languages: docs/queue.md.

import { PosthouseError } from "../index.js";

export { PosthouseError } from "../index.js";

/** The deployment's configuration, as docs/queue.md says. Settings are in its `QueueSettings`, times in seconds. */
export interface QueueConfig {
  /** Which bindings the program may send to. */
  readonly grants?: { readonly QUEUE?: readonly string[] };
  /** Queues by binding. */
  readonly queues?: {
    readonly [binding: string]: {
      /** `sqlite:PATH`, or the servers of a JetStream store: `nats://HOST:PORT`. */
      readonly store: string;
      readonly queue: string;
      readonly settings?: { readonly [name: string]: number | string };
    };
  };
}

/** What `Queues` takes besides the configuration. */
export interface QueuesOptions {
  /** Bindings that the program may send to, besides those of the configuration. */
  readonly grants?: readonly string[] | undefined;
  /** Is told when a handler fails (`HANDLER_ERROR`, with `cause`) or consuming ends by itself. Without it: the console. */
  readonly onCallbackError?: ((error: PosthouseError) => unknown) | undefined;
}

/** What `consume` takes. */
export interface ConsumeOptions<Env = any> {
  /** What the handler gets as its second argument. */
  readonly env?: Env | undefined;
  /** Aborted, it closes the consumer, which gives running handlers no further time. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the one of `Queues`. */
  readonly onCallbackError?: ((error: PosthouseError) => unknown) | undefined;
}

/** An item of a batch that is sent. */
export interface BatchItem {
  readonly body: unknown;
  /** Seconds until it is first delivered: 0, the default, to 43,200. */
  readonly delaySeconds?: number | undefined;
}

/** The queues of a deployment. */
export declare class Queues {
  /**
   * `config` is an object, JSON text (it begins with `{`), or the path of a file in JSON or, if it ends in `.toml`, in
   * TOML. Relative paths of stores begin in the folder of the file, else in the working folder. Stores are
   * opened when they are first used.
   *
   * `INVALID_OPTIONS` is thrown where something is unknown or not allowed.
   */
  constructor(config: QueueConfig | string | URL, options?: QueuesOptions);
  /**
   * Sends a value: null, booleans, strings, finite numbers, dense arrays and plain objects. `delaySeconds` is 0 to 43,200.
   * When this resolves, the message is durable.
   *
   * A `QueueError` with the rule that is broken, before the store is called; `QUEUE_STORE` where the store refuses; a
   * `DeploymentError` where the binding is not granted or not configured.
   */
  send(binding: string, body: unknown, delaySeconds?: number): Promise<void>;
  /** Sends JSON text, by the same rules. */
  sendText(binding: string, text: string, delaySeconds?: number): Promise<void>;
  /** Sends 1 to 100 messages; where one breaks a rule, none. The error's `index` says which. */
  sendBatch(binding: string, items: readonly BatchItem[]): Promise<void>;
  /** Sends a batch as JSON text: an array of `{"body": …, "delaySeconds": …}`. */
  sendBatchText(binding: string, text: string): Promise<void>;
  /**
   * Calls `handler` for each batch, as many at a time as `max_concurrency` says, until the consumer is closed. `name` is
   * a binding or a queue. The handler returning means that every message is done which it did not retry; throwing, or
   * running out of time, that every message comes again which it did not acknowledge.
   */
  consume<Env = any>(
    name: string,
    handler: (batch: Batch, env: Env, context: EventContext) => unknown,
    options?: ConsumeOptions<Env>,
  ): Promise<Consumer>;
  /** Closes the consumers, then the stores. */
  close(timeout?: number | { timeout?: number | undefined }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A consumer that runs. While it does, the program does not end by itself. */
export declare class Consumer {
  private constructor();
  /** The name that it was given. */
  readonly queue: string;
  /** Ends with the consumer; fails where the store can be used no more. */
  readonly ended: Promise<void>;
  /**
   * Takes no more batches, gives back what no handler has started on, and waits for the running handlers. After `timeout`
   * milliseconds these are told to leave off (`signal`), and their batches have failed.
   */
  close(timeout?: number | { timeout?: number | undefined }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a handler gets besides the batch; the names are those of a Worker. */
export interface EventContext {
  /** Aborted when the handler should leave off: its time is over, or its messages were given to others. */
  readonly signal: AbortSignal;
  /** The event ends with `promise`, and fails with it. */
  waitUntil(promise: Promise<unknown>): void;
}

/** A batch as it is read. */
export interface BatchContents {
  queue: string;
  messages: BatchMessage[];
}

/** A message as it is read. Its place in the array is its number. */
export interface BatchMessage {
  id: string;
  /** Which delivery this is, from 1. */
  attempts: number;
  /** When it was sent, in Unix milliseconds. */
  timestamp: number;
  body: any;
}

/** The batch that a handler has in hands. Once the handler has ended, everything is `QUEUE_NO_EVENT`. */
export interface Batch {
  /** `QUEUE_BODY_NOT_JSON` where another producer sent what is no JSON value; `EventFault` where it is nested over 32 deep. */
  readBatch(): BatchContents;
  /** The same as JSON text. */
  readBatchText(): string;
  /**
   * Message n is done, whatever becomes of the event. The first word about a message counts. A number that is none is
   * thrown at once. The promise is the store's answer; it need not be awaited: the event ends after it, and
   * fails with an error that nobody waited for.
   */
  ack(n: number): Promise<void>;
  /** Message n comes back after 1 to 43,200 seconds; 0, the default, is the queue's own delay. As `ack`. */
  retry(n: number, delaySeconds?: number): Promise<void>;
  /** `"queue"`, and null once the handler has ended. */
  eventKind(): "queue" | null;
}

/** `Batch.readBatch` of the event in whose context it is called, also after an `await`; elsewhere `QUEUE_NO_EVENT`. */
export declare function readBatch(): BatchContents;
/** `Batch.readBatchText` of the current event. */
export declare function readBatchText(): string;
/** `Batch.ack` of the current event. */
export declare function ack(n: number): Promise<void>;
/** `Batch.retry` of the current event. */
export declare function retry(n: number, delaySeconds?: number): Promise<void>;
/** `"queue"` in the context of a queue event, else null; never throws. */
export declare function eventKind(): "queue" | null;

/** An error of queues: `QUEUE_…`. */
export declare class QueueError extends PosthouseError {
  /** Which item or message it is about, from 0, where it is about one. */
  readonly index?: number;
}

/** Ends the current request or event as failed, also where it is swallowed. Not a `PosthouseError`. */
export declare class EventFault extends Error {
  constructor(code: string, message: string);
  readonly code: string;
}

/** `DEPLOYMENT`: a binding is not granted or not configured. */
export declare class DeploymentError extends EventFault {}
