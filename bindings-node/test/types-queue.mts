// The declarations of `posthouse/queue`, as a program uses them. Only checked, never run.
import * as worker from "posthouse/cloudflare";
import {
  ack,
  type Batch,
  type Consumer,
  DeploymentError,
  eventKind,
  PosthouseError,
  QueueError,
  Queues,
  readBatch,
  readBatchText,
  retry,
} from "posthouse/queue";

const queues = new Queues(
  {
    queues: { PAGES: { store: "sqlite:./queue.db", queue: "pages", settings: { max_retries: 5 } } },
    grants: { QUEUE: ["PAGES"] },
  },
  { grants: ["MORE"], onCallbackError: (error) => console.error(error.code, error.cause) },
);
new Queues("queues.toml");
new Queues(new URL("queues.json", import.meta.url));

async function handler(batch: Batch): Promise<void> {
  const { queue, messages } = batch.readBatch();
  for (const [index, { id, attempts, timestamp, body }] of messages.entries()) {
    const texts: string[] = [queue, id, body.url];
    if (attempts + timestamp === texts.length) batch.retry(index, 30);
    else await batch.ack(index);
  }
  const kind: "queue" | null = eventKind();
  if (kind === batch.eventKind() && readBatchText() === batch.readBatchText()) await ack(0);
  await retry(readBatch().messages.length - 1);
}

/** What a Worker's handler takes is enough for it: the same handler for both. */
function portable(batch: worker.Batch): void {
  batch.ack(0);
}
worker.consume((batch) => portable(batch));

try {
  const consumer: Consumer = await queues.consume("PAGES", handler);
  await queues.consume("PAGES", portable, { env: { pages: 1 }, signal: AbortSignal.timeout(1_000) });
  await queues.consume<{ pages: number }>("PAGES", (_, env, { signal, waitUntil }) => {
    if (env.pages === 1 && !signal.aborted) waitUntil(Promise.resolve());
  });
  await queues.send("PAGES", { url: "/" });
  await queues.sendText("PAGES", '{"url":"/"}', 30);
  await queues.sendBatch("PAGES", [{ body: 1 }, { body: null, delaySeconds: 30 }]);
  await queues.sendBatchText("PAGES", '[{"body":1}]');
  // @ts-expect-error An item has no other field.
  await queues.sendBatch("PAGES", [{ body: 1, contentType: "json" }]);
  await consumer.close({ timeout: 1_000 });
  await consumer.ended;
  await queues.close(1_000);
} catch (error) {
  if (error instanceof QueueError) console.error(error.code, error.index ?? "", error.limit);
  if (error instanceof DeploymentError) console.error(error.code);
  if (!(error instanceof PosthouseError)) throw error;
}
