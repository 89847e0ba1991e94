"use strict";
// What a handler gets beside the data.

const native = require("./native.js");
const headers = require("./headers.js");
const { encode, explain } = require("./json.js");
const { flatten } = require("./options.js");

const DONE = Promise.resolve();

/** The message that a handler runs for. */
class MessageContext {
  #heads;

  constructor(subscription, place, topic, heads) {
    this.topic = topic;
    this.#heads = heads;
    this._subscription = subscription;
    this._place = place;
  }

  get headers() {
    if (!(this.#heads instanceof headers.Headers)) this.#heads = headers.received(this.#heads);
    return this.#heads;
  }
}

/** The context of a subscription's handler: it can reply, several times. */
class Context extends MessageContext {
  reply(data, options) {
    try {
      if (options !== undefined) native.checkPublish(flatten(options, "the options of a reply"));
      const sent = headers.flatten(options?.headers);
      const text = data === undefined ? "null" : encode(data, false);
      try {
        this._send(text, sent);
      } catch (error) {
        explain(error, data, false);
      }
    } catch (error) {
      return Promise.reject(error);
    }
    return DONE;
  }

  _send(text, sent) {
    const { _subscription: subscription, _place: place } = this;
    const hub = subscription._hub._id;
    // Handlers of a batch that have ended are told to the core together; not later than this.
    if (place !== subscription._place) native.settle(hub, subscription._id, subscription._place);
    native.reply(hub, subscription._id, place, text, sent);
  }
}

/** The context of a `handle`: its return value is the answer, with these headers. */
class HandleContext extends MessageContext {
  #replyHeaders;

  /** Headers of the answer; filled, or replaced by an object, before the handler returns. */
  get replyHeaders() {
    this.#replyHeaders ??= new headers.Headers();
    return this.#replyHeaders;
  }

  set replyHeaders(given) {
    this.#replyHeaders = given;
  }

  _answerHeaders() {
    return this.#replyHeaders === undefined ? undefined : headers.flatten(this.#replyHeaders);
  }
}

module.exports = { Context, HandleContext };
