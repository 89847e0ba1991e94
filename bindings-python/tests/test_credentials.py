"""Credentials as values and as functions, asked anew at every attempt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import posthouse.sync
from brokers import Broker, make_broker
from posthouse import Hub, PosthouseError

TOKEN = "T0K3N-of-the-test"


@pytest.fixture(params=["nats-server", "node"])
def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    """A broker that wants a token."""
    option = "--auth" if request.param == "nats-server" else "--token"
    running = make_broker(request.param, tmp_path, option, TOKEN)
    running.start()
    yield running
    running.stop()


async def test_a_token_is_a_value_or_a_function(guarded: Broker, namespace: str) -> None:
    asked = 0

    def tell() -> str:
        nonlocal asked
        asked += 1
        return TOKEN

    async def tell_later() -> str:
        return tell()

    for token in (TOKEN, tell, tell_later):
        async with Hub(namespace, servers=guarded.url, token=token) as hub:  # type: ignore[arg-type]
            assert hub.state == "connected"
    assert asked == 2


async def test_a_function_is_asked_again_after_it_was_wrong(
    guarded: Broker, namespace: str
) -> None:
    answers = iter(["wrong", 5, None, RuntimeError("no"), TOKEN])

    def tell() -> object:
        answer = next(answers, TOKEN)
        if isinstance(answer, Exception):
            raise answer
        return answer

    hub = Hub(namespace, servers=guarded.url, token=tell)  # type: ignore[arg-type]
    async for status in hub.watch():
        assert TOKEN not in str(status)
        if status["connection"] == "connected":
            break
    assert hub.state == "connected"
    await hub.close()


async def test_refused_credentials_say_so(guarded: Broker, namespace: str) -> None:
    hub = Hub(namespace, servers=guarded.url, token="wr0ng")
    with pytest.raises(PosthouseError) as caught:
        await hub.connected(5)
    assert caught.value.code == "AUTH_FAILED"
    assert "wr0ng" not in f"{caught.value} {hub!r} {hub.status()}"
    await hub.close()


def test_the_blocking_face_asks_too(guarded: Broker, namespace: str) -> None:
    with posthouse.sync.Hub(namespace, servers=guarded.url, token=lambda: TOKEN) as hub:
        assert hub.state == "connected"
