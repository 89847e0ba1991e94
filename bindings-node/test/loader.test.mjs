// What is said where there is no addon, and what a broken one does.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { run } from "./support.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const { target } = createRequire(import.meta.url)("../lib/platform.js");

/** The package without its addon. */
function copy(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "posthouse-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  fs.cpSync(path.join(here, "lib"), path.join(folder, "lib"), { recursive: true });
  fs.cpSync(path.join(here, "scripts"), path.join(folder, "scripts"), { recursive: true });
  fs.copyFileSync(path.join(here, "package.json"), path.join(folder, "package.json"));
  return folder;
}

test("a missing addon is told with platform, libc and what was tried", async (t) => {
  const folder = copy(t);
  const { code, errors } = await run(["-e", `require(${JSON.stringify(path.join(folder, "lib"))})`]);
  assert.equal(code, 1);
  const words = [process.platform, process.arch, "UNSUPPORTED", `${target()}.node`, `posthouse-${target()}`];
  if (process.platform === "linux") words.push("libc gnu");
  for (const word of words) assert.ok(errors.includes(word), `${word} is not in: ${errors}`);
});

test("an addon that cannot be loaded is told with its reason", async (t) => {
  const folder = copy(t);
  fs.mkdirSync(path.join(folder, "addon"));
  fs.writeFileSync(path.join(folder, "addon", `posthouse.${target()}.node`), "no library");
  const { code, errors } = await run(["-e", `require(${JSON.stringify(path.join(folder, "lib"))})`]);
  assert.equal(code, 1);
  assert.match(errors, /file too short|invalid ELF header|not a mach-o/i);
});

test("the package of the platform is used where there is one", async (t) => {
  const folder = copy(t);
  const brought = path.join(folder, "node_modules", `posthouse-${target()}`);
  fs.mkdirSync(brought, { recursive: true });
  fs.copyFileSync(
    path.join(here, "addon", `posthouse.${target()}.node`),
    path.join(brought, "posthouse.node"),
  );
  fs.writeFileSync(path.join(brought, "package.json"), '{"main":"posthouse.node"}');
  const library = JSON.stringify(path.join(folder, "lib"));
  const { code, out } = await run(["-e", `console.log(require(${library}).version)`]);
  assert.deepEqual([code, out], [0, "0.1.0\n"]);
  // With it there is nothing to build.
  const installed = await run([path.join(folder, "scripts", "install.js")]);
  assert.deepEqual([installed.code, installed.out, installed.errors], [0, "", ""]);
});

test("without sources and without an addon the installation says what is missing", async (t) => {
  const { code, errors } = await run([path.join(copy(t), "scripts", "install.js")]);
  assert.equal(code, 1);
  assert.match(errors, new RegExp(`no addon for ${target()}`));
});
