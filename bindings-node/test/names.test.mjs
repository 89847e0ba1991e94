// R12, R38: what is a name, and what goes nowhere. R25: numbers that would change.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { Hub } from "posthouse";
import { broker, connected } from "./support.mjs";

let url;
before(async () => {
  ({ url } = await broker());
});

const CONTROLS = ["\r\n", "\n", "\t", "\0", "\x1f", "\x7f"];

test("names in any script, with spaces, and as long as they may be", async (t) => {
  const hub = await connected(t, url, {}, "wohn zimmer 客厅");
  for (const name of [
    "living room.temperature",
    "传感器.温度",
    "🙂",
    "a/b",
    "é".repeat(64),
    `${"語".repeat(42)}ab`,
  ]) {
    const variable = hub.var(name);
    await variable.set(name);
    assert.equal(variable.value, name);
    await variable.handle((data, ctx) => [data, ctx.topic], { queue: "job worker" });
    assert.deepEqual(await variable.req(1), [1, name]);
  }
});

test("names that are none fail before anything is sent", async (t) => {
  const hub = await connected(t, url);
  const names = ["", "語".repeat(43), "a\ud800", ...CONTROLS.map((control) => `a${control}b`)];
  for (const name of names) {
    assert.throws(() => hub.var(name), { code: "INVALID_NAME" }, JSON.stringify(name));
    assert.throws(() => new Hub(name, { servers: [url] }), { code: "INVALID_NAME" }, JSON.stringify(name));
  }
  for (const name of ["a..b", "a.", ".a", "a.*", ">", "*"]) {
    const variable = hub.var(name);
    await variable.set(1);
    for (const call of [() => variable.pub(1), () => variable.req(1), () => variable.requestMany(1)]) {
      await assert.rejects(call(), { code: "INVALID_TOPIC" }, name);
    }
  }
  for (const name of ["a..b", "a*", "a.>.b"]) {
    await assert.rejects(
      hub.var(name).sub(() => {}),
      { code: "INVALID_TOPIC" },
      name,
    );
    await assert.rejects(
      hub.var(name).handle(() => {}),
      { code: "INVALID_TOPIC" },
      name,
    );
  }
});

test("control characters are refused in every entry", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("x");
  const outcomes = [];
  await variable.sub((_, ctx) => {
    for (const control of CONTROLS) {
      try {
        void ctx.reply(1, { headers: { x: `a${control}b` } }).catch((error) => outcomes.push(error.code));
      } catch (error) {
        outcomes.push(error.code);
      }
    }
  });
  for (const control of CONTROLS) {
    const bad = `a${control}PUB x 1${control}b`;
    for (const headers of [{ x: bad }, { [bad]: "x" }, { x: ["fine", bad] }]) {
      const refused = { code: "INVALID_HEADERS" };
      await assert.rejects(async () => variable.pub(1, { headers }), refused);
      await assert.rejects(async () => variable.req(1, { headers }), refused);
      await assert.rejects(async () => variable.requestMany(1, { headers }), refused);
    }
    await assert.rejects(async () => variable.sub(() => {}, { queue: bad }), { code: "INVALID_TOPIC" });
    await assert.rejects(async () => variable.handle(() => {}, { queue: bad }), { code: "INVALID_TOPIC" });
    for (const auth of [{ token: bad }, { user: bad, password: "x" }, { user: "x", password: bad }]) {
      assert.throws(() => new Hub("x", { servers: [url], ...auth }), { code: "INVALID_OPTIONS" });
    }
  }
  await variable.req(1, { timeout: 100 }).catch(() => {});
  await hub.flush();
  assert.deepEqual(
    outcomes,
    CONTROLS.map(() => "INVALID_HEADERS"),
  );
});

test("integers that would change are refused in every operation", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("x");
  for (const number of [2 ** 53, -(2 ** 53), 1e300, 9007199254740993n, Infinity, NaN]) {
    for (const data of [number, { deep: [1, number] }]) {
      const set = variable.set(data);
      await assert.rejects(set, { code: "INVALID_VALUE" });
      for (const call of [variable.pub(data), variable.req(data), variable.requestMany(data)]) {
        await assert.rejects(call, { code: "INVALID_MESSAGE" });
      }
    }
  }
  const answers = hub.var("answers");
  const codes = [];
  const failing = await connected(
    t,
    url,
    { onCallbackError: (error) => codes.push(error.cause.code) },
    hub.namespace,
  );
  await failing.var("answers").handle(() => 2 ** 53);
  await assert.rejects(answers.req(1, { timeout: 100 }), { code: "TIMEOUT" });
  assert.deepEqual(codes, ["INVALID_MESSAGE"]);
  await variable.set(Number.MAX_SAFE_INTEGER);
  assert.equal(variable.value, Number.MAX_SAFE_INTEGER);
});
