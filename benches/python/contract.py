"""What the Python programs of the benches have in common.

Their arguments, the payload, what they count and how they print.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

NAMESPACE = "bench"
FIRST = 1_000_000
"""The first number in a payload's ``seq``, so that all payloads are equally long."""
WARM_UP = 200
"""Requests that are not measured: connections and caches get warm."""
SILENCE = 1.5
"""A subscriber gives up when nothing has come for so many seconds."""
LIMIT = 60.0

now = time.perf_counter


def reading(i: int) -> dict[str, Any]:
    """Builds the payload of message ``i`` afresh: 128 bytes as JSON."""
    return {
        "seq": FIRST + i,
        "ts": 1764500000.125,
        "name": "sensor/front",
        "x": 0.125,
        "y": -1.5,
        "z": 9.8125,
        "ok": True,
        "unit": "m/s2",
        "tags": ["a", "b"],
    }


def encode(value: Any) -> bytes:
    """Compact JSON, for clients that leave it to the program."""
    return json.dumps(value, separators=(",", ":")).encode()


def dated(i: int) -> dict[str, Any]:
    """A state that says when it was written."""
    return {"i": i, "t": time.monotonic_ns(), "pad": "x" * 60}


def held(i: int) -> dict[str, Any]:
    """A state of 100 bytes where ``i`` has four digits."""
    return {"i": i, "s": "y" * 84}


def arguments() -> tuple[str, str, str, list[int]]:
    """Mode, URL, subject and the numbers after them."""
    mode, url, subject, *numbers = sys.argv[1:]
    return mode, url, subject, [int(number) for number in numbers]


def cpu() -> float:
    """Seconds of processor time that this process has used, all threads, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def memory_kb() -> int:
    """Kilobytes of memory that this process has in use."""
    with open("/proc/self/status") as lines:
        for line in lines:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def say(**fields: Any) -> None:
    """Prints one object as a line."""
    print(json.dumps(fields), flush=True)


def quantile(values: list[float], share: float) -> float:
    """The value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def wire(name: str) -> str:
    """The subject on the wire of a concrete name, for the raw publisher."""
    segments = ".".join(segment.encode().hex() for segment in name.split("."))
    return f"_msg.v1.{NAMESPACE.encode().hex()}.{segments}"


async def until_stdin_ends() -> None:
    """Waits until whoever started this program closes its standard input."""
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


class Receipt:
    """Counts what a subscriber gets."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.received = 0
        self.sum = 0
        self.began = self.ended = 0.0
        self.cpu_began = self.cpu_ended = 0.0
        self.all = asyncio.Event()

    def take(self, message: dict[str, Any]) -> None:
        """Counts one."""
        if self.received == 0:
            self.began, self.cpu_began = now(), cpu()
        self.received += 1
        self.sum += message["seq"]
        self.ended = now()
        if self.received == self.wanted:
            self.cpu_ended = cpu()
            self.all.set()

    async def report(self, **more: Callable[[], Any]) -> None:
        """Waits for the last message, or for silence, and prints the count."""
        last = -1
        while not self.all.is_set():
            try:
                await asyncio.wait_for(self.all.wait(), SILENCE)
            except asyncio.TimeoutError:
                if self.received and self.received == last:
                    self.cpu_ended = cpu()
                    break
                last = self.received
        say(
            n=self.wanted,
            received=self.received,
            elapsed_s=self.ended - self.began,
            cpu_s=self.cpu_ended - self.cpu_began,
            check=self.sum,
            **{name: tell() for name, tell in more.items()},
        )


async def ask_all(ask: Callable[[int], Awaitable[Any]], n: int, in_flight: int) -> None:
    """Asks ``n`` times, checks every answer and prints how long they took."""

    async def one(i: int) -> float:
        began = now()
        answer = await ask(i)
        if answer["seq"] != FIRST + i:
            raise RuntimeError(f"request {i} got the answer of {answer['seq'] - FIRST}")
        return (now() - began) * 1e6

    for i in range(WARM_UP):
        await one(i)
    took: list[float] = []
    began, cpu_began = now(), cpu()
    if in_flight == 1:
        for i in range(n):
            took.append(await one(i))
    else:
        numbers = iter(range(n))

        async def asker() -> None:
            for i in numbers:
                took.append(await one(i))

        await asyncio.gather(*(asker() for _ in range(in_flight)))
    elapsed, used = now() - began, cpu() - cpu_began
    p50, p99 = quantile(took, 0.5), quantile(took, 0.99)
    say(n=n, elapsed_s=elapsed, cpu_s=used, p50_us=p50, p99_us=p99)


class Sightings:
    """Sees a watched variable change and prints how long that took."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.took: list[float] = []
        self.last = -1
        self.done = asyncio.Event()

    def see(self, value: Any) -> None:
        """A change, or the same value again when only what is known of it has changed."""
        if isinstance(value, dict) and value["i"] > self.last:
            self.took.append((time.monotonic_ns() - value["t"]) / 1e3)
            self.last = value["i"]
            if self.last == self.wanted - 1:
                self.done.set()

    async def report(self) -> None:
        """Waits for the last value."""
        before = cpu()
        await asyncio.wait_for(self.done.wait(), LIMIT)
        p50, p99 = quantile(self.took, 0.5), quantile(self.took, 0.99)
        say(n=self.wanted, seen=len(self.took), p50_us=p50, p99_us=p99, cpu_s=cpu() - before)


class Newcomer:
    """Sees every one of many variables for the first time."""

    def __init__(self, wanted: int, began: float, cpu_began: float) -> None:
        self.wanted = wanted
        self.began, self.connected, self.cpu_began = began, now(), cpu_began
        self.seen = 0
        self.memory = memory_kb()
        self.all = asyncio.Event()

    def watcher(self) -> Callable[[Any], None]:
        """A callback for one variable."""
        first = True

        def see(value: Any) -> None:
            nonlocal first
            if first and isinstance(value, dict):
                first = False
                self.seen += 1
                if self.seen == self.wanted:
                    self.all.set()

        return see

    async def report(self) -> None:
        """Waits until all were seen, or too long."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.all.wait(), LIMIT)
        at = now()
        say(
            n=self.wanted,
            seen=self.seen,
            elapsed_s=at - self.began,
            after_connect_s=at - self.connected,
            cpu_s=cpu() - self.cpu_began,
            memory_kb=memory_kb() - self.memory,
        )
