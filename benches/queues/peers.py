"""Other queues at the same task: ``peers.py PEER OP DIR SECONDS`` prints ``{"n", "elapsed_s"}``.

Operations as in ``core/queue/examples/measure.rs``. What a peer promises of its disk is printed
with it: ``sync`` is SQLite's setting, 2 being a sync of every commit. nats-py finds its server in
``BENCH_SERVER``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WAITING = 10_000
"""Messages that wait when taking one by one begins."""


def body(number: int) -> dict[str, Any]:
    """About 200 bytes as JSON, the same as ours."""
    arguments = {"template": "welcome", "lang": "en", "list": [1, 2, 3, 4], "note": "x" * 32}
    head = {"id": 1_000_000 + number, "kind": "email.send", "to": "someone.longname@example.org"}
    return {**head, "tries": 0, "prio": 5, "ok": True, "args": arguments}


def text(number: int) -> str:
    return json.dumps(body(number), separators=(",", ":"))


def repeat(step: Callable[[int], int], seconds: float) -> dict[str, Any]:
    """Does ``step`` until the time is up or it does none; it is told how many were before."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        count = step(done)
        if not count:
            break
        done += count
    return {"n": done, "elapsed_s": time.perf_counter() - start}


def litequeue(op: str, folder: Path, seconds: float, *, full: bool) -> dict[str, Any]:
    from litequeue import LiteQueue

    queue = LiteQueue(str(folder / "q.db"))
    if full:
        queue.conn.execute("pragma synchronous = FULL")

    def put(number: int) -> int:
        queue.put(text(number))
        return 1

    def put_many(number: int) -> int:
        with queue.transaction():
            return sum(put(number + more) for more in range(100))

    def take(_: int) -> int:
        message = queue.pop()
        if message is None:
            return 0
        json.loads(message.data)
        queue.done(message.message_id)
        return 1

    if op == "cons1":
        for number in range(0, WAITING, 100):
            put_many(number)
    result = repeat({"enq1": put, "enq100": put_many, "cons1": take}[op], seconds)
    return result | {"sync": queue.conn.execute("pragma synchronous").fetchone()[0]}


def persist_queue(op: str, folder: Path, seconds: float) -> dict[str, Any]:
    import persistqueue
    from persistqueue.serializers import json as serializer

    queue = persistqueue.SQLiteAckQueue(str(folder / "q"), serializer=serializer)
    connection = queue._conn

    def put(number: int) -> int:
        queue.put(body(number))
        return 1

    def take(_: int) -> int:
        try:
            taken = queue.get(block=False, raw=True)
        except persistqueue.Empty:
            return 0
        queue.ack(id=taken["pqid"])
        return 1

    sync = connection.execute("pragma synchronous").fetchone()[0]
    if op == "cons1":
        connection.execute("pragma synchronous = OFF")
        for number in range(WAITING):
            put(number)
        connection.execute(f"pragma synchronous = {sync}")
    return repeat({"enq1": put, "cons1": take}[op], seconds) | {"sync": sync}


def huey(op: str, folder: Path, seconds: float) -> dict[str, Any]:
    from huey import SqliteHuey

    queue = SqliteHuey(filename=str(folder / "q.db"), results=False)

    @queue.task()
    def work(_: dict[str, Any]) -> None:
        return None

    def put(number: int) -> int:
        work(body(number))
        return 1

    def take(_: int) -> int:
        task = queue.dequeue()
        if task is None:
            return 0
        queue.execute(task)
        return 1

    connection = queue.storage.conn
    sync = connection.execute("pragma synchronous").fetchone()[0]
    if op == "cons1":
        connection.execute("pragma synchronous = OFF")
        for number in range(WAITING):
            put(number)
        connection.execute(f"pragma synchronous = {sync}")
    return repeat({"enq1": put, "cons1": take}[op], seconds) | {"sync": sync}


async def nats_py(op: str, seconds: float) -> dict[str, Any]:
    import nats
    from nats.js.api import ConsumerConfig, RetentionPolicy, StorageType, StreamConfig

    client = await nats.connect(os.environ["BENCH_SERVER"])
    stream = client.jetstream(publish_async_max_pending=256)
    kept = RetentionPolicy.WORK_QUEUE
    config = StreamConfig("Q", subjects=["q"], retention=kept, storage=StorageType.FILE)
    await stream.add_stream(config)

    async def publish(seconds: float, most: int) -> dict[str, Any]:
        done, start = 0, time.perf_counter()
        while done < most and time.perf_counter() - start < seconds:
            await stream.publish_async("q", text(done).encode())
            done += 1
        await stream.publish_async_completed()
        return {"n": done, "elapsed_s": time.perf_counter() - start}

    if op == "enq256":
        result = await publish(seconds, sys.maxsize)
    else:
        filled = (await publish(60, 50_000))["n"]
        settings = ConsumerConfig(ack_wait=60, max_ack_pending=1_000)
        consumer = await stream.pull_subscribe("q", durable="w", config=settings)
        done, start = 0, time.perf_counter()
        while done < filled and time.perf_counter() - start < seconds:
            for message in await consumer.fetch(100, timeout=5):
                json.loads(message.data)
                await message.ack()
                done += 1
        await client.flush()
        result = {"n": done, "elapsed_s": time.perf_counter() - start}
    await client.close()
    return result


def main() -> None:
    peer, op, folder, seconds = sys.argv[1:]
    place, limit = Path(folder), float(seconds)
    match peer:
        case "litequeue" | "litequeue-full":
            result = litequeue(op, place, limit, full=peer == "litequeue-full")
        case "persist-queue":
            result = persist_queue(op, place, limit)
        case "huey":
            result = huey(op, place, limit)
        case "nats-py":
            result = asyncio.run(nats_py(op, limit))
        case _:
            raise SystemExit(f"there is no peer {peer}")
    print(json.dumps(result))


main()
