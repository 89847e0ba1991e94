"""Services both ways: every key of `services`, and failures that stay failures."""

from __future__ import annotations

import threading
import time

import pytest
from parts import Bed, until

from posthouse.sync import Hub, PosthouseError

TO_ROS = "services: [{direction: hub_to_ros, service: /set_motor, channel: robot.motor, timeout: 1.5%s}]"
TO_HUB = (
    "services: [{direction: ros_to_hub, service: /ask, type: std_srvs/SetBool, channel: operator.ask, timeout: 2%s}]"
)


def failures(hub: Hub, number: int) -> str:
    status = hub.var("_bridge")

    def now() -> str | None:
        route = (status.value or {}).get("routes", {}).get("services[0]", {})
        return route.get("last_error") if route.get("failed") == number else None

    return until(f"{number} failed, not {status.value}", now)


def answers(hub: Hub, channel: str = "robot.motor") -> None:
    """Waits until the bridge listens."""

    def there() -> bool:
        try:
            hub.var(channel).request({"probe": 1}, timeout=0.3)
        except PosthouseError as error:
            return str(error.code) != "NO_RESPONDERS"
        return True

    until("the bridge at its channel", there)


def test_programs_call_a_service(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(bed.config(TO_ROS % ", queue: robots"))
    robot = bed.start_robot()
    answers(hub)
    failed = failures(hub, 1)
    assert "/set_motor" in failed
    robot.do(
        "serve",
        service="/set_motor",
        type="std_srvs/SetBool",
        answer={"success": True, "message": "on"},
    )
    motor = hub.var("robot.motor")
    assert motor.request({"data": True}, timeout=10) == {"success": True, "message": "on"}
    assert robot.requests("/set_motor") == [{"data": True}]
    # A request that does not fit reaches nobody.
    with pytest.raises(PosthouseError, match="TIMEOUT"):
        motor.request({"date": True}, timeout=0.5)
    assert "has no such field" in failures(hub, 2)
    assert len(robot.requests("/set_motor")) == 1
    # Another node takes the service over, and a service of another type under the same name works.
    robot.do("unserve", service="/set_motor")
    other = bed.start_robot("other")
    other.do(
        "serve",
        service="/set_motor",
        type="std_srvs/Trigger",
        answer={"success": True, "message": "t"},
    )

    def triggered() -> bool:
        try:
            return motor.request(timeout=1) == {"success": True, "message": "t"}
        except PosthouseError:
            return False

    until("the other service", triggered)


def test_a_service_that_fails_or_is_late_gives_no_answer(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(bed.config(TO_ROS % ", concurrency: 1"))
    robot = bed.start_robot()
    robot.do("serve", service="/set_motor", type="std_srvs/SetBool", fails=True)
    answers(hub)
    failures(hub, 1)
    with pytest.raises(PosthouseError, match="TIMEOUT"):
        hub.var("robot.motor").request({"data": True}, timeout=1)
    assert "the test wants it to fail" in failures(hub, 2)
    robot.do("unserve", service="/set_motor")
    robot.do("serve", service="/set_motor", type="std_srvs/SetBool", answer={"success": True}, wait=4)
    with pytest.raises(PosthouseError, match="TIMEOUT"):
        hub.var("robot.motor").request({"data": True}, timeout=2)
    assert "/set_motor" in failures(hub, 3)


def test_calls_run_side_by_side(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(bed.config((TO_ROS % ", concurrency: 4").replace("timeout: 1.5", "timeout: 20")))
    robot = bed.start_robot()
    robot.do("serve", service="/set_motor", type="std_srvs/SetBool", answer={"success": True}, wait=1)
    answers(hub)
    began = time.monotonic()
    threads = [
        threading.Thread(target=lambda: hub.var("robot.motor").request({"data": True}, timeout=20)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    until("four at once", lambda: len(robot.requests("/set_motor")) == 4)
    at_once = time.monotonic() - began
    for thread in threads:
        thread.join()
    # One after the other they would have come within three seconds at the earliest.
    assert at_once < 3


def test_ros_programs_call_a_handler(bed: Bed, hub: Hub) -> None:
    asked = []

    def ask(data: dict[str, object]) -> dict[str, object]:
        asked.append(data)
        return {"success": data["data"], "message": "asked"}

    bed.start_bridge(bed.config(TO_HUB % ""))
    robot = bed.start_robot()
    # Nobody handles it yet: a service failure, at once, with the reason.
    with pytest.raises(RuntimeError, match="NO_RESPONDERS"):
        until("connected", lambda: (hub.var("_bridge").value or {}).get("hub", {}).get("connected"))
        robot.do("call", service="/ask", type="std_srvs/SetBool", request={"data": True})
    with hub.var("operator.ask").handle(ask):
        answer = robot.do("call", service="/ask", type="std_srvs/SetBool", request={"data": True})
        assert answer == {"success": True, "message": "asked"}
        assert asked == [{"data": True}]
    # An answer that does not fit is no answer.
    with (
        hub.var("operator.ask").handle(lambda _: {"success": "yes"}),
        pytest.raises(RuntimeError, match="does not fit"),
    ):
        robot.do("call", service="/ask", type="std_srvs/SetBool", request={"data": True})
    with (
        hub.var("operator.ask").handle(lambda _: time.sleep(3)),
        pytest.raises(RuntimeError, match="TIMEOUT|time"),
    ):
        robot.do("call", service="/ask", type="std_srvs/SetBool", request={"data": True})
    failures(hub, 3)


def test_an_empty_answer_is_null(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(
        bed.config(
            "services: [{direction: ros_to_hub, service: /go, type: std_srvs/Empty, channel: go, concurrency: 1}]"
        )
    )
    robot = bed.start_robot()
    until("connected", lambda: (hub.var("_bridge").value or {}).get("hub", {}).get("connected"))
    with hub.var("go").handle(lambda _: None):
        assert robot.do("call", service="/go", type="std_srvs/Empty") == {}
