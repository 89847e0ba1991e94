// The Node agent of the shared scenarios, on the public interface of `posthouse` only.
//
// Requests on standard input, answers and events on standard output, as the corpus' README tells.

import { createInterface } from "node:readline";
import { Hub } from "../../../../bindings-node/lib/index.mjs";

const CAPABILITIES =
  "queue headers collect in-handler context cancel node named-options own-limits " +
  "limit-in-errors instance-list one-connection surrogates websocket";
const SPECIAL = { nan: NaN, inf: Infinity, "-inf": -Infinity, surrogate: "\ud800" };

const stores = ["hubs", "subs", "watches", "gates", "contexts", "cancels"].map(() => new Map());
const [hubs, subs, watches, gates, contexts, cancels] = stores;

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** Those of the fields that are given, or all, in JavaScript's spelling. */
function pick(fields, ...names) {
  const chosen = names.filter((name) => name in fields);
  return Object.fromEntries(
    chosen.map((name) => [camel(name), name === "headers" ? fields[name] : deep(fields[name])]),
  );
}

const deep = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), inner]))
    : value;

const body = (r) => ("special" in r ? SPECIAL[r.special] : r.data);
const given = (value) => (value === undefined ? {} : { value });
const replyOf = ({ data, headers }) => ({ data, headers: headers.entries() });

function gate(name) {
  if (!gates.has(name)) {
    const made = {};
    made.opened = new Promise((resolve) => {
      made.open = resolve;
    });
    gates.set(name, made);
  }
  return gates.get(name);
}

function failure(error) {
  const { code, message, limit, actual, partialReplies = [] } = error;
  const partial_replies = partialReplies.map((r) => (r?.headers?.entries ? replyOf(r) : r));
  return { code: code ?? error.name, message, limit, actual, partial_replies };
}

async function attempt(work) {
  try {
    return { ok: (await work()) ?? null };
  } catch (error) {
    return { error: failure(error) };
  }
}

function handler(r) {
  const stream = r.as;
  return async (data, ctx) => {
    const look = (name) => [name, { get: ctx.headers.get(name) ?? null, all: ctx.headers.getAll(name) }];
    const got = Object.fromEntries((r.look ?? []).map(look));
    tell({ event: "message", stream, data, topic: ctx.topic, headers: ctx.headers.entries(), got });
    let result;
    for (const action of r.do ?? []) {
      const [verb, what] = Object.entries(action)[0];
      if (verb === "echo" || verb === "return") result = verb === "echo" ? data : what;
      else if (verb === "wait") await gate(what).opened;
      else if (verb === "reply_headers") {
        for (const [name, values] of Object.entries(what)) ctx.replyHeaders.set(name, values);
      } else if (verb === "keep") contexts.set(what, ctx);
      else if (verb === "reply" || verb === "call") {
        const reply = () => ctx.reply(what, pick(action, "headers"));
        const seen = await attempt(verb === "call" ? () => run(what) : reply);
        tell({ event: "call", stream: `${stream}.calls`, ...seen });
      } else throw new Error(what);
    }
    tell({ event: "done", stream: `${stream}.done` });
    return result;
  };
}

function watcher(r, show) {
  return (...news) => {
    tell({ stream: r.as, ...show(...news) });
    if ("raise" in r) throw new Error(r.raise);
  };
}

async function run(r) {
  switch (r.op) {
    case "reset":
      for (const { open } of gates.values()) open();
      await Promise.allSettled([...hubs.values()].map((hub) => hub.close()));
      for (const store of stores) store.clear();
      return;
    case "open":
      hubs.set(r.hub, new Hub(r.namespace, pick(r.options ?? {}, ...Object.keys(r.options ?? {}))));
      return;
    case "release":
      return gate(r.gate).open();
    case "cancel":
      return cancels.get(r.target).abort();
    case "context_reply":
      return contexts.get(r.context).reply(r.data, pick(r, "headers"));
    case "unwatch":
      return watches.get(r.as)();
    case "sub_status":
      return subs.get(r.as).status();
    case "unsubscribe":
      return subs.get(r.as).unsubscribe();
    case "drain_sub":
      return subs.get(r.as).drain(r.timeout);
  }
  const hub = hubs.get(r.hub);
  if ("var" in r) return onVariable(hub.var(r.var), r);
  if (r.op === "status") return hub.status();
  if (r.op === "namespace" || r.op === "instance_id") return hub[camel(r.op)];
  if (r.op === "instances") return hub.instances.list();
  if (r.op === "watch_hub") {
    const show = (status) => ({ event: "status", status });
    watches.set(r.as, hub.watch(watcher(r, show)));
    return;
  }
  await hub[r.op](r.timeout);
}

async function onVariable(variable, r) {
  const method = camel(r.op.replace("var_", ""));
  switch (r.op) {
    case "get":
      return given(variable.get(r.fallback));
    case "value":
      return given(variable.value);
    case "meta":
      return variable.meta;
    case "watch":
    case "watch_value": {
      const metaOf = (meta) => (meta === undefined ? {} : { meta });
      const show = (value, meta) => ({ event: "watch", ...given(value), ...metaOf(meta) });
      watches.set(r.as, variable[method](watcher(r, show)));
      return;
    }
    case "sub":
    case "subscribe":
    case "handle": {
      const options = pick(r, "queue", "pending_messages", "pending_bytes");
      subs.set(r.as, await variable[method](handler(r), options));
      return;
    }
    case "req":
    case "request":
    case "request_many": {
      const options = pick(r, "timeout", "headers", "details", "max_replies", "max_bytes");
      const { signal } = cancels.get(r.label) ?? {};
      const got = await variable[method](body(r), signal ? { ...options, signal } : options);
      if (!r.details) return got;
      if (r.op !== "request_many") return replyOf(got);
      return { replies: got.replies.map(replyOf), reason: got.reason };
    }
    case "pub":
    case "publish":
      return variable[method](body(r), pick(r, "headers"));
    case "set":
      return variable.set(body(r));
    default: // delete, var_ready
      await variable[method]();
  }
}

tell({ event: "hello", stream: "hello", language: "node", capabilities: CAPABILITIES.split(" ") });
for await (const line of createInterface({ input: process.stdin })) {
  const r = JSON.parse(line);
  if ("label" in r) cancels.set(r.label, new AbortController());
  void attempt(() => run(r)).then((answer) => tell({ id: r.id, ...answer }));
}
process.exit(0);
