"use strict";
// JavaScript's values as JSON text, without changing anything: what is no JSON value gives no text. What may be sent is the
// core's to say. No recursion: a value may be as deep as it likes. `cloudflare/text.mjs` says the same for Workers, which
// take no CommonJS; a test holds the two together.

const { getPrototypeOf, getOwnPropertySymbols, keys } = Object;

/** More text than any message has, however it is escaped. A value may hold one part many times and so have a text that
 * fits nowhere. */
const LONGEST = 1 << 20;

/** Stands for texts that are longer. */
const OVERLONG = JSON.stringify("-".repeat(LONGEST));

/** The JSON text of null, booleans, strings, finite numbers, dense arrays and plain objects; undefined for anything else. */
function jsonText(root) {
  let text = "";
  let value = root;
  const frames = [];
  const open = new Set();
  for (;;) {
    if (typeof value === "object" && value !== null) {
      const frame = frameOf(value);
      if (frame === undefined || open.has(value)) return undefined;
      open.add(value);
      frames.push(frame);
      text += frame.begin;
    } else {
      const scalar = scalarText(value);
      if (scalar === undefined) return undefined;
      text += scalar;
    }
    while (frames.length > 0 && frames.at(-1).at === frames.at(-1).count) {
      const frame = frames.pop();
      open.delete(frame.value);
      text += frame.end;
    }
    if (text.length > LONGEST) return OVERLONG;
    const frame = frames.at(-1);
    if (frame === undefined) return text;
    const index = frame.at++;
    if (index > 0) text += ",";
    if (frame.names === undefined) {
      value = frame.value[index];
    } else {
      const name = frame.names[index];
      text += `${JSON.stringify(name)}:`;
      value = frame.value[name];
    }
  }
}

/** An item of a batch as text, and whether its body is a JSON value; if not, null stands for it. Members that are
 * undefined are not there. */
function itemText(item) {
  const text = jsonText(item);
  if (text !== undefined && text !== OVERLONG) return [text, true];
  if (!isPlain(item)) return ["null", true];
  let whole = true;
  const members = [];
  for (const name of keys(item)) {
    const value = item[name];
    if (value === undefined) continue;
    const text = jsonText(value);
    if (text === undefined && name === "body") whole = false;
    members.push(`${JSON.stringify(name)}:${text ?? "null"}`);
  }
  return [`{${members.join(",")}}`, whole];
}

function frameOf(value) {
  if (getOwnPropertySymbols(value).length > 0) return undefined;
  if (Array.isArray(value)) {
    const count = value.length;
    // A hole or a member besides the elements.
    if (getPrototypeOf(value) !== Array.prototype || keys(value).length !== count) return undefined;
    return { value, count, at: 0, begin: "[", end: "]" };
  }
  if (!isPlain(value)) return undefined;
  const names = keys(value);
  return { value, names, count: names.length, at: 0, begin: "{", end: "}" };
}

function isPlain(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && getOwnPropertySymbols(value).length === 0;
}

function scalarText(value) {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : undefined;
    case "boolean":
      return String(value);
    default:
      return value === null ? "null" : undefined;
  }
}

/** A text that the program gives as JSON, as the core takes it: what is no text is none of JSON either. A lone surrogate, which
 * has no bytes, is escaped where it may stand, for the core to find. */
function givenText(text) {
  if (typeof text !== "string") return "";
  if (text.isWellFormed()) return text;
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return text.replace(/\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

/** A name for the core, which takes what is none for an empty one. */
function nameOf(name) {
  return typeof name === "string" ? name : "";
}

/** A number for the core, which takes what is none for one that breaks every rule. */
function numberOf(value) {
  return typeof value === "number" ? value : Number.NaN;
}

module.exports = { givenText, itemText, jsonText, nameOf, numberOf };
