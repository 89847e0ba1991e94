"""The JSON Schema against an independent validator: what it refuses the bridge refuses, and no example is refused."""

from __future__ import annotations

import copy
import itertools
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from parts import PACKAGE, SYSTEM_PYTHON, Bed

SCHEMA = PACKAGE / "config" / "posthouse_bridge.schema.json"
DOCS = PACKAGE.parent / "docs"
HUB = "hub: {namespace: workshop}\n"
OUT = "direction: ros_to_hub, topic: /a, channel: a"
IN = "direction: hub_to_ros, topic: /a, channel: a, type: std_msgs/String"

numbers = itertools.count()
Validate = Callable[[str], dict[str, Any]]


@pytest.fixture
def validate() -> Iterator[Validate]:
    """What the validator says of a document."""
    command = [SYSTEM_PYTHON, str(PACKAGE / "tests" / "peers" / "validate.py"), str(SCHEMA)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout

        def ask(text: str) -> dict[str, Any]:
            assert process.stdin
            assert process.stdout
            process.stdin.write(json.dumps(text) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            assert line, "the validator has ended; scripts/setup ros installs it"
            return json.loads(line)

        yield ask


def check(bed: Bed, text: str) -> tuple[int, str]:
    """What the bridge says: 0, 1 for what it looked up in vain, 2 for a wrong file."""
    path = bed.folder / f"{next(numbers)}.yaml"
    path.write_text(text)
    env = bed.env(ROBOT_PASSWORD="x")
    ran = subprocess.run([bed.binary, "--check", path], env=env, capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout + ran.stderr


def examples() -> list[tuple[str, str]]:
    """Every configuration of this repository, those on its pages, too."""
    files = [*sorted((PACKAGE / "config").glob("*.yaml")), PACKAGE / "demo" / "demo.yaml"]
    found = [(path.name, path.read_text()) for path in files]
    for page in ["ros.md", "ros-tutorial.md"]:
        blocks = re.findall(r"```yaml\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
        found += [(f"{page} {number}", text) for number, text in enumerate(blocks)]
    return found


def test_every_example_is_valid(bare: Bed, validate: Validate) -> None:
    found = examples()
    assert len(found) >= 5, found
    for name, text in found:
        assert validate(text)["wrong"] == [], name
        code, said = check(bare, text)
        assert code == 0, f"{name}: {said}"


@pytest.mark.parametrize(
    "text",
    [
        # Keys that are not there, anywhere.
        HUB + "topic: []",
        "hub: {namespace: a, server: x}",
        "hub: {namespace: a, tls: {ca: x}}",
        HUB + "topics: [{topic: /a, maxhz: 1}]",
        HUB + "controls: [{variable: a, topic: /a, type: std_msgs/String, guard: false}]",
        HUB + f"events: [{{{OUT}, size: 3}}]",
        HUB + "services: [{direction: hub_to_ros, service: /s, channel: s, retries: 1}]",
        HUB + "defaults: {max_hz: 3}",
        # What is required.
        "topics: []",
        "hub: {}",
        HUB + "topics: [{variable: a}]",
        HUB + "controls: [{variable: a, topic: /a}]",
        HUB + "events: [{topic: /a, channel: a}]",
        HUB + "services: [{direction: hub_to_ros, service: /s}]",
        # Other kinds of values.
        HUB + "topics: {topic: /a}",
        HUB + "topics: [/a]",
        HUB + "topics: [{topic: [/a]}]",
        HUB + "topics: [{topic: /a, max_hz: fast}]",
        HUB + "topics: [{topic: /a, max_hz: 0}]",
        HUB + "topics: [{topic: /a, max_hz: 10001}]",
        HUB + "topics: [{topic: /a, max_bytes: 0.5}]",
        HUB + "topics: [{topic: /a, max_bytes: 0}]",
        HUB + "topics: [{topic: /a, max_bytes: 67108865}]",
        HUB + "topics: [{topic: /a, type: LaserScan}]",
        HUB + "controls: [{variable: a, topic: /a, type: std_msgs/String, latch: 1}]",
        HUB + f"events: [{{{OUT}, queue_size: 0}}]",
        HUB + f"events: [{{{OUT}, headers: [a]}}]",
        HUB + "services: [{direction: hub_to_ros, service: /s, channel: s, concurrency: 65}]",
        HUB + "services: [{direction: hub_to_ros, service: /s, channel: s, timeout: -1}]",
        "hub: {namespace: [a]}",
        "hub: {namespace: a, node: maybe}",
        HUB + "status_variable: []",
        # Words that are no choice.
        HUB + "defaults: {bytes: hex}",
        HUB + "defaults: {non_finite: zero}",
        HUB + "defaults: {int64: float}",
        HUB + "events: [{direction: both, topic: /a, channel: a}]",
        # Keys of the other direction.
        HUB + f"events: [{{{OUT}, latch: true}}]",
        HUB + f"events: [{{{OUT}, queue: q}}]",
        HUB + f"events: [{{{IN}, headers: {{a: b}}}}]",
        HUB + "services: [{direction: ros_to_hub, service: /s, channel: s, type: std_srvs/Empty, queue: q}]",
    ],
)
def test_what_is_wrong_is_refused_by_both(bare: Bed, validate: Validate, text: str) -> None:
    assert validate(text)["wrong"]
    code, said = check(bare, text)
    assert code == 2, said


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to everything in a document."""
    if path:
        yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def changed(tree: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> str:
    """The document with one place changed; JSON is YAML."""
    other = copy.deepcopy(tree)
    parent = other
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return json.dumps(other)


def replaced(value: Any) -> Callable[[Any, Any], None]:
    return lambda parent, key: parent.__setitem__(key, value)


def removed(parent: Any, key: Any) -> None:
    del parent[key]


def variants(tree: Any) -> Iterator[tuple[str, str]]:
    """The document with each value replaced by others, taken out, or joined by a key; and the same with quotes."""
    values = ["", "no such thing", 0, -1.5, 1 << 40, True, None, [], {}, ["x"], {"x": "1"}]
    for path in places(tree):
        text = changed(tree, path, removed)
        yield text, text
        for value in values:
            quoted = json.dumps(value) if isinstance(value, (int, float)) or value is None else value
            yield changed(tree, path, replaced(value)), changed(tree, path, replaced(quoted))
        if isinstance(path[-1], str):
            text = changed(tree, path, lambda parent, _: parent.__setitem__("no_such_key", []))
            yield text, text


def test_what_the_schema_refuses_the_bridge_refuses(bare: Bed, validate: Validate) -> None:
    """But for the quotes of a text like 5, which the bridge does not need."""
    tree = validate((PACKAGE / "config" / "everything.yaml").read_text())["read"]
    refused = [both for both in variants(tree) if validate(both[0])["wrong"]]
    assert len(refused) > 500
    with ThreadPoolExecutor(4) as pool:
        checked = list(pool.map(lambda both: check(bare, both[0]), refused))
    accepted = [
        (validate(text)["wrong"], said, text)
        for (text, quoted), (code, said) in zip(refused, checked, strict=True)
        if code != 2 and validate(quoted)["wrong"]
    ]
    assert not accepted, "\n".join(f"{wrong}: {said}{text}" for wrong, said, text in accepted)


def test_the_validator_reads_what_editors_read(validate: Validate) -> None:
    """YAML's own words for truth and nothing, which a schema sees without their quotes."""
    for text in ["non_finite: null", 'non_finite: "null"', "non_finite: ~"]:
        assert validate(HUB + f"defaults: {{{text}}}")["wrong"] == [], text
    assert Path(SCHEMA).stat().st_size > 1000
