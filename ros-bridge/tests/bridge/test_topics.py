"""ROS topics as variables: every key of `topics`."""

from __future__ import annotations

import time

from parts import Bed, until

from posthouse import UNSET
from posthouse.sync import Hub


def value(hub: Hub, name: str, wanted: object) -> object:
    var = hub.var(name)
    return until(f"{name} = {wanted!r}, not {var.value!r}", lambda: var.value == wanted)


def test_the_latest_message_is_the_value(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(bed.config("topics: [{topic: /chat, variable: robot.chat}]"))
    robot = bed.start_robot()
    robot.do("advertise", topic="/chat", type="std_msgs/String")
    robot.publish_to("/chat", {"data": "hello"})
    value(hub, "robot.chat", {"data": "hello"})
    robot.do("publish", topic="/chat", message={"data": "wörld"})
    value(hub, "robot.chat", {"data": "wörld"})
    # Somebody who comes later sees it, too.
    with Hub(bed.namespace, servers=bed.url) as late:
        value(late, "robot.chat", {"data": "wörld"})


def test_a_latched_topic_is_there_at_once(bed: Bed, hub: Hub) -> None:
    robot = bed.start_robot()
    robot.do("advertise", topic="/mode", type="std_msgs/String", latch=True)
    robot.do("publish", topic="/mode", message={"data": "idle"})
    bed.start_bridge(bed.config("topics: [{topic: /mode}]"))
    value(hub, "mode", {"data": "idle"})


def test_a_field_and_a_type(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(
        bed.config(
            """
topics:
  - {topic: /odom, type: nav_msgs/Odometry, variable: where, field: pose.pose.position}
  - {topic: /odom, variable: height, field: pose.pose.position.z}
  - {topic: /odom, variable: spread, field: pose.covariance.7}
"""
        )
    )
    robot = bed.start_robot()
    robot.do("advertise", topic="/odom", type="nav_msgs/Odometry")
    pose = {"position": {"x": 1.5, "y": -2, "z": 0.25}}
    robot.publish_to("/odom", {"pose": {"pose": pose, "covariance": [0] * 7 + [0.5] + [0] * 28}})
    value(hub, "where", {"x": 1.5, "y": -2, "z": 0.25})
    value(hub, "height", 0.25)
    value(hub, "spread", 0.5)


def test_a_publisher_of_another_type_is_reported(bed: Bed, hub: Hub) -> None:
    bridge = bed.start_bridge(bed.config("topics: [{topic: /a, type: std_msgs/Bool}]"))
    robot = bed.start_robot()
    robot.do("advertise", topic="/a", type="std_msgs/String", latch=True)
    robot.do("publish", topic="/a", message={"data": "no"})
    bridge.wait_for("/a → variable a (topics[0])")
    status = hub.var("_bridge")
    until(
        "the report",
        lambda: (status.value or {}) and "last_error" in status.value["routes"]["topics[0]"],
    )
    assert hub.var("a").value is UNSET


def test_max_hz_ends_with_the_latest(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(bed.config("topics: [{topic: /n, variable: n, field: data, max_hz: 5}]"))
    robot = bed.start_robot()
    robot.do("advertise", topic="/n", type="std_msgs/Int32")
    robot.publish_to("/n", {"data": 0})
    values = []
    hub.var("n").watch_value(lambda now: values.append(now))
    for number in range(1, 101):
        robot.do("publish", topic="/n", message={"data": number})
        time.sleep(0.005)
    value(hub, "n", 100)
    status = hub.var("_bridge")
    counts = until(
        "the counts",
        lambda: (
            (status.value or {}).get("routes", {}).get("topics[0]", {}).get("received") == 101
            and status.value["routes"]["topics[0]"]
        ),
    )
    assert counts["passed"] + counts["superseded"] == 101
    # A hundred messages in half a second are a few values only.
    assert counts["passed"] < 40, counts


def test_a_pattern_takes_up_what_appears(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(
        bed.config(
            """
topics:
  - topic: /cam/*/state
    exclude: [/cam/rear/*]
    type: std_msgs/String
    variable: camera.{1}
    field: data
"""
        )
    )
    robot = bed.start_robot()
    for name in ["left", "rear", "right"]:
        topic = f"/cam/{name}/state"
        robot.do("advertise", topic=topic, type="std_msgs/String", latch=True)
        robot.do("publish", topic=topic, message={"data": name})
    robot.do("advertise", topic="/cam/odd/state", type="std_msgs/Bool", latch=True)
    value(hub, "camera.left", "left")
    value(hub, "camera.right", "right")
    assert hub.var("camera.rear").value is UNSET
    assert hub.var("camera.odd").value is UNSET


def test_a_message_too_large_is_counted(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(bed.config("topics: [{topic: /a, max_bytes: 100}, {topic: /b, variable: b}]"))
    robot = bed.start_robot()
    for topic in ["/a", "/b"]:
        robot.do("advertise", topic=topic, type="std_msgs/String")
    robot.publish_to("/a", {"data": "x" * 200})
    robot.publish_to("/a", {"data": "short"})
    value(hub, "a", {"data": "short"})
    # As JSON it would be larger than a value may be.
    robot.publish_to("/b", {"data": "x" * 70_000})
    robot.publish_to("/b", {"data": "short"})
    value(hub, "b", {"data": "short"})
    status = hub.var("_bridge")
    for route in ["topics[0]", "topics[1]"]:
        until(
            f"the count of {route}: {status.value}",
            lambda route=route: status.value["routes"][route].get("too_large") == 1,
        )
