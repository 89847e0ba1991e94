"use strict";
// Headers of a message: received ones to look at, and those of an answer to fill.

const { PosthouseError } = require("./errors.js");

/**
 * Names and values, a name as often as it came. Names are compared without regard to case.
 * What may be sent is checked when it is sent.
 */
class Headers {
  #flat;

  constructor(given) {
    this.#flat = given === undefined ? [] : flatten(given);
  }

  /** The first value of a name, or undefined. */
  get(name) {
    const wanted = String(name).toLowerCase();
    for (let at = 0; at < this.#flat.length; at += 2) {
      if (this.#flat[at].toLowerCase() === wanted) return this.#flat[at + 1];
    }
    return undefined;
  }

  /** All values of a name, in the order they came. */
  getAll(name) {
    const wanted = String(name).toLowerCase();
    return this.entries()
      .filter(([key]) => key.toLowerCase() === wanted)
      .map(([, value]) => value);
  }

  /** Whether there is a value. */
  has(name) {
    return this.get(name) !== undefined;
  }

  /** Replaces all values of a name by one string or several. */
  set(name, value) {
    this.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) this.#flat.push(name, one);
    return this;
  }

  /** Adds one value. */
  append(name, value) {
    this.#flat.push(name, value);
    return this;
  }

  /** Removes all values of a name, and says whether there were any. */
  delete(name) {
    const wanted = String(name).toLowerCase();
    const kept = this.entries().filter(([key]) => String(key).toLowerCase() !== wanted);
    const found = 2 * kept.length < this.#flat.length;
    this.#flat = kept.flat();
    return found;
  }

  /** The names as they came, each once. */
  keys() {
    return [...new Set(this.entries().map(([name]) => name))];
  }

  /** Every entry, in the order they came. */
  entries() {
    const pairs = [];
    for (let at = 0; at < this.#flat.length; at += 2) pairs.push([this.#flat[at], this.#flat[at + 1]]);
    return pairs;
  }

  /** How many entries there are. */
  get size() {
    return this.#flat.length / 2;
  }

  [Symbol.iterator]() {
    return this.entries()[Symbol.iterator]();
  }

  /** Received headers: a flat array, or 0 for none. */
  static received(flat) {
    const headers = new Headers();
    if (Array.isArray(flat)) headers.#flat = flat;
    return headers;
  }

  static flat(headers) {
    return headers.#flat;
  }
}

const { received, flat } = Headers;
// Within the package only.
delete Headers.received;
delete Headers.flat;

/** What a program gives as headers, as a flat array of names and values; undefined for none. */
function flatten(given) {
  if (given === undefined || given === null) return undefined;
  if (given instanceof Headers) return flat(given);
  if (typeof given !== "object" || Array.isArray(given)) throw refused("headers are", given);
  const pairs = typeof given.entries === "function" ? [...given.entries()] : Object.entries(given);
  const out = [];
  for (const [name, value] of pairs) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one !== "string") throw refused(`the header ${JSON.stringify(name)} is`, one);
      out.push(name, one);
    }
  }
  return out;
}

function refused(what, given) {
  const kind = given === null ? "null" : Array.isArray(given) ? "array" : typeof given;
  return new PosthouseError(
    "INVALID_HEADERS",
    `${what} of type ${kind}; give an object of names with one string or a list of strings each`,
  );
}

module.exports = { Headers, flatten, received };
