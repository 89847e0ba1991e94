"""Telling what a handler returned: a value, or something to wait for."""

from __future__ import annotations

from types import CoroutineType, NoneType
from typing import Any, Final, NoReturn

_PLAIN: Final = frozenset({NoneType, bool, int, float, str, dict, list, tuple})


def is_awaitable(value: Any) -> bool:
    """Whether ``await value`` works; quick for what handlers usually return."""
    kind = type(value)
    return kind is CoroutineType or (kind not in _PLAIN and hasattr(kind, "__await__"))


def refuse(awaitable: Any, why: str) -> NoReturn:
    """Raises about something awaitable that nobody will await."""
    close = getattr(awaitable, "close", None)
    if close is not None:
        close()
    raise TypeError(why)


def call_plainly(callback: Any, *arguments: Any) -> None:
    """Calls a callback that must be a plain function: nobody would await what it returned."""
    result = callback(*arguments)
    if is_awaitable(result):
        refuse(result, "a watch callback must be a plain function, not an asynchronous one")
