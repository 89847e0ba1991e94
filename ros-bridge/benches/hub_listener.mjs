// A program on the hub: `hub_listener.mjs URL NAME PORT`; contract.py says what it prints.
import dgram from "node:dgram";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";

// The package as it is released, which `benches/setup` has installed.
const { Hub } = createRequire(path.join(process.env.BENCH_NODE_PEERS, "package.json"))("posthouse");
const [url, name, port] = process.argv.slice(2);
const [WARM, EACH] = [100, 8];

const say = (done) => console.log(JSON.stringify({ done }));
const quantile = (numbers, part) =>
  numbers.sort((a, b) => a - b)[Math.min(Math.floor(numbers.length * part), numbers.length - 1)];

let [count, points, began, last] = [0, 0, 0, 0];
const took = [];
const socket = dgram.createSocket("udp4");

function take(data) {
  const now = Number(process.hrtime.bigint());
  const stamp = data.header?.stamp;
  took.push(now - (stamp ? stamp.secs * 1e9 + stamp.nsecs : Number(data.data)));
  count += 1;
  points += data.ranges?.length ?? 0;
  last = now;
  if (count === WARM) began = now;
  if (count % EACH === 0) {
    const acknowledged = Buffer.alloc(8);
    acknowledged.writeBigUInt64BE(BigInt(count));
    socket.send(acknowledged, Number(port), "127.0.0.1");
  }
}

const hub = new Hub("bench", { servers: url });
await hub.connected(30_000);
const subscription = await hub.var(name).sub(take);
await hub.flush();
say("ready");
for await (const _ of readline.createInterface({ input: process.stdin })) {
  const measured = took.slice(WARM);
  const cpu = process.cpuUsage();
  say({
    count,
    points,
    per_s: began ? (count - WARM) / ((last - began) / 1e9) : 0,
    p50_us: quantile(measured, 0.5) / 1e3,
    p99_us: quantile(measured, 0.99) / 1e3,
    cpu_s: (cpu.user + cpu.system) / 1e6,
    dropped: subscription.status().droppedMessages,
  });
}
process.exit(0);
