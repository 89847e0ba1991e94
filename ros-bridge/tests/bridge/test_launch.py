"""The bridge as a ROS node: roslaunch with and without arguments, its names, its ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from parts import PACKAGE, Bed, Process, until

from posthouse.sync import Hub

SCAN = "topics: [{topic: scan, variable: robot.scan}]\n"
# How long roslaunch waits after SIGINT.
ROSLAUNCH_PATIENCE = 15.0


@pytest.fixture
def workspace(bed: Bed) -> Path:
    """A folder for ROS_PACKAGE_PATH: no catkin, no setup.sh."""
    folder = bed.folder / "ws"
    script = PACKAGE.parent / "scripts" / "ros-package"
    subprocess.run([script, folder, bed.binary], check=True)
    return folder


def launch(bed: Bed, workspace: Path, *arguments: str, file: str = "bridge.launch", **env: str) -> Process:
    return bed.start(
        ["roslaunch", "--wait", "posthouse_bridge", file, *arguments],
        ROS_PACKAGE_PATH=str(workspace),
        **env,
    )


def connected(hub: Hub, name: str = "_bridge") -> None:
    status = hub.var(name)
    until(f"{name} is connected", lambda: (status.value or {}).get("state") == "running")


def ended(bed: Bed, node: str) -> None:
    until(f"{node} is unregistered", lambda: bed.proxy().lookupNode("/test", node)[0] == -1)


def test_a_relative_path_starts_where_roslaunch_was_called(bed: Bed, hub: Hub, workspace: Path) -> None:
    bed.config(SCAN)
    launched = launch(bed, workspace, "config:=robot.yaml")
    connected(hub)
    assert bed.proxy().lookupNode("/test", "/posthouse_bridge")[0] == 1
    launched.end()
    # Fifteen seconds later roslaunch would have said this, and sent SIGTERM.
    assert "escalating" not in launched.text()
    ended(bed, "/posthouse_bridge")
    status = hub.var("_bridge")
    until(f"its last status, not {status.value}", lambda: status.value["state"] == "stopped")
    assert status.value["control_session"] is None


def test_a_name_with_a_space(bed: Bed, hub: Hub, workspace: Path) -> None:
    bed.config(SCAN, name="my robot.yaml")
    launch(bed, workspace, "config:=my robot.yaml")
    connected(hub)


def test_private_parameters(bed: Bed, hub: Hub, workspace: Path) -> None:
    config = bed.config(SCAN + "status_variable: $(env ROBOT_STATUS)\n")
    launch(bed, workspace, f"config:={config}", file="parameters.launch", ROBOT_STATUS="robot.status")
    connected(hub, "robot.status")
    assert hub.var("robot.status").value["config"] == "the parameters of /posthouse_bridge"


def test_the_parameter_config(bed: Bed, hub: Hub) -> None:
    config = bed.config(SCAN)
    bed.proxy().setParam("/test", "/posthouse_bridge/config", str(config))
    bed.start([str(bed.binary)])
    connected(hub)


def test_without_any_configuration_it_says_what_to_do(bed: Bed) -> None:
    bridge = bed.start([str(bed.binary)])
    assert bridge.process.wait(60) == 2
    assert "give config:=FILE" in bridge.text()
    bridge = bed.start([str(bed.binary), "config:=nowhere.yaml"])
    assert bridge.process.wait(60) == 2
    assert "there is no file" in bridge.text()
    config = bed.config("topics: [{topic: /a, typ: std_msgs/String}]")
    bridge = bed.start([str(bed.binary), f"config:={config}"])
    assert bridge.process.wait(60) == 2
    assert f"{config}:2: topics[0]: there is no key" in bridge.text()
    config = bed.config("topics: [{topic: /a, type: no_msgs/Thing}]")
    bridge = bed.start([str(bed.binary), f"config:={config}"])
    assert bridge.process.wait(60) == 1
    assert "no_msgs" in bridge.text()


def test_respawn_brings_it_back(bed: Bed, hub: Hub, workspace: Path) -> None:
    config = bed.config(SCAN)
    launched = launch(bed, workspace, f"config:={config}", "respawn:=true")
    connected(hub)
    first = hub.var("_bridge").value["control_session"]
    pid = node_pid(bed, "/posthouse_bridge")
    os.kill(pid, signal.SIGKILL)
    launched.wait_for("restarting process")
    until("a new session", lambda: hub.var("_bridge").value["control_session"] not in (first, None))
    assert node_pid(bed, "/posthouse_bridge") != pid


def test_required_ends_the_rest(bed: Bed, hub: Hub, workspace: Path) -> None:
    config = bed.config(SCAN)
    launched = launch(bed, workspace, f"config:={config}", "required:=true")
    connected(hub)
    os.kill(node_pid(bed, "/posthouse_bridge"), signal.SIGTERM)
    launched.wait_for("REQUIRED process")
    launched.process.wait(60)
    ended(bed, "/posthouse_bridge")


def node_pid(bed: Bed, node: str) -> int:
    import xmlrpc.client

    def ask() -> int | None:
        code, _, uri = bed.proxy().lookupNode("/test", node)
        if code != 1:
            return None
        try:
            return int(xmlrpc.client.ServerProxy(uri).getPid("/test")[2])
        except OSError:
            return None

    return until(f"the process of {node}", ask)


def test_namespaces_and_remaps(bed: Bed, hub: Hub, workspace: Path) -> None:
    config = bed.config(SCAN + "controls: [{variable: m, topic: ~mode, type: std_msgs/String}]\n")
    (bed.folder / "robots.launch").write_text(
        f"""<launch>
  <group ns="r1">
    <node pkg="posthouse_bridge" type="posthouse_bridge" name="bridge" args="config:={config}">
      <remap from="scan" to="/front/scan"/>
    </node>
  </group>
</launch>"""
    )
    bed.start(["roslaunch", "--wait", "robots.launch"], ROS_PACKAGE_PATH=str(workspace))
    connected(hub)
    status = hub.var("_bridge").value
    assert status["node"] == "/r1/bridge"
    assert status["routes"]["topics[0]"]["route"] == "/front/scan → variable robot.scan"
    assert status["routes"]["controls[0]"]["route"] == "variable m → /r1/bridge/mode"
    robot = bed.start_robot()
    robot.do("advertise", topic="/front/scan", type="std_msgs/String")
    robot.publish_to("/front/scan", {"data": "seen"})
    until("the value", lambda: hub.var("robot.scan").value == {"data": "seen"})


def test_several_bridges_on_one_master(bed: Bed, hub: Hub) -> None:
    for name in ["one", "two"]:
        text = f"topics: [{{topic: /a, variable: a.{name}}}]\nstatus_variable: {name}\n"
        bed.start_bridge(bed.config(text, f"{name}.yaml"), f"__name:={name}")
    robot = bed.start_robot()
    robot.do("advertise", topic="/a", type="std_msgs/String", latch=True)
    robot.do("publish", topic="/a", message={"data": "both"})
    for name in ["one", "two"]:
        until(name, lambda name=name: hub.var(f"a.{name}").value == {"data": "both"})


def test_a_second_node_of_the_name_replaces_the_first(bed: Bed, hub: Hub) -> None:
    config = bed.config(SCAN)
    first = bed.start_bridge(config)
    connected(hub)
    until("it is known", lambda: bed.proxy().lookupNode("/test", "/posthouse_bridge")[0] == 1)
    bed.start_bridge(config)
    assert first.process.wait(60) == 0
    first.wait_for("ends:")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_order_with_or_without_the_others(bare: Bed, number: int) -> None:
    """Neither master nor broker has to be there."""
    config = bare.config(SCAN + "events: [{direction: hub_to_ros, channel: a, topic: /a, type: std_msgs/String}]")
    alone = bare.start_bridge(config)
    assert alone.end(number, ROSLAUNCH_PATIENCE) == 0
    bare.start_master()
    bare.start_broker()
    bridge = bare.start_bridge(config)
    bridge.wait_for("the ROS master answers")
    bridge.wait_for("control session")
    bare.stop_broker()
    bare.stop_master()
    assert bridge.end(number, ROSLAUNCH_PATIENCE) == 0


def test_rosnode_kill_and_what_is_left(bed: Bed, hub: Hub) -> None:
    bridge = bed.start_bridge(
        bed.config(SCAN + "services: [{direction: ros_to_hub, service: /s, type: std_srvs/Empty, channel: s}]")
    )
    connected(hub)
    until("the service", lambda: bed.proxy().lookupService("/test", "/s")[0] == 1)
    bed.start(["rosnode", "kill", "/posthouse_bridge"]).process.wait(60)
    assert bridge.process.wait(60) == 0
    state = bed.proxy().getSystemState("/test")[2]
    assert "/posthouse_bridge" not in str(state)


@pytest.mark.skipif(not shutil.which("catkin_make"), reason="catkin is not installed")
def test_a_catkin_workspace(bed: Bed, hub: Hub) -> None:
    """The package builds in a catkin workspace and is found through its setup.sh."""
    workspace = bed.folder / "catkin"
    (workspace / "src").mkdir(parents=True)
    (workspace / "src" / "posthouse_bridge").symlink_to(PACKAGE)
    made = subprocess.run(
        ["catkin_make", "-DPYTHON_EXECUTABLE=/usr/bin/python3", f"-DPOSTHOUSE_BINARY={bed.binary}"],
        cwd=workspace,
        env=bed.env(PWD=str(workspace)),
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    config = bed.config(SCAN)
    command = f". devel/setup.sh && exec roslaunch --wait posthouse_bridge bridge.launch config:={config}"
    process = Process(["sh", "-c", command], bed.env(PWD=str(workspace)), workspace)
    bed.started.append(process)
    connected(hub)
