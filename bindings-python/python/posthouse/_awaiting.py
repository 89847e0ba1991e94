"""Telling what a handler returned: a value, or something to wait for."""

from __future__ import annotations

from types import CoroutineType, NoneType
from typing import Any, Final

_PLAIN: Final = frozenset({NoneType, bool, int, float, str, dict, list, tuple})


def is_awaitable(value: Any) -> bool:
    """Whether ``await value`` works; quick for what handlers usually return."""
    kind = type(value)
    return kind is CoroutineType or (kind not in _PLAIN and hasattr(kind, "__await__"))
