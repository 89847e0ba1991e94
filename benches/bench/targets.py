"""What is aimed at, as ratios of medians within one run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A ratio of ours to a peer's, and its bound."""

    measure: str
    value: str
    ours: str
    peer: str
    bound: float
    at_least: bool
    peer_measure: str = ""
    """The peer's measure where it is another."""


def _of(ours: str, peer: str, *rows: tuple[str, str, str, float]) -> list[Target]:
    return [Target(m, v, ours, peer, bound, sign == ">=") for m, v, sign, bound in rows]


NOTHING_LOST = "receive, nothing lost"

TARGETS: list[Target] = [
    *_of(
        "posthouse-rust",
        "async-nats",
        ("publish", "per_s", ">=", 1.2),
        ("publish", "cpu_us", "<=", 0.5),
        ("receive", "cpu_us", "<=", 0.5),
        ("request", "p50_us", "<=", 0.8),
        ("request", "cpu_us", "<=", 0.6),
    ),
    Target("receive", "cpu_us", "posthouse-rust-room", "async-nats", 0.5, at_least=False),
    *_of(
        "posthouse-python-def",
        "nats-py",
        ("publish", "per_s", ">=", 6),
        ("receive", "per_s", ">=", 5),
        ("request", "p50_us", "<=", 0.5),
        ("32 requests in flight", "per_s", ">=", 3),
    ),
    Target("receive", "per_s", "posthouse-python-def-room", "nats-py", 5, at_least=True),
    Target("receive", "per_s", "posthouse-python-async", "nats-py", 4, at_least=True),
    Target("receive", "per_s", "posthouse-python-async-room", "nats-py", 4, at_least=True),
    Target(NOTHING_LOST, "per_s", "posthouse-python-def", "nats-py", 4, True, "receive"),
    Target(NOTHING_LOST, "per_s", "posthouse-python-async", "nats-py", 4, True, "receive"),
    Target(NOTHING_LOST, "per_s", "posthouse-python-def-room", "nats-py", 4, True, "receive"),
    Target(NOTHING_LOST, "per_s", "posthouse-python-async-room", "nats-py", 4, True, "receive"),
    *_of(
        "posthouse-node",
        "nats.js",
        ("publish", "per_s", ">=", 2.5),
        ("receive", "per_s", ">=", 1.3),
        ("request", "p50_us", "<=", 0.7),
        ("32 requests in flight", "per_s", ">=", 2),
    ),
    Target("receive", "per_s", "posthouse-node-room", "nats.js", 1.3, at_least=True),
    *_of(
        "posthouse-cpp",
        "nats-c",
        ("publish", "per_s", ">=", 1.2),
        ("publish", "cpu_us", "<=", 0.8),
        ("receive", "per_s", ">=", 1.2),
        ("receive", "cpu_us", "<=", 0.8),
        ("request", "p50_us", "<=", 0.9),
        ("32 requests in flight", "per_s", ">=", 2.5),
    ),
    Target("receive", "per_s", "posthouse-cpp-room", "nats-c", 1.2, at_least=True),
    Target(NOTHING_LOST, "per_s", "posthouse-cpp", "nats-c", 1.2, True, "receive"),
    *_of(
        "posthouse-cpp-text",
        "posthouse-cpp",
        ("publish", "cpu_us", "<=", 0.2),
        ("receive", "cpu_us", "<=", 0.2),
    ),
    *_of(
        "posthouse-python-def",
        "kinopio-hub",
        ("set to watch", "p50_us", "<=", 0.3),
        ("newcomer", "cpu_s", "<=", 1 / 8),
        ("newcomer", "after_connect_s", "<=", 1 / 3),
    ),
]
