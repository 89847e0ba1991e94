"""Blocking calls: begin an operation, sleep until the hub's thread brings its end.

The one place of the blocking face where a thread of the program waits for an operation. Ctrl-C
cancels the operation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._errors import PosthouseError, message_error
from .._pending import message_failure
from . import _sleep

if TYPE_CHECKING:
    from .. import _core


class Call:
    """One operation under way."""

    __slots__ = ("_done", "result")

    def __init__(self) -> None:
        self._done = threading.Lock()
        self._done.acquire()
        self.result: Any = None

    def finish(self, result: Any) -> None:
        """Lets the waiting thread go on; called once."""
        self.result = result
        self._done.release()

    def wait(self) -> None:
        """Sleeps until ``finish`` was called."""
        _sleep.acquire(self._done)


class Calls:
    """All operations under way of one hub."""

    __slots__ = ("_calls", "_core", "_lock", "_over")

    def __init__(self, core: _core.Hub) -> None:
        self._core = core
        self._lock = threading.Lock()
        self._calls: dict[int, Call] = {}
        self._over = False

    def run(
        self,
        begin: Callable[..., int],
        *arguments: Any,
        convert: Callable[[Any], Any] | None = None,
        message: bool = False,
    ) -> Any:
        """Begins an operation and waits for its end."""
        call = Call()
        # The hub's thread cannot see the end before the operation is in the table.
        with self._lock:
            if self._over:
                raise over()
            try:
                operation = begin(*arguments)
            except PosthouseError as error:
                raise (message_error(error) if message else error) from None
            self._calls[operation] = call
        try:
            call.wait()
        except BaseException:
            with self._lock:
                self._calls.pop(operation, None)
            self._core.cancel(operation)
            raise
        result = call.result
        if isinstance(result, Exception):
            raise message_failure(result, convert) if message else result
        return result if convert is None else convert(result)

    def finish(self, operation: int, result: Any) -> None:
        """The end of an operation has come; nobody may be waiting any more."""
        with self._lock:
            call = self._calls.pop(operation, None)
        if call is not None:
            call.finish(result)

    def forked(self) -> None:
        """Nobody holds the lock in a forked child, whatever it says."""
        self._lock = threading.Lock()

    def end(self) -> None:
        """No end will come any more: whoever waits is told."""
        with self._lock:
            self._over = True
            calls = list(self._calls.values())
            self._calls.clear()
        for call in calls:
            call.finish(over())


def over() -> PosthouseError:
    """The error of a call on a hub whose thread has ended."""
    return PosthouseError("CLOSED", "the hub is closed; open a new hub")
