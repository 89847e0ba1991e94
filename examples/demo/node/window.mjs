// A window: opens itself when it gets warm, tells so, and is there when somebody calls the roll.

import { Hub } from "posthouse";

const hub = await new Hub(process.argv[2] ?? "demo").connected();
const state = hub.var("window");
await state.set({ open: false });
await hub.var("roll-call").handle(() => "window in JavaScript");
const end = await hub.var("demo.end").subscribe();
await hub.var("room.temperature").subscribe(async (degrees) => {
  if (degrees < 21 || state.value.open) return;
  console.log(`<- thermostat  event: ${degrees} degrees`);
  await state.set({ open: true });
  console.log("-> all         state: open");
});
console.log("ready");

for await (const _ of end) break;
console.log("<- shell       event: the end; leaving in order");
await hub.drain();
