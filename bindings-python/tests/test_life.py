"""Drain, close, handlers that end their own hub, loops."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from typing import Any

import pytest

from brokers import Broker
from posthouse import Hub, PosthouseError


async def code_of(awaitable: Any) -> str | None:
    try:
        await awaitable
    except PosthouseError as error:
        return error.code
    return None


async def test_drain_finishes_accepted_work(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as asking:
        hub = await Hub(namespace, servers=broker.url).connected()
        finished: list[int] = []

        async def handler(n: int) -> int:
            await asyncio.sleep(0.01)
            finished.append(n)
            return n

        await hub.var("work").handle(handler)
        answers = [asyncio.ensure_future(asking.var("work").req(n)) for n in range(10)]
        await asking.flush()
        await hub.flush()
        await hub.drain()
        assert finished == list(range(10))
        assert await asyncio.gather(*answers) == list(range(10))
        assert hub.state == "closed"
        assert await code_of(hub.var("work").pub(1)) == "CLOSED"
        await hub.close()


async def test_drain_past_its_deadline_cleans_up(broker: Broker, namespace: str) -> None:
    hub = await Hub(namespace, servers=broker.url).connected()
    gate = asyncio.Event()

    async def stuck(data: Any) -> None:
        await gate.wait()

    await hub.var("x").sub(stuck)
    await hub.var("x").pub(1)
    await hub.flush()
    start = time.monotonic()
    assert await code_of(hub.drain(0.3)) == "DRAIN_TIMEOUT"
    assert time.monotonic() - start >= 0.3
    await hub.close()
    assert hub.state == "closed"
    gate.set()


async def test_draining_from_inside_a_handler_is_refused(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        found: dict[str, str | None] = {}
        done = asyncio.Event()

        async def handler(data: Any) -> None:
            found["hub"] = await code_of(hub.drain())
            found["task"] = await code_of(asyncio.create_task(later(hub.drain)))
            found["wait_for"] = await code_of(asyncio.wait_for(hub.drain(), 1))
            found["own"] = await code_of(subscription.drain())
            found["other"] = await code_of(other.drain())
            done.set()

        async def later(drain: Any) -> None:
            await drain()

        subscription = await hub.var("x").sub(handler)
        other = await hub.var("y").sub(handler)
        await hub.var("x").pub(1)
        await done.wait()
        refused = "DRAIN_IN_HANDLER"
        assert found == {
            "hub": refused,
            "task": refused,
            "wait_for": refused,
            "own": refused,
            "other": None,
        }


async def test_a_task_that_outlives_its_handler_may_drain(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        tasks: list[asyncio.Task[str | None]] = []
        go = asyncio.Event()

        async def afterwards() -> str | None:
            await go.wait()
            return await code_of(hub.drain())

        def plain(data: Any) -> None:
            tasks.append(asyncio.create_task(afterwards()))

        async def asynchronous(data: Any) -> None:
            await asyncio.sleep(0)
            plain(data)

        await hub.var("x").sub(plain)
        await hub.var("x").sub(asynchronous)
        await hub.var("x").pub(1)
        while len(tasks) < 2:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)
        go.set()
        # The second may come when the first has closed the hub already.
        first, second = await asyncio.gather(*tasks)
        assert first is None
        assert second in {None, "CLOSED"}


async def test_a_handler_may_close_its_hub(broker: Broker, namespace: str) -> None:
    hub = await Hub(namespace, servers=broker.url).connected()
    after = asyncio.Event()

    async def handler(data: Any) -> None:
        await hub.close()
        after.set()

    await hub.var("x").sub(handler)
    await hub.var("x").pub(1)
    await after.wait()
    await hub.close()
    assert hub.state == "closed"


async def test_closing_fails_what_is_under_way(broker: Broker, namespace: str) -> None:
    hub = await Hub(namespace, servers=broker.url).connected()
    await hub.var("x").sub(lambda data: None)
    asked = hub.var("x").req(1, timeout=60)
    many = hub.var("x").request_many(1, timeout=60)
    await hub.close()
    assert await code_of(asked) == "CLOSED"
    assert await code_of(many) == "CLOSED"
    assert not hub._pending
    assert not hub._subscriptions
    assert await code_of(hub.connected()) == "CLOSED"
    await hub.close()


async def test_the_with_block_leaves_nothing_behind(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as receiving:
        got: list[Any] = []
        await receiving.var("last").sub(got.append)
        async with Hub(namespace, servers=broker.url) as hub:
            await hub.var("last").pub("word")
        await receiving.flush()
        while not got:
            await asyncio.sleep(0.01)
    with pytest.raises(RuntimeError, match="mine"):
        async with Hub(namespace, servers=broker.url) as hub:
            raise RuntimeError("mine")
    assert hub.state == "closed"


async def test_a_block_that_is_left_by_a_failing_drain_is_closed(
    broker: Broker, namespace: str
) -> None:
    hub = Hub(namespace, servers=broker.url)
    draining = asyncio.Event()

    async def block() -> None:
        async with hub:
            gate = asyncio.Event()

            async def stuck(data: Any) -> None:
                draining.set()
                await gate.wait()

            await hub.var("x").sub(stuck)
            await hub.var("x").pub(1)
            await draining.wait()

    task = asyncio.create_task(block())
    await draining.wait()
    while hub.status()["messaging"]["phase"] == "active":
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert hub.state == "closed"
    assert hub._gone


async def test_no_broker_means_a_time_out(namespace: str) -> None:
    hub = Hub(namespace, servers="nats://127.0.0.1:1", timeout=0.2)
    with pytest.raises(PosthouseError):
        await hub.connected(0.2)
    assert await code_of(hub.flush(0.1)) == "TIMEOUT"
    with pytest.raises(PosthouseError):
        async with Hub(namespace, servers="nats://127.0.0.1:1", timeout=0.2):
            pass
    await hub.close()


async def test_reconnecting_keeps_subscriptions(own_broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=own_broker.url) as hub:
        got: asyncio.Queue[Any] = asyncio.Queue()
        await hub.var("x").sub(got.put_nowait)
        await hub.connected()
        for n in range(2):
            own_broker.stop()
            while hub.state == "connected":
                await asyncio.sleep(0.01)
            assert await code_of(hub.var("x").pub(n)) == "DISCONNECTED"
            own_broker.start()
            await hub.connected(10)
            await hub.var("x").pub(n)
            assert await got.get() == n
        assert got.empty()


def test_a_hub_belongs_to_one_loop(broker: Broker, namespace: str) -> None:
    hub = Hub(namespace, servers=broker.url)

    async def use() -> None:
        await hub.connected()
        await hub.var("x").set(1)

    asyncio.run(use())
    with pytest.raises(RuntimeError, match="event loop"):
        asyncio.run(use())
    with pytest.raises(RuntimeError):
        hub.connected()
    assert hub.var("x").value == 1


def test_hubs_in_several_threads(broker: Broker, namespace: str) -> None:
    answers: list[int] = []

    async def work(n: int) -> None:
        async with Hub(namespace, servers=broker.url) as hub:
            await hub.var(f"t{n}").handle(lambda data: data + n)
            answers.append(sum([await hub.var(f"t{n}").req(1) for _ in range(50)]))

    threads = [threading.Thread(target=lambda n=n: asyncio.run(work(n))) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(answers) == [50 * (n + 1) for n in range(4)]


async def test_opening_and_closing_leaks_nothing(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:

        async def cycle(count: int) -> None:
            for _ in range(count):
                subscription = await hub.var("x").sub(lambda data: None)
                hub.var("x").watch_value(lambda value: None)()
                await hub.var("x").pub(1)
                await subscription.unsubscribe()
                await asyncio.sleep(0)

        await cycle(50)
        gc.collect()
        before = len(gc.get_objects())
        await cycle(300)
        await asyncio.sleep(0.05)
        gc.collect()
        assert len(gc.get_objects()) - before < 200
