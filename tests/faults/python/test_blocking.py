"""The same faults under `posthouse.sync`, where a thread of the program is inside a call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import pytest
from hubs import LONG, PATIENCE, increasing, is_back, options
from testbed import Endpoint, Testbed

from posthouse import PosthouseError
from posthouse.sync import Hub

T = TypeVar("T")


def open_hub(namespace: str, url: str | list[str], **more: Any) -> Hub:
    return Hub(namespace, **options(url, **more)).connected()


def until(what: str, condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.005)


def lost(*hubs: Hub) -> None:
    until("the loss is noticed", lambda: all(hub.state != "connected" for hub in hubs))


def reconnected(times: int, *hubs: Hub) -> None:
    until("they are connected again", lambda: all(is_back(hub, times) for hub in hubs))


def started(call: Callable[..., T], *arguments: Any, **more: Any) -> Future[T]:
    """A call on a thread of its own."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call(*arguments, **more))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def code_of(future: Future[Any]) -> str | None:
    error = future.exception(PATIENCE)
    assert error is None or isinstance(error, PosthouseError), error
    return None if error is None else error.code


def test_nothing_is_replayed_after_a_kill_under_load(
    broker: Endpoint, testbed: Testbed, namespace: str
) -> None:
    """R03, from a thread that publishes all the time."""
    proxy = testbed.proxy(broker.port)
    publisher, observer = open_hub(namespace, proxy.url), open_hub(namespace, broker.url)
    before: list[int] = []
    after: list[int] = []
    observer.var("tick").sub(before.append, pending_messages=100_000)
    stop = threading.Event()
    resumed: list[int] = []

    def load() -> int:
        tick, n, refused = publisher.var("tick"), 0, 0
        while not stop.is_set():
            n += 1
            try:
                tick.pub(n)
            except PosthouseError as error:
                assert error.code in {"DISCONNECTED", "BUFFER_OVERFLOW"}, error
                refused += error.code == "DISCONNECTED"
                time.sleep(0.001)
            else:
                if refused and not resumed:
                    resumed.append(n)
                if refused or n % 50 == 0:
                    time.sleep(0.001)
        return refused

    loading = started(load)
    until("it flows", lambda: len(before) >= 1_000)
    broker.kill()
    lost(publisher)
    proxy.refuse()
    broker.restart()
    reconnected(1, observer)
    observer.var("tick").sub(after.append, pending_messages=100_000)
    proxy.allow()
    reconnected(1, publisher)
    until("it flows again", lambda: len(after) >= 50)
    stop.set()
    assert loading.result(PATIENCE) > 0
    assert after[0] >= resumed[0], "replayed"
    assert increasing(after)
    assert increasing(before)
    publisher.close()
    observer.close()


def test_every_blocking_call_ends_with_the_connection_or_by_its_deadline(
    broker: Endpoint, namespace: str
) -> None:
    """R03, R14: requests fail at once; flush keeps its deadline, or the next connection serves it;
    connected waits; a loop over a subscription or a watch simply goes on."""
    caller, responder = open_hub(namespace, broker.url), open_hub(namespace, broker.url)
    runs: list[Any] = []
    gate = threading.Event()

    def slow(data: Any) -> str:
        runs.append(data)
        gate.wait()
        return "late"

    responder.var("slow").handle(slow)
    events: list[Any] = []
    states: list[Any] = []
    subscription = caller.var("event").sub()
    watch = caller.var("state").watch_value()
    looping = [
        started(lambda: events.extend(subscription)),
        started(lambda: states.extend(watch)),
    ]
    requests = [
        started(caller.var("slow").req, 1, timeout=LONG),
        started(caller.var("slow").request_many, 2, timeout=LONG),
    ]
    until("the handler runs", lambda: runs)
    broker.kill()
    assert [code_of(request) for request in requests] == ["DISCONNECTED"] * 2
    lost(caller, responder)
    assert code_of(started(caller.var("event").pub, 1)) == "DISCONNECTED"
    assert code_of(started(caller.flush, 0.3)) == "TIMEOUT"
    assert code_of(started(caller.connected, 0.3)) == "TIMEOUT"
    waiting = [started(caller.flush, LONG), started(caller.connected, LONG)]
    broker.restart()
    assert [code_of(one) for one in waiting] == [None, None]
    reconnected(1, caller, responder)
    gate.set()
    assert started(caller.var("slow").req, 3, timeout=LONG).result(PATIENCE) == "late"
    assert runs in ([1, 3], [1, 2, 3])
    responder.var("event").pub("again")
    responder.var("state").set("again")
    until("the loops go on", lambda: events and states[-1:] == ["again"])
    assert events == ["again"]
    caller.close()
    for loop in looping:
        loop.result(PATIENCE)
    responder.close()


def test_each_restart_resumes_everything_once(broker: Endpoint, namespace: str) -> None:
    """R09."""
    a, b = open_hub(namespace, broker.url), open_hub(namespace, broker.url)
    assert b.connected(1) is b
    events: list[Any] = []
    requests: list[Any] = []
    states: list[Any] = []

    def answer(data: Any) -> Any:
        requests.append(data)
        return data

    b.var("event").sub(events.append)
    b.var("ask").handle(answer)
    b.var("state").watch_value(states.append)
    for times in (1, 2):
        broker.kill()
        lost(a, b)
        broker.restart()
        reconnected(times, a, b)
        a.var("event").pub(times)
        assert a.var("ask").req(times) == times
        a.var("state").set(times)
        until("the state is watched", lambda times=times: states[-1:] == [times])
        until("the event is seen", lambda times=times: len(events) >= times)
    a.flush()
    b.flush()
    assert events == requests == [1, 2]
    a.close()
    b.close()


def test_callbacks_that_raise_stop_nothing(broker: Endpoint, namespace: str) -> None:
    """R05: on the hub's thread and on those of subscriptions."""
    told: list[PosthouseError] = []

    def listener(error: PosthouseError) -> None:
        told.append(error)
        raise RuntimeError("the error callback itself")

    def fail(*_: Any) -> None:
        raise ValueError("boom")

    hub = open_hub(namespace, broker.url, on_callback_error=listener)
    hub.watch(fail)
    hub.instances.watch(fail)
    hub.var("x").watch(fail)
    hub.var("e").sub(fail)
    hub.var("e").handle(fail)
    seen: list[Any] = []
    hub.var("e").sub(seen.append)
    broker.kill()
    lost(hub)
    broker.restart()
    reconnected(1, hub)
    hub.var("e").pub(1)
    hub.var("x").set(1)
    assert code_of(started(hub.var("e").req, 2, timeout=0.2)) == "TIMEOUT"
    until("others see it", lambda: seen == [1, 2])
    kinds = ("the handler of 'e'", "a watch of 'x'", "the status", "the instances")
    said = lambda kind: any(kind in error.message for error in told)  # noqa: E731
    until("each of them is told", lambda: all(said(kind) for kind in kinds))
    assert all(isinstance(error.__cause__, ValueError) for error in told)
    assert hub.status()["lastError"]["code"] == "HANDLER_ERROR"
    hub.flush()
    hub.close()


def test_a_half_open_link_fails_what_is_in_flight(
    broker: Endpoint, testbed: Testbed, namespace: str
) -> None:
    proxy = testbed.proxy(broker.port)
    hub = open_hub(namespace, proxy.url, ping_interval=0.7)
    peer = open_hub(namespace, broker.url)
    gate = threading.Event()
    asked = threading.Event()

    def slow(data: Any) -> None:
        asked.set()
        gate.wait()

    peer.var("slow").handle(slow)
    request = started(hub.var("slow").req, 1, timeout=LONG)
    assert asked.wait(PATIENCE)
    proxy.swallow()
    assert code_of(request) == "DISCONNECTED"
    proxy.flow()
    reconnected(1, hub)
    gate.set()
    hub.flush()
    hub.close()
    peer.close()


def test_a_stuck_handler_holds_up_nobody(broker: Endpoint, namespace: str) -> None:
    """R31: its thread stands still, those of others do not."""
    hub, peer = open_hub(namespace, broker.url), open_hub(namespace, broker.url)
    free = threading.Event()
    handled: list[int] = []

    def stuck(data: int) -> None:
        free.wait()
        handled.append(data)

    listener = hub.var("a").sub(stuck)
    hub.var("b").handle(lambda data: data)
    count = 10_000

    def flood() -> None:
        a, sent = peer.var("a"), 0
        while sent < count:
            try:
                a.pub(sent)
                sent += 1
            except PosthouseError as error:
                assert error.code == "BUFFER_OVERFLOW", error
                time.sleep(0.001)

    flooding = started(flood)
    for n in range(50):
        assert peer.var("b").req(n, timeout=LONG) == n
    flooding.result(PATIENCE)
    peer.flush(LONG)
    hub.flush(LONG)
    # One has been taken by the thread and runs, and counts all the same.
    assert listener.status()["pendingMessages"] == 256
    assert listener.status()["droppedMessages"] == count - 256
    assert hub.status()["currentError"]["code"] == "SLOW_CONSUMER"
    free.set()
    until("the queue is empty", lambda: listener.status()["pendingMessages"] == 0)
    assert handled == list(range(256))
    assert hub.status()["currentError"] is None
    hub.close()
    peer.close()


def test_a_lame_duck_fails_what_is_in_flight(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    """R02: and delivery goes on at the other server."""
    config = 'lame_duck_duration: "60s"\nlame_duck_grace_period: "30s"'
    cluster = testbed.cluster(generation, 2, config=config)
    hub, peer = open_hub(namespace, cluster[0].url), open_hub(namespace, cluster[1].url)
    seen: list[Any] = []
    asked, never = threading.Event(), threading.Event()
    hub.var("tick").sub(seen.append)

    def answer(data: Any) -> None:
        asked.set()
        never.wait()

    peer.var("never").handle(answer)

    def ask() -> Any:
        while True:
            try:
                return hub.var("never").req(1, timeout=LONG)
            except PosthouseError as error:
                # The servers have not told each other yet.
                if error.code != "NO_RESPONDERS":
                    raise

    request = started(ask)
    assert asked.wait(PATIENCE)
    cluster[0].lame_duck()
    assert code_of(request) == "DISCONNECTED"
    reconnected(1, hub)
    hub.flush()
    peer.var("tick").pub(1)
    until("it is delivered", lambda: seen == [1])
    assert hub.status()["lastSwitchReason"] == "lame-duck"
    never.set()
    hub.close()
    peer.close()


def test_a_refused_call_says_so_at_once(generation: str, testbed: Testbed, namespace: str) -> None:
    """R44: subscribe, handle and request; an iteration ends with the reason."""
    secret = f"_msg.v1.{namespace.encode().hex()}.{b'secret'.hex()}"

    def settings(permissions: str) -> dict[str, Any]:
        some = {"user": "some", "password": "pw", "permissions": permissions}
        return {"binary": generation, "users": [some]}

    server = testbed.server(**settings(""))
    hub = open_hub(namespace, server.url, user="some", password="pw")
    iterated = hub.var("secret").sub()
    loop = started(lambda: list(iterated))
    denied = f'publish: {{ deny: ["{secret}"] }}, subscribe: {{ deny: ["{secret}"] }}'
    server.reload(settings=settings(denied))
    assert code_of(loop) == "PERMISSION_DENIED"
    var = hub.var("secret")
    for call in (var.sub, var.handle):
        assert code_of(started(call, print, timeout=LONG)) == "PERMISSION_DENIED"
    for ask in (var.req, var.request_many):
        assert code_of(started(ask, 1, timeout=LONG)) == "PERMISSION_DENIED"
    assert hub.status()["reconnects"] == 0
    hub.close()


def test_rotation(generation: str, testbed: Testbed, namespace: str) -> None:
    """A function that tells the token is asked at every attempt, on the hub's thread."""
    server = testbed.server(generation, token="old")
    secret, asked = ["old"], []

    def tell() -> str:
        asked.append(threading.current_thread().name)
        return secret[0]

    hub = open_hub(namespace, server.url, token=tell)
    server.reload(settings={"binary": generation, "token": "new"})
    lost(hub)
    until("it was asked for again and again", lambda: len(asked) >= 3)
    secret[0] = "new"
    reconnected(1, hub)
    hub.flush()
    assert len(set(asked)) == 1
    assert threading.current_thread().name not in asked
    hub.close()


def test_closing_ends_every_call_that_waits(broker: Endpoint, namespace: str) -> None:
    hub = open_hub(namespace, broker.url)
    broker.kill()
    lost(hub)
    subscription = hub.var("x")
    waiting = [started(hub.connected, LONG), started(hub.flush, LONG)]
    until("they wait", lambda: len(hub._dispatcher.calls._calls) == 2)
    with pytest.raises(PosthouseError) as caught:
        hub.drain(0.2)
    assert caught.value.code == "DRAIN_TIMEOUT"
    assert [code_of(one) for one in waiting] == ["CLOSED"] * 2
    hub.close()
    assert code_of(started(subscription.pub, 1)) == "CLOSED"
