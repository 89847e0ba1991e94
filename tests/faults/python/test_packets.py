"""Bytes in pieces and in lumps: nothing may depend on how the network cuts them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hubs import Seen, connected, soon
from testbed import Endpoint, Testbed

from posthouse import HandleContext, Hub

BODY = {"text": "é€😀 \r\nMSG x 1 5\r\n" * 300}


async def everything_works(hub: Hub, peer: Hub) -> None:
    """State, events, requests with headers, and large bodies."""

    async def echo(data: Any, ctx: HandleContext) -> Any:
        ctx.reply_headers["X-Tag"] = ctx.headers.get_all("x-tag")
        return data

    await peer.var("echo").handle(echo, with_context=True)
    for _ in range(3):
        asked = hub.var("echo").req(BODY, headers={"X-Tag": ["a", "b"]}, details=True)
        reply = await soon("an answer", asked)
        assert reply.data == BODY
        assert reply.headers.get_all("X-TAG") == ["a", "b"]
    await peer.var("state").set(BODY)
    async for value in hub.var("state").watch_value():
        if value == BODY:
            break
    seen = Seen()
    await seen.subscribe(hub, "n")
    for n in range(100):
        await peer.var("n").pub(n)
    await seen.wait_for(100)
    assert seen.all == list(range(100))
    assert hub.status()["reconnects"] == 0
    await hub.close()
    await peer.close()


@pytest.mark.parametrize("size", [1, 7])
async def test_pieces(broker: Endpoint, testbed: Testbed, namespace: str, size: int) -> None:
    proxy = testbed.proxy(broker.port)
    proxy.split(size=size)
    hub = await connected(namespace, proxy.url)
    await everything_works(hub, await connected(namespace, broker.url))


async def test_pieces_of_a_websocket(broker: Endpoint, testbed: Testbed, namespace: str) -> None:
    proxy = testbed.proxy(broker.websocket)
    proxy.split(size=3)
    hub = await connected(namespace, proxy.ws_url)
    await everything_works(hub, await connected(namespace, broker.url))


async def test_pieces_of_tls(generation: str, testbed: Testbed, namespace: str) -> None:
    certs = testbed.certs()
    server = testbed.server(generation, certs=certs.object)
    proxy = testbed.proxy(server.port)
    proxy.split(size=5)
    tls = {"ca_file": certs.ca}
    hub = await connected(namespace, proxy.at("tls"), tls=tls)
    await everything_works(hub, await connected(namespace, server.at("tls"), tls=tls))


async def test_one_lump(broker: Endpoint, testbed: Testbed, namespace: str) -> None:
    """Much that comes at once is as good as little by little."""
    proxy = testbed.proxy(broker.port)
    hub = await connected(namespace, proxy.url, ping_interval=20.0)
    peer = await connected(namespace, broker.url)
    seen = Seen()
    await seen.subscribe(hub, "n")
    proxy.hold(to="client")
    for n in range(2_000):
        await peer.var("n").pub(n)
    await peer.flush()
    await asyncio.to_thread(proxy.flow, to="client")
    await seen.wait_for(2_000)
    assert seen.all == list(range(2_000))
    await hub.close()
    await peer.close()
