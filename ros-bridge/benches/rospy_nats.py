"""The bridge that one writes oneself: rospy, json and nats-py; ``rospy_nats.py TOPIC URL SUBJECT``."""

import asyncio
import json
import sys
import threading

import genpy
import nats
import rospy
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String

from contract import commands, leave, say

topic, url, subject = sys.argv[1:]


def plain(value):
    """A message of any type as what json takes; its arrays go as they are."""
    if isinstance(value, genpy.Message):
        return {name: plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, genpy.TVal):
        return {"secs": value.secs, "nsecs": value.nsecs}
    return value


def main():
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    client = asyncio.run_coroutine_threadsafe(nats.connect(url), loop).result()

    def heard(message):
        body = json.dumps(plain(message)).encode()
        asyncio.run_coroutine_threadsafe(client.publish(subject, body), loop)

    rospy.init_node("bridge", anonymous=True, disable_signals=True)
    kind = LaserScan if "scan" in topic else String
    rospy.Subscriber(topic, kind, heard, queue_size=None, buff_size=1 << 20, tcp_nodelay=True)
    say("ready")
    for _ in commands():
        say(None)
    leave()


main()
