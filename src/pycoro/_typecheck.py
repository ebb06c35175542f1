"""Argument checks that raise ``TypeError`` with the expected type and the value.

They reject early, so that the error names the argument, and so that a flag ``"no"`` does not count as true.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from pycoro._escape import printable
from pycoro.errors import UsageError

__all__ = [
    "check",
    "check_ascii_text",
    "check_booleans",
    "check_callable",
    "check_items",
    "check_list",
    "check_mapping",
    "short_repr",
    "takes",
]

P = ParamSpec("P")
R = TypeVar("R")

_LONGEST_REPR = 60
"""Maximum length of a value in a message."""


def short_repr(value: object) -> str:
    """Return the value as one short line."""
    if isinstance(value, type):
        return f"the class {printable(value.__name__)}"
    text = printable(repr(value))
    return text if len(text) <= _LONGEST_REPR else f"{text[: _LONGEST_REPR - 3]}..."


def check(rule: str, value: object, *kinds: type, hint: str = "") -> None:
    """Raise ``TypeError`` unless the value has one of the types. ``rule`` reads like "name must be a str"; ``hint`` is appended. A
    bool does not count as an int."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and not {bool, object} & set(kinds)):
        raise TypeError(f"{rule}, not {short_repr(value)}{hint and '; '}{hint}")


def check_booleans(**flags: object) -> None:
    """Raise ``TypeError`` unless each value is True or False; the texts "no" and "false" would count as true."""
    for name, value in flags.items():
        check(f"{name} must be True or False", value, bool)


def check_callable(rule: str, value: object) -> None:
    """Raise ``TypeError`` unless the value is callable."""
    if not callable(value):
        raise TypeError(f"{rule}, not {short_repr(value)}")


def check_list(rule: str, values: object) -> list[Any]:
    """Return the items of an iterable. Raises ``TypeError`` for other values and for texts, bytes and mappings."""
    kind = type(values)
    if not issubclass(kind, Iterable) or issubclass(kind, str | bytes | Mapping):
        raise TypeError(f"{rule}, not {short_repr(values)}")
    return list(cast("Iterable[Any]", values))


def check_items(rule: str, values: object, kind: type) -> None:
    """Raise ``TypeError`` unless the value is a sequence with items of the type."""
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise TypeError(f"{rule}, not {short_repr(values)}")
    for value in cast("Sequence[object]", values):
        check(rule, value, kind)


def check_mapping(rule: str, key_rule: str, values: object, key: type) -> None:
    """Raise ``TypeError`` unless the value is a mapping with keys of the type."""
    if not isinstance(values, Mapping):
        raise TypeError(f"{rule}, not {short_repr(values)}")
    for given in cast("Mapping[object, object]", values):
        check(key_rule, given, key)


def check_ascii_text(name: str, value: object) -> None:
    """Raise ``TypeError`` unless the value is a str, and ``UsageError`` unless it is ASCII without null characters."""
    check(f"{name} must be a str", value, str)
    text = cast("str", value)
    if "\0" in text or not text.isascii():
        raise UsageError(f"{name} must be ASCII text without null characters, not {short_repr(text)}")


def takes(**kinds: type | Callable[[], type]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function: raise ``TypeError`` unless these parameters are instances of the types. A function returns a type that
    cannot be imported yet."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            given = signature.bind_partial(*args, **kwargs).arguments  # a missing argument is reported by the call below
            for name, kind in kinds.items():
                wanted = kind if isinstance(kind, type) else kind()
                if name in given:
                    check(f"{name} must be a {wanted.__name__}", given[name], wanted)
            return function(*args, **kwargs)

        return checked

    return decorate
