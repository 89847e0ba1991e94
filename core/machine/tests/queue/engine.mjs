// Reads one JSON string a line, each a text, and writes a line each: `-` where JSON.parse refuses the text, else
// `depth overflow lone reserved normal`, normal being what JSON.stringify gives.
import { readFileSync, writeSync } from "node:fs";

const RESERVED = new Set(["$句柄", "$未定义", "$大整数", "$数字"]);

/** What is in a value, without recursion. */
function survey(value) {
  const found = { depth: 0, overflow: 0, lone: 0, reserved: 0 };
  const rest = [[value, 0]];
  while (rest.length > 0) {
    const [part, depth] = rest.pop();
    if (typeof part === "number" && !Number.isFinite(part)) found.overflow = 1;
    else if (typeof part === "string" && !part.isWellFormed()) found.lone = 1;
    else if (part !== null && typeof part === "object") {
      found.depth = Math.max(found.depth, depth + 1);
      for (const key of Array.isArray(part) ? [] : Object.keys(part)) {
        if (!key.isWellFormed()) found.lone = 1;
        if (RESERVED.has(key)) found.reserved = 1;
      }
      for (const inner of Object.values(part)) rest.push([inner, depth + 1]);
    }
  }
  return found;
}

function verdict(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return "-";
  }
  const { depth, overflow, lone, reserved } = survey(value);
  let normal = "";
  try {
    normal = JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return `${depth} ${overflow} ${lone} ${reserved} ${normal}`;
}

const lines = readFileSync(0, "utf8").split("\n");
lines.pop();
const output = Buffer.from(lines.map((line) => `${verdict(JSON.parse(line))}\n`).join(""));
for (let at = 0; at < output.length; ) at += writeSync(1, output, at);
