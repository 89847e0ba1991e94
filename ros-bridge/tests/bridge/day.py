"""A day in a robot's life: one run in which everything that goes wrong on a robot goes wrong.

Run by itself (`make ros-day`) it prints what is done, what the bridge's log says to it, and what the hub
sees. As a test (test_day.py) it is the same run.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from parts import Bed, Process, until

from posthouse.sync import Hub, PosthouseError

CONFIG = """
topics:
  - {topic: /scan, variable: robot.scan, max_hz: 20}
controls:
  - {variable: robot.drive, topic: /cmd_vel, type: geometry_msgs/Twist}
events:
  - {direction: ros_to_hub, topic: /bumper, type: std_msgs/Bool, channel: robot.bumper}
  - {direction: hub_to_ros, channel: say.*, topic: /speech, type: std_msgs/String}
services:
  - {direction: hub_to_ros, service: /set_motor, channel: robot.motor, timeout: 1}
"""
STILL = {"x": 0.0, "y": 0.0, "z": 0.0}


class Day:
    """The robot, the bridge's log, and what is said about both."""

    def __init__(self, bed: Bed, tell: Callable[[str], object]) -> None:
        self.bed = bed
        self.tell = tell
        self.told = 0
        self.bridge: Process | None = None
        self.robots = 0

    def log(self, *texts: str) -> None:
        """Waits for lines in the bridge's log that were not told yet, in any order, and tells them."""
        assert self.bridge
        lines = [self.bridge.wait_for(text, after=self.told) for text in texts]
        places = sorted(self.bridge.lines.index(line, self.told) for line in lines)
        for place in places:
            line = self.bridge.lines[place].split("]: ", 1)[-1]
            self.tell(f"      log: {line.replace(str(self.bed.folder) + '/', '')}")
        self.told = places[-1] + 1

    @contextlib.contextmanager
    def hour(self, what: str) -> Iterator[None]:
        self.tell(f"- {what}")
        yield

    def start_robot(self) -> Any:
        self.robots += 1
        robot = self.bed.start_robot(f"robot{self.robots}")
        robot.do("advertise", topic="/scan", type="sensor_msgs/LaserScan")
        robot.do("advertise", topic="/bumper", type="std_msgs/Bool", latch=True)
        robot.do("subscribe", topic="/cmd_vel", type="geometry_msgs/Twist")
        robot.do("subscribe", topic="/speech", type="std_msgs/String")
        return robot


def day(bed: Bed, tell: Callable[[str], object]) -> None:
    """Runs the day; fails where something was not handled."""
    day = Day(bed, tell)
    config = bed.config(CONFIG)
    bumps: list[bool] = []

    with day.hour("morning: everything starts in the wrong order, the bridge first"):
        day.bridge = bed.start([str(bed.binary), f"config:={config}"])
        day.log("routes into the namespace")
        day.log("the hub is not connected")
        bed.start_master()
        day.log("the ROS master answers")
        robot = day.start_robot()
        robot.do("publish", topic="/bumper", message={"data": True})
        bed.start_broker()
        day.log("the hub is connected")

    with contextlib.closing(Hub(bed.namespace, servers=bed.url)) as hub:
        hub.connected(60)
        hub.var("robot.bumper").subscribe(lambda data: bumps.append(data["data"]))
        status = hub.var("_bridge")
        scan, drive = hub.var("robot.scan"), hub.var("robot.drive")

        def route(name: str) -> dict[str, Any]:
            return (status.value or {}).get("routes", {}).get(name, {})

        def session() -> str:
            return until("a session", lambda: (status.value or {}).get("control_session"))

        def scanned(ranges: list[float], seen: list[object]) -> None:
            robot.publish_to("/scan", {"ranges": ranges})
            until(f"{seen}", lambda: isinstance(scan.value, dict) and scan.value["ranges"] == seen)
            tell(f"      hub: robot.scan has the ranges {seen}")

        def driven(speed: float, under: str) -> None:
            twist = {"linear": {**STILL, "x": speed}, "angular": STILL}
            until(
                f"{speed} m/s",
                lambda: (
                    drive.set({"session": under, "value": twist})
                    or any(m["linear"]["x"] == speed for m in robot.messages("/cmd_vel"))
                ),
            )
            tell(f"      robot: drives at {speed} m/s")

        with day.hour("work: a scan, a command, a word"):
            scanned([1, 2, 3], [1, 2, 3])
            first = session()
            driven(0.5, first)
            until(
                "the word",
                lambda: hub.var("say.hall").publish({"data": "hello"}) or robot.messages("/speech"),
            )
            tell("      robot: says hello")

        with day.hour("a scan with NaN and infinities"):
            scanned([1, math.nan, math.inf], [1, None, None])
            counted = until("the count", lambda: route("topics[0]").get("non_finite"))
            tell(f"      hub: non_finite {counted}, and the route goes on")

        with day.hour("a bad message: an event that is no String"):
            hub.var("say.hall").publish({"text": "wrong"})
            day.log("does not fit std_msgs/String")
            until("the count", lambda: route("events[1]").get("refused") == 1)
            hub.var("say.hall").publish({"data": "right"})
            robot.wait_message("/speech", lambda message: message["data"] == "right")
            tell("      robot: says what was right after it")

        with day.hour("the master goes, and another comes"):
            bed.stop_master()
            day.log("the ROS master does not answer")
            scanned([4], [4])
            bed.start_master()
            day.log("the ROS master answers again")
            robot.end(signal.SIGKILL)
            tell("      robot: its program is started again, for rospy does not register with a new master")
            robot = day.start_robot()
            scanned([5], [5])

        with day.hour("the broker goes, and comes again; a command meanwhile"):
            bed.stop_broker()
            day.log("the hub is not connected")
            until("the hub of the program, too", lambda: str(hub.state) != "connected")
            late = {"linear": {**STILL, "x": 9.0}, "angular": STILL}
            drive.set({"session": first, "value": late})
            before = len(bumps)
            robot.do("publish", topic="/bumper", message={"data": False})
            until("somebody hears it", lambda: robot.do("listeners", topic="/bumper"))
            bed.start_broker()
            day.log("the hub is connected", "another session")
            second = until("a new session", lambda: session() != first and session())
            until("the rejection", lambda: route("controls[0]").get("rejected", 0) >= 1)
            assert all(m["linear"]["x"] != 9.0 for m in robot.messages("/cmd_vel"))
            tell("      robot: does not move; the command was of the session before")
            driven(0.25, second)
            until("the lost press", lambda: route("events[0]").get("dropped_offline", 0) >= 1)
            assert len(bumps) == before, bumps
            tell("      hub: the press of the bumper meanwhile is counted, not replayed")

        with day.hour("the motor's service is down"):
            try:
                hub.var("robot.motor").request({"data": True}, timeout=3)
                raise AssertionError("an answer was made up")
            except PosthouseError as error:
                tell(f"      program: {error.code}")
            day.log("/set_motor failed")
            robot.do("serve", service="/set_motor", type="std_srvs/SetBool", answer={"success": True})
            answer = hub.var("robot.motor").request({"data": True}, timeout=10)
            tell(f"      program: it is up again and answers {answer}")

        with day.hour("evening: the bridge is stopped"):
            code = day.bridge.end()
            assert code == 0
            day.log("ends: SIGINT")
            until("the last word", lambda: status.value["state"] == "stopped")
            tell("      hub: the status says stopped, and no session holds")
            assert status.value["control_session"] is None
            left = bed.proxy().getSystemState("/test")[2]
            assert "/posthouse_bridge" not in str(left), left
            tell("      master: knows nothing of the bridge any more")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[3] / "target"))
        bed = Bed(Path(folder), target / "debug" / "posthouse_bridge")
        try:
            day(bed, lambda line: print(line, flush=True))
        finally:
            bed.end()
    print("a good day")


if __name__ == "__main__":
    sys.exit(main())
