// The quick writer gives the very text of JSON.stringify, or gives up.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";

const { bytes, write } = createRequire(import.meta.url)("../lib/writer.js");

function text(value) {
  const length = write(value, 80);
  return length < 0 ? undefined : Buffer.from(bytes.buffer, 0, length).toString();
}

test("edges", () => {
  const values = [
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    9,
    10,
    99,
    100,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 53 - 1,
  ];
  values.push(
    0.1,
    -0.1,
    1e21,
    1e-7,
    5e-324,
    1.5e300,
    "",
    '"',
    "\\",
    "\n",
    "\u007f",
    "\u2028",
    "é",
    "😀",
    "\ud800",
  );
  values.push("x".repeat(96), "x".repeat(97), "é".repeat(500), [], {}, [[]], [{}], { a: [] }, { "": "" });
  values.push({ b: 1, a: 2, 10: 3, 9: 4, "é\n": 5 }, JSON.parse('{"__proto__":1}'));
  for (const value of values) assert.equal(text(value), JSON.stringify(value));
});

test("what is not plain is left to the longer way", () => {
  const values = [
    undefined,
    NaN,
    Infinity,
    1n,
    Symbol("x"),
    () => 1,
    new Date(0),
    [undefined],
    { a: undefined },
  ];
  values.push(
    new Array(2),
    {
      get a() {
        return 1;
      },
    },
    Object.assign([1], { x: 1 }),
    { [Symbol("s")]: 1 },
  );
  values.push(
    "x".repeat(200_000),
    Array(100_000).fill("word"),
    Array(70_000).fill([]),
    Array(70_000).fill({}),
    new Map(),
    Object.create({ a: 1 }),
  );
  for (const value of values) assert.equal(text(value), undefined);
});

test("a proxy whose traps write is refused, and what was written before is not disturbed", () => {
  let inner;
  const proxy = new Proxy(
    { a: 1 },
    {
      getPrototypeOf: () => {
        inner = text([1]);
        return Object.prototype;
      },
    },
  );
  assert.equal(text({ before: "x", proxy }), '{"before":"x","proxy":{"a":1}}');
  assert.equal(inner, undefined);
  assert.equal(text([2]), "[2]");
});

test("random values", () => {
  let seed = 11;
  const next = (bound) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % bound;
  };
  const word = () =>
    String.fromCharCode(...Array.from({ length: next(12) }, () => next(next(4) ? 128 : 0xd800)));
  const make = (depth) => {
    switch (next(depth > 4 ? 5 : 7)) {
      case 0:
        return null;
      case 1:
        return next(2) === 1;
      case 2:
        return (next(2 ** 30) - 2 ** 29) / 2 ** next(60);
      case 3:
        return (next(2 ** 30) - 2 ** 29) * 2 ** next(40);
      case 4:
        return word();
      case 5:
        return Array.from({ length: next(6) }, () => make(depth + 1));
      default:
        return Object.fromEntries(Array.from({ length: next(6) }, () => [word(), make(depth + 1)]));
    }
  };
  for (let round = 0; round < 20_000; round++) {
    const value = make(0);
    assert.equal(text(value), JSON.stringify(value));
  }
});
