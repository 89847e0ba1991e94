"""Which handler the current code runs for.

A drain that waits for a handler must not be called by that handler, nor by a task that the
handler waits for. A context variable knows both: tasks inherit it. It holds the scope of one
handler call, which ends with the call, so a task that outlives its handler may drain again.
"""

from __future__ import annotations

import contextvars
from typing import Final

from ._errors import PosthouseError


class Handling:
    """The calls of a subscription's handler, numbered; a scope names one of them."""

    __slots__ = ("hub", "running", "subscription")

    def __init__(self, hub: object, subscription: object) -> None:
        self.hub = hub
        self.subscription = subscription
        self.running = 0
        """The number of the call that runs, or of the batch that never gave up the thread."""

    def enter(self) -> None:
        """Another call begins, in the running context."""
        self.running = number = self.running + 1
        current.set((self, number))

    def leave(self) -> None:
        """No call runs."""
        self.running += 1


current: Final[contextvars.ContextVar[tuple[Handling, int] | None]] = contextvars.ContextVar(
    "posthouse_handler", default=None
)


def in_handler_of(*, hub: object = None, subscription: object = None) -> bool:
    """Whether this code belongs to a running handler of that hub or that subscription."""
    scope = current.get()
    if scope is None:
        return False
    handling, number = scope
    if handling.running != number:
        return False
    return handling.hub is hub if hub is not None else handling.subscription is subscription


def drain_refused(what: str) -> PosthouseError:
    """The error of a drain that would wait for its own caller."""
    return PosthouseError(
        "DRAIN_IN_HANDLER",
        f"the drain of {what} was called by a handler that it would have to wait for: "
        "call it from outside, or start a task that the handler does not wait for",
    )
