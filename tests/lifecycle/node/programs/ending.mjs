// Ends in the way that it is told, in the middle of work: `ending.mjs WAY URL`.

import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Hub } from "posthouse";

const [way, url] = isMainThread ? process.argv.slice(2) : [workerData.way, workerData.url];

/** Programs that run side by side do not hear each other. */
const open = () => new Hub(`lifecycle-${process.pid}`, { servers: [url] });

/** A hub at work: messages come in, requests are under way, everything is watched. */
async function busy() {
  const hub = await open().connected(30_000);
  let received = 0;
  const flowing = new Promise((resolve) => {
    hub.var("flow").sub(async () => {
      if (++received === 20) resolve();
    });
  });
  await hub.var("answer").handle((n) => n + 1);
  hub.watch(() => {});
  hub.instances.watch(() => {});
  hub.var("state").watchValue(() => {});
  const ask = (n) =>
    hub
      .var("answer")
      .req(n)
      .then(ask, () => {});
  ask(1);
  const pump = () => {
    if (hub.state === "closed") return;
    for (let i = 0; i < 20; i++)
      hub
        .var("flow")
        .pub({ i })
        .catch(() => {});
    hub
      .var("state")
      .set(received)
      .catch(() => {});
    setImmediate(pump);
  };
  pump();
  await flowing;
  return hub;
}

const ready = () => process.stdout.write("ready\n");

const ways = {
  async closed() {
    const hub = await busy();
    ready();
    await hub.close();
  },
  async drained() {
    const hub = await busy();
    ready();
    await hub.drain();
  },
  async twice() {
    const hub = await busy();
    ready();
    await Promise.all([hub.close(), hub.close()]);
    await hub.close();
  },
  async idle() {
    // Nothing is waited for: the program ends by itself, with the hub open.
    const hub = await open().connected(30_000);
    await hub.var("state").set(1);
    ready();
  },
  async opening() {
    open();
    ready();
  },
  async exit() {
    await busy();
    ready();
    process.exit(3);
  },
  async handler() {
    const hub = await busy();
    ready();
    await hub.var("end").sub(() => process.exit(3));
    await hub.var("end").pub();
  },
  async watch() {
    const hub = await busy();
    ready();
    hub.var("state").watchValue(() => process.exit(3));
  },
  async settled() {
    const hub = await busy();
    ready();
    hub.flush().then(() => process.exit(3));
  },
  async closing() {
    // In every kind of callback: whoever comes first closes, the others close again.
    const hub = await busy();
    ready();
    const close = () => void hub.close();
    hub.var("state").watch(close);
    hub.watch(close);
    hub.instances.watch(close);
    const registered = [hub.var("flow").sub(close), hub.var("more").handle(close), hub.flush().then(close)];
    await Promise.allSettled(registered);
  },
  async afterwards() {
    const hub = await busy();
    const x = hub.var("x");
    ready();
    await hub.close();
    const refused = await Promise.allSettled([x.set(1), x.pub(1), x.req(1), x.sub(() => {}), hub.flush()]);
    const codes = new Set(refused.map(({ reason }) => reason?.code));
    if (codes.size !== 1 || !codes.has("CLOSED") || hub.state !== "closed")
      throw new Error([...codes].join());
  },
  async order() {
    // What is let go of in one of its orders.
    const hub = await busy();
    const subscription = await hub.var("flow").sub(() => {});
    const handler = await hub.var("more").handle(() => {});
    const unwatch = hub.var("state").watch(() => {});
    const asked = hub
      .var("answer")
      .req(1)
      .catch(() => {});
    ready();
    const parts = [
      () => hub.close(),
      () => subscription.unsubscribe(),
      () => handler.unsubscribe(),
      unwatch,
      () => asked,
    ];
    const kept = parts.map((_, at) => parts[(process.pid + at * 2) % parts.length]());
    await Promise.all(kept);
  },
  async exception() {
    await busy();
    ready();
    setTimeout(() => {
      throw new Error("boom");
    });
  },
  async rejection() {
    await busy();
    ready();
    Promise.reject(new Error("boom"));
  },
  async wait() {
    await busy();
    ready();
  },
  async interrupt() {
    const hub = await busy();
    process.once("SIGINT", () => hub.drain());
    ready();
  },
  async worker() {
    await inWorker("ends");
    ready();
  },
  async terminate() {
    const worker = await inWorker("stays");
    ready();
    await worker.terminate();
  },
  async abandon() {
    await inWorker("stays");
    ready();
    process.exit(3);
  },
  async both() {
    const hub = await busy();
    const worker = await inWorker("stays");
    ready();
    await Promise.all([worker.terminate(), hub.close()]);
  },
  async ends() {
    await busy();
    parentPort.postMessage("busy");
    process.exit(0);
  },
  async stays() {
    await busy();
    parentPort.postMessage("busy");
  },
};

function inWorker(what) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { way: what, url } });
  return new Promise((resolve, reject) => {
    worker.once("message", () => resolve(worker));
    worker.once("error", reject);
  });
}

await ways[way]();
