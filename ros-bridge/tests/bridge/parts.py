"""The parts of a robot that the tests start and stop: master, broker, bridge, programs.

Everything is real: roscore, nats-server, roslaunch, rospy. Every wait is for an event and ends with a generous
deadline.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import threading
import time
import xmlrpc.client
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1]
PATIENCE = 60.0
SYSTEM_PYTHON = "/usr/bin/python3"


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, all different."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def until(what: str, check: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """Waits until something holds, and gives it."""
    deadline = time.monotonic() + patience
    while True:
        found = check()
        if found:
            return found
        assert time.monotonic() < deadline, f"in vain: {what}"
        time.sleep(0.02)


class Process:
    """A process with its output in lines."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: Path) -> None:
        self.lines: list[str] = []
        self.news = threading.Condition()
        self.process = subprocess.Popen(
            command,
            env=env,
            cwd=cwd,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.heard(line.rstrip("\n"))
        self.closed()
        with self.news:
            self.news.notify_all()

    def closed(self) -> None:
        """Nothing more will be said."""

    def heard(self, line: str) -> None:
        with self.news:
            self.lines.append(line)
            self.news.notify_all()

    def wait_for(self, text: str, after: int = 0, patience: float = PATIENCE) -> str:
        """Waits for a line with this text among those from `after` on."""

        def found() -> str | None:
            return next((line for line in self.lines[after:] if text in line), None)

        with self.news:
            self.news.wait_for(lambda: found() or not self.reader.is_alive(), patience)
            line = found()
        assert line is not None, f"{text!r} was not said:\n" + self.text()
        return line

    def text(self) -> str:
        with self.news:
            return "\n".join(self.lines)

    def end(self, number: int = signal.SIGINT, patience: float = PATIENCE) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"it did not end after signal {number}:\n{self.text()}") from None

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def peak_memory(self) -> int:
        """The most that it ever had in memory, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) << 10


class Robot(Process):
    """A program that is told what to do, mostly rospy; see robot.py."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: Path) -> None:
        self.answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.told: list[dict[str, Any]] = []
        super().__init__(command, env, cwd)
        self.answer()

    def heard(self, line: str) -> None:
        try:
            told = json.loads(line)
        except ValueError:
            told = None
        if isinstance(told, dict) and ("done" in told or "failed" in told):
            self.answers.put(told)
        elif isinstance(told, dict):
            with self.news:
                self.told.append(told)
        super().heard(line)

    def closed(self) -> None:
        self.answers.put(None)

    def send(self, do: str, **arguments: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        try:
            answer = self.answers.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError(f"the program said nothing:\n{self.text()}") from None
        assert answer is not None, f"the program has ended:\n{self.text()}"
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer["done"]

    def do(self, do: str, **arguments: Any) -> Any:
        self.send(do, **arguments)
        return self.answer()

    def leave(self) -> None:
        """Tells it to end by closing its input."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(PATIENCE)

    def messages(self, topic: str) -> list[Any]:
        with self.news:
            return [told["message"] for told in self.told if told.get("topic") == topic]

    def wait_message(self, topic: str, wanted: Callable[[Any], bool] = lambda _: True) -> Any:
        return until(
            f"a message on {topic}: {self.messages(topic)}",
            lambda: next(([m] for m in self.messages(topic) if wanted(m)), None),
        )[0]

    def requests(self, service: str) -> list[Any]:
        with self.news:
            return [told["request"] for told in self.told if told.get("service") == service]

    def publish_to(self, topic: str, message: Any) -> None:
        """Publishes once somebody listens."""
        until(f"a subscriber of {topic}", lambda: self.do("listeners", topic=topic))
        self.do("publish", topic=topic, message=message)


class Bed:
    """A place to run a robot in: ports, folders, and everything that was started."""

    def __init__(self, folder: Path, binary: Path) -> None:
        self.folder = folder
        self.binary = binary
        self.master_port, self.broker_port, self.node_port = free_ports(3)
        self.started: list[Process] = []
        self.master: Process | None = None
        self.broker: Process | None = None
        self.namespace = f"robot-{folder.name}-{os.getpid()}"

    # What every process gets.

    @property
    def master_uri(self) -> str:
        return f"http://127.0.0.1:{self.master_port}"

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.broker_port}"

    def env(self, **more: str) -> dict[str, str]:
        env = {key: value for key, value in os.environ.items() if not key.startswith("POSTHOUSE_S")}
        env.update(
            ROS_MASTER_URI=self.master_uri,
            ROS_IP="127.0.0.1",
            ROS_HOME=str(self.folder / "ros"),
            ROS_LOG_DIR=str(self.folder / "ros" / "log"),
            PYTHONUNBUFFERED="1",
            PWD=str(self.folder),
        )
        env.update(more)
        return env

    def start(self, command: list[str], **env: str) -> Process:
        process = Process(command, self.env(**env), self.folder)
        self.started.append(process)
        return process

    # The parts.

    def start_master(self) -> None:
        self.master = self.start(["roscore", "-p", str(self.master_port)])
        proxy = xmlrpc.client.ServerProxy(self.master_uri)

        def answers() -> bool:
            try:
                return "/rosout" in dict(proxy.getSystemState("/test")[2][1])
            except OSError:
                return False

        # Until both are so, roscore and its rosout do not end by SIGINT, and are waited for in vain.
        self.master.wait_for("started core service")
        until("the subscription of rosout", answers)

    def stop_master(self) -> None:
        assert self.master
        self.master.end()

    def start_broker(self) -> None:
        server = os.environ.get("POSTHOUSE_NATS_SERVER") or shutil.which(
            "nats-server", path=os.environ["PATH"] + ":/usr/sbin"
        )
        assert server, "there is no nats-server: scripts/setup servers"
        self.broker = self.start([server, "-a", "127.0.0.1", "-p", str(self.broker_port)])
        self.broker.wait_for("Server is ready")

    def stop_broker(self) -> None:
        assert self.broker
        self.broker.end(signal.SIGKILL)

    def config(self, text: str, name: str = "robot.yaml", hub: str = "") -> Path:
        """Writes a configuration; the hub's section is the test's own."""
        path = self.folder / name
        head = f"hub: {{namespace: {self.namespace}, servers: '{self.url}'{hub}}}\n"
        path.write_text(head + text)
        return path

    def start_bridge(self, config: Path, *arguments: str, **env: str) -> Process:
        command = [str(self.binary), f"config:={config}", *arguments]
        bridge = self.start(command, **env)
        bridge.wait_for("routes into the namespace")
        return bridge

    def start_robot(self, name: str = "robot", **env: str) -> Robot:
        return self.start_told([SYSTEM_PYTHON, str(HERE / "robot.py"), name], **env)

    def start_told(self, command: list[str], **env: str) -> Robot:
        robot = Robot(command, self.env(**env), self.folder)
        self.started.append(robot)
        return robot

    def proxy(self) -> xmlrpc.client.ServerProxy:
        return xmlrpc.client.ServerProxy(self.master_uri)

    def end(self) -> None:
        """Ends programs first: they take leave of the master, and wait for one that is gone."""
        services = [self.master, self.broker]
        self._end([process for process in reversed(self.started) if process not in services])
        self._end([process for process in services if process])

    def _end(self, processes: list[Process]) -> None:
        for process in processes:
            if process.alive:
                process.process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + 10
        for process in processes:
            try:
                process.process.wait(max(deadline - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                process.process.kill()
                process.process.wait()
