// Looks up every call of the table in the loaded package. Prints one JSON object a fault: the platform, the
// case, what is wrong.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as posthouse from "posthouse";

const require = createRequire(import.meta.url);
const table = JSON.parse(readFileSync(new URL("../uses.json", import.meta.url), "utf8"));
const NOWHERE = { servers: ["nats://127.0.0.1:1"], node: false };
const faults = [];
const fault = (name, text) => faults.push({ platform: "node", case: name, text });

const hub = new posthouse.Hub("parity", NOWHERE);
const variable = hub.var("parity");
const watch = variable.watch(() => {});
// What only a broker makes is looked at as its class.
const { Subscription } = require("../../../bindings-node/lib/subscription.js");
const { Context, HandleContext } = require("../../../bindings-node/lib/context.js");
const roots = {
  ...posthouse,
  hub,
  variable,
  watch,
  subscription: Subscription.prototype,
  context: Context.prototype,
  handleContext: HandleContext.prototype,
  headers: new posthouse.Headers({ "x-tag": "a" }),
  error: new posthouse.PosthouseError("TIMEOUT", "late", 1, 2),
};
// Fields that an object gets when it is made, and results that are plain objects: the compiler sees them.
const FIELDS = { subscription: ["name"], context: ["topic"], handleContext: ["topic"] };
const PLAIN = new Set(["reply", "many"]);
const named = new Map();

for (const { case: name, call } of table.javascript) {
  const [head, ...path] = call
    .replaceAll(/<\w+>/g, "")
    .match(/^\(?(?:await )?(?:new )?(\w+(?:\([^()]*\))?(?:\.\w+(?:\(name\))?|\[Symbol\.\w+\])*)/)[1]
    .split(/\.(?!\w+\])|(?=\[)/);
  if (PLAIN.has(head)) continue;
  let owner = head.replace(/\(.*/, "");
  let found = roots[owner];
  if (found === undefined) fault(name, `${call}: there is no ${owner}`);
  for (const step of path) {
    if (found === undefined || found === null) break;
    const member = step.replace(/\(.*/, "");
    const symbol = /^\[Symbol\.(\w+)\]$/.exec(member)?.[1];
    if (!named.has(owner)) named.set(owner, new Set());
    named.get(owner).add(symbol ?? member);
    const key = symbol === undefined ? member : Symbol[symbol];
    const there = key in found || FIELDS[owner]?.includes(member);
    if (!there) fault(name, `${call}: ${owner} has no ${member}`);
    owner = step === "var(name)" ? "variable" : `${owner}.${member}`;
    // Getters of a prototype want an object.
    const prototype = Object.hasOwn(FIELDS, owner.split(".")[0]);
    found = step === "var(name)" ? variable : prototype ? undefined : found[key];
  }
}

/** Public names of an object and of what it inherits. */
function members(object, end) {
  const names = new Set();
  for (let at = object; at !== null && at !== end; at = Object.getPrototypeOf(at)) {
    for (const key of Object.getOwnPropertyNames(at)) {
      if (!key.startsWith("_") && key !== "constructor") names.add(key);
    }
  }
  return names;
}

const kinds = {
  hub: [hub, Object.prototype],
  variable: [variable, Object.prototype],
  "hub.instances": [hub.instances, Object.prototype],
  subscription: [Subscription.prototype, Object.prototype],
  context: [Context.prototype, Object.prototype],
  handleContext: [HandleContext.prototype, Object.prototype],
  headers: [roots.headers, Object.prototype],
  error: [roots.error, Error.prototype],
};
for (const [name, [object, end]] of Object.entries(kinds)) {
  for (const member of members(object, end)) {
    if (name === "error" && ["stack", "name"].includes(member)) continue;
    if (!named.get(name)?.has(member)) fault(table.beyond, `the table does not name ${name}.${member}`);
  }
}
for (const name of Object.keys(posthouse)) {
  const known = table.javascript.some(({ call }) => new RegExp(`\\b${name}\\b`).test(call));
  if (!known && name !== "default" && name !== "PosthouseError")
    fault(table.beyond, `the table does not name ${name}`);
}

for (const { case: name, group, javascript } of table.options) {
  for (const option of javascript) {
    const given = group === "hub" ? { [option]: 1 } : { [group]: { [option]: 1 } };
    if (!["hub", "tls", "selection", "messaging"].includes(group)) break;
    try {
      await new posthouse.Hub("parity", { ...NOWHERE, ...given }).close();
    } catch (error) {
      if (error.message.includes("there is no option")) fault(name, error.message);
    }
  }
}
for (const name of table.codes.names) {
  if (posthouse.ErrorCode[name] !== name) fault(table.codes.case, `there is no ErrorCode.${name}`);
}

watch();
await hub.close();
for (const one of faults) console.log(JSON.stringify(one));
