// Collections: several answers to one request, until enough have come or the window closes.

import { Hub } from "posthouse";

const hub = await new Hub("example-collect").connected();
const rollCall = hub.var("roll-call");
for (const machine of ["saw", "drill", "lathe"]) {
  await rollCall.handle(() => ({ machine }));
}

// Ends as soon as three have answered.
const everyone = await rollCall.requestMany(null, { maxReplies: 3, details: true });
const names = everyone.replies.map((reply) => JSON.stringify(reply.data.machine)).sort();
console.log(names.join(" "), `(${everyone.reason})`);

// Nobody knows how many there are: the window decides.
const some = await rollCall.requestMany(null, { timeout: 300, details: true });
console.log(some.replies.length, "answers", `(${some.reason})`);

await hub.drain();
