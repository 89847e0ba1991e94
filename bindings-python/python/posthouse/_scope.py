"""Which handler the current code runs for.

A drain that waits for a handler must not be called by that handler, nor by a task that the
handler waits for. A context variable knows both: tasks inherit it. It holds the scope of one
handler call, which ends with the call, so a task that outlives its handler may drain again.
"""

from __future__ import annotations

import contextvars
from typing import Final

from ._errors import PosthouseError


class Scope:
    """One call of a handler, or one batch of calls that never gave up the thread."""

    __slots__ = ("active", "hub", "subscription")

    def __init__(self, hub: object, subscription: object) -> None:
        self.hub = hub
        self.subscription = subscription
        self.active = True


current: Final[contextvars.ContextVar[Scope | None]] = contextvars.ContextVar(
    "posthouse_handler", default=None
)


def active() -> Scope | None:
    """The scope of the running handler that this code belongs to, if any."""
    scope = current.get()
    return scope if scope is not None and scope.active else None


def in_handler_of(*, hub: object = None, subscription: object = None) -> bool:
    """Whether this code belongs to a running handler of that hub or that subscription."""
    scope = active()
    if scope is None:
        return False
    return scope.hub is hub if hub is not None else scope.subscription is subscription


def drain_refused(what: str) -> PosthouseError:
    """The error of a drain that would wait for its own caller."""
    return PosthouseError(
        "DRAIN_IN_HANDLER",
        f"the drain of {what} was called by a handler that it would have to wait for: "
        "call it from outside, or start a task that the handler does not wait for",
    )
