"""A Python program on the hub: sees the battery, drives the robot, answers it."""

import asyncio
import sys

from posthouse import Hub


async def main(namespace: str) -> None:
    async with Hub(namespace) as hub:
        asked = asyncio.Event()

        async def answer(_: object) -> dict[str, object]:
            asked.set()
            return {"success": True, "message": "go on"}

        await hub.var("operator.ask").handle(answer)
        levels = hub.var("robot.battery").watch_value()
        async for level in levels:
            if isinstance(level, float | int):
                print(f"the battery is at {level} %", flush=True)
                break
        status = hub.var("_bridge")
        await status.ready()
        async for value in status.watch_value():
            session = value.get("control_session") if isinstance(value, dict) else None
            if session:
                break
        still = {"x": 0, "y": 0, "z": 0}
        twist = {"linear": {**still, "x": 0.5}, "angular": still}
        hub.var("robot.drive").set({"session": session, "value": twist})
        print("drives the robot", flush=True)
        await asyncio.wait_for(asked.wait(), 30)
        print("was asked by the robot, and answered", flush=True)


asyncio.run(main(sys.argv[1]))
