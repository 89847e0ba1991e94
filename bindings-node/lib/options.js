"use strict";
// Options on their way to the core, which knows their names and ranges: a flat array of names and values.

const { PosthouseError } = require("./errors.js");

/** An object of options as a flat array; members of groups as `group.member`. Undefined for none. */
function flatten(options, what) {
  if (options === undefined || options === null) return undefined;
  if (typeof options !== "object" || Array.isArray(options)) {
    const kind = Array.isArray(options) ? "an array" : `a ${typeof options}`;
    throw new PosthouseError("INVALID_OPTIONS", `${what} are ${kind}; give an object`);
  }
  const out = [];
  for (const [name, value] of Object.entries(options)) {
    check(name, value);
    out.push(name, value);
    if (value === null || typeof value !== "object" || Array.isArray(value)) continue;
    if (KEPT.has(name)) continue;
    for (const [member, inner] of Object.entries(value)) {
      check(member, inner);
      out.push(`${name}.${member}`, inner);
    }
  }
  return out;
}

/** Objects that are no groups: they stay on this side. */
const KEPT = new Set(["headers", "signal"]);

function check(name, value) {
  if (typeof value === "string" && !value.isWellFormed()) {
    const code = name === "queue" ? "INVALID_TOPIC" : "INVALID_OPTIONS";
    throw new PosthouseError(code, `${name} is not valid Unicode: it holds a lone surrogate`);
  }
}

/** A time-out given as a number, or as the one option of an object. */
function timeout(given) {
  if (given === null || typeof given !== "object") return given;
  for (const name of Object.keys(given)) {
    if (name !== "timeout") {
      throw new PosthouseError(
        "INVALID_OPTIONS",
        `there is no option ${JSON.stringify(name)}; did you mean "timeout"?`,
      );
    }
  }
  return given.timeout;
}

/** The functions among a hub's options: the core asks for what they tell. */
function functions(options) {
  const found = new Map();
  for (const [name, value] of Object.entries(options ?? {})) {
    if (typeof value === "function") found.set(name, value);
  }
  return found;
}

module.exports = { flatten, functions, timeout };
