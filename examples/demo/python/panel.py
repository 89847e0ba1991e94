"""A panel on the wall: shows the state, wishes for warmth, counts who is there."""

import asyncio
import sys

from posthouse import UNSET, Hub


async def main(namespace):
    async with Hub(namespace) as hub:
        state = hub.var("thermostat")
        await hub.var("roll-call").handle(lambda _: "panel in Python")
        state.watch_value(lambda value: show(value) if value is not UNSET else None)

        async with hub.var("room.temperature").subscribe() as readings:
            answer = await hub.var("thermostat.target").request(22)
            print(f"the thermostat answered: {answer['before']} -> {answer['now']}")
            async for degrees in readings:
                print(f"room.temperature {degrees}")
                if degrees >= 22:
                    break

        there = await hub.var("roll-call").request_many(max_replies=3)
        print("here are:", ", ".join(sorted(there)))


shown = set()


def show(value):
    """A watch may fire for the same value again; show each once."""
    text = f"thermostat is {value}"
    if text not in shown:
        shown.add(text)
        print(text)


asyncio.run(main(sys.argv[1]))
