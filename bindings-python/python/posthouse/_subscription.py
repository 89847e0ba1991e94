"""Subscriptions on asyncio: one long-lived pump each, or an asynchronous iterator.

The pump takes messages one after the other, calls the handler, and awaits only what needs
awaiting. It gives the loop its turn after a batch, or when there is nothing more.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from types import CoroutineType, TracebackType
from typing import TYPE_CHECKING, Any

from . import _core, _scope
from ._awaiting import is_awaitable
from ._base import BATCH, ENDING
from ._contexts import Context, HandleContext, answer_headers
from ._errors import described
from ._types import UNSET

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._hub import Hub
    from ._variable import Variable

Handler = Callable[..., object]


class Subscription:
    """A live subscription. Ends by ``unsubscribe``, by ``drain``, with the hub, or refused."""

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
        self._waiter: asyncio.Future[None] | None = None
        self._consumer: asyncio.Task[Any] | None = None
        self._handling = _scope.Handling(self._hub, self)
        self._hub._subscriptions[core.id] = self

    def _started(self, _result: object) -> Self:
        """The broker has taken the subscription."""
        if self._handler is not None:
            self._pump = start_pump(self, self._hub._bind())
        return self

    def status(self) -> dict[str, Any]:
        """Queued and running messages, limits, drops and high-water marks."""
        return self._core.status()

    def unsubscribe(self) -> Awaitable[None]:
        """Stops delivery and discards what waits; a handler that runs may finish. At once."""
        self._core.unsubscribe()
        return _core.FINISHED

    def drain(self, timeout: float | None = None) -> Awaitable[None]:
        """Stops delivery and finishes what was accepted, within ``timeout`` seconds (5).

        ``DRAIN_TIMEOUT`` past that; ``DRAIN_IN_HANDLER`` if its own handler calls it.
        """
        if _scope.in_handler_of(subscription=self) or self._consumes():
            return self._hub._failed(_scope.drain_refused(f"the subscription of {self.name!r}"))
        return self._hub._start(self._core.drain, timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.unsubscribe()

    def __aiter__(self) -> AsyncIterator[Any]:
        """The messages: the data of each, or ``(data, ctx)`` with context."""
        if self._handler is not None:
            raise TypeError("this subscription has a handler; subscribe without one to iterate")
        return Messages(self)

    def __repr__(self) -> str:
        return f"<subscription of {self.name!r}{', ended' if self._ended else ''}>"

    # Inside

    def _on_ready(self) -> None:
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _on_ended(self, error: Exception | None) -> None:
        self._ended = True
        self._error = error
        self._on_ready()

    async def _wait(self) -> None:
        if self._waiter is not None:
            raise RuntimeError(f"two tasks iterate over the same {self!r}; one must be enough")
        waiter = self._waiter = self._hub._bind().create_future()
        try:
            await waiter
        finally:
            self._waiter = None

    def _consumes(self) -> bool:
        """Whether the running task is in the body of a loop over this subscription."""
        return self._consumer is not None and self._consumer is asyncio.current_task()

    def _failed(self, error: BaseException) -> None:
        said = described(error)
        self._core.fail(said)
        self._hub._report(f"the handler of {self.name!r} raised {said}", error)

    async def _run(self) -> None:
        try:
            while await self._run_batch():
                pass
        except asyncio.CancelledError:
            # The loop is ending, or somebody cancelled every task: nobody is left to handle.
            self._core.abandon()
            raise

    async def _run_batch(self) -> bool:
        """Handles what is there, at most a batch; false when nothing will come any more."""
        core, handler, answering = self._core, self._handler, self._answering
        with_context, handling = self._with_context, self._handling
        assert handler is not None
        context: Context | HandleContext | None = None
        context_class = HandleContext if answering else Context
        turn = core.turn(BATCH, with_context)
        handling.enter()
        try:
            for message in turn:
                try:
                    if with_context:
                        context = context_class(message[1])
                        result = handler(message[0], context)
                    else:
                        result = handler(message)
                    # The commonest case is looked for here: it spares a call a message.
                    waits = type(result) is CoroutineType or is_awaitable(result)
                    if waits:
                        result = await result  # type: ignore[misc]
                    if answering:
                        core.answer(result, answer_headers(context))
                    if waits:
                        handling.enter()
                except ENDING:  # noqa: PERF203 - each message has errors of its own
                    raise
                except BaseException as error:
                    if self._pump.stopping and isinstance(error, asyncio.CancelledError):
                        raise
                    self._failed(error)
                    handling.enter()
        finally:
            handling.leave()
            core.finish()
        if turn.over:
            await asyncio.sleep(0)
            return True
        if self._ended:
            return False
        await self._wait()
        return True


class Pump(asyncio.Task[None]):
    """The task of a subscription; it knows whether it, or only its handler, was cancelled."""

    stopping = False

    def cancel(self, msg: Any = None) -> bool:
        self.stopping = True
        return super().cancel(msg)


def start_pump(subscription: Subscription, loop: asyncio.AbstractEventLoop) -> Pump:
    """Starts a pump that is in nobody's handler, even if a handler subscribes."""
    context = contextvars.copy_context()
    context.run(_scope.current.set, None)
    name = f"posthouse subscription {subscription.name}"
    pump = context.run(lambda: Pump(subscription._run(), loop=loop, name=name))
    # A program may end with subscriptions open; asyncio shall not complain about their tasks.
    pump._log_destroy_pending = False  # type: ignore[attr-defined]
    return pump


class Messages(AsyncIterator[Any]):
    """Iterates over a subscription. A message counts as running until the next is asked for."""

    __slots__ = ("_subscription", "_turns")

    def __init__(self, subscription: Subscription) -> None:
        self._subscription = subscription
        self._turns = 0

    async def __anext__(self) -> Any:
        subscription = self._subscription
        subscription._consumer = None
        core = subscription._core
        self._turns += 1
        if self._turns % BATCH == 0:
            await asyncio.sleep(0)
        while True:
            if subscription._with_context:
                message = core.take_message()
                if message is not UNSET:
                    subscription._consumer = asyncio.current_task()
                    return message[0], Context(message[1])
            else:
                message = core.take()
                if message is not UNSET:
                    subscription._consumer = asyncio.current_task()
                    return message
            if subscription._ended:
                if subscription._error is not None:
                    raise subscription._error
                raise StopAsyncIteration
            await subscription._wait()

    def __del__(self) -> None:
        # The loop was left in the middle: its last message is done with.
        self._subscription._consumer = None
        self._subscription._core.finish()


class OpeningMessages(AsyncIterator[Any]):
    """Iterates over a subscription that is still being made, and ends it with the loop."""

    __slots__ = ("_future", "_messages", "_subscription")

    def __init__(self, future: Awaitable[Subscription]) -> None:
        self._future = future
        self._subscription: Subscription | None = None
        self._messages: AsyncIterator[Any] | None = None

    async def __anext__(self) -> Any:
        if self._messages is None:
            self._subscription = await self._future
            self._messages = aiter(self._subscription)
        return await self._messages.__anext__()

    def __del__(self) -> None:
        if self._subscription is not None:
            self._subscription._core.abandon()


class Opening:
    """A subscription that is being made: await it, enter it, or iterate over it at once."""

    __slots__ = ("_future", "_subscription")

    _subscription: Subscription

    def __init__(
        self,
        variable: Variable,
        handler: Handler | None,
        options: tuple[str | None, int | None, int | None, float | None],
        *,
        answering: bool,
        with_context: bool,
    ) -> None:
        if handler is None and answering:
            raise TypeError("handle needs a handler")
        if handler is not None and not callable(handler):
            raise TypeError(f"a handler must be callable, not {type(handler).__name__}")

        subscription: Subscription | None = None

        def begin() -> int:
            nonlocal subscription
            core, operation = variable._core.subscribe(answering, *options)
            subscription = Subscription(
                variable, core, handler, answering=answering, with_context=with_context
            )
            return operation

        def started(result: object) -> Subscription:
            assert subscription is not None
            return subscription._started(result)

        def undo() -> None:
            if subscription is not None:
                subscription._core.abandon()

        self._future = variable._hub._start(begin, convert=started, undo=undo, message=True)

    def __await__(self) -> Generator[Any, None, Subscription]:
        return self._future.__await__()

    async def __aenter__(self) -> Subscription:
        subscription: Subscription = await self._future
        self._subscription = subscription
        return subscription

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._subscription.unsubscribe()

    def __aiter__(self) -> AsyncIterator[Any]:
        return OpeningMessages(self._future)
