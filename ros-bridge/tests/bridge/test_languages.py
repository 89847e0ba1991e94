"""A Python, a Node and a C++ program talk to a rospy node through the bridge, all in one scenario."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from parts import HERE, PACKAGE, Bed, Robot, until

from posthouse.sync import Hub

LANGUAGES = ["python", "node", "cpp"]
CONFIG = (
    """
topics: [{topic: /state, variable: robot.state}]
events:
  - {direction: ros_to_hub, topic: /press, channel: robot.press, type: std_msgs/Int32}
  - {direction: hub_to_ros, channel: say.*, topic: /speech, type: std_msgs/String}
controls:
"""
    + "".join(
        f"  - {{variable: mode.{name}, topic: /mode/{name}, type: std_msgs/String,"
        " apply_existing: true, latch: true}\n"
        for name in LANGUAGES
    )
    + """
services:
  - {direction: hub_to_ros, service: /set_motor, channel: robot.motor}
"""
    + "".join(
        f"  - {{direction: ros_to_hub, service: /ask/{name}, type: std_srvs/Trigger, channel: ask.{name}}}\n"
        for name in LANGUAGES
    )
)


@pytest.fixture
def cpp(binary: Path, tmp_path: Path) -> str:
    """The C++ program, compiled against the library of this build."""
    root = PACKAGE.parent
    library = binary.parent / "libposthouse.a"
    assert library.exists(), f"{library} is not built: cargo build -p posthouse-c"
    program = tmp_path / "talk"
    include = [f"-I{root / part / 'include'}" for part in ["bindings-cpp", "bindings-c"]]
    source = HERE / "programs" / "talk.cpp"
    command = [
        "c++",
        "-std=c++20",
        *include,
        source,
        library,
        "-o",
        program,
        "-lpthread",
        "-ldl",
        "-lm",
    ]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return str(program)


def test_three_languages_and_a_robot(bed: Bed, hub: Hub, cpp: str) -> None:
    bed.start_bridge(bed.config(CONFIG))
    robot = bed.start_robot()
    robot.do("advertise", topic="/state", type="std_msgs/String", latch=True)
    robot.do("advertise", topic="/press", type="std_msgs/Int32")
    robot.do("subscribe", topic="/speech", type="std_msgs/String")
    for name in LANGUAGES:
        robot.do("subscribe", topic=f"/mode/{name}", type="std_msgs/String")
    robot.do(
        "serve",
        service="/set_motor",
        type="std_srvs/SetBool",
        answer={"success": True, "message": "on"},
    )
    node = os.environ.get("POSTHOUSE_NODE") or shutil.which("node") or "node"
    commands = {
        "python": [sys.executable, str(HERE / "programs" / "talk.py")],
        "node": [node, str(HERE / "programs" / "talk.mjs")],
        "cpp": [cpp],
    }
    programs = {
        name: bed.start([*command, bed.namespace, bed.url], LSAN_OPTIONS="") for name, command in commands.items()
    }
    # All listen before the robot says that it is ready, and the robot hears the bridge.
    until(
        "the robot hears the bridge",
        lambda: hub.var("say.test").publish({"data": "test"}) or robot.messages("/speech"),
    )
    for name in LANGUAGES:
        until(f"the handler in {name}", lambda name=name: answered(robot, name))
    robot.do("publish", topic="/state", message={"data": "ready"})
    for name, program in programs.items():
        program.wait_for("motor on")
        robot.wait_message("/speech", lambda message, name=name: message == {"data": name})
        robot.wait_message(f"/mode/{name}", lambda message, name=name: message == {"data": name})
    assert robot.requests("/set_motor") == [{"data": True}] * 3
    until("a subscriber", lambda: robot.do("listeners", topic="/press"))
    for number in [1, 2, 3]:
        robot.do("publish", topic="/press", message={"data": number})
    for program in programs.values():
        program.wait_for("presses 1 2 3")
    hub.var("end").publish()
    for program in programs.values():
        assert program.process.wait(60) == 0, program.text()
        program.wait_for("ends")


def answered(robot: Robot, name: str) -> bool:
    """Whether the program answers the robot already."""
    try:
        answer = robot.do("call", service=f"/ask/{name}", type="std_srvs/Trigger")
    except RuntimeError:
        return False
    return answer == {"success": True, "message": name}
