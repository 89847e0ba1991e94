"""Runs coroutine tests: each on every event loop that is asked for, within a limit."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from collections.abc import Callable

import pytest

Factory = Callable[[], asyncio.AbstractEventLoop]


def installed() -> dict[str, Factory]:
    """The event loops that are installed."""
    found: dict[str, Factory] = {"asyncio": asyncio.new_event_loop}
    try:
        import uvloop
    except ImportError:
        if "CI" in os.environ and sys.version_info < (3, 14):
            raise
    else:
        found["uvloop"] = uvloop.new_event_loop
    return found


def parametrize(metafunc: pytest.Metafunc, found: dict[str, Factory]) -> None:
    """Makes one test for each loop of a coroutine function."""
    if inspect.iscoroutinefunction(metafunc.function):
        metafunc.fixturenames.append("loop_factory")
        metafunc.parametrize("loop_factory", found.values(), ids=found.keys())


def run(item: pytest.Function, limit: float) -> bool | None:
    """Runs a coroutine test; one that takes longer than ``limit`` seconds counts as hanging."""
    if not inspect.iscoroutinefunction(item.obj):
        return None
    wanted = inspect.signature(item.obj).parameters
    arguments = {name: item.funcargs[name] for name in wanted}

    async def limited() -> None:
        await asyncio.wait_for(item.obj(**arguments), limit)

    loop = item.callspec.params["loop_factory"]()
    try:
        loop.run_until_complete(limited())
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
    return True
