"""What was given by mistake, in words: a ``TypeError`` that says what is wanted and what was given instead.

Python's own would say that an int has no length, somewhere below; a flag that is no bool would count as set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from pycoro._printable import printable

__all__ = ["check", "check_callable", "check_flags", "check_mapping", "listed", "shown"]

_MOST = 60
"""Characters of what was given that are shown."""


def shown(value: object) -> str:
    """What was given, in one short line."""
    if isinstance(value, type):
        return f"the class {printable(value.__name__)}"
    text = printable(repr(value))
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def check(said: str, value: object, *kinds: type, hint: str = "") -> None:
    """TypeError unless the value is of one of the kinds: ``said`` is like "a name is a str", ``hint`` goes behind what was given.
    A bool is no int here."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and not {bool, object} & set(kinds)):
        raise TypeError(f"{said}, not {shown(value)}{hint and '; '}{hint}")


def check_flags(**flags: object) -> None:
    """TypeError unless each is True or False: the words "no" and "false" would count as True."""
    for name, value in flags.items():
        check(f"{name} is True or False", value, bool)


def check_callable(said: str, value: object) -> None:
    """TypeError unless it can be called."""
    if not callable(value):
        raise TypeError(f"{said}, not {shown(value)}")


def listed(said: str, values: object) -> list[Any]:
    """The items of an iterable. TypeError for what is none, and for texts and mappings, which only look like lists."""
    kind = type(values)
    if not issubclass(kind, Iterable) or issubclass(kind, str | bytes | Mapping):
        raise TypeError(f"{said}, not {shown(values)}")
    return list(cast("Iterable[Any]", values))


def check_mapping(said: str, key_said: str, values: object, key: type) -> None:
    """TypeError unless it is a mapping whose keys are of a kind."""
    if not isinstance(values, Mapping):
        raise TypeError(f"{said}, not {shown(values)}")
    for given in cast("Mapping[object, object]", values):
        check(key_said, given, key)
