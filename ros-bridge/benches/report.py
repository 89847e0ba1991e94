"""Tables of a run of the ROS benches, what is aimed at, and the page."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ros-performance.md"
BEGIN = "<!-- written by make bench-ros: begin -->"
END = "<!-- written by make bench-ros: end -->"

PYTHON = "posthouse_bridge → Python"
NODE = "posthouse_bridge → Node"
PEER = "rospy + json + nats-py → Python"
DIRECT = "rospy → rospy"

Rows = list[dict[str, Any]]
COLUMNS = {
    "rate": {
        "per_s": ("a second", 0),
        "bridge_cpu_us": ("bridge CPU each, µs", 0),
        "listener_cpu_us": ("subscriber CPU each, µs", 0),
    },
    "latency": {"p50_us": ("p50, µs", 0), "p99_us": ("p99, µs", 0)},
}
BURST = {
    "received": "read from the socket",
    "passed": "passed to the hub",
    "dropped_queue": "dropped at the bridge's queue",
    "dropped_budget": "dropped at the hub's budget",
    "heard": "heard by the subscriber",
    "dropped_subscriber": "dropped at the subscriber's queue",
    "bridge_grew_kb": "bridge grew by, kB",
    "listener_grew_kb": "subscriber grew by, kB",
}
MOST_KB = 64 << 10
"""What a burst may cost in memory: far less than its messages would."""


def _values(rows: Rows, measure: str, program: str, value: str) -> list[float]:
    chosen = (r for r in rows if r["measure"] == measure and r["program"] == program)
    return [row[value] for row in chosen]


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}"


def _cell(values: list[float], digits: int) -> str:
    middle, low, high = statistics.median(values), min(values), max(values)
    return f"{_number(middle, digits)} ({_number(low, digits)} to {_number(high, digits)})"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def _aims(rows: Rows) -> list[list[str]]:
    """What is aimed at, and whether it is met: by the medians of this run, with the range of its rounds."""
    found = []
    for kind, name in [("scan", "LaserScan"), ("text", "String")]:
        for program in [PYTHON, NODE]:
            ours = _values(rows, f"{kind} rate", program, "per_s")
            peer = _values(rows, f"{kind} rate", PEER, "per_s")
            if ours and peer:
                ratio = statistics.median(ours) / statistics.median(peer)
                rounds = [mine / theirs for mine, theirs in zip(ours, peer, strict=True)]
                aim = ("≥ 5", ratio >= 5) if (kind, program) == ("scan", PYTHON) else None
                what = f"{name}, a second: {program} ÷ {PEER}"
                found.append(_aim(what, ratio, rounds, "", aim))
        for program in [PYTHON, NODE, PEER]:
            ours = _values(rows, f"{kind} latency", program, "p50_us")
            direct = _values(rows, f"{kind} latency", f"{DIRECT}, beside {program}", "p50_us")
            if ours and direct:
                more = (statistics.median(ours) - statistics.median(direct)) / 1e3
                rounds = [(mine - other) / 1e3 for mine, other in zip(ours, direct, strict=True)]
                aim = ("≤ 1 ms", more <= 1) if program == PYTHON else None
                what = f"{name}, p50: {program} − {DIRECT}"
                found.append(_aim(what, more, rounds, " ms", aim))
    for row in rows:
        if row["measure"] == "burst":
            honest = ("all counted, ≤ 64 MiB", is_honest(row))
            what = f"burst of {row['sent']:,} Strings: {row['program']}"
            passed = f"{row['received']:,} read, {row['heard']:,} heard, {_dropped(row):,} dropped"
            found.append([what, passed, honest[0], "met" if honest[1] else "missed"])
    return found


def _aim(what: str, value: float, rounds: list[float], unit: str, aim: tuple[str, bool] | None) -> list[str]:
    text = f"**{value:.2f}{unit}** ({min(rounds):.2f} to {max(rounds):.2f})"
    if aim is None:
        return [what, text, "", ""]
    return [what, text, aim[0], "met" if aim[1] else "missed"]


def _dropped(row: dict[str, Any]) -> int:
    return row["dropped_queue"] + row["dropped_budget"] + row["dropped_subscriber"]


def is_honest(row: dict[str, Any]) -> bool:
    """Whether every message that was read ended somewhere, and memory stayed bounded."""
    counted = row["sent"] == row["received"] == row["heard"] + _dropped(row)
    return counted and max(row["bridge_grew_kb"], row["listener_grew_kb"]) <= MOST_KB


def honest(rows: Rows) -> bool:
    """Whether every burst was."""
    return all(is_honest(row) for row in rows if row["measure"] == "burst")


def tables(rows: Rows) -> list[str]:
    """Everything as Markdown."""
    head = ["measure", "median (of rounds)", "aim", ""]
    lines = ["### Ratios and differences", "", *_table(head, _aims(rows))]
    for kind, name in [("scan", "LaserScan of 1,000 points"), ("text", "String of 100 characters")]:
        for part, columns in COLUMNS.items():
            measure = f"{kind} {part}"
            programs = dict.fromkeys(r["program"] for r in rows if r["measure"] == measure)
            if not programs:
                continue
            body = [
                [p, *(_cell(_values(rows, measure, p, c), columns[c][1]) for c in columns)] for p in sorted(programs)
            ]
            lines += ["", f"### {name}: {part}", ""]
            lines += _table(["way", *(title for title, _ in columns.values())], body)
    bursts = [row for row in rows if row["measure"] == "burst"]
    if bursts:
        lines += ["", f"### Burst of {bursts[0]['sent']:,} Strings", ""]
        body = [[row["program"], *(f"{row[name]:,}" for name in BURST)] for row in bursts]
        lines += _table(["way", *BURST.values()], body)
    return lines


def write(about: list[tuple[str, str]], lines: list[str]) -> None:
    """Puts the tables between the marks of the page, and leaves the rest of it alone."""
    text = PAGE.read_text()
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"{PAGE}: the marks between which the tables go are missing")
    table = _table(["of the run", ""], [[name, value] for name, value in about])
    PAGE.write_text("\n".join([f"{before}{BEGIN}", "", *table, "", *lines, "", f"{END}{after}"]))
