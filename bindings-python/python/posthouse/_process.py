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
"""How long the exit of the program may wait for threads that run handlers."""


class Threaded(Protocol):
    """Something with threads of its own."""

    def _stop_threads(self, deadline: float) -> None:
        """The program ends, and the runtime with it: so must the threads."""

    def _forked(self) -> None:
        """This process is a forked child: the threads are gone, and locks may be held for ever."""


class Registry:
    """Whom to tell about the end and about a fork."""

    def __init__(self) -> None:
        self._owners: weakref.WeakSet[Threaded] = weakref.WeakSet()
        self._lock = threading.Lock()

    def add(self, owner: Threaded) -> None:
        """Has ``owner`` told from now on, for as long as it lives."""
        with self._lock:
            self._owners.add(owner)

    def at_exit(self) -> None:
        # Runs after all threads that the program waits for have ended, and before the
        # interpreter is taken down. Handlers that the program registered with atexit have run
        # before, so they could still use their hubs.
        deadline = time.monotonic() + EXIT_SECONDS
        with self._lock:
            owners = list(self._owners)
        for owner in owners:
            owner._stop_threads(deadline)
        _core.shutdown()

    def forked(self) -> None:
        self._lock = threading.Lock()
        for owner in list(self._owners):
            owner._forked()


registry: Final = Registry()
atexit.register(registry.at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=registry.forked)
