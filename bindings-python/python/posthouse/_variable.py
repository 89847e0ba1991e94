"""The asyncio face of a variable: one name for state, events and requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core
from ._base import VariableBase
from ._contexts import Context, HandleContext
from ._errors import PosthouseError, message_error
from ._pending import many_data, many_details, reply_data, reply_details
from ._subscription import Opening
from ._types import HeadersInput, Json, ManyResult, Meta, Reply
from ._watch import StateCallback, ValueCallback, VariableWatch

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._hub import Hub

FINISHED = _core.FINISHED


class Variable(VariableBase):
    """A name in the hub's namespace; ``hub.var(name)`` makes it.

    State methods take the name as it stands. Message methods read its dots as levels, and
    ``subscribe`` and ``handle`` also patterns: ``*`` is one level, a final ``>`` the rest.
    """

    __slots__ = ()

    _hub: Hub

    # State

    def set(self, value: Json) -> Awaitable[None]:
        """Writes the value: into memory at once, to the others as soon as there is a way.

        ``INVALID_VALUE``, ``VALUE_TOO_LARGE`` or ``MEMORY_FULL`` if it cannot be held.
        """
        try:
            self._core.set(value)
        except PosthouseError as error:
            return self._hub._failed(error)
        return FINISHED

    def delete(self) -> Awaitable[None]:
        """Deletes the value, for everybody."""
        try:
            self._core.delete()
        except PosthouseError as error:
            return self._hub._failed(error)
        return FINISHED

    def ready(self, timeout: float | None = None) -> Awaitable[Self]:
        """Waits until the state is known: a value came, or the peers had their time to send one."""
        return self._hub._start(self._core.ready, timeout, convert=self._self)

    @overload
    def watch(self, callback: StateCallback) -> VariableWatch[tuple[Any, Meta]]: ...
    @overload
    def watch(self, callback: None = None) -> VariableWatch[tuple[Any, Meta]]: ...
    def watch(self, callback: StateCallback | None = None) -> VariableWatch[tuple[Any, Meta]]:
        """Calls ``callback(value, meta)`` once the state is known and after every change.

        Call the result to stop. Without a callback the result is an asynchronous iterator of
        ``(value, meta)``. The value is ``UNSET`` where there is none.
        """
        self._hub._bind()
        return self._hub._watches.variable(self, callback, values=False)

    def watch_value(self, callback: ValueCallback | None = None) -> VariableWatch[Any]:
        """As ``watch``, with the value alone; called also when only the metadata changed."""
        self._hub._bind()
        return self._hub._watches.variable(self, callback, values=True)

    # Messages

    def publish(self, data: Json = None, *, headers: HeadersInput | None = None) -> Awaitable[None]:
        """Sends an event to whoever is subscribed now; done when the transport has taken it."""
        try:
            self._core.publish(data, headers)
        except PosthouseError as error:
            return self._hub._failed(message_error(error))
        return FINISHED

    pub = publish

    @overload
    def subscribe(
        self,
        handler: Callable[[Any], object],
        *,
        queue: str | None = None,
        with_context: Literal[False] = False,
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Opening: ...
    @overload
    def subscribe(
        self,
        handler: Callable[[Any, Context], object],
        *,
        queue: str | None = None,
        with_context: Literal[True],
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Opening: ...
    @overload
    def subscribe(
        self,
        handler: None = None,
        *,
        queue: str | None = None,
        with_context: bool = False,
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Opening: ...
    def subscribe(
        self,
        handler: Callable[..., object] | None = None,
        *,
        queue: str | None = None,
        with_context: bool = False,
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Opening:
        """Receives events and requests; done when the broker has taken the subscription.

        ``handler(data)``, or ``handler(data, ctx)`` with context, may be ``def`` or
        ``async def``; its messages come one after the other. What it returns is ignored; with
        context it may ``await ctx.reply(...)``. Without a handler the subscription is an
        asynchronous iterator. Members of the same ``queue`` share the messages.
        """
        options = (queue, pending_messages, pending_bytes, timeout)
        return Opening(self, handler, options, answering=False, with_context=with_context)

    sub = subscribe

    @overload
    def handle(
        self,
        handler: Callable[[Any], object],
        *,
        queue: str | None = None,
        with_context: Literal[False] = False,
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Opening: ...
    @overload
    def handle(
        self,
        handler: Callable[[Any, HandleContext], object],
        *,
        queue: str | None = None,
        with_context: Literal[True],
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Opening: ...
    def handle(
        self,
        handler: Callable[..., object],
        *,
        queue: str | None = None,
        with_context: bool = False,
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Opening:
        """Answers requests with what the handler returns; ``None`` answers JSON null.

        If the handler raises, nothing is sent: the error is reported here, and the requester
        may run into its time-out. With context, ``ctx.reply_headers`` go with the answer.
        """
        options = (queue, pending_messages, pending_bytes, timeout)
        return Opening(self, handler, options, answering=True, with_context=with_context)

    @overload
    def request(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        headers: HeadersInput | None = None,
        details: Literal[False] = False,
    ) -> Awaitable[Any]: ...
    @overload
    def request(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        headers: HeadersInput | None = None,
        details: Literal[True],
    ) -> Awaitable[Reply]: ...
    def request(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        headers: HeadersInput | None = None,
        details: bool = False,
    ) -> Awaitable[Any]:
        """Asks, and gives the first answer's data, or a ``Reply`` with ``details``.

        ``NO_RESPONDERS`` if nobody listens, ``TIMEOUT`` after ``timeout`` seconds (3). Nothing
        is ever sent twice; a time-out or a cancellation undoes nothing on the other side.
        """
        convert = reply_details if details else reply_data
        return self._hub._start(
            self._core.request, data, headers, timeout, convert=convert, message=True
        )

    req = request

    @overload
    def request_many(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        max_replies: int | None = None,
        max_bytes: int | None = None,
        headers: HeadersInput | None = None,
        details: Literal[False] = False,
    ) -> Awaitable[list[Any]]: ...
    @overload
    def request_many(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        max_replies: int | None = None,
        max_bytes: int | None = None,
        headers: HeadersInput | None = None,
        details: Literal[True],
    ) -> Awaitable[ManyResult]: ...
    def request_many(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        max_replies: int | None = None,
        max_bytes: int | None = None,
        headers: HeadersInput | None = None,
        details: bool = False,
    ) -> Awaitable[Any]:
        """Asks, and collects answers until ``timeout`` (3 s) or ``max_replies`` (16).

        It counts answers, not devices; none at all is a valid result. ``details`` gives a
        ``ManyResult``. A failure is a ``MessageError`` with ``partial_replies``.
        """
        convert = many_details if details else many_data
        return self._hub._start(
            self._core.request_many,
            data,
            headers,
            timeout,
            max_replies,
            max_bytes,
            convert=convert,
            message=True,
        )

    def _self(self, _result: object) -> Self:
        return self
