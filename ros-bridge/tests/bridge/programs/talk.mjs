// A Node program that talks to a robot through the bridge; talk.py and talk.cpp are the same.

import { Hub } from "posthouse";

const [namespace, server] = process.argv.slice(2);
const hub = await new Hub(namespace, { servers: [server] }).connected();
const presses = [];
const pressed = new Promise((resolve) => {
  hub.var("robot.press").subscribe((data) => {
    presses.push(data.data);
    if (presses.length === 3) resolve();
  });
});
await hub.var("ask.node").handle(() => ({ success: true, message: "node" }));
const end = await hub.var("end").subscribe();
for await (const value of hub.var("robot.state").watchValue()) {
  if (value?.data === "ready") break;
}
await hub.var("say.node").publish({ data: "node" });
await hub.var("mode.node").set({ data: "node" });
const motor = await hub.var("robot.motor").request({ data: true }, { timeout: 20_000 });
console.log("motor", motor.message);
await pressed;
console.log("presses", ...presses);
for await (const _ of end) break;
console.log("ends");
await hub.close();
