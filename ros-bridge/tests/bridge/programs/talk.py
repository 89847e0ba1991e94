"""A Python program that talks to a robot through the bridge; talk.mjs and talk.cpp are the same."""

import asyncio
import sys

from posthouse import Hub


async def main(namespace: str, server: str) -> None:
    async with Hub(namespace, servers=server) as hub:
        end = asyncio.Event()
        presses = []
        pressed = asyncio.Event()

        async def press(data: dict) -> None:
            presses.append(data["data"])
            if len(presses) == 3:
                pressed.set()

        async def answer(_: object) -> dict:
            return {"success": True, "message": "python"}

        await hub.var("robot.press").subscribe(press)
        await hub.var("ask.python").handle(answer)
        await hub.var("end").subscribe(lambda _: end.set())
        async for value in hub.var("robot.state").watch_value():
            if value == {"data": "ready"}:
                break
        await hub.var("say.python").publish({"data": "python"})
        hub.var("mode.python").set({"data": "python"})
        motor = await hub.var("robot.motor").request({"data": True}, timeout=20)
        print("motor", motor["message"], flush=True)
        await pressed.wait()
        print("presses", *presses, flush=True)
        await end.wait()
        print("ends", flush=True)


asyncio.run(main(*sys.argv[1:]))
