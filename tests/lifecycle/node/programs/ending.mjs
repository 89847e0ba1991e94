// Ends in the way that it is told, in the middle of work: `ending.mjs WAY URL`.

import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Hub } from "posthouse";

const [way, url] = isMainThread ? process.argv.slice(2) : [workerData.way, workerData.url];

/** A hub at work: messages come in, requests are under way, everything is watched. */
async function busy() {
  const hub = await new Hub("lifecycle", { servers: [url] }).connected();
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
    const hub = await new Hub("lifecycle", { servers: [url] }).connected();
    await hub.var("state").set(1);
    ready();
  },
  async opening() {
    new Hub("lifecycle", { servers: [url] });
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
