"""Variables that command topics: the guard of the session, completeness, latching."""

from __future__ import annotations

from typing import Any

from parts import Bed, Robot, until

from posthouse.sync import Hub

TWIST: dict[str, Any] = {
    "linear": {"x": 0.5, "y": 0, "z": 0},
    "angular": {"x": 0, "y": 0, "z": 0.25},
}
DRIVE = "controls: [{variable: drive, topic: /cmd_vel, type: geometry_msgs/Twist}]"


def session(hub: Hub, other_than: str | None = None) -> str:
    status = hub.var("_bridge")

    def now() -> str | None:
        found = (status.value or {}).get("control_session")
        return found if found != other_than else None

    return until("a session", now)


def rejected(hub: Hub, number: int) -> str:
    status = hub.var("_bridge")

    def now() -> str | None:
        route = (status.value or {}).get("routes", {}).get("controls[0]", {})
        return route.get("last_error", "-") if route.get("rejected", 0) == number else None

    return until(f"{number} rejected, not {status.value}", now)


def listening(bed: Bed, topic: str = "/cmd_vel", type: str = "geometry_msgs/Twist") -> Robot:  # noqa: A002
    """A robot that hears the bridge; the master's word that they know each other is not enough."""
    robot = bed.start_robot("listener")
    robot.do("subscribe", topic=topic, type=type)
    return robot


def test_only_the_session_of_now_moves_the_robot(bed: Bed, hub: Hub) -> None:
    # From before the bridge: never.
    drive = hub.var("drive")
    drive.set({"session": "old", "value": TWIST})
    bridge = bed.start_bridge(bed.config(DRIVE))
    robot = listening(bed)
    rejected(hub, 1)
    first = session(hub)
    assert first in bridge.wait_for("control session")
    drive.set({"session": first, "value": TWIST})
    until(
        "the twist",
        lambda: robot.messages("/cmd_vel") or drive.set({"session": first, "value": TWIST}),
    )
    assert robot.messages("/cmd_vel")[0] == TWIST
    # Bare, of another session, incomplete, of the wrong form: all counted, nothing published.
    heard = len(robot.messages("/cmd_vel"))
    drive.set(TWIST)
    rejected(hub, 2)
    drive.set({"session": "other", "value": TWIST})
    assert "another session" in rejected(hub, 3)
    drive.set({"session": first, "value": TWIST, "extra": 1})
    rejected(hub, 4)
    drive.set({"session": first, "value": {"linear": TWIST["linear"]}})
    status = hub.var("_bridge")
    route = until("the refusal", lambda: status.value["routes"]["controls[0]"].get("refused") and status.value)[
        "routes"
    ]["controls[0]"]
    assert "angular" in route["last_error"], route
    drive.set({"session": first, "value": {**TWIST, "linear": {"x": 9, "y": 0, "z": 0}}})
    robot.wait_message("/cmd_vel", lambda twist: twist["linear"]["x"] == 9)
    assert len(robot.messages("/cmd_vel")) == heard + 1
    # Deleting commands nothing.
    drive.delete()
    drive.set({"session": first, "value": {**TWIST, "linear": {"x": 8, "y": 0, "z": 0}}})
    robot.wait_message("/cmd_vel", lambda twist: twist["linear"]["x"] == 8)
    assert len(robot.messages("/cmd_vel")) == heard + 2


def test_a_new_connection_is_a_new_session(bed: Bed, hub: Hub) -> None:
    bridge = bed.start_bridge(bed.config(DRIVE))
    robot = listening(bed)
    drive = hub.var("drive")
    first = session(hub)
    until(
        "the twist",
        lambda: drive.set({"session": first, "value": TWIST}) or robot.messages("/cmd_vel"),
    )
    bed.stop_broker()
    bridge.wait_for("the hub is not connected")
    # Said while nobody could hear it, under a session that held then.
    late = {**TWIST, "linear": {"x": 7, "y": 0, "z": 0}}
    drive.set({"session": first, "value": late})
    heard = len(robot.messages("/cmd_vel"))
    bed.start_broker()
    second = session(hub, other_than=first)
    rejected(hub, 1)
    drive.set({"session": second, "value": TWIST})
    until("a twist again", lambda: len(robot.messages("/cmd_vel")) > heard)
    assert late not in robot.messages("/cmd_vel")


def test_apply_existing_lifts_the_guard(bed: Bed, hub: Hub) -> None:
    hub.var("mode").set({"data": "from before"})
    robot = listening(bed, "/mode", "std_msgs/String")
    bed.start_bridge(
        bed.config(
            "controls: [{variable: mode, topic: /mode, type: std_msgs/String, apply_existing: true, latch: true}]"
        )
    )
    robot.wait_message("/mode", lambda message: message == {"data": "from before"})
    hub.var("mode").set({"data": "now"})
    robot.wait_message("/mode", lambda message: message == {"data": "now"})
    # Latched: who comes later hears the last one.
    late = bed.start_robot("late")
    late.do("subscribe", topic="/mode", type="std_msgs/String")
    late.wait_message("/mode", lambda message: message == {"data": "now"})


def test_a_command_larger_than_allowed(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(
        bed.config("controls: [{variable: a, topic: /a, type: std_msgs/String, apply_existing: true, max_bytes: 20}]")
    )
    hub.var("a").set({"data": "x" * 100})
    status = hub.var("_bridge")
    until(
        "the count",
        lambda: (status.value or {}).get("routes", {}).get("controls[0]", {}).get("too_large") == 1,
    )
