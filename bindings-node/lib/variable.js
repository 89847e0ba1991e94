"use strict";
// A variable: one name for state, events and requests.

const { inspect } = require("node:util");
const native = require("./native.js");
const { PosthouseError } = require("./errors.js");
const headers = require("./headers.js");
const { encode, explain } = require("./json.js");
const { flatten, timeout } = require("./options.js");
const { Subscription } = require("./subscription.js");

const DONE = Promise.resolve();

class Variable {
  constructor(hub, id, name) {
    Object.defineProperties(this, { _hub: { value: hub }, _id: { value: id } });
    this.name = name;
  }

  // State

  get value() {
    return this.get();
  }

  get(fallback) {
    const text = native.get(this._hub._id, this._id);
    return text === undefined ? fallback : JSON.parse(text);
  }

  get meta() {
    return JSON.parse(native.meta(this._hub._id, this._id));
  }

  set(value) {
    try {
      const text = encode(value, true);
      try {
        native.set(this._hub._id, this._id, text);
      } catch (error) {
        explain(error, value, true);
      }
    } catch (error) {
      return Promise.reject(error);
    }
    return DONE;
  }

  delete() {
    try {
      native.delete(this._hub._id, this._id);
    } catch (error) {
      return Promise.reject(error);
    }
    return DONE;
  }

  ready(given) {
    const begin = () => native.variableReady(this._hub._id, this._id, timeout(given));
    return this._hub._start(begin, () => this);
  }

  watch(callback) {
    return this._hub._watches.variable(this, callback, false);
  }

  watchValue(callback) {
    return this._hub._watches.variable(this, callback, true);
  }

  // Messages

  publish(data, options) {
    try {
      const sent = options === undefined ? undefined : publishHeaders(options);
      const text = data === undefined ? "null" : encode(data, false);
      try {
        native.publish(this._hub._id, this._id, text, sent);
      } catch (error) {
        explain(error, data, false);
      }
    } catch (error) {
      return Promise.reject(error);
    }
    return DONE;
  }

  subscribe(handler, options) {
    if (handler === undefined || handler === null) return this._subscribe(undefined, options, false);
    if (typeof handler === "object" && options === undefined) {
      return this._subscribe(undefined, handler, false);
    }
    return this._subscribe(handler, options, false);
  }

  handle(handler, options) {
    return this._subscribe(handler, options, true);
  }

  request(data, options) {
    const details = options?.details === true;
    return this._ask(native.request, data, options, details ? replyDetails : replyData, undefined);
  }

  requestMany(data, options) {
    const details = options?.details === true;
    const item = details ? itemDetails : itemData;
    const partial = (replies) => replies.map(item);
    const convert = details
      ? (event) => ({ replies: event[2].map(item), reason: event[3] })
      : (event) => event[2].map(item);
    return this._ask(native.requestMany, data, options, convert, partial);
  }

  [inspect.custom]() {
    return `<Variable ${JSON.stringify(this.name)}>`;
  }

  // Inside

  _ask(send, data, options, convert, partial) {
    const hub = this._hub;
    let operation;
    const signal = options?.signal ?? undefined;
    try {
      const sent = options === undefined ? undefined : headers.flatten(options?.headers);
      const flat = options === undefined ? undefined : flatten(options, "the options of a request");
      if (signal !== undefined) checkSignal(signal);
      const text = data === undefined ? "null" : encode(data, false);
      try {
        operation = send(hub._id, this._id, text, sent, flat);
      } catch (error) {
        explain(error, data, false);
      }
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      const pending = { resolve, reject, convert, partial, signal, abort: undefined };
      hub._expect(operation, pending);
      if (signal !== undefined) {
        pending.abort = () => hub._cancel(operation);
        signal.addEventListener("abort", pending.abort, { once: true });
      }
    });
  }

  _subscribe(handler, options, answering) {
    if (handler === undefined ? answering : typeof handler !== "function") {
      return Promise.reject(new TypeError(`a handler must be a function, not ${typeof handler}`));
    }
    const hub = this._hub;
    let subscription;
    let operation;
    try {
      const flat = flatten(options, "the options of a subscription");
      const ids = JSON.parse(native.subscribe(hub._id, this._id, answering, flat));
      subscription = new Subscription(hub, this.name, ids[0], handler, answering);
      operation = ids[1];
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      const convert = () => subscription._started();
      const failed = () => subscription._onEnded();
      hub._expect(operation, { resolve, reject, convert, failed });
    });
  }
}

for (const [short, long] of [
  ["pub", "publish"],
  ["sub", "subscribe"],
  ["req", "request"],
]) {
  const method = Object.getOwnPropertyDescriptor(Variable.prototype, long);
  Object.defineProperty(Variable.prototype, short, method);
}

/** The headers among the options of a publication or a reply. */
function publishHeaders(options) {
  native.checkPublish(flatten(options, "the options of a publication"));
  return headers.flatten(options?.headers);
}

function checkSignal(signal) {
  if (!(signal instanceof AbortSignal)) {
    throw new PosthouseError("INVALID_OPTIONS", `signal is a ${typeof signal}; give an AbortSignal`);
  }
  if (signal.aborted) {
    const error = new PosthouseError("CANCELLED", "the request was cancelled before it was sent");
    error.cause = signal.reason;
    throw error;
  }
}

const replyData = (event) => event[2];
const replyDetails = (event) => ({ data: event[2], headers: headers.received(event[3]) });
const itemData = (reply) => reply[0];
const itemDetails = (reply) => ({ data: reply[0], headers: headers.received(reply[1]) });

module.exports = { Variable, publishHeaders };
