// Consuming from a SQLite file: what becomes of messages, and what a handler's context is.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { fileURLToPath } from "node:url";
import {
  ack,
  DeploymentError,
  EventFault,
  eventKind,
  QueueError,
  Queues,
  readBatch,
  readBatchText,
  retry,
} from "posthouse/queue";
import { refreshPages } from "../../examples/11-queue-cloudflare/handler.mjs";
import { TEXTS } from "../../tests/cloudflare/texts.mjs";
import { config, folder, open, received } from "./queue-support.mjs";
import { deferred, run } from "./support.mjs";

const NOW = { max_batch_wait: 0 };
const PROGRAM = fileURLToPath(new URL("programs/queue.mjs", import.meta.url));

/** Sends bodies 0, 1, … together, so that they are read together. */
const send = (queues, count) =>
  queues.sendBatch(
    "WORK",
    Array.from({ length: count }, (_, body) => ({ body })),
  );

const seen = ({ messages }) => messages.map(({ body, attempts }) => [body, attempts]);

/** Runs handlers for one batch each, then closes; gives the consumer's errors. */
async function events(t, queues, ...handlers) {
  const errors = [];
  const over = deferred();
  const consumer = await queues.consume(
    "WORK",
    async (...args) => {
      const handler = handlers.shift();
      try {
        return await handler(...args);
      } finally {
        if (handlers.length === 0) over.resolve();
      }
    },
    { onCallbackError: (error) => errors.push(error) },
  );
  t.after(() => consumer.close(0));
  await over.promise;
  await consumer.close();
  return errors;
}

function refused(call, code) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof QueueError);
    assert.deepEqual([error.code, error.message], [code, TEXTS[code]]);
    return true;
  });
}

for (const [how, word] of [
  ["methods", { ack: (batch, n) => batch.ack(n), retry: (batch, ...args) => batch.retry(...args) }],
  ["functions", { ack: (_, n) => ack(n), retry: (_, ...args) => retry(...args) }],
]) {
  test(`${how}: acknowledge 0, retry 1, leave 2; the handler returns`, async (t) => {
    const queues = open(t, NOW);
    await send(queues, 3);
    let second;
    const errors = await events(
      t,
      queues,
      async (batch) => {
        assert.deepEqual(batch.readBatch(), readBatch());
        assert.equal(batch.readBatchText(), readBatchText());
        // Not awaited, as in a Worker.
        word.ack(batch, 0);
        await word.retry(batch, 1);
      },
      (batch) => {
        second = seen(batch.readBatch());
      },
    );
    assert.deepEqual([second, errors], [[[1, 2]], []]);
  });

  test(`${how}: a number that is none and a delay out of range are refused at once`, async (t) => {
    const queues = open(t, NOW);
    await send(queues, 3);
    const errors = await events(t, queues, (batch) => {
      for (const n of [3, -1, 0.5, Number.NaN, "0", undefined, null, 1n]) {
        refused(() => word.ack(batch, n), "QUEUE_INDEX");
        refused(() => word.retry(batch, n, -1), "QUEUE_INDEX");
      }
      for (const delay of [-1, 43_201, 1.5, "30", null])
        refused(() => word.retry(batch, 0, delay), "QUEUE_DELAY");
      word.retry(batch, 2, 43_200);
    });
    assert.deepEqual(errors, []);
  });
}

test("the first word about a message counts, and an acknowledgement outlives a failure", async (t) => {
  const queues = open(t, NOW);
  await send(queues, 4);
  let second;
  const [error, ...more] = await events(
    t,
    queues,
    (batch) => {
      batch.ack(0);
      batch.retry(0, 30);
      batch.retry(1, 0);
      batch.ack(1);
      batch.ack(2);
      batch.ack(2);
      throw new RangeError("boom");
    },
    (batch) => {
      second = seen(batch.readBatch());
    },
  );
  assert.deepEqual(second, [
    [1, 2],
    [3, 2],
  ]);
  assert.equal(error.code, "HANDLER_ERROR");
  assert.match(error.message, /"WORK".*RangeError: boom/);
  assert.ok(error.cause instanceof RangeError && more.length === 0);
});

test("retries run out into the dead-letter queue, where attempts begin again", async (t) => {
  const place = folder();
  const { queues: bindings, grants } = config({ ...NOW, max_retries: 1, dead_letter_queue: "dead" }, place);
  bindings.DEAD = { store: bindings.WORK.store, queue: "dead", settings: NOW };
  const queues = new Queues({ queues: bindings, grants }, { onCallbackError() {} });
  t.after(() => queues.close(0));
  await queues.send("WORK", "doomed");
  const attempts = [];
  const dead = deferred();
  await queues.consume("WORK", (batch) => {
    attempts.push(batch.readBatch().messages[0]);
    throw new Error("again");
  });
  await queues.consume("dead", (batch) => dead.resolve(batch.readBatch().messages[0]));
  const last = await dead.promise;
  assert.deepEqual(attempts, [last, { ...last, attempts: 2 }]);
});

test("outside of an event there is none", async (t) => {
  const queues = open(t, NOW);
  await send(queues, 1);
  let kept;
  let later;
  await events(t, queues, async (batch) => {
    kept = batch;
    later = new Promise((resolve) => setTimeout(resolve, 20)).then(() => [eventKind(), readFails()]);
    await null;
    assert.deepEqual([eventKind(), batch.eventKind()], ["queue", "queue"]);
    assert.equal(await new Promise((resolve) => setImmediate(() => resolve(eventKind()))), "queue");
  });
  for (const call of [readBatch, readBatchText, () => ack(0), () => retry(0, -1)])
    refused(call, "QUEUE_NO_EVENT");
  for (const call of [
    () => kept.readBatch(),
    () => kept.readBatchText(),
    () => kept.ack(0),
    () => kept.retry(0),
  ]) {
    refused(call, "QUEUE_NO_EVENT");
  }
  assert.deepEqual([eventKind(), kept.eventKind()], [null, null]);
  // What the handler has left behind is outside, too.
  assert.deepEqual(await later, [null, "QUEUE_NO_EVENT"]);
});

function readFails() {
  try {
    return readBatchText();
  } catch (error) {
    return error.code;
  }
}

test("two events at the same time, each in a context of its own", async (t) => {
  const queues = open(t, { ...NOW, max_batch_size: 1, max_concurrency: 2 });
  await send(queues, 2);
  const both = [deferred(), deferred()];
  const read = [];
  const consumer = await queues.consume("WORK", async (batch) => {
    const { body } = batch.readBatch().messages[0];
    both[body].resolve();
    await Promise.all(both.map(({ promise }) => promise));
    read.push([body, readBatch().messages[0].body]);
    ack(0);
  });
  await Promise.all(both.map(({ promise }) => promise));
  await consumer.close();
  assert.deepEqual(read.sort(), [
    [0, 0],
    [1, 1],
  ]);
});

test("a fault fails the event, also where it is swallowed", async (t) => {
  const queues = open(t, NOW);
  await send(queues, 1);
  let attempts;
  const [error] = await events(
    t,
    queues,
    async () => {
      try {
        await queues.send("CLOSED", 1);
      } catch {}
      try {
        await queues.sendBatch("CLOSED", []);
      } catch {}
    },
    (batch) => {
      attempts = batch.readBatch().messages[0].attempts;
    },
  );
  assert.ok(error.cause instanceof DeploymentError && error.cause instanceof EventFault);
  assert.equal(attempts, 2);
});

test("what is waited for belongs to the event", async (t) => {
  const queues = open(t, NOW);
  await send(queues, 1);
  let second;
  const [error] = await events(
    t,
    queues,
    (_batch, _env, { waitUntil }) => {
      waitUntil(Promise.resolve());
      waitUntil(new Promise((_, reject) => setImmediate(reject, new Error("late"))));
    },
    (batch) => {
      second = seen(batch.readBatch());
    },
  );
  assert.deepEqual([second, error.cause.message], [[[0, 2]], "late"]);
});

test("a handler past its time is told, and its batch comes again", async (t) => {
  const queues = open(t, { ...NOW, handler_timeout: 0.2 });
  await send(queues, 1);
  let told;
  let second;
  const [error] = await events(
    t,
    queues,
    (batch, _env, { signal }) => {
      told = once(signal, "abort").then(() => {
        refused(() => batch.ack(0), "QUEUE_NO_EVENT");
        return batch.eventKind();
      });
      // It does not listen.
      return Promise.race([
        new Promise(() => {}),
        told.then(() => new Promise((done) => setTimeout(done, 1))),
      ]);
    },
    (batch) => {
      second = seen(batch.readBatch());
    },
  );
  assert.equal(error.cause.code, "TIMEOUT");
  assert.deepEqual([await told, second], [null, [[0, 2]]]);
});

test("closing waits for what runs, and not for ever where it is told so", async (t) => {
  const queues = open(t, { ...NOW, max_batch_size: 1 }, undefined, { onCallbackError() {} });
  await send(queues, 3);
  const started = deferred();
  const go = deferred();
  const consumer = await queues.consume("WORK", async () => {
    started.resolve();
    await go.promise;
  });
  await started.promise;
  const closed = consumer.close();
  go.resolve();
  await closed;
  await consumer.ended;
  // The first is done. The second hangs until its time is over, and comes again.
  const stop = new AbortController();
  const hangs = deferred();
  const hanging = await queues.consume(
    "WORK",
    (_, env, { signal }) => {
      hangs.resolve([env, signal]);
      return new Promise(() => {});
    },
    { env: { any: "thing" }, signal: stop.signal },
  );
  const [env, signal] = await hangs.promise;
  assert.deepEqual(env, { any: "thing" });
  stop.abort();
  await hanging.close(0);
  assert.ok(signal.aborted);
  const rest = await received(t, queues, 2);
  assert.deepEqual(rest.flatMap(seen).sort(), [
    [1, 2],
    [2, 1],
  ]);
  await assert.rejects(
    queues.consume("WORK", () => {}, { signal: stop.signal }),
    { name: "AbortError" },
  );
  await assert.rejects(
    queues.consume("WORK", () => {}, { concurrency: 1 }),
    { code: "INVALID_OPTIONS" },
  );
  await assert.rejects(
    queues.consume("NOWHERE", () => {}),
    { name: "DeploymentError" },
  );
  await assert.rejects(queues.consume("WORK"), TypeError);
});

test("the handler of a Worker, as it is", async (t) => {
  const queues = open(t, NOW);
  await queues.sendBatch("WORK", [{ body: { url: "/a" } }, { body: { url: "/busy" } }]);
  const kept = new Map();
  const pages = {
    async load(url) {
      if (url === "/busy") throw new Error("503");
      return `page ${url}`;
    },
    async keep(url, text) {
      kept.set(url, text);
    },
  };
  const errors = await events(t, queues, (batch, env) => refreshPages(batch, env ?? pages));
  assert.deepEqual([[...kept], errors], [[["/a", "page /a"]], []]);
});

test("a program ends with its consumer, and not before", async () => {
  const place = folder();
  const { code, out, errors } = await run([PROGRAM, "ends", JSON.stringify(config(NOW, place))]);
  assert.deepEqual([code, out, errors], [0, "0\n1\nclosed\n", ""]);
});

test("a consumer that dies: what it acknowledged is done, the rest comes again, counted up", async (t) => {
  const place = folder();
  const settings = { ...NOW, visibility_timeout: 0.5 };
  const queues = open(t, settings, place);
  await send(queues, 3);
  const child = spawn(process.execPath, [PROGRAM, "dies", JSON.stringify(config(settings, place))], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: path.dirname(PROGRAM),
  });
  t.after(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  assert.equal(line, "acknowledged");
  child.kill("SIGKILL");
  const got = [];
  const both = deferred();
  const consumer = await queues.consume("WORK", (batch) => {
    got.push(...seen(batch.readBatch()));
    if (got.length >= 2) both.resolve();
  });
  await both.promise;
  await consumer.close();
  assert.deepEqual(got.sort(), [
    [1, 2],
    [2, 2],
  ]);
});

test("what a process that exits in its handler held comes again at once", async (t) => {
  const place = folder();
  // Long enough to tell: nobody waits for the lease.
  const settings = { ...NOW, visibility_timeout: 3_600 };
  const queues = open(t, settings, place);
  await send(queues, 1);
  const { code } = await run([PROGRAM, "exits", JSON.stringify(config(settings, place))]);
  assert.equal(code, 3);
  const [batch] = await received(t, queues, 1);
  assert.deepEqual(seen(batch), [[0, 2]]);
});

test("a worker thread that ends in its handler gives back what it held", async (t) => {
  const place = folder();
  const settings = { ...NOW, visibility_timeout: 3_600 };
  const queues = open(t, settings, place);
  await send(queues, 1);
  const { Worker } = await import("node:worker_threads");
  const worker = new Worker(new URL("programs/queue.mjs", import.meta.url), {
    argv: ["hangs", JSON.stringify(config(settings, place))],
  });
  await once(worker, "message");
  await worker.terminate();
  const [batch] = await received(t, queues, 1);
  assert.deepEqual(seen(batch), [[0, 2]]);
});

test("the example", async () => {
  const example = path.join(path.dirname(PROGRAM), "../../../examples/09-queue/node");
  const child = spawn(process.execPath, [path.join(example, "main.mjs")], {
    cwd: folder(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  const [code] = await once(child, "close");
  assert.deepEqual([code, out], [0, await readFile(path.join(example, "expected.txt"), "utf8")]);
});
