"use strict";
// The quick half of writing JSON: plain data, straight into bytes that the addon reads where they are.
//
// One walk both looks for what JSON.stringify would change and writes the same text that it would give. Whatever
// is not plain and short, ASCII for the most part, makes it give up; `json.js` then takes the longer way.

const { getPrototypeOf, getOwnPropertySymbols, keys } = Object;
const PLAIN = Object.prototype;
const LIST = Array.prototype;
const NOTHING = {};
const lookupGetter = Function.prototype.call.bind(PLAIN.__lookupGetter__);

/** As much as a hub takes by default, and a little. What is longer goes the longer way. */
const SIZE = 1 << 17;
/** Room that is always left for a number, a literal or punctuation. */
const SLACK = 64;
/** Longer strings are written faster by JSON.stringify. */
const LONG = 96;

const bytes = new Uint8Array(SIZE);
const buffer = Buffer.from(bytes.buffer);
const LAST = SIZE - SLACK;
let at = 0;
let writing = false;

/** Writes the value and gives the number of bytes, or -1 if it is not for this way. */
function write(value, depth) {
  // Members of Object.prototype would look like the value's own.
  for (const _ in NOTHING) return -1;
  // A proxy's traps are the program's code, which may send something itself.
  if (writing) return -1;
  writing = true;
  at = 0;
  try {
    // What was written past the end is lost, which is all that happens.
    return any(value, depth) && at <= SIZE ? at : -1;
  } finally {
    writing = false;
  }
}

function any(value, depth) {
  switch (typeof value) {
    case "string":
      return string(value);
    case "number":
      return number(value);
    case "boolean":
      return value ? ascii("true") : ascii("false");
    case "object": {
      if (value === null) return ascii("null");
      if (depth === 0) return false;
      const prototype = getPrototypeOf(value);
      if (prototype === PLAIN || prototype === null) return object(value, depth - 1);
      return prototype === LIST && list(value, depth - 1);
    }
    default:
      return false;
  }
}

function object(value, depth) {
  if (getOwnPropertySymbols(value).length !== 0) return false;
  let mark = 123; // {
  for (const key in value) {
    bytes[at++] = mark;
    mark = 44; // ,
    if (lookupGetter(value, key) !== undefined || !string(key)) return false;
    bytes[at++] = 58; // :
    if (!any(value[key], depth)) return false;
  }
  if (mark === 123) bytes[at++] = 123;
  bytes[at++] = 125; // }
  return true;
}

function list(value, depth) {
  const { length } = value;
  if (keys(value).length !== length) return false;
  let mark = 91; // [
  for (let index = 0; index < length; index++) {
    bytes[at++] = mark;
    mark = 44; // ,
    if (lookupGetter(value, index) !== undefined || !any(value[index], depth)) return false;
  }
  if (mark === 91) bytes[at++] = 91;
  bytes[at++] = 93; // ]
  return true;
}

function string(text) {
  const { length } = text;
  if (length > LONG) return long(text);
  if (at + length > LAST) return false;
  const start = at;
  bytes[at++] = 34; // "
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code < 32 || code > 126 || code === 34 || code === 92) {
      at = start;
      return long(text);
    }
    bytes[at++] = code;
  }
  bytes[at++] = 34;
  return at < LAST;
}

/** A string that is long, or has to be escaped, or is not ASCII. */
function long(text) {
  const json = JSON.stringify(text);
  // A character has at most three bytes for each of its units.
  if (at + 3 * json.length > LAST) return false;
  at += buffer.utf8Write(json, at);
  return true;
}

function number(value) {
  const whole = value | 0;
  if (whole === value) {
    // Minus zero is zero.
    if (whole < 0) return ascii(`${whole}`);
    return digits(whole);
  }
  return value - value === 0 && ascii(`${value}`);
}

function digits(whole) {
  if (at > LAST) return false;
  let end = at + 1;
  for (let rest = whole; rest >= 10; rest = (rest / 10) | 0) end++;
  at = end;
  let rest = whole;
  do {
    const tenth = (rest / 10) | 0;
    bytes[--end] = 48 + rest - 10 * tenth;
    rest = tenth;
  } while (rest > 0);
  return true;
}

function ascii(text) {
  if (at > LAST) return false;
  for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index);
  return true;
}

module.exports = { bytes, write };
