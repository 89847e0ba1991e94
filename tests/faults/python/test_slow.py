"""Who does not keep up: a handler, a network, and what the server does about it."""

from __future__ import annotations

import asyncio
from typing import Any

from hubs import LONG, Seen, connected, reconnected, soon, until
from testbed import Endpoint, Testbed

from posthouse import PosthouseError

FLOOD = 30_000


async def test_a_stuck_handler_holds_up_nobody(broker: Endpoint, namespace: str) -> None:
    """R31: it loses its own messages, and only those."""
    hub = await connected(namespace, broker.url)
    peer = await connected(namespace, broker.url)
    free = asyncio.Event()
    handled = Seen()

    async def stuck(data: Any) -> None:
        await free.wait()
        handled.all.append(data)

    listener = await hub.var("a").sub(stuck)
    await hub.var("b").handle(lambda data: data)

    async def flood() -> None:
        a, sent = peer.var("a"), 0
        while sent < FLOOD:
            # Past the outbound budget it waits a little: this is a flood, not a loss.
            try:
                await a.pub(sent)
                sent += 1
            except PosthouseError as error:
                assert error.code == "BUFFER_OVERFLOW", error
                await asyncio.sleep(0)
            if sent % 100 == 0:
                await asyncio.sleep(0)

    flooding = asyncio.create_task(flood())
    for n in range(100):
        assert await soon("an answer", peer.var("b").req(n, timeout=LONG)) == n
    await soon("the flood", flooding)
    await peer.flush(LONG)
    await hub.flush(LONG)
    counts = listener.status()
    assert counts["slow"]
    # One runs; the others wait.
    assert counts["pendingMessages"] == counts["highWaterMessages"] == 256
    assert counts["droppedMessages"] == FLOOD - 256
    assert hub.status()["currentError"]["code"] == "SLOW_CONSUMER"
    await hub.var("anything").pub(1)
    assert hub.status()["reconnects"] == 0
    # Once the queue is empty the warning is gone; the counts stay.
    free.set()
    await handled.wait_for(256)
    await until("the queue is empty", lambda: listener.status()["pendingMessages"] == 0)
    assert handled.all == list(range(256))
    assert not listener.status()["slow"]
    assert hub.status()["currentError"] is None
    assert hub.status()["messaging"]["droppedMessages"] == FLOOD - 256
    await hub.close()
    await peer.close()


async def test_a_server_that_cuts_a_slow_client(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    """A network that takes nothing from the server, which cuts the client; that comes back."""
    config = 'write_deadline: "200ms"\nmax_pending: 2000000'
    server = testbed.server(generation, config=config)
    proxy = testbed.proxy(server.port)
    hub = await connected(namespace, proxy.url, ping_interval=20.0)
    peer = await connected(namespace, server.url)
    seen = Seen()
    await seen.subscribe(hub, "flood")
    proxy.pause(to="client")
    flood = peer.var("flood")

    async def send() -> None:
        try:
            await flood.pub("x" * 20_000)
        except PosthouseError as error:
            assert error.code == "BUFFER_OVERFLOW", error

    # The servers of both generations say it with these words.
    while "Slow Consumer" not in await asyncio.to_thread(server.log):
        for _ in range(20):
            await send()
    proxy.flow(to="client")
    await reconnected(hub, 1)
    await peer.flush(LONG)
    await flood.pub("after")
    await until("it hears again", lambda: seen.all[-1:] == ["after"])
    assert hub.status()["currentError"] is None
    await hub.close()
    await peer.close()


async def test_a_link_that_takes_nothing(
    broker: Endpoint, testbed: Testbed, namespace: str
) -> None:
    """A network that takes nothing from us: the outbound budget holds, and the hub says so."""
    proxy = testbed.proxy(broker.port)
    messaging = {"outbound_bytes": 1 << 20}
    hub = await connected(namespace, proxy.url, ping_interval=20.0, messaging=messaging)
    peer = await connected(namespace, broker.url)
    seen = Seen()
    await seen.subscribe(peer, "flood")
    proxy.pause(to="server")
    flood, accepted = hub.var("flood"), 0
    refused: PosthouseError | None = None
    while refused is None:
        try:
            await flood.pub("x" * 30_000)
            accepted += 1
        except PosthouseError as error:
            refused = error
        await asyncio.sleep(0)
    assert (refused.code, refused.limit) == ("BUFFER_OVERFLOW", 1 << 20)
    # Variables do not need the budget: they are merged until there is room.
    for n in range(1_000):
        await hub.var("state").set({"n": n, "pad": "x" * 5_000})
    assert hub.status()["messaging"]["outboundBytes"] <= (1 << 20) + 200_000
    proxy.flow(to="server")
    await seen.wait_for(accepted)
    last = lambda: (peer.var("state").get(None) or {}).get("n")  # noqa: E731
    await until("the last state arrives", lambda: last() == 999)
    assert len(seen.all) == accepted
    assert hub.status()["reconnects"] == 0
    await hub.close()
    await peer.close()
