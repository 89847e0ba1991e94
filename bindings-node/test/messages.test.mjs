// Events, requests, collections, headers, contexts.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { Headers, PosthouseError } from "posthouse";
import { broker, connected, deferred } from "./support.mjs";

let url;
before(async () => {
  ({ url } = await broker());
});

test("long and short names are the same", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("x");
  assert.equal(variable.pub, variable.publish);
  assert.equal(variable.sub, variable.subscribe);
  assert.equal(variable.req, variable.request);
});

test("handlers of one subscription run one after the other, in order", async (t) => {
  const hub = await connected(t, url);
  const seen = [];
  let running = 0;
  const done = deferred();
  await hub.var("s.*").sub(async (data, ctx) => {
    assert.equal(++running, 1);
    await new Promise(setImmediate);
    running--;
    seen.push([ctx.topic, data]);
    if (seen.length === 100) done.resolve();
  });
  for (let i = 0; i < 100; i++) await hub.var(`s.${i}`).pub(i);
  await done.promise;
  assert.deepEqual(
    seen,
    Array.from({ length: 100 }, (_, i) => [`s.${i}`, i]),
  );
});

test("a burst reaches a plain handler whole", async (t) => {
  const hub = await connected(t, url);
  const done = deferred();
  const seen = [];
  await hub.var("burst").sub(
    (data) => {
      seen.push(data.seq);
      if (seen.length === 3000) done.resolve();
    },
    { pendingMessages: 10_000 },
  );
  for (let seq = 0; seq < 3000; seq++) await hub.var("burst").pub({ seq });
  await done.promise;
  assert.deepEqual(
    seen,
    Array.from({ length: 3000 }, (_, seq) => seq),
  );
});

test("unsubscribing inside a handler drops what waits, at once", async (t) => {
  const hub = await connected(t, url);
  for (const asynchronous of [false, true]) {
    const seen = [];
    const subscription = await hub.var("end").sub((data) => {
      seen.push(data);
      if (data === 2) subscription.unsubscribe();
      return asynchronous ? Promise.resolve() : undefined;
    });
    for (let i = 0; i < 50; i++) await hub.var("end").pub(i);
    await hub.flush();
    await new Promise(setImmediate);
    assert.deepEqual(seen, [0, 1, 2]);
    assert.equal(subscription.status().phase, "ended");
    assert.equal(subscription.status().pendingMessages, 0);
  }
});

test("iterating gives data and context, and leaving the loop unsubscribes", async (t) => {
  const hub = await connected(t, url);
  const subscription = await hub.var("it.>").subscribe({ queue: "q" });
  for (const word of ["a", "b", "c"]) await hub.var(`it.${word}`).pub(word, { headers: { n: word } });
  const seen = [];
  for await (const [data, ctx] of subscription) {
    seen.push([data, ctx.topic, ctx.headers.get("N")]);
    assert.equal(subscription.status().inFlightHandlers, 1);
    await assert.rejects(subscription.drain(), { code: "DRAIN_IN_HANDLER" });
    await assert.rejects(hub.drain(), { code: "DRAIN_IN_HANDLER" });
    if (seen.length === 3) break;
  }
  assert.deepEqual(seen, [
    ["a", "it.a", "a"],
    ["b", "it.b", "b"],
    ["c", "it.c", "c"],
  ]);
  assert.equal(subscription.status().phase, "ended");
  assert.deepEqual((await Array.fromAsync?.(subscription)) ?? [], []);
});

test("contexts reply while their handler runs, and not later", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("several");
  const contexts = [];
  await variable.sub(async (_, ctx) => {
    contexts.push(ctx);
    await ctx.reply("one", { headers: { part: "1" } });
    await ctx.reply("two");
  });
  const { replies, reason } = await variable.requestMany(null, { maxReplies: 2, details: true });
  assert.equal(reason, "maxReplies");
  assert.deepEqual(
    replies.map((reply) => [reply.data, reply.headers.get("part")]),
    [
      ["one", "1"],
      ["two", undefined],
    ],
  );
  await assert.rejects(contexts[0].reply("late"), { code: "CLOSED" });
  await assert.rejects(contexts[0].reply(1, { header: {} }), { code: "INVALID_OPTIONS" });
});

test("a context of an earlier message of the same batch is over", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("stale");
  const outcomes = [];
  const done = deferred();
  let earlier;
  await variable.sub((data, ctx) => {
    if (earlier)
      outcomes.push(
        earlier.reply("x").then(
          () => "sent",
          (error) => error.code,
        ),
      );
    earlier = ctx;
    if (data === 9) done.resolve();
  });
  const asked = [];
  for (let i = 0; i < 10; i++) asked.push(variable.requestMany(i, { timeout: 200 }));
  await done.promise;
  assert.deepEqual([...new Set(await Promise.all(outcomes))], ["CLOSED"]);
  assert.deepEqual((await Promise.all(asked)).flat(), []);
  const event = deferred();
  await hub.var("event").sub((_, ctx) => event.resolve(ctx.reply(1).catch((error) => error.code)));
  await hub.var("event").pub();
  assert.equal(await event.promise, "NO_REPLY_SUBJECT");
});

test("headers: any case, repeated, in order, both ways", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("headers");
  await variable.handle((_, ctx) => {
    const { headers } = ctx;
    assert.deepEqual(headers.getAll("TAG"), ["a", "b", "c"]);
    assert.equal(headers.get("missing"), undefined);
    assert.equal(headers.has("Tag"), true);
    assert.deepEqual(headers.keys(), ["trace", "tag"]);
    assert.equal(headers.size, 4);
    ctx.replyHeaders = { "x-took": ["1", "2"] };
    ctx.replyHeaders.set?.("x", "y");
    return null;
  });
  const given = new Headers({ trace: "t" }).append("Tag", "a").append("tag", "b");
  given.append("TAG", "c");
  for (const headers of [
    given,
    { trace: "t", tag: ["a", "b", "c"] },
    new Map([
      ["trace", "t"],
      ["tag", ["a", "b", "c"]],
    ]),
  ]) {
    const reply = await variable.req(1, { headers, details: true });
    assert.deepEqual(
      [...reply.headers],
      [
        ["x-took", "1"],
        ["x-took", "2"],
      ],
    );
  }
  for (const bad of [
    { "a b": "x" },
    { a: "\n" },
    { a: "é" },
    { a: "\ud800" },
    { a: 1 },
    { a: ["x", null] },
    7,
    [],
  ]) {
    await assert.rejects(variable.pub(1, { headers: bad }), { code: "INVALID_HEADERS" });
  }
});

test("one answer, or why there is none", async (t) => {
  const hub = await connected(t, url);
  await assert.rejects(hub.var("nobody").req(1), (error) => {
    assert.ok(error instanceof PosthouseError && error instanceof Error);
    assert.equal(error.name, "PosthouseError");
    return error.code === "NO_RESPONDERS";
  });
  await hub.var("silent").sub(() => {});
  await assert.rejects(hub.var("silent").req(1, { timeout: 50 }), { code: "TIMEOUT" });
  await assert.rejects(hub.var("a.*").req(1), { code: "INVALID_TOPIC" });
  await assert.rejects(hub.var("a").req(1, { timout: 5 }), { code: "INVALID_OPTIONS" });
  await assert.rejects(hub.var("a").requestMany(1, { maxReplies: 17 }), { code: "INVALID_OPTIONS" });
  await assert.rejects(hub.var("a").sub("no function"), TypeError);
  await assert.rejects(hub.var("a").handle(), TypeError);
  await assert.rejects(
    hub.var("a").sub(() => {}, { queue: "a\ud800" }),
    { code: "INVALID_TOPIC" },
  );
});

test("an AbortSignal cancels, before and during", async (t) => {
  const hub = await connected(t, url);
  await hub.var("slow").sub(() => {});
  const controller = new AbortController();
  const asked = hub.var("slow").req(1, { signal: controller.signal });
  const many = hub.var("slow").requestMany(1, { signal: controller.signal });
  controller.abort(new Error("enough"));
  const before = () => hub.var("slow").req(1, { signal: controller.signal });
  for (const cancelled of [() => asked, () => many, before]) {
    await assert.rejects(cancelled(), (error) => {
      assert.equal(error.cause.message, "enough");
      return error.code === "CANCELLED";
    });
  }
  await assert.rejects(hub.var("slow").req(1, { signal: {} }), { code: "INVALID_OPTIONS" });
  assert.equal(hub.status().messaging.pendingRequests, 0);
});

test("a collection that fails has what came until then", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("much");
  await variable.sub(async (_, ctx) => {
    await ctx.reply("small");
    await ctx.reply("x".repeat(2000));
  });
  for (const details of [false, true]) {
    await assert.rejects(variable.requestMany(null, { maxBytes: 1000, details }), (error) => {
      assert.equal(error.code, "BUFFER_OVERFLOW");
      assert.deepEqual(
        error.partialReplies.map((reply) => (details ? reply.data : reply)),
        ["small"],
      );
      return true;
    });
  }
});

test("a handler that fails is reported, and its subscription lives", async (t) => {
  const failures = [];
  const hub = await connected(t, url, { onCallbackError: (error) => failures.push(error) });
  const variable = hub.var("fails");
  await variable.handle((data) => {
    if (data === "throw") throw new TypeError("thrown");
    if (data === "reject") return Promise.reject("a text");
    return data;
  });
  for (const way of ["throw", "reject"]) {
    await assert.rejects(variable.req(way, { timeout: 100 }), { code: "TIMEOUT" });
  }
  assert.equal(await variable.req("fine"), "fine");
  assert.deepEqual(
    failures.map((error) => error.code),
    ["HANDLER_ERROR", "HANDLER_ERROR"],
  );
  assert.match(failures[0].message, /"fails" threw TypeError: thrown/);
  assert.match(failures[1].message, /a thrown string: a text/);
  assert.equal(hub.status().lastError.code, "HANDLER_ERROR");
});

test("many requests side by side each get their own answer", async (t) => {
  const hub = await connected(t, url, { messaging: { requests: 500 } });
  await hub.var("double").handle((n) => 2 * n, { pendingMessages: 1000 });
  const answers = await Promise.all(Array.from({ length: 400 }, (_, n) => hub.var("double").req(n)));
  assert.deepEqual(
    answers,
    Array.from({ length: 400 }, (_, n) => 2 * n),
  );
});
