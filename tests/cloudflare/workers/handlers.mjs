// Handlers, each for one thing that the tests want to see, by the queue that they handle.
import { AsyncLocalStorage } from "node:async_hooks";
import * as queue from "posthouse/cloudflare";
import { described, note, told } from "./notes.mjs";

const noteTold = async (call) => note(await told(call));
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
const own = new AsyncLocalStorage();
let met = 0;

/** Waits until so many were here. A promise of one event must not wake another: each looks by itself. */
async function meet(count) {
  met++;
  while (met < count) await turn();
}

export const handlers = {
  /** Reads in every way, more than once. */
  reads: async (batch) => {
    note(batch.readBatch());
    note(batch.readBatchText());
    await turn();
    note(queue.readBatch());
    note(queue.readBatchText());
    note([queue.eventKind(), batch.eventKind()]);
  },

  settles: (batch) => {
    batch.ack(0);
    batch.retry(1, 30);
  },

  settles_by_functions: async () => {
    await turn();
    queue.ack(0);
    await turn();
    queue.retry(1, 30);
  },

  out_of_range: async (batch) => {
    const { length } = batch.readBatch().messages;
    for (const index of [length, -1, 0.5, Number.NaN, "0", null, undefined, 2 ** 32]) {
      await noteTold(() => batch.ack(index));
      await noteTold(() => queue.retry(index, 0));
    }
    for (const delay of [-1, 43_201, 1.5, "30", null, Number.NaN, 1n])
      await noteTold(() => batch.retry(0, delay));
  },

  /** A retry delay of 0, given and not given, of one second and of the most. */
  delays: (batch) => {
    batch.retry(0, 0);
    batch.retry(1);
    batch.retry(2, 1);
    batch.retry(3, 43_200);
    batch.retry(4, -0);
  },

  first_word: (batch) => {
    batch.ack(0);
    batch.retry(0, 30);
    batch.retry(1, 0);
    batch.ack(1);
    batch.ack(2);
    batch.ack(2);
  },

  first_word_then_throws: (batch) => {
    handlers.first_word(batch);
    throw new Error("after all");
  },

  throws: () => {
    throw new RangeError("out of luck");
  },

  throws_late: async (batch) => {
    batch.ack(0);
    await turn();
    throw new RangeError("out of luck");
  },

  throws_ours: (batch) => batch.ack(99),

  returns: () => "anything",

  swallows_deployment: async (_, env) => {
    const queues = new queue.Queues(env, { grants: { QUEUE: [] } });
    await noteTold(() => queues.send("Q", 1));
  },

  swallows_gone: async (_, env) => {
    const queues = new queue.Queues(env, { grants: { QUEUE: ["GONE"] } });
    await noteTold(() => queues.sendBatch("GONE", [{ body: 1 }]));
  },

  swallows_deep: async (batch) => {
    await noteTold(() => batch.readBatch());
    await noteTold(() => queue.readBatchText());
    batch.ack(0);
  },

  swallows_not_json: (batch) => noteTold(() => batch.readBatch()),

  /** Errors of sending are ordinary ones. */
  swallows_ordinary: async (_, env) => {
    const queues = new queue.Queues(env, { grants: { QUEUE: ["Q"] } });
    await noteTold(() => queues.send("Q", 1, -1));
    await noteTold(() => queues.send("", 1));
  },

  contexts: async (batch, _, context) => {
    const kinds = [];
    await Promise.all([turn(), turn()].map((turned) => turned.then(() => kinds.push(queue.eventKind()))));
    await own.run("mine", async () => {
      await turn();
      kinds.push(queue.eventKind(), own.getStore());
    });
    queueMicrotask(() => kinds.push(queue.eventKind()));
    await turn();
    note(kinds);
    note(own.exit(() => queue.eventKind()));
    const ended = Promise.withResolvers();
    // What an event leaves behind is no part of it.
    const left = async () => {
      await ended.promise;
      await turn();
      note([queue.eventKind(), batch.eventKind()]);
      for (const call of [
        () => queue.ack(0),
        () => queue.retry(0),
        () => queue.readBatch(),
        () => batch.ack(0),
      ]) {
        await noteTold(call);
      }
      await noteTold(() => batch.readBatchText());
    };
    context.waitUntil(left());
    queueMicrotask(() => ended.resolve());
  },

  /** Two events at the same time: each sees its own. */
  meets: async () => {
    await meet(2);
    const { messages } = queue.readBatch();
    await meet(4);
    queue.ack(messages[0].body.mine);
    note([messages[0].body, queue.readBatch().messages.length]);
  },

  /** The platform does not take a word: nothing was said. */
  word_refused: async () => {
    const message = { id: "a", timestamp: new Date(5), attempts: 1, body: 1 };
    const refuse = () => {
      throw new Error("not now");
    };
    const fake = { queue: "fake", messages: [{ ...message, ack: refuse, retry: () => note("retried") }] };
    const entry = queue.consume(async (batch) => {
      await noteTold(() => batch.ack(0));
      batch.retry(0);
    });
    await entry(fake);
  },

  delivers: (batch) => note(["delivered", batch.readBatch()]),

  /** Fails until the third delivery. */
  thrice: (batch) => {
    const { messages } = batch.readBatch();
    note(messages.map(({ id, attempts, timestamp }) => ({ id, attempts, timestamp })));
    if (messages.some(({ attempts }) => attempts < 3)) throw new Error("not yet");
  },

  never: (batch) => {
    const { messages } = batch.readBatch();
    note(["never", messages.map(({ id, attempts, timestamp }) => ({ id, attempts, timestamp }))]);
    throw new Error("never");
  },

  /** What died elsewhere. */
  dead: (batch) => {
    const { queue: name, messages } = batch.readBatch();
    note([name, messages.map(({ id, attempts, timestamp }) => ({ id, attempts, timestamp }))]);
  },

  /** Retries its first delivery by an hour. */
  later: (batch) => {
    const { messages } = batch.readBatch();
    note(messages.map(({ attempts, body }) => ({ attempts, body })));
    for (const [index, { attempts }] of messages.entries()) if (attempts === 1) batch.retry(index, 3_600);
  },

  /** By what the body says, at the first delivery. */
  later_once: (batch) => {
    const { messages } = batch.readBatch();
    note(messages.map(({ attempts, body }) => ({ attempts, body })));
    for (const [index, { attempts, body }] of messages.entries()) {
      if (body === "ack") batch.ack(index);
      if (body === "retry" && attempts === 1) batch.retry(index, 1);
    }
  },

  /** Sends on to its own queue. */
  own: async (batch, env) => {
    const queues = new queue.Queues(env, { grants: { QUEUE: ["OWN"] } });
    for (const { body } of batch.readBatch().messages) {
      note(body);
      if (body < 20) await queues.send("OWN", body + 1);
    }
  },

  described: (batch) => {
    try {
      batch.readBatch();
    } catch (error) {
      note(described(error));
    }
  },
};
