"""Error texts for unknown names: suggest the closest name, or list the choices."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from itertools import islice

__all__ = ["UnknownNameError", "closest_name", "unknown_name"]

SHOWN = 8
"""Number of names listed if none is close."""


def closest_name(name: str, names: Iterable[str]) -> str:
    """Return the closest name, or an empty text. ``@f`` and ``%x`` match ``f`` and ``x``."""
    choices = list(names)
    found = [name[1:]] if name[:1] in ("@", "%") and name[1:] in choices else get_close_matches(name, choices, 1)
    return found[0] if found else ""


def unknown_name(what: str, name: str, names: Iterable[str]) -> str:
    """Return a sentence for an error: ``no function 'conter'; did you mean 'counter'?``."""
    choices = [text for text in names if text]
    near = closest_name(name, choices)
    if near:
        return f"no {what} {name!r}; did you mean {near!r}?"
    listed = ", ".join(islice(map(repr, choices), SHOWN)) or "none"
    more = f" and {len(choices) - SHOWN} more" if len(choices) > SHOWN else ""
    return f"no {what} {name!r}; there {'is' if len(choices) == 1 else 'are'} {listed}{more}"


class UnknownNameError(KeyError):
    """``KeyError`` of a mapping by name. ``__str__`` computes the suggestion, so raising is cheap."""

    def __init__(self, what: str, name: object, names: Collection[str]) -> None:
        super().__init__(what, name, names)

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[str, object, tuple[str, ...]]]:
        what, name, names = self.args
        return UnknownNameError, (what, name, tuple(names))

    def __str__(self) -> str:
        what, name, names = self.args
        return unknown_name(what, name, names) if isinstance(name, str) else f"expected the name of a {what} as a str, not {name!r}"
