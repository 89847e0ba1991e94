// Queue groups: interchangeable workers share the messages; others get their own copy.

import { Hub } from "posthouse";

const hub = await new Hub("example-queue-group").connected();
const jobs = hub.var("jobs");
const done = [];
const seen = [];
for (let worker = 0; worker < 2; worker++) {
  await jobs.subscribe((job) => done.push(job), { queue: "workers" });
}
await jobs.subscribe((job) => seen.push(job));
for (let number = 1; number <= 10; number++) await jobs.publish(number);
// The broker has handed out all of them; a drain lets the handlers finish.
await hub.flush();
await hub.drain();

console.log(`the workers together: [${done.sort((a, b) => a - b).join(", ")}]`);
console.log(`the auditor alone: [${seen.join(", ")}]`);
