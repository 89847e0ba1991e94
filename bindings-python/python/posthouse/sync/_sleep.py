"""Sleeping so that Ctrl-C is noticed: every wait of the blocking face is one of these.

Python interrupts a wait only if the signal comes while the thread sleeps. One that comes in the
moment before is noted and found when the wait ends; so the main thread, the only one that gets
signals, sleeps in slices. Other threads sleep without waking up in between.
"""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import Final

SLICE: Final = 0.1
"""Seconds after which a signal is noticed at the latest."""


def _sliced() -> bool:
    return threading.current_thread() is threading.main_thread()


def acquire(lock: threading.Lock) -> None:
    """Waits until the lock is free and takes it."""
    if not _sliced():
        lock.acquire()
        return
    while not lock.acquire(timeout=SLICE):
        pass


def get(queue: SimpleQueue[None]) -> None:
    """Waits for news and takes them."""
    if not _sliced():
        queue.get()
        return
    while True:
        try:
            queue.get(timeout=SLICE)
        except Empty:
            continue
        return


def join(thread: threading.Thread) -> None:
    """Waits until the thread has ended."""
    while thread.is_alive():
        thread.join(SLICE)
