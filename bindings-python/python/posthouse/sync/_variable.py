"""The blocking face of a variable: one name for state, events and requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

from .._base import VariableBase
from .._contexts import BlockingContext, HandleContext
from .._errors import PosthouseError, message_error
from .._pending import many_data, many_details, reply_data, reply_details
from .._types import HeadersInput, Json, ManyResult, Meta, Reply
from ._dispatcher import take_state, take_value
from ._subscription import Subscription

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._hub import Hub
    from ._watch import Watch


class Variable(VariableBase):
    """A name in the hub's namespace; ``hub.var(name)`` makes it.

    State methods take the name as it stands. Message methods read its dots as levels, and
    ``subscribe`` and ``handle`` also patterns: ``*`` is one level, a final ``>`` the rest.
    """

    __slots__ = ()

    _hub: Hub

    # State

    def set(self, value: Json) -> None:
        """Writes the value: into memory at once, to the others as soon as there is a way.

        ``INVALID_VALUE``, ``VALUE_TOO_LARGE`` or ``MEMORY_FULL`` if it cannot be held.
        """
        self._core.set(value)

    def delete(self) -> None:
        """Deletes the value, for everybody."""
        self._core.delete()

    def ready(self, timeout: float | None = None) -> Self:
        """Waits until the state is known: a value came, or the peers had their time to send one."""
        self._hub._run(self._core.ready, timeout)
        return self

    def watch(
        self, callback: Callable[[Any, Meta], object] | None = None
    ) -> Watch[tuple[Any, Meta]]:
        """Calls ``callback(value, meta)`` once the state is known and after every change.

        Call the result to stop. Without a callback the result is a blocking iterator of
        ``(value, meta)``. The value is ``UNSET`` where there is none.
        """
        spread = None if callback is None else (lambda state: callback(*state))
        return self._hub._dispatcher.watch_variable(self, take_state, spread)

    def watch_value(self, callback: Callable[[Any], object] | None = None) -> Watch[Any]:
        """As ``watch``, with the value alone; called also when only the metadata changed."""
        spread = None if callback is None else (lambda state: callback(state[0]))
        take = take_value if callback is None else take_state
        return self._hub._dispatcher.watch_variable(self, take, spread)

    # Messages

    def publish(self, data: Json = None, *, headers: HeadersInput | None = None) -> None:
        """Sends an event to whoever is subscribed now; done when the transport has taken it."""
        try:
            self._core.publish(data, headers)
        except PosthouseError as error:
            raise message_error(error) from None

    pub = publish

    @overload
    def subscribe(
        self,
        handler: Callable[[Any], object] | None = None,
        *,
        queue: str | None = None,
        with_context: Literal[False] = False,
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Subscription: ...
    @overload
    def subscribe(
        self,
        handler: Callable[[Any, BlockingContext], object] | None = None,
        *,
        queue: str | None = None,
        with_context: Literal[True],
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Subscription: ...
    def subscribe(
        self,
        handler: Callable[..., object] | None = None,
        *,
        queue: str | None = None,
        with_context: bool = False,
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Subscription:
        """Receives events and requests, once the broker has taken the subscription.

        ``handler(data)``, or ``handler(data, ctx)`` with context, runs on a thread of the
        subscription, one message after the other. What it returns is ignored; with context it
        may ``ctx.reply(...)``. Without a handler the subscription is iterated over. Members of
        the same ``queue`` share the messages.
        """
        options = (queue, pending_messages, pending_bytes, timeout)
        return self._open(handler, options, answering=False, with_context=with_context)

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
    ) -> Subscription: ...
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
    ) -> Subscription: ...
    def handle(
        self,
        handler: Callable[..., object],
        *,
        queue: str | None = None,
        with_context: bool = False,
        pending_messages: int | None = None,
        pending_bytes: int | None = None,
        timeout: float | None = None,
    ) -> Subscription:
        """Answers requests with what the handler returns; ``None`` answers JSON null.

        If the handler raises, nothing is sent: the error is reported here, and the requester
        may run into its time-out. With context, ``ctx.reply_headers`` go with the answer.
        """
        options = (queue, pending_messages, pending_bytes, timeout)
        return self._open(handler, options, answering=True, with_context=with_context)

    @overload
    def request(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        headers: HeadersInput | None = None,
        details: Literal[False] = False,
    ) -> Any: ...
    @overload
    def request(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        headers: HeadersInput | None = None,
        details: Literal[True],
    ) -> Reply: ...
    def request(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        headers: HeadersInput | None = None,
        details: bool = False,
    ) -> Any:
        """Asks, and gives the first answer's data, or a ``Reply`` with ``details``.

        ``NO_RESPONDERS`` if nobody listens, ``TIMEOUT`` after ``timeout`` seconds (3). Nothing
        is ever sent twice; a time-out or an interruption undoes nothing on the other side.
        """
        convert = reply_details if details else reply_data
        return self._hub._run(
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
    ) -> list[Any]: ...
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
    ) -> ManyResult: ...
    def request_many(
        self,
        data: Json = None,
        *,
        timeout: float | None = None,
        max_replies: int | None = None,
        max_bytes: int | None = None,
        headers: HeadersInput | None = None,
        details: bool = False,
    ) -> Any:
        """Asks, and collects answers until ``timeout`` (3 s) or ``max_replies`` (16).

        It counts answers, not devices; none at all is a valid result. ``details`` gives a
        ``ManyResult``. A failure is a ``MessageError`` with ``partial_replies``.
        """
        convert = many_details if details else many_data
        return self._hub._run(
            self._core.request_many,
            data,
            headers,
            timeout,
            max_replies,
            max_bytes,
            convert=convert,
            message=True,
        )

    # Inside

    def _open(
        self,
        handler: Callable[..., object] | None,
        options: tuple[str | None, int | None, int | None, float | None],
        *,
        answering: bool,
        with_context: bool,
    ) -> Subscription:
        if handler is None and answering:
            raise TypeError("handle needs a handler")
        if handler is not None and not callable(handler):
            raise TypeError(f"a handler must be callable, not {type(handler).__name__}")
        made: list[Subscription] = []

        def subscribe() -> int:
            core, operation = self._core.subscribe(answering, *options)
            made.append(
                Subscription(self, core, handler, answering=answering, with_context=with_context)
            )
            return operation

        try:
            self._hub._run(subscribe, message=True)
        except BaseException:
            for subscription in made:
                subscription.unsubscribe()
            raise
        made[0]._begin()
        return made[0]
