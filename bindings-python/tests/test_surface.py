"""Options, headers, reprs, logging, and the stubs against the live module."""

from __future__ import annotations

import ast
import inspect
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import posthouse
import posthouse.sync
from posthouse import Headers, Hub, PosthouseError, _core
from posthouse._generated import HUB_OPTIONS, MESSAGING_OPTIONS, SELECTION_OPTIONS, TLS_OPTIONS
from posthouse._options import HubOptions, Messaging, Selection, Tls

NOWHERE = "nats://127.0.0.1:1"


@pytest.mark.parametrize("face", [Hub, posthouse.sync.Hub])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"timout": 1}, ["timout", "timeout"]),
        ({"peerTimeout": 1}, ["peerTimeout", "peer_timeout"]),
        ({"messaging": {"subscription": 1}}, ["subscription", "subscriptions"]),
        ({"tls": {"cafile": "x"}}, ["cafile", "ca_file"]),
        ({"timeout": "3"}, ["timeout", "text", "number"]),
        ({"timeout": -1}, ["timeout", "-1"]),
        ({"timeout": float("nan")}, ["timeout", "NaN", "0.001"]),
        ({"timeout": True}, ["timeout", "true", "number"]),
        ({"max_variables": 1.5}, ["max_variables", "1.5", "whole"]),
        ({"messaging": {"replies": 0}}, ["messaging.replies"]),
        ({"messaging": 5}, ["messaging", "5", "group"]),
        ({"servers": 5}, ["servers", "5"]),
        ({"servers": {1}}, ["servers", "set"]),
        ({"servers": [NOWHERE, 5]}, ["servers"]),
        ({"servers": []}, ["servers"]),
        ({"node": "maybe"}, ["node"]),
        ({"token": 5}, ["token", "text"]),
        ({"on_callback_error": 5}, ["on_callback_error", "function"]),
    ],
)
def test_wrong_options_are_refused_by_name(face: Any, options: Any, said: list[str]) -> None:
    with pytest.raises(PosthouseError) as caught:
        face("x", **{"servers": NOWHERE, **options})
    assert caught.value.code == "INVALID_OPTIONS"
    for word in said:
        assert word in caught.value.message


def test_option_types_are_those_of_the_table() -> None:
    assert set(HubOptions.__annotations__) == set(HUB_OPTIONS)
    assert set(Messaging.__annotations__) == set(MESSAGING_OPTIONS)
    assert set(Selection.__annotations__) == set(SELECTION_OPTIONS)
    assert set(Tls.__annotations__) == set(TLS_OPTIONS)


def test_a_hub_without_a_namespace_is_alone() -> None:
    one, two = (posthouse.sync.Hub(servers=NOWHERE) for _ in range(2))
    assert len(one.namespace) == 36
    assert one.namespace != two.namespace
    assert one.instance_id != two.instance_id
    one.close()
    two.close()


def test_outside_a_loop_errors_are_raised_at_once() -> None:
    hub = Hub("x", servers=NOWHERE)
    for call, code in (
        (lambda: hub.var("a").set({1}), "INVALID_VALUE"),
        (lambda: hub.var("a").pub(1), "DISCONNECTED"),
    ):
        with pytest.raises(PosthouseError) as caught:
            call()
        assert caught.value.code == code
    hub.var("a").set(1)
    assert hub.var("a").value == 1
    with pytest.raises(RuntimeError, match="loop"):
        hub.connected()


def test_no_secret_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secrets = ["S3CR3T", "T0K3N", "P4SS", "us3r"]
    shown: list[str] = []
    hub = posthouse.sync.Hub("x", servers=f"nats://us3r:{secrets[0]}@127.0.0.1:1", timeout=0.2)
    with pytest.raises(PosthouseError) as caught:
        hub.connected(0.3)
    shown += [repr(hub), repr(hub.var("a")), str(hub.status()), str(caught.value)]
    hub.close()
    other = Hub("x", servers=NOWHERE, user="us3r", password="P4SS")
    shown += [repr(other), str(other.status())]
    for options in ({"servers": "nats://us3r:S3CR3T@[bad"}, {"token": "T0K3N", "timout": 1}):
        with pytest.raises(PosthouseError) as caught:
            Hub("x", **options)  # type: ignore[arg-type]
        shown += [str(caught.value), repr(caught.value)]
    everything = "\n".join([*shown, caplog.text])
    for secret in secrets:
        assert secret not in everything


def test_headers_are_found_in_any_case() -> None:
    headers = Headers([("X-Tag", "a"), ("x-tag", "b"), ("Other", "c"), ("X-Tag", "d")])
    assert headers["x-TAG"] == "a"
    assert headers.get("X-TAG") == "a"
    assert headers.get("none") is None
    assert headers.get_all("x-tag") == ["a", "b", "d"]
    assert list(headers) == ["X-Tag", "x-tag", "Other"]
    assert "OTHER" in headers
    headers["other"] = ["1", "2"]
    assert headers.get_all("Other") == ["1", "2"]
    del headers["X-TAG"]
    assert headers.entries() == [("other", "1"), ("other", "2")]
    with pytest.raises(KeyError):
        headers["x-tag"]
    with pytest.raises(KeyError):
        del headers["x-tag"]


def test_errors_survive_pickling() -> None:
    import copy
    import pickle

    error = posthouse.MessageError("TIMEOUT", "late", 1, 2, [3])
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert isinstance(again, posthouse.MessageError)
        assert (again.code, again.message, again.limit, again.actual) == ("TIMEOUT", "late", 1, 2)
        assert again.partial_replies == [3]


def run(source: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, **environment},
        check=False,
    )


def test_lines_of_the_core_reach_logging(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="posthouse")
    hub = posthouse.sync.Hub("x", servers=NOWHERE, timeout=0.2)
    with pytest.raises(PosthouseError):
        hub.connected(0.3)
    hub.close()
    assert any(record.name == "posthouse.core" for record in caplog.records)


def test_the_environment_is_read() -> None:
    source = """
import posthouse.sync
hub = posthouse.sync.Hub("x", timeout=0.2)
try:
    hub.connected(0.3)
except posthouse.PosthouseError as error:
    print(error.code)
hub.close()
"""
    done = run(source, POSTHOUSE_SERVERS=NOWHERE, POSTHOUSE_LOG="debug")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "posthouse" in done.stderr
    assert run(source, POSTHOUSE_SERVERS=NOWHERE).stderr == ""
    assert run(source, POSTHOUSE_SERVERS="http://nope").returncode == 1


# The stubs of the compiled module against the module itself.


def stub() -> ast.Module:
    return ast.parse((Path(_core.__file__).parent / "_core.pyi").read_text())


def names_of(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    found: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
    return found


def parameters(function: ast.FunctionDef, *, method: bool) -> list[tuple[str, bool]]:
    arguments = [*function.args.posonlyargs, *function.args.args]
    defaults = [False] * (len(arguments) - len(function.args.defaults)) + [True] * len(
        function.args.defaults
    )
    pairs = [(a.arg, d) for a, d in zip(arguments, defaults, strict=True)]
    return pairs[1:] if method else pairs


def check_signature(function: ast.FunctionDef, live: Any, *, method: bool) -> None:
    try:
        signature = inspect.signature(live)
    except ValueError:
        return
    found = [
        (name, parameter.default is not parameter.empty)
        for name, parameter in signature.parameters.items()
        if name not in {"self", "cls"}
    ]
    assert found == parameters(function, method=method), f"{function.name}: {signature}"


def test_the_stubs_describe_the_live_module() -> None:
    wanted = {name: node for name, node in names_of(stub().body).items() if name != "_T"}
    live = {name for name in dir(_core) if not name.startswith("__") or name == "__version__"}
    assert set(wanted) == live - {"_core"}
    for name, node in wanted.items():
        value = getattr(_core, name)
        if isinstance(node, ast.FunctionDef):
            check_signature(node, value, method=False)
        if not isinstance(node, ast.ClassDef):
            continue
        members = names_of(node.body)
        own = {member for member in vars(value) if not member.startswith("__")}
        described = {member for member in members if not member.startswith("__")}
        assert described == own, name
        for member, function in members.items():
            assert hasattr(value, member), f"{name}.{member}"
            assert isinstance(function, ast.FunctionDef)
            if not function.decorator_list and not member.startswith("__"):
                check_signature(function, getattr(value, member), method=True)


def test_both_faces_have_the_same_members() -> None:
    def public(thing: Any) -> set[str]:
        return {name for name in dir(thing) if not name.startswith("_")}

    for name in ("Hub", "Variable", "Subscription", "Instances"):
        assert public(getattr(posthouse, name)) == public(getattr(posthouse.sync, name))
    assert set(posthouse.__all__) == set(posthouse.sync.__all__)


def test_everything_public_is_documented() -> None:
    for module in (posthouse, posthouse.sync):
        for name in module.__all__:
            thing = getattr(module, name)
            if not inspect.isclass(thing):
                continue
            assert thing.__doc__, name
            for member, value in vars(thing).items():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{member}"
