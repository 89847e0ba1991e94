// Reconnect: state works offline and is merged on return; messages need a connection.
//
// Stop the broker when this says `connected`, and start it again when it says `offline`.

import { Hub } from "posthouse";

const hub = await new Hub("example-reconnect").connected();
const counter = hub.var("counter");
await counter.set(1);
await hub.flush();
console.log("connected");

for await (const status of hub.watch()) {
  if (status.connection !== "connected") break;
}
await counter.set(2);
console.log("offline: the value is", counter.get());
try {
  await counter.publish("lost");
} catch (error) {
  console.log("offline: a message is refused with", error.code);
}

await hub.connected(60_000);
for await (const [, meta] of counter.watch()) {
  if (!meta.pending) break;
}
console.log(`connected again: the value is ${counter.get()}, confirmed`);
await hub.drain();
