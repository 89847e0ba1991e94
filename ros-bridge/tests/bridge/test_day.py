"""The day in a robot's life, as a test; see day.py."""

from __future__ import annotations

from day import day
from parts import Bed


def test_a_day_in_a_robots_life(bare: Bed) -> None:
    said: list[str] = []
    day(bare, said.append)
    assert len([line for line in said if line.startswith("- ")]) == 8
