"""What an agent in Python does, whichever of two packages with the same interface it is about.

Requests on standard input, answers and events on standard output, as the corpus' README tells.
"""

import asyncio
import json
import sys

hubs, subs, watches, gates, contexts, tasks = {}, {}, {}, {}, {}, {}
SECONDS = ("timeout", "peer_timeout", "health_interval", "probe_interval", "ping_interval")
SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": -float("inf"), "surrogate": "\ud800"}


def tell(**line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def pick(fields, *keys):
    """Those of the fields that are given, durations in Python's unit."""
    return {k: fields[k] / 1000 if k in SECONDS else fields[k] for k in keys if k in fields}


def data(request):
    return SPECIAL[request["special"]] if "special" in request else request.get("data")


class Agent:
    """The interface of `posthouse`; the agent of another package overrides what differs there."""

    def __init__(self, hub, unset):
        self.hub, self.unset = hub, unset

    def gate(self, name):
        return gates.setdefault(name, asyncio.Event())

    async def answer(self, ctx, body, headers):
        await ctx.reply(body, headers=headers)

    def open(self, namespace, options):
        return self.hub(namespace, **options)

    def entries(self, headers):
        return headers.entries()

    async def instances(self, hub):
        return await hub.instances.list()

    def value(self, value):
        return {} if value is self.unset else {"value": value}

    def reply(self, reply):
        return {"data": reply.data, "headers": self.entries(reply.headers)}

    def failure(self, error):
        if isinstance(error, asyncio.CancelledError):  # Python's own way of cancelling
            return {"code": "CANCELLED", "message": "the task was cancelled"}
        out = {
            "code": getattr(error, "code", type(error).__name__),
            "message": getattr(error, "message", str(error)),
        }
        figures = {k: getattr(error, k, None) for k in ("limit", "actual")}
        out |= {k: figure for k, figure in figures.items() if figure is not None}
        partial = getattr(error, "partial_replies", None) or []
        replies = [self.reply(r) if hasattr(r, "headers") else r for r in partial]
        return out | {"partial_replies": replies}

    async def attempt(self, call):
        try:
            return {"ok": await call}
        except (Exception, asyncio.CancelledError) as error:
            return {"error": self.failure(error)}

    def seen(self, request, ctx):
        look = request.get("look", ())
        got = {k: {"get": ctx.headers.get(k), "all": ctx.headers.get_all(k)} for k in look}
        return {"topic": ctx.topic, "headers": self.entries(ctx.headers), "got": got}

    def handler(self, request):
        stream = request["as"]

        async def handle(body, ctx):
            tell(event="message", stream=stream, data=body, **self.seen(request, ctx))
            result = None
            for action in request.get("do", ()):
                verb, what = next(iter(action.items()))
                if verb in ("echo", "return"):
                    result = body if verb == "echo" else what
                elif verb == "wait":
                    await self.gate(what).wait()
                elif verb == "reply_headers":
                    self.reply_headers(ctx, what)
                elif verb == "keep":
                    contexts[what] = ctx
                elif verb in ("reply", "call"):
                    headers = action.get("headers")
                    call = self.run(what) if verb == "call" else self.answer(ctx, what, headers)
                    tell(event="call", stream=f"{stream}.calls", **await self.attempt(call))
                else:
                    raise RuntimeError(what)
            tell(event="done", stream=f"{stream}.done")
            return result

        return handle

    def reply_headers(self, ctx, headers):
        for name, values in headers.items():
            ctx.reply_headers[name] = values

    def watcher(self, r, show):
        def watch(*args):
            tell(stream=r["as"], **show(*args))
            if "raise" in r:
                raise RuntimeError(r["raise"])

        return watch

    async def run(self, r):
        op, stream = r["op"], r.get("as")
        if op == "reset":
            for opened in gates.values():
                opened.set()
            await asyncio.gather(*(hub.close() for hub in hubs.values()), return_exceptions=True)
            for store in (hubs, subs, watches, gates, contexts, tasks):
                store.clear()
        elif op == "open":
            options = r.get("options", {})
            hubs[r["hub"]] = self.open(r.get("namespace"), pick(options, *options))
        elif op == "release":
            self.gate(r["gate"]).set()
        elif op == "cancel":
            tasks[r["target"]].cancel()
        elif op == "context_reply":
            await self.answer(contexts[r["context"]], r["data"], r.get("headers"))
        elif op == "unwatch":
            watches.pop(stream)()
        elif op == "sub_status":
            return subs[stream].status()
        elif op in ("unsubscribe", "drain_sub"):
            await getattr(subs[stream], op.removesuffix("_sub"))(**pick(r, "timeout"))
        elif "var" in r:
            return await self.on_variable(hubs[r["hub"]].var(r["var"]), op, r)
        else:
            return await self.on_hub(hubs[r["hub"]], op, r)
        return None

    async def on_hub(self, hub, op, r):
        if op in ("status", "namespace", "instance_id"):
            return hub.status() if op == "status" else getattr(hub, op)
        if op == "instances":
            return await self.instances(hub)
        if op == "watch_hub":
            show = self.watcher(r, lambda *_: {"event": "status", "status": hub.status()})
            watches[r["as"]] = hub.watch(show)
        else:
            await getattr(hub, op)(**pick(r, "timeout"))
        return None

    async def on_variable(self, var, op, r):
        if op in ("get", "value"):
            fallback = (r["fallback"],) if "fallback" in r else ()
            return self.value(var.get(*fallback) if op == "get" else var.value)
        if op == "meta":
            return var.meta
        if op in ("watch", "watch_value"):
            metas = lambda meta: {"meta": meta[0]} if meta else {}  # noqa: E731
            show = lambda v, *m: {"event": "watch", **self.value(v), **metas(m)}  # noqa: E731
            watches[r["as"]] = getattr(var, op)(self.watcher(r, show))
        elif op in ("sub", "subscribe", "handle"):
            options = pick(r, "queue", "pending_messages", "pending_bytes")
            subs[r["as"]] = await getattr(var, op)(self.handler(r), with_context=True, **options)
        elif op in ("req", "request", "request_many"):
            body = (data(r),) if "data" in r or "special" in r else ()
            options = pick(r, "timeout", "headers", "details", "max_replies", "max_bytes")
            got = await getattr(var, op)(*body, **options)
            if not r.get("details"):
                return got
            if op != "request_many":
                return self.reply(got)
            return {"replies": [self.reply(one) for one in got.replies], "reason": got.reason}
        else:  # set, delete, var_ready, pub, publish
            body = () if op in ("delete", "var_ready") else (data(r),)
            await getattr(var, op.removeprefix("var_"))(*body, **pick(r, "headers"))
        return None

    async def serve(self, request):
        tasks[request.get("label")] = asyncio.current_task()
        tell(id=request["id"], **await self.attempt(self.run(request)))

    async def main(self, language, capabilities):
        tell(event="hello", stream="hello", language=language, capabilities=capabilities)
        reader = asyncio.StreamReader(limit=1 << 22)
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        running = set()
        while line := await reader.readline():
            running.add(task := asyncio.create_task(self.serve(json.loads(line))))
            task.add_done_callback(running.discard)
