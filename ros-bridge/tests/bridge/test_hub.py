"""The section `hub`: every way to get in, and the sizes. Relative paths start at the file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "faults" / "python"))

from parts import Bed, Process, until
from testbed import Testbed

from posthouse.sync import Hub

GENERATION = "current"


@pytest.fixture
def servers() -> Iterator[Testbed]:
    """Servers with credentials and certificates."""
    made = Testbed()
    yield made
    made.end()


def bridge(bed: Bed, section: str, text: str = "", **env: str) -> Process:
    config = bed.folder / "robot.yaml"
    config.write_text(f"hub: {{namespace: {bed.namespace}, {section}}}\n{text}")
    return bed.start_bridge(config, **env)


def gets_in(bed: Bed, section: str, **env: str) -> None:
    started = bridge(bed, section, **env)
    started.wait_for("control session")
    started.end()


def stays_out(bed: Bed, section: str, why: str, **env: str) -> None:
    started = bridge(bed, section, **env)
    started.wait_for(why)
    started.end()


def beside(bed: Bed, name: str, path: str) -> str:
    """Puts a file next to the configuration; its relative path."""
    (bed.folder / "keys").mkdir(exist_ok=True)
    shutil.copy(path, bed.folder / "keys" / name)
    return f"keys/{name}"


def test_tokens(bare: Bed, servers: Testbed) -> None:
    server = servers.server(GENERATION, token="t0ken")
    at = f"servers: ['{server.url}']"
    gets_in(bare, f"{at}, token: t0ken")
    gets_in(bare, f"{at}, token_env: ROBOT_TOKEN", ROBOT_TOKEN="t0ken")
    stays_out(bare, f"{at}, token: other", "the hub is not connected")


def test_nkeys(bare: Bed, servers: Testbed) -> None:
    key = servers.nkey()
    server = servers.server(GENERATION, nkey=key["public_key"])
    at = f"servers: '{server.url}'"
    (bare.folder / "robot.nk").write_text(key["seed"] + "\n")
    gets_in(bare, f"{at}, nkey_file: robot.nk")
    gets_in(bare, f"{at}, nkey_env: ROBOT_SEED", ROBOT_SEED=key["seed"])


def test_credentials(bare: Bed, servers: Testbed) -> None:
    creds = servers.creds()
    server = servers.server(GENERATION, creds=creds.object)
    path = beside(bare, "robot.creds", creds.user(name="robot")["file"])
    gets_in(bare, f"servers: '{server.url}', credentials: {path}")


def test_tls(bare: Bed, servers: Testbed) -> None:
    certs = servers.certs()
    ca = beside(bare, "ca.pem", certs.ca)
    cert, key = beside(bare, "own.pem", certs.client_cert), beside(bare, "own.key", certs.client_key)
    own = f"cert_file: {cert}, key_file: {key}"
    server = servers.server(GENERATION, certs=certs.object, mutual=True)
    at = f"servers: '{server.at('tls')}'"
    gets_in(bare, f"{at}, tls: {{ca_file: {ca}, {own}}}")
    stays_out(bare, f"{at}, tls: {{ca_file: {ca}}}", "the hub is not connected")
    first = servers.server(GENERATION, certs=certs.object, handshake_first=True)
    gets_in(bare, f"servers: '{first.at('tls')}', tls: {{ca_file: {ca}, handshake_first: true}}")


@pytest.mark.parametrize("node", ["auto", "true"])
def test_the_node_of_the_machine(bare: Bed, node: str) -> None:
    port = str(bare.node_port)
    bridge(bare, f"node: {node}", POSTHOUSE_LOCAL_PORT=port).wait_for("control session")
    with Hub(bare.namespace, servers=f"nats://127.0.0.1:{port}") as hub:
        until("the status", lambda: (hub.var("_bridge").value or {}).get("state") == "running")


def test_no_node(bare: Bed) -> None:
    started = bridge(bare, "node: false, timeout: 0.5", POSTHOUSE_LOCAL_PORT=str(bare.node_port))
    started.wait_for("the hub is not connected")


def test_sizes(bed: Bed) -> None:
    """An event may be as large as `payload_bytes` says; the subscriber's hub has to take it, too."""
    text = "events: [{direction: ros_to_hub, topic: /a, channel: a, type: std_msgs/String}]\n"
    sizes = "payload_bytes: 200000, outbound_bytes: 1000000, timeout: 5"
    bridge(bed, f"servers: '{bed.url}', {sizes}", text).wait_for("control session")
    limits: dict[str, Any] = {"payload_bytes": 200_000}
    heard: list[int] = []
    with Hub(bed.namespace, servers=bed.url, messaging=limits) as hub:
        hub.var("a").subscribe(lambda data: heard.append(len(data["data"])))
        robot = bed.start_robot()
        robot.do("advertise", topic="/a", type="std_msgs/String")
        robot.publish_to("/a", {"data": "x" * 150_000})
        robot.publish_to("/a", {"data": "x" * 250_000})
        robot.publish_to("/a", {"data": "x"})
        until(f"two of three, not {heard}", lambda: heard == [150_000, 1])
        status = hub.var("_bridge")
        until("the count", lambda: status.value["routes"]["events[0]"].get("too_large") == 1)
