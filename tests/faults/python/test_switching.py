"""Moving to another server on purpose: because ours leaves, or because another is nearer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hubs import Seen, code_of, connected, increasing, served, soon, until
from testbed import Member, Testbed

# Long enough that only the announcement moves anybody.
SLOW_DUCK = 'lame_duck_duration: "60s"\nlame_duck_grace_period: "30s"'


def two(testbed: Testbed, generation: str) -> list[Member]:
    return testbed.cluster(generation, 2, config=SLOW_DUCK)


@pytest.mark.parametrize("configured", [1, 2])
async def test_a_lame_duck_in_a_cluster_of_two(
    generation: str, testbed: Testbed, namespace: str, configured: int
) -> None:
    """R02: one move to the other server, known by gossip or configured; delivery goes on, and what
    was in flight fails as by a lost connection."""
    cluster = two(testbed, generation)
    urls = [server.url for server in cluster]
    hub = await connected(namespace, urls[:configured])
    peer = await connected(namespace, urls[1])
    seen, servers = Seen(), Seen()
    await seen.subscribe(hub, "tick")
    never = asyncio.Event()
    asked = Seen()

    async def answer(data: Any) -> None:
        asked.all.append(data)
        await never.wait()

    def look(status: dict[str, Any]) -> None:
        if status["connection"] == "connected" and status["server"] not in servers.all[-1:]:
            servers.all.append(status["server"])

    await peer.var("never").handle(answer)
    hub.watch(look)
    stop = asyncio.Event()

    async def tick() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            await peer.var("tick").pub(n)
            await asyncio.sleep(0.02)

    ticking = asyncio.create_task(tick())
    await seen.wait_for(5)
    request = asyncio.create_task(served(hub.var("never"), 1))
    await asked.wait_for(1)
    await asyncio.to_thread(cluster[0].lame_duck)
    assert await code_of(request) == "DISCONNECTED"
    await until("it has moved", lambda: hub.state == "connected" and hub.status()["reconnects"])
    status = hub.status()
    assert status["reconnects"] == 1
    assert status["server"].endswith(f":{cluster[1].port}")
    assert status["lastSwitchReason"] == "lame-duck"
    assert status["lastError"] is None
    await seen.wait_for(len(seen.all) + 5)
    stop.set()
    await ticking
    assert increasing(seen.all)
    assert len(servers.all) == 2
    await hub.close()
    await peer.close()


async def test_handlers_finish_before_the_move(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    """Accepted messages are handled before the move, and the handler's answer still goes out."""
    cluster = two(testbed, generation)
    hub = await connected(namespace, cluster[0].url)
    peer = await connected(namespace, cluster[1].url)
    begun, free = asyncio.Event(), asyncio.Event()

    async def work(data: Any) -> Any:
        begun.set()
        await free.wait()
        return data

    await hub.var("work").handle(work)
    request = asyncio.create_task(served(peer.var("work"), "done"))
    await soon("the handler", begun.wait())
    cluster[0].lame_duck()
    phase = lambda: hub.status()["messaging"]["phase"]  # noqa: E731
    await until("the move has begun", lambda: phase() == "handoff")
    assert await code_of(hub.var("x").pub(1)) == "DISCONNECTED"
    assert not request.done()
    free.set()
    assert await soon("the answer", request) == "done"
    await until("it has moved", lambda: hub.status()["reconnects"] == 1)
    assert await soon("again", served(peer.var("work"), "again")) == "again"
    await hub.close()
    await peer.close()


async def test_a_nearer_server_is_found_by_measuring(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    servers = [testbed.server(generation) for _ in range(2)]
    far, near = (testbed.proxy(server.port) for server in servers)
    selection = {"improvement_ms": 200, "cooldown": 0.2}
    more = {"probe_interval": 0.15, "selection": selection}
    hub = await connected(namespace, [far.url, near.url], **more)
    seen = Seen()
    await seen.subscribe(hub, "tick")
    far.delay(to="client", ms=500)
    there = lambda: (hub.status()["server"], hub.state)  # noqa: E731
    await until("it has moved", lambda: there() == (near.url, "connected"))
    assert hub.status()["lastSwitchReason"] == "better-server"
    await hub.var("tick").pub(1)
    await seen.wait_for(1)
    await hub.close()
