// A queue on a SQLite file: work stays there until it is done, whatever becomes of the programs.

import { QueueError, Queues } from "posthouse/queue";

// [cut]
const queues = new Queues({
  queues: {
    PAGE_QUEUE: { store: "sqlite:./queue.db", queue: "pages", settings: { max_batch_wait: 0 } },
  },
  grants: { QUEUE: ["PAGE_QUEUE"] },
});

// When this returns, both are on the disk.
await queues.sendBatch("PAGE_QUEUE", [{ body: { url: "/a" } }, { body: { url: "/busy" } }]);

let left = 2;
let finish;
const done = new Promise((resolve) => {
  finish = resolve;
});
const consumer = await queues.consume("PAGE_QUEUE", (batch) => {
  for (const [n, { attempts, body }] of batch.readBatch().messages.entries()) {
    if (body.url === "/busy" && attempts === 1) {
      console.log(`${body.url}: busy, again in a second`);
      batch.retry(n, 1);
    } else {
      console.log(`${body.url}: done, attempt ${attempts}`);
      batch.ack(n); // holds, whatever becomes of the others
      if (--left === 0) finish();
    }
  }
});
await done;
await consumer.close();

try {
  await queues.send("PAGE_QUEUE", "x".repeat(200_000));
} catch (error) {
  if (!(error instanceof QueueError)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
await queues.close();
// [/cut]
