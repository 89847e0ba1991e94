"""A robot for each test, and a hub to look at it from."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from parts import Bed

from posthouse.sync import Hub


@pytest.fixture(scope="session")
def binary() -> Path:
    """The bridge's program."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[3] / "target"))
    binary = target / "debug" / "posthouse_bridge"
    assert binary.exists(), f"{binary} is not built: make test-ros"
    assert shutil.which("roscore"), "ROS is not installed: scripts/setup ros"
    return binary


@pytest.fixture
def bare(tmp_path: Path, binary: Path) -> Iterator[Bed]:
    """A place where nothing runs yet."""
    bed = Bed(tmp_path, binary)
    yield bed
    bed.end()


@pytest.fixture
def bed(bare: Bed) -> Bed:
    """A place where a master and a broker run."""
    bare.start_broker()
    bare.start_master()
    return bare


@pytest.fixture
def hub(bed: Bed) -> Iterator[Hub]:
    """A hub in the robot's namespace."""
    with Hub(bed.namespace, servers=bed.url) as hub:
        yield hub
