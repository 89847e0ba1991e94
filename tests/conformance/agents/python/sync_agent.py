"""The Python agent of the shared scenarios for the blocking face, `posthouse.sync`.

Each request has a thread, as a program's own calls would. A handler runs on the thread that the
package gives it, and what it calls, it calls there.
"""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import corpus
from posthouse import UNSET
from posthouse.sync import Hub

CAPABILITIES = (
    "queue headers collect in-handler context node named-options own-limits "
    "limit-in-errors instance-list one-connection surrogates websocket"
)
WAITS = {"connected", "ready", "flush", "drain", "close", "set", "delete", "publish", "pub"}
WAITS |= {"request", "req", "request_many", "unsubscribe", "reply"}
threads = ThreadPoolExecutor(256)


async def wait(call, *args, **options):
    """On the agent's own thread the call gets another; in a handler it stays where it is."""
    if threading.current_thread() is not threading.main_thread():
        return call(*args, **options)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(threads, partial(call, *args, **options))


class Awaited:
    """An object of the blocking face whose waiting calls can be awaited."""

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        found = getattr(self._inner, name)
        if name in ("sub", "subscribe", "handle"):
            return partial(self._subscribe, found)
        return partial(wait, found) if name in WAITS else found

    def var(self, name):
        return Awaited(self._inner.var(name))

    async def _subscribe(self, subscribe, handler, **options):
        handle = lambda data, ctx: asyncio.run(handler(data, Awaited(ctx)))  # noqa: E731
        return Awaited(await wait(subscribe, handle, **options))


class Gate(threading.Event):
    """A gate that blocks the thread of the handler."""

    async def wait(self):
        super().wait()


class SyncAgent(corpus.Agent):
    def gate(self, name):
        return corpus.gates.setdefault(name, Gate())

    def open(self, namespace, options):
        return Awaited(super().open(namespace, options))

    async def instances(self, hub):
        return await wait(hub.instances.list)


asyncio.run(SyncAgent(Hub, UNSET).main("python-sync", CAPABILITIES.split()))
