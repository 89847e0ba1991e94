"""Variables on asyncio."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from brokers import Broker
from posthouse import UNSET, Hub, Meta, PosthouseError


async def until(condition: Any) -> None:
    while not condition():
        await asyncio.sleep(0.005)


async def test_value_get_and_meta(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        name = hub.var("battery")
        assert name.value is UNSET
        assert not UNSET
        assert name.get(5) == 5
        assert name.meta["version"] is None
        assert set(name.meta) == {"initialized", "exists", "version", "pending", "connected"}
        for value in (None, False, 0, "", [], {}):
            await name.set(value)
            assert name.value == value
            assert name.get("fallback") == value
        meta = name.meta
        assert meta["initialized"]
        assert meta["exists"]
        assert meta["version"] is not None
        assert meta["version"]["counter"] == "6"
        await hub.flush()
        await until(lambda: not name.meta["pending"])
        await name.delete()
        assert name.value is UNSET
        assert name.meta["exists"] is False
        assert name.get() is UNSET


async def test_offline_writes_arrive_later(own_broker: Broker, namespace: str) -> None:
    own_broker.stop()
    async with Closing(Hub(namespace, servers=own_broker.url)) as hub:
        await hub.var("x").set({"a": 1})
        assert hub.var("x").value == {"a": 1}
        assert hub.var("x").meta["pending"]
        own_broker.start()
        await hub.connected(10)
        async with Hub(namespace, servers=own_broker.url) as other:
            await other.var("x").ready()
            await until(lambda: other.var("x").value == {"a": 1})


class Closing:
    def __init__(self, hub: Hub) -> None:
        self.hub = hub

    async def __aenter__(self) -> Hub:
        return self.hub

    async def __aexit__(self, *_: object) -> None:
        await self.hub.close()


async def test_watches_call_back_in_order_with_the_last_state(
    broker: Broker, namespace: str
) -> None:
    async with (
        Hub(namespace, servers=broker.url) as one,
        Hub(namespace, servers=broker.url) as two,
    ):
        states: list[tuple[Any, Meta]] = []
        values: list[Any] = []
        stop = two.var("x").watch(lambda value, meta: states.append((value, meta)))
        two.var("x").watch_value(values.append)
        await two.var("x").ready()
        await until(lambda: states)
        assert states[0][0] is UNSET
        assert states[0][1]["initialized"]
        for n in range(50):
            await one.var("x").set(n)
        await until(lambda: values and values[-1] == 49)
        await until(lambda: states[-1][0] == 49)
        numbers = [value for value in values if value is not UNSET]
        assert numbers == sorted(numbers)
        stop()
        count = len(states)
        await one.var("x").set("more")
        await until(lambda: values[-1] == "more")
        assert len(states) == count


async def test_watches_as_iterators(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        await hub.var("x").set(0)
        seen = []
        with hub.var("x").watch_value() as watch:
            async for value in watch:
                seen.append(value)
                if value == 3:
                    break
                await hub.var("x").set(value + 1)
        assert [*dict.fromkeys(seen)] == [0, 1, 2, 3]
        async for value, meta in hub.var("x").watch():
            assert value == 3
            assert meta["exists"]
            break
        await hub.var("x").delete()
        async for value in hub.var("x").watch_value():
            assert value is UNSET
            break
        await hub.var("x").set(3)
        watch = hub.var("x").watch_value()
        assert await watch.__anext__() == 3
        ended = asyncio.ensure_future(_drain(watch))
        await asyncio.sleep(0)
        watch()
        await ended


async def _drain(watch: Any) -> None:
    async for _ in watch:
        pass


async def test_a_failing_watch_callback_is_reported(broker: Broker, namespace: str) -> None:
    told: list[Exception] = []
    async with Hub(namespace, servers=broker.url, on_callback_error=told.append) as hub:

        def bad(value: Any) -> None:
            raise RuntimeError("not today")

        async def asynchronous(value: Any) -> None:
            pass

        seen: list[Any] = []
        hub.var("x").watch_value(bad)
        hub.var("y").watch_value(asynchronous)
        hub.var("x").watch_value(seen.append)
        await hub.var("x").set(1)
        await until(lambda: told and seen)
        assert isinstance(told[0].__cause__, RuntimeError)
        await hub.var("y").set(1)
        await until(lambda: isinstance(told[-1].__cause__, TypeError))


async def test_status_and_instances_are_watched(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        states: list[dict[str, Any]] = []
        lists: list[list[dict[str, Any]]] = []
        hub.watch(states.append)
        hub.instances.watch(lists.append)
        await until(lambda: states and any(lists))
        assert states[0]["namespace"] == namespace
        assert states[0]["instanceId"] == hub.instance_id
        assert hub.state == "connected"
        assert hub.status()["connection"] == "connected"
        assert hub.instance_id in {report["instanceId"] for report in await hub.instances.list()}
        async with Hub(namespace, servers=broker.url) as other:
            await until(lambda: len(lists[-1]) == 2)
            assert other.instance_id in {report["instanceId"] for report in lists[-1]}
        async for status in hub.watch():
            assert status["instanceId"] == hub.instance_id
            break


async def test_names_are_checked(namespace: str) -> None:
    hub = Hub(namespace, servers="nats://127.0.0.1:1")
    for bad in ("", "a\nb", "x" * 129, "é" * 65, "a\x7f"):
        with pytest.raises(PosthouseError) as caught:
            hub.var(bad)
        assert caught.value.code == "INVALID_NAME"
    for good in ("a..b", ".a", "sensor.*", "é" * 64, "传感器.温度"):
        assert hub.var(good).name == good
    await hub.close()
