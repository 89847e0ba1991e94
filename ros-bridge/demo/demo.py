"""Runs the ROS demo: master, bridge, a robot in rospy, programs in Python and JavaScript.

`make demo-ros` builds what this needs and calls it. It prints what each program says, ends by
itself, and exits 0 if every program did what it should.
"""

import argparse
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
PATIENCE = 60
NAMESPACE = "ros-demo"
QUIET = ("roscore",)


class Program:
    """A program of the demo, its lines printed under its name as they come."""

    def __init__(self, name, command, env):
        self.name = name
        self.lines = []
        self.news = threading.Condition()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=env,
            cwd=HERE,
        )
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line.rstrip("\n"))
                if self.name not in QUIET and line.strip():
                    print(f"{self.name:<18} | {self.lines[-1]}\n", end="", flush=True)
                self.news.notify_all()
        with self.news:
            self.news.notify_all()

    def wait_for(self, text):
        """Waits for a line with this text; whether it came."""
        with self.news:
            return self.news.wait_for(
                lambda: self.said(text) or not self.reader.is_alive(), PATIENCE
            ) and self.said(text)

    def said(self, text):
        return any(text in line for line in self.lines)

    def end(self, number=None):
        """Waits for the end, after sending a signal if one is given; gives the exit code."""
        if number is not None and self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        return self.process.returncode


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", required=True, help="the folder with the bridge's package")
    parser.add_argument("--python", required=True, help="the Python with the package posthouse")
    args = parser.parse_args()
    port = free_port()
    own = ("POSTHOUSE_SERVERS", "POSTHOUSE_TOKEN", "POSTHOUSE_CREDENTIALS")
    env = {name: value for name, value in os.environ.items() if name not in own}
    logs = pathlib.Path(args.packages).resolve() / "log"
    env |= {
        "ROS_MASTER_URI": f"http://127.0.0.1:{port}",
        "ROS_IP": "127.0.0.1",
        "ROS_HOME": str(logs),
        "ROS_LOG_DIR": str(logs),
        "ROS_PACKAGE_PATH": str(pathlib.Path(args.packages).resolve()),
        "PYTHONUNBUFFERED": "1",
        "PWD": str(HERE),
    }
    start = time.monotonic()
    wanted = []
    failures = []

    def run(name, command, *texts):
        program = Program(name, command, env)
        wanted.extend((program, text) for text in texts)
        return program

    node = os.environ.get("POSTHOUSE_NODE", "node")
    core = run("roscore", ["roscore", "-p", str(port)], "started core service")
    core.wait_for("started core service")
    bridge = run(
        "roslaunch",
        ["roslaunch", "--wait", "posthouse_bridge", "bridge.launch", "config:=demo.yaml"],
        "the hub is connected",
        "ends: SIGINT",
    )
    if bridge.wait_for("the hub is connected"):
        window = run(
            "window (Node)",
            [node, "window.mjs", NAMESPACE],
            "heard: beat at",
            "each as one event",
        )
        person = run(
            "person (Python)",
            [args.python, "person.py", NAMESPACE],
            "the battery is at",
            "answered",
        )
        talker = run(
            "talker (rospy)",
            ["/usr/bin/python3", "talker.py"],
            "drives at 0.5 m/s",
            "says aloud: 3 beats heard",
            "who said: go on",
        )
        for program in (person, window):
            code = program.end()
            if code != 0:
                failures.append(f"{program.name} ended with {code}")
        for text in ("drives at", "says aloud", "who said"):
            talker.wait_for(text)
        talker.end(signal.SIGTERM)
    bridge.end(signal.SIGINT)
    core.end(signal.SIGINT)
    failures += [f"{p.name} never said {text!r}" for p, text in wanted if not p.said(text)]
    print()
    if failures:
        print("the demo failed:", "; ".join(failures))
        return 1
    took = time.monotonic() - start
    print(f"rospy, Python and JavaScript shared state, events and requests in {took:.1f} s")
    return 0


sys.exit(main())
