"use strict";
// The loop of a consumer: batches of a queue to a handler, as many at a time as the queue's settings say.

const { inspect } = require("node:util");
const native = require("../native.js");
const { PosthouseError, said, show } = require("../errors.js");
const { timeout } = require("../options.js");
const { Event, handle } = require("./event.js");

class Consumer {
  #port;
  #number;
  #handler;
  #options;
  #ended;
  #heard = false;
  #over = false;
  #events = new Set();

  constructor(port, number, queue, handler, options) {
    this.queue = queue;
    this.#port = port;
    this.#number = number;
    this.#handler = handler;
    this.#options = options;
    port.retain();
    this.#ended = this.#run().finally(() => {
      this.#over = true;
      port.letGo();
    });
    this.#ended.catch((error) => {
      if (!this.#heard)
        this.#report(`nothing is consumed any more from the queue ${JSON.stringify(queue)}`, error);
    });
  }

  get ended() {
    this.#heard = true;
    return this.#ended;
  }

  close(given) {
    const time = milliseconds(given);
    this.#heard = true;
    if (this.#over) return this.#ended;
    native.queueStop(this.#port.id, this.#number);
    if (time === undefined) return this.#ended;
    const late = setTimeout(() => {
      for (const event of this.#events) void event.abandon();
    }, time);
    return this.#ended.finally(() => clearTimeout(late));
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  [inspect.custom]() {
    return `<Consumer of ${JSON.stringify(this.queue)}>`;
  }

  _whenEnded(callback) {
    this.#ended.then(callback, callback);
  }

  async #run() {
    const running = new Set();
    try {
      for (;;) {
        const number = await this.#port.start(() => native.queueNext(this.#port.id, this.#number));
        if (number === null) break;
        const run = this.#handle(number).finally(() => running.delete(run));
        running.add(run);
      }
    } finally {
      await Promise.all(running);
    }
  }

  async #handle(number) {
    const event = new Event(this.#port, number);
    this.#events.add(event);
    try {
      await handle(event, this.#handler, this.#options.env);
    } catch (error) {
      this.#report(`the handler of the queue ${JSON.stringify(this.queue)} failed: ${said(error)}`, error);
    } finally {
      this.#events.delete(event);
    }
  }

  #report(text, error) {
    const listener = this.#options.onCallbackError;
    if (listener === undefined) {
      show(`posthouse: ${text}`, error);
      return;
    }
    const failure = new PosthouseError("HANDLER_ERROR", text);
    failure.cause = error;
    const failed = (again) => show(`posthouse: onCallbackError threw while it was told: ${text}`, again);
    try {
      const result = listener(failure);
      if (typeof result?.then === "function") result.then(undefined, failed);
    } catch (again) {
      failed(again);
    }
  }
}

/** A time in milliseconds, given as a number or as the one option of an object. */
function milliseconds(given) {
  const time = timeout(given) ?? undefined;
  if (time !== undefined && !(typeof time === "number" && time >= 0)) {
    throw new PosthouseError(
      "INVALID_OPTIONS",
      "timeout is no number of milliseconds from 0; leave it out to wait",
    );
  }
  return time;
}

module.exports = { Consumer, milliseconds };
