"""A fault inside the library: an error where it happened, the end of that hub, and of nothing else.

The compiled module is the one that can fail on purpose; it is put in the place of the real one
before the package is imported.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

path, place, url = sys.argv[1:]
spec = importlib.util.spec_from_file_location("posthouse._core", path)
assert spec is not None
assert spec.loader is not None
core = importlib.util.module_from_spec(spec)
sys.modules["posthouse._core"] = core
spec.loader.exec_module(core)

import posthouse  # noqa: E402
import posthouse.sync  # noqa: E402
from posthouse import PosthouseError  # noqa: E402


def code(call: Any, *arguments: Any, **options: Any) -> str:
    try:
        call(*arguments, **options)
    except PosthouseError as error:
        return error.code
    return "none"


async def code_of(awaitable: Any) -> str:
    try:
        await awaitable
    except PosthouseError as error:
        return error.code
    return "none"


async def asynchronous() -> None:
    async with posthouse.Hub("panic", servers=url) as other:
        hub = await posthouse.Hub("panic", servers=url).connected()
        silent, x, asked = hub.var("silent"), hub.var("x"), asyncio.Event()
        await other.var("silent").sub(lambda _: asked.set())
        ended: list[Any] = []
        subscription = await hub.var("events").sub()

        async def iterate() -> None:
            ended.extend([event async for event in subscription])

        waiting = [
            asyncio.ensure_future(code_of(silent.req(1, timeout=60))),
            asyncio.ensure_future(code_of(silent.request_many(1, timeout=60))),
        ]
        iterating = asyncio.ensure_future(code_of(iterate()))
        await asked.wait()
        print("asyncio fail", code(hub._core.fail, place))
        if place != "here":
            print("asyncio waiting", *await asyncio.gather(*waiting))
            await iterating
            print("asyncio later", await code_of(x.pub(1)))
        else:
            print("asyncio later", await code_of(x.pub(1)))
            for task in (*waiting, iterating):
                task.cancel()
        await hub.close()
        await other.var("y").handle(lambda data: data)
        print("asyncio other", await other.var("y").req(7))


def blocking() -> None:
    with posthouse.sync.Hub("panic", servers=url) as other, ThreadPoolExecutor() as threads:
        hub = posthouse.sync.Hub("panic", servers=url).connected()
        asked, silent = threading.Event(), hub.var("silent")
        other.var("silent").sub(lambda _: asked.set())
        subscription, x = hub.var("events").sub(), hub.var("x")
        timeout = 60 if place != "here" else 1
        request = threads.submit(code, silent.req, 1, timeout=timeout)
        loop = threads.submit(code, list, subscription)
        asked.wait()
        print("sync fail", code(hub._core.fail, place))
        print("sync waiting", request.result())
        print("sync later", code(x.pub, 1))
        hub.close()
        loop.result()
        other.var("y").handle(lambda data: data)
        print("sync other", other.var("y").req(7))


asyncio.run(asynchronous())
blocking()
