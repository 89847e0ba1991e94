// Consuming: a batch of the platform as a queue event, and its operations, as methods and as functions that find the event in
// whose context they are called.
import { AsyncLocalStorage } from "node:async_hooks";
import { Core } from "./core.mjs";
import { EventFault } from "./errors.mjs";
import { bytes, jsonText, numberOf, OVERLONG } from "./text.mjs";

const storage = new AsyncLocalStorage();

/** The event that runs here, if there is one. */
export function running() {
  const event = storage.getStore();
  return event?.ended === false ? event : undefined;
}

export class Event {
  core = Core.shared;
  ended = false;
  #messages;
  #fault;

  constructor({ queue, messages }) {
    this.#messages = [...messages];
    const given = this.#messages.map(({ id, attempts, timestamp, body }) => [
      [attempts, Number(timestamp)],
      [bytes(String(id)), bodyBytes(body)],
    ]);
    for (const [numbers, texts] of given) this.core.call("event_message", numbers, texts);
    this.number = this.core.ask("event_begin", [], [bytes(String(queue))]);
  }

  /** Does what may raise a fault: the event then fails, also where the handler swallows it. */
  guard(call) {
    try {
      return call();
    } catch (error) {
      if (error instanceof EventFault) this.#fault ??= error;
      throw error;
    }
  }

  read() {
    return this.guard(() => this.core.call("event_read", [this.number]));
  }

  say(word, index, ...numbers) {
    const options = this.core.ask(`event_${word}`, [this.number, numberOf(index), ...numbers.map(numberOf)]);
    // The first word about a message counts.
    if (options === undefined) return;
    try {
      this.#messages[index][word](...options);
    } catch (error) {
      this.core.call("event_take_back", [this.number, index]);
      throw error;
    }
  }

  /** Ends it; throws its fault, if the handler did not. */
  end(success) {
    this.ended = true;
    const failed = this.core.ask("event_end", [this.number, success ? 1 : 0]);
    if (success && (failed || this.#fault !== undefined)) throw this.#fault;
  }
}

/** A body as the core takes it: what is no JSON value is no JSON text either. */
function bodyBytes(body) {
  const text = jsonText(body);
  return bytes(text === OVERLONG ? undefined : text);
}

/** What a handler has in hands. */
class Batch {
  #event;

  constructor(event) {
    this.#event = event;
  }

  readBatch() {
    return JSON.parse(this.#event.read());
  }

  readBatchText() {
    return this.#event.read();
  }

  ack(index) {
    this.#event.say("ack", index);
  }

  retry(index, delaySeconds = 0) {
    this.#event.say("retry", index, delaySeconds);
  }

  eventKind() {
    return kindOf(this.#event);
  }
}

export function consume(handler) {
  if (typeof handler !== "function") {
    throw new TypeError(
      `consume was given ${handler === null ? "null" : typeof handler}; give the handler, a function`,
    );
  }
  return async function queue(messageBatch, env, context) {
    const event = new Event(messageBatch);
    try {
      await storage.run(event, () => handler(new Batch(event), env, context));
    } catch (error) {
      event.end(false);
      throw error;
    }
    event.end(true);
  };
}

function current() {
  const event = running();
  if (event === undefined) throw Core.shared.error("no_event");
  return new Batch(event);
}

export function readBatch() {
  return current().readBatch();
}

export function readBatchText() {
  return current().readBatchText();
}

export function ack(index) {
  current().ack(index);
}

export function retry(index, delaySeconds = 0) {
  current().retry(index, delaySeconds);
}

export function eventKind() {
  return kindOf(storage.getStore());
}

function kindOf(event) {
  if (event?.ended !== false) return null;
  kind ??= Core.shared.ask("event_kind");
  return kind;
}

let kind;
