// JavaScript's values as JSON text, and text as bytes, without changing anything: what is no JSON value gives no text. What
// may be sent is the core's to say. No recursion: values come from other programs, too, as deep as they like.

const encoder = new TextEncoder();
const { getPrototypeOf, getOwnPropertySymbols, keys } = Object;

/** More text than any message has, however it is escaped. A value may hold one part many times and so have a text that
 * fits nowhere. */
const LONGEST = 1 << 20;

/** Stands for texts that are longer. */
export const OVERLONG = JSON.stringify("-".repeat(LONGEST));

/** The JSON text of null, booleans, strings, finite numbers, dense arrays and plain objects; undefined for anything else. */
export function jsonText(root) {
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
export function itemText(item) {
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

/** A number for the core, which takes what is none for one that breaks every rule. */
export function numberOf(value) {
  return typeof value === "number" ? value : Number.NaN;
}

/** A text as bytes, a lone surrogate as its three, which the core finds; what is no text is empty. */
export function bytes(text) {
  if (typeof text !== "string") return new Uint8Array();
  if (text.isWellFormed()) return encoder.encode(text);
  const parts = text.split(/(\p{Surrogate})/u).map((part, index) => {
    if (index % 2 === 0) return encoder.encode(part);
    const unit = part.charCodeAt(0);
    return Uint8Array.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  });
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
