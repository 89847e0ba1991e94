"""A program that forks with a hub open: forking.py URL. Prints what it finds, one line each."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import posthouse
import posthouse.sync

URL = sys.argv[1]


def code_of(call: Callable[[], Any]) -> str:
    """What a call says, and that it said so at once."""
    start = time.monotonic()
    try:
        call()
    except posthouse.PosthouseError as error:
        slow = " late" if time.monotonic() - start > 1 else ""
        return error.code + slow
    return "no error"


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def child(hub: posthouse.sync.Hub, name: posthouse.sync.Variable, other: posthouse.Hub) -> None:
    calls: dict[str, Callable[[], Any]] = {
        "pub": lambda: name.pub(1),
        "set": lambda: name.set(1),
        "get": lambda: name.get(),
        "meta": lambda: name.meta,
        "req": lambda: name.req(1),
        "sub": lambda: name.sub(print),
        "var": lambda: hub.var("another"),
        "flush": lambda: hub.flush(),
        "status": lambda: hub.status(),
        "drain": lambda: hub.drain(),
        "close": lambda: hub.close(),
        "connected": lambda: hub.connected(),
        "new": lambda: posthouse.sync.Hub("x", servers=URL),
        "async": lambda: asyncio.run(awaited(other)),
    }
    for what, call in calls.items():
        say("child", what, code_of(call))


async def awaited(hub: posthouse.Hub) -> None:
    await hub.var("x").pub(1)


def main() -> None:
    early = os.fork()
    if early == 0:
        # Nothing was opened before this fork: the child may.
        with posthouse.sync.Hub("fork", servers=URL) as hub:
            hub.var("early").set(1)
            say("early", hub.var("early").value)
        sys.exit(0)
    os.waitpid(early, 0)

    hub = posthouse.sync.Hub("fork", servers=URL)
    hub.connected(10)
    name = hub.var("x")
    name.handle(lambda data: data)
    other = posthouse.Hub("fork", servers=URL)
    for leave in (os._exit, sys.exit):
        pid = os.fork()
        if pid == 0:
            child(hub, name, other)
            leave(0)
        _, status = os.waitpid(pid, 0)
        say("parent", "child ended", os.waitstatus_to_exitcode(status))
        say("parent", "answer", name.req(7))
    hub.close()


if __name__ == "__main__":
    main()
