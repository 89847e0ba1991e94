"""The demo's robot: rospy, says its battery's level and a heartbeat, and drives as it is told."""

import rospy
from geometry_msgs.msg import Twist
from std_msgs.msg import Float32, String
from std_srvs.srv import Trigger, TriggerRequest


def main():
    rospy.init_node("talker", disable_signals=True)
    battery = rospy.Publisher("/battery", Float32, queue_size=10)
    beat = rospy.Publisher("/beat", String, queue_size=10)
    rospy.Subscriber("/cmd_vel", Twist, lambda twist: say(f"drives at {twist.linear.x} m/s"))
    rospy.Subscriber("/speech", String, lambda text: say(f"says aloud: {text.data}"))
    level = 100.0
    asked = False
    rate = rospy.Rate(5)
    while not rospy.is_shutdown():
        level -= 0.5
        battery.publish(level)
        beat.publish(f"beat at {level}")
        if level < 95 and not asked:
            asked = ask()
        rate.sleep()


def ask():
    try:
        answer = rospy.ServiceProxy("/ask_operator", Trigger)(TriggerRequest())
    except rospy.ServiceException:
        # Nobody is there yet.
        return False
    say(f"asked the operator, who said: {answer.message}")
    return True


def say(text):
    print(text, flush=True)


main()
