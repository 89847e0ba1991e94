// What the declarations must accept and refuse; checked by tsc, never run.

import type { Context, Json, ManyResult, Reply, Subscription } from "posthouse";
import { ErrorCode, Headers, Hub, PosthouseError, version } from "posthouse";

interface Lamp {
  on: boolean;
}

export async function accepts(): Promise<void> {
  await using hub = new Hub("workshop", {
    servers: ["nats://127.0.0.1:4222"],
    node: "auto",
    token: async () => "told",
    messaging: { subscriptions: 3 },
    onCallbackError: (error) => error.code satisfies string,
  });
  await hub.connected(100);
  const lamp = hub.var<Lamp>("lamp");
  await lamp.set({ on: true });
  const value: Lamp | undefined = lamp.value;
  const known: Lamp | null = lamp.get(null);
  const stop = lamp.watch((state, meta) => [state?.on, meta.version?.counter]);
  stop();
  for await (const [state] of lamp.watch()) state?.on satisfies boolean | undefined;
  const subscription: Subscription<Lamp> = await lamp.sub(async (wish, ctx) => {
    await ctx.reply(wish, { headers: { "x-took": ["1", "2"] } });
  });
  for await (const [wish, ctx] of await lamp.subscribe({ queue: "q" })) {
    wish.on satisfies boolean;
    ctx satisfies Context;
  }
  await lamp.handle((wish, ctx) => {
    ctx.replyHeaders = { "x-a": "b" };
    ctx.replyHeaders.set("x-c", "d");
    return { done: wish };
  });
  const reply: Reply = await lamp.req(null, { details: true, signal: AbortSignal.timeout(5) });
  const many: ManyResult = await lamp.requestMany(undefined, { details: true, maxReplies: 2 });
  const all: unknown[] = await lamp.requestMany();
  await subscription.drain({ timeout: 5 });
  const failure = new PosthouseError(ErrorCode.TIMEOUT, "late");
  void [value, known, reply.headers.get("x"), many.reason, all, failure.limit, version, new Headers()];
  ({ a: [1, null, "x", { b: true }] }) satisfies Json;
}

export async function refuses(): Promise<void> {
  // @ts-expect-error: an option that does not exist
  const hub = new Hub("workshop", { timout: 5 });
  // @ts-expect-error: a value of another type
  await hub.var<Lamp>("lamp").set({ on: 1 });
  // @ts-expect-error: a handler's context has no reply
  await hub.var("lamp").handle((_, ctx) => ctx.reply(1));
  // @ts-expect-error: not JSON
  ({ a: undefined }) satisfies Json;
}
