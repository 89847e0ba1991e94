"""The Python agent of the shared scenarios: requests on standard input, answers and events on standard
output, as the corpus' README tells. It uses the public interface of `posthouse` only."""
import asyncio
import json
import sys

from posthouse import UNSET, Hub

CAPABILITIES = ["state", "messages", "queue", "headers", "collect", "in-handler", "context", "cancel", "node",
                "named-options", "own-limits", "limit-in-errors", "instance-list", "one-connection", "surrogates",
                "websocket"]
SECONDS = {"timeout", "peer_timeout", "health_interval", "probe_interval", "ping_interval"}
hubs, subs, watches, gates, contexts, requests = {}, {}, {}, {}, {}, {}


def tell(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def event(kind, stream, **fields):
    tell({"event": kind, "stream": stream, **fields})


def failure(error):
    if isinstance(error, asyncio.CancelledError):  # Python's own way of cancelling
        return {"code": "CANCELLED", "message": "the task was cancelled"}
    out = {"code": getattr(error, "code", type(error).__name__), "message": getattr(error, "message", str(error))}
    out |= {k: getattr(error, k) for k in ("limit", "actual") if getattr(error, k, None) is not None}
    partial = getattr(error, "partial_replies", None)
    return out | ({} if partial is None else {"partial_replies": [reply(r) for r in partial]})


def reply(r):
    return {"data": r.data, "headers": r.headers.entries()} if hasattr(r, "headers") else r


def pick(r, *keys):
    return {k: r[k] / 1000 if k in SECONDS else r[k] for k in keys if k in r}


def data(r):
    special = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf"), "surrogate": "\ud800"}
    return special[r["special"]] if "special" in r else r.get("data")


def value(v):
    return {} if v is UNSET else {"value": v}


def gate(name):
    return gates.setdefault(name, asyncio.Event())


def handler(r):
    async def called(call):
        try:
            event("call", r["as"] + ".calls", ok=await call)
        except Exception as error:
            event("call", r["as"] + ".calls", error=failure(error))

    async def handle(body, ctx):
        got = {k: {"get": ctx.headers.get(k), "all": ctx.headers.get_all(k)} for k in r.get("look", ())}
        event("message", r["as"], data=body, topic=ctx.topic, headers=ctx.headers.entries(), got=got)
        result = None
        for action in r.get("do", ()):
            verb, what = next(iter(action.items()))
            if verb == "echo":
                result = body
            elif verb == "return":
                result = what
            elif verb == "wait":
                await gate(what).wait()
            elif verb == "reply_headers":
                for name, values in what.items():
                    ctx.reply_headers[name] = values
            elif verb == "keep":
                contexts[what] = ctx
            elif verb == "reply":
                await called(answer(ctx, what, action.get("headers")))
            elif verb == "call":
                await called(run(what))
            else:
                raise RuntimeError(what)
        event("done", r["as"] + ".done")
        return result

    return handle


async def answer(ctx, body, headers):
    await ctx.reply(body, headers=headers)


def watcher(r, show):
    def watch(*args):
        show(*args)
        if "raise" in r:
            raise RuntimeError(r["raise"])
    return watch


async def run(r):
    op, stream, name = r["op"], r.get("as"), r.get("hub")
    if op == "reset":
        for opened in gates.values():
            opened.set()
        await asyncio.gather(*(hub.close() for hub in hubs.values()))
        for store in (hubs, subs, watches, gates, contexts, requests):
            store.clear()
    elif op == "open":
        hubs[name] = Hub(r.get("namespace"), **pick(r.get("options", {}), *r.get("options", {})))
    elif op == "release":
        gate(r["gate"]).set()
    elif op == "cancel":
        requests[r["target"]].cancel()
    elif op == "context_reply":
        await answer(contexts[r["context"]], r["data"], r.get("headers"))
    elif op == "unwatch":
        watches.pop(stream)()
    elif op == "unsubscribe":
        await subs[stream].unsubscribe()
    elif op == "drain_sub":
        await subs[stream].drain(**pick(r, "timeout"))
    elif op == "sub_status":
        return subs[stream].status()
    elif "var" in r:
        return await on_variable(hubs[name].var(r["var"]), op, stream, r)
    elif op in ("status", "namespace", "instance_id"):
        found = getattr(hubs[name], op)
        return found() if op == "status" else found
    elif op == "instances":
        return await hubs[name].instances.list()
    elif op == "watch_hub":
        watches[stream] = hubs[name].watch(watcher(r, lambda status: event("status", stream, status=status)))
    else:
        await getattr(hubs[name], op)(**pick(r, "timeout"))


async def on_variable(var, op, stream, r):
    if op == "get":
        return value(var.get(r["fallback"]) if "fallback" in r else var.get())
    if op in ("value", "meta"):
        return value(var.value) if op == "value" else var.meta
    if op == "var_ready":
        await var.ready()
    elif op == "watch":
        watches[stream] = var.watch(watcher(r, lambda v, meta: event("watch", stream, **value(v), meta=meta)))
    elif op == "watch_value":
        watches[stream] = var.watch_value(watcher(r, lambda v: event("watch", stream, **value(v))))
    elif op in ("sub", "subscribe", "handle"):
        options = pick(r, "queue", "pending_messages", "pending_bytes")
        subs[stream] = await getattr(var, op)(handler(r), with_context=True, **options)
    elif op in ("req", "request", "request_many"):
        body = (data(r),) if "data" in r or "special" in r else ()
        options = pick(r, "timeout", "headers", "details", "max_replies", "max_bytes")
        got = await getattr(var, op)(*body, **options)
        if not r.get("details"):
            return got
        return reply(got) if hasattr(got, "data") else {"replies": [*map(reply, got.replies)], "reason": got.reason}
    else:  # set, delete, pub, publish
        body = () if op == "delete" else (data(r),)
        await getattr(var, op)(*body, **pick(r, "headers"))


async def serve(r):
    requests[r.get("label")] = asyncio.current_task()
    try:
        tell({"id": r["id"], "ok": await run(r)})
    except (Exception, asyncio.CancelledError) as error:
        tell({"id": r["id"], "error": failure(error)})


async def main():
    event("hello", "hello", language="python", capabilities=CAPABILITIES)
    reader = asyncio.StreamReader(limit=1 << 22)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    tasks = set()
    while line := await reader.readline():
        tasks.add(task := asyncio.create_task(serve(json.loads(line))))
        task.add_done_callback(tasks.discard)


asyncio.run(main())
