"""What a handler gets beside the data when it was registered with ``with_context=True``."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from . import _core
from ._errors import PosthouseError, message_error
from ._headers import Headers
from ._types import HeadersInput, Json


class MessageContext:
    """The message that a handler runs for."""

    __slots__ = ("_headers", "_message")

    def __init__(self, message: _core.Message) -> None:
        self._message = message
        self._headers: Headers | None = None

    @property
    def topic(self) -> str:
        """The name the message was published to; with a pattern, the concrete one."""
        return self._message.topic

    @property
    def headers(self) -> Headers:
        """The headers of the message."""
        if self._headers is None:
            self._headers = Headers(self._message.headers)
        return self._headers

    def _reply(self, data: Any, headers: Any) -> None:
        try:
            self._message.reply(data, headers)
        except PosthouseError as error:
            raise message_error(error) from None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.topic!r}>"


class Context(MessageContext):
    """The context of an asynchronous subscription's handler: it can reply, several times."""

    __slots__ = ()

    def reply(self, data: Json = None, *, headers: HeadersInput | None = None) -> Awaitable[None]:
        """Answers the message; done at once.

        ``NO_REPLY_SUBJECT`` if the message asks for no answer, ``CLOSED`` when the handler has
        ended, ``DISCONNECTED`` when the connection has changed since the message came.
        """
        self._reply(data, headers)
        return _core.FINISHED


class HandleContext(MessageContext):
    """The context of a ``handle``: its return value is the answer, with these headers."""

    __slots__ = ("reply_headers",)

    def __init__(self, message: _core.Message) -> None:
        super().__init__(message)
        self.reply_headers = Headers()
        """Headers of the answer; fill it before the handler returns."""


class BlockingContext(MessageContext):
    """The context of a blocking subscription's handler: it can reply, several times."""

    __slots__ = ()

    def reply(self, data: Json = None, *, headers: HeadersInput | None = None) -> None:
        """Answers the message.

        ``NO_REPLY_SUBJECT`` if the message asks for no answer, ``CLOSED`` when the handler has
        ended, ``DISCONNECTED`` when the connection has changed since the message came.
        """
        self._reply(data, headers)


def answer_headers(context: Any) -> Headers | None:
    """The headers that a handler has set on its context."""
    headers = getattr(context, "reply_headers", None)
    return headers if headers else None
