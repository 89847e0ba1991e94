"""What the bridge tells of itself: the status variable, /diagnostics, /rosout, secrets kept."""

from __future__ import annotations

from typing import Any

from parts import Bed, Robot, until

from posthouse.sync import Hub


def diagnosis(robot: Robot, name: str) -> dict[str, Any]:
    found = [
        status for message in robot.messages("/diagnostics") for status in message["status"] if status["name"] == name
    ]
    return found[-1] if found else {}


def test_diagnostics_tell_of_hub_and_routes(bed: Bed, hub: Hub) -> None:
    robot = bed.start_robot()
    robot.do("subscribe", topic="/diagnostics", type="diagnostic_msgs/DiagnosticArray")
    robot.do("subscribe", topic="/rosout", type="rosgraph_msgs/Log")
    robot.do("advertise", topic="/a", type="std_msgs/String")
    bed.start_bridge(bed.config("topics: [{topic: /a, max_bytes: 50}]\nstatus_variable: robot.status"))
    name = "posthouse_bridge: "
    until("the hub is well", lambda: diagnosis(robot, name + "hub").get("level") == 0)
    assert {"key": "namespace", "value": bed.namespace} in diagnosis(robot, name + "hub")["values"]
    robot.publish_to("/a", {"data": "x" * 100})
    until("a warning", lambda: diagnosis(robot, name + "topics[0]").get("level") == 1)
    robot.publish_to("/a", {"data": "short"})
    until("well again", lambda: diagnosis(robot, name + "topics[0]").get("level") == 0)
    values = {v["key"]: v["value"] for v in diagnosis(robot, name + "topics[0]")["values"]}
    assert values["too_large"] == "1"
    assert values["received"] == "2"
    bed.stop_broker()
    until("the hub is missed", lambda: diagnosis(robot, name + "hub").get("level") == 1)
    until(
        "a line of log",
        lambda: any("the hub is not connected" in line["msg"] for line in robot.messages("/rosout")),
    )
    bed.start_broker()
    until("the hub is well again", lambda: diagnosis(robot, name + "hub").get("level") == 0)
    until(
        "the status",
        lambda: (hub.var("robot.status").value or {})["hub"] == {"connected": True, "reconnects": 1},
    )
    assert hub.var("_bridge").value is not hub.var("robot.status").value


def test_no_secret_is_ever_told(bed: Bed) -> None:
    robot = bed.start_robot()
    robot.do("subscribe", topic="/rosout", type="rosgraph_msgs/Log")
    robot.do("subscribe", topic="/diagnostics", type="diagnostic_msgs/DiagnosticArray")
    # A server that wants credentials, and wrong ones: the refusal is told, the password not.
    bed.stop_broker()
    import shutil

    server = shutil.which("nats-server", path="/usr/sbin:/usr/bin") or "nats-server"
    asking = bed.start([server, "-a", "127.0.0.1", "-p", str(bed.broker_port), "--user", "u", "--pass", "right"])
    asking.wait_for("Server is ready")
    config = bed.config("", hub=", user: u, password_env: ROBOT_PASSWORD")
    bridge = bed.start_bridge(config, ROBOT_PASSWORD="S3CR3T")
    bridge.wait_for("the hub is not connected")
    until("the refusal", lambda: diagnosis(robot, "posthouse_bridge: hub").get("level") == 2)
    told = bridge.text() + str(robot.told)
    assert "S3CR3T" not in told
    # With the right one it gets in, and a file may hold it, too.
    bridge.end()
    bridge = bed.start_bridge(config, ROBOT_PASSWORD="right")
    bridge.wait_for("control session")
    bridge.end()
    config = bed.config("", hub=", user: u, password: right")
    bed.start_bridge(config).wait_for("control session")


def test_an_owned_node(bare: Bed) -> None:
    """Without servers the bridge is the node of the machine, where there is none."""
    bare.start_master()
    config = bare.folder / "robot.yaml"
    config.write_text(f"hub: {{namespace: {bare.namespace}}}\ntopics: [{{topic: /a}}]\n")
    port = str(bare.node_port)
    bare.start_bridge(config, POSTHOUSE_LOCAL_PORT=port).wait_for("control session")
    with Hub(bare.namespace, servers=f"nats://127.0.0.1:{port}") as hub:
        until("the status", lambda: (hub.var("_bridge").value or {}).get("state") == "running")
