// Requests: one answer, or a reason why there is none.

import { Hub } from "posthouse";

// [cut]
const hub = await new Hub("example-request").connected();
const total = hub.var("sum");
const handler = await total.handle((numbers) => ({ sum: numbers.reduce((a, b) => a + b) }));
console.log("answer:", JSON.stringify(await total.request([1, 2, 3])));

// A handler's failure is recorded on its side; a business failure is data. Here nobody
// listens at all, which the broker says at once.
await handler.drain();
try {
  console.log("answer:", await total.request([4]));
} catch (error) {
  console.log("refused:", error.code);
}
await hub.drain();
// [/cut]
