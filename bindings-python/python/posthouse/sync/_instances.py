"""Who else is in the namespace."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._hub import Hub
    from ._watch import Watch


class Instances:
    """The health reports of every hub in the namespace, this one included."""

    __slots__ = ("_hub",)

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def list(self) -> builtins.list[dict[str, Any]]:
        """The last report of each instance, and whether it is ``online``."""
        return self._hub._core.instances()

    def watch(
        self, callback: Callable[[builtins.list[dict[str, Any]]], object] | None = None
    ) -> Watch[builtins.list[dict[str, Any]]]:
        """Calls back with the list, now and after every change, until the result is called.

        Without a callback the result is a blocking iterator of the same.
        """
        core = self._hub._core
        return self._hub._dispatcher.watch_hub("instances", core.instances, callback)
