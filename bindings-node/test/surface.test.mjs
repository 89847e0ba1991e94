// The declarations and the live module say the same, and both what the table says.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import test, { before } from "node:test";
import { fileURLToPath } from "node:url";
import * as posthouse from "posthouse";
import { broker, connected, deferred } from "./support.mjs";

const top = fileURLToPath(new URL("../..", import.meta.url));
const tools = path.join(
  process.env.CARGO_TARGET_DIR ?? path.join(top, "target"),
  "node-tools",
  "package.json",
);
const ts = createRequire(tools)("typescript");

const files = ["index.d.ts", "generated.d.ts"].map((name) => path.join(top, "bindings-node", "lib", name));
const program = ts.createProgram(files, { types: [], target: ts.ScriptTarget.ESNext });
const checker = program.getTypeChecker();

/** What `index.d.ts` exports. */
function exported() {
  const source = program.getSourceFile(files[0]);
  return checker.getExportsOfModule(checker.getSymbolAtLocation(source));
}

/** The members that the declaration of a class or an interface has. */
function declared(name) {
  const symbol = exported().find((one) => one.name === name);
  assert.ok(symbol, `${name} is not declared`);
  return checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    .filter((member) => member.parent?.name === name)
    .map((member) => (member.name.startsWith("__@") ? member.name.slice(3).split("@")[0] : member.name))
    .sort();
}

/** The public members that an object has, its own and those of its classes. */
function live(object, last = Object.prototype) {
  const names = new Set();
  for (let at = object; at !== null && at !== last; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) {
      if (typeof key === "string") {
        if (!key.startsWith("_") && key !== "constructor") names.add(key);
      } else {
        const name = ["asyncDispose", "asyncIterator", "iterator"].find((one) => key === Symbol[one]);
        if (name !== undefined) names.add(name);
      }
    }
  }
  return [...names].sort();
}

let url;
before(async () => {
  ({ url } = await broker());
});

test("every value is declared, and every declared value is there", () => {
  const values = exported().filter((one) => {
    const symbol = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one;
    return symbol.flags & ts.SymbolFlags.Value;
  });
  assert.deepEqual(
    values.map((one) => one.name).sort(),
    Object.keys(posthouse)
      .filter((name) => name !== "default")
      .sort(),
  );
});

test("every member is declared, and every declared member is there", async (t) => {
  const hub = await connected(t, url);
  const variable = hub.var("surface");
  const seen = deferred();
  const subscription = await variable.sub((_, ctx) => seen.resolve(ctx));
  await variable.pub(1);
  const handled = deferred();
  await hub.var("answers").handle((_, ctx) => handled.resolve(ctx));
  await hub.var("answers").req();
  const error = new posthouse.PosthouseError("TIMEOUT", "late", 1, 2);
  const objects = {
    Hub: hub,
    Instances: hub.instances,
    Variable: variable,
    Subscription: subscription,
    Context: await seen.promise,
    HandleContext: await handled.promise,
    Headers: new posthouse.Headers(),
    Meta: variable.meta,
    SubscriptionStatus: subscription.status(),
  };
  for (const [name, object] of Object.entries(objects)) assert.deepEqual(live(object), declared(name), name);
  const of = live(error, Error.prototype).filter((name) => !["stack", "message", "name"].includes(name));
  assert.deepEqual(of, declared("PosthouseError"));
});

test("the options of the declarations are those of the core", () => {
  const groups = { hub: "HubOptions", tls: "TlsOptions", messaging: "MessagingOptions" };
  const valid = { messaging: {}, tls: {}, selection: {}, onCallbackError: () => {}, node: false };
  for (const name of declared(groups.hub)) {
    const value = valid[name] ?? (/^(servers|token|user|password|nkey|credentials)$/.test(name) ? "x" : 1);
    // Contradictions may be refused; unknown names must not come up.
    try {
      new posthouse.Hub("surface", { servers: ["nats://127.0.0.1:1"], [name]: value }).close();
    } catch (error) {
      assert.doesNotMatch(error.message, /there is no option/, name);
    }
  }
  for (const name of declared(groups.messaging)) {
    new posthouse.Hub("surface", { servers: ["nats://127.0.0.1:1"], messaging: { [name]: 7 } }).close();
  }
});

test("the codes are the table's", () => {
  assert.ok(Object.isFrozen(posthouse.ErrorCode));
  for (const [name, code] of Object.entries(posthouse.ErrorCode)) assert.equal(name, code);
  assert.ok(Object.keys(posthouse.ErrorCode).length >= 30);
});
