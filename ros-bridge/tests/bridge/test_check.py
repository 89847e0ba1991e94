"""`--check`: alone, and against a running master."""

from __future__ import annotations

import json
import subprocess

from parts import PACKAGE, Bed, until

FILE = """
topics:
  - {topic: /scan, type: sensor_msgs/LaserScan, variable: robot.scan, field: ranges, max_hz: 5}
  - {topic: '/cam/*', variable: 'cam.{1}'}
controls:
  - {variable: drive, topic: /cmd_vel, type: geometry_msgs/Twist}
services:
  - {direction: hub_to_ros, service: /set_motor, channel: motor}
"""


def check(bed: Bed, text: str) -> tuple[int, str]:
    config = bed.config(text)
    ran = subprocess.run([bed.binary, "--check", config], env=bed.env(), capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout + ran.stderr


def test_alone_it_prints_the_routes(bare: Bed) -> None:
    code, said = check(bare, FILE)
    assert code == 0, said
    for line in [
        "4 routes into the namespace",
        "not compared with a master",
        "topics[0]: /scan.ranges → variable robot.scan (sensor_msgs/LaserScan), at most 5.000 Hz",
        "controls[0]: variable drive → /cmd_vel (geometry_msgs/Twist), by session",
        "services[0]: requests motor → service /set_motor",
    ]:
        assert line in said, said


def test_what_is_wrong_is_said_with_lines(bare: Bed) -> None:
    code, said = check(bare, "topics:\n  - {topic: /a, type: sensor_msgs/LaserScan, field: rangs}\n")
    assert code == 1, said
    assert "WRONG line 3: the field rangs" in said
    code, said = check(bare, "topics:\n  - {topic: /a, type: sensor_msgs/LaserScn}\n")
    assert code == 1
    assert "WRONG line 3" in said
    code, said = check(bare, "topics:\n  - {topic: /a, variable: x}\n  - {topic: /b, variable: x}\n")
    assert code == 2
    assert "robot.yaml:4: topics[1].variable" in said


def test_against_a_master(bed: Bed) -> None:
    robot = bed.start_robot()
    robot.do("advertise", topic="/cam/left", type="std_msgs/String")
    robot.do("advertise", topic="/scan", type="sensor_msgs/LaserScan")
    robot.do("serve", service="/set_motor", type="std_srvs/SetBool")
    code, said = check(bed, FILE)
    assert code == 0, said
    for line in [
        "sensor_msgs/LaserScan, published by /robot",
        "/cam/left → variable cam.left",
        "nobody subscribes to it now",
        "std_srvs/SetBool, offered",
    ]:
        assert line in said, said
    # Types that differ from the master's, and what is not there.
    robot.do("subscribe", topic="/cmd_vel", type="std_msgs/String")
    until("the type", lambda: ["/cmd_vel", "std_msgs/String"] in bed.proxy().getTopicTypes("/t")[2])
    code, said = check(
        bed,
        FILE.replace("sensor_msgs/LaserScan", "sensor_msgs/Imu").replace(", field: ranges", "")
        + "  - {direction: hub_to_ros, service: /no_such, channel: other}\n",
    )
    assert code == 1, said
    assert "/scan is of type sensor_msgs/LaserScan on the master, not sensor_msgs/Imu" in said
    assert "/cmd_vel is of type std_msgs/String on the master, not geometry_msgs/Twist" in said
    assert "nobody offers it now" in said


def test_the_examples_are_in_order(bare: Bed) -> None:
    for path in sorted((PACKAGE / "config").glob("*.yaml")):
        ran = subprocess.run(
            [bare.binary, "--check", path],
            env=bare.env(ROBOT_PASSWORD="x"),
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_schema_is_json(bare: Bed) -> None:
    printed = subprocess.run([bare.binary, "--print-schema"], capture_output=True, text=True).stdout
    assert printed == (PACKAGE / "config" / "posthouse_bridge.schema.json").read_text()
    assert json.loads(printed)["properties"]["topics"]["items"]["required"] == ["topic"]
