"use strict";
// Consuming: a batch as a queue event, and its operations, as methods and as functions that find the event in whose context
// they are called.
//
// What a handler says of a message is judged at once, and refused at once; then the store is told. What is returned is a
// promise of that, which need not be awaited: the event ends when the store has answered, and fails by an answer that
// nobody listened to.

const { AsyncLocalStorage } = require("node:async_hooks");
const native = require("../native.js");
const { PosthouseError } = require("../errors.js");
const { EventFault } = require("./errors.js");
const { numberOf } = require("./text.js");

const storage = new AsyncLocalStorage();

/** The event that runs here, if there is one. */
function running() {
  const event = storage.getStore();
  return event?.ended === false ? event : undefined;
}

/** A promise that knows whether anybody listens. */
class Said extends Promise {
  heard = false;

  static get [Symbol.species]() {
    return Promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then(done, failed) {
    this.heard = true;
    return super.then(done, failed);
  }
}

class Event {
  ended = false;
  #port;
  #number;
  #fault;
  #said = [];
  #aborter = new AbortController();

  constructor(port, number) {
    this.#port = port;
    this.#number = number;
    this.overdue = new Promise((resolve) => {
      this.over = () => {
        this.ended = true;
        this.cancelled();
        resolve();
      };
    });
    port.watch(number, this);
  }

  get signal() {
    return this.#aborter.signal;
  }

  /** The handler should leave off: its time is over, its messages are somebody else's, or its consumer is closed. */
  cancelled() {
    this.#aborter.abort();
  }

  /** Tells the handler to leave off, and fails the event as it stands. */
  async abandon() {
    this.cancelled();
    await this.end(false);
    this.over();
  }

  /** Remembers a fault: the event then fails, also where the handler swallows it. */
  note(error) {
    if (error instanceof EventFault) this.#fault ??= error;
  }

  read() {
    try {
      return native.queueRead(this.#port.id, this.#number);
    } catch (error) {
      this.note(error);
      throw error;
    }
  }

  say(word, index, ...numbers) {
    const operation = native[word](this.#port.id, this.#number, numberOf(index), ...numbers.map(numberOf));
    const said = new Said((resolve, reject) => this.#port.expect(operation, { resolve, reject }));
    // Unheard, it is told at the end.
    Promise.prototype.then.call(said, undefined, () => {});
    this.#said.push(said);
    return said;
  }

  /** Waits until the store has answered to all that was said; throws what nobody heard of. */
  async settled() {
    for (const said of this.#said) {
      const { heard } = said;
      try {
        await said;
      } catch (error) {
        if (!heard) throw error;
      }
    }
  }

  /** Ends it: what becomes of its messages is told to the store. Gives the fault, if there was one. */
  async end(success) {
    this.ended = true;
    this.#port.unwatch(this.#number);
    await this.#port.start(() =>
      native.queueFinish(this.#port.id, this.#number, success && this.#fault === undefined),
    );
    return this.#fault;
  }
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
    return this.#event.say("queueAck", index);
  }

  retry(index, delaySeconds = 0) {
    return this.#event.say("queueRetry", index, delaySeconds);
  }

  eventKind() {
    return kindOf(this.#event);
  }
}

/** Calls a handler with a batch, as a platform does; throws what made the event fail. */
async function handle(event, handler, env) {
  const waited = [];
  const context = {
    signal: event.signal,
    waitUntil(promise) {
      waited.push(Promise.resolve(promise));
      // It is looked at below.
      waited.at(-1).catch(() => {});
    },
  };
  const run = async () => {
    await storage.run(event, () => handler(new Batch(event), env, context));
    for (const promise of waited) await promise;
    await event.settled();
  };
  let failure;
  let success = true;
  try {
    // What runs longer than it may is left where it stands, its event having failed.
    await Promise.race([run(), event.overdue.then(late)]);
  } catch (error) {
    [success, failure] = [false, error];
  }
  const fault = await event.end(success);
  if (!success) throw failure;
  if (fault !== undefined) throw fault;
}

function late() {
  throw new PosthouseError("TIMEOUT", "the handler took longer than it may, and was left where it stood");
}

function current() {
  const event = running();
  if (event === undefined) native.queueNoEvent();
  return new Batch(event);
}

function readBatch() {
  return current().readBatch();
}

function readBatchText() {
  return current().readBatchText();
}

function ack(index) {
  return current().ack(index);
}

function retry(index, delaySeconds = 0) {
  return current().retry(index, delaySeconds);
}

function eventKind() {
  return kindOf(storage.getStore());
}

function kindOf(event) {
  return event?.ended === false ? native.queueEventKind() : null;
}

module.exports = { Event, ack, eventKind, handle, readBatch, readBatchText, retry, running };
