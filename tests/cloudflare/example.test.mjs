// The example runs as it is: from a request to a page that was fetched, with a failure and its retry between.
import assert from "node:assert/strict";
import { after } from "node:test";
import { Response } from "miniflare";
import { Clock, row, start, table } from "./support.mjs";

table("Cloudflare: example");
let worker;
after(() => worker?.dispose());

row("pages are fetched, the busy one half a minute later", async () => {
  const asked = [];
  const site = (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const busy = pathname === "/busy" && asked.filter((name) => name === pathname).length === 1;
    return new Response(`page ${pathname}`, { status: busy ? 503 : 200 });
  };
  worker = await start("../../examples/11-queue-cloudflare/worker.mjs", {
    producers: { PAGE_QUEUE: "pages" },
    consumers: { pages: { maxBatchSize: 10, maxBatchTimeout: 5, maxRetries: 3 } },
    kvNamespaces: { PAGES: "pages" },
    serviceBindings: { SITE: site },
  });
  const clock = await Clock.of(worker, "pages");
  await clock.stop(0);
  const call = (page) => worker.dispatchFetch("http://worker/", { method: "POST", body: page });
  const kept = async (page) => (await worker.dispatchFetch(`http://worker/?page=${page}`)).text();
  for (const page of ["/a", "/busy"]) assert.equal((await call(page)).status, 202);
  await clock.advance(5);
  assert.deepEqual([await kept("/a"), await kept("/busy"), asked], ["page /a", "", ["/a", "/busy"]]);
  await clock.advance(30);
  await clock.advance(5);
  assert.deepEqual([await kept("/busy"), asked], ["page /busy", ["/a", "/busy", "/busy"]]);
  const refused = await call("x".repeat(200_000)).then((response) => response.text());
  assert.equal(refused, "消息体超过 128000 字节\n");
});
