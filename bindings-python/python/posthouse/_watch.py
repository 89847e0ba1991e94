"""Watches: of a variable, of the hub's status, of the instances.

Calling a watch stops it, at once and for good. Without a callback it is an asynchronous iterator
instead. Either way only the latest state is kept: a slow reader skips states, never the last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._awaiting import call_plainly
from ._base import ENDING
from ._types import NOTHING, UNSET, Meta

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._hub import Hub
    from ._variable import Variable

S = TypeVar("S")


class BaseWatch(Generic[S]):
    """What all watches can do."""

    __slots__ = ("_callback", "_changed", "_stopped", "_waiter")

    def __init__(self, callback: Callable[..., object] | None) -> None:
        self._callback = callback
        self._stopped = False
        self._changed = False
        self._waiter: asyncio.Future[None] | None = None

    def __call__(self) -> None:
        """Stops the watch; no callback starts after this."""
        if not self._stopped:
            self._stopped = True
            self._wake()
            self._release()

    stop = __call__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> S:
        while not self._stopped:
            if self._changed:
                self._changed = False
                found = self._take()
                if found is not NOTHING:
                    return found  # type: ignore[no-any-return]
                continue
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        raise StopAsyncIteration

    def _take(self) -> Any:
        raise NotImplementedError

    def _release(self) -> None:
        raise NotImplementedError

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class VariableWatch(BaseWatch[S]):
    """A watch of one variable."""

    __slots__ = ("_core", "_values", "_variable")

    def __init__(
        self, variable: Variable, callback: Callable[..., object] | None, *, values: bool
    ) -> None:
        super().__init__(callback)
        self._variable = variable
        self._values = values
        self._core = variable._core.watch()

    def _on_change(self) -> None:
        callback = self._callback
        if callback is None:
            self._changed = True
            self._wake()
            return
        state = self._core.take(UNSET)
        if state is UNSET or self._stopped:
            return
        try:
            call_plainly(callback, *(state[:1] if self._values else state))
        except ENDING:
            raise
        except BaseException as error:
            where = f"a watch of {self._variable.name!r}"
            self._variable._hub._callback_failed(where, error)

    def _take(self) -> Any:
        state = self._core.take(UNSET)
        if state is UNSET:
            return NOTHING
        return state[0] if self._values else state

    def _release(self) -> None:
        self._variable._hub._watches.forget(self._core.id)
        self._core.stop()

    def __repr__(self) -> str:
        return f"<watch of {self._variable.name!r}{', stopped' if self._stopped else ''}>"


class HubWatch(BaseWatch[S]):
    """A watch of the hub's status or of the instances."""

    __slots__ = ("_look", "_owners", "_what", "_where")

    def __init__(
        self,
        hub: Hub,
        what: str,
        look: Callable[[], S],
        callback: Callable[[S], object] | None,
        owners: set[HubWatch[Any]],
    ) -> None:
        super().__init__(callback)
        self._where = hub
        self._what = what
        self._look = look
        self._owners = owners
        self._changed = True
        owners.add(self)
        if callback is not None:
            hub._bind().call_soon(self._on_change)

    def _on_change(self) -> None:
        callback = self._callback
        if callback is None:
            self._changed = True
            self._wake()
        elif not self._stopped:
            try:
                call_plainly(callback, self._look())
            except ENDING:
                raise
            except BaseException as error:
                self._where._callback_failed(f"a watch of {self._what}", error)

    def _take(self) -> Any:
        return self._look()

    def _release(self) -> None:
        self._owners.discard(self)

    def __repr__(self) -> str:
        return f"<watch of {self._what}{', stopped' if self._stopped else ''}>"


class Watchers:
    """All watches of one hub."""

    __slots__ = ("_hub", "_instances", "_status", "_variables")

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._variables: dict[int, VariableWatch[Any]] = {}
        self._status: set[HubWatch[Any]] = set()
        self._instances: set[HubWatch[Any]] = set()

    def variable(
        self, variable: Variable, callback: Callable[..., object] | None, *, values: bool
    ) -> VariableWatch[Any]:
        watch: VariableWatch[Any] = VariableWatch(variable, callback, values=values)
        self._variables[watch._core.id] = watch
        return watch

    def status(self, callback: Callable[[dict[str, Any]], object] | None) -> HubWatch[Any]:
        core = self._hub._core
        return HubWatch(self._hub, "the hub's status", core.status, callback, self._status)

    def instances(self, callback: Callable[[Any], object] | None) -> HubWatch[Any]:
        core = self._hub._core
        return HubWatch(self._hub, "the instances", core.instances, callback, self._instances)

    def changed(self, watch: int) -> None:
        found = self._variables.get(watch)
        if found is not None:
            found._on_change()

    def status_changed(self) -> None:
        for watch in tuple(self._status):
            watch._on_change()

    def instances_changed(self) -> None:
        for watch in tuple(self._instances):
            watch._on_change()

    def forget(self, watch: int) -> None:
        self._variables.pop(watch, None)

    def end(self) -> None:
        """The hub is closed: iterators end."""
        watches: list[BaseWatch[Any]] = [*self._variables.values()]
        watches += [*self._status, *self._instances]
        for watch in watches:
            if watch._callback is None:
                watch()


ValueCallback = Callable[[Any], object]
StateCallback = Callable[[Any, Meta], object]
