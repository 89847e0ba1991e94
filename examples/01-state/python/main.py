"""State: a value that every program of the namespace shares."""

import asyncio
import json

from posthouse import UNSET, Hub


async def main():
    # Two programs would have a hub each; here both are in one.
    async with Hub("example-state") as workshop, Hub("example-state") as office:
        # [cut]
        lamp = workshop.var("lamp")
        print("before:", show(lamp.get("nothing")))

        # A watch fires with the present state first, then after every change.
        seen = office.var("lamp")
        await lamp.set({"on": True, "level": 0.8})
        await until(seen, lambda value: value is not UNSET)
        print("office sees:", show(seen.get(None)))

        # Falsy values are values.
        await seen.set(0)
        await until(lamp, lambda value: value == 0)
        print("workshop sees:", show(lamp.get("nothing")))

        await lamp.delete()
        await until(seen, lambda value: value is UNSET)
        print("after:", show(seen.get("nothing")))
        # [/cut]


async def until(variable, wanted):
    """Waits until a watch shows what is wanted."""
    with variable.watch_value() as values:
        async for value in values:
            if wanted(value):
                return


def show(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


asyncio.run(main())
