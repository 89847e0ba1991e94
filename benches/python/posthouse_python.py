"""Posthouse for Python as a program of the benches: ``posthouse_python.py MODE URL SUBJECT …``.

``BENCH_ASYNC=1``: handlers are ``async def`` instead of ``def``. ``BENCH_ROOM=1``: queues as large
as those of the plain NATS clients, so that a flood fits.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import Any

from contract import (
    LIMIT,
    NAMESPACE,
    Newcomer,
    Receipt,
    Sightings,
    arguments,
    ask_all,
    cpu,
    dated,
    held,
    memory_kb,
    now,
    reading,
    say,
    until_stdin_ends,
    wire,
)
from posthouse import Hub, PosthouseError

ASYNC = "BENCH_ASYNC" in os.environ
ROOM: dict[str, Any] = (
    {"pending_messages": 524_288, "pending_bytes": 128 << 20} if "BENCH_ROOM" in os.environ else {}
)
AHEAD = 64
"""Events of which a hub may be behind."""
REST = 3.0
"""How many seconds the hubs are left alone to see what they cost at rest."""


def open_hub(url: str, **messaging: int) -> Hub:
    """A hub; limits that a measure has to pass are raised, the rest is as it comes."""
    return Hub(NAMESPACE, servers=url, messaging={**ROOM, **messaging})


def of_kind(handler: Any) -> Any:
    """The handler, as the kind that is measured."""
    if not ASYNC:
        return handler

    async def asynchronous(data: Any) -> Any:
        return handler(data)

    return asynchronous


async def publish(hub: Hub, subject: str, n: int) -> None:
    var = hub.var(subject)
    waits = 0
    cpu_began, began = cpu(), now()
    for i in range(n):
        while True:
            try:
                await var.pub(reading(i))
                break
            except PosthouseError as error:
                # The outbound buffer is bounded: full, it has to be waited for.
                if error.code != "BUFFER_OVERFLOW":
                    raise
                waits += 1
                await hub.flush(timeout=LIMIT)
    await hub.flush(timeout=LIMIT)
    say(n=n, elapsed_s=now() - began, cpu_s=cpu() - cpu_began, overflow_waits=waits)


async def subscribe(hub: Hub, subject: str, n: int) -> None:
    receipt = Receipt(n)
    subscription = await hub.var(subject).sub(of_kind(receipt.take), **ROOM)
    say(ready=True, subject=wire(subject))
    await receipt.report(own_drops=lambda: subscription.status()["droppedMessages"])


async def respond(hub: Hub, subject: str) -> None:
    await hub.var(subject).handle(of_kind(lambda data: data))
    say(ready=True, subject=wire(subject))
    await until_stdin_ends()
    say(cpu_s=cpu())


async def request(hub: Hub, subject: str, n: int, in_flight: int) -> None:
    var = hub.var(subject)
    await ask_all(lambda i: var.req(reading(i), timeout=10), n, in_flight)


async def watch(hub: Hub, subject: str, n: int) -> None:
    sightings = Sightings(n)
    hub.var(subject).watch_value(sightings.see)
    say(ready=True, subject=subject)
    await sightings.report()


async def write(hub: Hub, subject: str, n: int, gap_us: int) -> None:
    var = hub.var(subject)
    for i in range(n):
        await var.set(dated(i))
        await asyncio.sleep(gap_us / 1e6)
    await hub.flush(timeout=LIMIT)
    say(n=n)


async def hold(hub: Hub, subject: str, k: int) -> None:
    memory = memory_kb()
    cpu_began, began = cpu(), now()
    for i in range(k):
        await hub.var(f"{subject}.{i}").set(held(i))
    written = cpu() - cpu_began
    while hub.status()["pendingVariables"]:
        await hub.flush(timeout=LIMIT)
    say(
        ready=True,
        subject=subject,
        set_elapsed_s=now() - began,
        set_cpu_s=cpu() - cpu_began,
        written_cpu_s=written,
        memory_kb=memory_kb() - memory,
    )
    await until_stdin_ends()


async def join(hub: Hub, subject: str, k: int, *began: float) -> None:
    newcomer = Newcomer(k, *began)
    for i in range(k):
        hub.var(f"{subject}.{i}").watch_value(newcomer.watcher())
    await newcomer.report()


class Count:
    """Counts messages of several subscriptions."""

    def __init__(self, wanted: int) -> None:
        self.wanted = self.left = wanted
        self.all = asyncio.Event()
        self.over = False

    def take(self, _message: Any) -> None:
        self.left -= 1
        if self.left == 0:
            self.all.set()

    async def report(self, of: int, **more: float) -> None:
        cpu_began, began = cpu(), now()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.all.wait(), LIMIT)
        self.over = True
        say(
            n=self.wanted,
            received=self.wanted - self.left,
            elapsed_s=now() - began,
            cpu_s=cpu() - cpu_began,
            of=of,
            **more,
        )


async def many_subscriptions(hub: Hub, subject: str, k: int, n: int) -> None:
    """K subscriptions, then N events from outside, each to the next of them."""
    count = Count(n)
    memory, cpu_began, began = memory_kb(), cpu(), now()
    names = [f"{subject}.{i}" for i in range(k)]
    for name in names:
        await hub.var(name).sub(of_kind(count.take), timeout=LIMIT, **ROOM)
    made = {
        "make_s": now() - began,
        "make_cpu_s": cpu() - cpu_began,
        "memory_kb": memory_kb() - memory,
    }
    say(ready=True, subject=wire(names[0]), subjects=[wire(name) for name in names])
    await count.report(k, **made)


async def many_hubs(url: str, subject: str, k: int, n: int) -> None:
    """K hubs of one namespace, first at rest; then events that all of them receive."""
    rounds = max(1, n // k)
    count = Count(rounds * k)
    memory, cpu_began, began = memory_kb(), cpu(), now()

    async def one() -> Hub:
        hub = open_hub(url)
        await hub.connected(timeout=LIMIT)
        await hub.var(subject).sub(of_kind(count.take), timeout=LIMIT, **ROOM)
        return hub

    hubs = await asyncio.gather(*(one() for _ in range(k)))
    made = {
        "make_s": now() - began,
        "make_cpu_s": cpu() - cpu_began,
        "memory_kb": memory_kb() - memory,
    }
    cpu_began, began = cpu(), now()
    await asyncio.sleep(REST)
    made["rest_cpu_share"] = (cpu() - cpu_began) / (now() - began)
    var = hubs[0].var(subject)

    async def send() -> None:
        for i in range(rounds):
            await var.pub(reading(i))
            # No faster than the hubs can take it: their queues are bounded.
            while (i + 1) * k - (count.wanted - count.left) > AHEAD * k and not count.over:
                await hubs[0].flush(timeout=LIMIT)

    await asyncio.gather(send(), count.report(k, **made))
    await asyncio.gather(*(hub.close() for hub in hubs))


async def main() -> None:
    mode, url, subject, numbers = arguments()
    if mode == "grow-hubs":
        await many_hubs(url, subject, *numbers)
        return
    modes: dict[str, Any] = {
        "pub": publish,
        "sub": subscribe,
        "resp": respond,
        "req": request,
        "state-watch": watch,
        "state-set": write,
        "state-hold": hold,
        "state-join": join,
        "grow-subs": many_subscriptions,
    }
    began = now(), cpu()
    raised = {"subscriptions": max(128, numbers[0])} if mode == "grow-subs" else {}
    hub = open_hub(url, **raised)
    await hub.connected(timeout=LIMIT)
    more = began if mode == "state-join" else ()
    await modes[mode](hub, subject, *numbers, *more)
    await hub.close()


asyncio.run(main())
