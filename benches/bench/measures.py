"""The measures that programs of every kind take part in. Each gives one or several results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .process import Failure, Program, Server, flood, processor_seconds

Result = dict[str, Any]

LADDER = [
    1000,
    2000,
    3000,
    4000,
    6000,
    8000,
    12000,
    16000,
    24000,
    32000,
    48000,
    64000,
    96000,
    128000,
    192000,
    256000,
    384000,
    512000,
    768000,
]
"""The rates that are tried to find the highest at which nothing is lost."""
PACED_SECONDS = 1.0
KEPT_RATE = 0.9
"""The publisher has to keep this share of the rate for a step of the ladder to count."""


@dataclass(frozen=True)
class Sizes:
    """How much is done."""

    messages: int = 200_000
    requests: int = 5_000
    requests_32: int = 10_000
    changes: int = 1_000
    gap_us: int = 2_000
    variables: int = 5_000
    ladder: int = len(LADDER)
    """How many steps of the ladder are tried at most."""


SMOKE = Sizes(2_000, 200, 200, 50, 2_000, 100, 2)


def per(seconds: float, n: int) -> float:
    """Microseconds for each."""
    return seconds / max(1, n) * 1e6


def publish(
    program: dict[str, Any], server: Server, subject: str, sizes: Sizes
) -> Iterator[Result]:
    with Program(program, "pub", server.url, subject, sizes.messages) as process:
        got = process.line()
        process.end()
    if got["n"] != sizes.messages:
        raise Failure(f"{process.what}: published {got['n']}")
    yield {
        "measure": "publish",
        "per_s": got["n"] / got["elapsed_s"],
        "cpu_us": per(got["cpu_s"], got["n"]),
    }


def _receive(
    program: dict[str, Any], server: Server, subject: str, n: int, rate: float
) -> tuple[Result, Result]:
    with Program(program, "sub", server.url, subject, n) as process:
        wire = process.line()["subject"]
        sent = flood(server.port, wire, n, rate)
        got = process.line()
        process.end()
    expected = sum(1_000_000 + i for i in range(n))
    if got["received"] > n or (got["received"] == n and got["check"] != expected):
        raise Failure(f"{process.what}: it got what was not sent: {got}")
    return got, sent


def receive(
    program: dict[str, Any], server: Server, subject: str, sizes: Sizes
) -> Iterator[Result]:
    """Flooded first; then the highest rate of the ladder at which nothing is lost."""
    n = sizes.messages
    got, _ = _receive(program, server, subject, n, 0)
    received = got["received"]
    if received == 0:
        raise Failure(f"{program['name']}: a flood of {n}, and nothing was received")
    rate = received / max(got["elapsed_s"], 1e-9)
    yield {
        "measure": "receive",
        "per_s": rate,
        "cpu_us": per(got["cpu_s"], received),
        "lost": n - received,
    }
    best: Result | None = None
    failures = steps = 0
    for step in LADDER:
        if step < 0.3 * rate or failures == 2 or steps == sizes.ladder:
            continue
        steps += 1
        wanted = max(1000, int(step * PACED_SECONDS))
        got, sent = _receive(program, server, subject, wanted, step)
        on_time = got["elapsed_s"] < 1.05 * sent["elapsed_s"] + 0.02
        if got["received"] == wanted and on_time and sent["rate"] > KEPT_RATE * step:
            best, failures = {"per_s": step, "cpu_us": per(got["cpu_s"], wanted)}, 0
        else:
            failures += 1
    if best is not None:
        yield {"measure": "receive, nothing lost", **best}


def request(
    program: dict[str, Any], server: Server, subject: str, sizes: Sizes
) -> Iterator[Result]:
    kinds = (("request", sizes.requests, 1), ("32 requests in flight", sizes.requests_32, 32))
    for measure, n, in_flight in kinds:
        with Program(program, "resp", server.url, subject) as answering:
            answering.line()
            before = processor_seconds(answering.pid)
            with Program(program, "req", server.url, subject, n, in_flight) as asking:
                got = asking.line()
                asking.end()
            used = processor_seconds(answering.pid) - before
            answering.end()
        yield {
            "measure": measure,
            "per_s": n / got["elapsed_s"],
            "p50_us": got["p50_us"],
            "p99_us": got["p99_us"],
            "cpu_us": per(got["cpu_s"], n),
            "answering_cpu_us": per(used, n),
        }


def state(program: dict[str, Any], server: Server, subject: str, sizes: Sizes) -> Iterator[Result]:
    n = sizes.changes
    with Program(program, "state-watch", server.url, subject, n) as watching:
        watching.line()
        with Program(program, "state-set", server.url, subject, n, sizes.gap_us) as setting:
            got = watching.line()
            setting.line()
            setting.end()
        watching.end()
    yield {
        "measure": "set to watch",
        "p50_us": got["p50_us"],
        "p99_us": got["p99_us"],
        "seen": got["seen"],
        "cpu_us": per(got["cpu_s"], got["seen"]),
    }
    yield newcomer(program, server, f"{subject}-many", sizes.variables)


def newcomer(program: dict[str, Any], server: Server, subject: str, k: int) -> Result:
    """One process holds k variables, another comes and watches them all."""
    with Program(program, "state-hold", server.url, subject, k) as holding:
        held = holding.line()
        with Program(program, "state-join", server.url, subject, k) as joining:
            got = joining.line()
            joining.end()
        holding.end()
    if got["seen"] != k:
        raise Failure(f"{joining.what}: saw {got['seen']} of {k}")
    return {
        "measure": "newcomer",
        "elapsed_s": got["elapsed_s"],
        "after_connect_s": got["after_connect_s"],
        "cpu_s": got["cpu_s"],
        "set_us": per(held["set_elapsed_s"], k),
        "set_cpu_us": per(held["set_cpu_s"], k),
        "joined_memory_kb": got.get("memory_kb"),
    }


Measure = Callable[[dict[str, Any], Server, str, Sizes], Iterator[Result]]

MEASURES: dict[str, Measure] = {"pub": publish, "sub": receive, "rr": request, "state": state}
"""By the names that the lists of programs use."""
