"""Subscriptions of the blocking face: a thread each that runs the handler, or an iterator."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from .. import _core
from .._awaiting import is_awaitable, refuse
from .._contexts import BlockingContext, HandleContext, answer_headers
from .._errors import described
from .._scope import drain_refused
from .._types import UNSET
from . import _sleep

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._hub import Hub
    from ._variable import Variable

Handler = Callable[..., object]


class Subscription:
    """A live subscription. Ends by ``unsubscribe``, by ``drain``, with the hub, or refused.

    With a handler it has a thread of its own, which is a daemon and ends with it. Without one
    it is iterated over: ``for data in subscription``, or ``for data, ctx`` with context.
    """

    def __init__(
        self,
        variable: Variable,
        core: _core.Subscription,
        handler: Handler | None,
        *,
        answering: bool,
        with_context: bool,
    ) -> None:
        self.name = variable.name
        """The name or pattern it listens to."""
        self._hub: Hub = variable._hub
        self._core = core
        self._handler = handler
        self._answering = answering
        self._with_context = with_context
        self._ended = False
        self._error: Exception | None = None
        self._news: SimpleQueue[None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._hub._dispatcher.subscriptions[core.id] = self

    def status(self) -> dict[str, Any]:
        """Queued and running messages, limits, drops and high-water marks."""
        return self._core.status()

    def unsubscribe(self) -> None:
        """Stops delivery and discards what waits; a handler that runs may finish."""
        self._core.unsubscribe()

    def drain(self, timeout: float | None = None) -> None:
        """Stops delivery and finishes what was accepted, within ``timeout`` seconds (5).

        ``DRAIN_TIMEOUT`` past that; ``DRAIN_IN_HANDLER`` if its own handler calls it.
        """
        if self._thread is threading.current_thread():
            raise drain_refused(f"the subscription of {self.name!r}")
        self._hub._run(self._core.drain, timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.unsubscribe()

    def __iter__(self) -> Iterator[Any]:
        """The messages. One counts as running until the next is asked for."""
        if self._handler is not None:
            raise TypeError("this subscription has a handler; subscribe without one to iterate")
        return self._messages()

    def __repr__(self) -> str:
        return f"<subscription of {self.name!r}{', ended' if self._ended else ''}>"

    # Inside

    def _begin(self) -> None:
        """The broker has taken the subscription."""
        if self._handler is not None:
            self._thread = threading.Thread(
                target=self._work, name=f"posthouse subscription {self.name}", daemon=True
            )
            self._thread.start()

    def _on_ready(self) -> None:
        self._news.put(None)

    def _on_ended(self, error: Exception | None) -> None:
        self._ended = True
        self._error = error
        self._news.put(None)

    def _next(self) -> Any:
        """The next message, or ``UNSET`` when there will be none any more."""
        take = self._core.take_message if self._with_context else self._core.take
        while True:
            message = take()
            if message is not UNSET or self._ended:
                return message
            _sleep.get(self._news)

    def _messages(self) -> Iterator[Any]:
        try:
            while True:
                self._hub._dispatcher.guard(f"iterating over {self!r}")
                message = self._next()
                if message is UNSET:
                    break
                if self._with_context:
                    yield message[0], BlockingContext(message[1])
                else:
                    yield message
        finally:
            self._core.finish()
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        threads = self._hub._dispatcher.handler_threads
        threads.add(threading.get_ident())
        try:
            while True:
                message = self._next()
                if message is UNSET:
                    return
                self._handle(message)
        finally:
            self._core.finish()
            threads.discard(threading.get_ident())

    def _handle(self, message: Any) -> None:
        handler = self._handler
        assert handler is not None
        context: BlockingContext | HandleContext | None = None
        try:
            if self._with_context:
                context = (HandleContext if self._answering else BlockingContext)(message[1])
                result = handler(message[0], context)
            else:
                result = handler(message)
            if is_awaitable(result):
                refuse(result, "an asynchronous handler needs the asyncio face, posthouse.Hub")
            if self._answering:
                self._core.answer(result, answer_headers(context))
        except BaseException as error:
            # SystemExit, too, would end this thread and nothing else.
            said = described(error)
            self._core.fail(said)
            self._hub._report(f"the handler of {self.name!r} raised {said}", error)
