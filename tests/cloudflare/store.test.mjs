// Our own store behind the queue binding of a real workerd, and the loop closed: a Worker sends, the platform's half of the binding talks
// to a broker on this machine, which keeps the messages in a SQLite file and has a Worker handle them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import workerd from "workerd";
import { ask, bundle, row, table } from "./support.mjs";
import { TEXTS } from "./texts.mjs";

table("Cloudflare: our own store behind workerd");

const TARGET = process.env.CARGO_TARGET_DIR ?? path.join(import.meta.dirname, "../../target");
const BROKER = path.join(TARGET, "debug/posthouse-cloudflare-broker");
const children = new Set();
let folder;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "posthouse-cloudflare-"));
  await writeConfiguration();
});
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

async function writeConfiguration() {
  const { code, core } = await bundle("workers/main.mjs");
  const deliver = await bundle("workers/deliver.mjs");
  await writeFile(path.join(folder, "main.mjs"), code);
  await writeFile(path.join(folder, "deliver.mjs"), deliver.code);
  await writeFile(path.join(folder, "core.wasm"), core);
  const text = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "deliver", worker = .deliver),
    (name = "broker", external = (address = "127.0.0.1:1", http = ())),
  ],
  sockets = [
    (name = "main", address = "127.0.0.1:0", http = (), service = "main"),
    (name = "deliver", address = "127.0.0.1:0", http = (), service = "deliver"),
  ],
);
const main :Workerd.Worker = (
  modules = [
    (name = "main.mjs", esModule = embed "main.mjs"),
    (name = "core.wasm", wasm = embed "core.wasm"),
  ],
  compatibilityDate = "2025-11-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [(name = "Q", queue = "broker")],
);
const deliver :Workerd.Worker = (
  modules = [(name = "deliver.mjs", esModule = embed "deliver.mjs")],
  compatibilityDate = "2025-11-01",
  compatibilityFlags = ["experimental", "service_binding_extra_handlers"],
  bindings = [(name = "MAIN", service = "main")],
);
`;
  await writeFile(path.join(folder, "config.capnp"), text);
}

function run(program, parameters, stdio) {
  const child = spawn(program, parameters, { stdio });
  children.add(child);
  child.ended = new Promise((resolve) => child.once("exit", resolve));
  return child;
}

/** The next lines of a stream, one for each call; fails where it ends. */
function lines(stream) {
  const iterator = createInterface({ input: stream })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await iterator.next();
    assert.ok(!done, "a program ended before it said where it listens");
    return value;
  };
}

/** A broker on a file of its own. It consumes once `consume` was called. */
async function broker(queue, settings, listen = 0) {
  const store = `sqlite:${path.join(folder, `${queue}.db`)}`;
  const config = { queues: { Q: { store, queue, settings } }, grants: { QUEUE: ["Q"] } };
  const child = run(BROKER, [JSON.stringify(config), String(listen)], ["pipe", "pipe", "inherit"]);
  const port = Number(await lines(child.stdout)());
  const consume = (deliver) => child.stdin.write(`${deliver}\n`);
  const kill = async () => {
    child.kill("SIGKILL");
    await child.ended;
  };
  return { port, consume, kill };
}

/** A workerd whose queue binding leads to a broker. */
async function worker(brokerPort) {
  const config = path.join(folder, "config.capnp");
  const parameters = [
    "serve",
    "--experimental",
    "--control-fd=3",
    `--external-addr=broker=127.0.0.1:${brokerPort}`,
    config,
  ];
  const child = run(workerd.default, parameters, ["ignore", "ignore", "ignore", "pipe"]);
  const next = lines(child.stdio[3]);
  const ports = {};
  while (ports.main === undefined || ports.deliver === undefined) {
    const { event, socket, port } = JSON.parse(await next());
    if (event === "listen") ports[socket] = port;
  }
  return { ...ports, dispatchFetch: (_, request) => fetch(`http://127.0.0.1:${ports.main}/`, request) };
}

/** What was noted, until there is enough of it. */
async function until(worker, enough) {
  const found = [];
  const deadline = Date.now() + 60_000;
  while (!enough(found)) {
    assert.ok(Date.now() < deadline, `too little came: ${JSON.stringify(found)}`);
    const notes = await ask(worker, "noted");
    found.push(...notes.filter((note) => note[0] !== "after" && note[0] !== "platform"));
  }
  return found;
}

const NOW = { max_batch_wait: 0, max_batch_size: 100 };

row("what a Worker sends is kept by us and read by a Worker", async () => {
  const { port, consume } = await broker("delivers", NOW);
  const there = await worker(port);
  const bodies = [
    null,
    true,
    -1.5,
    1e300,
    '水\u0000"\\',
    "],[",
    '{"body":1}',
    [],
    { b: 1, a: { 10: 1, 9: 2 } },
  ];
  const { error } = await ask(
    there,
    "produce",
    "sendBatch",
    "Q",
    bodies.map((body) => ({ body })),
  );
  assert.equal(error, undefined);
  const big = "x".repeat(127_998);
  assert.equal((await ask(there, "produce", "send", "Q", big)).error, undefined);
  const sent = Date.now();
  assert.equal((await ask(there, "produce", "sendText", "Q", '"late"', 2)).error, undefined);
  consume(there.deliver);
  const read = (found) => found.flatMap(([, { messages }]) => messages);
  const messages = read(await until(there, (found) => read(found).length === bodies.length + 2));
  const texts = (values) => values.map((value) => JSON.stringify(value)).sort();
  assert.deepEqual(texts(messages.map(({ body }) => body)), texts([...bodies, big, "late"]));
  for (const { id, attempts, timestamp } of messages) {
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.deepEqual([attempts, Number.isInteger(timestamp)], [1, true]);
  }
  assert.ok(Date.now() - sent >= 2_000, "the delay was lost");
});

row("a Worker that fails gets the batch again, attempts counted up; dead letters are ours", async () => {
  const { port, consume } = await broker("thrice", { ...NOW, max_retries: 5 });
  const there = await worker(port);
  await ask(there, "produce", "sendBatch", "Q", [{ body: 1 }, { body: 2 }]);
  consume(there.deliver);
  const of = (found, id) => found.flat().filter((message) => message.id === id);
  const done = (found) => found.flat().filter(({ attempts }) => attempts === 3).length >= 2;
  const found = await until(there, done);
  for (const id of new Set(found.flat().map(({ id }) => id))) {
    const own = of(found, id);
    assert.deepEqual(
      own.map(({ attempts }) => attempts),
      [1, 2, 3],
    );
    assert.equal(new Set(own.map(({ timestamp }) => timestamp)).size, 1);
  }
});

row("acknowledged, retried, neither: each becomes what the Worker said", async () => {
  const { port, consume } = await broker("later_once", NOW);
  const there = await worker(port);
  await ask(there, "produce", "sendBatch", "Q", [{ body: "ack" }, { body: "retry" }, { body: "leave" }]);
  consume(there.deliver);
  const found = await until(there, (notes) => notes.flat().some(({ attempts }) => attempts === 2));
  const said = found.flat().map(({ body, attempts }) => `${body} ${attempts}`);
  assert.deepEqual(said.sort(), ["ack 1", "leave 1", "retry 1", "retry 2"]);
});

row("what was accepted survives the broker's death, what was not is refused", async () => {
  const first = await broker("dead", NOW);
  const there = await worker(first.port);
  const items = Array.from({ length: 100 }, (_, body) => ({ body }));
  assert.equal((await ask(there, "produce", "sendBatch", "Q", items)).error, undefined);
  await first.kill();
  for (const [operation, body, text] of [
    ["send", 1, TEXTS.SEND_REFUSED("")],
    ["sendBatch", [{ body: 1 }], TEXTS.BATCH_REFUSED("")],
  ]) {
    const { error } = await ask(there, "produce", operation, "Q", body);
    assert.equal(error.code, "QUEUE_STORE");
    assert.ok(error.message.startsWith(text) && error.message.length > text.length, error.message);
  }
  const second = await broker("dead", NOW, first.port);
  second.consume(there.deliver);
  const read = (found) => found.flatMap(([, messages]) => messages);
  const messages = read(await until(there, (found) => read(found).length >= 100));
  assert.equal(new Set(messages.map(({ id }) => id)).size, 100);
});
