"""Brokers, loops and namespaces for the tests.

A coroutine test runs on each event loop that is installed. A test that takes ``broker`` runs on
each broker: a nats-server, and the node that Posthouse brings itself.
"""

from __future__ import annotations

import uuid

import pytest

import loops
from brokers import broker, own_broker  # noqa: F401

LIMIT = 30.0
"""Seconds after which a coroutine test counts as hanging."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    loops.parametrize(metafunc, loops.installed())


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    return loops.run(pyfuncitem, LIMIT)


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test is in."""
    return f"test-{uuid.uuid4()}"
