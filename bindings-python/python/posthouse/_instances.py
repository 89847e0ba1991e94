"""Who else is in the namespace."""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from ._hub import Hub
    from ._watch import HubWatch


class Instances:
    """The health reports of every hub in the namespace, this one included."""

    __slots__ = ("_hub",)

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def list(self) -> Awaitable[builtins.list[dict[str, Any]]]:
        """The last report of each instance, and whether it is ``online``; done at once."""
        return _core.Finished(self._hub._core.instances())

    def watch(
        self, callback: Callable[[builtins.list[dict[str, Any]]], object] | None = None
    ) -> HubWatch[builtins.list[dict[str, Any]]]:
        """Calls back with the list, now and after every change, until the result is called.

        Without a callback the result is an asynchronous iterator of the same.
        """
        self._hub._bind()
        return self._hub._watches.instances(callback)
