// What crosses unchanged, and what is refused with the way to it.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import vm from "node:vm";
import { broker, connected } from "./support.mjs";

let url;
before(async () => {
  ({ url } = await broker());
});

const PLAIN = [
  null,
  true,
  false,
  0,
  -1,
  0.1,
  1e-7,
  5e-324,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  "",
  'é\u2028😀\u0000\u001f"\\',
  [],
  {},
  [[[]]],
  { a: { b: [1, null, "x"] } },
  { "": 1, 10: 2, 9: 3, constructor: 4, toString: 5 },
  JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":null}}'),
  Object.assign(Object.create(null), { bare: true }),
  vm.runInNewContext('({ other: ["realm"] })'),
  Object.freeze({ frozen: [1] }),
];

test("plain data comes out as it went in", async (t) => {
  const hub = await connected(t, url);
  const echo = hub.var("echo");
  await echo.handle((data) => data);
  const text = (value) => JSON.stringify(value);
  for (const value of PLAIN) {
    const answer = await echo.req(value);
    assert.equal(text(answer), text(value));
    await echo.set(value);
    assert.deepEqual(JSON.parse(text(echo.value)), JSON.parse(text(value)));
  }
  assert.equal(Object.is(await echo.req(-0), 0), true, "minus zero is zero in every language");
});

test("__proto__ is a key like any other", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("proto");
  await variable.handle((data) => data);
  const given = JSON.parse('{"__proto__":{"polluted":true}}');
  await variable.set(given);
  for (const got of [await variable.req(given), variable.value]) {
    assert.deepEqual(Object.keys(got), ["__proto__"]);
    assert.equal(Object.getPrototypeOf(got), Object.prototype);
    assert.equal({}.polluted, undefined);
  }
});

function cycle() {
  const list = [1];
  const object = { list };
  list.push(object);
  return object;
}

class Lamp {
  on = true;
}

const REFUSED = [
  [undefined, "the value is undefined", "set"],
  [{ a: undefined }, "at a is undefined"],
  [{ a: [{ b: undefined }] }, "at a[0].b is undefined"],
  [[1, undefined], "at [1] is undefined"],
  [{ "x y": { z: NaN } }, 'at ["x y"].z is not finite'],
  [[Infinity], "at [0] is not finite"],
  [-Infinity, "is not finite"],
  [2 ** 53, "outside"],
  [{ deep: [1, { n: -(2 ** 53) }] }, "at deep[1].n"],
  [1e300, "outside"],
  [{ n: 5n }, "at n is a BigInt"],
  [cycle(), "at list[1] is an object that contains itself"],
  [new Array(3), "at [0] is a hole in a sparse array"],
  [{ a: Object.assign(new Array(3), { 0: 1, 2: 3 }) }, "at a[1] is a hole in a sparse array"],
  [
    {
      get x() {
        return 1;
      },
    },
    "at x is a getter",
  ],
  [Object.defineProperty([1], 0, { get: () => 1, enumerable: true }), "at [0] is a getter"],
  [{ set x(_) {} }, "at x is a getter"],
  [{ lamp: new Lamp() }, "at lamp is an instance of Lamp"],
  [new Date(0), "an instance of Date"],
  [new Map(), "an instance of Map"],
  [{ b: Buffer.from("x") }, "at b is an instance of Buffer"],
  [new Uint8Array(2), "an instance of Uint8Array"],
  [Object.create({ inherited: 1 }), "an instance of Object"],
  [new (class extends Array {})(), "an instance of"],
  [new Number(1), "an instance of Number"],
  [{ toJSON: () => 1 }, "at toJSON is a function"],
  [() => 1, "is a function"],
  [Symbol("x"), "is a symbol"],
  [{ [Symbol("s")]: 1 }, "a member under a symbol"],
  ["x".match(/x/), 'a member "index" besides its elements'],
  ["\ud800", "not valid Unicode"],
  [{ text: ["a", "\udc00b"] }, "at text[1] is not valid Unicode"],
  [{ "\ud800": 1 }, "not valid Unicode"],
  [nested(33), "nested deeper than 32"],
  [nested(500), "nested deeper than 32"],
];

function nested(levels) {
  let value = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

test("what JSON.stringify would change is refused, and where", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("refused");
  for (const [value, words, only] of REFUSED) {
    const includes = (code) => (error) => {
      assert.equal(error.code, code, error.message);
      assert.ok(error.message.includes(words), `${error.message} should have: ${words}`);
      return true;
    };
    await assert.rejects(variable.set(value), includes("INVALID_VALUE"));
    if (only === "set") continue;
    await assert.rejects(variable.pub(value), includes("INVALID_MESSAGE"));
    await assert.rejects(variable.req(value), includes("INVALID_MESSAGE"));
    await assert.rejects(variable.requestMany(value), includes("INVALID_MESSAGE"));
  }
  assert.equal(variable.value, undefined, "nothing was written");
});

test("a handler's answer is held to the same", async (t) => {
  const failures = [];
  const hub = await connected(t, url, { onCallbackError: (error) => failures.push(error) });
  const variable = hub.var("answer");
  await variable.handle(() => ({ at: new Date(0) }));
  await assert.rejects(variable.req(1, { timeout: 200 }), { code: "TIMEOUT" });
  assert.equal(failures.length, 1);
  assert.match(failures[0].message, /at at is an instance of Date/);
  assert.equal(failures[0].cause.code, "INVALID_MESSAGE");
});

test("undefined is no body, and what a handler does not return is null", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("nothing");
  const seen = [];
  await variable.handle((data) => {
    seen.push(data);
  });
  assert.equal(await variable.req(), null);
  assert.equal(await variable.req(undefined, { timeout: 1000 }), null);
  assert.deepEqual(seen, [null, null]);
});

test("a toJSON on a prototype of plain data changes nothing without a word", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("taught");
  for (const prototype of [Object.prototype, Array.prototype, String.prototype, Number.prototype]) {
    Object.defineProperty(prototype, "toJSON", { value: () => "else", configurable: true });
    try {
      await assert.rejects(variable.set({ a: ["x", 1] }), { code: "INVALID_VALUE" });
    } finally {
      delete prototype.toJSON;
    }
  }
  await variable.set({ a: ["x", 1] });
  assert.deepEqual(variable.value, { a: ["x", 1] });
});

test("an enumerable member of Object.prototype is nobody's member", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("inherited");
  Object.defineProperty(Object.prototype, "everywhere", {
    value: () => 1,
    enumerable: true,
    configurable: true,
  });
  try {
    await variable.set({ a: 1 });
    assert.deepEqual(Object.keys(variable.value), ["a"]);
  } finally {
    delete Object.prototype.everywhere;
  }
});

test("sizes are the core's to judge, with limit and actual", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("large");
  await variable.pub("x".repeat(65_534));
  await assert.rejects(variable.pub("x".repeat(65_535)), (error) => {
    assert.equal(error.code, "MESSAGE_TOO_LARGE");
    assert.equal(error.limit, 65_536);
    assert.ok(error.actual > 65_536);
    return true;
  });
  await assert.rejects(variable.set("é".repeat(40_000)), { code: "VALUE_TOO_LARGE" });
  await assert.rejects(variable.set(Array(20_000).fill(0)), { code: "INVALID_VALUE", limit: 20_000 });
});

test("thousands of random values are as JSON says", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("random");
  let seed = 7;
  const next = (bound) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % bound;
  };
  const make = (depth) => {
    switch (next(depth > 4 ? 5 : 7)) {
      case 0:
        return null;
      case 1:
        return next(2) === 1;
      case 2:
        return (next(2000) - 1000) / 2 ** next(30);
      case 3:
        return next(2 ** 30) * next(2 ** 22);
      case 4:
        return String.fromCodePoint(next(0xd800), 0xe000 + next(0x1000), 0x1f600 + next(64)).repeat(next(3));
      case 5:
        return Array.from({ length: next(5) }, () => make(depth + 1));
      default:
        return Object.fromEntries(Array.from({ length: next(5) }, () => [`k${next(99)}`, make(depth + 1)]));
    }
  };
  for (let round = 0; round < 5000; round++) {
    const value = make(0);
    await variable.set(value);
    assert.deepEqual(variable.value, value);
  }
});
