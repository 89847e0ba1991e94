"""Headers: about the data, beside the data. Names in any case, values repeated and in order."""

import asyncio
import json

from posthouse import Hub, PosthouseError


async def main():
    async with Hub("example-headers") as hub:
        order = hub.var("order")

        def accept(_, context):
            print("trace:", context.headers.get("TRACE-ID"))
            print("tags:", json.dumps(context.headers.get_all("tag")))
            context.reply_headers["served-by"] = "example"
            return "accepted"

        await order.handle(accept, with_context=True)
        headers = {"Trace-Id": "a1b2", "tag": ["fragile", "urgent"]}
        reply = await order.request({"item": 7}, headers=headers, details=True)
        print(json.dumps(reply.data), "from", reply.headers["served-by"])

        try:
            await order.publish(None, headers={"note": "two\nlines"})
        except PosthouseError as error:
            print("refused:", error.code)


asyncio.run(main())
