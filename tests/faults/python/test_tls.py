"""TLS and WebSocket: every mode, and every mismatch of the two sides."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hubs import Seen, code_of, connected, hub_at, lost, reconnected, soon, until
from testbed import Endpoint, Testbed

from posthouse import PosthouseError


def given(tls: dict[str, Any]) -> dict[str, Any]:
    """The option, where there is something in it."""
    return {"tls": tls} if tls else {}


async def works(namespace: str, url: str, **tls: Any) -> None:
    hub = await connected(namespace, url, **given(tls))
    seen = Seen()
    await seen.subscribe(hub, "x")
    for _ in range(20):
        await hub.var("x").pub("x" * 60_000)
    await seen.wait_for(20)
    await hub.drain()
    await hub.close()


async def fails(namespace: str, url: str, code: str, **tls: Any) -> None:
    hub = hub_at(namespace, url, **given(tls))
    assert await code_of(hub.connected(60)) == code
    assert hub.status()["lastError"] is not None
    await hub.close()


async def waits(namespace: str, url: str, hint: str, **tls: Any) -> None:
    """Each side waits for the other, and the error says what may be wrong."""
    hub = hub_at(namespace, url, timeout=0.4, **given(tls))
    with pytest.raises(PosthouseError, match=hint) as caught:
        await hub.connected(2)
    assert caught.value.code == "TIMEOUT"
    await hub.close()


async def test_upgrade_as_the_server_asks(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    certs = testbed.certs()
    server = testbed.server(generation, certs=certs.object)
    await works(namespace, server.at("tls"), ca_file=certs.ca)
    await works(namespace, server.at("nats"), ca_file=certs.ca)
    # Not our authority, and not this server's name.
    await fails(namespace, server.at("tls"), "INVALID_SERVER")
    other = testbed.server(generation, certs=certs.object, identity="other_host")
    await fails(namespace, other.at("tls"), "INVALID_SERVER", ca_file=certs.ca)


async def test_both_sides_show_certificates(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    certs, strangers = testbed.certs(), testbed.certs()
    server = testbed.server(generation, certs=certs.object, mutual=True)
    own = {"cert_file": certs.client_cert, "key_file": certs.client_key}
    foreign = {"cert_file": strangers.client_cert, "key_file": strangers.client_key}
    await works(namespace, server.at("tls"), ca_file=certs.ca, **own)
    await fails(namespace, server.at("tls"), "AUTH_FAILED", ca_file=certs.ca)
    await fails(namespace, server.at("tls"), "AUTH_FAILED", ca_file=certs.ca, **foreign)


async def test_tls_before_the_first_word(testbed: Testbed, namespace: str) -> None:
    """Only the current server can."""
    certs = testbed.certs()
    server = testbed.server("current", certs=certs.object, handshake_first=True)
    url = server.at("tls")
    await works(namespace, url, ca_file=certs.ca, handshake_first=True)
    await waits(namespace, url, "handshake_first", ca_file=certs.ca)


async def test_the_other_mismatches(broker: Endpoint, testbed: Testbed, namespace: str) -> None:
    """TLS is asked for and not to be had: nothing is sent in the clear."""
    certs = testbed.certs()
    code = "INVALID_SERVER"
    await fails(namespace, broker.at("tls", "127.0.0.1"), code)
    await fails(namespace, broker.url, code, ca_file=certs.ca)
    await fails(namespace, broker.url, code, ca_file=certs.ca, handshake_first=True)
    # The wrong port: no WebSocket there, and the other way round each waits for the other.
    await fails(namespace, f"ws://127.0.0.1:{broker.port}", code)
    await waits(namespace, f"nats://127.0.0.1:{broker.websocket}", "is it one?")
    # A server that requires TLS today and none tomorrow is not believed.
    fake = testbed.fake()
    hub = hub_at(namespace, fake.url, tls={"ca_file": certs.ca})
    client = fake.accept()
    client.send(text=fake.info())
    client.expect_end()
    assert "CONNECT" not in client.seen()
    await hub.close()


async def test_websockets(generation: str, testbed: Testbed, namespace: str) -> None:
    certs = testbed.certs()
    server = testbed.server(generation, certs=certs.object, websocket_tls=True)
    await works(namespace, server.at("wss"), ca_file=certs.ca)
    await fails(namespace, server.at("wss"), "INVALID_SERVER")


async def test_a_websocket_comes_back_with_everything(broker: Endpoint, namespace: str) -> None:
    """R61: over a WebSocket as over TCP, after several attempts in vain."""
    hub = await connected(namespace, broker.ws_url)
    seen, states = Seen(), Seen()
    await seen.subscribe(hub, "tick")
    hub.watch(lambda status: states.all.append(status["connection"]))
    for times in (1, 2):
        broker.kill()
        await lost(hub)
        waiting = asyncio.ensure_future(hub.connected(60))
        count = len(states.all)
        await until("several attempts have failed", lambda c=count: len(states.all) >= c + 3)
        assert not waiting.done()
        broker.restart()
        await soon("the connection", waiting)
        await reconnected(hub, times)
        await hub.var("tick").pub(times)
        await seen.wait_for(times)
    assert seen.all == [1, 2]
    await hub.close()
