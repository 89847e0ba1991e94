// Drain: stop taking new work, finish what was accepted, then close.

import { setTimeout as sleep } from "node:timers/promises";
import { Hub } from "posthouse";

const hub = await new Hub("example-drain").connected();
const jobs = hub.var("jobs");
const done = [];

await jobs.subscribe(async (job) => {
  await sleep(20); // the work itself
  done.push(job);
});
for (let number = 1; number <= 5; number++) await jobs.publish(number);
await hub.flush();

await hub.drain(5000);
console.log("done before the hub closed:", done.length);
try {
  await jobs.publish(6);
  console.log("published");
} catch (error) {
  console.log("refused:", error.code);
}
