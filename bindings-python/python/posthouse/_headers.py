"""Headers of a message: several values a key, keys in any case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


class Headers(Mapping[str, str]):
    """A view of the headers of a message.

    ``get`` and ``[...]`` give the first value of a key, whatever the case; ``get_all`` gives all
    of them in order. Iterating gives the names as they came, each once.
    Writing (``ctx.reply_headers["x-took"] = "12"``) replaces all values of the key; the value is
    one string or a list of them. What may be sent is checked when it is sent.
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Sequence[tuple[str, str]] = ()) -> None:
        self._entries = list(entries)

    def get_all(self, name: str) -> list[str]:
        """All values of a key, in the order they came."""
        wanted = name.lower()
        return [value for key, value in self._entries if key.lower() == wanted]

    def entries(self) -> list[tuple[str, str]]:
        """Every entry, in the order they came."""
        return list(self._entries)

    def __getitem__(self, name: str) -> str:
        wanted = name.lower()
        for key, value in self._entries:
            if key.lower() == wanted:
                return value
        raise KeyError(name)

    def __setitem__(self, name: str, value: str | Sequence[str]) -> None:
        values = [value] if isinstance(value, str) else list(value)
        wanted = name.lower()
        self._entries = [entry for entry in self._entries if entry[0].lower() != wanted]
        self._entries += [(name, one) for one in values]

    def __delitem__(self, name: str) -> None:
        wanted = name.lower()
        kept = [entry for entry in self._entries if entry[0].lower() != wanted]
        if len(kept) == len(self._entries):
            raise KeyError(name)
        self._entries = kept

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(key for key, _ in self._entries))

    def __len__(self) -> int:
        return len(dict.fromkeys(key for key, _ in self._entries))

    def __repr__(self) -> str:
        return f"<Headers of {len(self._entries)} entries>"
