"""Requests: one answer, or a reason why there is none."""

import asyncio
import json

from posthouse import Hub, PosthouseError


async def main():
    # [cut]
    async with Hub("example-request") as hub:
        total = hub.var("sum")
        handler = await total.handle(lambda numbers: {"sum": sum(numbers)})
        print("answer:", json.dumps(await total.request([1, 2, 3]), separators=(",", ":")))

        # A handler's failure is recorded on its side; a business failure is data. Here nobody
        # listens at all, which the broker says at once.
        await handler.drain()
        try:
            print("answer:", await total.request([4]))
        except PosthouseError as error:
            print("refused:", error.code)
    # [/cut]


asyncio.run(main())
