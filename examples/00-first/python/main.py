"""The first program: state and a request by one name, with nothing else installed."""

# [cut]
import asyncio

from posthouse import Hub


async def main():
    async with Hub("workshop") as hub:  # connects, or is the node itself
        lamp = hub.var("lamp")
        await lamp.set({"on": True})  # state: shared, merged, works offline
        await lamp.handle(lambda wish: {"done": wish})  # requests: answered here
        print(await lamp.req({"on": False}))  # and asked


asyncio.run(main())
# [/cut]
