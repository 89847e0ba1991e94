"""Operations that end later: a future each, completed in batches on its loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._errors import PosthouseError, message_error
from ._headers import Headers
from ._types import ManyResult, Reply

if TYPE_CHECKING:
    from ._hub import Hub


class Pending(asyncio.Future[Any]):
    """An operation of the core. Cancelling the future, or its task, cancels the operation."""

    __slots__ = ("_convert", "_hub", "_message", "_operation", "_undo")

    _operation: int | None
    _hub: Hub
    _message: bool
    _convert: Callable[[Any], Any] | None
    _undo: Callable[[], object] | None

    def cancel(self, msg: Any = None) -> bool:
        if not super().cancel(msg):
            return False
        if self._operation is not None:
            self._hub._cancelled(self._operation)
        if self._undo is not None:
            self._undo()
        return True

    def finish(self, result: Any) -> None:
        """Completes the future with what the core said, unless it was cancelled."""
        if self.done():
            return
        convert = self._convert
        if isinstance(result, Exception):
            self.set_exception(message_failure(result, convert) if self._message else result)
        elif convert is None:
            self.set_result(result)
        else:
            self.set_result(convert(result))


def reply_data(reply: tuple[Any, list[tuple[str, str]]]) -> Any:
    """A reply without its headers."""
    return reply[0]


def reply_details(reply: tuple[Any, list[tuple[str, str]]]) -> Reply:
    """A reply with its headers."""
    return Reply(reply[0], Headers(reply[1]))


def many_data(result: tuple[list[Any], str]) -> list[Any]:
    """A collection without headers and reason."""
    return [reply[0] for reply in result[0]]


def many_details(result: tuple[list[Any], Any]) -> ManyResult:
    """A collection with everything."""
    return ManyResult([reply_details(reply) for reply in result[0]], result[1])


def message_failure(error: Exception, convert: Callable[[Any], Any] | None) -> Exception:
    """The error of a message operation, with partial replies in the form of its results."""
    if not isinstance(error, PosthouseError):
        return error
    failure = message_error(error)
    if failure.partial_replies and convert is not None:
        found = convert((failure.partial_replies, "deadline"))
        failure.partial_replies = found.replies if isinstance(found, ManyResult) else found
    return failure
