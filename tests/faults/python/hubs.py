"""What the fault tests share: hubs with short times, and waits for what will be true."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any, TypeVar

import posthouse.sync
from posthouse import Hub, PosthouseError, Variable

T = TypeVar("T")

PATIENCE = 30.0
"""Seconds that any wait lasts at most; generous, as a loaded machine is slow."""
LONG = 60.0
"""For operations that must end by something else."""
WATCHFUL: dict[str, Any] = {"ping_interval": 0.7}
"""For hubs that shall notice a silent link soon: on a busy machine a healthy one is silent, too."""


def options(url: str | list[str], **more: Any) -> dict[str, Any]:
    """The options of every hub here, and `more`."""
    given = {"servers": url, "timeout": 20.0, "peer_timeout": 0.5, "health_interval": 1.0}
    return {**given, **more}


def hub_at(namespace: str, url: str | list[str], **more: Any) -> Hub:
    """A hub that need not be connected yet."""
    return Hub(namespace, **options(url, **more))


async def connected(namespace: str, url: str | list[str], **more: Any) -> Hub:
    """A connected hub."""
    return await hub_at(namespace, url, **more).connected()


async def until(what: str, condition: Callable[[], object]) -> None:
    """Waits until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        await asyncio.sleep(0.005)


async def soon(what: str, awaitable: Awaitable[T]) -> T:
    """The result of something that must not take for ever."""
    try:
        return await asyncio.wait_for(asyncio.ensure_future(awaitable), PATIENCE)
    except asyncio.TimeoutError:
        raise AssertionError(f"waited in vain for {what}") from None


async def lost(hub: Hub) -> None:
    """Waits until the hub has noticed that its connection is gone."""
    await until("the loss is noticed", lambda: hub.state != "connected")


async def reconnected(hub: Hub, times: int) -> None:
    """Waits until the hub has been connected again for the `times`th time."""
    await until("it is connected again", lambda: is_back(hub, times))


def is_back(hub: Hub | posthouse.sync.Hub, times: int) -> bool:
    status = hub.status()
    return status["connection"] == "connected" and status["reconnects"] >= times


async def code_of(awaitable: Awaitable[object]) -> str | None:
    """The code that an operation fails with."""
    try:
        await soon("an operation", awaitable)
    except PosthouseError as error:
        return error.code
    return None


async def served(variable: Variable, data: Any) -> Any:
    """The answer to a request that another server's clients serve, once the servers have told each
    other that there is somebody."""
    while True:
        try:
            return await variable.req(data, timeout=LONG)
        except PosthouseError as error:
            if error.code != "NO_RESPONDERS":
                raise


class Seen:
    """Gathers what a handler sees."""

    def __init__(self) -> None:
        self.all: list[Any] = []

    async def subscribe(self, hub: Hub, name: str) -> None:
        """Notes every message from now on."""
        await hub.var(name).sub(self.all.append, pending_messages=100_000, pending_bytes=1 << 27)

    async def wait_for(self, count: int) -> None:
        """Waits until there are so many."""
        await until(f"{count} messages were seen", lambda: len(self.all) >= count)


def increasing(numbers: list[int]) -> bool:
    """Whether nothing came twice or out of order."""
    return all(a < b for a, b in pairwise(numbers))
