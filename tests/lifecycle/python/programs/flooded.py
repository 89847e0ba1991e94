"""A program that ends while messages pour in: flooded.py FACE URL."""

from __future__ import annotations

import asyncio
import sys
import time

import posthouse
import posthouse.sync

count = 0


def handler(data: object) -> None:
    global count
    count += 1


async def main(url: str) -> None:
    hub = posthouse.Hub("flood", servers=url)
    await hub.connected(10)
    await hub.var("flood").sub(handler)
    await hub.var("flood").handle(lambda data: data)
    while count < 1000:
        await asyncio.sleep(0.001)


if __name__ == "__main__":
    face, url = sys.argv[1:]
    if face == "sync":
        hub = posthouse.sync.Hub("flood", servers=url)
        hub.connected(10)
        hub.var("flood").sub(handler)
        while count < 1000:
            time.sleep(0.001)
    else:
        asyncio.run(main(url))
