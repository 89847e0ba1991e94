"""Reconnect: state works offline and is merged on return; messages need a connection.

Stop the broker when this says `connected`, and start it again when it says `offline`.
"""

import asyncio

from posthouse import Hub, PosthouseError


async def main():
    async with Hub("example-reconnect") as hub:
        counter = hub.var("counter")
        await counter.set(1)
        await hub.flush()
        print("connected", flush=True)

        with hub.watch() as states:
            async for status in states:
                if status["connection"] != "connected":
                    break
        await counter.set(2)
        print("offline: the value is", counter.get())
        try:
            await counter.publish("lost")
        except PosthouseError as error:
            print("offline: a message is refused with", error.code, flush=True)

        await hub.connected(timeout=60)
        with counter.watch() as changes:
            async for _, meta in changes:
                if not meta["pending"]:
                    break
        print(f"connected again: the value is {counter.get()}, confirmed")


asyncio.run(main())
