"""The loggers of the package, and what ``POSTHOUSE_LOG`` does to them.

``posthouse`` tells of callbacks that raised. Its child ``posthouse.core`` passes on what the core
has to say, to those who listen: where no logging is set up it is silent. Threads of Posthouse
never log: their lines are fetched in batches by whoever serves the hub.
"""

from __future__ import annotations

import logging
import os
import traceback
from typing import Final

from ._generated import ENV_LOG

logger: Final = logging.getLogger("posthouse")
core: Final = logging.getLogger("posthouse.core")
core.addHandler(logging.NullHandler())

_LEVELS: Final = {
    "error": logging.ERROR,
    "warn": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
    "trace": logging.DEBUG,
}


def tell(to: logging.Logger, level: int, text: str, cause: BaseException | None = None) -> None:
    """Logs. What the program has hung onto logging may fail, and must not stop a hub."""
    try:
        to.log(level, "%s", text, exc_info=cause)
    except Exception:
        traceback.print_exc()


def emit(level: str, code: str, message: str) -> None:
    """Passes a line of the core on."""
    text = f"{code}: {message}" if code else message
    tell(core, _LEVELS.get(level, logging.INFO), text)


def configure() -> None:
    """Shows the package's lines on stderr from the level that ``POSTHOUSE_LOG`` names."""
    level = _LEVELS.get(os.environ.get(ENV_LOG, "").strip().lower())
    if level is None or logger.handlers:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False
