"""The tutorial's commands and files, cut from its page and run as they stand there."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

from parts import PACKAGE, Bed, Process, until

PAGE = PACKAGE.parent / "docs" / "ros-tutorial.md"
BLOCK = re.compile(r"<!-- (\w+) ?([\w. ]*?) -->\n```\w*\n(.*?)```", re.DOTALL)


def test_the_page_does_what_it_says(bare: Bed) -> None:
    blocks = BLOCK.findall(PAGE.read_text())
    assert len(blocks) > 20
    # What a reader has installed: the package in the home folder, the Python with posthouse first.
    home = bare.folder / "home"
    subprocess.run([PACKAGE.parent / "scripts" / "ros-package", home / "ros-packages", bare.binary], check=True)
    tools = bare.folder / "tools"
    tools.mkdir()
    (tools / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tools / "python").chmod(0o755)
    work = bare.folder / "work"
    work.mkdir()
    env = bare.env(
        HOME=str(home),
        PATH=f"{tools}:{os.environ['PATH']}",
        PWD=str(work),
        # Beside other programs on this machine: a node and a master of the test's own.
        POSTHOUSE_LOCAL_PORT=str(bare.node_port),
    )
    each = "".join(text for kind, rest, text in blocks if kind == "every")
    terminals: dict[str, Process] = {}
    for kind, name, text in blocks:
        match kind:
            case "setup" | "every":
                # Done above for the binary under test.
                pass
            case "file":
                (work / name).write_text(text)
            case "start" | "run":
                command = text.replace("roscore", f"roscore -p {bare.master_port}")
                terminal = Process(["bash", "-c", f"{each}exec {command}"], env, work)
                bare.started.append(terminal)
                terminals[name] = terminal
                if name == "master":
                    bare_master(bare)
                if "rostopic echo" in text:
                    topic = "/" + text.split("rostopic echo /")[1].split()[0].split("/")[0]
                    until(f"a listener of {topic}", lambda topic=topic: listens(bare, topic))
                if kind == "run":
                    assert terminal.process.wait(60) == 0, terminal.text()
                    # Its last lines.
                    terminal.reader.join(10)
            case "says":
                for line in text.splitlines():
                    terminals[name].wait_for(line)
            case other:
                raise AssertionError(f"the page has a block of the unknown kind {other}")
    # The end: the bridge leaves in order.
    bridge = terminals["bridge"]
    bridge.end(signal.SIGINT)
    assert "escalating" not in bridge.text()


def listens(bed: Bed, topic: str) -> bool:
    """Whether a rostopic is known to subscribe."""
    subscribers = dict(bed.proxy().getSystemState("/test")[2][1])
    return any("rostopic" in name for name in subscribers.get(topic, []))


def bare_master(bed: Bed) -> None:
    def answers() -> bool:
        try:
            return bool(bed.proxy().getPid("/test")[0] == 1)
        except OSError:
            return False

    until("the master", answers)


def test_every_block_of_commands_is_run() -> None:
    text = PAGE.read_text()
    fences = text.count("\n```") // 2
    assert fences == len(BLOCK.findall(text)), "a block of the page has no mark, so that nobody runs it"
