"""What the Python programs of the ROS benches share: commands, stamps, receipts.

A program reads lines of JSON, ``{"do": …}``, and answers each with ``{"done": …}``; the first line that it
prints is ``{"done": "ready"}``. It runs with either Python, so that rospy's can use it, too.
"""

import json
import os
import resource
import socket
import sys
import time

TEXT_SIZE = 100
"""How long the text of a String is."""
POINTS = 1000
WARM = 100
"""The first messages, which are not measured."""
EACH = 8
"""How many messages are acknowledged at once."""


def say(done):
    """Answers a command."""
    print(json.dumps({"done": done}), flush=True)


def now_ns():
    """The clock of all stamps: the same in every process of this machine."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def stamp_ns(data):
    """When the message was published, from what a program on the hub sees of it."""
    if "header" in data:
        stamp = data["header"]["stamp"]
        return stamp["secs"] * 10**9 + stamp["nsecs"]
    return int(data["data"])


def quantile(numbers, part):
    """The value below which that part of them lies."""
    ordered = sorted(numbers)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]


class Receipt:
    """What a subscriber saw: how many, how fast, how late."""

    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.talker = ("127.0.0.1", port)
        self.count = 0
        self.points = 0
        self.began = self.last = 0.0
        self.took = []

    def take(self, data):
        """One message, parsed."""
        self.seen(stamp_ns(data), len(data.get("ranges", ())))

    def seen(self, stamp, points):
        """One message, by what is measured of it. Acknowledges some, so that the talker knows how far this is."""
        self.count += 1
        self.points += points
        self.took.append(now_ns() - stamp)
        self.last = time.monotonic()
        if self.count == WARM:
            self.began = self.last
        if self.count % EACH == 0:
            self.socket.sendto(self.count.to_bytes(8, "big"), self.talker)

    def report(self, **more):
        """Everything since the start."""
        took = self.took[WARM:] or [0]
        span = self.last - self.began
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "count": self.count,
            "points": self.points,
            "per_s": (self.count - WARM) / span if self.began and span else 0.0,
            "p50_us": quantile(took, 0.5) / 1e3,
            "p99_us": quantile(took, 0.99) / 1e3,
            "cpu_s": usage.ru_utime + usage.ru_stime,
            **more,
        }


def commands():
    """The names of the commands as they come, until the input ends."""
    for line in sys.stdin:
        yield json.loads(line)["do"]


def leave():
    """Ends without waiting for what a client would still wait for."""
    sys.stdout.flush()
    os._exit(0)
