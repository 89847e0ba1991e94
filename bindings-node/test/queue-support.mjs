// Queues in a folder of their own, which goes with the process.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Queues } from "posthouse/queue";
import { deferred } from "./support.mjs";

const places = [];
process.on("exit", () => {
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

export function folder() {
  const place = mkdtempSync(path.join(os.tmpdir(), "posthouse-queue-"));
  places.push(place);
  return place;
}

export function config(settings, place) {
  const store = `sqlite:${path.join(place, "queue.db")}`;
  return {
    queues: { WORK: { store, queue: "work", settings }, CLOSED: { store, queue: "closed" } },
    grants: { QUEUE: ["WORK"] },
  };
}

/** Queues with a granted binding WORK, and CLOSED, which is not granted. */
export function open(t, settings, place = folder(), options = undefined) {
  const queues = new Queues(config(settings, place), options);
  t.after(() => queues.close(0));
  return queues;
}

/** Consumes until so many batches were read, and gives them. */
export async function received(t, queues, count) {
  const batches = [];
  const all = deferred();
  const consumer = await queues.consume("WORK", (batch) => {
    if (batches.push(batch.readBatch()) === count) all.resolve();
  });
  t.after(() => consumer.close(0));
  await all.promise;
  await consumer.close();
  return batches;
}
