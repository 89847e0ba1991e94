"""Subscriptions as asynchronous iterators, and as context managers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from brokers import Broker
from posthouse import Hub, PosthouseError


async def test_iterating_over_a_subscription(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        subscription = await hub.var("x.*").sub(with_context=True)
        for n in range(600):
            await hub.var(f"x.{n % 3}").pub(n)
        seen = []
        async for data, ctx in subscription:
            assert ctx.topic == f"x.{data % 3}"
            seen.append(data)
            if len(seen) == 256:
                break
        assert seen == list(range(256))
        assert "pendingMessages" in subscription.status()
        await subscription.unsubscribe()
        with pytest.raises(StopAsyncIteration):
            await aiter_next(subscription)


async def aiter_next(subscription: Any) -> Any:
    return await subscription.__aiter__().__anext__()


async def test_an_open_subscription_is_entered_or_iterated_at_once(
    broker: Broker, namespace: str
) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        async with hub.var("x").sub() as subscription:
            await hub.var("x").pub(1)
            async for data in subscription:
                assert data == 1
                break
            core = subscription._core
        assert core.status()["phase"] == "ended"

        async def publish() -> None:
            while True:
                await hub.var("y").pub(2)
                await asyncio.sleep(0.01)

        publishing = asyncio.create_task(publish())
        async for data in hub.var("y").sub():
            assert data == 2
            break
        publishing.cancel()


async def test_requests_are_answered_while_iterating(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        async with hub.var("x").sub(with_context=True) as subscription:

            async def serve() -> None:
                async for data, ctx in subscription:
                    await ctx.reply(data * 2)

            serving = asyncio.create_task(serve())
            assert [await hub.var("x").req(n) for n in range(5)] == [0, 2, 4, 6, 8]
        await serving


async def test_leaving_the_loop_finishes_the_message(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        subscription = await hub.var("x").sub()
        await hub.var("x").pub(1)
        async for _ in subscription:
            assert subscription.status()["inFlightHandlers"] == 1
            break
        assert subscription.status()["inFlightHandlers"] == 0
        await subscription.drain(1)


async def test_iterating_ends_with_the_hub_and_with_a_drain(broker: Broker, namespace: str) -> None:
    hub = await Hub(namespace, servers=broker.url).connected()
    seen: list[int] = []

    async def read(subscription: Any) -> None:
        async for data in subscription:
            await asyncio.sleep(0)
            seen.append(data)

    subscription = await hub.var("x").sub()
    reading = asyncio.create_task(read(subscription))
    for n in range(20):
        await hub.var("x").pub(n)
    await subscription.drain()
    await reading
    assert seen == list(range(20))
    reading = asyncio.create_task(read(await hub.var("x").sub()))
    await asyncio.sleep(0)
    await hub.close()
    await reading


async def test_a_drain_in_the_body_of_the_loop_is_refused(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        subscription = await hub.var("x").sub()
        await hub.var("x").pub(1)
        async for _ in subscription:
            for drain in (subscription.drain, hub.drain):
                with pytest.raises(PosthouseError) as caught:
                    await drain()
                assert caught.value.code == "DRAIN_IN_HANDLER"
            break
        await subscription.drain()


async def test_misuse_is_named(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        with pytest.raises(TypeError, match="callable"):
            hub.var("x").sub(5)  # type: ignore[call-overload]
        with pytest.raises(TypeError, match="handler"):
            hub.var("x").handle(None)  # type: ignore[call-overload]
        subscription = await hub.var("x").sub(print)
        with pytest.raises(TypeError, match="handler"):
            aiter(subscription)
        with pytest.raises(TypeError):
            hub.var("x").sub(print, queu="x")  # type: ignore[call-overload]
