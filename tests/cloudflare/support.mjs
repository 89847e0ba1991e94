// A worker on a real workerd, bundled the way a user's tools do, and a table of what was seen.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { after, test } from "node:test";
import { build } from "esbuild";
import * as miniflare from "miniflare";

const HERE = import.meta.dirname;

// Miniflare's own way to turn the clock of a queue. It is not public, which is why the version is pinned.
miniflare._enableControlEndpoints();

/** Starts a worker. `queues` are the consumers' settings by queue. */
export async function start(entry, { producers = {}, consumers = {}, ...more } = {}) {
  const { code, core } = await bundle(entry);
  return new miniflare.Miniflare({
    modules: [
      { type: "ESModule", path: "main.mjs", contents: code },
      { type: "CompiledWasm", path: "core.wasm", contents: core },
    ],
    compatibilityDate: "2025-11-01",
    compatibilityFlags: ["nodejs_compat"],
    host: "127.0.0.1",
    cf: false,
    // Handlers that fail on purpose would fill the screen.
    log: new miniflare.Log(miniflare.LogLevel.NONE),
    handleRuntimeStdio: quiet,
    queueProducers: producers,
    queueConsumers: consumers,
    ...more,
  });
}

/** A worker as one module, and the one of WebAssembly that it imports. */
export async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [path.resolve(HERE, entry)],
    bundle: true,
    format: "esm",
    write: false,
    // As the platform's tools do: modules of WebAssembly stay apart.
    external: ["node:*", "cloudflare:*", "*.wasm"],
    conditions: ["workerd", "worker", "browser"],
    nodePaths: [path.join(HERE, "node_modules")],
    logLevel: "warning",
  });
  const manifest = createRequire(import.meta.url).resolve("posthouse/package.json");
  const core = await readFile(path.join(path.dirname(manifest), "cloudflare/core.wasm"));
  return { code: outputFiles[0].text, core };
}

function quiet(...streams) {
  for (const stream of streams) stream.resume();
}

/** Calls an action of the worker. */
export async function ask(worker, action, ...parameters) {
  const response = await worker.dispatchFetch("http://worker/", {
    method: "POST",
    body: JSON.stringify([action, ...parameters]),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** The clock of a queue. */
export class Clock {
  #stub;

  static async of(worker, queue) {
    const namespace = await worker._getInternalDurableObjectNamespace(
      "queues",
      "queues:queue",
      "QueueBrokerObject",
    );
    const clock = new Clock();
    clock.#stub = namespace.get(namespace.idFromName(queue));
    return clock;
  }

  async #call(name, ...parameters) {
    const cf = { miniflare: { controlOp: { name, args: parameters } } };
    const response = await this.#stub.fetch("http://placeholder/", { cf });
    if (!response.ok) throw new Error(await response.text());
  }

  /** Stands still at a time from now on. */
  async stop(at) {
    await this.#call("enableFakeTimers", at);
  }

  /** Goes on by seconds, and waits until what became due is done. */
  async advance(seconds) {
    await this.#call("advanceFakeTime", seconds * 1_000);
    await this.#call("waitForFakeTasks");
  }
}

/** A test that is a line of the table which is printed in the end. */
export function row(title, run) {
  test(title, async (context) => {
    const line = { title, result: "FAILED" };
    lines.push(line);
    await run(context);
    line.result = "ok";
  });
}

const lines = [];

/** Prints the table after the tests of a file. */
export function table(name) {
  after(() => {
    const width = Math.max(...lines.map(({ title }) => title.length));
    const text = lines.map(({ title, result }) => `${title.padEnd(width)} | ${result}`);
    console.log([name, ...text].join("\n  "));
  });
}
