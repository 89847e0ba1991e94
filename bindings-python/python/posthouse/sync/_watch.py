"""Watches of the blocking face. Calling a watch stops it; without a callback it is an iterator.

Callbacks share a thread of the hub, one at a time. Only the latest state is kept: a slow reader
skips states, never the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._awaiting import call_plainly
from .._types import NOTHING
from . import _sleep

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._callbacks import Callbacks
    from ._dispatcher import Dispatcher

S = TypeVar("S")


class Watch(Generic[S], Iterator[S]):
    """A watch of a variable, of the hub's status, or of the instances."""

    __slots__ = (
        "_callback",
        "_dispatcher",
        "_due",
        "_key",
        "_news",
        "_stopped",
        "_take",
        "_what",
    )

    def __init__(
        self,
        dispatcher: Dispatcher,
        key: object,
        what: str,
        take: Callable[[], Any],
        callback: Callable[[Any], object] | None,
    ) -> None:
        self._dispatcher = dispatcher
        self._key = key
        self._what = what
        self._take = take
        self._callback = callback
        self._stopped = False
        self._due = False
        self._news: SimpleQueue[None] = SimpleQueue()

    def __call__(self) -> None:
        """Stops the watch; no callback starts after this."""
        if not self._stopped:
            self._stopped = True
            self._dispatcher.release(self)
            self._news.put(None)

    stop = __call__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> S:
        if self._callback is not None:
            raise TypeError("this watch has a callback; watch without one to iterate")
        self._dispatcher.guard(f"iterating over {self!r}")
        while not self._stopped:
            _sleep.get(self._news)
            if self._stopped:
                break
            state = self._take()
            if state is not NOTHING:
                return state  # type: ignore[no-any-return]
        raise StopIteration

    def _on_change(self, callbacks: Callbacks) -> None:
        """There is news; called on the hub's thread."""
        if self._callback is None:
            # One token is enough for any number of changes.
            if self._news.empty():
                self._news.put(None)
        elif not self._due:
            self._due = True
            callbacks.run(self._tell)

    def _tell(self) -> None:
        # From here on a change is news again: it may have missed what is taken now.
        self._due = False
        try:
            state = self._take()
            if state is not NOTHING and not self._stopped:
                call_plainly(self._callback, state)
        except BaseException as error:
            # SystemExit, too, would end this thread and nothing else.
            self._dispatcher.failed(f"a watch of {self._what}", error)

    def __repr__(self) -> str:
        return f"<watch of {self._what}{', stopped' if self._stopped else ''}>"
