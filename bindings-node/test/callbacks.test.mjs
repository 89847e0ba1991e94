// R05, R48: whatever a callback throws, in whatever way, is reported; it stops no hub and ends no process.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { Hub } from "posthouse";
import { broker, connected, deferred, run } from "./support.mjs";

let url;
before(async () => {
  ({ url } = await broker());
});

class Unreadable extends Error {
  get message() {
    throw new Error("no message");
  }
}

const secretive = { [Symbol.toPrimitive]: () => assert.fail("no text") };
const hostile = new Proxy(new Error("inner"), {
  getPrototypeOf: () => assert.fail("no prototype"),
  get: () => assert.fail("no member"),
});

/** What is thrown, and what the report says of it. */
const THROWN = {
  "an error": [new TypeError("boom"), /TypeError: boom/],
  nothing: [undefined, /a thrown undefined: undefined/],
  null: [null, /a thrown object: null/],
  "a text": ["boom", /a thrown string: boom/],
  "a symbol": [Symbol("boom"), /Symbol\(boom\)/],
  "an object without a prototype": [Object.create(null), /whose text cannot be made/],
  "an error that cannot be read": [new Unreadable(), /whose text cannot be made/],
  "an object without a text": [secretive, /whose text cannot be made/],
  "a proxy that refuses": [hostile, /whose text cannot be made/],
};

/** Every kind of callback; each is made to run. */
const KINDS = {
  subscribe: (hub, fail) =>
    hub
      .var("s")
      .sub(fail)
      .then(() => hub.var("s").pub()),
  handle: (hub, fail) =>
    hub
      .var("h")
      .handle(fail)
      .then(() =>
        hub
          .var("h")
          .req(1, { timeout: 50 })
          .catch(() => {}),
      ),
  watch: async (hub, fail) => void hub.var("w").watch(fail),
  watchValue: async (hub, fail) => void hub.var("w").watchValue(fail),
  "watch of the hub": async (hub, fail) => void hub.watch(fail),
  "watch of the instances": async (hub, fail) => void hub.instances.watch(fail),
};

for (const [what, [thrown, words]] of Object.entries(THROWN)) {
  test(`no callback stops a hub by throwing ${what}`, async (t) => {
    const reports = [];
    const news = [];
    const onCallbackError = (error) => {
      reports.push(error);
      for (const told of news.splice(0)) told();
      throw thrown;
    };
    const said = t.mock.method(console, "error", () => {});
    for (const later of [false, true]) {
      const fail = later
        ? async () => {
            await undefined;
            throw thrown;
          }
        : () => {
            throw thrown;
          };
      for (const [kind, arrange] of Object.entries(KINDS)) {
        const hub = await connected(t, url, { onCallbackError, peerTimeout: 20 });
        const reported = new Promise((resolve) => void news.push(resolve));
        await arrange(hub, fail);
        await reported;
        const { code, message, cause } = reports.at(-1);
        assert.equal(code, "HANDLER_ERROR", kind);
        assert.match(message, words, kind);
        assert.ok(Object.is(cause, thrown), kind);
        assert.equal(hub.status().lastError.code, "HANDLER_ERROR", kind);
        await hub.var("alive").handle((data) => data);
        assert.equal(await hub.var("alive").req(7), 7, kind);
        await hub.close();
      }
    }
    assert.ok(said.mock.callCount() > 0);
  });
}

test("a listener for errors that rejects, and none at all, end no process", async () => {
  const program = `
    const { Hub } = require("posthouse");
    (async () => {
      for (const onCallbackError of [async () => { throw new Error("again"); }, undefined]) {
        const hub = await new Hub("x", { servers: [process.env.URL], onCallbackError }).connected();
        await hub.var("x").sub(() => { throw new Error("boom"); });
        await hub.var("x").pub();
        await hub.drain();
      }
      console.log("alive");
    })();`;
  const { code, out, errors } = await run(["-e", program], { env: { URL: url } });
  assert.deepEqual([code, out], [0, "alive\n"], errors);
  assert.match(errors, /onCallbackError threw[\s\S]*again[\s\S]*boom/);
});

test("a hub whose callbacks fail finds its server again", async (t) => {
  const { server, url: lost } = await broker();
  const port = new URL(lost).port;
  const fail = () => {
    throw new Error("boom");
  };
  const reports = [];
  const hub = await connected(t, lost, { onCallbackError: (error) => reports.push(error) });
  hub.watch(fail);
  hub.instances.watch(fail);
  hub.var("x").watch(fail);
  const got = deferred();
  await hub.var("x").sub((data) => {
    got.resolve(data);
    fail();
  });
  const offline = (async () => {
    for await (const { connection } of hub.watch()) if (connection !== "connected") return;
  })();
  server.kill("SIGKILL");
  await offline;
  await broker(port);
  await hub.connected(30_000);
  await hub.var("x").pub(7);
  assert.equal(await got.promise, 7);
  assert.ok(reports.length >= 3);
});

test("a credential that throws fails one attempt, and says nothing of what it threw", async () => {
  let asked = 0;
  const token = () => {
    if (++asked === 1) throw hostile;
    return "anything";
  };
  const hub = new Hub("x", { servers: [url], token });
  const failed = await hub.connected(30_000).catch((error) => error);
  assert.equal(failed.code, "HANDLER_ERROR");
  assert.ok(!failed.message.includes("inner"));
  // Whoever asks while the hub still waits for its next attempt is told the same again.
  while (hub.state !== "connected") await hub.connected(30_000).catch(() => new Promise(setImmediate));
  assert.ok(asked >= 2);
  await hub.close();
});
