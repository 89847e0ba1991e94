"""Callbacks that end in every way Python knows: none stops a hub, whatever runs them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import posthouse.sync
from brokers import Broker, make_broker
from posthouse import Hub, PosthouseError


class Unprintable(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class Foreign(BaseException):
    pass


WAYS: dict[str, Callable[[], BaseException]] = {
    "ordinary": lambda: ValueError("boom"),
    "cancelled": asyncio.CancelledError,
    "foreign": lambda: Foreign("boom"),
    "unprintable": Unprintable,
    "no text": lambda: OSError("no file \udcff"),
}
ways = pytest.mark.parametrize("way", WAYS)


def failing(way: str) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise WAYS[way]()

    return fail


async def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


@ways
async def test_none_stops_a_hub(broker: Broker, namespace: str, way: str) -> None:
    told: list[PosthouseError] = []

    def listener(error: PosthouseError) -> None:
        told.append(error)
        raise WAYS[way]()

    fail = failing(way)

    async def fail_later(data: Any) -> None:
        await asyncio.sleep(0)
        fail()

    async with Hub(namespace, servers=broker.url, on_callback_error=listener) as hub:
        x = hub.var("x")
        hub.watch(fail)
        hub.instances.watch(fail)
        x.watch(fail)
        x.watch_value(fail)
        await x.sub(fail)
        await x.sub(fail_later)
        await x.handle(fail)
        seen: list[Any] = []
        x.watch_value(seen.append)
        await x.sub(seen.append)
        for n in range(3):
            await x.set(["state", n])
            await x.pub(["event", n])
            assert await x.request_many(n, timeout=0.1) == []
            await until(lambda n=n: ["event", n] in seen and ["state", n] in seen)
        where = ("the handler of 'x'", "a watch of 'x'", "the hub's status", "the instances")
        await until(lambda: all(any(w in e.message for e in told) for w in where))
        assert {type(error.__cause__) for error in told} == {type(WAYS[way]())}
        assert hub.status()["lastError"]["code"] == "HANDLER_ERROR"


@ways
def test_none_stops_a_blocking_hub(broker: Broker, namespace: str, way: str) -> None:
    check_a_blocking_hub(broker, namespace, WAYS[way])


def test_an_exit_in_a_callback_stops_no_blocking_hub(broker: Broker, namespace: str) -> None:
    """On a thread of the package `sys.exit()` would end that thread, and nobody would know."""
    check_a_blocking_hub(broker, namespace, SystemExit)


def check_a_blocking_hub(broker: Broker, namespace: str, make: Callable[[], BaseException]) -> None:
    told: list[PosthouseError] = []

    def listener(error: PosthouseError) -> None:
        told.append(error)
        raise make()

    def fail(*_: Any) -> None:
        raise make()

    options: dict[str, Any] = {"on_callback_error": listener}
    with posthouse.sync.Hub(namespace, servers=broker.url, **options) as hub:
        x = hub.var("x")
        hub.watch(fail)
        hub.instances.watch(fail)
        x.watch(fail)
        x.sub(fail)
        x.handle(fail)
        seen: list[Any] = []
        x.watch_value(seen.append)
        x.sub(seen.append)
        for n in range(3):
            x.set(["state", n])
            x.pub(["event", n])
            assert x.request_many(n, timeout=0.1) == []
            wait(lambda n=n: ["event", n] in seen and ["state", n] in seen)
        where = ("the handler of 'x'", "a watch of 'x'", "the status", "the instances")
        wait(lambda: all(any(w in e.message for e in told) for w in where))


def wait(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture
def guarded(tmp_path: Any) -> Iterator[Broker]:
    running = make_broker("node", tmp_path, "--token", "T0K3N")
    running.start()
    yield running
    running.stop()


@ways
async def test_a_credential_that_fails_is_asked_for_again(
    guarded: Broker, namespace: str, way: str
) -> None:
    asked = 0

    def tell() -> str:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise WAYS[way]()
        return "T0K3N"

    async def tell_later() -> str:
        await asyncio.sleep(0)
        return tell()

    for token in (tell, tell_later):
        asked = 0
        hub = Hub(namespace, servers=guarded.url, token=token)  # type: ignore[arg-type]
        await until(lambda hub=hub: hub.state == "connected")
        assert asked == 2
        await hub.close()
    asked = 0
    blocking = posthouse.sync.Hub(namespace, servers=guarded.url, token=tell)
    await until(lambda: blocking.state == "connected")
    await asyncio.to_thread(blocking.close)


def test_what_ends_the_program_loses_nothing_of_the_hub(broker: Broker, namespace: str) -> None:
    """A callback that exits ends the loop; whoever runs it again finds everything as it was."""
    loop = asyncio.new_event_loop()
    hub = Hub(namespace, servers=broker.url)
    requests: list[asyncio.Future[Any]] = []
    left: list[Any] = []

    def leave(value: Any) -> None:
        if not left:
            left.append(value)
            raise SystemExit(3)

    async def begin() -> None:
        x = (await hub.connected()).var("x")
        await x.handle(lambda data: data)
        x.watch_value(leave)
        await x.set(1)
        requests.extend(asyncio.ensure_future(x.req(n)) for n in range(20))
        await asyncio.sleep(10)

    async def end() -> None:
        assert await asyncio.gather(*requests) == list(range(20))
        assert await hub.var("x").req("again") == "again"
        await hub.drain()
        await hub.close()

    with pytest.raises(SystemExit):
        loop.run_until_complete(begin())
    loop.run_until_complete(end())
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def test_logging_that_fails_stops_no_hub(
    broker: Broker, namespace: str, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken(logging.Handler):
        def emit(self, _record: logging.LogRecord) -> None:
            raise RuntimeError("the disk is full")

    handler = Broken(logging.DEBUG)
    logger = logging.getLogger("posthouse")
    logger.addHandler(handler)
    try:
        with posthouse.sync.Hub(namespace, servers=broker.url) as hub:
            x = hub.var("x")
            x.sub(failing("ordinary"))
            seen: list[Any] = []
            x.sub(seen.append)
            for n in range(3):
                x.pub(n)
            wait(lambda: seen == [0, 1, 2])
            assert x.request_many(timeout=0.1) == []
    finally:
        logger.removeHandler(handler)
    assert "the disk is full" in capsys.readouterr().err
