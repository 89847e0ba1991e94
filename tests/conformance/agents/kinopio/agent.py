"""The agent of the peer package `kinopio-hub`: another implementation of the same protocol.

It runs as a process of its own and uses only what that package makes public. That its programs and
ours read the same is the point of `corpus.py`, which both agents share.
"""

import asyncio
import sys
from pathlib import Path

from kinopio_hub import UNSET, KinopioHub

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from corpus import Agent


class Peer(Agent):
    """What differs in the peer package."""

    def open(self, namespace, options):
        return self.hub(namespace, mesh=False, discovery=False, **options)

    def entries(self, headers):
        return list(headers.items())

    async def instances(self, hub):
        reports = await hub.instances.list()
        return [{"instanceId": r["instanceId"], "state": r["online"], "status": r} for r in reports]

    def seen(self, request, ctx):
        # The context of its `handle` has neither.
        return super().seen(request, ctx) if hasattr(ctx, "headers") else {}

    def reply_headers(self, ctx, headers):
        ctx.reply_headers = headers


CAPABILITIES = "queue headers collect in-handler context cancel surrogates instance-list"

asyncio.run(Peer(KinopioHub, UNSET).main("python (kinopio-hub)", CAPABILITIES.split()))
