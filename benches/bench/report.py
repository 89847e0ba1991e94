"""Tables of a run: medians, their range, and ratios to the peers."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from pathlib import Path

from .measures import Result
from .targets import TARGETS, Target

BEGIN = "<!-- written by make bench: begin -->"
END = "<!-- written by make bench: end -->"

COLUMNS: dict[str, tuple[str, int]] = {
    "per_s": ("a second", 0),
    "cpu_us": ("client CPU each, µs", 2),
    "answering_cpu_us": ("CPU of whoever answers, µs", 1),
    "lost": ("lost", 0),
    "p50_us": ("p50, µs", 0),
    "p99_us": ("p99, µs", 0),
    "seen": ("seen", 0),
    "elapsed_s": ("from start, s", 3),
    "after_connect_s": ("after connecting, s", 3),
    "cpu_s": ("client CPU, s", 3),
    "set_us": ("set and confirmed each, µs", 1),
    "set_cpu_us": ("CPU of a set, µs", 1),
    "make_us": ("make each, µs", 1),
    "make_cpu_us": ("CPU to make each, µs", 1),
    "memory_kb": ("memory each, kB", 1),
    "joined_memory_kb": ("memory of the newcomer, kB", 0),
    "rest_cpu_percent": ("CPU of all at rest, %", 2),
}


class Results:
    """What was measured, by measure and program."""

    def __init__(self, results: Iterable[Result]) -> None:
        self.results = list(results)

    def values(self, measure: str, program: str, value: str) -> list[float]:
        rows = (r for r in self.results if r["measure"] == measure and r["program"] == program)
        return [row[value] for row in rows if row.get(value) is not None]

    def median(self, measure: str, program: str, value: str) -> float | None:
        found = self.values(measure, program, value)
        return statistics.median(found) if found else None

    def by_round(self, measure: str, program: str, value: str) -> dict[int, float]:
        rows = (r for r in self.results if r["measure"] == measure and r["program"] == program)
        return {row["round"]: row[value] for row in rows if row.get(value) is not None}


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}"


def _cell(values: list[float], digits: int) -> str:
    if not values:
        return "-"
    middle = _number(statistics.median(values), digits)
    if len(values) == 1:
        return middle
    return f"{middle} ({_number(min(values), digits)} to {_number(max(values), digits)})"


def _table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def measures(results: Results) -> list[str]:
    """A table for each measure that has no steps."""
    lines: list[str] = []
    plain = [row for row in results.results if "of" not in row]
    for measure in dict.fromkeys(row["measure"] for row in plain):
        rows = [row for row in plain if row["measure"] == measure]
        columns = [name for name in COLUMNS if any(row.get(name) is not None for row in rows)]
        programs = sorted({row["program"] for row in rows})
        lines += ["", f"### {measure.capitalize()}", ""]
        lines += _table(
            ["program", *(COLUMNS[name][0] for name in columns)],
            (
                [
                    program,
                    *(_cell(results.values(measure, program, c), COLUMNS[c][1]) for c in columns),
                ]
                for program in programs
            ),
        )
    return lines


def growth(results: Results) -> list[str]:
    """A table for each measure with steps: one line for each step."""
    lines: list[str] = []
    steps = [row for row in results.results if "of" in row]
    for measure in dict.fromkeys(row["measure"] for row in steps):
        rows = [row for row in steps if row["measure"] == measure]
        columns = [name for name in COLUMNS if any(row.get(name) is not None for row in rows)]
        keys = sorted({(row["program"], row["of"]) for row in rows})
        lines += ["", f"### Growth: {measure}", ""]
        body = []
        for program, of in keys:
            here = [row for row in rows if row["program"] == program and row["of"] == of]
            cells = [
                _cell([row[c] for row in here if row.get(c) is not None], COLUMNS[c][1])
                for c in columns
            ]
            body.append([program, f"{of:,}", *cells])
        lines += _table(["program", measure, *(COLUMNS[name][0] for name in columns)], body)
    return lines


def _ratio(results: Results, target: Target) -> tuple[float, float, float] | None:
    """Of the medians; then the lowest and highest of a round."""
    peer_measure = target.peer_measure or target.measure
    ours = results.median(target.measure, target.ours, target.value)
    peer = results.median(peer_measure, target.peer, target.value)
    if not ours or not peer:
        return None
    mine = results.by_round(target.measure, target.ours, target.value)
    theirs = results.by_round(peer_measure, target.peer, target.value)
    rounds = [mine[r] / theirs[r] for r in mine if theirs.get(r)]
    return ours / peer, min(rounds, default=0), max(rounds, default=0)


def ratios(results: Results) -> list[str]:
    """Ours to the peers', against what is aimed at."""
    rows = []
    for target in TARGETS:
        found = _ratio(results, target)
        if found is None:
            continue
        ratio, low, high = found
        met = ratio >= target.bound if target.at_least else ratio <= target.bound
        sign = "≥" if target.at_least else "≤"
        what = f"{target.measure}: {COLUMNS[target.value][0]}"
        if target.peer_measure:
            what += f" (to {target.peer_measure})"
        rows.append(
            [
                what,
                target.ours,
                target.peer,
                f"**{ratio:.2f}** ({low:.2f} to {high:.2f})",
                f"{sign} {target.bound:.2g}",
                "met" if met else "missed",
            ]
        )
    head = ["measure", "program", "to", "ratio of medians (of rounds)", "aim", ""]
    return ["", "### Ratios", "", *_table(head, rows)] if rows else []


def write(page: Path, about: list[tuple[str, str]], lines: list[str]) -> None:
    """Puts the tables between the marks of the page, and leaves the rest of it alone."""
    text = page.read_text()
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"{page}: the marks between which the tables go are missing")
    table = _table(["of the run", ""], ([name, value] for name, value in about))
    page.write_text("\n".join([f"{before}{BEGIN}", "", *table, *lines, "", f"{END}{after}"]))


def failures(results: list[Result]) -> list[str]:
    """What went wrong, a line each."""
    return [f"{r['program']}: {r['error']}" for r in results if "error" in r]
