// State: a value that every program of the namespace shares.

import { Hub } from "posthouse";

// Two programs would have a hub each; here both are in one.
const workshop = await new Hub("example-state").connected();
const office = await new Hub("example-state").connected();

// [cut]
const lamp = workshop.var("lamp");
console.log("before:", show(lamp.get("nothing")));

// A watch fires with the present state first, then after every change.
const seen = office.var("lamp");
await lamp.set({ on: true, level: 0.8 });
await until(seen, (value) => value !== undefined);
console.log("office sees:", show(seen.get(null)));

// Falsy values are values.
await seen.set(0);
await until(lamp, (value) => value === 0);
console.log("workshop sees:", show(lamp.get("nothing")));

await lamp.delete();
await until(seen, (value) => value === undefined);
console.log("after:", show(seen.get("nothing")));
// [/cut]

await workshop.drain();
await office.drain();

/** Waits until a watch shows what is wanted. */
async function until(variable, wanted) {
  for await (const value of variable.watchValue()) {
    if (wanted(value)) return;
  }
}

function show(value) {
  return JSON.stringify(value);
}
