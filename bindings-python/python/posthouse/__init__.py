"""Programs that share state, events and requests by name."""

from ._core import __version__
from ._errors import MessageError, PosthouseError

__all__ = ["MessageError", "PosthouseError", "__version__"]
