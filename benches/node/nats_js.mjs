// @nats-io/transport-node as a program of the benches: `nats_js.mjs MODE URL SUBJECT NUMBERS…`.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { askAll, cpu, given, now, Receipt, reading, say, untilInputEnds } from "./contract.mjs";

// Installed by `benches/setup`, apart from the sources.
const folder = process.env.BENCH_NODE_PEERS;
const { connect } = createRequire(path.join(fs.realpathSync(folder), "package.json"))(
  "@nats-io/transport-node",
);

async function publish(client, subject, n) {
  const [cpuBegan, began] = [cpu(), now()];
  for (let i = 0; i < n; i++) {
    client.publish(subject, JSON.stringify(reading(i)));
  }
  await client.flush();
  say({ n, elapsed_s: now() - began, cpu_s: cpu() - cpuBegan });
}

async function subscribe(client, subject, n) {
  const receipt = new Receipt(n);
  client.subscribe(subject, { callback: (_, message) => receipt.take(message.json()) });
  await client.flush();
  say({ ready: true, subject });
  await receipt.report();
}

async function respond(client, subject) {
  client.subscribe(subject, {
    callback: (_, message) => message.respond(JSON.stringify(message.json())),
  });
  await client.flush();
  say({ ready: true, subject });
  await untilInputEnds();
  say({ cpu_s: cpu() });
}

async function request(client, subject, n, inFlight) {
  const ask = async (i) => {
    const answer = await client.request(subject, JSON.stringify(reading(i)), { timeout: 10_000 });
    return answer.json();
  };
  await askAll(ask, n, inFlight);
}

const { mode, url, subject, numbers } = given();
const client = await connect({ servers: url });
await { pub: publish, sub: subscribe, resp: respond, req: request }[mode](client, subject, ...numbers);
await client.close();
