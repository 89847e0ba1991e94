"""A program with live subscriptions, watches and pending requests that ends in a given way.

    ending.py FACE WAY URL

FACE is asyncio, uvloop or sync; WAY is one of eof, exit, exception, return, wait. It prints
``ready`` once everything is live; with ``wait`` it then waits to be interrupted.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import posthouse
import posthouse.sync

EXIT_CODE = 3


def end(way: str) -> None:
    print("ready", flush=True)
    if way == "exit":
        sys.exit(EXIT_CODE)
    if way == "exception":
        raise ValueError("boom")


async def set_up(hub: posthouse.Hub) -> list[Any]:
    async def silent(data: Any) -> None:
        await asyncio.sleep(3600)

    await hub.connected(10)
    events = hub.var("events")
    await events.sub(lambda data: None)
    await events.sub(silent)
    await hub.var("silent").handle(silent)
    iterated = await events.sub()
    events.watch_value(lambda value: None)
    hub.watch(lambda status: None)
    hub.instances.watch(lambda instances: None)
    for n in range(100):
        await events.pub(n)
        await events.set(n)

    async def iterate() -> None:
        async for _ in iterated:
            pass

    async def ask() -> None:
        await hub.var("silent").req(1, timeout=3600)

    pending = [hub.var("silent").req(n, timeout=3600) for n in range(10)]
    return [*pending, asyncio.create_task(iterate()), asyncio.create_task(ask())]


async def main(way: str, url: str) -> None:
    hub = posthouse.Hub("lifecycle", servers=url)
    pending = await set_up(hub)
    await asyncio.sleep(0.02)
    end(way)
    if way == "wait":
        await asyncio.sleep(3600)
    del pending


def asynchronous(way: str, url: str) -> None:
    if way != "eof":
        asyncio.run(main(way, url))
        return
    # The file ends, and the loop with everything in it is still there.
    global keep
    loop = asyncio.new_event_loop()
    hub = posthouse.Hub("lifecycle", servers=url)

    async def without_tasks() -> list[Any]:
        return [item for item in await set_up(hub) if not quiet(item)]

    def quiet(item: Any) -> bool:
        # The program's own tasks would tell that they are still pending.
        if isinstance(item, asyncio.Task):
            item.cancel()
            return True
        return False

    pending = loop.run_until_complete(without_tasks())
    loop.run_until_complete(asyncio.sleep(0.02))
    keep = (loop, hub, pending)
    end(way)


def blocking(way: str, url: str) -> None:
    global keep
    hub = posthouse.sync.Hub("lifecycle", servers=url)
    hub.connected(10)
    events = hub.var("events")
    events.sub(lambda data: None)
    hub.var("silent").sub(lambda data: None)
    events.watch_value(lambda value: None)
    hub.watch(lambda status: None)
    for n in range(100):
        events.pub(n)
        events.set(n)
    keep = hub
    end(way)
    if way == "wait":
        hub.var("silent").req(1, timeout=3600)


keep: Any = None

if __name__ == "__main__":
    face, way, url = sys.argv[1:]
    if face == "uvloop":
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    if face == "sync":
        blocking(way, url)
    else:
        asynchronous(way, url)
