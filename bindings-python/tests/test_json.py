"""The JSON edge against Python's own json module."""

from __future__ import annotations

import json
import math
import random
import struct
import threading
from collections import OrderedDict, defaultdict
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from posthouse import PosthouseError, _core

SAFE = 2**53 - 1
KEYS = [
    "a",
    "seq",
    "name",
    "x" * 48,
    "y" * 49,
    "é",
    "钥匙",
    "🔑",
    "",
    'quo"te',
    "back\\slash",
    "\n",
    "0",
    "12",
]


def there_and_back(value: Any) -> Any:
    return _core.json_load(_core.json_dump(value))


def text(rng: random.Random) -> str:
    alphabets = [
        "abc xyz",
        '"\\/\b\f\n\r\t',
        "\x00\x01\x1f\x7f\x80",
        "éß",
        "传感器",
        "😀🚀\U0010ffff",
        "\u2028\ufeff",
    ]
    return "".join(
        rng.choice(rng.choice(alphabets)) for _ in range(rng.choice([0, 1, 3, 7, 8, 9, 40]))
    )


def number(rng: random.Random) -> int | float:
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randrange(-10, 300)
    if kind == 1:
        return rng.randint(-SAFE, SAFE)
    if kind == 2:
        return rng.uniform(-1e6, 1e6)
    if kind == 3:
        return rng.choice(
            [0.1, 1e-7, 1.5e-300, 5e-324, 2.2250738585072014e-308, 123456789.125, -1 / 3]
        )
    while True:
        (value,) = struct.unpack("<d", rng.randbytes(8))
        if math.isfinite(value) and abs(value) <= SAFE:
            return float(value)


def document(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(8 if depth < 6 else 4)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return number(rng)
    if kind in (2, 3):
        return text(rng)
    if kind in (4, 5):
        return [document(rng, depth + 1) for _ in range(rng.randrange(6))]
    return {
        rng.choice(KEYS) if rng.random() < 0.7 else text(rng): document(rng, depth + 1)
        for _ in range(rng.randrange(8))
    }


def test_random_documents_survive_both_ways() -> None:
    rng = random.Random(20261130)
    for _ in range(3000):
        value = document(rng)
        ours = _core.json_dump(value)
        assert json.loads(ours) == value
        assert _core.json_load(ours) == value
        for form in (
            json.dumps(value),
            json.dumps(value, ensure_ascii=False),
            json.dumps(value, indent=rng.choice([0, 2, "\t"]), separators=(" , ", " : ")),
        ):
            assert _core.json_load(form.encode()) == json.loads(form)


def test_types_are_those_of_json() -> None:
    for source in [
        "1",
        "-1",
        "0",
        "1.5",
        "-0.0",
        "1e3",
        "1E-3",
        "true",
        "null",
        '""',
        "[]",
        "{}",
        "-0",
    ]:
        ours, theirs = _core.json_load(source.encode()), json.loads(source)
        assert ours == theirs
        assert type(ours) is type(theirs)
    assert math.copysign(1, _core.json_load(b"-0.0")) == -1


def test_doubles_are_read_bit_for_bit() -> None:
    rng = random.Random(7)
    texts = [repr(number(rng)) for _ in range(20_000)]
    texts += [
        "9007199254740991",
        "0.30000000000000004",
        "2.2250738585072011e-308",
        "5e-324",
        "1e-400",
        "0e999999",
    ]
    texts += [f"{rng.randrange(10**18)}e-{rng.randrange(5, 40)}" for _ in range(5000)]
    texts += [f"0.{rng.randrange(10**9):030d}{rng.randrange(10**20)}" for _ in range(2000)]
    for source in texts:
        ours = _core.json_load(source.encode())
        theirs = json.loads(source)
        assert struct.pack("<d", ours) == struct.pack("<d", theirs), source


def test_doubles_are_written_so_that_they_come_back() -> None:
    rng = random.Random(8)
    for _ in range(20_000):
        value = number(rng)
        assert struct.pack("<d", there_and_back(value)) == struct.pack("<d", value + 0.0)


def test_numbers_out_of_range_are_refused() -> None:
    assert there_and_back([SAFE, -SAFE]) == [SAFE, -SAFE]
    for value in [
        SAFE + 1,
        -SAFE - 1,
        2**63,
        -(2**64),
        10**30,
        1e16,
        1e300,
        math.inf,
        -math.inf,
        math.nan,
    ]:
        with pytest.raises(PosthouseError) as caught:
            _core.json_dump({"a": {"b": [0, 1, 2, value]}})
        assert caught.value.code == "INVALID_MESSAGE"
        assert "a.b[3]" in caught.value.message
    for source in [b"9007199254740992", b"1e16", b"1e999", b"-1e999"]:
        with pytest.raises(PosthouseError):
            _core.json_load(source)


class Celsius(float):
    """A float with a name."""


class Count(int):
    """An int with a name."""

    def __index__(self) -> int:
        raise AssertionError("the digits are enough")


class Name(str):
    """A str with a name."""


class Point(NamedTuple):
    x: int
    y: int


class Sorted(dict[str, Any]):
    def items(self) -> Any:
        return sorted(super().items())


def test_subclasses_of_the_json_types() -> None:
    assert json.loads(
        _core.json_dump([Celsius(1.5), Count(7), Name("n"), Point(1, 2), True, (3,)])
    ) == [
        1.5,
        7,
        "n",
        [1, 2],
        True,
        [3],
    ]
    ordered: OrderedDict[str, int] = OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    assert _core.json_dump(ordered) == b'{"b":2,"a":1}'
    assert _core.json_dump(Sorted(b=1, a=2)) == b'{"a":2,"b":1}'
    assert _core.json_dump(defaultdict(int, {Name("k"): 1})) == b'{"k":1}'


class Int64:
    """Looks like a number of another library."""

    def __index__(self) -> int:
        return 3

    def __float__(self) -> float:
        return 3.0


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        (Int64(), "Int64"),
        (Decimal(1), "decimal.Decimal"),
        (b"bytes", "bytes"),
        ({1, 2}, "set"),
        (object(), "object"),
        (complex(1), "complex"),
        (range(3), "range"),
        (Point, "type"),
    ],
)
def test_a_refusal_names_the_place_and_the_type(bad: Any, name: str) -> None:
    with pytest.raises(PosthouseError) as caught:
        _core.json_dump({"a": {"b": [0, (1, 2), [bad]]}})
    assert caught.value.code == "INVALID_MESSAGE"
    assert "a.b[2][0]" in caught.value.message
    assert name in caught.value.message


@pytest.mark.parametrize("key", [1, 1.5, None, True, (1,), b"k"])
def test_keys_must_be_strings(key: Any) -> None:
    with pytest.raises(PosthouseError) as caught:
        _core.json_dump({"outer": [{"fine": 1, key: 2}]})
    assert caught.value.code == "INVALID_MESSAGE"
    assert "outer[0]" in caught.value.message
    assert type(key).__name__ in caught.value.message


@pytest.mark.parametrize(
    "value", ["\ud800", "a\udfffb", ["ok", "\udc00"], {"k": "\ud83d"}, {"\ud83d": 1}]
)
def test_lone_surrogates_are_refused(value: Any) -> None:
    with pytest.raises(PosthouseError) as caught:
        _core.json_dump(value)
    assert caught.value.code == "INVALID_MESSAGE"
    with pytest.raises(PosthouseError):
        _core.json_load(json.dumps(value).encode())


def test_depth_and_cycles_end() -> None:
    deep: Any = 0
    for _ in range(32):
        deep = [deep]
    assert there_and_back(deep) == deep
    with pytest.raises(PosthouseError) as caught:
        _core.json_dump([deep])
    assert caught.value.limit == 32
    ring: list[Any] = []
    ring.append(ring)
    loop: dict[str, Any] = {}
    loop["loop"] = {"loop": loop}
    for cycle in (ring, loop):
        with pytest.raises(PosthouseError) as caught:
            _core.json_dump(cycle)
        assert caught.value.limit == 32


def test_size_and_number_of_parts_end() -> None:
    assert len(_core.json_dump("x" * 65_534)) == 65_536
    with pytest.raises(PosthouseError) as caught:
        _core.json_dump("x" * 65_535)
    assert (caught.value.code, caught.value.limit) == ("MESSAGE_TOO_LARGE", 65_536)
    with pytest.raises(PosthouseError) as caught:
        _core.json_dump("x" * 100_000_000)
    assert caught.value.code == "MESSAGE_TOO_LARGE"
    assert len(there_and_back([0] * 19_999)) == 19_999
    with pytest.raises(PosthouseError) as caught:
        _core.json_dump([0] * 20_000)
    assert (caught.value.code, caught.value.limit) == ("INVALID_MESSAGE", 20_000)


class Meddler(dict[str, Any]):
    """Empties and refills its surroundings while it is written."""

    def __init__(self, victims: list[Any]) -> None:
        super().__init__(x=1)
        self.victims = victims

    def items(self) -> Any:
        for victim in self.victims:
            if isinstance(victim, dict):
                victim.clear()
                victim.update({str(n): [n] for n in range(100)})
            else:
                victim.clear()
        return super().items()


def test_surroundings_that_change_during_the_walk() -> None:
    for _ in range(50):
        inner: dict[str, Any] = {}
        row: list[Any] = [inner, {"z": [1, 2, 3]}]
        outer: dict[str, Any] = {"row": row, "more": {"a": 1}}
        inner.update(one=1, meddler=Meddler([row, inner, outer]), two=2, three=[3])
        assert isinstance(json.loads(_core.json_dump(outer)), dict)


class Growing(dict[str, Any]):
    def __init__(self, host: list[Any]) -> None:
        super().__init__()
        self.host = host

    def items(self) -> Any:
        self.host.append(Growing(self.host))
        return super().items()


def test_a_list_that_grows_while_it_is_written_ends_at_the_limit() -> None:
    host: list[Any] = []
    host.append(Growing(host))
    with pytest.raises(PosthouseError) as caught:
        _core.json_dump(host)
    assert caught.value.limit == 20_000


class Failing(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("no items today")


class Odd(dict[str, Any]):
    def items(self) -> Any:
        return [1, 2]


def test_items_that_fail() -> None:
    for bad in (Failing(), Odd()):
        with pytest.raises(PosthouseError) as caught:
            _core.json_dump({"a": bad})
        assert caught.value.code == "INVALID_MESSAGE"
        assert type(bad).__name__ in caught.value.message


def test_the_last_of_equal_keys_wins() -> None:
    assert _core.json_load(b'{"a":1,"b":2,"a":{"c":3,"c":4}}') == {"a": {"c": 4}, "b": 2}
    assert _core.json_load(rb'{"a":1,"\u0061":2}') == {"a": 2}


def test_keys_are_shared_between_documents() -> None:
    first, second = (_core.json_load(b'{"temperature":1}') for _ in range(2))
    assert next(iter(first)) is next(iter(second))


def test_many_different_keys_do_not_mix_up() -> None:
    rng = random.Random(3)
    for _ in range(200):
        value = {f"{rng.randrange(10**6)}{'k' * rng.randrange(50)}": n for n in range(50)}
        assert there_and_back(value) == value


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b" ",
        b"{",
        b"[1,]",
        b'{"a":}',
        b"01",
        b"1.",
        b".5",
        b"+1",
        b"tru",
        b"NaN",
        b"Infinity",
        b"'a'",
        b"[1] 2",
        b'"\x01"',
        b'"\\x"',
        b'"\\u12"',
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b"{1:2}",
        b"\xef\xbb\xbf1",
        b'"a',
    ],
)
def test_what_is_not_json_is_refused(source: bytes) -> None:
    with pytest.raises(PosthouseError) as caught:
        _core.json_load(source)
    assert caught.value.code == "INVALID_MESSAGE"


def test_broken_documents_never_crash() -> None:
    rng = random.Random(11)
    for _ in range(4000):
        source = bytearray(json.dumps(document(rng), ensure_ascii=False).encode())
        for _ in range(rng.randrange(1, 4)):
            if source:
                source[rng.randrange(len(source))] = rng.randrange(256)
        try:
            ours = _core.json_load(bytes(source))
        except PosthouseError:
            continue
        assert ours == json.loads(source)


def test_several_threads_share_the_key_table() -> None:
    value = {f"key{n}": {f"key{n + m}": m for m in range(20)} for n in range(40)}
    source = _core.json_dump(value)
    wrong: list[Any] = []

    def work() -> None:
        wrong.extend(1 for _ in range(300) if _core.json_load(source) != value)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
