"""Imports the package in a subinterpreter, which must be refused with an ImportError."""

from __future__ import annotations

import posthouse

SOURCE = """
try:
    import posthouse
except ImportError:
    pass
else:
    raise SystemExit("the import was not refused")
"""

try:
    import _interpreters as interpreters  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    import _xxsubinterpreters as interpreters  # type: ignore[import-not-found,unused-ignore]

identity = interpreters.create()
failure = interpreters.run_string(identity, SOURCE)
if failure:
    raise SystemExit(f"the import failed otherwise: {failure}")
interpreters.destroy(identity)
print("refused", posthouse.__version__)
