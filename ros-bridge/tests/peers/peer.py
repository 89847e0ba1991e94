#!/usr/bin/env python3
"""A rospy node that does as it is told: reads a JSON object a line, answers with one.

Messages travel as base64 of their bytes."""

import base64
import io
import json
import queue
import sys
import threading
import time
import warnings

import roslib.message
import rospy

# A queue of its own would lose messages; without one they are sent as they are published.
warnings.simplefilter("ignore", SyntaxWarning)

publishers = {}
received = {}
subscribers = {}
services = {}
calls = queue.Queue()
SECONDS = 60


def message_class(kind):
    return roslib.message.get_message_class(kind) or missing(kind)


def missing(kind):
    raise ValueError("no class for " + kind)


def encoded(message):
    out = io.BytesIO()
    message.serialize(out)
    return base64.b64encode(out.getvalue()).decode()


def decoded(cls, text):
    return cls().deserialize(base64.b64decode(text))


def wait(what, condition):
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.005)


def advertise(topic, kind, latch=False):
    cls = message_class(kind)
    publishers[topic] = (rospy.Publisher(topic, cls, latch=latch, queue_size=None), cls)


def unadvertise(topic):
    publishers.pop(topic)[0].unregister()


def connected(topic, count=1):
    wait("connections", lambda: publishers[topic][0].get_num_connections() >= count)


def send(topic, bodies):
    publisher, cls = publishers[topic]
    for body in bodies:
        publisher.publish(decoded(cls, body))


def burst(topic, count):
    publisher, cls = publishers[topic]
    for number in range(count):
        publisher.publish(cls(data=str(number)))


def subscribe(topic, kind):
    received[topic] = queue.Queue()
    cls = rospy.AnyMsg if kind == "*" else message_class(kind)
    subscribers[topic] = rospy.Subscriber(topic, cls, lambda message: received[topic].put(message))


def unsubscribe(topic):
    subscribers.pop(topic).unregister()


def take(topic, count):
    out = []
    for _ in range(count):
        message = received[topic].get(timeout=SECONDS)
        body = message._buff if isinstance(message, rospy.AnyMsg) else None
        out.append(base64.b64encode(body).decode() if body is not None else encoded(message))
    return out


def header(topic):
    """The connection header of the next message."""
    return received[topic].get(timeout=SECONDS)._connection_header


def serve(service, kind, mode):
    cls = roslib.message.get_service_class(kind)

    def handle(request):
        calls.put(encoded(request))
        if mode == "fail":
            raise ValueError("this service always fails")
        if mode == "hang":
            threading.Event().wait(SECONDS)
        if kind == "std_srvs/SetBool":
            return cls._response_class(success=request.data, message=f"said {request.data}")
        return cls._response_class()

    services[service] = rospy.Service(service, cls, handle)


def unserve(service):
    services.pop(service).shutdown("told to")


def call(service, kind, request, persistent=False, times=1):
    cls = roslib.message.get_service_class(kind)
    rospy.wait_for_service(service, timeout=SECONDS)
    proxy = rospy.ServiceProxy(service, cls, persistent=persistent)
    return [encoded(proxy(decoded(cls._request_class, request))) for _ in range(times)]


def param(name):
    return rospy.get_param(name, None)


def set_param(name, value):
    rospy.set_param(name, value)


def now():
    stamp = rospy.get_rostime()
    return [stamp.secs, stamp.nsecs]


def main():
    name = sys.argv[1]
    # A master that comes later is waited for in here.
    rospy.init_node(name, disable_signals=True)
    for line in sys.stdin:
        request = json.loads(line)
        do = request.pop("do")
        try:
            if do not in COMMANDS:
                raise ValueError(do)
            result = {"ok": COMMANDS[do](**request)}
        except Exception as error:  # the other side shows it
            result = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(result), flush=True)


COMMANDS = {
    f.__name__: f
    for f in (
        advertise,
        unadvertise,
        connected,
        send,
        burst,
        subscribe,
        unsubscribe,
        take,
        header,
        serve,
        unserve,
        call,
        param,
        set_param,
        now,
    )
}
main()
