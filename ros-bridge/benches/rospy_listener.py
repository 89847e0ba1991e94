"""A rospy subscriber: ``rospy_listener.py TOPIC PORT``. What any way through a bridge is compared with."""

import sys

import rospy
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String

from contract import Receipt, commands, leave, say

topic, port = sys.argv[1], int(sys.argv[2])
receipt = Receipt(port)


def scanned(message):
    stamp = message.header.stamp
    receipt.seen(stamp.secs * 10**9 + stamp.nsecs, len(message.ranges))


def heard(message):
    receipt.seen(int(message.data), 0)


rospy.init_node("listener", anonymous=True, disable_signals=True)
kind, callback = (LaserScan, scanned) if "scan" in topic else (String, heard)
rospy.Subscriber(topic, kind, callback, queue_size=None, tcp_nodelay=True)
say("ready")
for _ in commands():
    say(receipt.report())
leave()
