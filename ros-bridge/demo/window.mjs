// A JavaScript program on the hub: counts heartbeats, and has the robot speak.

import { Hub } from "posthouse";

const hub = await new Hub(process.argv[2]).connected();
let beats = 0;
const heard = await hub.var("robot.beat").subscribe();
for await (const [beat] of heard) {
  beats += 1;
  if (beats === 1) console.log(`heard: ${beat.data}`);
  if (beats === 3) hub.var("say.window").publish({ data: `${beats} beats heard` });
  if (beats === 6) break;
}
console.log(`heard ${beats} beats, each as one event`);
await hub.close();
