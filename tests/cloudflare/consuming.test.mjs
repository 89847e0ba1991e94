// Consuming, on a real workerd, without any timing: an event is made by hand, and the platform tells what came of it.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { ask, row, start, table } from "./support.mjs";
import { TEXTS } from "./texts.mjs";

table("Cloudflare: consuming");
let worker;
let entry;
before(async () => {
  worker = await start("workers/main.mjs", { producers: { Q: "drops" } });
  entry = await worker.getWorker();
});
after(() => worker.dispose());

const BODIES = [{ kind: "page", n: [1, "水"] }, null, "],["];
const messages = (bodies = BODIES) =>
  bodies.map((body, index) => ({
    id: `id-${index}`,
    timestamp: new Date(1_764_547_200_000 + index),
    attempts: index + 1,
    body,
  }));

/** Delivers a batch to a handler: what the platform says, and what was noted. */
async function event(handler, given = messages()) {
  const { outcome, explicitAcks, retryMessages, retryBatch, ackAll } = await entry.queue(handler, given);
  assert.deepEqual([retryBatch.retry, ackAll], [false, false]);
  const notes = await ask(worker, "noted");
  const platform = notes.filter((note) => note[0] === "platform").map(([, ...rest]) => rest);
  const ended = notes.some((note) => note[0] === "after");
  const seen = notes.filter((note) => note[0] !== "platform" && note[0] !== "after");
  assert.equal(ended, outcome === "ok");
  return { outcome, acks: explicitAcks, retries: retryMessages, platform, seen };
}

const codes = (seen) => seen.map(({ error }) => error?.code);
const quiet = { acks: [], retries: [], platform: [] };

row(
  "a batch of three is read: order, id, attempts, timestamp, body; nothing is acknowledged by that",
  async () => {
    const { seen, ...result } = await event("reads");
    assert.deepEqual(result, { outcome: "ok", ...quiet });
    const batch = {
      queue: "reads",
      messages: messages().map((message) => ({ ...message, timestamp: message.timestamp.getTime() })),
    };
    const [value, text, again, textAgain, kinds] = seen;
    assert.deepEqual([value, again, JSON.parse(text)], [batch, batch, batch]);
    assert.equal(text, textAgain);
    const shape =
      '{"queue":"reads","messages":[{"id":"id-0","attempts":1,"timestamp":1764547200000,"body":{"kind":"page",';
    assert.ok(text.startsWith(shape), text);
    assert.deepEqual(kinds, ["queue", "queue"]);
  },
);

row("acknowledge 0, retry 1 by 30 s, leave 2", async () => {
  for (const handler of ["settles", "settles_by_functions"]) {
    assert.deepEqual(await event(handler), {
      outcome: "ok",
      acks: ["id-0"],
      retries: [{ msgId: "id-1", delaySeconds: 30 }],
      platform: [
        ["ack", 0, []],
        ["retry", 1, [{ delaySeconds: 30 }]],
      ],
      seen: [],
    });
  }
});

row("a number that is none, a delay out of range: errors, the store is not called", async () => {
  const { seen, ...result } = await event("out_of_range");
  assert.deepEqual(result, { outcome: "ok", ...quiet });
  const faults = [...Array(16).fill("QUEUE_INDEX"), ...Array(7).fill("QUEUE_DELAY")];
  assert.deepEqual(codes(seen), faults);
  for (const { error } of seen) {
    assert.equal(error.message, TEXTS[error.code]);
    assert.deepEqual(error.types, ["PosthouseError", "QueueError"]);
  }
});

row("a retry delay of 0 is the queue's own: no option", async () => {
  const { platform, retries } = await event("delays", messages([1, 2, 3, 4, 5]));
  const given = [[], [], [{ delaySeconds: 1 }], [{ delaySeconds: 43_200 }], []];
  assert.deepEqual(
    platform,
    given.map((options, index) => ["retry", index, options]),
  );
  const delays = [undefined, undefined, 1, 43_200, undefined];
  assert.deepEqual(
    retries.map(({ delaySeconds }) => delaySeconds),
    delays,
  );
});

row("the first word about a message counts, later ones never reach the platform", async () => {
  const platform = [
    ["ack", 0, []],
    ["retry", 1, []],
    ["ack", 2, []],
  ];
  const first = await event("first_word");
  assert.deepEqual([first.outcome, first.platform, first.acks], ["ok", platform, ["id-0", "id-2"]]);
  assert.deepEqual(
    first.retries.map(({ msgId }) => msgId),
    ["id-1"],
  );
  // The same 50 times over, with a failure behind it.
  for (let round = 0; round < 50; round++) {
    const thrown = await event("first_word_then_throws");
    assert.deepEqual(
      [thrown.outcome, thrown.platform, thrown.acks],
      ["exception", platform, ["id-0", "id-2"]],
    );
  }
});

row("a handler that raises: the failure goes back to the platform", async () => {
  assert.deepEqual(await event("throws"), { outcome: "exception", ...quiet, seen: [] });
  const late = await event("throws_late");
  assert.deepEqual([late.outcome, late.acks, late.retries], ["exception", ["id-0"], []]);
  // So is an error of ours that nobody caught.
  assert.deepEqual(await event("throws_ours"), { outcome: "exception", ...quiet, seen: [] });
  assert.deepEqual(await event("returns"), { outcome: "ok", ...quiet, seen: [] });
});

row("consuming outside of a queue event", async () => {
  for (const call of [["readBatch"], ["readBatchText"], ["ack", 0], ["retry", 0], ["retry", 0, -1]]) {
    const { error } = await ask(worker, "outside", ...call);
    assert.deepEqual([error?.code, error?.message], ["QUEUE_NO_EVENT", TEXTS.QUEUE_NO_EVENT]);
    assert.deepEqual(error.types, ["PosthouseError", "QueueError"]);
  }
  assert.deepEqual(await ask(worker, "outside", "eventKind"), { result: null });
});

row("the context holds across awaits, timers and contexts of the program, and does not leak", async () => {
  const { outcome, seen, platform } = await event("contexts");
  const [kinds, outsideOfAll, left, ...errors] = seen;
  assert.deepEqual([outcome, platform], ["ok", []]);
  assert.deepEqual(kinds, ["queue", "queue", "queue", "mine", "queue"]);
  assert.equal(outsideOfAll, "queue");
  // What goes on after the end.
  assert.deepEqual(left, [null, null]);
  assert.deepEqual(codes(errors), Array(5).fill("QUEUE_NO_EVENT"));
  assert.deepEqual(await ask(worker, "outside", "eventKind"), { result: null });
});

row("two events at the same time, each with its own batch", async () => {
  const one = messages([{ mine: 0 }]);
  const two = messages([{ mine: 1 }, { mine: 2 }]).map((message) => ({
    ...message,
    id: `two-${message.id}`,
  }));
  const results = await Promise.all([entry.queue("meets", one), entry.queue("meets", two)]);
  assert.deepEqual(
    results.map(({ explicitAcks }) => explicitAcks),
    [["id-0"], ["two-id-1"]],
  );
  const seen = (await ask(worker, "noted")).filter(([first]) => first.mine !== undefined);
  const counts = seen.map(([{ mine }, count]) => [mine, count]).sort();
  assert.deepEqual(counts, [
    [0, 1],
    [1, 2],
  ]);
});

row("a fault of the deployment fails the event, also where it is swallowed", async () => {
  for (const handler of ["swallows_deployment", "swallows_gone"]) {
    const { outcome, seen } = await event(handler);
    assert.equal(outcome, "exception");
    assert.deepEqual([codes(seen), seen[0].error.types], [["DEPLOYMENT"], ["DeploymentError", "EventFault"]]);
  }
  const { outcome, seen } = await event("swallows_ordinary");
  assert.deepEqual([outcome, codes(seen)], ["ok", ["QUEUE_DELAY", "QUEUE_BINDING"]]);
});

row("a body over 32 levels deep fails the event, not to be caught as an error", async () => {
  const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  const fits = await event("swallows_deep", messages([1, nested(32)]));
  assert.deepEqual([fits.outcome, fits.acks, codes(fits.seen)], ["ok", ["id-0"], [undefined, undefined]]);
  for (const depth of [33, 500]) {
    const { outcome, acks, seen } = await event("swallows_deep", messages([1, nested(depth)]));
    assert.equal(outcome, "exception");
    assert.deepEqual(acks, ["id-0"]);
    assert.deepEqual(codes(seen), ["QUEUE_BODY_DEPTH", "QUEUE_BODY_DEPTH"]);
    for (const { error } of seen) assert.deepEqual([error.name, error.types], ["EventFault", ["EventFault"]]);
  }
});

row("what the platform does not take was not said", async () => {
  const { outcome, seen } = await event("word_refused");
  assert.equal(outcome, "ok");
  assert.deepEqual(
    seen.map((note) => note.error?.message ?? note),
    ["not now", "retried"],
  );
});
