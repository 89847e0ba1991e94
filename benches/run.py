#!/usr/bin/env python3
"""Runs our programs and the peers side by side: ``benches/README.md`` says what and how.

Rounds are interleaved and the order rotates from round to round; every program is a process of its
own, and every round has a fresh server.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from bench import growth, machine, measures, report
from bench.process import ROOT, Failure, Server

HERE = Path(__file__).resolve().parent
PAGE = ROOT / "docs" / "performance.md"
Programs = list[dict[str, Any]]
BUSY = 2.0
"""A load at which nothing should be quoted."""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measures", default="pub,sub,rr,state,grow")
    parser.add_argument("--programs", default="", help="only these, by name")
    parser.add_argument("--extra", action="append", default=[], help="a list of further programs")
    parser.add_argument("--json", type=Path, help="append every result to this file, a line each")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    parser.add_argument("--quick", action="store_true", help="show that all runs; measures nothing")
    return parser.parse_args()


def programs(chosen: argparse.Namespace) -> Programs:
    lists = [HERE / "peers.json", HERE / "programs.json", *map(Path, chosen.extra)]
    found = [program for path in lists for program in json.loads(path.read_text())]
    names = [name for name in chosen.programs.split(",") if name]
    unknown = set(names) - {program["name"] for program in found}
    if unknown:
        raise SystemExit(f"no such program: {', '.join(sorted(unknown))}")
    return [program for program in found if not names or program["name"] in names]


class Run:
    """Collects results, tells of them as they come, and goes on after a failure."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.results: list[dict[str, Any]] = []

    def note(self, program: str, number: int, result: dict[str, Any]) -> None:
        row = {"program": program, "round": number, **result}
        self.results.append(row)
        line = json.dumps(row)
        print(line, file=sys.stderr, flush=True)
        if self.path:
            with self.path.open("a") as lines:
                lines.write(line + "\n")

    def take(
        self, program: str, number: int, steps: Callable[[], Iterable[dict[str, Any]]]
    ) -> None:
        try:
            for result in steps():
                self.note(program, number, result)
        except (Failure, KeyError, OSError, ValueError) as error:
            self.note(
                program,
                number,
                {"measure": "failure", "error": f"{type(error).__name__}: {error}"[:900]},
            )


def round_of(run: Run, number: int, peers: Programs, chosen: list[str], sizes: Any) -> None:
    with Server() as server:
        for name in chosen:
            measure = measures.MEASURES[name]
            turn = number % len(peers)
            for program in [*peers[turn:], *peers[:turn]]:
                if name in program["measures"]:
                    take = partial(measure, program, server, f"b{number}", sizes)
                    run.take(program["name"], number, take)


def growth_of(run: Run, peers: Programs, steps: growth.Steps) -> None:
    """One round of it: how a cost grows shows within a round."""
    for program in peers:
        if "grow" in program["measures"]:
            for step in growth.every(program, steps):
                run.take(program["name"], 0, step)


def main() -> int:
    chosen = options()
    peers = programs(chosen)
    names = chosen.measures.split(",")
    rounds = 1 if chosen.quick else chosen.rounds
    sizes = measures.SMOKE if chosen.quick else measures.Sizes()
    steps = growth.SMOKE if chosen.quick else growth.Steps()
    run = Run(chosen.json)
    speeds, loads = [machine.speed_ms()], [machine.load()]
    for number in range(rounds):
        round_of(run, number, peers, [name for name in names if name != "grow"], sizes)
        speeds.append(machine.speed_ms())
        loads.append(machine.load())
    if "grow" in names:
        growth_of(run, peers, steps)
    failed = report.failures(run.results)
    for line in failed:
        print(f"FAILED {line}")
    if chosen.quick:
        print(f"{len(run.results) - len(failed)} results: all ran" if not failed else "not all ran")
        return 1 if failed else 0
    results = report.Results(r for r in run.results if "error" not in r)
    lines = [*report.ratios(results), *report.measures(results), *report.growth(results)]
    print("\n".join(lines))
    about = [
        *machine.describe(),
        ("rounds", str(rounds)),
        ("load before and after each round", ", ".join(f"{x:.1f}" for x in loads)),
        ("a fixed piece of arithmetic then, ms", ", ".join(f"{x:.0f}" for x in speeds)),
    ]
    # The run itself keeps about two processes busy; what was there before it is what disturbs.
    if loads[0] >= BUSY:
        print(f"\nThe load was {loads[0]:.1f} before the first round: do not quote these figures.")
    elif chosen.write and not failed:
        report.write(PAGE, about, lines)
        print(f"\nwritten: {PAGE.relative_to(ROOT)}")
    return 1 if failed else 0


sys.exit(main())
