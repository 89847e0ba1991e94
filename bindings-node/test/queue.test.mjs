// Queues on a SQLite file: what is sent is read, and what breaks a rule never reaches the store.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";
import { DeploymentError, EventFault, PosthouseError, QueueError, Queues } from "posthouse/queue";
import { TEXTS } from "../../tests/cloudflare/texts.mjs";
import * as worker from "../cloudflare/text.mjs";
import { config, folder, open, received } from "./queue-support.mjs";

const require = createRequire(import.meta.url);
const text = require("../lib/queue/text.js");
const PAGE = { kind: "page", url: "/release/x", version: "v8", refresh: true };

test("what is sent in each way is read, in order, with id, attempts, timestamp and queue", async (t) => {
  const queues = open(t, { max_batch_wait: 0 });
  const before = Date.now();
  await queues.send("WORK", PAGE);
  await queues.sendText("WORK", ' {"b": 1.0, "a": -0, "2": "\\u6c34", "1": 9007199254740993} ');
  await queues.sendBatch("WORK", [
    { body: null },
    { body: "],[", delaySeconds: 0 },
    { body: undefined ?? [1, [2]] },
  ]);
  await queues.sendBatchText("WORK", '[{"body":{"body":1}},{"body":"\\"\\\\"}]');
  const [batch] = await received(t, queues, 1);
  assert.equal(batch.queue, "work");
  const bodies = [
    PAGE,
    { 1: 9007199254740992, 2: "水", b: 1, a: 0 },
    null,
    "],[",
    [1, [2]],
    { body: 1 },
    '"\\',
  ];
  assert.deepEqual(
    batch.messages.map(({ body }) => body),
    bodies,
  );
  assert.equal(new Set(batch.messages.map(({ id }) => id)).size, bodies.length);
  for (const { attempts, timestamp } of batch.messages) {
    assert.equal(attempts, 1);
    assert.ok(Number.isInteger(timestamp) && timestamp >= before && timestamp <= Date.now());
  }
});

/** Code, text and index of what a promise fails with. */
async function refusal(promise) {
  const error = await promise.then(
    () => assert.fail("it was accepted"),
    (error) => error,
  );
  assert.ok(error instanceof QueueError && error instanceof PosthouseError, error);
  return [error.code, error.message, error.index];
}

test("what breaks a rule is refused with the contract's words before there is a store", async (t) => {
  const place = folder();
  const queues = open(t, {}, place);
  const send = (...args) => refusal(queues.send("WORK", ...args));
  const sendText = (...args) => refusal(queues.sendText("WORK", ...args));
  const code = (code, at) => [code, TEXTS[code], at];
  const circle = {};
  circle.self = [circle];
  for (const body of [
    undefined,
    () => {},
    1n,
    Number.NaN,
    Infinity,
    new Date(),
    new Map(),
    new Array(2),
    circle,
    Symbol(),
  ]) {
    assert.deepEqual(await send(body), code("QUEUE_BODY_JSON"));
    assert.deepEqual(await send([{ body }]), code("QUEUE_BODY_JSON"));
    assert.deepEqual(
      await refusal(queues.sendBatch("WORK", [{ body: 1 }, { body }])),
      // A member that is undefined is none.
      body === undefined ? ["QUEUE_BATCH_ITEM", TEXTS.QUEUE_BATCH_ITEM(1), 1] : code("QUEUE_BODY_JSON", 1),
    );
  }
  for (const body of ["{", "1e999", "", "undefined", 7, null, "\ud800", '"\\\ud800"']) {
    assert.deepEqual(await sendText(body), code("QUEUE_BODY_JSON"));
  }
  for (const body of ['"\ud800"', '{"\udfff":1}', '"\\ud800"']) {
    assert.deepEqual(await sendText(body), code("QUEUE_BODY_UNICODE"));
  }
  assert.deepEqual(await send({ a: "\ud800" }), code("QUEUE_BODY_UNICODE"));
  assert.deepEqual(await send({ a: [{ $句柄: "1" }] }), code("QUEUE_BODY_RESERVED"));
  assert.deepEqual(await sendText('{"\\u0024句柄":"1"}'), code("QUEUE_BODY_RESERVED"));
  assert.deepEqual(await send("x".repeat(127_999)), code("QUEUE_BODY_SIZE"));
  assert.deepEqual(await send("x".repeat(1 << 21)), code("QUEUE_BODY_SIZE"));
  const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  for (const depth of [25, 200, 20_000])
    assert.deepEqual(await send(nested(depth)), code("QUEUE_BODY_DEPTH"));
  for (const delay of [-1, 43_201, 1.5, null, "30", Number.NaN, 30n, true]) {
    assert.deepEqual(await send(1, delay), code("QUEUE_DELAY"));
    assert.deepEqual(await sendText("1", delay), code("QUEUE_DELAY"));
  }
  const sendBatch = (items) => refusal(queues.sendBatch("WORK", items));
  const item = (n) => ["QUEUE_BATCH_ITEM", TEXTS.QUEUE_BATCH_ITEM(n), n];
  for (const items of [undefined, {}, "[]", new Set([1])])
    assert.deepEqual(await sendBatch(items), code("QUEUE_BATCH_JSON"));
  assert.deepEqual(await sendBatch([]), ["QUEUE_BATCH_COUNT", TEXTS.QUEUE_BATCH_EMPTY, undefined]);
  assert.deepEqual(await sendBatch(new Array(1e8)), code("QUEUE_BATCH_COUNT"));
  for (const wrong of [{}, 1, null, [], { body: 1, contentType: "json" }, { delaySeconds: 1 }]) {
    assert.deepEqual(await sendBatch([{ body: 1 }, wrong]), item(1));
    assert.deepEqual(
      await refusal(queues.sendBatchText("WORK", JSON.stringify([{ body: 1 }, wrong]))),
      item(1),
    );
  }
  assert.deepEqual(await sendBatch([{ body: 1, delaySeconds: 1.5 }]), code("QUEUE_DELAY", 0));
  assert.deepEqual(await sendBatch([{ body: "x".repeat(128_000) }]), code("QUEUE_BODY_SIZE", 0));
  const three = Array.from({ length: 3 }, () => ({ body: "x".repeat(100_000) }));
  assert.deepEqual(await sendBatch(three), code("QUEUE_BATCH_SIZE"));
  const spacious = `[${" ".repeat(1 << 20)}]`;
  assert.deepEqual(await refusal(queues.sendBatchText("WORK", spacious)), code("QUEUE_BATCH_TEXT"));
  assert.deepEqual(await refusal(queues.sendBatchText("WORK", "[")), code("QUEUE_BATCH_JSON"));
  for (const name of ["", undefined, null, 1, {}]) {
    assert.deepEqual(await refusal(queues.send(name, undefined, -1)), code("QUEUE_BINDING"));
  }
  for (const name of ["CLOSED", "NOWHERE", "toString", "\ud800"]) {
    for (const sent of [
      queues.send(name, undefined),
      queues.sendBatch(name, []),
      queues.sendBatchText(name, ""),
    ]) {
      const fault = await sent.catch((error) => error);
      assert.ok(fault instanceof DeploymentError && fault instanceof EventFault, fault);
      assert.ok(!(fault instanceof PosthouseError) && fault.name === "DeploymentError");
      assert.equal(fault.code, "DEPLOYMENT");
    }
  }
  assert.ok(!existsSync(path.join(place, "queue.db")));
});

test("what is just allowed is accepted", async (t) => {
  const queues = open(t, { max_batch_wait: 0, max_batch_size: 100 });
  const nested = JSON.parse("[".repeat(24) + "]".repeat(24));
  const hundred = Array.from({ length: 100 }, (_, n) => ({ body: n }));
  await queues.send("WORK", "x".repeat(127_998));
  await queues.send("WORK", nested);
  await queues.send("WORK", 0, 43_200);
  await queues.sendBatch("WORK", hundred);
  await queues.sendBatch("WORK", [{ body: "x".repeat(127_998) }, { body: "x".repeat(127_998) }]);
  await queues.sendText("WORK", "1", 30.0);
  const batches = await received(t, queues, 2);
  const bodies = batches.flatMap(({ messages }) => messages.map(({ body }) => body));
  assert.equal(bodies.length, 104);
  assert.deepEqual(bodies.slice(1, 102), [nested, ...hundred.map(({ body }) => body)]);
});

test("the store refuses in its own words", async (t) => {
  const place = folder();
  writeFileSync(
    path.join(place, "queue.db"),
    "no database, and long enough to be looked at as one. ".repeat(40),
  );
  const queues = open(t, {}, place);
  const [code, words] = await refusal(queues.send("WORK", 1));
  assert.equal(code, "QUEUE_STORE");
  assert.match(words, /^队列发送失败：.+/);
  const [, batch] = await refusal(queues.sendBatch("WORK", [{ body: 1 }]));
  assert.match(batch, /^队列批量发送失败：.+/);
});

test("configurations: object, text, files, and what is wrong with them", async () => {
  const place = folder();
  const object = config({}, place);
  const json = path.join(place, "queues.json");
  writeFileSync(
    json,
    JSON.stringify({ ...object, queues: { WORK: { store: "sqlite:./there.db", queue: "work" } } }),
  );
  const toml = path.join(place, "queues.toml");
  writeFileSync(toml, '[queues.WORK]\nstore = "sqlite:./there.db"\nqueue = "work"\n');
  for (const [given, options] of [
    [object],
    [JSON.stringify(object)],
    [json],
    [new URL(`file://${json}`)],
    [toml, { grants: ["WORK"] }],
  ]) {
    const queues = new Queues(given, options);
    await queues.send("WORK", 1);
    await queues.close();
    await assert.rejects(queues.send("WORK", 1), { name: "PosthouseError", code: "CLOSED" });
  }
  // A relative path begins in the folder of the file.
  assert.ok(existsSync(path.join(place, "there.db")));
  const wrong = [
    [undefined],
    [{ queues: { A: { store: "redis:x", queue: "a" } } }],
    [{ queue: {} }],
    ["{"],
    [path.join(place, "none.json")],
    [object, { grant: [] }],
    [object, { grants: "WORK" }],
    [object, []],
  ];
  for (const given of wrong) assert.throws(() => new Queues(...given), { code: "INVALID_OPTIONS" });
});

test("values become the same texts as in a Worker", () => {
  const circle = [];
  circle.push({ circle });
  const shared = { a: [1] };
  const values = [
    null,
    "\ud800水\n",
    -0,
    1e21,
    Number.NaN,
    1n,
    [],
    {},
    [shared, shared],
    circle,
    new Array(3),
    Object.assign([1], { x: 1 }),
    Object.create(null),
    { [Symbol("s")]: 1 },
    { __proto__: { a: 1 } },
    JSON.parse('{"__proto__":{"a":1},"2":1,"1":2}'),
    new Date(0),
    undefined,
    { a: undefined },
    { body: 1, delaySeconds: undefined },
    { body: undefined, more: 1 },
    { body: "x".repeat(1 << 20) },
    JSON.parse("[".repeat(9_000) + "]".repeat(9_000)),
  ];
  for (const value of values) {
    assert.equal(text.jsonText(value), worker.jsonText(value));
    assert.deepEqual(text.itemText(value), worker.itemText(value));
  }
});
