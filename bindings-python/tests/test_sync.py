"""The blocking face."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Queue
from typing import Any

import pytest

from brokers import Broker
from posthouse import UNSET, PosthouseError
from posthouse.sync import Context, HandleContext, Hub, MessageError, Reply


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_state_events_and_requests(broker: Broker, namespace: str) -> None:
    with Hub(namespace, servers=broker.url) as hub:
        lamp = hub.var("lamp")
        assert lamp.value is UNSET
        lamp.set({"on": True})
        assert lamp.get() == {"on": True}
        got: Queue[Any] = Queue()
        lamp.sub(got.put)
        lamp.pub({"pressed": 1})
        assert got.get(timeout=5) == {"pressed": 1}
        lamp.handle(lambda wish: {"ok": wish})
        assert lamp.req(1) == {"ok": 1}
        assert [lamp.req(n) for n in range(50)] == [{"ok": n} for n in range(50)]
        reply = lamp.req(2, details=True)
        assert isinstance(reply, Reply)
        assert lamp.request_many(3, timeout=0.2) == [{"ok": 3}]
        lamp.delete()
        assert lamp.value is UNSET
        assert lamp.ready() is lamp
        assert hub.ready() is hub
        hub.flush()
        assert hub.instance_id in {report["instanceId"] for report in hub.instances.list()}


def test_contexts(broker: Broker, namespace: str) -> None:
    with Hub(namespace, servers=broker.url) as hub:

        def event(data: Any, ctx: Context) -> None:
            ctx.reply(ctx.topic, headers=ctx.headers)

        def handler(data: Any, ctx: HandleContext) -> Any:
            ctx.reply_headers["X-A"] = "b"
            return data

        hub.var("a.*").sub(event, with_context=True)
        reply = hub.var("a.b").req(1, headers={"x-k": ["1", "2"]}, details=True)
        assert reply.data == "a.b"
        assert reply.headers.get_all("x-k") == ["1", "2"]
        hub.var("c").handle(handler, with_context=True)
        assert hub.var("c").req(1, details=True).headers["x-a"] == "b"


def test_iteration(broker: Broker, namespace: str) -> None:
    with Hub(namespace, servers=broker.url) as hub:
        subscription = hub.var("x").sub()
        for n in range(10):
            hub.var("x").pub(n)
        seen = []
        for data in subscription:
            seen.append(data)
            if data == 9:
                break
        assert seen == list(range(10))
        subscription.unsubscribe()
        assert list(subscription) == []
        hub.var("v").set(1)
        with hub.var("v").watch_value() as watch:
            assert next(watch) == 1
            hub.var("v").set(2)
            until(lambda: next(watch) == 2)
        assert list(watch) == []
        value, meta = next(hub.var("v").watch())
        assert (value, meta["exists"]) == (2, True)
        hub.var("v").delete()
        assert next(hub.var("v").watch_value()) is UNSET
        assert next(hub.watch())["namespace"] == namespace
        assert isinstance(next(hub.instances.watch()), list)


def test_watch_callbacks(broker: Broker, namespace: str) -> None:
    with Hub(namespace, servers=broker.url) as hub:
        values: list[Any] = []
        states: list[Any] = []
        statuses: list[Any] = []
        stop = hub.var("x").watch_value(values.append)
        hub.var("x").watch(lambda value, meta: states.append((value, meta["exists"])))
        hub.watch(statuses.append)
        hub.var("x").set(1)
        until(lambda: values and values[-1] == 1 and states and states[-1] == (1, True))
        until(lambda: statuses)
        stop()
        count = len(values)
        hub.var("x").set(2)
        until(lambda: states[-1] == (2, True))
        assert len(values) == count


def test_a_callback_that_does_not_return_holds_up_only_its_kind(
    broker: Broker, namespace: str
) -> None:
    """It may well wait for a lock that the caller of a request holds."""
    lock = threading.Lock()
    entered = threading.Event()
    seen: list[Any] = []

    def watch(value: Any) -> None:
        if value == 1:
            entered.set()
            with lock:
                pass
        seen.append(value)

    with Hub(namespace, servers=broker.url) as hub:
        hub.var("x").watch_value(watch)
        hub.var("y").handle(lambda data: data)
        with lock:
            hub.var("x").set(1)
            assert entered.wait(10)
            assert hub.var("y").req(7) == 7
            hub.flush()
            assert list(next(hub.watch()))
            for n in range(2, 100):
                hub.var("x").set(n)
        until(lambda: seen[-1:] == [99])
        # While it was held up, changes were passed over.
        assert len(seen) < 90


def test_closing_does_not_wait_for_a_callback(broker: Broker, namespace: str) -> None:
    hub = Hub(namespace, servers=broker.url).connected()
    entered, free, later = threading.Event(), threading.Event(), []

    def watch(value: Any) -> None:
        entered.set()
        free.wait()

    hub.var("x").watch_value(watch)
    hub.var("x").watch_value(later.append)
    assert entered.wait(10)
    hub.close()
    count = len(later)
    free.set()
    until(lambda: not [t for t in threading.enumerate() if namespace in t.name])
    assert len(later) == count


def test_a_block_that_is_left_by_a_failing_drain_is_closed(
    broker: Broker, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hub, "drain", lambda self: self._run(self._core.drain, 0.1))
    free = threading.Event()
    hub = Hub(namespace, servers=broker.url)

    def block() -> None:
        with hub:
            begun = threading.Event()
            hub.var("x").sub(lambda data: begun.set() or free.wait())
            hub.var("x").pub(1)
            assert begun.wait(10)

    with pytest.raises(PosthouseError) as caught:
        block()
    assert caught.value.code == "DRAIN_TIMEOUT"
    assert hub.state == "closed"
    assert not hub._dispatcher.thread.is_alive()
    free.set()


def test_errors_and_handlers_that_fail(broker: Broker, namespace: str) -> None:
    told: list[Exception] = []
    with Hub(namespace, servers=broker.url, on_callback_error=told.append) as hub:
        with pytest.raises(MessageError) as caught:
            hub.var("nobody").req(1)
        assert caught.value.code == "NO_RESPONDERS"
        with pytest.raises(PosthouseError) as wrong:
            hub.var("x").set({1})
        assert wrong.value.code == "INVALID_VALUE"

        def bad(data: Any) -> None:
            raise ValueError("bad")

        async def asynchronous(data: Any) -> None:
            pass

        hub.var("bad").handle(bad)
        hub.var("async").handle(asynchronous)
        for name in ("bad", "async"):
            with pytest.raises(MessageError):
                hub.var(name).req(1, timeout=0.2)
        assert isinstance(told[0].__cause__, ValueError)
        assert "asyncio face" in str(told[1])


def test_blocking_inside_a_handler_is_refused(broker: Broker, namespace: str) -> None:
    with Hub(namespace, servers=broker.url) as hub:
        codes: dict[str, str | None] = {}
        done = threading.Event()

        def code_of(call: Callable[[], Any]) -> str | None:
            try:
                call()
            except PosthouseError as error:
                return error.code
            return None

        calls: dict[str, Callable[[], Any]] = {
            "req": lambda: hub.var("y").req(1),
            "request_many": lambda: hub.var("y").request_many(1),
            "sub": lambda: hub.var("y").sub(print),
            "flush": lambda: hub.flush(),
            "connected": lambda: hub.connected(),
            "ready": lambda: hub.var("y").ready(),
            "next": lambda: next(iter(waiting)),
            "drain": lambda: hub.drain(),
            "sub.drain": lambda: subscription.drain(),
            "other.drain": lambda: waiting.drain(),
            "pub": lambda: hub.var("y").pub(1),
            "set": lambda: hub.var("y").set(1),
            "unsubscribe": lambda: waiting.unsubscribe(),
        }

        def handler(data: Any) -> None:
            for name, call in calls.items():
                codes[name] = code_of(call)
            done.set()

        waiting = hub.var("z").sub()
        subscription = hub.var("x").sub(handler)
        hub.var("x").pub(1)
        assert done.wait(5)
        fine = {"pub", "set", "unsubscribe"}
        drains = {"drain", "sub.drain"}
        assert {name for name, code in codes.items() if code is None} == fine
        assert {name for name, code in codes.items() if code == "DRAIN_IN_HANDLER"} == drains
        assert set(codes.values()) == {None, "DRAIN_IN_HANDLER", "BLOCKING_IN_HANDLER"}

        refused: Queue[str | None] = Queue()
        hub.var("w").watch_value(lambda value: refused.put(code_of(lambda: hub.flush())))
        hub.var("w").set(1)
        assert refused.get(timeout=5) == "BLOCKING_IN_HANDLER"


def test_a_handler_may_close_its_hub(broker: Broker, namespace: str) -> None:
    hub = Hub(namespace, servers=broker.url).connected()
    done = threading.Event()

    def handler(data: Any) -> None:
        hub.close()
        done.set()

    hub.var("x").sub(handler)
    hub.var("x").pub(1)
    assert done.wait(5)
    hub.close()
    assert hub.state == "closed"
    with pytest.raises(PosthouseError) as caught:
        hub.flush()
    assert caught.value.code == "CLOSED"


def test_closing_ends_threads_and_waiting_calls(broker: Broker, namespace: str) -> None:
    hub = Hub(namespace, servers=broker.url).connected()
    hub.var("x").sub(lambda data: None)
    subscription = hub.var("y").sub()
    errors: Queue[Exception | None] = Queue()

    def ask() -> None:
        try:
            hub.var("x").req(1, timeout=60)
        except PosthouseError as error:
            errors.put(error)

    def read() -> None:
        for _ in subscription:
            pass
        errors.put(None)

    threads = [threading.Thread(target=work) for work in (ask, read)]
    for thread in threads:
        thread.start()
    until(lambda: hub.status()["messaging"]["pendingRequests"] == 1)
    hub.close()
    for thread in threads:
        thread.join(5)
        assert not thread.is_alive()
    found = [errors.get(timeout=1), errors.get(timeout=1)]
    assert {getattr(error, "code", None) for error in found} == {"CLOSED", None}
    until(lambda: not [t for t in threading.enumerate() if namespace in t.name])


def test_drain_finishes_accepted_work(broker: Broker, namespace: str) -> None:
    hub = Hub(namespace, servers=broker.url).connected()
    finished: list[int] = []

    def slow(n: int) -> None:
        time.sleep(0.01)
        finished.append(n)

    hub.var("x").sub(slow)
    for n in range(10):
        hub.var("x").pub(n)
    hub.drain()
    assert finished == list(range(10))
    assert hub.state == "closed"
    hub.close()


def test_many_threads_share_a_hub(broker: Broker, namespace: str) -> None:
    with Hub(namespace, servers=broker.url) as hub:
        hub.var("x").handle(lambda n: n + 1)
        wrong: list[Any] = []

        def work(base: int) -> None:
            for n in range(50):
                if hub.var("x").req(base + n) != base + n + 1:
                    wrong.append(n)

        threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert not wrong
