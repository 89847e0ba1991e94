"""kinopio-hub as a program of the benches: ``kinopio.py MODE URL SUBJECT NUMBERS…``."""

from __future__ import annotations

import asyncio
import contextlib
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
    now,
    reading,
    say,
    until_stdin_ends,
    wire,
)
from kinopio_hub import KinopioHub


async def publish(hub: Any, subject: str, n: int) -> None:
    var = hub.var(subject)
    waits = 0
    cpu_began, began = cpu(), now()
    for i in range(n):
        while True:
            try:
                await var.pub(reading(i))
                break
            except Exception as error:
                # The outbound buffer is bounded: full, it has to be waited for.
                if getattr(error, "code", None) != "BUFFER_OVERFLOW":
                    raise
                waits += 1
                await hub.flush(timeout=LIMIT)
    await hub.flush(timeout=LIMIT)
    say(n=n, elapsed_s=now() - began, cpu_s=cpu() - cpu_began, overflow_waits=waits)


async def subscribe(hub: Any, subject: str, n: int) -> None:
    receipt = Receipt(n)
    subscription = await hub.var(subject).sub(receipt.take)
    say(ready=True, subject=wire(subject))
    await receipt.report(own_drops=lambda: subscription.dropped)


async def respond(hub: Any, subject: str) -> None:
    await hub.var(subject).handle(lambda data: data)
    say(ready=True, subject=wire(subject))
    await until_stdin_ends()
    say(cpu_s=cpu())


async def request(hub: Any, subject: str, n: int, in_flight: int) -> None:
    var = hub.var(subject)
    await ask_all(lambda i: var.req(reading(i), timeout=10), n, in_flight)


async def watch(hub: Any, subject: str, n: int) -> None:
    sightings = Sightings(n)
    hub.var(subject).watch_value(sightings.see)
    say(ready=True, subject=subject)
    await sightings.report()


async def write(hub: Any, subject: str, n: int, gap_us: int) -> None:
    var = hub.var(subject)
    for i in range(n):
        await var.set(dated(i))
        await asyncio.sleep(gap_us / 1e6)
    await hub.flush(timeout=LIMIT)
    say(n=n)


async def hold(hub: Any, subject: str, k: int) -> None:
    cpu_began, began = cpu(), now()
    variables = [hub.var(f"{subject}.{i}") for i in range(k)]
    for i, var in enumerate(variables):
        await var.set(held(i))
    await hub.flush(timeout=LIMIT)
    # Nothing tells when the last write is confirmed.
    while any(var.meta["pending"] for var in variables) and now() - began < LIMIT:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    say(ready=True, subject=subject, set_elapsed_s=now() - began, set_cpu_s=cpu() - cpu_began)
    await until_stdin_ends()


async def join(hub: Any, subject: str, k: int, *began: float) -> None:
    newcomer = Newcomer(k, *began)
    for i in range(k):
        hub.var(f"{subject}.{i}").watch_value(newcomer.watcher())
    await newcomer.report()


async def main() -> None:
    mode, url, subject, numbers = arguments()
    modes: dict[str, Any] = {
        "pub": publish,
        "sub": subscribe,
        "resp": respond,
        "req": request,
        "state-watch": watch,
        "state-set": write,
        "state-hold": hold,
        "state-join": join,
    }
    began = now(), cpu()
    hub = KinopioHub(NAMESPACE, servers=[url], mesh=False, discovery=False)
    await hub.connected()
    more = began if mode == "state-join" else ()
    await modes[mode](hub, subject, *numbers, *more)
    with contextlib.suppress(Exception):
        await asyncio.wait_for(hub.close(), 5)


asyncio.run(main())
