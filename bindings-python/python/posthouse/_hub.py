"""The asyncio face of a hub.

One descriptor of the core becomes readable when something has happened; the loop then fetches a
batch of events and completes futures, wakes subscriptions and runs watch callbacks. Nothing of
Posthouse ever calls into Python from another thread.
"""

from __future__ import annotations

import asyncio
from asyncio import get_running_loop
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core, _log, _scope
from ._awaiting import is_awaitable
from ._base import BATCH, ENDING, HubBase
from ._errors import PosthouseError, message_error
from ._instances import Instances
from ._pending import Pending
from ._variable import Variable
from ._watch import HubWatch, Watchers

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import HubOptions
    from ._subscription import Subscription

T = TypeVar("T")


class Hub(HubBase[Variable]):
    """A member of a namespace: variables, events and requests by name, on asyncio.

    ``namespace`` is shared by name with every other hub that gives the same; without one the hub
    gets a fresh UUID and is alone. Options and their defaults are in the reference; an unknown
    one is refused by name. The hub connects in the background at once.

    A hub belongs to the event loop in which it is first used, and to the process that made it.
    ``async with Hub(...) as hub`` waits for the connection and ends with a drain, or with a
    close if the block raised.
    """

    _passes = ENDING

    def __init__(self, namespace: str | None = None, **options: Unpack[HubOptions]) -> None:
        super().__init__(namespace, options)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._gone = False
        self._closing: list[asyncio.Future[None]] = []
        self._questions: set[asyncio.Task[None]] = set()
        self._pending: dict[int, Pending] = {}
        self._subscriptions: dict[int, Subscription] = {}
        self._watches = Watchers(self)
        self.instances = Instances(self)
        """Who else is in the namespace."""
        if self._functions.keys() - {"on_callback_error"}:
            # Connecting needs to ask the program. Outside a loop it can only do so later.
            with suppress(RuntimeError):
                self._bind()

    def _variable(self, core: _core.Variable) -> Variable:
        return Variable(self, core)

    # Life

    def connected(self, timeout: float | None = None) -> Awaitable[Self]:
        """Waits until the hub is connected; ``TIMEOUT`` after ``timeout`` seconds (the hub's)."""
        return self._start(self._core.connected, timeout, convert=self._self)

    def ready(self, timeout: float | None = None) -> Awaitable[Self]:
        """Waits until variables are initialised: the peers had their time to tell their values.

        Offline too: that time runs from when the hub was made.
        """
        return self._start(self._core.ready, timeout, convert=self._self)

    def flush(self, timeout: float | None = None) -> Awaitable[None]:
        """Waits until the broker has confirmed everything that was written before."""
        return self._start(self._core.flush, timeout)

    def drain(self, timeout: float | None = None) -> Awaitable[None]:
        """Finishes accepted work and requests, then closes; all within ``timeout`` (5 s).

        ``DRAIN_TIMEOUT`` past that, everything cleaned up all the same; ``DRAIN_IN_HANDLER`` if
        a handler of this hub calls it.
        """
        if _scope.in_handler_of(hub=self) or self._consumes():
            return self._failed(_scope.drain_refused(f"hub {self.namespace!r}"))
        return self._start(self._core.drain, timeout)

    def close(self) -> Awaitable[None]:
        """Leaves at once, without draining; any number of times, from anywhere."""
        if self._gone:
            return _core.FINISHED
        loop = self._bind()
        self._core.close()
        gone = loop.create_future()
        self._closing.append(gone)
        return gone

    async def __aenter__(self) -> Self:
        try:
            await self.connected()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None and self.state == "connected":
                await self.drain()
        except PosthouseError as failure:
            # Somebody else has ended or lost the hub meanwhile: there is nothing to drain.
            if failure.code not in {"CLOSED", "DISCONNECTED"}:
                raise
        finally:
            await self.close()

    # Looking

    def watch(
        self, callback: Callable[[dict[str, Any]], object] | None = None
    ) -> HubWatch[dict[str, Any]]:
        """Calls back with the status, now and after every change, until the result is called.

        Without a callback the result is an asynchronous iterator of the same.
        """
        self._bind()
        return self._watches.status(callback)

    # Inside

    def _self(self, _result: object) -> Self:
        return self

    def _bind(self) -> asyncio.AbstractEventLoop:
        """The running loop, which is the hub's from the first time on."""
        loop = get_running_loop()
        if loop is not self._loop:
            if self._loop is not None:
                raise RuntimeError(
                    f"{self!r} belongs to another event loop; make one Hub in each loop"
                )
            self._loop = loop
            loop.add_reader(self._core.fileno(), self._on_wake)
        return loop

    def _start(
        self,
        begin: Callable[..., int],
        *arguments: Any,
        convert: Callable[[Any], Any] | None = None,
        undo: Callable[[], object] | None = None,
        message: bool = False,
    ) -> Awaitable[Any]:
        """Begins an operation; everything that goes wrong comes out of the awaitable."""
        loop = self._loop
        if loop is None or loop is not get_running_loop():
            loop = self._bind()
        future = Pending(loop=loop)
        future._convert = convert
        future._hub = self
        future._operation = None
        future._undo = undo
        future._message = message
        try:
            operation = begin(*arguments)
        except PosthouseError as error:
            future.set_exception(message_error(error) if message else error)
            return future
        future._operation = operation
        self._pending[operation] = future
        return future

    def _cancelled(self, operation: int) -> None:
        """The future of an operation was cancelled."""
        if self._pending.pop(operation, None) is not None:
            self._core.cancel(operation)

    def _failed(self, error: PosthouseError) -> Awaitable[Any]:
        """An operation that failed before it began."""
        try:
            future = get_running_loop().create_future()
        except RuntimeError:
            # Nobody can await outside a loop: say what is wrong and not that.
            raise error from None
        future.set_exception(error)
        return future

    def _consumes(self) -> bool:
        """Whether the running task is in the body of a loop over one of our subscriptions."""
        return any(subscription._consumes() for subscription in self._subscriptions.values())

    def _on_wake(self) -> None:
        try:
            events = self._core.poll(BATCH)
        except PosthouseError as error:
            # A forked child goes on with its parent's loop: nothing will come of it here.
            self._end()
            for pending in self._pending.values():
                pending.finish(error)
            self._pending.clear()
            return
        self._handle(iter(events))

    def _handle(self, events: Iterator[tuple[int, int, Any]]) -> None:
        try:
            for kind, key, value in events:
                if kind == _core.DONE:
                    future = self._pending.pop(key, None)
                    if future is not None:
                        future.finish(value)
                elif kind == _core.READY:
                    subscription = self._subscriptions.get(key)
                    if subscription is not None:
                        subscription._on_ready()
                elif kind == _core.WATCH:
                    self._watches.changed(key)
                elif kind == _core.ENDED:
                    subscription = self._subscriptions.pop(key, None)
                    if subscription is not None:
                        subscription._on_ended(value)
                elif kind == _core.STATUS:
                    self._watches.status_changed()
                elif kind == _core.INSTANCES:
                    self._watches.instances_changed()
                elif kind == _core.LOG:
                    _log.emit(*value)
                elif kind == _core.ASK:
                    self._answer(key, value)
                elif kind == _core.CLOSED:
                    self._watches.end()
                elif kind == _core.GONE:
                    self._end()
        except BaseException:
            # A callback ends the loop; whoever runs it again, if only to close, needs the rest.
            self._bind().call_soon(self._handle, events)
            raise

    def _answer(self, ask: int, what: str) -> None:
        """An attempt to connect wants a credential that the program gave a function for."""
        try:
            answer = self._ask(what)
        except ENDING:
            raise
        except BaseException as error:
            self._tell(ask, None, error)
            return
        if not is_awaitable(answer):
            self._tell(ask, answer, None)
            return

        async def wait() -> None:
            try:
                self._tell(ask, await answer, None)
            except ENDING:
                raise
            except BaseException as error:
                self._tell(ask, None, error)
                if not isinstance(error, Exception):
                    raise

        task = self._bind().create_task(wait())
        self._questions.add(task)
        task.add_done_callback(self._questions.discard)

    def _end(self) -> None:
        """The hub and everything it had is gone: no event comes any more."""
        self._gone = True
        if self._loop is not None:
            self._loop.remove_reader(self._core.fileno())
        for gone in self._closing:
            if not gone.done():
                gone.set_result(None)
        self._closing.clear()
