"""What both faces of a hub and of a variable share: everything that never waits."""

from __future__ import annotations

import logging
from typing import Any, Final, Generic, TypeVar, overload

from . import _core, _log
from ._errors import PosthouseError, described
from ._options import functions
from ._types import UNSET, Meta, Unset

BATCH: Final = 256
"""Events, or messages of one subscription, that are handled before others get their turn."""

ENDING: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""What ends the program, or a coroutine that nobody runs any more, when it comes out of a callback
on the event loop; all else is only reported."""

V = TypeVar("V", bound="VariableBase")
T = TypeVar("T")


class HubBase(Generic[V]):
    """The part of a hub that is the same in both faces."""

    _passes: tuple[type[BaseException], ...] = ()
    """Exceptions of callbacks that are not held up."""

    def __init__(self, namespace: str | None, options: Any) -> None:
        self._core = _core.Hub(namespace, options)
        self._functions = functions(options)
        self._variables: dict[str, V] = {}

    @property
    def namespace(self) -> str:
        """The namespace; a fresh UUID, shared with nobody, if none was given."""
        return self._core.namespace

    @property
    def instance_id(self) -> str:
        """The id under which other hubs see this one."""
        return self._core.instance_id

    @property
    def state(self) -> str:
        """The connection: starting, connecting, connected, offline, error or closed."""
        return self._core.state

    def status(self) -> dict[str, Any]:
        """A snapshot of connection, counters, limits and errors; no values, no secrets."""
        return self._core.status()

    def var(self, name: str) -> V:
        """The variable of that name; always the same object for the same name.

        ``INVALID_NAME`` if the name cannot be one, ``MEMORY_FULL`` past ``max_variables``.
        """
        try:
            return self._variables[name]
        except KeyError:
            variable = self._variables[name] = self._variable(self._core.variable(name))
            return variable

    def _variable(self, core: _core.Variable) -> V:
        raise NotImplementedError

    def _callback_failed(self, where: str, error: BaseException) -> None:
        """A callback of the program raised: tell the core, and whoever wants to know."""
        said = described(error)
        try:
            self._core.callback_failed(where, said)
        except PosthouseError as refused:
            said = f"the failure of a callback could not be counted: {refused}"
            _log.tell(_log.logger, logging.DEBUG, said)
        self._report(f"{where} raised {said}", error)

    def _report(self, text: str, error: BaseException) -> None:
        listener: Any = self._functions.get("on_callback_error")
        if listener is None:
            _log.tell(_log.logger, logging.ERROR, text, error)
            return
        failure = PosthouseError("HANDLER_ERROR", text)
        failure.__cause__ = error
        try:
            listener(failure)
        except self._passes:
            raise
        except BaseException as own:
            said = f"on_callback_error raised while it was told: {text}"
            _log.tell(_log.logger, logging.ERROR, said, own)

    def _ask(self, what: str) -> Any:
        """Asks the program for a credential; what it tells may still have to be awaited."""
        return self._functions[what]()

    def _tell(self, ask: int, answer: Any, error: BaseException | None) -> None:
        """Passes a credential on, or says why there is none; what was told is never shown."""
        if error is not None:
            self._core.tell(ask, None, f"it raised {type(error).__name__}")
        elif isinstance(answer, str):
            self._core.tell(ask, answer, "")
        else:
            self._core.tell(ask, None, f"it told a {type(answer).__name__}, not a string")

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} {self.namespace!r} {self.state}>"


class VariableBase:
    """The part of a variable that is the same in both faces."""

    __slots__ = ("_core", "_hub", "name")

    def __init__(self, hub: Any, core: _core.Variable) -> None:
        self._hub = hub
        self._core = core
        self.name: str = core.name

    @property
    def value(self) -> Any:
        """The current value, from memory and without waiting; ``UNSET`` where there is none."""
        return self._core.get(UNSET)

    @overload
    def get(self) -> Any | Unset: ...
    @overload
    def get(self, fallback: T) -> Any | T: ...
    def get(self, fallback: Any = UNSET) -> Any:
        """The current value, or ``fallback`` where there is none. Never waits, never writes."""
        return self._core.get(fallback)

    @property
    def meta(self) -> Meta:
        """What is known about the variable besides its value."""
        return self._core.meta()

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} {self.name!r}>"
