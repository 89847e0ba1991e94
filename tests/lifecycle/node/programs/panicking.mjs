// A fault inside the library: an error where it happened, the end of that hub, and of nothing else:
// `panicking.mjs ADDON PLACE URL`.
//
// The addon is the one that can fail on purpose; it is put in the place of the real one before the package is loaded.

import { createRequire } from "node:module";

const [addon, place, url] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const lib = new URL("../../../../bindings-node/lib/", import.meta.url).pathname;
const native = { exports: {} };
process.dlopen(native, addon);
native.exports.setError(require(`${lib}errors.js`).PosthouseError);
const id = require.resolve(`${lib}native.js`);
require.cache[id] = { id, filename: id, loaded: true, exports: native.exports };
const { Hub } = require(`${lib}index.js`);

const say = (...words) => console.log(words.join(" "));
const code = (promise) =>
  promise.then(
    () => "none",
    (error) => error.code,
  );
const thrown = (call) => {
  try {
    call();
    return "none";
  } catch (error) {
    return error.code;
  }
};

const other = await new Hub("panic", { servers: [url] }).connected();
const hub = await new Hub("panic", { servers: [url] }).connected();
const asked = new Promise((resolve) => void other.var("silent").sub(resolve));
await other.flush();
const events = await hub.var("events").sub();
const iterating = (async () => {
  for await (const _ of events);
})();
const handled = await hub.var("handled").handle(() => 7);
const waiting = [
  code(hub.var("silent").req(1, { timeout: 60_000 })),
  code(hub.var("silent").requestMany(1, { timeout: 60_000 })),
];
const x = hub.var("x");
await asked;
say(
  "fail",
  thrown(() => native.exports.fail(hub._id, ["here", "under-lock"].indexOf(place) >>> 0)),
);
if (place === "here") {
  say("later", await code(x.pub(1)), hub.state, handled.status().phase);
  say("handled", await other.var("handled").req(1));
} else {
  say("waiting", ...(await Promise.all(waiting)));
  say("iterating", await code(iterating));
  say(
    "later",
    await code(x.pub(1)),
    thrown(() => hub.status()),
    hub.state,
  );
}
say("close", await code(hub.close()));
say("again", await code(hub.close()));
await other.var("y").handle((data) => data);
say("other", await other.var("y").req(7), other.state);
await other.close();
