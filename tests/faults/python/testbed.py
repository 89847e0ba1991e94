"""The Rust test kit's servers, fake server and proxy, as objects of Python.

One process of `posthouse-testbed` a test makes them and does what it is told, line by line; they
go with it. What an object can do is what the kit's own type can: `proxy.swallow(to="client")`.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from functools import partial
from pathlib import Path
from typing import Any

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[3] / "target"))


class Thing:
    """An object of the test bed. Calling a name that is none of its attributes has it do that."""

    def __init__(self, bed: Testbed, told: dict[str, Any]) -> None:
        self._bed = bed
        self.__dict__.update(told)

    def __getattr__(self, verb: str) -> Any:
        return partial(self._act, verb)

    def _act(self, verb: str, **fields: Any) -> Any:
        told = self._bed.ask(object=self.object, do=verb, **fields)
        return Thing(self._bed, told) if isinstance(told, dict) and "object" in told else told


class Endpoint(Thing):
    """Something that listens on a port of this machine."""

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    @property
    def ws_url(self) -> str:
        return f"ws://127.0.0.1:{self.websocket}"

    def at(self, scheme: str, host: str = "localhost") -> str:
        """The address with another scheme, by the name that the certificates bear."""
        port = self.websocket if scheme in {"ws", "wss"} else self.port
        return f"{scheme}://{host}:{port}"


class Member(Endpoint):
    """One server of a cluster."""

    def __init__(self, bed: Testbed, told: dict[str, Any], index: int) -> None:
        super().__init__(bed, told)
        self._index = index

    def _act(self, verb: str, **fields: Any) -> Any:
        return super()._act(verb, server=self._index, **fields)


class Testbed:
    """The process, and what makes things in it. Any thread may use it; calls queue up."""

    __test__ = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [str(TARGET / "debug" / "posthouse-testbed")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **request: Any) -> Any:
        """Sends a line and returns what the answer says; an error there is one here."""
        with self._lock:
            stdin, stdout = self._process.stdin, self._process.stdout
            assert stdin is not None
            assert stdout is not None
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
            line = stdout.readline()
        assert line, f"the test bed has ended: {self._process.wait()}"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["ok"]

    def server(self, binary: str, **settings: Any) -> Endpoint:
        """A nats-server, `oldest` or `current`."""
        told = self.ask(make="server", settings={"binary": binary, **settings})
        return Endpoint(self, {**told, "kind": binary})

    def cluster(self, binary: str, size: int, **settings: Any) -> list[Member]:
        """Several with routes to each other."""
        told = self.ask(make="cluster", size=size, settings={"binary": binary, **settings})
        members = enumerate(told["servers"])
        return [Member(self, {**one, "object": told["object"]}, i) for i, one in members]

    def node(self, *arguments: str) -> Endpoint:
        """The owned node in a process of its own."""
        told = self.ask(make="node", arguments=arguments)
        return Endpoint(self, {**told, "kind": "node"})

    def proxy(self, port: int) -> Endpoint:
        """A proxy in front of a port."""
        told = self.ask(make="proxy", port=port)
        return Endpoint(self, {**told, "websocket": told["port"]})

    def fake(self) -> Endpoint:
        """A server whose every byte the test writes."""
        return Endpoint(self, self.ask(make="fake"))

    def certs(self) -> Thing:
        """A certificate authority with a server's and a client's certificate."""
        return Thing(self, self.ask(make="certs"))

    def creds(self) -> Thing:
        """An operator with an account, and the users made from it."""
        return Thing(self, self.ask(make="creds"))

    def nkey(self) -> dict[str, str]:
        """A user's key: `public_key` and `seed`."""
        return self.ask(make="nkey")

    def has(self, binary: str) -> bool:
        """Whether that nats-server is there."""
        return self.ask(make="binary", name=binary) is not None

    def end(self) -> None:
        """Ends the process, and with it everything that it made."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
