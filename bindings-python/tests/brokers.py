"""Brokers for the tests, each in a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(log.read_text()) from None
            time.sleep(0.01)
        else:
            return


@dataclass
class Broker:
    """A broker in a process of its own."""

    kind: str
    command: list[str]
    port: int
    log: Path
    process: subprocess.Popen[bytes] | None = None
    extra: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.command, *self.extra], stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        wait_for_port(self.port, self.process, self.log)

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


def missing(what: str) -> None:
    """Without a broker a test is skipped on a developer's machine and fails in CI."""
    if "CI" in os.environ:
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing")


def nats_server() -> str | None:
    return (
        os.environ.get("POSTHOUSE_NATS_SERVER")
        or shutil.which("nats-server")
        or shutil.which("nats-server", path="/usr/sbin")
    )


def posthouse_command() -> str | None:
    target = os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target")
    return os.environ.get("POSTHOUSE_BIN") or shutil.which("posthouse", path=f"{target}/debug")


def make_broker(kind: str, folder: Path, *extra: str) -> Broker:
    port = free_port()
    log = folder / f"{kind}-{port}.log"
    if kind == "nats-server":
        server = nats_server()
        if server is None:
            missing("nats-server")
        command = [str(server), "-a", "127.0.0.1", "-p", str(port)]
    else:
        program = posthouse_command()
        if program is None:
            missing("the posthouse command (cargo build -p posthouse-cli)")
        command = [str(program), "serve", "--port", str(port), "--no-ws"]
    return Broker(kind, command, port, log, extra=list(extra))


@pytest.fixture(params=["nats-server", "node"], scope="session")
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A broker that runs for the whole session."""
    running = make_broker(request.param, tmp_path_factory.mktemp("broker"))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[Broker]:
    """A nats-server of the test's own, to be stopped and started."""
    running = make_broker("nats-server", tmp_path)
    running.start()
    yield running
    running.stop()
