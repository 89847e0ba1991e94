// Consumes in a process or a thread of its own, and ends in the way that it is told: `queue.mjs WAY CONFIG`.
import { parentPort } from "node:worker_threads";
import { Queues } from "posthouse/queue";

const [way, config] = process.argv.slice(2);
const queues = new Queues(config);

const ways = {
  async ends() {
    let close;
    const closed = new Promise((resolve) => {
      close = resolve;
    });
    const consumer = await queues.consume("WORK", (batch) => {
      for (const { body } of batch.readBatch().messages) {
        console.log(body);
        if (body === 1) close();
      }
    });
    await queues.send("WORK", 0);
    await queues.send("WORK", 1);
    await closed;
    await consumer.close();
    console.log("closed");
    // The queues stay open: they hold up nobody.
  },
  async dies() {
    await queues.consume("WORK", async (batch) => {
      await batch.ack(0);
      console.log("acknowledged");
      await new Promise(() => {});
    });
  },
  async exits() {
    await queues.consume("WORK", () => process.exit(3));
  },
  async hangs() {
    await queues.consume("WORK", async () => {
      parentPort.postMessage("handles");
      await new Promise(() => {});
    });
  },
};

await ways[way]();
