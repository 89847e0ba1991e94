"""A link whose bytes vanish without an end of stream: a router that forgot us, a pulled cable."""

from __future__ import annotations

import asyncio

import pytest
from hubs import WATCHFUL, Seen, connected, hub_at, lost, reconnected, soon
from testbed import Endpoint, Testbed

from posthouse import PosthouseError


@pytest.mark.parametrize(("to", "pause"), [("both", 1.0), ("both", 0.001), ("client", 0.001)])
async def test_a_half_open_link_is_noticed_while_publishing(
    broker: Endpoint, testbed: Testbed, namespace: str, to: str, pause: float
) -> None:
    """At 1 Hz and at 1 kHz, both ways and one way: what is written proves nothing."""
    proxy = testbed.proxy(broker.port)
    # An attempt to connect whose bytes were swallowed, too, has to be given up first.
    hub = await connected(namespace, proxy.url, timeout=2.0, **WATCHFUL)
    peer = await connected(namespace, broker.url)
    seen = Seen()
    await seen.subscribe(peer, "tick")
    tick = hub.var("tick")

    async def publish() -> str:
        n = 0
        while True:
            try:
                await tick.pub(n)
            except PosthouseError as error:
                return error.code
            n += 1
            await asyncio.sleep(pause)

    publishing = asyncio.create_task(publish())
    await seen.wait_for(2)
    proxy.swallow(to=to)
    await lost(hub)
    assert await soon("the refusal", publishing) == "DISCONNECTED"
    proxy.flow(to=to)
    await reconnected(hub, 1)
    count = len(seen.all)
    await tick.pub("again")
    await seen.wait_for(count + 1)
    assert seen.all[-1] == "again"
    await hub.close()
    await peer.close()


async def test_a_frozen_server(broker: Endpoint, namespace: str) -> None:
    """A server that is alive to the kernel only."""
    hub = await connected(namespace, broker.url, **WATCHFUL)
    broker.freeze()
    await lost(hub)
    broker.thaw()
    await reconnected(hub, 1)
    await hub.close()


async def test_silence_after_the_greeting_is_an_attempt_that_failed(
    broker: Endpoint, testbed: Testbed, namespace: str
) -> None:
    """It does not hold up the search for another server."""
    fake = testbed.fake()
    hub = hub_at(namespace, [fake.url, broker.url], **WATCHFUL)
    silent = fake.accept()
    silent.send(text=fake.info())
    silent.expect_line(prefix="CONNECT ")
    await soon("the other server", hub.connected(60))
    assert hub.status()["server"] == broker.url
    silent.expect_end()
    await hub.close()
