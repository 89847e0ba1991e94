"""Master, broker, publisher and bridge go and come in every order, under traffic."""

from __future__ import annotations

import contextlib
import itertools
import signal
from typing import Any

import pytest
from parts import Bed, Process, Robot, until

from posthouse.sync import Hub, PosthouseError

TEXT = """
topics: [{topic: /state, variable: state, field: data}]
controls: [{variable: go, topic: /go, type: std_msgs/Int32, apply_existing: true}]
events:
  - {direction: ros_to_hub, topic: /press, channel: press}
  - {direction: hub_to_ros, channel: say, topic: /speech, type: std_msgs/Int32}
services:
  - {direction: hub_to_ros, service: /set_motor, channel: motor}
  - {direction: ros_to_hub, service: /ask, type: std_srvs/Trigger, channel: ask}
"""


class Life:
    """A robot whose parts restart, and checks that everything works again."""

    def __init__(self, bed: Bed) -> None:
        self.bed = bed
        self.config = bed.config(TEXT)
        self.number = 0
        self.robot: Robot | None = None
        self.bridge: Process | None = None
        self.hub = Hub(bed.namespace, servers=bed.url)
        self.pressed: list[int] = []
        self.robots = 0

    def start_publisher(self) -> None:
        self.robots += 1
        robot = self.bed.start_robot(f"robot{self.robots}")
        robot.do("advertise", topic="/state", type="std_msgs/Int32")
        robot.do("advertise", topic="/press", type="std_msgs/Int32")
        robot.do("subscribe", topic="/go", type="std_msgs/Int32")
        robot.do("subscribe", topic="/speech", type="std_msgs/Int32")
        robot.do("serve", service="/set_motor", type="std_srvs/Trigger", answer={"success": True})
        self.robot = robot

    def stop_publisher(self) -> None:
        assert self.robot
        self.robot.end(signal.SIGKILL)
        self.robot = None

    def start_bridge(self) -> None:
        self.bridge = self.bed.start_bridge(self.config)

    def stop_bridge(self) -> None:
        assert self.bridge
        self.bridge.end(signal.SIGKILL)

    def restart(self, part: str) -> None:
        (getattr(self, f"stop_{part}", None) or getattr(self.bed, f"stop_{part}"))()
        self.traffic()
        (getattr(self, f"start_{part}", None) or getattr(self.bed, f"start_{part}"))()

    def traffic(self) -> None:
        """Says things that may go nowhere."""
        self.number += 1
        if self.robot and self.robot.alive:
            self.robot.do("publish", topic="/state", message={"data": self.number})
            self.robot.do("publish", topic="/press", message={"data": self.number})
        self.hub.var("go").set({"data": self.number})
        try:
            self.hub.var("say").publish({"data": self.number})
        except PosthouseError as error:
            assert str(error.code) == "DISCONNECTED"

    def works(self, step: str) -> None:
        """Every route passes something on again."""
        assert self.robot
        assert self.bridge
        assert self.bridge.alive, self.bridge.text()
        robot, hub = self.robot, self.hub

        def all_pass() -> bool:
            self.traffic()
            number = self.number
            seen = {
                "topics": hub.var("state").value,
                "events": self.pressed[-1:],
                "controls": [m["data"] for m in robot.messages("/go")[-1:]],
                "speech": [m["data"] for m in robot.messages("/speech")[-1:]],
            }
            self.seen: dict[str, Any] = seen
            return all(
                number - 5 <= (value if isinstance(value, int) else (value or [-9])[0]) for value in seen.values()
            )

        try:
            until(f"everything after {step}", all_pass)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.seen} of {self.number}\n{self.bridge.text()}") from None

        def called() -> bool:
            try:
                return hub.var("motor").request(timeout=2)["success"] is True
            except PosthouseError:
                return False

        until(f"the service of the robot after {step}", called)

        def asked() -> bool:
            try:
                answer = robot.do("call", service="/ask", type="std_srvs/Trigger")
            except RuntimeError:
                return False
            return answer == {"success": True, "message": "yes"}

        until(f"the service of the hub after {step}", asked)


PARTS = ["master", "broker", "publisher", "bridge"]


@pytest.mark.parametrize("first", PARTS)
def test_each_order_of_restarts(bed: Bed, first: str) -> None:
    """Each pair of parts, one after the other, and then all four."""
    life = Life(bed)
    with life.hub:
        life.hub.var("press").subscribe(lambda data: life.pressed.append(data["data"]))
        life.hub.var("ask").handle(lambda _: {"success": True, "message": "yes"})
        life.start_publisher()
        life.start_bridge()
        life.works("the start")
        for second in [part for part in PARTS if part != first]:
            for part in [first, second]:
                life.restart(part)
                if part == "master":
                    # rospy itself does not register again after a restart of the master.
                    life.restart("publisher")
            life.works(f"restarts of {first} and {second}")


@pytest.mark.parametrize("order", list(itertools.permutations(["master", "broker", "bridge"])))
def test_each_order_of_starts(bare: Bed, order: tuple[str, ...]) -> None:
    life = Life(bare)
    with contextlib.closing(life.hub):
        for part in order:
            (getattr(life, f"start_{part}", None) or getattr(bare, f"start_{part}"))()
        life.start_publisher()
        life.hub.connected(60)
        life.hub.var("press").subscribe(lambda data: life.pressed.append(data["data"]))
        life.hub.var("ask").handle(lambda _: {"success": True, "message": "yes"})
        life.works("a start in the order " + ", ".join(order))


def test_the_bridge_keeps_its_publisher_through_a_restart_of_the_master(bed: Bed) -> None:
    """A C++ node (topic_tools) and the bridge: connections outlive the master, and both are known to a new one."""
    with Hub(bed.namespace, servers=bed.url) as hub:
        bed.start_bridge(bed.config("topics: [{topic: /out, variable: out, field: data}]"))
        bed.start(["/usr/lib/topic_tools/relay", "/in", "/out"])
        robot = bed.start_robot()
        robot.do("advertise", topic="/in", type="std_msgs/Int32")

        def passes(number: int) -> bool:
            robot.do("publish", topic="/in", message={"data": number})
            return hub.var("out").value == number

        until("the relay", lambda: passes(1))
        bed.stop_master()
        until("connections without a master", lambda: passes(2))
        bed.start_master()
        until(
            "the bridge is known to the new master",
            lambda: any(
                "/posthouse_bridge" in names
                for topic, names in bed.proxy().getSystemState("/t")[2][1]
                if topic == "/out"
            ),
        )
        until("it goes on", lambda: passes(3))
