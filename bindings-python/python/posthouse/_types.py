"""The small types that both faces share."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypedDict

from ._headers import Headers

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""What can be sent: finite numbers, whole ones within ±(2**53 - 1); string keys only."""


class Unset(enum.Enum):
    """The type of ``UNSET``."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> Literal[False]:
        return False


UNSET: Final = Unset.UNSET
"""The absence of a value, which ``None`` cannot say because ``None`` is a value."""


NOTHING: Final = object()
"""Within the package: there is no news. Not `UNSET`, which is news: that there is no value."""


class Version(TypedDict):
    """Which write a value comes from. Counters can pass 64 bits, hence the decimal text."""

    counter: str
    writer: str


class Meta(TypedDict):
    """What is known about a variable besides its value."""

    initialized: bool
    """Whether the hub has a record, or has given its peers the time to send one."""
    exists: bool | None
    """Whether there is a value; ``None`` while unknown."""
    version: Version | None
    pending: bool
    """Whether a write of this hub still waits for the broker's confirmation."""
    connected: bool


class Reply(NamedTuple):
    """One answer, as ``details=True`` gives it."""

    data: Any
    headers: Headers


class ManyResult(NamedTuple):
    """What ``request_many(..., details=True)`` collected, and why it stopped."""

    replies: list[Reply]
    reason: Literal["deadline", "maxReplies"]


HeadersInput: TypeAlias = "Mapping[str, str | Sequence[str]] | Headers"
"""Headers to send: a key with one string or several."""
