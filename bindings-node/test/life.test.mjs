// Ends of hubs: from every callback, twice, after the end; workers.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test, { before } from "node:test";
import { Worker } from "node:worker_threads";
import * as posthouse from "posthouse";
import { broker, connected, deferred, run } from "./support.mjs";

const { Hub } = posthouse;
let url;
before(async () => {
  ({ url } = await broker());
});

test("require and import give the same module", () => {
  const required = createRequire(import.meta.url)("posthouse");
  assert.deepEqual({ ...posthouse }, { ...required });
});

test("after the end every call says CLOSED, and closing again is fine", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("x");
  await variable.set(1);
  const subscription = await variable.sub(() => {});
  const iterated = await variable.subscribe();
  const watched = variable.watchValue();
  await Promise.all([hub.close(), hub.close()]);
  await hub.close();
  assert.equal(hub.state, "closed");
  assert.equal(hub.status().connection, "closed");
  const closed = { code: "CLOSED" };
  for (const call of [
    () => variable.set(2),
    () => variable.delete(),
    () => variable.pub(1),
    () => variable.req(1),
    () => variable.requestMany(1),
    () => variable.sub(() => {}),
    () => variable.handle(() => {}),
    () => variable.ready(),
    () => hub.connected(),
    () => hub.ready(),
    () => hub.flush(),
    () => hub.drain(),
  ]) {
    await assert.rejects(call(), closed, String(call));
  }
  assert.throws(() => hub.var("another"), closed);
  assert.throws(() => variable.watch(() => {}), closed);
  assert.equal(variable.value, 1);
  assert.equal(subscription.status().phase, "ended");
  await subscription.unsubscribe();
  for await (const _ of iterated) assert.fail("nothing comes any more");
  for await (const value of watched) assert.equal(value, 1);
});

const CALLBACKS = {
  "a watch of a variable": (hub, act) => hub.var("x").watch(act),
  "a watch of values": (hub, act) => hub.var("x").watchValue(act),
  "a watch of the status": (hub, act) => hub.watch(act),
  "a watch of the instances": (hub, act) => hub.instances.watch(act),
  "a plain handler": (hub, act) => hub.var("x").sub(act),
  "an asynchronous handler": (hub, act) => hub.var("x").sub(async () => act()),
  "a handler of requests": (hub, act) => hub.var("x").handle(act),
  onCallbackError: (hub, act, on) => {
    on.error = act;
    return hub.var("x").sub(() => {
      throw new Error("boom");
    });
  },
};

for (const [where, register] of Object.entries(CALLBACKS)) {
  test(`a hub can be closed in ${where}`, async (t) => {
    const on = {};
    const hub = await connected(t, url, { onCallbackError: (error) => on.error?.(error) });
    const variable = hub.var("x");
    const ended = deferred();
    const act = () => {
      ended.resolve(hub.close());
      return null;
    };
    await register(hub, act, on);
    // Where the watch of a hub closed it already, these are refused.
    for (const call of [variable.set(1), variable.req(1, { timeout: 500 }), variable.pub(1)]) {
      call.catch((error) => assert.ok(["CLOSED", "NO_RESPONDERS", "TIMEOUT"].includes(error.code), error));
    }
    await ended.promise;
    assert.equal(hub.state, "closed");
  });
}

test("a drain in a handler is refused, also after a wait; outside of it, it ends the hub", async (t) => {
  const hub = await connected(t, url);
  const other = await connected(t, url, {}, hub.namespace);
  const later = deferred();
  const subscription = await hub.var("d").handle(async () => {
    const codes = [];
    const note = (promise) =>
      promise.then(
        () => codes.push("done"),
        (error) => codes.push(error.code),
      );
    await note(hub.drain());
    await new Promise((resolve) => setTimeout(resolve, 5));
    await note(hub.drain());
    await note(subscription.drain());
    // What outlives its handler may.
    setTimeout(() => later.resolve(hub.drain()), 5);
    return codes;
  });
  assert.deepEqual(await other.var("d").req(), ["DRAIN_IN_HANDLER", "DRAIN_IN_HANDLER", "DRAIN_IN_HANDLER"]);
  await later.promise.catch((error) => assert.equal(error.code, "DRAIN_IN_HANDLER"));
  await hub.drain().catch((error) => assert.equal(error.code, "CLOSED"));
  assert.equal(hub.state, "closed");
});

test("a subscription of another may be drained in a handler", async (t) => {
  const hub = await connected(t, url);
  const other = await hub.var("other").sub(() => {});
  await hub.var("d").handle(async () => {
    await other.drain();
    return other.status().phase;
  });
  assert.equal(await hub.var("d").req(), "ended");
});

test("asyncDispose drains and closes", async (t) => {
  const hub = await connected(t, url);
  const done = [];
  await hub.var("x").sub(async (data) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    done.push(data);
  });
  await hub.var("x").pub(1);
  await hub.flush();
  await hub[Symbol.asyncDispose]();
  assert.deepEqual(done, [1]);
  assert.equal(hub.state, "closed");
  const offline = new Hub("x", { servers: ["nats://127.0.0.1:1"] });
  await offline[Symbol.asyncDispose]();
});

test("what waits when the hub closes fails with CLOSED", async (t) => {
  const hub = await connected(t, url);
  await hub.var("silent").sub(() => {});
  const waiting = [hub.var("silent").req(1), hub.var("silent").requestMany(1)];
  const outcome = Promise.all(waiting.map((one) => one.catch((error) => error.code)));
  await hub.close();
  assert.deepEqual(await outcome, ["CLOSED", "CLOSED"]);
});

test("credentials may be told by functions, plain or not", async (t) => {
  let asked = 0;
  const hub = await connected(t, url, {
    token: async () => {
      asked++;
      return "anything";
    },
  });
  assert.equal(hub.state, "connected");
  assert.ok(asked >= 1);
  const failing = new Hub("x", {
    servers: [url],
    timeout: 200,
    token: () => {
      throw new Error("hunter2");
    },
  });
  await assert.rejects(failing.connected(), (error) => !error.message.includes("hunter2"));
  await failing.close();
});

const WORKER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { Hub } = require("posthouse");
  (async () => {
    const hub = await new Hub(workerData.namespace, { servers: [workerData.url] }).connected();
    await hub.var("work." + workerData.number).handle((n) => n * 2);
    parentPort.postMessage("ready");
    parentPort.once("message", () => hub.close());
  })();
`;

async function worker(hub, number) {
  const made = new Worker(WORKER, { eval: true, workerData: { url, number, namespace: hub.namespace } });
  const exited = new Promise((resolve) => made.once("exit", resolve));
  await new Promise((resolve, reject) => {
    made.once("message", resolve);
    made.once("error", reject);
  });
  return { made, exited };
}

test("hubs live in worker threads, and end with them", async (t) => {
  const hub = await connected(t, url);
  const workers = await Promise.all([0, 1, 2].map((number) => worker(hub, number)));
  const answers = await Promise.all([0, 1, 2].map((n) => hub.var(`work.${n}`).req(n)));
  assert.deepEqual(answers, [0, 2, 4]);
  // One is ended from outside in the middle of work, the others end by themselves.
  hub
    .var("work.0")
    .req(1, { timeout: 300 })
    .catch(() => {});
  await workers[0].made.terminate();
  workers[1].made.postMessage("end");
  workers[2].made.postMessage("end");
  assert.deepEqual(await Promise.all([workers[1].exited, workers[2].exited]), [0, 0]);
  await assert.rejects(hub.var("work.0").req(1), { code: "NO_RESPONDERS" });
});

test("a worker that is ended under fire takes nobody with it", async (t) => {
  const hub = await connected(t, url);
  for (let round = 0; round < 5; round++) {
    const { made } = await worker(hub, 0);
    const asked = Array.from({ length: 40 }, () =>
      hub
        .var("work.0")
        .req(1, { timeout: 400 })
        .catch(() => {}),
    );
    await made.terminate();
    await Promise.all(asked);
  }
  await hub.flush();
});

const HEAD = `const { Hub } = require("posthouse"); const url = process.env.URL;`;
const PROGRAMS = {
  "ends by itself when nothing is waited for": `new Hub("x", { servers: [url] }).connected().then(() => console.log("connected"));`,
  "ends by itself after close": `(async () => { const hub = await new Hub("x", { servers: [url] }).connected();
     await hub.var("x").sub(() => {}); hub.watch(() => {}); hub.var("x").watch(() => {});
     await hub.close(); console.log("connected"); })();`,
  "ends by itself after the last subscription": `(async () => { const hub = await new Hub("x", { servers: [url] }).connected();
     const sub = await hub.var("x").sub(() => {}); await sub.unsubscribe(); console.log("connected"); })();`,
  "stays alive while a subscription lives": `(async () => { const hub = await new Hub("x", { servers: [url] }).connected();
     await hub.var("x").sub(() => { console.log("connected"); hub.close(); });
     const other = await new Hub("x", { servers: [url] }).connected();
     setTimeout(() => other.var("x").pub(1), 100).unref(); })();`,
  "stays alive while a watch lives": `(async () => { const hub = await new Hub("x", { servers: [url] }).connected();
     hub.var("gone").watchValue((value) => { if (value) { console.log("connected"); hub.close(); } });
     const other = await new Hub("x", { servers: [url] }).connected();
     setTimeout(() => other.var("gone").set(1), 100).unref(); })();`,
  "stays alive while a request waits": `(async () => { const hub = await new Hub("x", { servers: [url] }).connected();
     const sub = await hub.var("x").sub(() => {}); const asked = hub.var("x").req(1, { timeout: 100 });
     await sub.unsubscribe(); await asked.catch((error) => console.log(error.code === "TIMEOUT" ? "connected" : error)); })();`,
};

for (const [what, program] of Object.entries(PROGRAMS)) {
  test(`a program ${what}`, async () => {
    const done = await run(["--trace-warnings", "-e", HEAD + program], { env: { URL: url } });
    assert.deepEqual(done, { code: 0, out: "connected\n", errors: "" });
  });
}

test("ten thousand subscriptions leave no memory behind", async () => {
  const program = `${HEAD} (async () => {
    const hub = await new Hub("memory", { servers: [url] }).connected();
    const cycle = async (count) => { for (let i = 0; i < count; i += 50) {
      const all = await Promise.all(Array.from({ length: 50 }, () => hub.var("x").sub(() => {})));
      await Promise.all(all.map((one) => one.unsubscribe())); await hub.flush(); } };
    // What V8 has reserved and does not use says nothing.
    const used = () => { global.gc(); const { rss, heapTotal, heapUsed } = process.memoryUsage();
      return rss - heapTotal + heapUsed; };
    // The allocators take their room first; then what is measured is the least of several looks.
    const least = async () => { const seen = []; for (let i = 0; i < 4; i++) { await cycle(2500); seen.push(used()); }
      return Math.min(...seen); };
    await cycle(30000); const before = await least(); await cycle(10000); const grown = (await least()) - before;
    if (hub._subscriptions.size !== 0) throw new Error("subscriptions are still held");
    if (grown > 8e6) throw new Error("grew by " + grown); console.log("flat"); await hub.close(); })();`;
  const done = await run(["--expose-gc", "-e", program], { env: { URL: url } });
  assert.deepEqual(done, { code: 0, out: "flat\n", errors: "" });
});
