"""How Python programs end: always soon, with their own exit code and their own words only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
RUNS = int(os.environ.get("POSTHOUSE_LIFECYCLE_RUNS", "200" if "CI" in os.environ else "10"))
"""How often each way of ending is tried; less often where only the loop or the broker differs."""
SLOW = "took"
LIMIT = 2.0
"""Seconds that a program may take to end, from its last statement on."""


def program(name: str, *arguments: str) -> list[str]:
    return [sys.executable, str(PROGRAMS / name), *arguments]


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("POSTHOUSE_")}
    return {**kept, "PYTHONUNBUFFERED": "1"}


def run_to_the_end(command: list[str], *, interrupt: bool) -> tuple[int, str, float]:
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    start = time.monotonic()
    if interrupt and line:
        process.send_signal(signal.SIGINT)
    try:
        out, errors = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        out, errors = process.communicate()
        return -9, f"hangs; {out}{errors}", time.monotonic() - start
    if line != "ready\n":
        return process.returncode, f"never got ready: {line}{out}{errors}", 0.0
    return process.returncode, errors, time.monotonic() - start


WAYS = {"eof": 0, "exit": 3, "exception": 1, "return": 0, "wait": -signal.SIGINT}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("face", ["asyncio", "uvloop", "sync"])
def test_every_ending_is_clean(broker, face: str, way: str) -> None:
    if face == "uvloop":
        pytest.importorskip("uvloop")
    command = program("ending.py", face, way, broker.url)
    runs = RUNS
    if face == "uvloop" or broker.kind != "nats-server":
        runs = max(RUNS // 10, 5)

    def run(_: int) -> str:
        return fault(way, *run_to_the_end(command, interrupt=way == "wait"))

    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        faults = [found for found in pool.map(run, range(runs)) if found]
    # Several at a time get in each other's way, and the machine may be busy: one that only took
    # long has to show three times, on its own, that it is slow.
    slow = [found for found in faults if found.startswith(SLOW)]
    again = [list(takewhile(bool, map(run, range(3)))) for _ in slow]
    bad = [found for found in faults if found not in slow]
    bad += [tries[-1] for tries in again if len(tries) == 3]
    assert not bad, f"{len(bad)} of {runs}: {bad[0]}"


def fault(way: str, code: int, errors: str, seconds: float) -> str:
    """What was wrong with an ending, if anything."""
    last = errors.rstrip().rsplit("\n", 1)[-1]
    words = {"exception": "ValueError: boom", "wait": "KeyboardInterrupt"}.get(way, "")
    blocks = errors.count("Traceback (most recent call last)")
    # An interrupted asyncio program may tell where its task was, too.
    told = blocks == 0 if not words else blocks in {1, 2} if way == "wait" else blocks == 1
    if code != WAYS[way] or last != words or not told:
        return f"exit {code}, {errors}"
    return f"{SLOW} {seconds:.1f} s" if seconds > LIMIT else ""


def check(command: list[str], timeout: float = 60) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env=environment(), check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def test_a_forked_child_is_refused_and_the_parent_goes_on(broker) -> None:
    lines = check(program("forking.py", broker.url)).splitlines()
    assert lines[0] == "early 1"
    children = [line.split(maxsplit=2) for line in lines if line.startswith("child ")]
    assert len(children) == 28
    assert {said for _, _, said in children} == {"FORKED"}, children
    assert lines.count("parent child ended 0") == 2
    assert lines.count("parent answer 7") == 2


@pytest.mark.parametrize("face", ["asyncio", "sync"])
def test_an_ending_under_fire(broker, face: str) -> None:
    with subprocess.Popen(
        program("flooding.py", broker.url),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as flood:
        assert flood.stdout is not None
        assert flood.stdout.readline() == b"ready\n"
        try:
            for _ in range(max(RUNS // 10, 5)):
                check(program("flooded.py", face, broker.url))
        finally:
            flood.kill()


def test_a_daemon_thread_in_a_handler_does_not_stop_the_exit(broker) -> None:
    for _ in range(max(RUNS // 20, 3)):
        check(program("daemon_thread.py", broker.url))


def test_a_subinterpreter_is_refused() -> None:
    if sys.version_info[:2] not in {(3, 11), (3, 12), (3, 13)}:
        pytest.skip("the module that makes subinterpreters is private and differs")
    assert check(program("subinterpreter.py")).startswith("refused ")


def test_blocking_calls_are_interrupted(broker) -> None:
    lines = check(program("interrupted.py", broker.url)).splitlines()
    names = ["req", "request_many", "connected", "flush", "iteration", "watch"]
    assert lines == [*(f"{name} interrupted" for name in names), "requests 0"]
