"use strict";
// The way to the compiled half of one `Queues`: operations that end later are promises in a table, completed in
// batches when the core has woken the event loop once. The program is kept from ending while there is an operation or a
// consumer, and by nothing else.

const native = require("../native.js");
const { Told } = require("./errors.js");

/** News that are handled before others get their turn. */
const BATCH = 256;

/** First items of news; `src/queue/news.rs` has the same. */
const NEWS = Object.freeze({ DONE: 0, FAILED: 1, CANCELLED: 2, ENDED: 3 });

class Port {
  #pending = new Map();
  #events = new Map();
  #waits = 0;

  constructor(open) {
    this.id = open(() => this.#wake());
  }

  /** Begins an operation; everything that goes wrong comes out of the promise. */
  async start(begin) {
    const operation = begin();
    return new Promise((resolve, reject) => this.expect(operation, { resolve, reject }));
  }

  /** An operation is under way. */
  expect(operation, pending) {
    this.#pending.set(operation, pending);
    this.retain();
  }

  /** One more thing for whose sake the program must not end. */
  retain() {
    if (this.#waits++ === 0) native.queueHold(this.id, true);
  }

  letGo() {
    if (--this.#waits === 0) native.queueHold(this.id, false);
  }

  /** Tells `event` if it is cancelled, or ended by somebody else. */
  watch(number, event) {
    this.#events.set(number, event);
  }

  unwatch(number) {
    this.#events.delete(number);
  }

  #wake() {
    for (const [kind, id, what] of JSON.parse(native.queuePoll(this.id, BATCH))) {
      if (kind === NEWS.CANCELLED || kind === NEWS.ENDED) {
        const event = this.#events.get(id);
        if (kind === NEWS.CANCELLED) event?.cancelled();
        else event?.over();
        continue;
      }
      const pending = this.#pending.get(id);
      if (pending === undefined) continue;
      this.#pending.delete(id);
      this.letGo();
      if (kind === NEWS.DONE) pending.resolve(what);
      else pending.reject(new Told(...what));
    }
  }
}

module.exports = { Port };
