"""A panel on the wall: shows the states, wishes for warmth, counts who is there."""

import asyncio
import sys

from posthouse import UNSET, Hub


async def main(namespace):
    async with Hub(namespace) as hub:
        await hub.var("roll-call").handle(lambda _: "panel in Python")
        for name in ("thermostat", "window", "heater"):
            hub.var(name).watch_value(lambda value, name=name: show(name, value))

        async with hub.var("room.temperature").subscribe() as readings:
            print("-> thermostat  request: 22 degrees, please")
            answer = await hub.var("thermostat.target").request({"from": "panel", "degrees": 22})
            print(f"<- thermostat  answer: it was {answer['before']}, it is {answer['now']}")
            async for degrees in readings:
                print(f"<- thermostat  event: {degrees} degrees")
                if degrees >= 22:
                    break

        print("-> all         request: who is there?")
        there = await hub.var("roll-call").request_many(max_replies=4)
        print("<- all         answers:", ", ".join(sorted(there)))


shown = {}


def show(name, value):
    """A watch may fire for the same value again; show each once."""
    if value is not UNSET and shown.get(name) != value:
        shown[name] = value
        print(f"<- {name:<11} state: {value}")


asyncio.run(main(sys.argv[1]))
