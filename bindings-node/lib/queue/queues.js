"use strict";
// Producing, and the queues of a deployment: values become JSON text here, everything else is the core's.

const { fileURLToPath } = require("node:url");
const { inspect } = require("node:util");
const native = require("../native.js");
const { PosthouseError } = require("../errors.js");
const { Consumer, milliseconds } = require("./consumer.js");
const { running } = require("./event.js");
const { Port } = require("./port.js");
const { givenText, itemText, jsonText, nameOf, numberOf } = require("./text.js");

// What handlers have in hands goes back at once, also where the program exits in the middle.
process.once("exit", () => native.queueEnd());

class Queues {
  #port;
  #options;
  #consumers = new Set();
  #closing;

  constructor(config, options) {
    this.#options = checked(options, ["grants", "onCallbackError"], "Queues");
    const { grants = [] } = this.#options;
    if (!Array.isArray(grants) || !grants.every((name) => typeof name === "string")) {
      throw new PosthouseError("INVALID_OPTIONS", "grants is no list of names of bindings");
    }
    const [text, file] = configuration(config);
    this.#port = new Port((wake) => native.queueOpen(text, file, grants, wake));
  }

  async send(binding, body, delaySeconds = 0) {
    await this.#send(binding, jsonText(body), delaySeconds);
  }

  async sendText(binding, text, delaySeconds = 0) {
    await this.#send(binding, givenText(text), delaySeconds);
  }

  async sendBatch(binding, items) {
    if (!Array.isArray(items)) return this.sendBatchText(binding, "null");
    const name = nameOf(binding);
    // Binding and number first: there may be far more items than a batch takes.
    this.#ask(() => native.queueBatch(this.#port.id, name, items.length));
    const texts = Array.from(items, itemText);
    await this.#tell(() => native.queueSendItems(this.#port.id, name, texts.flat()));
  }

  async sendBatchText(binding, text) {
    await this.#tell(() => native.queueSendBatch(this.#port.id, nameOf(binding), givenText(text)));
  }

  async consume(name, handler, options) {
    if (typeof handler !== "function") {
      const kind = handler === null ? "null" : typeof handler;
      throw new TypeError(`consume was given ${kind}; give the handler, a function`);
    }
    const { env, signal, onCallbackError } = checked(
      options,
      ["env", "signal", "onCallbackError"],
      "consume",
    );
    signal?.throwIfAborted();
    const number = await this.#tell(() => native.queueConsume(this.#port.id, nameOf(name)));
    const consumer = new Consumer(this.#port, number, name, handler, {
      env,
      onCallbackError: onCallbackError ?? this.#options.onCallbackError,
    });
    this.#consumers.add(consumer);
    const abort = () => void consumer.close(0).catch(() => {});
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const forget = () => {
      this.#consumers.delete(consumer);
      signal?.removeEventListener("abort", abort);
    };
    consumer._whenEnded(forget);
    return consumer;
  }

  close(given) {
    this.#closing ??= this.#close(milliseconds(given));
    return this.#closing;
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  [inspect.custom]() {
    return "<Queues>";
  }

  async #close(time) {
    // What a consumer ended by was told where it happened.
    await Promise.allSettled(Array.from(this.#consumers, (consumer) => consumer.close(time)));
    await this.#port.start(() => native.queueClose(this.#port.id));
    native.queueForget(this.#port.id);
  }

  async #send(binding, text, delay) {
    const name = nameOf(binding);
    await this.#tell(() => native.queueSend(this.#port.id, name, text ?? "", numberOf(delay)));
  }

  /** Begins an operation for the event that runs here, if there is one: it fails with a fault. */
  #tell(begin) {
    return this.#port.start(() => this.#ask(begin));
  }

  #ask(question) {
    try {
      return question();
    } catch (error) {
      running()?.note(error);
      throw error;
    }
  }
}

/** The text of a configuration, or the path of its file. */
function configuration(config) {
  if (config instanceof URL) return [fileURLToPath(config), true];
  if (typeof config === "string") return [config, !config.trimStart().startsWith("{")];
  return [jsonText(config) ?? "null", false];
}

/** Options, all of which are known. */
function checked(options, known, what) {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" || Array.isArray(options)) {
    throw new PosthouseError("INVALID_OPTIONS", `the options of ${what} are no object; give one`);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const all = known.map((one) => JSON.stringify(one)).join(", ");
    throw new PosthouseError(
      "INVALID_OPTIONS",
      `${what} has no option ${JSON.stringify(name)}; it has ${all}`,
    );
  }
  return options;
}

module.exports = { Queues };
