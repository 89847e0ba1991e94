// Headers: about the data, beside the data. Names in any case, values repeated and in order.

import { Hub } from "posthouse";

const hub = await new Hub("example-headers").connected();
const order = hub.var("order");

await order.handle((_, ctx) => {
  console.log("trace:", ctx.headers.get("TRACE-ID"));
  const tags = ctx.headers.getAll("tag").map((tag) => JSON.stringify(tag));
  console.log(`tags: [${tags.join(", ")}]`);
  ctx.replyHeaders.set("served-by", "example");
  return "accepted";
});
const headers = { "Trace-Id": "a1b2", tag: ["fragile", "urgent"] };
const reply = await order.request({ item: 7 }, { headers, details: true });
console.log(JSON.stringify(reply.data), "from", reply.headers.get("served-by"));

try {
  await order.publish(null, { headers: { note: "two\nlines" } });
} catch (error) {
  console.log("refused:", error.code);
}
await hub.drain();
