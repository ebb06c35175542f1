"""What is said of a name that is not there: the nearest one that is, or what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

__all__ = ["nearest", "unknown"]

SHOWN = 8
"""How many names are listed where none is near."""


def nearest(name: str, names: Iterable[str]) -> str:
    """The name that was probably meant; empty where none is near. ``@f`` and ``%x`` mean ``f`` and ``x``."""
    choices = list(names)
    found = [name[1:]] if name[:1] in ("@", "%") and name[1:] in choices else get_close_matches(name, choices, 1)
    return found[0] if found else ""


def unknown(what: str, name: str, names: Iterable[str]) -> str:
    """A sentence for an error: ``no function 'conter'; did you mean 'counter'?``."""
    choices = [text for text in names if text]
    near = nearest(name, choices)
    if near:
        return f"no {what} {name!r}; did you mean {near!r}?"
    listed = ", ".join(islice(map(repr, choices), SHOWN)) or "none"
    more = f" and {len(choices) - SHOWN} more" if len(choices) > SHOWN else ""
    return f"no {what} {name!r}; there {'is' if len(choices) == 1 else 'are'} {listed}{more}"
