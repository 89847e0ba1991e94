// Posthouse for Node as a program of the benches: `posthouse.mjs MODE URL SUBJECT NUMBERS…`.
//
// `BENCH_ROOM=1`: queues as large as those of the plain NATS clients, so that a flood fits.

import { createRequire } from "node:module";
import path from "node:path";
import {
  askAll,
  cpu,
  dated,
  given,
  held,
  LIMIT,
  memoryKb,
  monotonic,
  NAMESPACE,
  now,
  quantile,
  Receipt,
  reading,
  say,
  untilInputEnds,
  wire,
} from "./contract.mjs";

// The package as it is released, which `benches/setup` has installed.
const folder = process.env.BENCH_NODE_PEERS;
const { Hub } = createRequire(path.join(folder, "package.json"))("posthouse");

const ROOM = "BENCH_ROOM" in process.env ? { pendingMessages: 524_288, pendingBytes: 128 << 20 } : {};

async function publish(hub, subject, n) {
  const variable = hub.var(subject);
  let waits = 0;
  const [cpuBegan, began] = [cpu(), now()];
  for (let i = 0; i < n; i++) {
    for (;;) {
      try {
        await variable.pub(reading(i));
        break;
      } catch (error) {
        // The outbound buffer is bounded: full, it has to be waited for.
        if (error.code !== "BUFFER_OVERFLOW") throw error;
        waits++;
        await hub.flush(LIMIT);
      }
    }
  }
  await hub.flush(LIMIT);
  say({ n, elapsed_s: now() - began, cpu_s: cpu() - cpuBegan, overflow_waits: waits });
}

async function subscribe(hub, subject, n) {
  const receipt = new Receipt(n);
  const subscription = await hub.var(subject).sub((data) => receipt.take(data), ROOM);
  say({ ready: true, subject: wire(subject) });
  await receipt.report(() => ({ own_drops: subscription.status().droppedMessages }));
}

async function respond(hub, subject) {
  await hub.var(subject).handle((data) => data);
  say({ ready: true, subject: wire(subject) });
  await untilInputEnds();
  say({ cpu_s: cpu() });
}

async function request(hub, subject, n, inFlight) {
  const variable = hub.var(subject);
  await askAll((i) => variable.req(reading(i), { timeout: 10_000 }), n, inFlight);
}

async function watch(hub, subject, n) {
  const took = [];
  let last = -1;
  let stop;
  const before = cpu();
  const seen = new Promise((resolve) => {
    stop = hub.var(subject).watchValue((value) => {
      if (!(value?.i > last)) return;
      took.push((monotonic() - value.t) / 1e3);
      last = value.i;
      if (last === n - 1) resolve();
    });
  });
  say({ ready: true, subject });
  await seen;
  stop();
  say({
    n,
    seen: took.length,
    p50_us: quantile(took, 0.5),
    p99_us: quantile(took, 0.99),
    cpu_s: cpu() - before,
  });
}

async function write(hub, subject, n, gapUs) {
  const variable = hub.var(subject);
  for (let i = 0; i < n; i++) {
    await variable.set(dated(i));
    await new Promise((resolve) => setTimeout(resolve, gapUs / 1e3));
  }
  await hub.flush(LIMIT);
  say({ n });
}

async function hold(hub, subject, k) {
  const memory = memoryKb();
  const [cpuBegan, began] = [cpu(), now()];
  for (let i = 0; i < k; i++) await hub.var(`${subject}.${i}`).set(held(i));
  const written = cpu() - cpuBegan;
  while (hub.status().pendingVariables > 0) await hub.flush(LIMIT);
  say({
    ready: true,
    subject,
    set_elapsed_s: now() - began,
    set_cpu_s: cpu() - cpuBegan,
    written_cpu_s: written,
    memory_kb: memoryKb() - memory,
  });
  await untilInputEnds();
}

async function join(hub, subject, k, start) {
  const connected = now();
  const memory = memoryKb();
  let seen = 0;
  await new Promise((resolve) => {
    for (let i = 0; i < k; i++) {
      let first = true;
      hub.var(`${subject}.${i}`).watchValue((value) => {
        if (!first || value === undefined) return;
        first = false;
        if (++seen === k) resolve();
      });
    }
  });
  const at = now();
  say({
    n: k,
    seen,
    elapsed_s: at - start,
    after_connect_s: at - connected,
    cpu_s: cpu(),
    memory_kb: memoryKb() - memory,
  });
}

const modes = {
  pub: publish,
  sub: subscribe,
  resp: respond,
  req: request,
  "state-watch": watch,
  "state-set": write,
  "state-hold": hold,
  "state-join": join,
};
const { mode, url, subject, numbers } = given();
const start = now();
const hub = await new Hub(NAMESPACE, { servers: url, messaging: ROOM }).connected(LIMIT);
await modes[mode](hub, subject, ...numbers, ...(mode === "state-join" ? [start] : []));
await hub.close();
