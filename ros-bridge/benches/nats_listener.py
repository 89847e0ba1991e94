"""A plain subscriber: nats-py and json; ``nats_listener.py URL SUBJECT PORT``."""

import asyncio
import json
import sys

import nats

from contract import Receipt, leave, say


async def main():
    url, subject, port = sys.argv[1:]
    receipt = Receipt(int(port))
    client = await nats.connect(url)

    async def heard(message):
        receipt.take(json.loads(message.data))

    await client.subscribe(subject, cb=heard)
    await client.flush()
    say("ready")
    while await asyncio.to_thread(sys.stdin.readline):
        say(receipt.report())
    leave()


asyncio.run(main())
