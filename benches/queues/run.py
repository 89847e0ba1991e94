#!/usr/bin/env python3
"""Queues side by side on one disk: ours, SQLite itself, and other queues.

Prints figures, and ratios to what is aimed at. Rounds are interleaved, every figure is a process of
its own with a folder of its own, and a ratio is that of the medians, with the lowest and highest of
a round beside it. ``--dir`` has to lie on the disk that is meant, not in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parents[1] / "target"))
SERVER = os.environ.get(
    "POSTHOUSE_NATS_SERVER_CURRENT", str(TARGET / "servers" / "nats-server-current")
)
EXAMPLES = TARGET / "release" / "examples"
PEERS = [str(TARGET / "bench" / "queues" / "bin" / "python"), str(HERE / "peers.py")]


@dataclass(frozen=True)
class Figure:
    """One program with one operation."""

    name: str
    op: str
    command: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict, hash=False)
    server: bool = False

    @property
    def key(self) -> str:
        return f"{self.name} {self.op}"


def ours(name: str, *ops: str, **env: str) -> Iterator[Figure]:
    for op in ops:
        yield Figure(name, op, (str(EXAMPLES / "measure"),), env)


def peer(name: str, *ops: str, server: bool = False) -> Iterator[Figure]:
    for op in ops:
        yield Figure(name, op, (*PEERS, name), server=server)


def waiting(number: int, delay: int = 0) -> Iterator[Figure]:
    name = f"posthouse, {number:,} {'delayed' if delay else 'waiting'}"
    return ours(name, "turn", BENCH_FILL=str(number), BENCH_DELAY=str(delay))


def jetstream(name: str, *ops: str) -> Iterator[Figure]:
    for op in ops:
        yield Figure(name, op, (str(EXAMPLES / "measure_jetstream"),))


def figures(chosen: str, most: int) -> list[Figure]:
    sqlite = [
        *ours("sqlite", "raw1", "raw100", "rawcons100"),
        *ours("posthouse", "enq1", "enq1x8", "enq1x64", "enq100", "cons1", "cons100", "arrive"),
        *peer("litequeue", "enq1", "enq100", "cons1"),
        *peer("litequeue-full", "enq1", "enq100", "cons1"),
        *peer("persist-queue", "enq1", "cons1"),
        *peer("huey", "enq1", "cons1"),
    ]
    growth = [*waiting(1_000), *waiting(100_000), *waiting(most), *waiting(100_000, 43_200)]
    servers = [
        *jetstream("posthouse-jetstream", "enq1", "enq256", "cons1", "cons100"),
        *jetstream("async-nats", "raw256", "rawid256"),
        *peer("nats-py", "enq256", "cons100", server=True),
    ]
    parts = {"sqlite": sqlite, "growth": growth, "jetstream": servers}
    return [figure for part in chosen.split(",") for figure in parts[part]]


def targets(most: int) -> list[tuple[str, str, float]]:
    """A figure, what it is compared with, and the least that their ratio should be."""
    return [
        ("posthouse enq1", "sqlite raw1", 0.9),
        ("posthouse enq1x8", "sqlite raw1", 2),
        ("posthouse enq1x64", "sqlite raw1", 8),
        ("posthouse enq100", "sqlite raw100", 0.8),
        ("posthouse cons1", "persist-queue cons1", 3),
        ("posthouse cons100", "sqlite rawcons100", 0.8),
        (f"posthouse, {most:,} waiting turn", "posthouse, 1,000 waiting turn", 1 / 1.5),
        ("posthouse, 100,000 delayed turn", "posthouse, 1,000 waiting turn", 1 / 1.5),
        ("posthouse-jetstream enq256", "async-nats raw256", 0.9),
        # The same promise: a publish that is sent again is known by its id.
        ("posthouse-jetstream enq256", "async-nats rawid256", 0.9),
        ("posthouse-jetstream cons100", "nats-py cons100", 1.5),
    ]


def measure(figure: Figure, folder: Path, seconds: float) -> dict[str, Any]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    env = os.environ | figure.env | {"POSTHOUSE_NATS_SERVER_CURRENT": SERVER}
    words = [*figure.command, figure.op, str(folder), str(seconds)]
    server = None
    if figure.server:
        ports = folder / "ports"
        ports.mkdir()
        options = ["-a", "127.0.0.1", "-p", "-1", "-js", "-sd", str(folder / "js")]
        server = subprocess.Popen(
            [SERVER, *options, "--ports_file_dir", str(ports)], stderr=subprocess.DEVNULL
        )
        while not (told := [file.read_text() for file in ports.iterdir()]) or not told[0]:
            if server.poll() is not None:
                raise RuntimeError("the server does not start")
        env["BENCH_SERVER"] = json.loads(told[0])["nats"][0]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=600, env=env)
        if done.returncode:
            raise RuntimeError(f"{figure.key}: {done.stderr[-600:]}")
        return json.loads(done.stdout.splitlines()[-1])
    finally:
        if server:
            server.terminate()
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--parts", default="sqlite,growth,jetstream")
    parser.add_argument("--most", type=int, default=1_000_000, help="messages that wait at most")
    parser.add_argument("--only", default="", help="figures with one of these in the name")
    parser.add_argument("--dir", type=Path, default=TARGET / "bench")
    parser.add_argument("--quick", action="store_true", help="show that all runs; measures nothing")
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.seconds, args.most = 1, 0.2, 2_000
    chosen = figures(args.parts, args.most)
    if args.only:
        words = args.only.split(",")
        chosen = [figure for figure in chosen if any(word in figure.key for word in words)]
    args.dir.mkdir(parents=True, exist_ok=True)
    rates: dict[str, list[float]] = {}
    more: dict[str, list[dict[str, Any]]] = {}
    failed = 0
    with tempfile.TemporaryDirectory(prefix="queues-", dir=args.dir) as folder:
        for number in range(args.rounds):
            turn = number % len(chosen)
            for figure in [*chosen[turn:], *chosen[:turn]]:
                try:
                    result = measure(figure, Path(folder) / "q", args.seconds)
                except (RuntimeError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                    failed += 1
                    print(f"FAILED {error}", file=sys.stderr)
                    continue
                rates.setdefault(figure.key, []).append(result["n"] / result["elapsed_s"])
                more.setdefault(figure.key, []).append(result)
                print(json.dumps({"figure": figure.key, **result}), file=sys.stderr, flush=True)
    print("| figure | a second (of rounds) | |\n|---|---|---|")
    for key, values in rates.items():
        told = more[key]
        if "p50_us" in told[0]:
            p50 = median(result["p50_us"] for result in told)
            print(f"| {key} | | p50 {p50 / 1_000:.2f} ms (aim: under 5) |")
            continue
        note = f"synchronous = {told[0]['sync']}" if "sync" in told[0] else ""
        print(
            f"| {key} | {median(values):,.0f} ({min(values):,.0f} to {max(values):,.0f}) | {note} |"
        )
    print("\n| figure | to | ratio of medians (of rounds) | aim | |\n|---|---|---|---|---|")
    for key, base, least in targets(args.most):
        if key not in rates or base not in rates or key == base:
            continue
        ratio = median(rates[key]) / median(rates[base])
        each = [one / other for one, other in zip(rates[key], rates[base], strict=False)]
        verdict = "met" if ratio >= least else "missed"
        span = f"({min(each):.2f} to {max(each):.2f})"
        print(f"| {key} | {base} | **{ratio:.2f}** {span} | ≥ {least:.2g} | {verdict} |")
    return 1 if failed else 0


sys.exit(main())
