"use strict";
// JSON on its way out: `JSON.stringify`, but for values that it would change without a word.
//
// `writer.js` does it for most values, quicker. Where it gives up, a look at every part says whether the value is
// made of plain data only. Where that says no, a slow one finds the part at fault, and the addon says what is wrong
// with it, in the core's own words. Numbers out of range, depth and size are the core's to judge, from the text.

const native = require("./native.js");
const writer = require("./writer.js");
const { PosthouseError } = require("./errors.js");

const { getPrototypeOf, getOwnPropertySymbols, getOwnPropertyDescriptor, keys } = Object;
const PLAIN = Object.prototype;
const LIST = Array.prototype;
const lookupGetter = Function.prototype.call.bind(PLAIN.__lookupGetter__);
const TEXT = String.prototype;
const NUMBER = Number.prototype;
const FLAG = Boolean.prototype;

/** Deeper than the core allows; a cycle ends here. */
const DEEPEST = 80;

/** Whether JSON.stringify gives all of the value and nothing else. False may be a mistake. */
function plain(value, depth) {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return value - value === 0;
    case "object": {
      if (value === null) return true;
      if (depth === 0) return false;
      const prototype = getPrototypeOf(value);
      if (prototype === PLAIN || prototype === null) {
        if (getOwnPropertySymbols(value).length !== 0) return false;
        for (const key in value) {
          if (lookupGetter(value, key) !== undefined) return false;
          if (!plain(value[key], depth - 1)) return false;
        }
        return true;
      }
      if (prototype !== LIST) return false;
      const { length } = value;
      if (keys(value).length !== length) return false;
      for (let index = 0; index < length; index++) {
        if (lookupGetter(value, index) !== undefined) return false;
        if (!plain(value[index], depth - 1)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

/** Whether somebody has taught JSON.stringify to call a method on plain data; all of it inherits from these. */
function taught() {
  return (
    LIST.toJSON !== undefined ||
    TEXT.toJSON !== undefined ||
    NUMBER.toJSON !== undefined ||
    FLAG.toJSON !== undefined
  );
}

/**
 * The value as JSON for the addon: a text, or how many bytes of it are where the writer writes, until it writes again.
 * `state` says which codes a refusal has: those of a value or those of a message.
 */
function encode(value, state) {
  if (!taught()) {
    const written = writer.write(value, DEEPEST);
    if (written >= 0) return written;
  }
  if (taught()) refuse(state, "type", [], "under a prototype to which the program added toJSON");
  if (!plain(value, DEEPEST)) search(value, state, [], []);
  return JSON.stringify(value);
}

/** Throws the refusal, better than the core's where the part at fault can be named. */
function explain(error, value, state) {
  if (error.code === "INVALID_VALUE" || error.code === "INVALID_MESSAGE") {
    search(value, state, [], [], true);
  }
  throw error;
}

function refuse(state, fault, path, detail) {
  native.refuse(state, fault, path, detail);
}

/** Throws at the first part that JSON.stringify would change; `refused` also at what the core refuses. */
function search(value, state, path, above, refused = false) {
  switch (typeof value) {
    case "boolean":
      return;
    case "string":
      if (!value.isWellFormed()) refuse(state, "unicode", path, "");
      return;
    case "number":
      if (!Number.isFinite(value)) refuse(state, "number", path, "");
      if (refused && Number.isInteger(value) && !Number.isSafeInteger(value)) {
        refuse(state, "number", path, "");
      }
      return;
    case "object":
      if (value === null) return;
      break;
    default:
      return refuse(state, "type", path, NOUNS[typeof value]);
  }
  if (above.includes(value)) refuse(state, "type", path, "an object that contains itself");
  if (above.length >= DEEPEST) refuse(state, "depth", path, "");
  const list = Array.isArray(value);
  if (!(list ? isPlainList(value) : isPlainObject(value))) {
    refuse(state, "type", path, `an instance of ${className(value)}`);
  }
  if (getOwnPropertySymbols(value).length !== 0) {
    refuse(state, "type", path, "an object with a member under a symbol");
  }
  const inside = [...above, value];
  let expected = 0;
  for (const key of keys(value)) {
    const step = list ? Number(key) : key;
    if (list && key !== String(expected)) {
      const hole = Number.isInteger(step) && step > expected;
      if (!hole)
        refuse(state, "type", path, `an array with a member ${JSON.stringify(key)} besides its elements`);
      refuse(state, "type", [...path, expected], "a hole in a sparse array");
    }
    expected++;
    if (!list && !key.isWellFormed()) refuse(state, "unicode", path, "");
    const { get, set, value: inner } = getOwnPropertyDescriptor(value, key);
    if (get || set) refuse(state, "type", [...path, step], "a getter");
    search(inner, state, [...path, step], inside, refused);
  }
  if (list && expected < value.length) {
    refuse(state, "type", [...path, expected], "a hole in a sparse array");
  }
}

const NOUNS = { undefined: "undefined", function: "a function", symbol: "a symbol", bigint: "a BigInt" };

// Prototypes of other realms (vm contexts) are as good as ours.
function isPlainObject(value) {
  const prototype = getPrototypeOf(value);
  if (prototype === null || prototype === PLAIN) return true;
  return getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "__lookupGetter__");
}

function isPlainList(value) {
  const prototype = getPrototypeOf(value);
  if (prototype === LIST) return true;
  return Array.isArray(prototype) && getPrototypeOf(getPrototypeOf(prototype)) === null;
}

function className(value) {
  const name = value.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "a class";
}

native.share(writer.bytes.buffer);

/** A text that the program gives as a name. */
function checkText(value, code, what) {
  if (typeof value !== "string") {
    const kind = value === null ? "null" : typeof value;
    throw new PosthouseError(code, `${what} is of type ${kind}; give a string`);
  }
  if (!value.isWellFormed()) {
    throw new PosthouseError(code, `${what} is not valid Unicode: it holds a lone surrogate`);
  }
  return value;
}

module.exports = { checkText, encode, explain };
