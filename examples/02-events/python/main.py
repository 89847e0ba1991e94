"""Events: to whoever is subscribed now. Patterns: `*` is one level, `>` at the end the rest."""

import asyncio

from posthouse import Hub


async def main():
    # [cut]
    async with Hub("example-events") as hub:
        readings = await hub.var("sensor.*.temperature").subscribe(with_context=True)
        # Nobody is subscribed to this one: it is gone.
        await hub.var("sensor.hall.humidity").publish(40)
        await hub.var("sensor.hall.temperature").publish(19.5)
        await hub.var("sensor.yard.temperature").publish(-2)
        # Equal events are separate messages.
        await hub.var("sensor.yard.temperature").publish(-2)

        count = 0
        async for data, context in readings:
            print(f"{context.topic}: {data}")
            count += 1
            if count == 3:
                break
    # [/cut]


asyncio.run(main())
