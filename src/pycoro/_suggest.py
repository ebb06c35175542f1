"""Error texts for unknown names: suggest the closest name, or list the choices."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Any

from pycoro.errors import UsageError

__all__ = ["MissingNameError", "UnknownNameError", "closest_name_or_empty", "unknown_name_message"]

SHOWN = 8
"""Number of names listed if none is close."""


def closest_name_or_empty(name: str, names: Iterable[str]) -> str:
    """Return the closest name, or an empty text. ``@f`` and ``%x`` match ``f`` and ``x``."""
    choices = list(names)
    found = [name[1:]] if name[:1] in ("@", "%") and name[1:] in choices else get_close_matches(name, choices, 1)
    return found[0] if found else ""


def unknown_name_message(what: str, name: str, names: Iterable[str]) -> str:
    """Return a sentence for an error: ``no function 'conter'; did you mean 'counter'?``."""
    choices = [text for text in names if text]
    near = closest_name_or_empty(name, choices)
    if near:
        return f"no {what} {name!r}; did you mean {near!r}?"
    listed = ", ".join(islice(map(repr, choices), SHOWN)) or "none"
    more = f" and {len(choices) - SHOWN} more" if len(choices) > SHOWN else ""
    return f"no {what} {name!r}; there {'is' if len(choices) == 1 else 'are'} {listed}{more}"


class MissingNameError(UsageError, KeyError):
    """A mapping has no value for the name."""


class UnknownNameError(MissingNameError):
    """A mapping does not have the name. `message` computes the suggestion, so raising is cheap."""

    def __init__(self, what: str, name: object, names: Collection[str]) -> None:
        super().__init__()
        self._unknown = what, name, names

    def __reduce__(self) -> tuple[Any, ...]:
        what, name, names = self._unknown
        return UnknownNameError, (what, name, tuple(names))

    @property
    def message(self) -> str:
        """The error in one sentence, with the closest name."""
        what, name, names = self._unknown
        return (
            unknown_name_message(what, name, names)
            if isinstance(name, str)
            else f"expected the name of a {what} as a str, not {name!r}"
        )
