"""Programs as processes: JSON lines from their output, and an end by closing their input."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
SERVER = TARGET / "servers" / "nats-server-current"
FLOOD = [str(ROOT / "benches" / "program"), "flood"]
LIMIT = 180.0
TICKS = os.sysconf("SC_CLK_TCK")


class Failure(Exception):  # noqa: N818 - reads better where it is raised
    """A program did not do what the contract wants."""


def processor_seconds(pid: int) -> float:
    """What a running process has used, user and system."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(after_name[11]) + int(after_name[12])) / TICKS


class Program:
    """One process of a program. Use it as a context: it does not outlive that."""

    def __init__(self, program: dict[str, Any], *arguments: object) -> None:
        command = [*program["cmd"], *(str(argument) for argument in arguments)]
        self.what = f"{program['name']} {' '.join(map(str, arguments))}"
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **program.get("env", {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.rest = b""

    @property
    def pid(self) -> int:
        return self.process.pid

    def line(self, limit: float = LIMIT) -> dict[str, Any]:
        """The next object that it prints."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        end = time.monotonic() + limit
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Failure(f"{self.what}: nothing within {limit:.0f} s")
            part = os.read(self.process.stdout.fileno(), 65536)
            if not part:
                said = self.process.stderr.read()[-800:].decode(errors="replace")
                raise Failure(f"{self.what}: it ended: {said}")
            self.rest += part
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def end(self) -> None:
        """Closes its input and waits for its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.what}: it does not end") from None
        if code != 0:
            assert self.process.stderr is not None
            said = self.process.stderr.read()[-800:].decode(errors="replace")
            raise Failure(f"{self.what}: exit code {code}: {said}")

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def flood(port: int, subjects: str, n: int, rate: float) -> dict[str, Any]:
    """Publishes frames through a bare socket; rate 0 is as fast as it goes."""
    command = [*FLOOD, str(port), subjects, str(n), str(rate)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode != 0:
        raise Failure(f"the flood: {done.stderr[-300:]}")
    return json.loads(done.stdout)


class Server:
    """A fresh nats-server on a free port of the loopback interface."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"nats://127.0.0.1:{self.port}"

    def __enter__(self) -> Server:
        command = [str(SERVER), "-a", "127.0.0.1", "-p", str(self.port)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.5).close()
                return self
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise Failure("nats-server does not start") from None
                time.sleep(0.05)

    def __exit__(self, *_error: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
