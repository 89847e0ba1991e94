// Whole ways, on a real workerd: from a producer to a handler, without waiting, and through hours in virtual time.
import assert from "node:assert/strict";
import { after } from "node:test";
import { ask, Clock, row, start, table } from "./support.mjs";
import { TEXTS } from "./texts.mjs";

table("Cloudflare: delivery");
const workers = [];
after(() => Promise.all(workers.map((worker) => worker.dispose())));

async function begin(options) {
  const worker = await start("workers/main.mjs", options);
  workers.push(worker);
  return worker;
}

/** Waits until enough has been noted that passes. */
async function until(worker, count, passes) {
  const found = [];
  const deadline = Date.now() + 60_000;
  while (found.length < count) {
    assert.ok(Date.now() < deadline, `only ${found.length} of ${count} came: ${JSON.stringify(found)}`);
    const notes = await ask(worker, "noted");
    found.push(...notes.filter(passes));
  }
  return found;
}

const produce = (worker, ...call) => ask(worker, "produce", ...call);
const NOW = { maxBatchTimeout: 0, maxBatchSize: 100 };

row("what is sent is what is read", async () => {
  const worker = await begin({ producers: { Q: "delivers" }, consumers: { delivers: NOW } });
  const bodies = [
    null,
    true,
    0,
    -1.5,
    1e300,
    "",
    '水\u0000"\\',
    [],
    {},
    [{ a: [] }],
    { b: 1, a: { 10: 1, 9: 2 } },
  ];
  const { error } = await produce(
    worker,
    "sendBatch",
    "Q",
    bodies.map((body) => ({ body })),
  );
  assert.equal(error, undefined);
  const [[, first]] = await until(worker, 1, ([word]) => word === "delivered");
  assert.deepEqual(
    first.messages.map(({ body }) => body),
    bodies,
  );
  for (const [index, { id, attempts, timestamp }] of first.messages.entries()) {
    assert.match(id, /^[0-9a-f]{32}$/, String(index));
    assert.equal(attempts, 1);
    assert.ok(Number.isInteger(timestamp) && Math.abs(timestamp - Date.now()) < 600_000);
  }
  const big = "x".repeat(127_998);
  assert.equal((await produce(worker, "sendText", "Q", JSON.stringify(big))).error, undefined);
  const [[, second]] = await until(worker, 1, ([word]) => word === "delivered");
  assert.equal(second.messages[0].body, big);
});

row("1,000 messages come in batches no larger than the limit, each once", async () => {
  const worker = await begin({
    producers: { Q: "delivers" },
    consumers: { delivers: { ...NOW, maxBatchSize: 7 } },
  });
  for (let batch = 0; batch < 10; batch++) {
    const items = Array.from({ length: 100 }, (_, index) => ({ body: 100 * batch + index }));
    assert.equal((await produce(worker, "sendBatch", "Q", items)).error, undefined);
  }
  const seen = new Set();
  while (seen.size < 1_000) {
    for (const [, { messages }] of await until(worker, 1, ([word]) => word === "delivered")) {
      assert.ok(messages.length <= 7);
      for (const { body } of messages) {
        assert.ok(!seen.has(body));
        seen.add(body);
      }
    }
  }
});

row("a body that is no JSON value: the error names the message", async () => {
  const worker = await begin({
    producers: { Q: "described" },
    consumers: { described: { ...NOW, maxRetries: 0 } },
  });
  const names = ["date", "map", "set", "bigint", "nan", "infinity", "member", "inside", "hole", "cycle"];
  names.push("bytes", "buffer", "error", "regexp", "boxed", "wide");
  for (const name of names) {
    await ask(worker, "raw", { $: name }, { contentType: "v8" });
    const [error] = await until(worker, 1, (note) => note.code !== undefined);
    const text = TEXTS.QUEUE_BODY_NOT_JSON(0);
    assert.deepEqual([error.code, error.message, error.index], ["QUEUE_BODY_NOT_JSON", text, 0], name);
    assert.deepEqual(error.types, ["PosthouseError", "QueueError"]);
  }
});

row("3,000 levels arrive by structured clone, and fail the event", async () => {
  const worker = await begin({
    producers: { Q: "described" },
    consumers: { described: { ...NOW, maxRetries: 0 } },
  });
  await ask(worker, "raw", { $deep: 3_000 }, { contentType: "v8" });
  const [error] = await until(worker, 1, (note) => note.code !== undefined);
  assert.deepEqual([error.code, error.types], ["QUEUE_BODY_DEPTH", ["EventFault"]]);
  // The event ends as failed: a handler that threw nothing is followed by no success.
  assert.deepEqual(
    (await ask(worker, "noted")).filter(([word]) => word === "after"),
    [],
  );
});

row("a failed batch comes back whole, attempts counted up; id and timestamp stay", async () => {
  const worker = await begin({
    producers: { Q: "thrice" },
    consumers: { thrice: { ...NOW, maxRetries: 5 } },
  });
  await produce(worker, "sendBatch", "Q", [{ body: 1 }, { body: 2 }]);
  const last = (note) => Array.isArray(note) && note[0]?.attempts !== undefined;
  const seen = (await until(worker, 3, last)).flat();
  const ids = [...new Set(seen.map(({ id }) => id))];
  for (const id of ids) {
    const own = seen.filter((message) => message.id === id);
    assert.deepEqual(
      own.map(({ attempts }) => attempts),
      [1, 2, 3],
    );
    assert.equal(new Set(own.map(({ timestamp }) => timestamp)).size, 1);
  }
  assert.equal(ids.length, 2);
});

row("no retries are no retries; a dead letter keeps id and timestamp, its attempts begin again", async () => {
  for (const [maxRetries, deliveries] of [
    [0, 1],
    [2, 3],
  ]) {
    const never = { ...NOW, maxRetries, deadLetterQueue: "dead" };
    const worker = await begin({ producers: { Q: "never" }, consumers: { never, dead: NOW } });
    await produce(worker, "send", "Q", 1);
    const notes = [];
    await until(worker, 1, (note) => {
      notes.push(note);
      return note[0] === "dead";
    });
    const lives = notes.filter(([word]) => word === "never").map(([, [message]]) => message);
    const [[, [dead]]] = notes.filter(([word]) => word === "dead");
    assert.deepEqual(
      lives.map(({ attempts }) => attempts),
      Array.from({ length: deliveries }, (_, index) => index + 1),
    );
    assert.deepEqual([dead.id, dead.timestamp, dead.attempts], [lives[0].id, lives[0].timestamp, 1]);
  }
});

row("a consumer that sends to its own queue goes on", async () => {
  const worker = await begin({ producers: { Q: "own", OWN: "own" }, consumers: { own: NOW } });
  await produce(worker, "send", "Q", 1);
  const seen = await until(worker, 20, (note) => typeof note === "number");
  assert.deepEqual(
    seen,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

row("one consumer for a queue and its dead letters loses nothing", async () => {
  // `dead` handles its own dead letters' queue too: all that died under another name arrives there.
  const never = { ...NOW, maxRetries: 1, deadLetterQueue: "dead" };
  const worker = await begin({
    producers: { Q: "never" },
    consumers: { never, dead: { ...NOW, maxRetries: 0 } },
  });
  const items = Array.from({ length: 100 }, (_, body) => ({ body }));
  await produce(worker, "sendBatch", "Q", items);
  const dead = new Set();
  while (dead.size < 100) {
    for (const [, messages] of await until(worker, 1, ([word]) => word === "dead")) {
      for (const { id } of messages) dead.add(id);
    }
  }
});

row(
  "in virtual time: nothing before its delay of 12 hours, and nothing before its retry after an hour",
  async () => {
    const later = { maxBatchTimeout: 60, maxBatchSize: 10 };
    const worker = await begin({ producers: { Q: "later" }, consumers: { later } });
    const clock = await Clock.of(worker, "later");
    await clock.stop(1_000_000);
    const handled = async () =>
      (await ask(worker, "noted")).flat().filter((entry) => entry?.attempts !== undefined);
    await produce(worker, "send", "Q", "now");
    await produce(worker, "send", "Q", "in 12 hours", 43_200);
    await clock.advance(59);
    assert.deepEqual(await handled(), []);
    await clock.advance(1);
    assert.deepEqual(await handled(), [{ attempts: 1, body: "now" }]);
    // Its hour, and the wait for a full batch behind it.
    await clock.advance(3_599);
    assert.deepEqual(await handled(), []);
    await clock.advance(1);
    await clock.advance(60);
    assert.deepEqual(await handled(), [{ attempts: 2, body: "now" }]);
    await clock.advance(43_200 - 60 - 3_600 - 60 - 1);
    assert.deepEqual(await handled(), []);
    await clock.advance(1);
    await clock.advance(60);
    assert.deepEqual(await handled(), [{ attempts: 1, body: "in 12 hours" }]);
  },
);

row("in virtual time: 5,000 delayed messages come when they are due, none before", async () => {
  const worker = await begin({ producers: { Q: "delivers" }, consumers: { delivers: NOW } });
  const clock = await Clock.of(worker, "delivers");
  await clock.stop(1_000_000);
  for (let batch = 0; batch < 50; batch++) {
    const items = Array.from({ length: 100 }, (_, index) => ({ body: 1, delaySeconds: 40_000 + index }));
    assert.equal((await produce(worker, "sendBatch", "Q", items)).error, undefined);
  }
  let seen = 0;
  const count = async () => {
    for (const [word, batch] of await ask(worker, "noted"))
      if (word === "delivered") seen += batch.messages.length;
    return seen;
  };
  await clock.advance(39_999);
  assert.equal(await count(), 0);
  await clock.advance(101);
  while ((await count()) < 5_000) await clock.advance(1);
  assert.equal(seen, 5_000);
});
