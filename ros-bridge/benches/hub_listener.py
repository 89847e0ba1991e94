"""A program on the hub: ``hub_listener.py URL NAME PORT``."""

import asyncio
import sys

from posthouse import Hub

from contract import Receipt, leave, say


async def main():
    url, name, port = sys.argv[1:]
    receipt = Receipt(int(port))
    hub = Hub("bench", servers=url)
    await hub.connected(30)
    subscription = await hub.var(name).sub(receipt.take)
    await hub.flush()
    say("ready")
    while await asyncio.to_thread(sys.stdin.readline):
        say(receipt.report(dropped=subscription.status()["droppedMessages"]))
    leave()


asyncio.run(main())
