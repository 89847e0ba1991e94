"""The thread of a blocking hub: it fetches what happens and passes it on.

It completes blocking calls and wakes the threads of subscriptions, watches and credentials: nothing
of the program runs on it that could hold it up. It is a daemon so that it keeps no program alive,
and it is stopped and joined before the interpreter is taken down (`_process`).
"""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _core, _log
from .._base import BATCH
from .._errors import PosthouseError
from .._types import NOTHING, UNSET
from ._callbacks import Callbacks
from ._calls import Calls
from ._watch import Watch

if TYPE_CHECKING:
    from ._hub import Hub
    from ._subscription import Subscription
    from ._variable import Variable

STATUS = "status"
INSTANCES = "instances"


class Dispatcher:
    """Owns the hub's thread and the tables it works with."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._core = hub._core
        self.calls = Calls(hub._core)
        self.failed = hub._callback_failed
        self.subscriptions: dict[int, Subscription] = {}
        self._watches: dict[int, Watch[Any]] = {}
        self._hub_watches: dict[str, set[Watch[Any]]] = {STATUS: set(), INSTANCES: set()}
        # Watches that want their first state, which no event announces.
        self._fresh: list[Watch[Any]] = []
        self._lock = threading.Lock()
        self._stopping = False
        self._bell, self._bell_end = socket.socketpair()
        self._bell_end.setblocking(False)
        self.handler_threads: set[int] = set()
        name = f"posthouse hub {hub.namespace}"
        # A watch that does not return must not keep the hub from connecting, so they are two.
        self._watching = Callbacks(f"posthouse watches {hub.namespace}", self.handler_threads)
        self._telling = Callbacks(f"posthouse credentials {hub.namespace}", self.handler_threads)
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()

    # Called on any thread

    def guard(self, what: str) -> None:
        """Refuses a call that blocks on a thread that runs callbacks of this hub."""
        if self.in_callback():
            raise PosthouseError(
                "BLOCKING_IN_HANDLER",
                f"{what} blocks, and was called in a callback of the same hub, which would wait "
                "for itself: call it on a thread of your own, or use the asyncio face",
            )

    def in_callback(self) -> bool:
        """Whether this thread runs callbacks of this hub."""
        return threading.get_ident() in self.handler_threads

    def watch_variable(
        self,
        variable: Variable,
        take: Callable[[_core.Watch], Callable[[], Any]],
        callback: Callable[[Any], object] | None,
    ) -> Watch[Any]:
        """A new watch of a variable."""
        with self._lock:
            core = variable._core.watch()
            watch: Watch[Any] = Watch(self, core, repr(variable.name), take(core), callback)
            self._watches[core.id] = watch
        return watch

    def watch_hub(
        self, what: str, look: Callable[[], Any], callback: Callable[[Any], object] | None
    ) -> Watch[Any]:
        """A new watch of the status or of the instances."""
        watch: Watch[Any] = Watch(self, what, f"the {what}", look, callback)
        with self._lock:
            self._hub_watches[what].add(watch)
            self._fresh.append(watch)
        self._ring()
        return watch

    def release(self, watch: Watch[Any]) -> None:
        """Forgets a watch."""
        with self._lock:
            if isinstance(watch._key, str):
                self._hub_watches[watch._key].discard(watch)
                return
            assert isinstance(watch._key, _core.Watch)
            self._watches.pop(watch._key.id, None)
        watch._key.stop()

    def stop(self) -> None:
        """Has the thread end soon."""
        self._stopping = True
        self._ring()

    def callback_threads(self) -> list[threading.Thread]:
        """The threads that run callbacks other than handlers, as far as they were needed."""
        threads = (self._watching.thread, self._telling.thread)
        return [thread for thread in threads if thread is not None]

    def forked(self) -> None:
        """Nobody holds these locks in a forked child, whatever they say."""
        self._lock = threading.Lock()
        self.calls.forked()

    def _ring(self) -> None:
        try:
            self._bell.send(b"!")
        except (BlockingIOError, OSError):
            # It rings already, or the thread has gone.
            return

    # Called on the hub's thread

    def _run(self) -> None:
        self.handler_threads.add(threading.get_ident())
        poller = select.poll()
        poller.register(self._core.fileno(), select.POLLIN)
        poller.register(self._bell_end, select.POLLIN)
        try:
            while not self._stopping:
                poller.poll()
                self._answer_bell()
                for event in self._core.poll(BATCH):
                    self._handle(*event)
        except PosthouseError as error:
            _log.logger.error("%r ends: %s", self._hub, error)
        finally:
            self._end()

    def _answer_bell(self) -> None:
        try:
            self._bell_end.recv(4096)
        except BlockingIOError:
            return
        with self._lock:
            fresh, self._fresh = self._fresh, []
        for watch in fresh:
            watch._on_change(self._watching)

    def _handle(self, kind: int, key: int, value: Any) -> None:
        if kind == _core.DONE:
            self.calls.finish(key, value)
        elif kind == _core.READY:
            subscription = self.subscriptions.get(key)
            if subscription is not None:
                subscription._on_ready()
        elif kind == _core.ENDED:
            subscription = self.subscriptions.pop(key, None)
            if subscription is not None:
                subscription._on_ended(value)
        elif kind == _core.WATCH:
            with self._lock:
                watch = self._watches.get(key)
            if watch is not None:
                watch._on_change(self._watching)
        elif kind in {_core.STATUS, _core.INSTANCES}:
            with self._lock:
                watches = list(self._hub_watches[STATUS if kind == _core.STATUS else INSTANCES])
            for watch in watches:
                watch._on_change(self._watching)
        elif kind == _core.LOG:
            _log.emit(*value)
        elif kind == _core.ASK:
            self._telling.run(partial(self._answer, key, value))
        elif kind == _core.GONE:
            self._stopping = True

    def _answer(self, ask: int, what: str) -> None:
        """An attempt to connect wants a credential that the program gave a function for."""
        try:
            answer = self._hub._ask(what)
        except BaseException as error:
            self._hub._tell(ask, None, error)
        else:
            self._hub._tell(ask, answer, None)

    def _end(self) -> None:
        self._watching.end()
        self._telling.end()
        self.calls.end()
        for subscription in list(self.subscriptions.values()):
            subscription._on_ended(None)
        self.subscriptions.clear()
        with self._lock:
            watches = [*self._watches.values()]
            for group in self._hub_watches.values():
                watches += group
        for watch in watches:
            if watch._callback is None:
                watch()
        self._bell.close()
        self._bell_end.close()
        self.handler_threads.discard(threading.get_ident())


def take_state(core: _core.Watch) -> Callable[[], Any]:
    """What a watch of value and metadata takes."""

    def take() -> Any:
        state = core.take(UNSET)
        return NOTHING if state is UNSET else state

    return take


def take_value(core: _core.Watch) -> Callable[[], Any]:
    """What a watch of the value takes."""

    def take() -> Any:
        state = core.take(UNSET)
        return NOTHING if state is UNSET else state[0]

    return take
