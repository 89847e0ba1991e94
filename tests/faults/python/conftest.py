"""The surroundings of the fault tests: a test bed each, and brokers of every kind.

A test that takes ``broker`` runs on both generations of nats-server and on the owned node; one that
takes ``generation`` starts servers of its own with what only a nats-server has.
"""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "bindings-python" / "tests"))

from testbed import Endpoint, Testbed

import loops
from brokers import missing

LIMIT = 90.0
"""Seconds after which a coroutine test counts as hanging."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    loops.parametrize(metafunc, {"asyncio": asyncio.new_event_loop})


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    return loops.run(pyfuncitem, LIMIT)


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test is in."""
    return f"faults-{uuid.uuid4()}"


@pytest.fixture
def testbed() -> Iterator[Testbed]:
    """A test bed of the test's own."""
    bed = Testbed()
    yield bed
    bed.end()


@pytest.fixture(params=["oldest", "current"])
def generation(request: pytest.FixtureRequest, testbed: Testbed) -> str:
    """The name of a nats-server for `testbed.server`."""
    if not testbed.has(request.param):
        missing(f"the {request.param} nats-server")
    return request.param


@pytest.fixture(params=["oldest", "current", "node"])
def broker(request: pytest.FixtureRequest, testbed: Testbed) -> Endpoint:
    """A running broker without any settings, which listens for WebSockets too."""
    if request.param == "node":
        return testbed.node()
    if not testbed.has(request.param):
        missing(f"the {request.param} nats-server")
    return testbed.server(request.param, websocket=True)
