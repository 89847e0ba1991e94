"""Brokers, loops and namespaces for the tests.

A coroutine test runs on each event loop that is installed. A test that takes ``broker`` runs on
each broker: a nats-server, and the node that Posthouse brings itself.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
import uuid
from collections.abc import Callable

import pytest

from brokers import broker, own_broker  # noqa: F401

LIMIT = 30.0
"""Seconds after which a coroutine test counts as hanging."""


def loops() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The event loops that are installed."""
    found: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {"asyncio": asyncio.new_event_loop}
    try:
        import uvloop
    except ImportError:
        if "CI" in os.environ and sys.version_info < (3, 14):
            raise
    else:
        found["uvloop"] = uvloop.new_event_loop
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if inspect.iscoroutinefunction(metafunc.function):
        metafunc.fixturenames.append("loop_factory")
        found = loops()
        metafunc.parametrize("loop_factory", found.values(), ids=found.keys())


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in wanted}

    async def limited() -> None:
        await asyncio.wait_for(pyfuncitem.obj(**arguments), LIMIT)

    loop = pyfuncitem.callspec.params["loop_factory"]()
    try:
        loop.run_until_complete(limited())
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
    return True


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test is in."""
    return f"test-{uuid.uuid4()}"
