// What the JavaScript programs of the benches have in common: their arguments, the payload, what they count and how
// they print.

import fs from "node:fs";

const NAMESPACE = "bench";
/** The first number in a payload's `seq`, so that all payloads are equally long. */
const FIRST = 1_000_000;
/** Requests that are not measured: connections and caches get warm. */
const WARM_UP = 200;
/** A subscriber gives up when nothing has come for so many milliseconds. */
const SILENCE = 1500;
export const LIMIT = 60_000;

export { NAMESPACE };

/** Seconds, from some moment on. */
export const now = () => performance.now() / 1000;

/** Nanoseconds of the system's monotonic clock. */
export const monotonic = () => Number(process.hrtime.bigint());

/** Builds the payload of message `i` afresh: 128 bytes as JSON. */
export function reading(i) {
  return {
    seq: FIRST + i,
    ts: 1764500000.125,
    name: "sensor/front",
    x: 0.125,
    y: -1.5,
    z: 9.8125,
    ok: true,
    unit: "m/s2",
    tags: ["a", "b"],
  };
}

/** A state that says when it was written. */
export const dated = (i) => ({ i, t: monotonic(), pad: "x".repeat(60) });

/** A state of 100 bytes where `i` has four digits. */
export const held = (i) => ({ i, s: "y".repeat(84) });

/** Mode, URL, subject and the numbers after them. */
export function given() {
  const [mode, url, subject, ...numbers] = process.argv.slice(2);
  return { mode, url, subject, numbers: numbers.map(Number) };
}

/** Seconds of processor time that this process has used, all threads, user and system. */
export function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Kilobytes of memory that this process has in use. */
export const memoryKb = () => Math.round(process.memoryUsage.rss() / 1024);

/** Prints one object as a line. */
export const say = (fields) => fs.writeSync(1, `${JSON.stringify(fields)}\n`);

/** The value below which this share of the values lies. */
export function quantile(values, share) {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))];
}

/** The subject on the wire of a concrete name, for the raw publisher. */
export function wire(name) {
  const hex = (text) => Buffer.from(text).toString("hex");
  return `_msg.v1.${hex(NAMESPACE)}.${name.split(".").map(hex).join(".")}`;
}

/** Waits until whoever started this program closes its standard input. */
export async function untilInputEnds() {
  for await (const _ of process.stdin);
}

/** Counts what a subscriber gets. */
export class Receipt {
  constructor(wanted) {
    this.wanted = wanted;
    this.received = 0;
    this.sum = 0;
    this.all = new Promise((resolve) => {
      this.complete = resolve;
    });
  }

  take(message) {
    if (this.received === 0) [this.began, this.cpuBegan] = [now(), cpu()];
    this.sum += message.seq;
    // The clock is read seldom: it costs as much as the rest.
    if (++this.received === this.wanted) {
      this.ended = now();
      this.cpuEnded = cpu();
      this.complete();
    } else if ((this.received & 15) === 0) this.ended = now();
  }

  /** Waits for the last message, or for silence, and prints the count. */
  async report(more = () => ({})) {
    let last = -1;
    const silent = new Promise((resolve) => {
      this.timer = setInterval(() => {
        if (this.received > 0 && this.received === last) resolve();
        last = this.received;
      }, SILENCE);
    });
    await Promise.race([this.all, silent]);
    clearInterval(this.timer);
    this.cpuEnded ??= cpu();
    say({
      n: this.wanted,
      received: this.received,
      elapsed_s: this.ended - this.began,
      cpu_s: this.cpuEnded - this.cpuBegan,
      check: this.sum,
      ...more(),
    });
  }
}

/** Asks `n` times, checks every answer and prints how long they took. */
export async function askAll(ask, n, inFlight) {
  const one = async (i) => {
    const began = now();
    const answer = await ask(i);
    if (answer.seq !== FIRST + i) throw new Error(`request ${i} got the answer of ${answer.seq - FIRST}`);
    return (now() - began) * 1e6;
  };
  for (let i = 0; i < WARM_UP; i++) await one(i);
  const took = [];
  const [began, cpuBegan] = [now(), cpu()];
  let next = 0;
  const asker = async () => {
    while (next < n) took.push(await one(next++));
  };
  await Promise.all(Array.from({ length: inFlight }, asker));
  const [elapsed, used] = [now() - began, cpu() - cpuBegan];
  say({ n, elapsed_s: elapsed, cpu_s: used, p50_us: quantile(took, 0.5), p99_us: quantile(took, 0.99) });
}
