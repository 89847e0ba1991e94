// A panic in the library's own code never leaves it as one.

import assert from "node:assert/strict";
import path from "node:path";
import test, { before } from "node:test";
import { fileURLToPath } from "node:url";
import { broker, run } from "../../../bindings-node/test/support.mjs";

const top = fileURLToPath(new URL("../../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? path.join(top, "target");
/** The addon that can be told to fail: `cargo build -p posthouse-node-failing`. */
const addon = path.join(target, "debug", "libposthouse_node_failing.so");
const PROGRAM = fileURLToPath(new URL("programs/panicking.mjs", import.meta.url));

let url;
before(async () => {
  ({ url } = await broker());
});

for (const place of ["here", "under-lock", "on-io-thread"]) {
  test(`a panic is an error and ends one hub: ${place}`, async () => {
    const { code, out, errors } = await run([PROGRAM, addon, place, url]);
    const sound = ["later none connected active", "handled 7"];
    const dead = ["waiting CLOSED CLOSED", "iterating none", "later INTERNAL INTERNAL closed"];
    const wanted = [
      `fail ${place === "on-io-thread" ? "none" : "INTERNAL"}`,
      ...(place === "here" ? sound : dead),
      "close none",
      "again none",
      "other 7 connected",
    ];
    assert.deepEqual(out.trimEnd().split("\n"), wanted, errors);
    assert.equal(code, 0);
  });
}
