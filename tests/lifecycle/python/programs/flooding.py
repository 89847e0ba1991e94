"""Publishes as fast as it can until it is stopped: flooding.py URL."""

from __future__ import annotations

import sys

import posthouse
import posthouse.sync

with posthouse.sync.Hub("flood", servers=sys.argv[1]) as hub:
    name = hub.var("flood")
    print("ready", flush=True)
    while True:
        try:
            name.pub({"seq": 1, "text": "x" * 60})
        except posthouse.PosthouseError as error:
            if error.code != "BUFFER_OVERFLOW":
                raise
            hub.flush(10)
