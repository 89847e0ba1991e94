// Events: to whoever is subscribed now. Patterns: `*` is one level, `>` at the end the rest.

import { Hub } from "posthouse";

// [cut]
const hub = await new Hub("example-events").connected();
const readings = await hub.var("sensor.*.temperature").subscribe();
// Nobody is subscribed to this one: it is gone.
await hub.var("sensor.hall.humidity").publish(40);
await hub.var("sensor.hall.temperature").publish(19.5);
await hub.var("sensor.yard.temperature").publish(-2);
// Equal events are separate messages.
await hub.var("sensor.yard.temperature").publish(-2);

let count = 0;
for await (const [data, ctx] of readings) {
  console.log(`${ctx.topic}: ${data}`);
  if (++count === 3) break;
}
await hub.drain();
// [/cut]
