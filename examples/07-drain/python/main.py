"""Drain: stop taking new work, finish what was accepted, then close."""

import asyncio

from posthouse import Hub, PosthouseError


async def main():
    hub = Hub("example-drain")
    await hub.connected()
    jobs = hub.var("jobs")
    done = []

    async def work(job):
        await asyncio.sleep(0.02)  # the work itself
        done.append(job)

    await jobs.subscribe(work)
    for number in range(1, 6):
        await jobs.publish(number)
    await hub.flush()

    await hub.drain(timeout=5)
    print("done before the hub closed:", len(done))
    try:
        await jobs.publish(6)
        print("published")
    except PosthouseError as error:
        print("refused:", error.code)


asyncio.run(main())
