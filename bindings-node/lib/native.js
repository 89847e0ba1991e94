"use strict";
// Finds and loads the addon: the one built in place, else the one of the platform's package.

const fs = require("node:fs");
const { PosthouseError } = require("./errors.js");
const { Told } = require("./queue/errors.js");
const { built, prebuilt, target } = require("./platform.js");

function load() {
  const name = target();
  const tried = [];
  const file = built(name);
  if (fs.existsSync(file)) {
    try {
      return require(file);
    } catch (error) {
      tried.push(`${file}: ${firstLine(error)}`);
    }
  } else {
    tried.push(`${file}: not there`);
  }
  try {
    return require(prebuilt(name));
  } catch (error) {
    const missing = error.code === "MODULE_NOT_FOUND";
    tried.push(`package ${prebuilt(name)}: ${missing ? "not installed" : firstLine(error)}`);
  }
  throw new PosthouseError(
    "UNSUPPORTED",
    `the compiled half of posthouse was not found for ${name} (platform ${process.platform}, ` +
      `processor ${process.arch}${process.platform === "linux" ? `, libc ${name.split("-").at(-1)}` : ""}, ` +
      `Node ${process.versions.node}). Tried:\n${tried.map((line) => `  - ${line}\n`).join("")}` +
      `Install the package ${prebuilt(name)} beside posthouse, with optional dependencies switched on; or, ` +
      "with Rust 1.88 or newer, install posthouse from its source folder, which builds it.",
  );
}

function firstLine(error) {
  return String(error.message).split("\n", 1)[0];
}

const native = load();
// Not all that it throws is a PosthouseError.
native.setError(Told);

module.exports = native;
