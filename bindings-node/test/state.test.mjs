// Variables: values, metadata, watches.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { Hub } from "posthouse";
import { broker, connected, deferred } from "./support.mjs";

let url;
before(async () => {
  ({ url } = await broker());
});

test("absent is undefined, and everything else is a value", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("x");
  assert.equal(variable, hub.var("x"));
  assert.equal(variable.name, "x");
  assert.equal(variable.value, undefined);
  assert.equal(variable.get(7), 7);
  for (const value of [null, false, 0, "", [], {}]) {
    await variable.set(value);
    assert.deepEqual(variable.get(7), value);
  }
  await variable.delete();
  assert.equal(variable.value, undefined);
  assert.equal(await variable.ready(), variable);
  assert.equal(await hub.ready({ timeout: 5000 }), hub);
  const { initialized, exists, version, pending, connected: online } = variable.meta;
  assert.deepEqual([initialized, exists, typeof version.counter, online], [true, false, "string", true]);
  assert.equal(typeof pending, "boolean");
});

test("a value is a copy of its own each time", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("copy");
  const given = { list: [1] };
  await variable.set(given);
  given.list.push(2);
  variable.value.list.push(3);
  assert.deepEqual(variable.value, { list: [1] });
});

test("watches begin with the state and end at once", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("w");
  await variable.set(1);
  const first = deferred();
  const seen = [];
  const stop = variable.watch((value, meta) => {
    seen.push([value, meta.exists]);
    first.resolve();
  });
  await first.promise;
  assert.deepEqual(seen[0], [1, true]);
  stop();
  stop();
  const count = seen.length;
  await variable.set(2);
  await hub.flush();
  assert.equal(seen.length, count);
  for await (const value of variable.watchValue()) {
    assert.equal(value, 2);
    break;
  }
  for await (const [value, meta] of variable.watch()) {
    assert.deepEqual([value, meta.exists], [2, true]);
    break;
  }
});

test("a hub's status and the instances can be watched", async (t) => {
  const hub = await connected(t, url);
  for await (const status of hub.watch()) {
    assert.equal(status.connection, "connected");
    break;
  }
  const told = deferred();
  const stop = hub.watch((status) => told.resolve(status));
  assert.equal((await told.promise).sdk, "javascript");
  stop();
  for await (const list of hub.instances.watch()) {
    if (list.some((one) => one.instanceId === hub.instanceId)) break;
  }
  assert.equal((await hub.instances.list()).length, 1);
});

test("a watch that fails is reported and goes on", async (t) => {
  const failures = [];
  const hub = await connected(t, url, { onCallbackError: (error) => failures.push(error) });
  const variable = hub.var("fails");
  const [first, second] = [deferred(), deferred()];
  variable.watchValue((value) => {
    if (value === 1) first.resolve();
    if (value === 2) second.resolve();
    throw new RangeError("boom");
  });
  variable.watchValue(async () => {
    throw new RangeError("later");
  });
  await variable.set(1);
  await first.promise;
  await variable.set(2);
  await second.promise;
  assert.ok(failures.every((error) => error.code === "HANDLER_ERROR" && error.cause instanceof RangeError));
  assert.equal(hub.status().lastError.code, "HANDLER_ERROR");
});

test("hubs of a namespace share, and others do not", async (t) => {
  const one = await connected(t, url, {}, "shared");
  const two = await connected(t, url, {}, "shared");
  const alone = await connected(t, url);
  assert.notEqual(alone.namespace, "shared");
  assert.match(alone.namespace, /^[0-9a-f-]{36}$/);
  await one.var("v").set("here");
  for await (const value of two.var("v").watchValue()) {
    if (value === "here") break;
  }
  assert.equal(alone.var("v").value, undefined);
});

test("names and options are refused in JavaScript's words", () => {
  const refused = (make, code, words) =>
    assert.throws(make, (error) => error.code === code && error.message.includes(words));
  refused(() => new Hub(7), "INVALID_NAME", "type number");
  refused(() => new Hub("a\ud800"), "INVALID_NAME", "lone surrogate");
  refused(() => new Hub("x", { peer_timeout: 5 }), "INVALID_OPTIONS", '"peerTimeout"');
  refused(() => new Hub("x", { timeout: 0 }), "INVALID_OPTIONS", "timeout is 0 ms");
  refused(() => new Hub("x", { timeout: "5" }), "INVALID_OPTIONS", "a number of milliseconds");
  refused(() => new Hub("x", { messaging: { request: 1 } }), "INVALID_OPTIONS", '"requests"');
  refused(() => new Hub("x", { messaging: 3 }), "INVALID_OPTIONS", "a group of options");
  refused(() => new Hub("x", []), "INVALID_OPTIONS", "an array");
  refused(() => new Hub("x", { servers: "nats://user:hunter2@" }), "INVALID_SERVER", "");
});
