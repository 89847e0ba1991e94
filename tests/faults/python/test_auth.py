"""Credentials: every way, as values and functions, and changed while the hub runs."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hubs import Seen, code_of, connected, hub_at, lost, reconnected, until
from testbed import Testbed

from posthouse import PosthouseError


class Vault:
    """A credential that can be changed from outside, and counts how often it is asked for."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.asked = 0

    def __call__(self) -> str:
        self.asked += 1
        return self.secret

    async def later(self) -> str:
        await asyncio.sleep(0)
        return self()


def read(file: str) -> str:
    return Path(file).read_text()


async def works(namespace: str, url: str, **more: Any) -> None:
    hub = await connected(namespace, url, **more)
    seen = Seen()
    await seen.subscribe(hub, "x")
    await hub.var("x").pub(1)
    await seen.wait_for(1)
    assert hub.status()["reconnects"] == 0
    await hub.close()


async def refused(namespace: str, url: str, **more: Any) -> None:
    """Fails as soon as the server has spoken, while the hub goes on trying."""
    hub = hub_at(namespace, url, **more)
    assert await code_of(hub.connected()) == "AUTH_FAILED"
    assert hub.status()["currentError"]["code"] == "AUTH_FAILED"
    assert hub.state == "error"
    await hub.close()


async def test_tokens(generation: str, testbed: Testbed, namespace: str) -> None:
    server = testbed.server(generation, token="T0K3N")
    for token in ("T0K3N", Vault("T0K3N"), Vault("T0K3N").later):
        await works(namespace, server.url, token=token)
    await works(namespace, server.url.replace("//", "//T0K3N@"))
    await refused(namespace, server.url, token="other")
    await refused(namespace, server.url)


async def test_users(generation: str, testbed: Testbed, namespace: str) -> None:
    server = testbed.server(generation, users=[{"user": "ann", "password": "pw"}])
    await works(namespace, server.url, user="ann", password="pw")
    await works(namespace, server.url, user=Vault("ann"), password=Vault("pw").later)
    await works(namespace, server.url.replace("//", "//ann:pw@"))
    await refused(namespace, server.url, user="ann", password="other")


async def test_nkeys(generation: str, testbed: Testbed, namespace: str) -> None:
    key, stranger = testbed.nkey(), testbed.nkey()
    server = testbed.server(generation, nkey=key["public_key"])
    await works(namespace, server.url, nkey=key["seed"])
    await works(namespace, server.url, nkey=Vault(key["seed"]))
    await refused(namespace, server.url, nkey=stranger["seed"])


async def test_credentials(
    generation: str, testbed: Testbed, namespace: str, tmp_path: Path
) -> None:
    creds = testbed.creds()
    server = testbed.server(generation, creds=creds.object)
    file = creds.user(name="ann")["file"]
    text = read(file)
    await works(namespace, server.url, credentials=file)
    await works(namespace, server.url, credentials=text)
    await works(namespace, server.url, credentials=Vault(text).later)
    stranger = read(testbed.creds().user(name="ann")["file"])
    await refused(namespace, server.url, credentials=stranger)
    # A file that is not there is told at once, too, and taken as soon as it is.
    missing = tmp_path / "later.creds"
    hub = hub_at(namespace, server.url, credentials=str(missing))
    with pytest.raises(PosthouseError, match=r"later\.creds") as caught:
        await hub.connected()
    assert caught.value.code == "INVALID_OPTIONS"
    shutil.copyfile(file, missing)
    await until("it is taken", lambda: hub.state == "connected")
    await hub.close()


@pytest.fixture(params=["oldest", "current", "node"])
def rotation(request: pytest.FixtureRequest, testbed: Testbed) -> tuple[str, Callable[[], Any]]:
    """The address of a broker whose token is "old", and what changes it to "new"."""
    if request.param == "node":
        node = testbed.node("--token", "old")
        return node.url, lambda: node.restart_with(arguments=["--token", "new"])
    server = testbed.server(request.param, token="old")
    settings = {"binary": request.param, "token": "new"}
    return server.url, lambda: server.reload(settings=settings)


@pytest.mark.parametrize("way", ["def", "async def"])
async def test_rotation(rotation: tuple[str, Callable[[], Any]], namespace: str, way: str) -> None:
    """Whoever is connected is thrown out and comes back with the new one."""
    url, rotate = rotation
    vault = Vault("old")
    hub = await connected(namespace, url, token=vault if way == "def" else vault.later)
    seen = Seen()
    await seen.subscribe(hub, "x")
    assert vault.asked == 1
    await asyncio.to_thread(rotate)
    await lost(hub)
    # As long as the vault has the old one, each attempt is refused, and each asks anew.
    await until("it was asked for again and again", lambda: vault.asked >= 3)
    await until("it is refused", lambda: hub.state == "error")
    assert hub.status()["currentError"]["code"] == "AUTH_FAILED"
    vault.secret = "new"
    await reconnected(hub, 1)
    assert hub.status()["currentError"] is None
    await hub.var("x").pub(1)
    await seen.wait_for(1)
    await hub.close()
