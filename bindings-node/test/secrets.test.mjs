// R39: a secret is in no error, log, status, report or printed form, in whatever way it was told.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { broker, run } from "./support.mjs";

let url;
before(async () => {
  ({ url } = await broker());
});

const SEED = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

const PROGRAM = `
  const channel = require("node:diagnostics_channel");
  const { inspect } = require("node:util");
  const { Hub } = require("posthouse");
  const url = process.env.URL;
  channel.subscribe("posthouse:log", (line) => console.log(line));
  const at = (who) => url.replace("://", "://" + who + "@");
  const ways = [
    { servers: [at("u:S3CR3T")] }, { servers: [at("T0K3N")] }, { servers: ["nats://u:S3CR3T@127.0.0.1:1"] },
    { servers: [url], token: "T0K3N" }, { servers: [url], user: "u", password: "S3CR3T" },
    { servers: [url], nkey: "${SEED}" }, { servers: [url], token: () => "T0K3N" },
    { servers: [url], credentials: () => "S3CR3T" }, { servers: [url], password: "S3CR3T" },
    { servers: ["nats://u:S3CR3T@[bad"] }, { servers: ["gopher://u:S3CR3T@x"] }, { servers: [url], token: "T0K3N\\n" },
  ];
  const show = (thing) => console.log(inspect(thing, { depth: 9, showHidden: true }), String(thing), JSON.stringify(thing));
  (async () => {
    for (const options of ways) {
      try {
        const hub = new Hub("x", { ...options, timeout: 300 });
        await hub.connected().catch(show);
        await hub.var("x").req(1).catch(show);
        show(hub); show(hub.var("x")); show(hub.status()); show(hub.instances.list());
        await hub.close();
      } catch (error) { show(error); }
    }
    console.log("all told");
  })();`;

test("no secret is shown anywhere", async () => {
  const { code, out, errors } = await run(["-e", PROGRAM], { env: { URL: url, POSTHOUSE_LOG: "debug" } });
  assert.equal(code, 0, errors);
  assert.match(out, /all told/);
  const shown = out + errors;
  for (const secret of ["S3CR3T", "T0K3N", SEED]) {
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    ];
    for (const form of forms) assert.ok(!shown.includes(form), `${form} is shown`);
  }
});
