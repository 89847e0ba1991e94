"use strict";
// Run by `npm install`: nothing to do where the platform's package brings the addon; else it is built, from the
// source folder, with cargo. `--debug`, or POSTHOUSE_NODE_DEBUG=1, builds quickly instead of well, `--force` builds
// whatever is there.

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { ROOT, built, prebuilt, target } = require("../lib/platform.js");

const LIBRARY = { linux: "libposthouse_node_addon.so", darwin: "libposthouse_node_addon.dylib" };

function brought(name) {
  try {
    require.resolve(prebuilt(name));
    return true;
  } catch {
    return fs.existsSync(built(name));
  }
}

function build(_name, profile) {
  const arguments_ = ["build", "--quiet", "--locked", "--package", "posthouse-node-addon"];
  if (profile === "release") arguments_.push("--release");
  arguments_.push("--message-format", "json-render-diagnostics");
  const run = spawnSync("cargo", arguments_, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 28,
    encoding: "utf8",
  });
  if (run.error || run.status !== 0) return undefined;
  const library = LIBRARY[process.platform];
  for (const line of run.stdout.split("\n")) {
    if (!line.startsWith("{")) continue;
    const { filenames = [] } = JSON.parse(line);
    const found = filenames.find((file) => path.basename(file) === library);
    if (found !== undefined) return found;
  }
  return undefined;
}

const name = target();
const debug = process.argv.includes("--debug") || process.env.POSTHOUSE_NODE_DEBUG === "1";
if (!process.argv.includes("--force") && brought(name)) process.exit(0);
const fromSource = fs.existsSync(path.join(ROOT, "Cargo.toml"));
if (!fromSource) {
  console.error(
    `posthouse: there is no addon for ${name} in this package, and no source to build it from; ` +
      `install the package ${prebuilt(name)} beside it`,
  );
  process.exit(1);
}
const library = build(name, debug ? "debug" : "release");
if (library === undefined) {
  console.error("posthouse: the addon could not be built; it needs cargo (Rust 1.88 or newer) on PATH");
  process.exit(1);
}
// Written beside and moved: a program that runs keeps the file that it has loaded.
const file = built(name);
fs.mkdirSync(path.dirname(file), { recursive: true });
fs.copyFileSync(library, `${file}.new`);
fs.renameSync(`${file}.new`, file);
