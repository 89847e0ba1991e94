"""Events and requests on asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

from brokers import Broker
from posthouse import (
    Context,
    HandleContext,
    Hub,
    ManyResult,
    MessageError,
    PosthouseError,
    Reply,
)


async def collect(into: asyncio.Queue[Any], count: int) -> list[Any]:
    return [await asyncio.wait_for(into.get(), 5) for _ in range(count)]


async def test_events_reach_plain_and_asynchronous_handlers(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        got: asyncio.Queue[Any] = asyncio.Queue()

        async def slow(data: Any) -> None:
            await asyncio.sleep(0)
            got.put_nowait(("async", data))

        name = hub.var("sensor.1")
        await name.sub(lambda data: got.put_nowait(("def", data)))
        await name.sub(slow)
        sent = [None, True, 1.5, "text", [1, [2]], {"a": {"b": None}}]
        for data in sent:
            await name.pub(data)
        found = await collect(got, 2 * len(sent))
        for kind in ("def", "async"):
            assert [data for how, data in found if how == kind] == sent


async def test_publishing_is_done_without_a_turn_of_the_loop(
    broker: Broker, namespace: str
) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        name = hub.var("now")
        turns = 0

        def turn() -> None:
            nonlocal turns
            turns += 1

        asyncio.get_running_loop().call_soon(turn)
        await name.pub(1)
        await name.set(2)
        await name.delete()
        assert turns == 0
        await asyncio.gather(name.pub(1), name.set(2), asyncio.create_task(name.pub(3)))


async def test_context_gives_topic_headers_and_replies(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        seen: list[tuple[str, list[str], str | None]] = []

        async def answer(data: Any, ctx: Context) -> str:
            seen.append((ctx.topic, ctx.headers.get_all("x-tag"), ctx.headers.get("X-Trace")))
            await ctx.reply(data + 1, headers={"x-nr": "1"})
            await ctx.reply(data + 2)
            return "is not an answer"

        await hub.var("room.*.lamp").sub(answer, with_context=True)
        found = await hub.var("room.7.lamp").request_many(
            10,
            headers={"X-Tag": ["a", "b"], "x-tag": "c", "x-trace": "t"},
            max_replies=2,
            details=True,
        )
        assert isinstance(found, ManyResult)
        assert [reply.data for reply in found.replies] == [11, 12]
        assert found.replies[0].headers.get("X-NR") == "1"
        assert found.reason == "maxReplies"
        assert seen == [("room.7.lamp", ["a", "b", "c"], "t")]


async def test_handle_answers_with_what_it_returns(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        lamp = hub.var("lamp")

        async def handler(data: Any, ctx: HandleContext) -> Any:
            await asyncio.sleep(0)
            ctx.reply_headers["X-Took"] = "3"
            ctx.reply_headers["x-more"] = ["1", "2"]
            return data

        await lamp.handle(handler, with_context=True)
        await lamp.pub("is no request")
        reply = await lamp.req({"on": True}, details=True)
        assert isinstance(reply, Reply)
        assert reply.data == {"on": True}
        assert reply.headers["x-took"] == "3"
        assert reply.headers.get_all("X-More") == ["1", "2"]
        assert await lamp.req() is None
        await hub.var("nothing").handle(lambda data: None)
        assert await hub.var("nothing").req(5) is None


async def test_many_requests_side_by_side(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        name = hub.var("square")
        await name.handle(lambda n: n * n)
        results = await asyncio.gather(*(name.req(n) for n in range(64)))
        assert results == [n * n for n in range(64)]
        results = await asyncio.gather(*(name.req(n) for n in range(65)), return_exceptions=True)
        assert isinstance(results[64], MessageError)
        assert results[64].code == "BUFFER_OVERFLOW"
        assert results[64].limit == 64


async def test_errors_come_out_of_the_awaitable(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        name = hub.var("nobody")
        cases: list[tuple[Any, str]] = [
            (name.req(1), "NO_RESPONDERS"),
            (name.request_many(1), "NO_RESPONDERS"),
            (name.pub({1}), "INVALID_MESSAGE"),
            (name.pub("x" * 70_000), "MESSAGE_TOO_LARGE"),
            (name.set({1}), "INVALID_VALUE"),
            (name.set("x" * 70_000), "VALUE_TOO_LARGE"),
            (name.pub(1, headers={"a b": "c"}), "INVALID_HEADERS"),
            (name.pub(1, headers={"a": "c\r\n"}), "INVALID_HEADERS"),
            (name.pub(1, headers={"a": 1}), "INVALID_HEADERS"),  # type: ignore[dict-item]
            (name.req({1}), "INVALID_MESSAGE"),
            (name.request_many(1, max_replies=17), "INVALID_OPTIONS"),
            (name.req(1, timeout=-1), "INVALID_OPTIONS"),
            (hub.var("a.*").pub(1), "INVALID_TOPIC"),
            (hub.var("a..b").req(1), "INVALID_TOPIC"),
            (hub.var("a.>.b").sub(print), "INVALID_TOPIC"),
            (name.sub(print, queue="a.*"), "INVALID_TOPIC"),
        ]
        for awaitable, code in cases:
            with pytest.raises(PosthouseError) as caught:
                await awaitable
            assert caught.value.code == code
            assert str(caught.value).startswith(f"{code}: ")
        assert await hub.var("a.*").set(1) is None
        results = await asyncio.gather(name.pub({1}), name.pub(1), return_exceptions=True)
        assert isinstance(results[0], PosthouseError)
        assert results[1] is None


async def test_partial_replies_of_a_failed_collection(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        name = hub.var("many")

        async def answer(data: Any, ctx: Context) -> None:
            for n in range(3):
                await ctx.reply("x" * 100 + str(n))

        await name.sub(answer, with_context=True)
        with pytest.raises(MessageError) as caught:
            await name.request_many(1, max_bytes=250)
        assert caught.value.code == "BUFFER_OVERFLOW"
        assert [text[-1] for text in caught.value.partial_replies] == ["0", "1"]
        with pytest.raises(MessageError) as caught:
            await name.request_many(1, max_bytes=250, details=True)
        assert [type(reply) for reply in caught.value.partial_replies] == [Reply, Reply]


async def test_cancelling_a_request_is_native(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        name = hub.var("silent")
        gate = asyncio.Event()

        async def silent(data: Any) -> None:
            await gate.wait()

        await name.handle(silent)
        for _ in range(100):
            task = asyncio.ensure_future(name.req(1, timeout=60))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(name.req(1, timeout=60), 0.05)
        assert hub.status()["messaging"]["pendingRequests"] == 0
        assert not hub._pending
        gate.set()


async def test_cancelling_a_subscription_leaves_none_behind(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:

        async def subscribe() -> None:
            await hub.var("x").sub(print)

        for _ in range(50):
            task = asyncio.create_task(subscribe())
            await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await hub.flush()
        await asyncio.sleep(0.05)
        assert not hub._subscriptions


async def test_a_failing_handler_is_reported_and_the_next_message_handled(
    broker: Broker, namespace: str
) -> None:
    told: list[Exception] = []
    async with Hub(namespace, servers=broker.url, on_callback_error=told.append) as hub:
        name = hub.var("shaky")

        async def handler(data: Any) -> Any:
            if data == "async":
                await asyncio.sleep(0)
            if data == "cancelled":
                raise asyncio.CancelledError
            if data != "fine":
                raise ValueError(f"no {data}")
            return {1} if data == "set" else "ok"

        await name.handle(handler)
        for bad in ("sync", "async", "cancelled"):
            with pytest.raises(MessageError) as caught:
                await name.req(bad, timeout=0.2)
            assert caught.value.code == "TIMEOUT"
        assert await name.req("fine") == "ok"
        assert len(told) == 3
        error = told[0]
        assert isinstance(error, PosthouseError)
        assert error.code == "HANDLER_ERROR"
        assert "no sync" in str(error)
        assert isinstance(error.__cause__, ValueError)
        assert hub.status()["lastError"]["code"] == "HANDLER_ERROR"

        plain = hub.var("plain")
        await plain.handle(lambda data: {1, 2})
        with pytest.raises(MessageError):
            await plain.req(1, timeout=0.2)
        assert "set" in str(told[3])


async def test_messages_of_one_subscription_run_one_after_the_other(
    broker: Broker, namespace: str
) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        running = most = 0
        order: list[int] = []
        done = asyncio.Event()

        async def handler(n: int) -> None:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            order.append(n)
            running -= 1
            if n == 99:
                done.set()

        await hub.var("row").sub(handler)
        for n in range(100):
            await hub.var("row").pub(n)
        await done.wait()
        assert most == 1
        assert order == list(range(100))


async def test_different_subscriptions_run_side_by_side(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        gate = asyncio.Event()

        async def stuck(data: Any) -> None:
            await gate.wait()

        await hub.var("a").sub(stuck)
        await hub.var("b").handle(lambda data: data)
        await hub.var("a").pub(1)
        assert await hub.var("b").req(2) == 2
        gate.set()


async def test_a_flood_leaves_the_loop_its_turns(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        received = 0

        def count(data: Any) -> None:
            nonlocal received
            received += 1

        await hub.var("flood").sub(count, pending_messages=4096)
        for n in range(4000):
            await hub.var("flood").pub(n)
        turns = 0
        while received < 4000:
            await asyncio.sleep(0)
            turns += 1
        assert turns > 4000 // 256


async def test_unsubscribing_discards_what_waits(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        seen: list[int] = []
        subscription = await hub.var("x").sub(seen.append)

        def first(n: int) -> None:
            seen.append(n)
            subscription.unsubscribe()

        await subscription.unsubscribe()
        subscription = await hub.var("x").sub(first)
        for n in range(100):
            await hub.var("x").pub(n)
        await hub.flush()
        await asyncio.sleep(0.05)
        assert seen == [0]
        assert not hub._subscriptions


async def test_reply_after_the_handler_is_refused(broker: Broker, namespace: str) -> None:
    async with Hub(namespace, servers=broker.url) as hub:
        kept: list[Context] = []
        await hub.var("x").sub(lambda data, ctx: kept.append(ctx), with_context=True)
        await hub.var("x").pub(1)
        await hub.flush()
        while not kept:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)
        with pytest.raises(PosthouseError):
            await kept[0].reply(1)


async def test_queue_group_shares_the_messages(broker: Broker, namespace: str) -> None:
    async with (
        Hub(namespace, servers=broker.url) as one,
        Hub(namespace, servers=broker.url) as two,
    ):
        got: asyncio.Queue[Any] = asyncio.Queue()
        for hub in (one, two):
            await hub.var("job").sub(lambda n, h=hub: got.put_nowait((h, n)), queue="workers")
        for n in range(50):
            await one.var("job").pub(n)
        found = await collect(got, 50)
        assert sorted(n for _, n in found) == list(range(50))
        assert got.empty()


async def test_names_are_the_same_function(namespace: str) -> None:
    hub = Hub(namespace, servers="nats://127.0.0.1:1")
    name = hub.var("x")
    assert type(name).pub is type(name).publish
    assert type(name).sub is type(name).subscribe
    assert type(name).req is type(name).request
    assert hub.var("x") is name
    with pytest.raises(MessageError) as caught:
        await name.pub(1)
    assert caught.value.code == "DISCONNECTED"
    await hub.close()
