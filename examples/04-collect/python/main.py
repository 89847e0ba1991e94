"""Collections: several answers to one request, until enough have come or the window closes."""

import asyncio
import json

from posthouse import Hub


async def main():
    async with Hub("example-collect") as hub:
        roll_call = hub.var("roll-call")
        for name in ("saw", "drill", "lathe"):
            await roll_call.handle(lambda _, name=name: {"machine": name})

        # Ends as soon as three have answered.
        everyone = await roll_call.request_many(None, max_replies=3, details=True)
        names = sorted(json.dumps(reply.data["machine"]) for reply in everyone.replies)
        print(" ".join(names), f"({everyone.reason})")

        # Nobody knows how many there are: the window decides.
        some = await roll_call.request_many(None, timeout=0.3, details=True)
        print(len(some.replies), "answers", f"({some.reason})")


asyncio.run(main())
