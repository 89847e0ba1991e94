"""Events both ways: every key of `events`."""

from __future__ import annotations

from typing import Any

from parts import Bed, until

from posthouse.sync import Hub

OUT = "events: [{direction: ros_to_hub, topic: /press, channel: robot.press%s}]"


def route(hub: Hub, name: str = "events[0]") -> dict[str, Any]:
    return (hub.var("_bridge").value or {}).get("routes", {}).get(name, {})


def test_each_message_is_one_event_with_its_headers(bed: Bed, hub: Hub) -> None:
    heard: list[Any] = []
    hub.var("robot.>").subscribe(
        lambda data, ctx: heard.append((data, ctx.topic, ctx.headers.get_all("x-robot"))),
        with_context=True,
    )
    bed.start_bridge(bed.config(OUT % ", type: std_msgs/Int32, headers: {x-robot: [r1, r2]}, queue_size: 1000"))
    robot = bed.start_robot()
    robot.do("advertise", topic="/press", type="std_msgs/Int32")
    until("a subscriber", lambda: robot.do("listeners", topic="/press"))
    # The same message twice is two events.
    for number in [1, 1, 2, 3]:
        robot.do("publish", topic="/press", message={"data": number})
    until(f"four events, not {heard}", lambda: len(heard) == 4)
    assert [data["data"] for data, _, _ in heard] == [1, 1, 2, 3]
    assert {(topic, tuple(values)) for _, topic, values in heard} == {("robot.press", ("r1", "r2"))}
    assert hub.var("robot.press").value is not heard, "an event is no value"


def test_a_kept_message_is_passed_on_once_for_each_publisher(bed: Bed, hub: Hub) -> None:
    heard: list[str] = []
    hub.var("robot.press").subscribe(lambda data: heard.append(data["data"]))
    robots = [bed.start_robot(name) for name in ["one", "two"]]
    for number, robot in enumerate(robots):
        robot.do("advertise", topic="/press", type="std_msgs/String", latch=True)
        robot.do("publish", topic="/press", message={"data": f"kept {number}"})
    bridge = bed.start_bridge(bed.config(OUT % ""))
    until("both", lambda: sorted(heard) == ["kept 0", "kept 1"])
    # A restart of the broker replays nothing, and what comes meanwhile is dropped and counted.
    missed = len(bridge.lines)
    bed.stop_broker()
    bridge.wait_for("the hub is not connected", missed)
    robots[0].do("publish", topic="/press", message={"data": "lost"})
    bed.start_broker()
    hub.connected(60)
    until("the bridge", lambda: route(hub).get("dropped_offline") == 1)
    robots[0].do("publish", topic="/press", message={"data": "after"})
    until("the next", lambda: "after" in heard)
    assert sorted(heard) == ["after", "kept 0", "kept 1"]


def test_a_bridge_before_its_broker_loses_no_kept_message(bare: Bed) -> None:
    bare.start_master()
    robot = bare.start_robot()
    robot.do("advertise", topic="/press", type="std_msgs/String", latch=True)
    robot.do("publish", topic="/press", message={"data": "kept"})
    bare.start_bridge(bare.config(OUT % ""))
    heard: list[str] = []
    bare.start_broker()
    with Hub(bare.namespace, servers=bare.url) as hub:
        hub.var("robot.press").subscribe(lambda data: heard.append(data["data"]))
        status = hub.var("_bridge")
        until(
            "the route",
            lambda: (status.value or {}).get("routes", {}).get("events[0]", {}).get("passed"),
        )
        robot.do("publish", topic="/press", message={"data": "next"})
        until("the next", lambda: "next" in heard)


def test_patterns_of_the_hub_become_messages(bed: Bed, hub: Hub) -> None:
    bed.start_bridge(
        bed.config(
            "events: [{direction: hub_to_ros, channel: 'say.*', topic: /speech, type: std_msgs/String,"
            " queue_size: 16, latch: true}]"
        )
    )
    robot = bed.start_robot()
    robot.do("subscribe", topic="/speech", type="std_msgs/String")
    # An event reaches who listens now: both have to.
    until("the first", lambda: hub.var("say.hall").publish({"data": "a"}) or robot.messages("/speech"))
    hub.var("say.yard").publish({"data": "b"})
    robot.wait_message("/speech", lambda message: message == {"data": "b"})
    hub.var("say.yard.far").publish({"data": "not meant"})
    hub.var("say.yard").publish({"text": "no such field"})
    until("the refusal", lambda: route(hub).get("refused") == 1)
    assert "not meant" not in [message["data"] for message in robot.messages("/speech")]
    late = bed.start_robot("late")
    late.do("subscribe", topic="/speech", type="std_msgs/String")
    late.wait_message("/speech", lambda message: message == {"data": "b"})


def test_a_queue_group_shares_events_between_bridges(bed: Bed, hub: Hub) -> None:
    text = (
        "events: [{{direction: hub_to_ros, channel: job, topic: /job, type: std_msgs/Int32, queue: robots}}]\n"
        "status_variable: {}\n"
    )
    for name in ["one", "two"]:
        bed.start_bridge(bed.config(text.format(name), f"{name}.yaml"), f"__name:={name}")
    robot = bed.start_robot()
    robot.do("subscribe", topic="/job", type="std_msgs/Int32")
    received = lambda: sum(  # noqa: E731
        (hub.var(name).value or {}).get("routes", {}).get("events[0]", {}).get("received", 0) for name in ["one", "two"]
    )
    until("both at work", lambda: hub.var("one").value and hub.var("two").value)
    sent = 0
    while len(robot.messages("/job")) == 0:
        hub.var("job").publish({"data": -1})
        sent += 1
        until("it", lambda: received() >= sent)
    for number in range(50):
        hub.var("job").publish({"data": number})
    until(f"each event once, not {received()}", lambda: received() == sent + 50)


def test_a_burst_is_counted_to_the_last(bed: Bed, hub: Hub) -> None:
    """Read from the socket = delivered + dropped at the queue, the budget and the subscriber; memory stays bounded."""
    count = 200_000
    heard = 0

    def hear(_: object) -> None:
        nonlocal heard
        heard += 1

    subscription = hub.var("robot.press").subscribe(hear)
    bridge = bed.start_bridge(bed.config(OUT % ", queue_size: 100"))
    robot = bed.start_robot()
    robot.do("advertise", topic="/press", type="std_msgs/String", queue=count)
    until("a subscriber", lambda: robot.do("listeners", topic="/press"))
    before = bridge.peak_memory()
    robot.do("burst", topic="/press", count=count)
    until(f"all read, not {route(hub)}", lambda: route(hub).get("received") == count)
    counts = until(
        "all accounted for",
        lambda: (
            (now := route(hub)).get("passed", 0) + now.get("dropped_queue", 0) + now.get("dropped_budget", 0) == count
            and now
        ),
    )
    hub.flush()
    until(
        f"{counts} = {heard} + {subscription.status()}",
        lambda: heard + subscription.status()["droppedMessages"] == counts["passed"],
    )
    # All of them at once would be more than this.
    assert bridge.peak_memory() - before < 16 << 20
