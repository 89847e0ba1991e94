"""The lifecycle tests use the brokers of the package's own tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "bindings-python" / "tests"))

from brokers import broker  # noqa: F401
