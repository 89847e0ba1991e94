"""Runs the demo: starts the programs, prints what each says, ends when they have ended.

`make demo` builds what this needs and calls it. It exits 0 if every program did what it should.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
PATIENCE = 60


class Program:
    """A program of the demo, its lines printed under its name as they come."""

    def __init__(self, name, command):
        self.name = name
        self.lines = []
        self.news = threading.Condition()
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment()
        )
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line.rstrip("\n"))
                print(f"{self.name:<20} | {self.lines[-1]}\n", end="", flush=True)
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
        """Waits for the end, after sending a signal if one is given; gives what went wrong."""
        if number is not None:
            self.process.send_signal(number)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        code = self.process.returncode
        return [] if code == 0 else [f"{self.name} ended with {code}"]


def environment():
    # The demo is about the local node, whatever else this shell is set to.
    own = ("POSTHOUSE_SERVERS", "POSTHOUSE_TOKEN", "POSTHOUSE_CREDENTIALS")
    kept = {name: value for name, value in os.environ.items() if name not in own}
    return kept | {"PYTHONUNBUFFERED": "1"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--bin", type=pathlib.Path, required=True, help="where the Rust programs are"
    )
    parser.add_argument("--cpp", type=pathlib.Path, required=True, help="where the C++ program is")
    args = parser.parse_args()
    namespace = f"demo-{os.getpid()}"
    start = time.monotonic()

    print("Four programs and a shell on one node. -> is what one says, <- what one hears.\n")
    command = args.bin / "posthouse"
    thermostat = Program("thermostat (Rust)", [args.bin / "demo-thermostat", namespace])
    wanted = [(thermostat, "ready"), (thermostat, "request: 22"), (thermostat, "leaving in order")]
    failures = []
    if thermostat.wait_for("ready"):
        node = os.environ.get("POSTHOUSE_NODE", "node")
        window = Program("window (JavaScript)", [node, HERE / "node" / "window.mjs", namespace])
        heater = Program("heater (C++)", [args.cpp / "demo-heater", namespace])
        wanted += [(window, "state: open"), (window, "leaving in order")]
        wanted += [(heater, "state: on"), (heater, "state: off"), (heater, "leaving in order")]
        window.wait_for("ready")
        heater.wait_for("ready")
        shell = Program(
            "posthouse (shell)", [command, "watch", "--namespace", namespace, "thermostat"]
        )
        panel = Program("panel (Python)", [sys.executable, HERE / "python" / "panel.py", namespace])
        wanted += [
            (panel, "heater in C++, panel in Python, thermostat in Rust, window in JavaScript"),
            (shell, '"target":22'),
        ]
        failures += panel.end()
        shell.wait_for('"target":22')
        heater.wait_for("state: off")
        failures += shell.end(signal.SIGINT)
        bye = Program(
            "posthouse (shell)", [command, "pub", "--namespace", namespace, "demo.end", "true"]
        )
        failures += bye.end() + window.end() + heater.end()
    failures += thermostat.end()
    failures += [
        f"{program.name} never said {text!r}" for program, text in wanted if not program.said(text)
    ]
    took = time.monotonic() - start
    print()
    if failures:
        print("the demo failed:", "; ".join(failures))
        return 1
    print(
        "Rust, Python, JavaScript, C++ and a shell shared state, events and requests"
        f" in {took:.1f} s"
    )
    return 0


sys.exit(main())
