"""A panic in the library's own code never leaves it as one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from test_endings import environment, program

from brokers import missing

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[3] / "target"))
MODULE = TARGET / "debug" / "lib_core_failing.so"
"""The module that can be told to fail: `cargo build -p posthouse-python-failing`."""


@pytest.mark.parametrize("place", ["here", "under-lock", "on-io-thread"])
def test_a_panic_is_an_error_and_ends_one_hub(broker, place: str) -> None:
    if not MODULE.exists():
        missing(f"{MODULE} (cargo build -p posthouse-python-failing)")
    command = program("panicking.py", str(MODULE), place, broker.url)
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=environment(), check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    sound = place == "here"
    failed = "none" if place == "on-io-thread" else "INTERNAL"
    later = "none" if sound else "INTERNAL"
    assert done.stdout.splitlines() == [
        f"asyncio fail {failed}",
        *([] if sound else ["asyncio waiting CLOSED CLOSED"]),
        f"asyncio later {later}",
        "asyncio other 7",
        f"sync fail {failed}",
        f"sync waiting {'TIMEOUT' if sound else 'CLOSED'}",
        f"sync later {later}",
        "sync other 7",
    ]
