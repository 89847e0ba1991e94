"""A thread for callbacks of a blocking hub, apart from the hub's own.

A callback that does not return, or that waits for a lock whose owner waits for the hub, must hold
up other callbacks of its kind only. The thread starts with the first one and is a daemon.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue


class Callbacks:
    """Runs callbacks one after the other, in the order of their coming."""

    __slots__ = ("_jobs", "_name", "_over", "_threads", "thread")

    def __init__(self, name: str, threads: set[int]) -> None:
        self._name = name
        self._threads = threads
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._over = False
        self.thread: threading.Thread | None = None

    def run(self, job: Callable[[], None]) -> None:
        """Has the thread run it, which must not raise; called on the hub's thread only."""
        if self.thread is None:
            self.thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self.thread.start()
        self._jobs.put(job)

    def end(self) -> None:
        """No callback starts any more; one that runs may finish."""
        self._over = True
        self._jobs.put(None)

    def _work(self) -> None:
        self._threads.add(threading.get_ident())
        try:
            while (job := self._jobs.get()) is not None and not self._over:
                job()
        finally:
            self._threads.discard(threading.get_ident())
