"""A robot's program for the tests: rospy, told what to do by lines of JSON on its input.

It runs with the system's Python, where ROS is. Each line is one command, answered by one line
``{"done": …}`` or ``{"failed": …}``; what arrives in between is told as ``{"topic": …, "message": …}`` and
``{"service": …, "request": …}``.
"""

import base64
import json
import sys
import threading
import time

import genpy
import roslib.message
import rospy

lock = threading.Lock()
publishers = {}
subscribers = {}
services = {}


def tell(**line):
    with lock:
        print(json.dumps(line), flush=True)


def plain(value):
    """A message as JSON; bytes as base64."""
    if isinstance(value, genpy.Message):
        return {name: plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, (genpy.Time, genpy.Duration)):
        return {"secs": value.secs, "nsecs": value.nsecs}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def fill(message, values):
    genpy.message.fill_message_args(message, [values])
    return message


def advertise(topic, type, latch=False, queue=1000):
    kind = roslib.message.get_message_class(type)
    publishers[topic] = (rospy.Publisher(topic, kind, queue_size=queue, latch=latch), kind)


def publish(topic, message):
    publisher, kind = publishers[topic]
    publisher.publish(fill(kind(), message))


def burst(topic, count, size=0):
    """Numbered strings as fast as they go."""
    publisher, kind = publishers[topic]
    for number in range(count):
        publisher.publish(kind(data=f"{number}".ljust(size)))


def listeners(topic):
    return publishers[topic][0].get_num_connections()


def unadvertise(topic):
    publishers.pop(topic)[0].unregister()


def subscribe(topic, type=None, count_only=False):
    kind = roslib.message.get_message_class(type) if type else rospy.AnyMsg

    def heard(message):
        if count_only:
            subscribers[topic][1] += 1
        else:
            tell(topic=topic, message=plain(message))

    subscribers[topic] = [None, 0]
    subscribers[topic][0] = rospy.Subscriber(topic, kind, heard, queue_size=None)


def heard(topic):
    return subscribers[topic][1]


def serve(service, type, answer=None, fails=False, wait=0):
    kind = roslib.message.get_service_class(type)

    def called(request):
        tell(service=service, request=plain(request))
        time.sleep(wait)
        if fails:
            raise rospy.ServiceException("the test wants it to fail")
        return fill(kind._response_class(), answer or {})

    services[service] = rospy.Service(service, kind, called)


def unserve(service):
    services.pop(service).shutdown("the test says so")


def call(service, type, request=None, wait=10):
    kind = roslib.message.get_service_class(type)
    rospy.wait_for_service(service, timeout=wait)
    return plain(rospy.ServiceProxy(service, kind)(fill(kind._request_class(), request or {})))


def main():
    rospy.init_node(sys.argv[1], disable_signals=True)
    tell(done="ready")
    for line in sys.stdin:
        command = json.loads(line)
        name = command.pop("do")

        def run(name=name, command=command):
            try:
                tell(done=globals()[name](**command))
            except Exception as error:
                tell(failed=f"{type(error).__name__}: {error}")

        # Calls wait, and the tests go on meanwhile.
        if name == "call":
            threading.Thread(target=run, daemon=True).start()
        else:
            run()


main()
