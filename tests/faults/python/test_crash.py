"""A server that is killed and comes back, under load and with work in flight."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from hubs import (
    LONG,
    Seen,
    code_of,
    connected,
    hub_at,
    increasing,
    lost,
    reconnected,
    soon,
    until,
)
from testbed import Endpoint, Testbed

from posthouse import Hub, PosthouseError


class Load:
    """Publishes without a pause; notes where it was refused and where it went on."""

    def __init__(self, hub: Hub) -> None:
        self._tick = hub.var("tick")
        self._stop = False
        self.refused = 0
        self.resumed = 0
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        n = 0
        while not self._stop:
            n += 1
            try:
                await self._tick.pub({"n": n, "pad": "x" * 100})
            except PosthouseError as error:
                if error.code == "BUFFER_OVERFLOW":
                    continue
                assert error.code == "DISCONNECTED", error
                self.refused += 1
                await asyncio.sleep(0.001)
            else:
                if self.refused and not self.resumed:
                    self.resumed = n
                if n % 50 == 0 or self.refused:
                    await asyncio.sleep(0.001)

    async def end(self) -> None:
        self._stop = True
        await self._task


async def test_nothing_is_replayed_after_a_kill_under_load(
    broker: Endpoint, testbed: Testbed, namespace: str
) -> None:
    """R03: what was accepted for a dead connection is never sent on the next one."""
    proxy = testbed.proxy(broker.port)
    proxy.record()
    publisher = await connected(namespace, proxy.url)
    observer = await connected(namespace, broker.url)
    before, after = Seen(), Seen()
    await before.subscribe(observer, "tick")
    load = Load(publisher)
    await before.wait_for(1_000)
    await asyncio.to_thread(broker.kill)
    await lost(publisher)
    proxy.refuse()
    old = proxy.bytes(to="server")
    await asyncio.to_thread(broker.restart)
    # The observer is there before the publisher comes back: a replay could not pass it by.
    await reconnected(observer, 1)
    await after.subscribe(observer, "tick")
    proxy.allow()
    await reconnected(publisher, 1)
    await after.wait_for(50)
    await load.end()
    assert load.refused > 0
    late = [event["n"] for event in after.all]
    assert min(late) >= load.resumed, "replayed"
    assert increasing(late)
    assert increasing([event["n"] for event in before.all])
    sent = proxy.seen(to="server", **{"from": old})
    assert sent.startswith("CONNECT "), sent[:60]
    assert "parse" not in broker.log().lower()
    await publisher.close()
    await observer.close()


async def test_flush_around_a_dead_server(broker: Endpoint, namespace: str) -> None:
    """R03: flush keeps its own deadline; one that waits is served by the next connection."""
    hub = await connected(namespace, broker.url)
    broker.kill()
    await lost(hub)
    assert await code_of(hub.var("n").pub(1)) == "DISCONNECTED"
    assert await code_of(hub.flush(0.3)) == "TIMEOUT"
    flush = hub.flush(LONG)
    broker.restart()
    await soon("the flush", flush)
    await hub.close()


async def test_what_is_in_flight_fails_with_the_connection(
    broker: Endpoint, namespace: str
) -> None:
    """R14: at once, and not at its time-out; nothing is sent again, and a late answer is none."""
    caller = await connected(namespace, broker.url)
    responder = await connected(namespace, broker.url)
    runs, gate = Seen(), asyncio.Event()

    async def slow(data: Any) -> str:
        runs.all.append(data)
        await gate.wait()
        return "late"

    await responder.var("slow").handle(slow)
    slow_var = caller.var("slow")
    waiting = [
        asyncio.ensure_future(slow_var.req(1, timeout=LONG)),
        asyncio.ensure_future(slow_var.request_many(2, timeout=LONG)),
    ]
    await runs.wait_for(1)
    broker.kill()
    assert [await code_of(one) for one in waiting] == ["DISCONNECTED"] * 2
    broker.restart()
    await reconnected(caller, 1)
    await reconnected(responder, 1)
    gate.set()
    assert await soon("an answer", slow_var.req(3, timeout=LONG)) == "late"
    # The second was accepted before the connection was lost, unless it was on its way.
    assert runs.all in ([1, 3], [1, 2, 3])
    assert responder.status()["lastError"]["code"] == "DISCONNECTED"
    await caller.close()
    await responder.close()


async def test_each_restart_resumes_everything_once(broker: Endpoint, namespace: str) -> None:
    """R09: not never and not twice; and a hub that is connected says so at once."""
    a = await connected(namespace, broker.url)
    b = await connected(namespace, broker.url)
    assert await soon("connected again", b.connected()) is b
    events, requests, states, iterated = Seen(), Seen(), Seen(), Seen()
    await events.subscribe(b, "event")

    def answer(data: Any) -> Any:
        requests.all.append(data)
        return data

    await b.var("ask").handle(answer)
    b.var("state").watch_value(states.all.append)
    subscription = await b.var("event").sub()

    async def iterate() -> None:
        async for data in subscription:
            iterated.all.append(data)

    iterating = asyncio.create_task(iterate())
    for times in (1, 2):
        broker.kill()
        await lost(a)
        await lost(b)
        broker.restart()
        await reconnected(a, times)
        await reconnected(b, times)
        await a.var("event").pub(times)
        assert await a.var("ask").req(times) == times
        await a.var("state").set(times)
        await until("the state is watched", lambda times=times: states.all[-1:] == [times])
        await events.wait_for(times)
        await iterated.wait_for(times)
    await a.flush()
    await b.flush()
    assert events.all == iterated.all == requests.all == [1, 2]
    if broker.kind != "node":
        mine = [s for s in broker.subscriptions() if s.startswith("_msg.v1.")]
        assert len(mine) == 3
    await b.close()
    await iterating
    await a.close()


async def test_callbacks_that_raise_stop_nothing(
    broker: Endpoint, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    """R05: listeners of every kind, the one for errors included."""
    told: list[PosthouseError] = []

    def listener(error: PosthouseError) -> None:
        told.append(error)
        raise RuntimeError("the error callback itself")

    def fail(*_: Any) -> None:
        raise ValueError("boom")

    hub = await connected(namespace, broker.url, on_callback_error=listener)
    seen = Seen()

    async def handler(data: Any) -> None:
        seen.all.append(data)
        fail()

    hub.watch(fail)
    hub.instances.watch(fail)
    hub.var("x").watch(fail)
    hub.var("x").watch_value(fail)
    await hub.var("e").sub(handler)
    await hub.var("e").sub(fail)
    with caplog.at_level(logging.CRITICAL + 1, logger="posthouse"):
        await hub.var("e").pub(1)
        await seen.wait_for(1)
        broker.kill()
        await lost(hub)
        broker.restart()
        await reconnected(hub, 1)
        await hub.var("e").pub(2)
        await seen.wait_for(2)
        await hub.var("x").set(1)
        kinds = ("the handler of 'e'", "a watch of 'x'", "the hub's status", "the instances")
        said = lambda kind: any(kind in error.message for error in told)  # noqa: E731
        await until("each of them is told", lambda: all(said(kind) for kind in kinds))
    assert {error.code for error in told} == {"HANDLER_ERROR"}
    assert all(isinstance(error.__cause__, ValueError) for error in told)
    assert all("boom" in error.message for error in told)
    assert hub.status()["lastError"]["code"] == "HANDLER_ERROR"
    assert await code_of(hub.flush()) is None
    await hub.close()


async def test_replicas_converge_after_a_crash(broker: Endpoint, namespace: str) -> None:
    """Variables written while the server is away come together when it is back."""
    a = await connected(namespace, broker.url)
    b = await connected(namespace, broker.url)
    broker.kill()
    await lost(a)
    await lost(b)
    for i in range(200):
        await a.var(f"a.{i}").set(i)
        await b.var(f"b.{i}").set(i)
    await a.var("both").set("from a")
    await b.var("both").set("from b")
    broker.restart()
    await reconnected(a, 1)
    await reconnected(b, 1)

    def together() -> bool:
        return (
            all(b.var(f"a.{i}").get(None) == i for i in range(200))
            and all(a.var(f"b.{i}").get(None) == i for i in range(200))
            and a.var("both").value == b.var("both").value
            and a.status()["pendingVariables"] == b.status()["pendingVariables"] == 0
        )

    await until("all came over", together)
    await a.close()
    await b.close()


async def test_a_hub_that_is_closed_while_the_server_is_away(
    broker: Endpoint, namespace: str
) -> None:
    """What waits for a connection ends with the hub, in every form."""
    hub = hub_at(namespace, broker.url)
    await hub.connected()
    broker.kill()
    await lost(hub)
    waiting = [asyncio.ensure_future(op) for op in (hub.connected(LONG), hub.flush(LONG))]
    assert await code_of(hub.drain(0.2)) == "DRAIN_TIMEOUT"
    assert [await code_of(one) for one in waiting] == ["CLOSED"] * 2
    await soon("the end", hub.close())
    assert hub.state == "closed"
