// Programs that share state, events and requests by name. Durations are milliseconds.
//
// Options and error codes are in `generated.d.ts`, written from the table that all languages share.

import type {
  ErrorCode,
  HubOptions,
  PublishOptions,
  RequestManyOptions,
  RequestOptions,
  SubscribeOptions,
} from "./generated.js";

export type {
  DrainOptions,
  HubOptions,
  MessagingOptions,
  PublishOptions,
  RequestManyOptions,
  RequestOptions,
  SelectionOptions,
  SubscribeOptions,
  TlsOptions,
} from "./generated.js";
export { ErrorCode } from "./generated.js";

/** What can be sent: plain data. Whole numbers within ±(2**53 - 1), valid Unicode, nothing undefined. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A credential, or a function that tells it, asked anew at every attempt to connect. */
export type Credential = string | (() => string | Promise<string>);

/** Headers to send: a name with one string or several. */
export type HeadersInput =
  | Headers
  | { readonly [name: string]: string | readonly string[] }
  | { entries(): Iterable<readonly [string, string]> };

/** A time-out in milliseconds. */
export type Timeout = number | { timeout?: number | undefined };

/** The version of the package. */
export declare const version: string;

/** What went wrong in an operation. */
export declare class PosthouseError extends Error {
  constructor(code: ErrorCode, message: string, limit?: number, actual?: number);
  /** Stable, and the same in every language. */
  readonly code: ErrorCode;
  /** The limit that was passed, where it is about one. */
  readonly limit?: number;
  /** What was there instead. */
  readonly actual?: number;
  /** What a `requestMany` had collected when it failed, in the form of its results; else empty. */
  readonly partialReplies: readonly unknown[];
}

/** Names and values, a name as often as it came; compared without regard to case. */
export declare class Headers implements Iterable<[string, string]> {
  constructor(headers?: HeadersInput);
  /** The first value of a name. */
  get(name: string): string | undefined;
  /** All values of a name, in the order they came. */
  getAll(name: string): string[];
  has(name: string): boolean;
  /** Replaces all values of a name. What may be sent is checked when it is sent. */
  set(name: string, value: string | readonly string[]): this;
  append(name: string, value: string): this;
  delete(name: string): boolean;
  /** The names as they came, each once. */
  keys(): string[];
  entries(): [string, string][];
  readonly size: number;
  [Symbol.iterator](): ArrayIterator<[string, string]>;
}

/** A member of a namespace: variables, events and requests by name. */
export declare class Hub {
  /**
   * Opens a hub and returns at once; it connects in the background. `namespace` is shared by name with
   * every other hub that gives the same; without one the hub gets a fresh UUID and is alone.
   *
   * `INVALID_OPTIONS`, `INVALID_NAME` or `INVALID_SERVER` are thrown.
   */
  constructor(namespace?: string | null, options?: HubOptions);
  readonly namespace: string;
  /** The id under which other hubs see this one. */
  readonly instanceId: string;
  /** Who else is in the namespace. */
  readonly instances: Instances;
  readonly state: "starting" | "connecting" | "connected" | "offline" | "error" | "closed";
  /** The variable of that name; always the same object for the same name. */
  var<T = any>(name: string): Variable<T>;
  /** Waits for the connection: `TIMEOUT` after `timeout`, the hub's own by default. */
  connected(timeout?: Timeout): Promise<this>;
  /** Waits until variables are initialised: the peers had their time to tell their values. */
  ready(timeout?: Timeout): Promise<this>;
  /** Waits until the broker has confirmed everything that was written before. */
  flush(timeout?: Timeout): Promise<void>;
  /**
   * Finishes accepted work and requests, then closes; all within `timeout`, 5,000 by default.
   * `DRAIN_TIMEOUT` past that, everything cleaned up all the same; `DRAIN_IN_HANDLER` in a handler.
   */
  drain(timeout?: Timeout): Promise<void>;
  /** Leaves at once, without draining; any number of times, from anywhere. */
  close(): Promise<void>;
  /** A snapshot of connection, counters, limits and errors; no values, no secrets. */
  status(): Status;
  /** Calls back with the status, now and after every change, until the result is called. */
  watch(callback: (status: Status) => void): Stop<Status>;
  watch(): Stop<Status>;
  /** Drains where that is possible, and closes. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a hub tells of itself. Fields are only ever added. */
export interface Status {
  readonly instanceId: string;
  readonly namespace: string;
  readonly connection: string;
  readonly server: string | null;
  readonly health: string;
  readonly currentError: Problem | null;
  readonly lastError: Problem | null;
  readonly [field: string]: any;
}

/** An error as a status tells it. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Ends a watch when it is called; an asynchronous iterator where the watch has no callback. */
export interface Stop<T> {
  (): void;
  stop(): void;
  [Symbol.asyncIterator](): AsyncIterator<T, undefined, undefined>;
}

export interface Instances {
  /** The last report of each hub of the namespace, this one included, and whether it is online. */
  list(): Promise<Instance[]>;
  watch(callback: (instances: Instance[]) => void): Stop<Instance[]>;
  watch(): Stop<Instance[]>;
}

export interface Instance {
  readonly [field: string]: any;
}

/** What is known about a variable besides its value. */
export interface Meta {
  /** Whether the hub has a record, or has given its peers the time to send one. */
  readonly initialized: boolean;
  /** Whether there is a value; null while unknown. */
  readonly exists: boolean | null;
  /** Which write the value comes from. */
  readonly version: { readonly counter: string; readonly writer: string } | null;
  /** Whether a write of this hub still waits for the broker's confirmation. */
  readonly pending: boolean;
  readonly connected: boolean;
}

/**
 * A name in the hub's namespace. State methods take the name as it stands. Message methods read its dots as
 * levels, and `subscribe` and `handle` also patterns: `*` is one level, a final `>` the rest.
 *
 * What goes wrong comes out of the promise; what waits for nothing is done when the call returns.
 */
export interface Variable<T = any> {
  readonly name: string;
  /** The current value, from memory; undefined where there is none. */
  readonly value: T | undefined;
  readonly meta: Meta;
  /** The current value, or the fallback. Never waits, never writes. */
  get(): T | undefined;
  get<F>(fallback: F): T | F;
  /** Writes the value: into memory at once, to the others as soon as there is a way. */
  set(value: T): Promise<void>;
  /** Deletes the value, for everybody. */
  delete(): Promise<void>;
  /** Waits until the state is known. */
  ready(timeout?: Timeout): Promise<this>;
  /** Calls back once the state is known and after every change, until the result is called. */
  watch(callback: (value: T | undefined, meta: Meta) => void): Stop<[T | undefined, Meta]>;
  watch(): Stop<[T | undefined, Meta]>;
  /** As `watch`, with the value alone; called also when only the metadata changed. */
  watchValue(callback: (value: T | undefined) => void): Stop<T | undefined>;
  watchValue(): Stop<T | undefined>;

  /** Sends an event to whoever is subscribed now. */
  publish(data?: T, options?: PublishOptions): Promise<void>;
  pub(data?: T, options?: PublishOptions): Promise<void>;
  /**
   * Receives events and requests; done when the broker has taken the subscription. The handler's messages come
   * one after the other, and what it returns is ignored. Without a handler the subscription is an
   * asynchronous iterator of `[data, ctx]`.
   */
  subscribe(
    handler: (data: T, ctx: Context) => unknown,
    options?: SubscribeOptions,
  ): Promise<Subscription<T>>;
  subscribe(options?: SubscribeOptions): Promise<Subscription<T>>;
  sub(handler: (data: T, ctx: Context) => unknown, options?: SubscribeOptions): Promise<Subscription<T>>;
  sub(options?: SubscribeOptions): Promise<Subscription<T>>;
  /** Answers requests with what the handler returns; undefined answers null. */
  handle(
    handler: (data: T, ctx: HandleContext) => unknown,
    options?: SubscribeOptions,
  ): Promise<Subscription<T>>;
  /** Asks, and gives the first answer's data. Nothing is ever sent twice. */
  request(data: T | null | undefined, options: RequestOptions & { details: true }): Promise<Reply>;
  request(data?: T | null, options?: RequestOptions): Promise<any>;
  req(data: T | null | undefined, options: RequestOptions & { details: true }): Promise<Reply>;
  req(data?: T | null, options?: RequestOptions): Promise<any>;
  /** Asks, and collects answers until `timeout` or `maxReplies`. None at all is a valid result. */
  requestMany(
    data: T | null | undefined,
    options: RequestManyOptions & { details: true },
  ): Promise<ManyResult>;
  requestMany(data?: T | null, options?: RequestManyOptions): Promise<any[]>;
}

/** One answer, as `details: true` gives it. */
export interface Reply {
  readonly data: any;
  readonly headers: Headers;
}

/** What `requestMany` with `details: true` collected, and why it stopped. */
export interface ManyResult {
  readonly replies: Reply[];
  readonly reason: "deadline" | "maxReplies";
}

/** A live subscription. Ends by `unsubscribe`, by `drain`, with the hub, or refused. */
export interface Subscription<T = any> {
  readonly name: string;
  /** Queued and running messages, limits, drops and high-water marks. */
  status(): SubscriptionStatus;
  /** Stops delivery and discards what waits; a handler that runs may finish. */
  unsubscribe(): Promise<void>;
  /** Stops delivery and finishes what was accepted, within `timeout`, 5,000 by default. */
  drain(timeout?: Timeout): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  [Symbol.asyncIterator](): AsyncIterator<[T, Context], undefined, undefined>;
}

export interface SubscriptionStatus {
  readonly ready: boolean;
  readonly phase: "registering" | "active" | "offline" | "draining" | "ended";
  readonly pendingMessages: number;
  readonly pendingBytes: number;
  readonly inFlightHandlers: number;
  readonly droppedMessages: number;
  readonly highWaterMessages: number;
  readonly highWaterBytes: number;
  readonly slow: boolean;
  readonly limits: {
    readonly pendingMessages: number;
    readonly pendingBytes: number;
    readonly inFlightHandlers: number;
  };
  readonly error: Problem | null;
}

/** The message that a subscription's handler runs for. */
export interface Context {
  /** The name the message was published to; with a pattern, the concrete one. */
  readonly topic: string;
  readonly headers: Headers;
  /** Answers the message, any number of times while the handler runs. */
  reply(data?: any, options?: PublishOptions): Promise<void>;
}

/** The request that a `handle` runs for: its return value is the answer. */
export interface HandleContext {
  readonly topic: string;
  readonly headers: Headers;
  /** Headers of the answer; filled, or replaced, before the handler returns. */
  get replyHeaders(): Headers;
  set replyHeaders(headers: HeadersInput);
}
