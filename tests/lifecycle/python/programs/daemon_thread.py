"""A loop in a daemon thread, in the middle of a handler: daemon_thread.py URL."""

from __future__ import annotations

import asyncio
import sys
import threading
import time

import posthouse

started = threading.Event()


def stuck(data: object) -> None:
    started.set()
    time.sleep(3600)


async def main() -> None:
    hub = posthouse.Hub("daemon", servers=sys.argv[1])
    await hub.connected(10)
    await hub.var("x").sub(stuck)
    await hub.var("x").pub(1)
    await asyncio.sleep(3600)


threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
if not started.wait(10):
    raise SystemExit("the handler never ran")
