"""Programs that share state, events and requests by name.

    async with Hub("workshop") as hub:
        lamp = hub.var("lamp")
        await lamp.set({"on": True})
        await lamp.handle(lambda wish: {"ok": True})
        print(await lamp.req({"on": False}))

This is the asyncio face; ``posthouse.sync`` has the same objects for scripts and notebooks.
"""

from __future__ import annotations

from . import _log, _process
from ._contexts import Context, HandleContext
from ._core import __version__
from ._errors import MessageError, PosthouseError
from ._generated import ErrorCode
from ._headers import Headers
from ._hub import Hub
from ._instances import Instances
from ._subscription import Subscription
from ._types import UNSET, Json, ManyResult, Meta, Reply, Unset, Version
from ._variable import Variable

__all__ = [
    "UNSET",
    "Context",
    "ErrorCode",
    "HandleContext",
    "Headers",
    "Hub",
    "Instances",
    "Json",
    "ManyResult",
    "MessageError",
    "Meta",
    "PosthouseError",
    "Reply",
    "Subscription",
    "Unset",
    "Variable",
    "Version",
    "__version__",
]

_log.configure()
del _log, _process
