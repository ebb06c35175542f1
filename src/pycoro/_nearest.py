"""What is said of a name that is not there: the nearest one that is, or what there is to choose from."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from itertools import islice

__all__ = ["UnknownName", "nearest", "unknown"]

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


class UnknownName(KeyError):
    """A ``KeyError`` of a mapping by name that says what the name may have been. Looked for when it is printed only."""

    def __init__(self, what: str, name: object, names: Collection[str]) -> None:
        super().__init__(what, name, names)

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, object, tuple[str, ...]]]:
        what, name, names = self.args
        return UnknownName, (what, name, tuple(names))

    def __str__(self) -> str:
        what, name, names = self.args
        return unknown(what, name, names) if isinstance(name, str) else f"a {what} is looked up by its name, not by {name!r}"
