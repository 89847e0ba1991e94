"""The blocking face of Posthouse, for scripts and notebooks.

    from posthouse.sync import Hub

    with Hub("workshop") as hub:
        lamp = hub.var("lamp")
        lamp.set({"on": True})
        lamp.handle(lambda wish: {"ok": True})
        print(lamp.req({"on": False}))

The objects are those of the asyncio face, and every call that waits blocks instead. Each hub has
one thread that fetches what happens and runs watch callbacks, and each subscription with a
handler one that runs it. A call that blocks, made inside a callback of the same hub, fails with
``BLOCKING_IN_HANDLER`` instead of waiting for itself. The threads end with the hub, and at the
end of the program by themselves: they keep no program alive.
"""

from __future__ import annotations

from .._contexts import BlockingContext as Context
from .._contexts import HandleContext
from .._core import __version__
from .._errors import MessageError, PosthouseError
from .._generated import ErrorCode
from .._headers import Headers
from .._types import UNSET, Json, ManyResult, Meta, Reply, Unset, Version
from ._hub import Hub
from ._instances import Instances
from ._subscription import Subscription
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
