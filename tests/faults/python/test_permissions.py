"""Permissions: refused at once and by name, not restored, taken away by a reload."""

from __future__ import annotations

from typing import Any

from hubs import LONG, Seen, code_of, connected, reconnected, soon, until
from testbed import Endpoint, Testbed

from posthouse import Hub, PosthouseError

DENIED = "PERMISSION_DENIED"


def message(namespace: str, name: str) -> str:
    """The subject of a message."""
    return f"_msg.v1.{namespace.encode().hex()}.{name.encode().hex()}"


def settings(generation: str, permissions: str) -> dict[str, Any]:
    """One user that lacks something, and one that may do everything."""
    some = {"user": "some", "password": "pw", "permissions": permissions}
    return {"binary": generation, "users": [some, {"user": "all", "password": "pw"}]}


async def pair(server: Endpoint, namespace: str) -> tuple[Hub, Hub]:
    some = await connected(namespace, server.url, user="some", password="pw")
    return some, await connected(namespace, server.url, user="all", password="pw")


async def test_a_refused_subscription_is_not_restored(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    """R44: it fails by name, others are untouched, and no later connection asks again."""
    secret = message(namespace, "secret")
    permissions = f'subscribe: {{ deny: ["{secret}"] }}'
    server = testbed.server(verbose=True, **settings(generation, permissions))
    some, every = await pair(server, namespace)
    fine = Seen()
    await fine.subscribe(some, "fine")
    assert await code_of(some.var("secret").sub(print, timeout=LONG)) == DENIED
    assert await code_of(some.var("secret").sub(timeout=LONG)) == DENIED
    assert await code_of(some.var("secret").handle(print, timeout=LONG)) == DENIED
    assert some.status()["messaging"]["subscriptions"] == 1
    server.restart()
    await reconnected(some, 1)
    await reconnected(every, 1)
    await every.var("fine").pub(1)
    await fine.wait_for(1)
    asked = lambda subject: server.log().count(f"SUB {subject} ")  # noqa: E731
    # One for each call above; the restart added none, as it did for the other.
    assert asked(secret) == 3
    assert asked(message(namespace, "fine")) == 2
    await some.close()
    await every.close()


async def test_a_refused_inbox_fails_every_request_at_once(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    """R44: without its inbox no request can be answered; each is told so."""
    denied = 'subscribe: { deny: ["_INBOX.>"] }'
    server = testbed.server(verbose=True, **settings(generation, denied))
    some, every = await pair(server, namespace)
    await every.var("ask").handle(lambda data: data)
    ask = some.var("ask")
    for _ in range(2):
        assert await code_of(ask.req(1, timeout=LONG)) == DENIED
        assert await code_of(ask.request_many(1, timeout=LONG)) == DENIED
    server.restart()
    await reconnected(some, 1)
    await some.flush()
    # The inbox is asked for by a request only, never by a connection.
    assert "SUB _INBOX" not in server.log().rpartition("Server is ready")[2]
    assert await code_of(ask.req(1, timeout=LONG)) == DENIED
    await some.close()
    await every.close()


async def test_a_refused_publish_is_told_by_flush_and_a_refused_request_by_itself(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    subjects = f"{message(namespace, 'ask')}", f"{namespace.encode().hex()}.{b'lamp'.hex()}"
    denied = ", ".join(f'"{subject}"' for subject in subjects)
    server = testbed.server(**settings(generation, f"publish: {{ deny: [{denied}] }}"))
    some, every = await pair(server, namespace)
    await some.var("ask").pub(1)
    assert await code_of(some.flush(LONG)) == DENIED
    assert await code_of(some.flush(LONG)) is None
    assert await code_of(some.var("ask").req(1, timeout=LONG)) == DENIED
    lamp = some.var("lamp")
    await lamp.set("on")
    assert await code_of(some.flush(LONG)) == DENIED
    assert lamp.meta["pending"]
    assert some.status()["pendingVariables"] == 1
    error = some.status()["lastError"]
    assert error["code"] == DENIED
    assert '"lamp"' in error["message"]
    # Others write it all the same.
    await every.var("lamp").set("off")
    await every.var("lamp").set("off again")
    await until("the other's write wins", lambda: lamp.value == "off again")
    assert not lamp.meta["pending"]
    assert some.status()["reconnects"] == 0
    await some.close()
    await every.close()


async def test_a_reload_ends_a_subscription_and_nothing_else(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    """It says why it ended, whether it is iterated over or has a handler; the hub stays."""
    server = testbed.server(**settings(generation, ""))
    some, every = await pair(server, namespace)
    fine = Seen()
    await fine.subscribe(some, "fine")
    iterated = await some.var("secret").sub()
    handled = await some.var("secret").sub(print)
    denied = f'subscribe: {{ deny: ["{message(namespace, "secret")}"] }}'
    server.reload(settings=settings(generation, denied))

    async def iterate() -> None:
        async for _ in iterated:
            pass

    try:
        await soon("the end", iterate())
    except PosthouseError as error:
        assert error.code == DENIED
        assert '"secret"' in error.message
    else:
        raise AssertionError("the iteration ended as if all were well")
    for subscription in (iterated, handled):
        await until("its status says so", lambda one=subscription: one.status()["error"])
        assert subscription.status()["error"]["code"] == DENIED
    await every.var("fine").pub(1)
    await fine.wait_for(1)
    assert some.status()["reconnects"] == every.status()["reconnects"] == 0
    await some.close()
    await every.close()


async def test_a_user_without_the_state_of_the_namespace(
    generation: str, testbed: Testbed, namespace: str
) -> None:
    """A user that may not even join: the hub says what is missing and harms nothing."""
    state = namespace.encode().hex()
    server = testbed.server(**settings(generation, f'subscribe: {{ deny: ["{state}.*"] }}'))
    some, every = await pair(server, namespace)
    await until("it is reported", lambda: some.status()["lastError"])
    error = some.status()["lastError"]
    assert error["code"] == DENIED
    assert state in error["message"]
    await some.flush()
    await every.var("x").pub(1)
    await some.close()
    await every.close()
