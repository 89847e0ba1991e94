// A broker in a process of its own, and hubs that are closed when their test is over.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Hub } from "posthouse";

const top = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? path.join(top, "target");

/** Starts `posthouse serve`, on a free port if none is given; ends with the tests of the file. */
export async function broker(port = "0") {
  const command = path.join(target, "debug", "posthouse");
  const server = spawn(command, ["--json", "serve", "--no-ws", "--port", port], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: server.stdout });
  const [line] = await once(lines, "line");
  lines.close();
  // It must not keep the tests from ending, and ends with them.
  server.unref();
  server.stdout.unref();
  process.on("exit", () => server.kill());
  return { url: JSON.parse(line).tcp, server };
}

/** A connected hub of a namespace of its own, closed with the test. */
export async function connected(t, url, options = {}, namespace = undefined) {
  const hub = new Hub(namespace, { servers: [url], ...options });
  t.after(() => hub.close());
  return hub.connected();
}

/** A promise and what settles it. */
export function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => {
    Object.assign(made, { resolve, reject });
  });
  return made;
}

/** Runs a program and gives its exit code and what it printed. */
export async function run(args, { env = {}, signal } = {}) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, cwd: top });
  let out = "";
  let errors = "";
  child.stdout.on("data", (data) => {
    out += data;
    if (signal !== undefined && out.includes("ready\n")) child.kill(signal);
  });
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const [code, by] = await once(child, "close");
  return { code: code ?? by, out, errors };
}
