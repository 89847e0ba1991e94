"""The errors of the package. The compiled half builds them from the core's own error."""

from __future__ import annotations

from typing import Any


class PosthouseError(Exception):
    """What went wrong in an operation.

    ``code`` is stable and the same in every language (``TIMEOUT``, ``NO_RESPONDERS``, ...);
    ``message`` is a sentence for a person. Where a limit was passed, ``limit`` and ``actual``
    say which and by how much. Secrets never appear in either.
    """

    code: str
    message: str
    limit: int | None
    actual: int | None

    def __init__(
        self, code: str, message: str, limit: int | None = None, actual: int | None = None
    ) -> None:
        super().__init__(code, message, limit, actual)
        self.code = code
        self.message = message
        self.limit = limit
        self.actual = actual

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {self.message!r})"


class MessageError(PosthouseError):
    """An event, a request or a collection that failed.

    ``partial_replies`` holds what a ``request_many`` had collected until then, in the form
    that the call would have returned; it is empty for every other operation.
    """

    partial_replies: list[Any]

    def __init__(
        self,
        code: str,
        message: str,
        limit: int | None = None,
        actual: int | None = None,
        partial_replies: list[Any] | None = None,
    ) -> None:
        super().__init__(code, message, limit, actual)
        self.partial_replies = [] if partial_replies is None else partial_replies


def described(error: BaseException) -> str:
    """An exception of the program in words that can always be passed on, whatever it is made of."""
    name = type(error).__name__
    try:
        said = f"{name}: {error}"
    except BaseException:
        return name
    # Names of files, for one, may hold what is no text.
    return said.encode("utf-8", "backslashreplace").decode()


def message_error(error: PosthouseError) -> MessageError:
    """The same error, as the error of a message."""
    if isinstance(error, MessageError):
        return error
    made = MessageError(error.code, error.message, error.limit, error.actual)
    made.partial_replies = getattr(error, "partial_replies", [])
    return made
