// The first program: state and a request by one name, with nothing else installed.

// [cut]
import { Hub } from "posthouse";

const hub = await new Hub("workshop").connected(); // connects, or is the node itself
const lamp = hub.var("lamp");
await lamp.set({ on: true }); // state: shared, merged, works offline
await lamp.handle((wish) => ({ done: wish })); // requests: answered here
console.log(JSON.stringify(await lamp.req({ on: false }))); // and asked
await hub.close();
// [/cut]
