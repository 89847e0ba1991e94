// Sending, on a real workerd: what reaches the platform, and what does not.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { ask, row, start, table } from "./support.mjs";
import { TEXTS } from "./texts.mjs";

table("Cloudflare: sending");
let worker;
before(async () => {
  worker = await start("workers/main.mjs", { producers: { Q: "drops" } });
});
after(() => worker.dispose());

const produce = (...call) => ask(worker, "produce", ...call);
const JSON_TYPE = { contentType: "json" };

async function sent(call, expected) {
  assert.deepEqual(await produce(...call), { result: null, calls: [expected] });
}

async function refused(call, code, message, index) {
  const { error, calls } = await produce(...call);
  const { name, types } = error ?? {};
  assert.deepEqual([error?.code, error?.message, error?.index], [code, message, index], JSON.stringify(call));
  assert.deepEqual([name, types], ["QueueError", ["PosthouseError", "QueueError"]]);
  assert.deepEqual(calls, []);
}

const PAGE = { kind: "page", url: "/release/x", version: "v8", refresh: true };
/** A string whose JSON text has so many bytes. */
const sized = (bytes) => "x".repeat(bytes - 2);

row("the object arrives with exactly the content type", async () => {
  await sent(["send", "Q", PAGE], ["send", PAGE, JSON_TYPE]);
  await sent(["send", "Q", PAGE, 0], ["send", PAGE, JSON_TYPE]);
  await sent(["sendText", "Q", JSON.stringify(PAGE), 0], ["send", PAGE, JSON_TYPE]);
  await sent(["sendBatch", "Q", [{ body: PAGE }]], ["sendBatch", [{ body: PAGE, ...JSON_TYPE }]]);
  for (const body of [null, true, 0, "", [], {}]) await sent(["send", "Q", body], ["send", body, JSON_TYPE]);
});

row("delays 30 and 43,200 are passed on", async () => {
  for (const delaySeconds of [1, 30, 43_200]) {
    await sent(["send", "Q", 1, delaySeconds], ["send", 1, { ...JSON_TYPE, delaySeconds }]);
    await sent(["sendText", "Q", "1", delaySeconds], ["send", 1, { ...JSON_TYPE, delaySeconds }]);
  }
  const items = [{ body: 1, delaySeconds: 30 }, { body: 2, delaySeconds: 0 }, { body: 3 }];
  const [thirty, none, left] = items.map(({ body }) => ({ body, ...JSON_TYPE }));
  const batch = [{ ...thirty, delaySeconds: 30 }, none, left];
  await sent(["sendBatch", "Q", items], ["sendBatch", batch]);
  await sent(["sendBatchText", "Q", JSON.stringify(items).replace("30", "30.0")], ["sendBatch", batch]);
});

row("delays −1 and 43,201, and what is no whole number, are refused", async () => {
  for (const delay of [-1, 43_201, 1.5, null, "30", true, { $: "nan" }, { $: "bigint" }]) {
    await refused(["send", "Q", 1, delay], "QUEUE_DELAY", TEXTS.QUEUE_DELAY);
    await refused(["sendText", "Q", "1", delay], "QUEUE_DELAY", TEXTS.QUEUE_DELAY);
    const items = [{ body: 1 }, { body: 1, delaySeconds: delay }];
    await refused(["sendBatch", "Q", items], "QUEUE_DELAY", TEXTS.QUEUE_DELAY, 1);
  }
});

row("$句柄 however escaped, 1e999 and { are refused", async () => {
  for (const key of ["$句柄", "$未定义", "$大整数", "$数字"]) {
    const code = ["QUEUE_BODY_RESERVED", TEXTS.QUEUE_BODY_RESERVED];
    await refused(["sendText", "Q", `{"${key}":"1"}`], ...code);
    await refused(["sendText", "Q", `[{"\\u0024${key.slice(1)}":"1"}]`], ...code);
    await refused(["send", "Q", { a: [{ [key]: 1 }] }], ...code);
    await refused(["sendBatch", "Q", [{ body: 1 }, { body: { [key]: 1 } }]], ...code, 1);
  }
  for (const text of [
    "1e999",
    "[-1e999]",
    "{",
    "",
    "1 2",
    "{'a':1}",
    "\ufeff1",
    1,
    null,
    { $: "undefined" },
  ]) {
    await refused(["sendText", "Q", text], "QUEUE_BODY_JSON", TEXTS.QUEUE_BODY_JSON);
  }
});

row("128,000 bytes are accepted, one more is not", async () => {
  const [fits, over] = [sized(128_000), sized(128_001)];
  await sent(["send", "Q", fits], ["send", fits, JSON_TYPE]);
  await sent(["sendText", "Q", JSON.stringify(fits)], ["send", fits, JSON_TYPE]);
  // Counted in bytes of UTF-8, three for each of these.
  const wide = `${"水".repeat(42_666)}`;
  await sent(["send", "Q", wide], ["send", wide, JSON_TYPE]);
  const code = ["QUEUE_BODY_SIZE", TEXTS.QUEUE_BODY_SIZE];
  for (const call of [
    ["send", "Q", over],
    ["sendText", "Q", JSON.stringify(over)],
    ["send", "Q", `${wide}x`],
  ]) {
    await refused(call, ...code);
    const { error } = await produce(...call);
    assert.deepEqual([error.limit, error.actual], [128_000, 128_001]);
  }
  await refused(["sendText", "Q", `${" ".repeat(128_000)}1`], ...code);
  await refused(["sendBatch", "Q", [{ body: 1 }, { body: over }]], ...code, 1);
  // What is far too long is not even written to its end.
  await refused(["send", "Q", { $long: 3_000_000 }], ...code);
  await refused(["send", "Q", { $: "wide" }], ...code);
  await refused(["sendBatch", "Q", [{ body: { $: "wide" } }]], ...code, 0);
});

row("batches of 1 and of 100 are accepted, of 0 and of 101 not", async () => {
  for (const count of [1, 100]) {
    const items = Array.from({ length: count }, (_, body) => ({ body }));
    const batch = items.map(({ body }) => ({ body, ...JSON_TYPE }));
    await sent(["sendBatch", "Q", items], ["sendBatch", batch]);
    await sent(["sendBatchText", "Q", JSON.stringify(items)], ["sendBatch", batch]);
  }
  await refused(["sendBatch", "Q", []], "QUEUE_BATCH_COUNT", TEXTS.QUEUE_BATCH_EMPTY);
  await refused(["sendBatchText", "Q", "[]"], "QUEUE_BATCH_COUNT", TEXTS.QUEUE_BATCH_EMPTY);
  const many = Array.from({ length: 101 }, (_, body) => ({ body }));
  await refused(["sendBatch", "Q", many], "QUEUE_BATCH_COUNT", TEXTS.QUEUE_BATCH_COUNT);
  await refused(["sendBatchText", "Q", JSON.stringify(many)], "QUEUE_BATCH_COUNT", TEXTS.QUEUE_BATCH_COUNT);
  const crowd = { $many: 1_000_000, of: { body: 1 } };
  await refused(["sendBatch", "Q", crowd], "QUEUE_BATCH_COUNT", TEXTS.QUEUE_BATCH_COUNT);
});

row("items with contentType, without body, with delaySeconds 1.5: nothing is sent", async () => {
  const good = { body: 1 };
  const shapes = [
    { body: 1, contentType: "json" },
    {},
    { delaySeconds: 1 },
    null,
    1,
    [],
    "x",
    { body: 1, Body: 1 },
  ];
  for (const item of shapes) {
    const code = ["QUEUE_BATCH_ITEM", TEXTS.QUEUE_BATCH_ITEM(1), 1];
    await refused(["sendBatch", "Q", [good, item]], ...code);
    await refused(["sendBatchText", "Q", JSON.stringify([good, item])], ...code);
  }
  for (const item of [
    { $: "undefined" },
    { $: "date" },
    { $: "function" },
    { $: "symbol_key" },
    { $: "map" },
  ]) {
    await refused(["sendBatch", "Q", [item]], "QUEUE_BATCH_ITEM", TEXTS.QUEUE_BATCH_ITEM(0), 0);
  }
  // The shape is looked at before the body.
  const twice = { body: { $: "date" }, contentType: "json" };
  await refused(["sendBatch", "Q", [twice]], "QUEUE_BATCH_ITEM", TEXTS.QUEUE_BATCH_ITEM(0), 0);
  const item = { body: { $: "date" }, delaySeconds: -1 };
  await refused(["sendBatch", "Q", [good, item]], "QUEUE_BODY_JSON", TEXTS.QUEUE_BODY_JSON, 1);
  const half = { body: 1, delaySeconds: 1.5 };
  await refused(["sendBatch", "Q", [good, half]], "QUEUE_DELAY", TEXTS.QUEUE_DELAY, 1);
  await refused(["sendBatchText", "Q", JSON.stringify([half])], "QUEUE_DELAY", TEXTS.QUEUE_DELAY, 0);
  // What is undefined is not there.
  const body = [{ body: 1, ...JSON_TYPE }];
  await sent(["sendBatch", "Q", [{ body: 1, delaySeconds: { $: "undefined" } }]], ["sendBatch", body]);
});

row('bodies that hold ],[, {"body":1}, quotes, backslashes are restored byte for byte', async () => {
  const bodies = [
    "],[",
    '{"body":1}',
    '"',
    "\\",
    '\\"',
    "\u0000\u001f\u2028\u007f",
    "𝄞水",
    '"},{"body":2',
    "\\u0024",
  ];
  const items = bodies.map((body) => ({ body: [body, { [body]: body }] }));
  const batch = items.map(({ body }) => ({ body, ...JSON_TYPE }));
  await sent(["sendBatch", "Q", items], ["sendBatch", batch]);
  await sent(["sendBatchText", "Q", JSON.stringify(items)], ["sendBatch", batch]);
  for (const body of bodies) {
    await sent(["send", "Q", body], ["send", body, JSON_TYPE]);
    await sent(["sendText", "Q", JSON.stringify(body)], ["send", body, JSON_TYPE]);
  }
});

row("the store refuses with Queue is full", async () => {
  for (const full of ["FULL", "FULL_LATE"]) {
    const calls = [
      ["send", full, 1],
      ["sendText", full, "1"],
    ];
    const batches = [
      ["sendBatch", full, [{ body: 1 }]],
      ["sendBatchText", full, '[{"body":1}]'],
    ];
    for (const call of [...calls, ...batches]) {
      const { error, calls: made } = await produce(...call);
      const text = call[0].startsWith("sendBatch") ? TEXTS.BATCH_REFUSED : TEXTS.SEND_REFUSED;
      assert.deepEqual([error.code, error.message], ["QUEUE_STORE", text("Queue is full")]);
      assert.deepEqual([error.types, error.cause], [["PosthouseError", "QueueError"], "Queue is full"]);
      assert.equal(made.length, 1);
    }
  }
});

row("a batch's own rules", async () => {
  for (const text of ["{}", "[", "1", "", 7]) {
    await refused(["sendBatchText", "Q", text], "QUEUE_BATCH_JSON", TEXTS.QUEUE_BATCH_JSON);
  }
  for (const items of [null, 1, "[]", {}, { $: "set" }]) {
    await refused(["sendBatch", "Q", items], "QUEUE_BATCH_JSON", TEXTS.QUEUE_BATCH_JSON);
  }
  const two = [sized(128_000), sized(128_000)].map((body) => ({ body }));
  const batch = two.map(({ body }) => ({ body, ...JSON_TYPE }));
  // The platform counts more than the bodies, so it may refuse what the contract accepts.
  assert.deepEqual((await produce("sendBatch", "Q", two)).calls, [["sendBatch", batch]]);
  await refused(["sendBatch", "Q", [...two, { body: 1 }]], "QUEUE_BATCH_SIZE", TEXTS.QUEUE_BATCH_SIZE);
  const padded = `[{"body":1}${" ".repeat(1_048_576 - 12)}]`;
  await sent(["sendBatchText", "Q", padded], ["sendBatch", [{ body: 1, ...JSON_TYPE }]]);
  await refused(["sendBatchText", "Q", `${padded} `], "QUEUE_BATCH_TEXT", TEXTS.QUEUE_BATCH_TEXT);
});

row("24 levels are accepted, 25 not", async () => {
  const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  await sent(["send", "Q", nested(24)], ["send", nested(24), JSON_TYPE]);
  await sent(["sendBatch", "Q", [{ body: nested(24) }]], ["sendBatch", [{ body: nested(24), ...JSON_TYPE }]]);
  for (const depth of [25, 3_000, 60_000]) {
    await refused(["send", "Q", { $deep: depth }], "QUEUE_BODY_DEPTH", TEXTS.QUEUE_BODY_DEPTH);
    const item = { body: { $deep: depth } };
    await refused(["sendBatch", "Q", [item]], "QUEUE_BODY_DEPTH", TEXTS.QUEUE_BODY_DEPTH, 0);
    const text = "[".repeat(depth) + "]".repeat(depth);
    await refused(["sendText", "Q", text], "QUEUE_BODY_DEPTH", TEXTS.QUEUE_BODY_DEPTH);
  }
});

row("lone surrogates are refused", async () => {
  for (const name of ["lone", "lone_key"]) {
    await refused(["send", "Q", { $: name }], "QUEUE_BODY_UNICODE", TEXTS.QUEUE_BODY_UNICODE);
    await refused(
      ["sendBatch", "Q", [{ body: { $: name } }]],
      "QUEUE_BODY_UNICODE",
      TEXTS.QUEUE_BODY_UNICODE,
      0,
    );
  }
  for (const text of ['"\\ud800"', '"a\ud800b"', '["水\udfff"]', '{"\\udc00\\ud800":1}']) {
    await refused(["sendText", "Q", text], "QUEUE_BODY_UNICODE", TEXTS.QUEUE_BODY_UNICODE);
  }
  await sent(["sendText", "Q", '"\\ud834\\udd1e"'], ["send", "𝄞", JSON_TYPE]);
});

row("values that are no JSON values are refused", async () => {
  const names = [
    "date",
    "map",
    "set",
    "bigint",
    "nan",
    "infinity",
    "undefined",
    "member",
    "inside",
    "hole",
    "cycle",
  ];
  names.push("bytes", "error", "regexp", "boxed", "function", "symbol", "symbol_key", "instance", "extra");
  for (const name of names) {
    await refused(["send", "Q", { $: name }], "QUEUE_BODY_JSON", TEXTS.QUEUE_BODY_JSON);
    if (name === "undefined") continue;
    await refused(["sendBatch", "Q", [{ body: { $: name } }]], "QUEUE_BODY_JSON", TEXTS.QUEUE_BODY_JSON, 0);
  }
  await sent(["send", "Q", { $: "bare" }], ["send", { a: 1 }, JSON_TYPE]);
  await sent(["send", "Q", { $: "minus_zero" }], ["send", 0, JSON_TYPE]);
});

row("numbers, keys and escapes arrive as JSON.stringify(JSON.parse(text)) gives them", async () => {
  const texts = [
    "9007199254740993",
    "1.0",
    "-0",
    "1e21",
    "1E-7",
    '{"b":1,"a":2,"b":3,"10":4,"9":5}',
    '"\\u0041\\/"',
  ];
  texts.push('{"__proto__":{"a":1},"constructor":2}', " [ 1 , 2 ] ", "5e-324", "1.7976931348623157e308");
  for (const text of texts) {
    const { calls } = await produce("sendText", "Q", text);
    assert.equal(JSON.stringify(calls[0][1]), JSON.stringify(JSON.parse(text)));
  }
});

row("an empty name is an error of queues, and comes before everything else", async () => {
  for (const name of ["", null, { $: "undefined" }, 1]) {
    await refused(["send", name, { $: "date" }, -1], "QUEUE_BINDING", TEXTS.QUEUE_BINDING);
    await refused(["sendText", name, "{"], "QUEUE_BINDING", TEXTS.QUEUE_BINDING);
    await refused(["sendBatch", name, []], "QUEUE_BINDING", TEXTS.QUEUE_BINDING);
    await refused(["sendBatchText", name, "{"], "QUEUE_BINDING", TEXTS.QUEUE_BINDING);
  }
});

row("a name that is not granted or not bound is a fault of the deployment", async () => {
  const names = ["UNGRANTED", "GONE", "PLAIN", "NOWHERE", "toString", "Q\n"];
  for (const name of names) {
    for (const call of [
      ["send", name, 1],
      ["sendText", name, "{"],
      ["sendBatch", name, []],
      ["sendBatchText", name, "["],
    ]) {
      const { error, calls } = await produce(...call);
      assert.deepEqual([error.code, error.name, calls], ["DEPLOYMENT", "DeploymentError", []]);
      assert.deepEqual(error.types, ["DeploymentError", "EventFault"]);
      assert.match(error.message, /is not (granted|configured)/);
    }
  }
  const fault = { name: "DeploymentError", code: "DEPLOYMENT", queue: false, deployment: true };
  assert.deepEqual(await ask(worker, "fault"), fault);
});

row("the configuration is read whole", async () => {
  const bound = { store: "cloudflare", queue: "pages" };
  const good = [
    {},
    { grants: { QUEUE: ["Q"] }, queues: { Q: bound, MORE: bound } },
    '{"grants":{"QUEUE":[]}}',
  ];
  for (const config of good) assert.equal((await ask(worker, "configure", config)).error, undefined);
  const bad = [
    null,
    "{",
    { grant: {} },
    { grants: { QUEUE: "Q" } },
    { queues: { Q: { ...bound, store: "sqlite:./q" } } },
  ];
  bad.push({ queues: { Q: { ...bound, settings: { max_retries: 0 } } } });
  for (const config of bad) {
    const { error } = await ask(worker, "configure", config);
    assert.equal(error?.code, "INVALID_OPTIONS", JSON.stringify(config));
    assert.deepEqual(error.types, ["PosthouseError"]);
  }
  const { error } = await ask(worker, "consume", 7);
  assert.match(error.message, /number; give the handler/);
});
