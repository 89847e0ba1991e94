"""Queue groups: interchangeable workers share the messages; others get their own copy."""

import asyncio

from posthouse import Hub


async def main():
    async with Hub("example-queue-group") as hub:
        jobs = hub.var("jobs")
        done, seen = asyncio.Queue(), asyncio.Queue()
        for _ in range(2):
            await jobs.subscribe(done.put_nowait, queue="workers")
        await jobs.subscribe(seen.put_nowait)
        for number in range(1, 11):
            await jobs.publish(number)

        print("the workers together:", sorted([await done.get() for _ in range(10)]))
        print("the auditor alone:", [await seen.get() for _ in range(10)])


asyncio.run(main())
