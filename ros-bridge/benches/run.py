#!/usr/bin/env python3
"""Measures the bridge beside one written by oneself, and beside ROS alone; `README.md` says what and how."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "ros-bridge" / "tests" / "bridge"), str(ROOT / "benches")]

import report
from bench import machine
from bench.process import SERVER, TARGET, processor_seconds
from parts import SYSTEM_PYTHON, Bed, Process, Robot, until

from posthouse.sync import Hub

KINDS = ["scan", "text"]
HUB = """
events:
  - {direction: ros_to_hub, topic: /scan, channel: scan}
  - {direction: ros_to_hub, topic: /text, channel: text}
"""
WINDOW = 64
"""How many messages may be on the way in a flow: fewer than any queue holds."""
GAP = 0.005
BURST = 200_000


class Way:
    """From a ROS topic to a program: who passes on, and who hears."""

    def __init__(self, name: str, own: bool, listener: list[str]) -> None:
        self.name = name
        self.own = own
        self.listener = listener


def ways() -> list[Way]:
    peer_python = str(TARGET / "peers" / "bin" / "python")
    hub_python = sys.executable
    node = os.environ.get("POSTHOUSE_NODE", "node")
    return [
        Way(report.PYTHON, True, [hub_python, str(HERE / "hub_listener.py")]),
        Way(report.NODE, True, [node, str(HERE / "hub_listener.mjs")]),
        Way(report.PEER, False, [peer_python, str(HERE / "nats_listener.py")]),
    ]


class Bench:
    """A master, a server, a talker; and a bridge with its listener for each measure."""

    def __init__(self, bed: Bed, path: Path | None) -> None:
        self.bed = bed
        self.path = path
        self.results: list[dict[str, Any]] = []
        bed.start_broker()
        bed.start_master()
        self.config = bed.config(HUB).rename(bed.folder / "bench.yaml")
        self.config.write_text(f"hub: {{namespace: bench, servers: '{bed.url}'}}\n{HUB}")
        site = next((TARGET / "peers" / "lib").glob("python3*/site-packages"))
        self.rospy_env = {"PYTHONPATH": str(site)}
        self.talker = self.rospy("talker.py")
        self.port = self.talker.do("port")

    def rospy(self, script: str, *arguments: object) -> Robot:
        command = [SYSTEM_PYTHON, str(HERE / script), *map(str, arguments)]
        return self.bed.start_told(command, **self.rospy_env)

    def note(self, measure: str, way: str, number: int, result: dict[str, Any]) -> None:
        row = {"measure": measure, "program": way, "round": number, **result}
        self.results.append(row)
        line = json.dumps(row)
        print(line, file=sys.stderr, flush=True)
        if self.path:
            with self.path.open("a") as lines:
                lines.write(line + "\n")

    def end(self, process: Process) -> None:
        if isinstance(process, Robot):
            process.leave()
        else:
            process.end()
        self.bed.started.remove(process)

    @contextlib.contextmanager
    def at_work(self, way: Way, kind: str) -> Iterator[tuple[Process, Robot]]:
        """A bridge that passes the topic on, and a listener behind it."""
        topic, url = f"/{kind}", self.bed.url
        subject = kind if way.own else f"bench.{kind}"
        env = {"BENCH_NODE_PEERS": str(Path(sys.prefix).parent / "node")}
        listener = self.bed.start_told([*way.listener, url, subject, str(self.port)], **env)
        if way.own:
            bridge = self.bed.start_bridge(self.config)
        else:
            bridge = self.rospy("rospy_nats.py", topic, url, subject)
        self.talker.do("advertise", topic=topic, kind=kind)
        until("the bridge", lambda: self.talker.do("listeners", topic=topic) == 1)
        yield bridge, listener
        self.talker.do("unadvertise", topic=topic)
        for process in [bridge, listener]:
            self.end(process)
        self.talker.do("forget")

    def flow(self, way: Way, kind: str, number: int, seconds: float) -> None:
        with self.at_work(way, kind) as (bridge, listener):
            before = processor_seconds(bridge.process.pid)
            sent = self.talker.do("flow", topic=f"/{kind}", seconds=seconds, window=WINDOW)
            used = processor_seconds(bridge.process.pid) - before
            seen = listener.do("report")
        assert seen["count"] == sent, f"{sent} sent, {seen} seen"
        assert kind != "scan" or seen["points"] == sent * 1000, seen
        result = {
            "count": sent,
            "per_s": seen["per_s"],
            "bridge_cpu_us": used / sent * 1e6,
            "listener_cpu_us": seen["cpu_s"] / sent * 1e6,
        }
        self.note(f"{kind} rate", way.name, number, result)

    def latency(self, way: Way, kind: str, number: int, count: int) -> None:
        direct = f"/direct_{kind}"
        with self.at_work(way, kind) as (_bridge, listener):
            straight = self.rospy("rospy_listener.py", direct, self.port)
            self.talker.do("advertise", topic=direct, kind=kind)
            until("rospy", lambda: self.talker.do("listeners", topic=direct) == 1)
            self.talker.do("paced", topics=[f"/{kind}", direct], count=count, gap=GAP)
            for who, program in [
                (way.name, listener),
                (f"{report.DIRECT}, beside {way.name}", straight),
            ]:
                seen = until("all", lambda program=program: all_seen(program, count))
                times = {key: seen[key] for key in ["count", "p50_us", "p99_us"]}
                self.note(f"{kind} latency", who, number, times)
            self.talker.do("unadvertise", topic=direct)
            self.end(straight)

    def burst(self, way: Way, number: int) -> None:
        """Every message that was read from the socket is accounted for."""
        hub = Hub("bench", servers=self.bed.url)
        with hub, self.at_work(way, "text") as (bridge, listener):
            status = hub.var("_bridge")
            memory = bridge.peak_memory(), listener.peak_memory()
            rate = self.talker.do("burst", topic="/text", count=BURST)
            counts = until("all are counted", lambda: accounted(status.value))
            seen = until("all are heard", lambda: heard(listener, counts.get("passed", 0)))
            result = {
                "sent": BURST,
                "sent_per_s": rate,
                "received": counts["received"],
                "passed": counts["passed"],
                "dropped_queue": counts.get("dropped_queue", 0),
                "dropped_budget": counts.get("dropped_budget", 0),
                "heard": seen["count"],
                "dropped_subscriber": seen["dropped"],
                "bridge_grew_kb": (bridge.peak_memory() - memory[0]) >> 10,
                "listener_grew_kb": (listener.peak_memory() - memory[1]) >> 10,
            }
        self.note("burst", way.name, number, result)


def all_seen(program: Robot, count: int) -> dict[str, Any] | None:
    seen = program.do("report")
    return seen if seen["count"] == count else None


def accounted(status: Any) -> dict[str, int] | None:
    """The counts of the route, once nothing of the burst waits any more."""
    counts = (status or {}).get("routes", {}).get("events[1]", {})
    ended = sum(counts.get(name, 0) for name in ["passed", "dropped_queue", "dropped_budget"])
    return counts if counts.get("received", 0) == BURST == ended else None


def heard(listener: Robot, passed: int) -> dict[str, Any] | None:
    seen = listener.do("report")
    return seen if seen["count"] + seen["dropped"] == passed else None


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measures", default="rate,latency,burst")
    parser.add_argument("--kinds", default="scan,text")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long a flow lasts")
    parser.add_argument("--count", type=int, default=400, help="how many messages are timed")
    parser.add_argument("--json", type=Path, help="append every result to this file, a line each")
    parser.add_argument("--write", action="store_true", help="write docs/ros-performance.md")
    return parser.parse_args()


def main() -> int:
    chosen = options()
    measures, kinds = chosen.measures.split(","), chosen.kinds.split(",")
    os.environ.setdefault("POSTHOUSE_NATS_SERVER", str(SERVER))
    load = machine.load()
    with tempfile.TemporaryDirectory() as folder:
        bed = Bed(Path(folder), TARGET / "release" / "posthouse_bridge")
        try:
            bench = Bench(bed, chosen.json)
            known = ways()
            for number in range(chosen.rounds):
                turned = known[number % len(known) :] + known[: number % len(known)]
                for kind in kinds:
                    for way in turned:
                        if "rate" in measures:
                            bench.flow(way, kind, number, chosen.seconds)
                    for way in turned:
                        if "latency" in measures:
                            bench.latency(way, kind, number, chosen.count)
            if "burst" in measures:
                for way in known:
                    if way.own:
                        bench.burst(way, 0)
        finally:
            bed.end()
    lines = report.tables(bench.results)
    print("\n".join(lines))
    if chosen.write:
        about = [
            *machine.describe(),
            ("ROS", "roscpp and rospy of Debian 12, ros_comm 1.15"),
            ("rounds", str(chosen.rounds)),
            ("load before", f"{load:.1f}"),
        ]
        report.write(about, lines)
    return 0 if report.honest(bench.results) else 1


sys.exit(main())
