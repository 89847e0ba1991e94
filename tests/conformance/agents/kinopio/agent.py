"""The agent of the peer package `kinopio-hub`: an independent implementation of the same protocol.

It runs as a process of its own and uses only what that package makes public. What it cannot do
is not in CAPABILITIES; what it does otherwise is excused in `expectations/kinopio.toml`.
"""
import asyncio, json, sys
from kinopio_hub import UNSET, KinopioHub

CAPABILITIES = ["state", "messages", "patterns", "queue", "headers", "collect", "many-hubs", "in-handler", "context",
                "cancel", "surrogates", "instance-list"]
hubs, subs, gates, contexts, tasks, watches = {}, {}, {}, {}, {}, {}


def emit(stream, event, **fields):
    line = json.dumps({"event": event, "stream": stream, **fields})
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def fault(error):
    out = {"code": getattr(error, "code", "NATIVE"), "message": str(error)}
    if getattr(error, "partial_replies", None) is not None:
        out["partial_replies"] = [reply(r) for r in error.partial_replies]
    if isinstance(error, asyncio.CancelledError):
        out["code"] = "CANCELLED"
    return out


def seconds(request):
    return {k: request[k] / 1000 for k in ("timeout",) if k in request}


def known(**fields):
    return {k: v for k, v in fields.items() if v is not UNSET}


def pairs(headers, look=()):
    got = {k: {"get": headers.get(k), "all": headers.get_all(k)} for k in look}
    return {"headers": [list(e) for e in headers.items()] if headers else [], **({"got": got} if look else {})}


def reply(r):
    return {"data": r.data, **pairs(r.headers)}


def data_of(request):
    special = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf"), "surrogate": "\ud800"}
    return special[request["special"]] if "special" in request else request["data"]


async def act(actions, stream, data, ctx):
    result = None
    for action in actions:
        if "echo" in action:
            result = data
        if "return" in action:
            result = action["return"]
        if "wait" in action:
            await gates.setdefault(action["wait"], asyncio.Event()).wait()
        if "reply_headers" in action:
            ctx.reply_headers = action["reply_headers"]
        if "keep" in action:
            contexts[action["keep"]] = ctx
        if "reply" in action:
            await called(stream, ctx.reply(action["reply"], headers=action.get("headers")))
        if "call" in action:
            await called(stream, run(action["call"]))
        if "raise" in action:
            raise RuntimeError(action["raise"])
    emit(f"{stream}.done", "done")
    return result


async def called(stream, call):
    try:
        emit(f"{stream}.calls", "call", ok=await call)
    except Exception as error:
        emit(f"{stream}.calls", "call", error=fault(error))


def handler(request):
    stream = request["as"]

    async def on_message(data, ctx):
        more = {} if request["op"] == "handle" else pairs(ctx.headers, request.get("look", ()))
        emit(stream, "message", data=data, **({"topic": ctx.topic, **more} if hasattr(ctx, "topic") else {}))
        return await act(request.get("do", []), stream, data, ctx)
    return on_message


async def run(r):
    op, name = r["op"], r.get("hub")
    if op == "reset":
        for gate in gates.values():
            gate.set()
        await asyncio.gather(*(h.close() for h in hubs.values()), return_exceptions=True)
        for store in (hubs, subs, gates, contexts, watches):
            store.clear()
        return None
    if op == "open":
        options = {k: v / 1000 if k in ("timeout", "peer_timeout", "health_interval", "probe_interval") else v
                   for k, v in r.get("options", {}).items()}
        hubs[name] = KinopioHub(r.get("namespace"), mesh=False, discovery=False, **options)
        return None
    if op == "release":
        gates.setdefault(r["gate"], asyncio.Event()).set()
        return None
    if op == "cancel":
        tasks[r["target"]].cancel()
        return None
    if op == "context_reply":
        return await contexts[r["context"]].reply(r["data"], headers=r.get("headers"))
    hub = hubs[name]
    if op in ("connected", "flush", "drain"):
        await getattr(hub, op)(**seconds(r))
        return None
    if op in ("close", "ready"):
        await getattr(hub, op)()
        return None
    if op in ("status",):
        return hub.status()
    if op in ("namespace", "instance_id"):
        return getattr(hub, op)
    if op == "instances":
        return [{"instanceId": i["instanceId"], "state": i["online"], "status": i} for i in await hub.instances.list()]
    if op == "watch_hub":
        def show(*args):
            emit(r["as"], "status", status=hub.status())
            if "raise" in r:
                raise RuntimeError(r["raise"])
        watches[r["as"]] = hub.watch(show)
        return None
    if op == "unwatch":
        return watches.pop(r["as"])()
    if op in ("unsubscribe", "drain_sub", "sub_status"):
        sub = subs[r["as"]]
        return sub.status() if op == "sub_status" else await (
            sub.unsubscribe() if op == "unsubscribe" else sub.drain(**seconds(r)))
    var = hub.var(r["var"])
    if op == "set":
        return await var.set(data_of(r))
    if op in ("delete", "var_ready"):
        await getattr(var, op.removeprefix("var_"))()
        return None
    if op == "get":
        return known(value=var.get(r["fallback"]) if "fallback" in r else var.get())
    if op == "value":
        return known(value=var.value)
    if op == "meta":
        return var.meta
    if op in ("watch", "watch_value"):
        show = (lambda *v: emit(r["as"], "watch", **known(value=v[0]), **({"meta": v[1]} if len(v) > 1 else {})))
        watches[r["as"]] = getattr(var, op)(show)
        return None
    if op in ("pub", "publish"):
        return await getattr(var, op)(data_of(r), headers=r.get("headers"))
    if op in ("sub", "subscribe", "handle"):
        options = {k: r[k] for k in ("queue", "pending_messages", "pending_bytes") if k in r}
        subs[r["as"]] = await getattr(var, op)(handler(r), with_context=True, **options)
        return None
    if op in ("req", "request", "request_many"):
        options = {k: r[k] for k in ("headers", "details", "max_replies", "max_bytes") if k in r}
        body = (data_of(r),) if "data" in r or "special" in r else ()
        got = await getattr(var, op)(*body, **options, **seconds(r))
        if not r.get("details"):
            return got if op != "request_many" else got
        many = op == "request_many"
        return {"replies": [reply(x) for x in got.replies], "reason": got.reason} if many else reply(got)
    raise ValueError(f"this agent has no `{op}`")


async def answer(request):
    tasks[request["id"]] = tasks[request.get("label")] = asyncio.current_task()
    try:
        line = {"id": request["id"], "ok": await run(request)}
    except (Exception, asyncio.CancelledError) as error:
        line = {"id": request["id"], "error": fault(error)}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def main():
    emit("hello", "hello", language="python (kinopio-hub)", capabilities=CAPABILITIES)
    reader = asyncio.StreamReader(limit=1 << 22)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    running = set()
    while line := await reader.readline():
        task = asyncio.create_task(answer(json.loads(line)))
        running.add(task)
        task.add_done_callback(running.discard)
    await run({"op": "reset"})


asyncio.run(main())
