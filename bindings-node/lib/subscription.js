"use strict";
// Subscriptions: messages come in batches, handlers run one after the other.
//
// A batch that needs no wait costs one call of the addon. Once a handler turns out to be asynchronous, messages
// are taken one by one, so that nothing lies here that might still have to be dropped.

const { inspect } = require("node:util");
const native = require("./native.js");
const { Context, HandleContext } = require("./context.js");
const { said } = require("./errors.js");
const { encode, explain } = require("./json.js");
const { timeout } = require("./options.js");
const { Scope, inside, storage } = require("./scope.js");

const DONE = Promise.resolve();
/** Messages that are taken at once. */
const BATCH = 128;
/** Messages of a batch after which those that are handled make room in the queue; a power of two. */
const NOTE = 16;
/** Messages of one subscription that are handled before others get their turn. */
const TURN = 256;

class Subscription {
  constructor(hub, name, id, handler, answering) {
    this.name = name;
    this._hub = hub;
    this._id = id;
    this._handler = handler;
    this._answering = answering;
    this._limit = BATCH;
    /** Messages since others had their turn. */
    this._handled = 0;
    /** The place of the message whose handler runs. */
    this._place = 0;
    this._running = false;
    this._live = false;
    this._stopped = false;
    this._ended = false;
    this._error = undefined;
    this._final = undefined;
    this._rest = undefined;
    this._messages = undefined;
    for (const hidden of Object.keys(this)) {
      if (hidden.startsWith("_")) Object.defineProperty(this, hidden, { enumerable: false });
    }
    hub._subscriptions.set(id, this);
    hub._retain();
  }

  status() {
    return JSON.parse(this._final ?? native.subscriptionStatus(this._hub._id, this._id));
  }

  unsubscribe() {
    try {
      if (this._final === undefined) {
        this._discard();
        native.unsubscribe(this._hub._id, this._id);
      }
    } catch (error) {
      return Promise.reject(error);
    }
    return DONE;
  }

  drain(given) {
    return this._hub._start(() => {
      if (inside((scope) => scope.subscription === this)) {
        native.refuseDrain(`the subscription of ${JSON.stringify(this.name)}`);
      }
      return native.drainSubscription(this._hub._id, this._id, timeout(given));
    });
  }

  async [Symbol.asyncDispose]() {
    await this.unsubscribe();
  }

  [Symbol.asyncIterator]() {
    if (this._handler !== undefined) {
      throw new TypeError("this subscription has a handler; subscribe without one to iterate");
    }
    this._messages ??= new Messages(this);
    return this._messages;
  }

  [inspect.custom]() {
    return `<Subscription ${JSON.stringify(this.name)}${this._ended ? ", ended" : ""}>`;
  }

  // Inside

  /** The broker has taken the subscription. */
  _started() {
    this._live = true;
    this._onReady();
    return this;
  }

  _onReady() {
    if (this._handler === undefined) this._messages?.notify();
    else if (this._live && !this._running) {
      this._handled = 0;
      this._pump();
    }
  }

  _onEnded(error) {
    if (this._ended) return;
    this._ended = true;
    this._error = error;
    this._hub._subscriptions.delete(this._id);
    this._hub._letGo();
    this._discard();
    this._messages?.notify();
    this._settleEnd();
  }

  /** Once it has ended and nothing runs, the core may forget it. */
  _settleEnd() {
    if (!this._ended || this._running || this._messages?.running || this._final !== undefined) return;
    try {
      this._final = native.subscriptionStatus(this._hub._id, this._id);
      native.release(this._hub._id, this._id);
    } catch {
      // The hub failed inside: there is nothing to let go of.
    }
  }

  /** What was taken and does not run yet is not for anybody any more. */
  _discard() {
    this._stopped = true;
    if (this._final !== undefined) return;
    const running = this._running || this._messages?.running;
    this._rest = undefined;
    native.discard(this._hub._id, this._id, running ? this._place + 1 : 0);
  }

  /** Handles what is there, until nothing is, or a handler has to be waited for. */
  _pump() {
    this._running = true;
    while (this._handled < TURN) {
      const text = this._stopped ? undefined : native.take(this._hub._id, this._id, this._limit);
      if (text === undefined) return this._idle();
      const [place, bodies, topics, heads] = JSON.parse(text);
      this._rest = { place, bodies, topics, heads, next: 0 };
      this._handled += bodies.length;
      if (this._run()) return;
    }
    this._handled = 0;
    native.settle(this._hub._id, this._id, Number.MAX_SAFE_INTEGER);
    setImmediate(() => this._pump());
  }

  /** Nothing is there, or nothing will be. */
  _idle() {
    this._running = false;
    if (this._stopped && this._final === undefined) {
      native.settle(this._hub._id, this._id, Number.MAX_SAFE_INTEGER);
    }
    this._settleEnd();
  }

  /** Runs the handler for the rest of the batch; true if it has to be waited for. */
  _run() {
    const scope = new Scope(this._hub, this);
    const waiting = storage.run(scope, runBatch, this);
    if (waiting === undefined) {
      scope.active = false;
      this._limit = Math.min(BATCH, 2 * this._limit);
      return false;
    }
    this._limit = 1;
    const { promise, context } = waiting;
    native.settle(this._hub._id, this._id, this._place);
    promise.then(
      (result) => this._done(scope, context, result),
      (error) => {
        this._failed(error);
        this._resume(scope);
      },
    );
    return true;
  }

  _done(scope, context, result) {
    this._answer(context, result);
    this._resume(scope);
  }

  _resume(scope) {
    scope.active = false;
    if (this._rest !== undefined) {
      if (native.handled(this._hub._id, this._id, this._place + 1)) this._discard();
      else if (this._run()) return;
    }
    this._pump();
  }

  _answer(context, result) {
    if (!this._answering) return;
    try {
      const sent = context._answerHeaders();
      const text = result === undefined ? "null" : encode(result, false);
      try {
        native.answer(this._hub._id, this._id, context._place, text, sent);
      } catch (error) {
        explain(error, result, false);
      }
    } catch (error) {
      this._failed(error);
    }
  }

  _failed(error) {
    const text = said(error);
    native.handlerFailed(this._hub._id, this.name, text);
    this._hub._report(`the handler of ${JSON.stringify(this.name)} threw ${text}`, error);
  }
}

/** Calls the handler until a call has to be waited for; gives what to wait for. */
function runBatch(subscription) {
  const { _handler: handler, _answering: answering, _rest: rest } = subscription;
  const { bodies, topics, heads, place } = rest;
  const Kind = answering ? HandleContext : Context;
  const hub = subscription._hub._id;
  while (rest.next < bodies.length) {
    const at = rest.next++;
    if ((at & (NOTE - 1)) === 0 && at > 0 && native.handled(hub, subscription._id, place + at)) {
      // It has ended meanwhile, and is to be told so soon.
      subscription._discard();
      return undefined;
    }
    subscription._place = place + at;
    const topic = topics ? topics[at] || subscription.name : subscription.name;
    const context = new Kind(subscription, place + at, topic, heads?.[at]);
    try {
      const result = handler(bodies[at], context);
      if (result !== undefined && result !== null && typeof result.then === "function") {
        if (rest.next === bodies.length) subscription._rest = undefined;
        return { promise: result, context };
      }
      if (answering) subscription._answer(context, result);
    } catch (error) {
      subscription._failed(error);
    }
    if (subscription._rest !== rest) return undefined;
  }
  subscription._rest = undefined;
  return undefined;
}

/** Iterates over a subscription. A message counts as running until the next is asked for. */
class Messages {
  constructor(subscription) {
    this.subscription = subscription;
    this.running = false;
    this.waiter = undefined;
    this.scope = undefined;
    this.given = 0;
  }

  notify() {
    const waiter = this.waiter;
    this.waiter = undefined;
    waiter?.();
  }

  next() {
    const subscription = this.subscription;
    this.finish();
    // What runs between this call and the next belongs to the message that this one gives.
    this.scope = new Scope(subscription._hub, subscription);
    this.scope.active = false;
    storage.enterWith(this.scope);
    return this.wait(subscription);
  }

  async wait(subscription) {
    if (this.waiter !== undefined) throw new Error("somebody else waits for this subscription already");
    if (++this.given % TURN === 0) await new Promise(setImmediate);
    for (;;) {
      const text = subscription._stopped
        ? undefined
        : native.take(subscription._hub._id, subscription._id, 1);
      if (text !== undefined) {
        const [place, bodies, topics, heads] = JSON.parse(text);
        this.running = true;
        this.scope.active = true;
        subscription._place = place;
        const topic = topics ? topics[0] || subscription.name : subscription.name;
        const context = new Context(subscription, place, topic, heads?.[0]);
        return { done: false, value: [bodies[0], context] };
      }
      if (subscription._stopped || subscription._ended) {
        if (subscription._error !== undefined) throw subscription._error;
        return { done: true, value: undefined };
      }
      await new Promise((resolve) => {
        this.waiter = resolve;
      });
    }
  }

  /** The message before is done with. */
  finish() {
    if (this.scope !== undefined) this.scope.active = false;
    if (!this.running) return;
    this.running = false;
    const { subscription } = this;
    if (subscription._final === undefined) {
      native.settle(subscription._hub._id, subscription._id, Number.MAX_SAFE_INTEGER);
    }
    subscription._settleEnd();
  }

  async return() {
    this.finish();
    await this.subscription.unsubscribe();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

module.exports = { Subscription };
