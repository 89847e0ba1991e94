"""What the package does about the life of the process: its exit and its forks."""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from typing import Final, Protocol

from . import _core

EXIT_SECONDS: Final = 1.0
"""How long the exit of the program may wait for the runtime to stop."""


class Stoppable(Protocol):
    """Something with threads of its own that must end before the runtime does."""

    def _stop_threads(self, deadline: float) -> None: ...


_stoppables: weakref.WeakSet[Stoppable] = weakref.WeakSet()
_lock: Final = threading.Lock()


def register(owner: Stoppable) -> None:
    """Has the threads of ``owner`` stopped when the program ends."""
    with _lock:
        _stoppables.add(owner)


def _at_exit() -> None:
    # Runs after all threads that the program waits for have ended, and before the interpreter
    # is taken down. Handlers registered with atexit by the program itself have run before, so
    # they could still use their hubs.
    deadline = time.monotonic() + EXIT_SECONDS
    with _lock:
        owners = list(_stoppables)
    for owner in owners:
        owner._stop_threads(deadline)
    _core.shutdown(EXIT_SECONDS)


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_core.forked)
