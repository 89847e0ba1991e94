"""max_payload: small, shrinking, and counted with the headers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hubs import code_of, connected, hub_at, reconnected, soon, until
from testbed import Endpoint, Testbed

from posthouse import HandleContext, Hub, MessageError


async def refused(hub: Hub, size: int, limit: int, **more: Any) -> None:
    """A message of that size, headers included, goes over the limit and says by how much."""
    with pytest.raises(MessageError) as caught:
        await hub.var("big").pub("x" * (size - 2), **more)
    assert caught.value.code == "MESSAGE_TOO_LARGE"
    headers = 60 if more else 0
    assert (caught.value.limit, caught.value.actual) == (limit, size + headers)


@pytest.fixture(params=["oldest", "current", "node"])
def small(request: pytest.FixtureRequest, testbed: Testbed) -> Endpoint:
    """A broker that takes 1,024 bytes."""
    if request.param == "node":
        return testbed.node("--max-payload", "1024")
    return testbed.server(request.param, max_payload=1_024)


async def test_headers_count(small: Endpoint, namespace: str) -> None:
    """R22: headers and payload together, also in a handler's answer; the connection stays."""
    a = await connected(namespace, small.url)
    b = await connected(namespace, small.url)
    headers = {"x-sixty": "h" * (60 - 12 - 4 - 7)}
    await refused(a, 1_000, 1_024, headers=headers)
    x = a.var("x")
    assert await code_of(x.req("b" * 998, headers=headers)) == "MESSAGE_TOO_LARGE"
    assert await code_of(x.request_many("b" * 998, headers=headers)) == "MESSAGE_TOO_LARGE"

    def answer(data: Any, ctx: HandleContext) -> str:
        ctx.reply_headers["x-sixty"] = headers["x-sixty"]
        return "b" * 998

    await b.var("x").handle(answer, with_context=True)
    assert await code_of(x.req(1, timeout=0.3)) == "TIMEOUT"
    assert b.status()["lastError"]["code"] == "MESSAGE_TOO_LARGE"
    for hub in (a, b):
        await hub.flush()
        assert hub.status()["reconnects"] == 0
        await hub.close()


async def test_another_node_takes_less(generation: str, testbed: Testbed, namespace: str) -> None:
    large = testbed.server(generation, max_payload=10_000)
    small = testbed.server(generation, max_payload=1_000)
    selection = {"cooldown": 1_000.0}
    hub = await connected(namespace, [large.url, small.url], selection=selection)
    assert hub.status()["server"] == large.url
    await hub.var("big").pub("x" * 5_000)
    await hub.var("state").set("x" * 5_000)
    await hub.flush()
    large.kill()
    await reconnected(hub, 1)
    assert hub.status()["server"] == small.url
    await refused(hub, 5_000, 1_000)
    await hub.var("big").pub("x" * 900)
    await hub.flush()
    # A record that is too large for it stays pending, and the connection stays.
    await hub.var("state").set("y" * 5_000)
    await hub.flush()
    assert hub.var("state").meta["pending"]
    assert hub.status()["reconnects"] == 1
    await hub.close()


async def test_an_info_shrinks_it(testbed: Testbed, namespace: str) -> None:
    """A server that tells of its new limit while we are connected."""
    fake = testbed.fake()
    hub = hub_at(namespace, fake.url)
    client = await asyncio.to_thread(fake.accept_ready)

    def serve() -> None:
        pings = 0
        while (line := client.line()) is not None:
            if line == "PING":
                pings += 1
                if pings == 3:
                    client.send(text=fake.info().replace("1048576", "500"))
                client.send(text="PONG\r\n")

    serving = asyncio.create_task(asyncio.to_thread(serve))
    await soon("a connection", hub.connected())
    big = hub.var("big")

    async def is_small() -> bool:
        return await code_of(big.pub("x" * 700)) is not None

    while not await is_small():
        await hub.flush()
    await refused(hub, 702, 500)
    assert hub.status()["reconnects"] == 0
    await hub.close()
    await serving


async def test_a_reload_shrinks_it(generation: str, testbed: Testbed, namespace: str) -> None:
    """A server that takes less from one moment to the next cuts whoever does not know; the next
    connection knows."""
    server = testbed.server(generation, max_payload=10_000)
    hub = await connected(namespace, server.url)
    server.reload(settings={"binary": generation, "max_payload": 1_000})
    if await code_of(hub.var("big").pub("x" * 5_000)) is None:
        await reconnected(hub, 1)
    await until("the limit is known", lambda: hub.state == "connected")
    await refused(hub, 5_000, 1_000)
    await hub.flush()
    await hub.close()
