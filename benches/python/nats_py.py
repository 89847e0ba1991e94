"""nats-py as a program of the benches: ``nats_py.py MODE URL SUBJECT NUMBERS…``."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import nats
from contract import (
    LIMIT,
    Receipt,
    arguments,
    ask_all,
    cpu,
    encode,
    now,
    reading,
    say,
    until_stdin_ends,
)


async def publish(client: Any, subject: str, n: int) -> None:
    cpu_began, began = cpu(), now()
    for i in range(n):
        await client.publish(subject, encode(reading(i)))
    await client.flush(timeout=int(LIMIT))
    say(n=n, elapsed_s=now() - began, cpu_s=cpu() - cpu_began)


async def subscribe(client: Any, subject: str, n: int) -> None:
    receipt = Receipt(n)

    async def handler(message: Any) -> None:
        receipt.take(json.loads(message.data))

    await client.subscribe(subject, cb=handler)
    await client.flush()
    say(ready=True, subject=subject)
    await receipt.report()


async def respond(client: Any, subject: str) -> None:
    async def handler(request: Any) -> None:
        await request.respond(encode(json.loads(request.data)))

    await client.subscribe(subject, cb=handler)
    await client.flush()
    say(ready=True, subject=subject)
    await until_stdin_ends()
    say(cpu_s=cpu())


async def request(client: Any, subject: str, n: int, in_flight: int) -> None:
    async def ask(i: int) -> Any:
        answer = await client.request(subject, encode(reading(i)), timeout=10)
        return json.loads(answer.data)

    await ask_all(ask, n, in_flight)


async def main() -> None:
    mode, url, subject, numbers = arguments()
    modes = {"pub": publish, "sub": subscribe, "resp": respond, "req": request}
    client = await nats.connect(url)
    await modes[mode](client, subject, *numbers)
    await client.close()


asyncio.run(main())
