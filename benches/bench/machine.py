"""On what, and under which load, a run was made."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import time
from pathlib import Path

from .process import ROOT, SERVER, TARGET

LOOPS = 3_000_000


def speed_ms() -> float:
    """How long a fixed piece of arithmetic takes now: it shows how much the machine swings."""
    began = time.perf_counter()
    total = 0
    for i in range(LOOPS):
        total += i & 7
    return (time.perf_counter() - began) * 1e3


def load() -> float:
    """The load of the last minute."""
    return os.getloadavg()[0]


def _said(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def _line(path: str, start: str) -> str:
    for line in Path(path).read_text().splitlines():
        if line.startswith(start):
            return line.split(":", 1)[1].strip()
    return "unknown"


def describe() -> list[tuple[str, str]]:
    """What a reader has to know about the machine and the versions."""
    memory = int(_line("/proc/meminfo", "MemTotal").split()[0]) / 2**20
    peers = str(TARGET / "peers" / "bin" / "python")
    version = "import importlib.metadata as m; print(', '.join(f'{p} {m.version(p)}' for p in %r))"
    return [
        ("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("commit", _said("git", "describe", "--always", "--dirty")),
        ("processor", f"{os.cpu_count()} x {_line('/proc/cpuinfo', 'model name')}"),
        ("memory", f"{memory:.0f} GiB"),
        ("system", f"{platform.system()} {platform.release()}"),
        ("Rust", _said("rustc", "--version")),
        ("Python", _said(str(TARGET / "bench" / "venv" / "bin" / "python"), "--version")),
        ("server", _said(str(SERVER), "--version")),
        ("peers", "async-nats 0.51.0, " + _said(peers, "-c", version % ["nats-py", "kinopio-hub"])),
    ]
