"""The robot of the benches: a rospy node that publishes scans and strings, as told by lines of JSON.

Messages of a flow are serialised once, beforehand: what is measured is the way behind the publisher. Those whose
latency is measured are ordinary ones with a stamp.
"""

import io
import json
import math
import socket
import sys
import time

import rospy
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String

from contract import EACH, POINTS, TEXT_SIZE, now_ns, say

KINDS = {"scan": LaserScan, "text": String}
PATIENCE = 20.0
publishers = {}
acknowledged = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
acknowledged.bind(("127.0.0.1", 0))
acknowledged.settimeout(PATIENCE)


def scan(stamp):
    """Ranges in millimetres, as a scanner measures them, and as many intensities."""
    message = LaserScan()
    message.header.frame_id = "laser"
    message.header.stamp.secs, message.header.stamp.nsecs = divmod(stamp, 10**9)
    message.angle_min, message.angle_max = -1.57, 1.57
    message.angle_increment = 3.14 / POINTS
    message.range_min, message.range_max = 0.05, 30.0
    message.ranges = [round(5 + 4 * math.sin(i * 0.017453), 3) for i in range(POINTS)]
    message.intensities = [float(i % 256) for i in range(POINTS)]
    return message


def text(stamp):
    """A text that is its stamp."""
    return String(data=str(stamp).rjust(TEXT_SIZE, "0"))


MAKE = {"scan": scan, "text": text}


class Body:
    """What was serialised already."""

    def __init__(self):
        self.body = b""

    def serialize(self, buff):
        buff.write(self.body)


def ready(kind):
    """A message of the kind that serialises at once."""

    class Ready(Body, KINDS[kind]):
        def __init__(self, body):
            KINDS[kind].__init__(self)
            self.body = body

    buffer = io.BytesIO()
    MAKE[kind](now_ns()).serialize(buffer)
    return Ready(buffer.getvalue())


def advertise(topic, kind):
    publishers[topic] = (
        rospy.Publisher(topic, KINDS[kind], queue_size=None, tcp_nodelay=True),
        kind,
    )


def unadvertise(topic):
    publishers.pop(topic)[0].unregister()


def listeners(topic):
    return publishers[topic][0].get_num_connections()


def port():
    """Where subscribers acknowledge what they saw."""
    return acknowledged.getsockname()[1]


def flow(topic, seconds, window):
    """Publishes as fast as the subscriber allows: with at most `window` messages on the way."""
    publisher, kind = publishers[topic]
    message = ready(kind)
    sent = seen = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end or sent % EACH:
        while sent - seen >= window:
            seen = max(seen, int.from_bytes(acknowledged.recv(8), "big"))
        publisher.publish(message)
        sent += 1
    while seen < sent:
        seen = max(seen, int.from_bytes(acknowledged.recv(8), "big"))
    return sent


def forget():
    """Drops acknowledgements of a subscriber before."""
    acknowledged.setblocking(False)
    try:
        while True:
            acknowledged.recv(8)
    except BlockingIOError:
        acknowledged.settimeout(PATIENCE)


def paced(topics, count, gap):
    """`count` stamped messages on each topic in turn, `gap` seconds apart."""
    due = time.monotonic()
    for _ in range(count):
        for topic in topics:
            due += gap
            time.sleep(max(due - time.monotonic(), 0))
            publisher, kind = publishers[topic]
            message = MAKE[kind](0)
            stamp = now_ns()
            if kind == "scan":
                message.header.stamp.secs, message.header.stamp.nsecs = divmod(stamp, 10**9)
            else:
                message = text(stamp)
            publisher.publish(message)


def burst(topic, count):
    """As fast as it goes, without looking at who follows."""
    publisher, kind = publishers[topic]
    message = ready(kind)
    began = time.monotonic()
    for _ in range(count):
        publisher.publish(message)
    return count / (time.monotonic() - began)


def main():
    rospy.init_node("talker", disable_signals=True)
    say("ready")
    for line in sys.stdin:
        command = json.loads(line)
        name = command.pop("do")
        try:
            say(globals()[name](**command))
        except Exception as error:
            print(json.dumps({"failed": f"{type(error).__name__}: {error}"}), flush=True)


main()
