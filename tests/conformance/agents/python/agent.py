"""The Python agent of the shared scenarios: the asyncio face of `posthouse`."""

import asyncio

from corpus import Agent
from posthouse import UNSET, Hub

CAPABILITIES = (
    "queue headers collect in-handler context cancel node named-options own-limits "
    "limit-in-errors instance-list one-connection surrogates websocket"
)

asyncio.run(Agent(Hub, UNSET).main("python", CAPABILITIES.split()))
