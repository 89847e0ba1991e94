"""Options of a hub, as types, and what is done to them before the core sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict

CallbackError = Callable[[Exception], object]


class Tls(TypedDict, total=False):
    """How a TLS connection is made. The server's name is always the one that was dialled."""

    ca_file: str
    cert_file: str
    key_file: str
    handshake_first: bool


class Selection(TypedDict, total=False):
    """When the hub moves to a better server: both thresholds passed, and not too often."""

    improvement_ms: float
    improvement_ratio: float
    cooldown: float


class Messaging(TypedDict, total=False):
    """Bounds of messages, per hub."""

    subscriptions: int
    requests: int
    pending_messages: int
    pending_bytes: int
    outbound_bytes: int
    payload_bytes: int
    header_bytes: int
    header_entries: int
    replies: int
    reply_bytes: int


class HubOptions(TypedDict, total=False):
    """Options of a hub; durations in seconds. The reference lists defaults and ranges."""

    servers: str | Sequence[str]
    node: Literal["auto"] | bool
    token: str | Callable[[], str]
    user: str | Callable[[], str]
    password: str | Callable[[], str]
    nkey: str | Callable[[], str]
    credentials: str | Callable[[], str]
    tls: Tls
    timeout: float
    peer_timeout: float
    health_interval: float
    probe_interval: float
    ping_interval: float
    ping_missed: int
    max_variables: int
    max_memory_bytes: int
    max_instances: int
    selection: Selection
    messaging: Messaging
    on_callback_error: CallbackError


def functions(options: Any) -> dict[str, Callable[[], object]]:
    """The options that are functions: the core asks for what they tell."""
    return {name: value for name, value in options.items() if callable(value)}
