"""The blocking face of a hub."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .. import _core
from .._base import HubBase
from .._errors import PosthouseError
from .._process import registry
from .._scope import drain_refused
from . import _sleep
from ._dispatcher import STATUS, Dispatcher
from ._instances import Instances
from ._variable import Variable

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .._options import HubOptions
    from ._watch import Watch


class Hub(HubBase[Variable]):
    """A member of a namespace: variables, events and requests by name, with calls that block.

    ``namespace`` is shared by name with every other hub that gives the same; without one the hub
    gets a fresh UUID and is alone. Options and their defaults are in the reference; an unknown
    one is refused by name. The hub connects in the background at once.

    Any thread may use it. ``with Hub(...) as hub`` waits for the connection and ends with a
    drain, or with a close if the block raised.
    """

    def __init__(self, namespace: str | None = None, **options: Unpack[HubOptions]) -> None:
        super().__init__(namespace, options)
        self._dispatcher = Dispatcher(self)
        self.instances = Instances(self)
        """Who else is in the namespace."""
        registry.add(self)

    def _variable(self, core: _core.Variable) -> Variable:
        return Variable(self, core)

    def connected(self, timeout: float | None = None) -> Self:
        """Waits until the hub is connected; ``TIMEOUT`` after ``timeout`` seconds."""
        self._run(self._core.connected, timeout)
        return self

    def ready(self, timeout: float | None = None) -> Self:
        """Waits until variables are initialised: the peers had their time to tell their values.

        Offline too: that time runs from when the hub was made.
        """
        self._run(self._core.ready, timeout)
        return self

    def flush(self, timeout: float | None = None) -> None:
        """Waits until the broker has confirmed everything that was written before."""
        self._run(self._core.flush, timeout)

    def drain(self, timeout: float | None = None) -> None:
        """Finishes accepted work and requests, then closes; all within ``timeout`` (5 s).

        ``DRAIN_TIMEOUT`` past that, everything cleaned up all the same; ``DRAIN_IN_HANDLER`` in
        a callback of this hub.
        """
        if self._dispatcher.in_callback():
            raise drain_refused(f"hub {self.namespace!r}")
        self._run(self._core.drain, timeout)

    def close(self) -> None:
        """Leaves at once, without draining; any number of times, from anywhere.

        No callback starts after it; one that runs may finish. In a callback of this hub it does
        not wait for the end.
        """
        self._core.close()
        if not self._dispatcher.in_callback():
            _sleep.join(self._dispatcher.thread)

    def __enter__(self) -> Self:
        try:
            return self.connected()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None and self.state == "connected":
                self.drain()
        except PosthouseError as failure:
            # Somebody else has ended or lost the hub meanwhile: there is nothing to drain.
            if failure.code not in {"CLOSED", "DISCONNECTED"}:
                raise
        finally:
            self.close()

    def watch(
        self, callback: Callable[[dict[str, Any]], object] | None = None
    ) -> Watch[dict[str, Any]]:
        """Calls back with the status, now and after every change, until the result is called.

        Without a callback the result is a blocking iterator of the same.
        """
        return self._dispatcher.watch_hub(STATUS, self._core.status, callback)

    # Inside

    def _run(
        self,
        begin: Callable[..., int],
        *arguments: Any,
        convert: Callable[[Any], Any] | None = None,
        message: bool = False,
    ) -> Any:
        self._dispatcher.guard(begin.__name__)
        return self._dispatcher.calls.run(begin, *arguments, convert=convert, message=message)

    def _stop_threads(self, deadline: float) -> None:
        """The program ends: so do the threads, within what time there is."""
        dispatcher = self._dispatcher
        workers = [subscription._thread for subscription in [*dispatcher.subscriptions.values()]]
        dispatcher.stop()
        for thread in [dispatcher.thread, *dispatcher.callback_threads(), *workers]:
            if thread is not None:
                thread.join(max(0.0, deadline - time.monotonic()))

    def _forked(self) -> None:
        self._dispatcher.forked()
