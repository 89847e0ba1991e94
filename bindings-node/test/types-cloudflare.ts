// The declarations of `posthouse/cloudflare`, as a Worker uses them. Only checked, never run.
import {
  ack,
  type Batch,
  consume,
  DeploymentError,
  eventKind,
  QueueError,
  Queues,
  readBatch,
  retry,
} from "posthouse/cloudflare";

interface Env {
  PAGES: { send(body: unknown): Promise<void>; sendBatch(messages: Iterable<unknown>): Promise<void> };
}

interface Context {
  waitUntil(promise: Promise<unknown>): void;
}

async function handler(batch: Batch): Promise<void> {
  const { queue, messages } = batch.readBatch();
  const name: string = queue;
  for (const [index, { id, attempts, timestamp, body }] of messages.entries()) {
    const numbers: number[] = [attempts, timestamp];
    const texts: string[] = [id, name, body.url];
    if (numbers.length === texts.length) batch.retry(index, 30);
    else batch.ack(index);
  }
  const text: string = batch.readBatchText();
  const kind: "queue" | null = eventKind();
  if (kind === batch.eventKind() && text !== "") ack(0);
  retry(readBatch().messages.length - 1);
}

export default {
  async fetch(_: Request, env: Env): Promise<Response> {
    const queues = new Queues(env, { grants: { QUEUE: ["PAGES"] } });
    try {
      await queues.send("PAGES", { url: "/" });
      await queues.send("PAGES", { url: "/" }, 30);
      await queues.sendText("PAGES", '{"url":"/"}', 30);
      await queues.sendBatch("PAGES", [{ body: 1 }, { body: null, delaySeconds: 30 }]);
      await queues.sendBatchText("PAGES", '[{"body":1}]');
    } catch (error) {
      if (error instanceof QueueError) return new Response(`${error.code} ${error.index ?? ""}`);
      if (error instanceof DeploymentError) return new Response(error.code);
      throw error;
    }
    // @ts-expect-error An item has no other field.
    await queues.sendBatch("PAGES", [{ body: 1, contentType: "json" }]);
    return new Response("sent");
  },
  queue: consume<Env, Context>(async (batch, env, context) => {
    context.waitUntil(env.PAGES.send(1));
    await handler(batch);
  }),
};
