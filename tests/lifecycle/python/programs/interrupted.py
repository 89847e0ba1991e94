"""A blocking call that is interrupted: interrupted.py URL. Says how long the interruption took."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from posthouse.sync import Hub

hub = Hub("interrupted", servers=sys.argv[1])
hub.connected(10)
hub.var("silent").sub(lambda data: None)
offline = Hub("offline", servers="nats://127.0.0.1:1")
subscription = hub.var("nothing").sub()
watch = offline.var("x").watch_value()
calls: dict[str, Callable[[], Any]] = {
    "req": lambda: hub.var("silent").req(1, timeout=60),
    "request_many": lambda: hub.var("silent").request_many(1, timeout=60),
    "connected": lambda: offline.connected(60),
    "flush": lambda: offline.flush(60),
    "iteration": lambda: next(iter(subscription)),
    "watch": lambda: next(iter(watch)),
}
for name, call in calls.items():
    sent = 0.0

    def interrupt() -> None:
        global sent
        sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.1, interrupt)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        print(name, "interrupted" if time.monotonic() - sent < 0.5 else "late", flush=True)
    timer.join()
print("requests", hub.status()["messaging"]["pendingRequests"])
hub.close()
offline.close()
