// How Node programs end: always soon, with their own exit code and their own words only.
//
// `POSTHOUSE_LIFECYCLE_RUNS` says how often each way is tried.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import test, { before } from "node:test";
import { fileURLToPath } from "node:url";
import { broker } from "../../../bindings-node/test/support.mjs";

const PROGRAM = fileURLToPath(new URL("programs/ending.mjs", import.meta.url));
const RUNS = Number(process.env.POSTHOUSE_LIFECYCLE_RUNS ?? ("CI" in process.env ? 200 : 10));
/** A program that has not ended by then hangs. */
const PATIENCE = 30_000;

/** What each way ends with: an exit code or a signal. */
const WAYS = {
  closed: 0,
  drained: 0,
  twice: 0,
  idle: 0,
  opening: 0,
  exit: 3,
  handler: 3,
  watch: 3,
  settled: 3,
  closing: 0,
  afterwards: 0,
  order: 0,
  exception: 1,
  rejection: 1,
  wait: "SIGINT",
  interrupt: 0,
  worker: 0,
  terminate: 0,
  abandon: 3,
  both: 0,
};

let url;
before(async () => {
  ({ url } = await broker());
});

async function end(way) {
  const child = spawn(process.execPath, ["--trace-warnings", PROGRAM, way, url], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let errors = "";
  child.stdout.on("data", (data) => {
    out += data;
    if (out === "ready\n" && (way === "wait" || way === "interrupt")) child.kill("SIGINT");
  });
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const hangs = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  const [code, signal] = await once(child, "close");
  clearTimeout(hangs);
  if (out !== "ready\n") return `said ${JSON.stringify(out)}: ${errors}`;
  if ((code ?? signal) !== WAYS[way]) return `ended with ${code ?? signal}: ${errors}`;
  const boom = way === "exception" || way === "rejection";
  const told = boom ? errors.split("Error: boom").length === 2 : errors === "";
  return told ? "" : `said on the way: ${errors}`;
}

for (const way of Object.keys(WAYS)) {
  test(`${RUNS} times: ${way}`, async () => {
    let left = RUNS;
    const faults = [];
    const runner = async () => {
      while (left-- > 0) {
        const fault = await end(way);
        if (fault) faults.push(fault);
      }
    };
    await Promise.all(Array.from({ length: 2 * os.availableParallelism() }, runner));
    assert.equal(faults.length, 0, `${faults.length} of ${RUNS}: ${faults[0]}`);
  });
}
