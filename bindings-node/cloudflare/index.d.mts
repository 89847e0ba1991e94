// Queues in a Worker. The contract is that of all stores and languages: docs/queue.md.

/** What this needs of a queue that the platform binds into `env`. */
export interface QueueBinding {
  send(body: any, options?: any): Promise<unknown>;
  sendBatch(messages: Iterable<any>, options?: any): Promise<unknown>;
}

/** What this needs of a batch that the platform delivers. */
export interface PlatformBatch {
  readonly queue: string;
  readonly messages: readonly PlatformMessage[];
}

/** What this needs of a message of such a batch. */
export interface PlatformMessage {
  readonly id: string;
  readonly timestamp: Date;
  readonly attempts: number;
  readonly body: unknown;
  ack(): void;
  retry(options?: { delaySeconds?: number }): void;
}

/** The deployment's configuration, as an object or as JSON text. */
export interface QueueConfig {
  /** Which bindings the program may use. */
  readonly grants?: { readonly QUEUE?: readonly string[] };
  /** Queues by binding. All that the platform binds are there without being listed. */
  readonly queues?: { readonly [binding: string]: { readonly store: "cloudflare"; readonly queue: string } };
}

/** An item of a batch that is sent. */
export interface BatchItem {
  readonly body: unknown;
  /** Seconds until it is first delivered: 0, the default, to 43,200. */
  readonly delaySeconds?: number | undefined;
}

/** The queues that a Worker may send to. */
export declare class Queues {
  /** `env` is what the platform gives the Worker. `INVALID_OPTIONS` where the configuration is wrong. */
  constructor(env: object, config: QueueConfig | string);
  /**
   * Sends a value: null, booleans, strings, finite numbers, dense arrays and plain objects. `delaySeconds` is 0 to 43,200.
   *
   * A `QueueError` with the rule that is broken, before the platform is called; `QUEUE_STORE` where the platform refuses; a
   * `DeploymentError` where the binding is not granted or not bound.
   */
  send(binding: string, body: unknown, delaySeconds?: number): Promise<void>;
  /** Sends JSON text, by the same rules. */
  sendText(binding: string, text: string, delaySeconds?: number): Promise<void>;
  /** Sends 1 to 100 messages; where one breaks a rule, none. The error's `index` says which. */
  sendBatch(binding: string, items: readonly BatchItem[]): Promise<void>;
  /** Sends a batch as JSON text: an array of `{"body": …, "delaySeconds": …}`. */
  sendBatchText(binding: string, text: string): Promise<void>;
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
  /** Message n is done, whatever becomes of the event. The first word about a message counts. */
  ack(n: number): void;
  /** Message n comes back after 1 to 43,200 seconds; 0, the default, is the queue's own delay. */
  retry(n: number, delaySeconds?: number): void;
  /** `"queue"`, and null once the handler has ended. */
  eventKind(): "queue" | null;
}

/**
 * Makes the Worker's `queue` entry from a handler, which is called once for each batch. What the handler throws goes back to
 * the platform: the batch has failed. So it has after a fault, also where the handler swallowed it.
 */
export declare function consume<Env = any, Context = any>(
  handler: (batch: Batch, env: Env, context: Context) => unknown,
): (batch: PlatformBatch, env: Env, context: Context) => Promise<void>;

/** `Batch.readBatch` of the event in whose context it is called, also after an `await`; elsewhere `QUEUE_NO_EVENT`. */
export declare function readBatch(): BatchContents;
/** `Batch.readBatchText` of the current event. */
export declare function readBatchText(): string;
/** `Batch.ack` of the current event. */
export declare function ack(n: number): void;
/** `Batch.retry` of the current event. */
export declare function retry(n: number, delaySeconds?: number): void;
/** `"queue"` in the context of a queue event, else null; never throws. */
export declare function eventKind(): "queue" | null;

/** What went wrong in an operation. */
export declare class PosthouseError extends Error {
  constructor(code: string, message: string, options?: { cause?: unknown });
  /** Stable, and the same in every language. */
  readonly code: string;
  /** The limit that was passed, where it is about one. */
  readonly limit?: number;
  /** What was there instead. */
  readonly actual?: number;
  /** Which item or message it is about, from 0, where it is about one. */
  readonly index?: number;
}

/** An error of queues: `QUEUE_…`. */
export declare class QueueError extends PosthouseError {}

/** Ends the current request or event as failed, also where it is swallowed. Not a `PosthouseError`. */
export declare class EventFault extends Error {
  readonly code: string;
}

/** `DEPLOYMENT`: a binding is not granted or not configured. */
export declare class DeploymentError extends EventFault {}
