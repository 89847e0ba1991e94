"""How messages become JSON and back: every key of the conversion, in a route and in `defaults`."""

from __future__ import annotations

import base64
import math
from typing import Any

import pytest
from parts import Bed, until

from posthouse.sync import Hub

NAN, INF = math.nan, math.inf


def counts(hub: Hub, route: str, **wanted: int) -> dict[str, Any]:
    status = hub.var("_bridge")

    def there() -> Any:
        now = (status.value or {}).get("routes", {}).get(route, {})
        return all(now.get(name, 0) == number for name, number in wanted.items()) and now

    return until(f"{route} with {wanted}, not {(status.value or {}).get('routes')}", there)


def shown(hub: Hub, name: str, field: str, wanted: object) -> None:
    var = hub.var(name)
    until(
        f"{name}.{field} = {wanted}, not {var.value}",
        lambda: isinstance(var.value, dict) and var.value.get(field) == wanted,
    )


@pytest.mark.parametrize(
    ("rule", "latitude", "ranges"),
    [
        ("null", None, [1, None, None, None]),
        ("strings", "NaN", [1, "NaN", "Infinity", "-Infinity"]),
        ("skip", 47.5, [1, 2, 3, 4]),
    ],
)
def test_floats_that_json_has_not(bed: Bed, hub: Hub, rule: str, latitude: object, ranges: list[object]) -> None:
    """R58: one rule for single fields and arrays, the route goes on, and it is counted."""
    bed.start_bridge(bed.config(f"topics: [{{topic: /fix}}, {{topic: /scan}}]\ndefaults: {{non_finite: {rule}}}"))
    robot = bed.start_robot()
    robot.do("advertise", topic="/fix", type="sensor_msgs/NavSatFix")
    robot.do("advertise", topic="/scan", type="sensor_msgs/LaserScan")
    if rule == "skip":
        # What is skipped leaves the good one in its place.
        robot.publish_to("/fix", {"latitude": 47.5})
        shown(hub, "fix", "latitude", 47.5)
        robot.publish_to("/scan", {"ranges": [1, 2, 3, 4]})
        shown(hub, "scan", "ranges", [1, 2, 3, 4])
    robot.publish_to("/fix", {"latitude": NAN, "position_covariance": [NAN] + [0] * 8})
    robot.publish_to("/scan", {"ranges": [1, NAN, INF, -INF]})
    if rule == "skip":
        counts(hub, "topics[0]", skipped_non_finite=1, passed=1)
        counts(hub, "topics[1]", skipped_non_finite=1, passed=1)
    else:
        counts(hub, "topics[0]", non_finite=2, passed=1)
        counts(hub, "topics[1]", non_finite=3, passed=1)
        shown(hub, "fix", "position_covariance", [latitude] + [0] * 8)
    shown(hub, "fix", "latitude", latitude)
    shown(hub, "scan", "ranges", ranges)
    # The route is as before.
    robot.publish_to("/scan", {"ranges": [5]})
    shown(hub, "scan", "ranges", [5])


def test_bytes(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(
        bed.config(
            """
topics: [{topic: /a, field: data}, {topic: /a, variable: b, field: data, bytes: numbers}]
events:
  - {direction: hub_to_ros, channel: one, topic: /c, type: std_msgs/UInt8MultiArray}
  - {direction: hub_to_ros, channel: two, topic: /d, type: std_msgs/UInt8MultiArray, bytes: numbers}
"""
        )
    )
    robot = bed.start_robot()
    robot.do("advertise", topic="/a", type="std_msgs/UInt8MultiArray")
    until("a subscriber", lambda: robot.do("listeners", topic="/a"))
    # rospy fills bytes from a text of the same codes.
    robot.do("publish", topic="/a", message={"data": [0, 1, 255]})
    until("base64", lambda: hub.var("a").value == base64.b64encode(bytes([0, 1, 255])).decode())
    until("numbers", lambda: hub.var("b").value == [0, 1, 255])
    for topic in ["/c", "/d"]:
        robot.do("subscribe", topic=topic, type="std_msgs/UInt8MultiArray")
    layout = {"dim": [], "data_offset": 0}
    until(
        "the same both ways",
        lambda: hub.var("one").publish({"layout": layout, "data": "AAH/"}) or robot.messages("/c"),
    )
    assert robot.messages("/c")[0]["data"] == "AAH/"
    until(
        "numbers both ways",
        lambda: hub.var("two").publish({"layout": layout, "data": [0, 1, 255]}) or robot.messages("/d"),
    )
    assert robot.messages("/d")[0]["data"] == "AAH/"
    hub.var("two").publish({"layout": layout, "data": "AAH/"})
    counts(hub, "events[1]", refused=1)


def test_large_integers(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(
        bed.config(
            """
topics: [{topic: /n, field: data}, {topic: /n, variable: s, field: data, int64: string}]
controls:
  - {variable: out, topic: /out, type: std_msgs/Int64, int64: string, apply_existing: true}
"""
        )
    )
    robot = bed.start_robot()
    robot.do("advertise", topic="/n", type="std_msgs/Int64")
    robot.publish_to("/n", {"data": 9007199254740993})
    until("the text", lambda: hub.var("s").value == "9007199254740993")
    counts(hub, "topics[0]", unsafe_integer=1, passed=0)
    robot.publish_to("/n", {"data": -9007199254740991})
    until("the number", lambda: hub.var("n").value == -9007199254740991)
    robot.do("subscribe", topic="/out", type="std_msgs/Int64")
    hub.var("out").set({"data": "9223372036854775807"})
    # One that came before the subscriber is not latched: say it again.
    until(
        "the integer",
        lambda: robot.messages("/out") or hub.var("out").set({"data": "9223372036854775807"}),
    )
    assert robot.messages("/out")[0] == {"data": 9223372036854775807}


def test_time_and_null(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(
        bed.config(
            """
topics: [{topic: /t, field: data}]
events: [{direction: hub_to_ros, channel: f, topic: /f, type: std_msgs/Float64}]
"""
        )
    )
    robot = bed.start_robot()
    robot.do("advertise", topic="/t", type="std_msgs/Duration")
    robot.publish_to("/t", {"data": {"secs": -1, "nsecs": 500}})
    until("the duration", lambda: hub.var("t").value == {"secs": -1, "nsecs": 500})
    robot.do("subscribe", topic="/f", type="std_msgs/Float64")
    until("NaN", lambda: hub.var("f").publish({"data": None}) or robot.messages("/f"))
    assert math.isnan(robot.messages("/f")[0]["data"])
