"use strict";
// Which build of the addon this process can load, and where it may be.

const fs = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "..");

/** The C library on Linux: "gnu", "musl", or "unknown". */
function libc() {
  try {
    const ldd = fs.readFileSync("/usr/bin/ldd", "latin1");
    if (ldd.includes("musl")) return "musl";
    if (ldd.includes("GNU C Library") || ldd.includes("GLIBC")) return "gnu";
  } catch {
    // Small images have no ldd; Node itself knows.
  }
  process.report.excludeNetwork = true;
  const { header, sharedObjects } = process.report.getReport();
  if (header.glibcVersionRuntime) return "gnu";
  return sharedObjects.some((file) => file.includes("musl")) ? "musl" : "unknown";
}

/** What the addon's file and package are named after: platform, processor, and on Linux its libc. */
function target() {
  const parts = [process.platform, process.arch];
  if (process.platform === "linux") parts.push(libc());
  return parts.join("-");
}

/** Where an addon built in place is. */
function built(name = target()) {
  return path.join(ROOT, "addon", `posthouse.${name}.node`);
}

/** The package that brings the addon ready-made. */
function prebuilt(name = target()) {
  return `posthouse-${name}`;
}

module.exports = { ROOT, built, libc, prebuilt, target };
