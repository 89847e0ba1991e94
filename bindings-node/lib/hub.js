"use strict";
// A hub: what happens is fetched in batches, when the core has woken the event loop once.
//
// Operations that end later are promises in a table, completed from the batches. The program is kept
// from ending while there is an operation, a subscription or a watch, and by nothing else.

const diagnostics = require("node:diagnostics_channel");
const { inspect } = require("node:util");
const native = require("./native.js");
const { checkText } = require("./json.js");
const { PosthouseError, said, show, withPartial } = require("./errors.js");
const { Instances } = require("./instances.js");
const { flatten, functions, timeout } = require("./options.js");
const { inside } = require("./scope.js");
const { Variable } = require("./variable.js");
const { Watches } = require("./watch.js");

/** Events that are handled before others get their turn. */
const BATCH = 256;
const DONE = Promise.resolve();
const log = diagnostics.channel("posthouse:log");

/** First items of events; `src/events.rs` has the same. */
const EVENT = Object.freeze({
  DONE: 0,
  REPLY: 1,
  REPLIES: 2,
  FAILED: 3,
  READY: 4,
  ENDED: 5,
  WATCH: 6,
  STATUS: 7,
  INSTANCES: 8,
  LOG: 9,
  ASK: 10,
  CLOSED: 11,
  GONE: 12,
});

/** Hubs that nobody has any more; an open one is never among them, for its wake holds it. */
const collected = new FinalizationRegistry((id) => native.forget(id));

class Hub {
  constructor(namespace, options) {
    const name = namespace ?? undefined;
    if (name !== undefined) checkText(name, "INVALID_NAME", "the namespace");
    this._functions = functions(options);
    this._variables = new Map();
    this._pending = new Map();
    this._subscriptions = new Map();
    this._watches = new Watches(this);
    this._waits = 0;
    this._closing = undefined;
    this._gone = false;
    const runtime = `node/${process.versions.node}`;
    const wake = () => this._wake();
    this._id = native.open(name, flatten(options, "the options of a hub"), runtime, wake);
    this.namespace = native.namespace(this._id);
    this.instanceId = native.instanceId(this._id);
    this.instances = new Instances(this);
    for (const fixed of INTERNAL) Object.defineProperty(this, fixed, { enumerable: false });
    collected.register(this, this._id);
  }

  get state() {
    return native.state(this._id);
  }

  status() {
    return JSON.parse(native.status(this._id));
  }

  watch(callback) {
    return this._watches.status(callback);
  }

  var(name) {
    const known = this._variables.get(name);
    if (known !== undefined) return known;
    checkText(name, "INVALID_NAME", "a variable's name");
    const variable = new Variable(this, native.variable(this._id, name), name);
    this._variables.set(name, variable);
    return variable;
  }

  connected(given) {
    return this._start(
      () => native.connected(this._id, timeout(given)),
      () => this,
    );
  }

  ready(given) {
    return this._start(
      () => native.ready(this._id, timeout(given)),
      () => this,
    );
  }

  flush(given) {
    return this._start(() => native.flush(this._id, timeout(given)));
  }

  drain(given) {
    return this._start(() => {
      if (inside((scope) => scope.hub === this)) {
        native.refuseDrain(`hub ${JSON.stringify(this.namespace)}`);
      }
      return native.drain(this._id, timeout(given));
    });
  }

  close() {
    if (this._gone) return DONE;
    if (this._closing === undefined) {
      this._closing = Promise.withResolvers?.() ?? deferred();
      this._retain();
    }
    for (const subscription of this._subscriptions.values()) subscription._discard();
    native.close(this._id);
    return this._closing.promise;
  }

  async [Symbol.asyncDispose]() {
    const handled = inside((scope) => scope.hub === this);
    if (!handled && this.state === "connected") {
      try {
        await this.drain();
      } catch (error) {
        // Somebody else has ended or lost the hub meanwhile: there is nothing to drain.
        if (error.code !== "CLOSED" && error.code !== "DISCONNECTED") throw error;
      } finally {
        await this.close();
      }
      return;
    }
    await this.close();
  }

  [inspect.custom]() {
    return `<Hub ${JSON.stringify(this.namespace)} ${this.state}>`;
  }

  // Inside

  /** Begins an operation; everything that goes wrong comes out of the promise. */
  _start(begin, convert) {
    let operation;
    try {
      operation = begin();
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => this._expect(operation, { resolve, reject, convert }));
  }

  /** An operation is under way. */
  _expect(operation, pending) {
    this._pending.set(operation, pending);
    this._retain();
  }

  _cancel(operation) {
    if (this._pending.has(operation)) native.cancel(this._id, operation);
  }

  /** One more thing for whose sake the program must not end. */
  _retain() {
    if (this._waits++ === 0) native.hold(this._id, true);
  }

  _letGo() {
    if (--this._waits === 0) native.hold(this._id, false);
  }

  /** Something has happened. */
  _wake() {
    for (const event of JSON.parse(native.poll(this._id, BATCH))) {
      try {
        this._on(event);
      } catch (error) {
        // What the program's own code throws is caught where it is called: this is a fault of ours.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  _on(event) {
    const id = event[1];
    switch (event[0]) {
      case EVENT.DONE:
        return this._finish(id, undefined);
      case EVENT.REPLY:
        return this._finish(id, event);
      case EVENT.REPLIES:
        return this._finish(id, event);
      case EVENT.FAILED:
        return this._fail(id, event[2], event[3]);
      case EVENT.READY:
        return this._subscriptions.get(id)?._onReady();
      case EVENT.ENDED:
        return this._subscriptions.get(id)?._onEnded(event[2] && new PosthouseError(...event[2]));
      case EVENT.WATCH:
        return this._watches.changed(id);
      case EVENT.STATUS:
        return this._watches.statusChanged();
      case EVENT.INSTANCES:
        return this._watches.instancesChanged();
      case EVENT.LOG:
        if (log.hasSubscribers) {
          log.publish({ namespace: this.namespace, level: event[2], code: event[3], message: event[4] });
        }
        return;
      case EVENT.ASK:
        return void this._answer(id, event[2]);
      case EVENT.CLOSED:
        return this._watches.end();
      case EVENT.GONE:
        return this._end();
    }
  }

  _finish(operation, result) {
    const pending = this._pending.get(operation);
    if (pending === undefined) return;
    this._pending.delete(operation);
    this._letGo();
    pending.signal?.removeEventListener("abort", pending.abort);
    const { convert } = pending;
    pending.resolve(convert === undefined ? undefined : convert(result));
  }

  _fail(operation, error, partial) {
    const pending = this._pending.get(operation);
    if (pending === undefined) return;
    this._pending.delete(operation);
    this._letGo();
    pending.signal?.removeEventListener("abort", pending.abort);
    const made = new PosthouseError(...error);
    if (made.code === "CANCELLED" && pending.signal?.aborted) made.cause = pending.signal.reason;
    if (partial.length > 0) withPartial(made, pending.partial(partial));
    pending.reject(made);
    pending.failed?.();
  }

  /** The hub and everything it had is gone: no event comes any more. */
  _end() {
    this._gone = true;
    const closed = ["CLOSED", "the hub ended before this did; open a new hub"];
    for (const operation of [...this._pending.keys()]) this._fail(operation, closed, []);
    this._closing?.resolve();
    this._closing = undefined;
  }

  /** An attempt to connect wants a credential that the program gave a function for. */
  async _answer(ask, what) {
    let answer;
    let failure = "";
    try {
      answer = await this._functions.get(what)();
      if (typeof answer !== "string") {
        failure = `it told a value of type ${typeof answer}, not a string`;
        answer = undefined;
      }
    } catch (error) {
      // What it said might hold the secret.
      failure = `it threw ${said(error).split(":", 1)[0]}`;
    }
    if (!this._gone) native.tell(this._id, ask, answer, failure);
  }

  /** A callback of the program that is no handler threw: tell the core, and whoever wants to know. */
  _callbackFailed(where, error, toCore = true) {
    const text = said(error);
    if (toCore) native.callbackFailed(this._id, where, text);
    this._report(`${where} threw ${text}`, error);
  }

  _report(text, error) {
    const listener = this._functions.get("onCallbackError");
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

/** What a look at a hub need not show. */
const INTERNAL = [
  "_functions",
  "_variables",
  "_pending",
  "_subscriptions",
  "_watches",
  "_waits",
  "_closing",
  "_gone",
  "_id",
];

/** `Promise.withResolvers`, which Node 20 lacks. */
function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

module.exports = { Hub };
