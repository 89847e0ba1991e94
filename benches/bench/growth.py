"""How cost grows with variables, subscriptions, hubs. Only our own programs take part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from .measures import Result, newcomer, per
from .process import Failure, Program, Server, flood


@dataclass(frozen=True)
class Steps:
    """How far it goes, and with how many messages at each step."""

    variables: tuple[int, ...] = (1, 10, 100, 1_000, 10_000)
    subscriptions: tuple[int, ...] = (1, 10, 100, 1_000)
    hubs: tuple[int, ...] = (1, 10, 50, 200)
    messages: int = 40_000
    rate: int = 10_000


SMOKE = Steps((1, 10), (1, 10), (1, 5), 500, 1_000)


def variables(program: dict[str, Any], server: Server, k: int) -> Result:
    got = newcomer(program, server, f"grow-{k}", k)
    return {**got, "measure": "variables", "of": k}


def subscriptions(program: dict[str, Any], server: Server, k: int, steps: Steps) -> Result:
    """Events from outside, paced so that none is lost, each to the next of k subscriptions."""
    n = steps.messages
    with Program(program, "grow-subs", server.url, "grow", k, n) as process:
        subjects = process.line()["subjects"]
        flood(server.port, ",".join(subjects), n, steps.rate)
        got = process.line()
        process.end()
    return _grown("subscriptions", process, got, k)


def hubs(program: dict[str, Any], server: Server, k: int, steps: Steps) -> Result:
    """Hubs of one namespace in one process."""
    with Program(program, "grow-hubs", server.url, "grow", k, steps.messages) as process:
        got = process.line()
        process.end()
    return {
        **_grown("hubs", process, got, k),
        "rest_cpu_percent": got["rest_cpu_share"] * 100,
    }


def _grown(measure: str, process: Program, got: Result, k: int) -> Result:
    if got["received"] != got["n"]:
        raise Failure(f"{process.what}: received {got['received']} of {got['n']}")
    return {
        "measure": measure,
        "of": k,
        "make_us": per(got["make_s"], k),
        "make_cpu_us": per(got["make_cpu_s"], k),
        "memory_kb": got["memory_kb"] / k,
        "cpu_us": per(got["cpu_s"], got["n"]),
    }


def every(program: dict[str, Any], steps: Steps) -> Iterator[Callable[[], Iterator[Result]]]:
    """Every step, to be taken one after the other, each on a fresh server.

    Queues are large: how cost grows is the question, not what is dropped.
    """
    program = {**program, "env": {**program.get("env", {}), "BENCH_ROOM": "1"}}

    def on_a_server(step: Callable[..., Result], *arguments: Any) -> Iterator[Result]:
        with Server() as server:
            yield step(program, server, *arguments)

    for k in steps.variables:
        yield partial(on_a_server, variables, k)
    for k in steps.subscriptions:
        yield partial(on_a_server, subscriptions, k, steps)
    for k in steps.hubs:
        yield partial(on_a_server, hubs, k, steps)
