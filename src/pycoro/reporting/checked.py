"""Validate report files, which are untrusted, against a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["COROUTINE", "ELISION", "EXTERNAL_CALL", "FIELD", "UNIT", "InvalidReport", "validate_keys"]


class InvalidReport(Exception):
    """Raised with a short description of invalid data."""


Keys = Mapping[str, "type | Keys | list[Keys]"]
"""Schema of an object: each key has a text, a bool, a non-negative number, an object, or a list of objects."""

_PLACE: Keys = {"file": str, "directory": str, "line": int}
FIELD: Keys = {
    "name": str,
    "variable": str,
    **_PLACE,
    "kind": str,
    "type": str,
    "offset": int,
    "size": int,
    "align": int,
    "live": int,
    "why": str,
}
COROUTINE: Keys = {
    "name": str,
    "shown": str,
    "is_local": bool,
    "abi": str,
    **_PLACE,
    "suspends": int,
    "frame": {"size": int, "align": int, "lower_bound": int},
    "fields": [FIELD],
}
ELISION: Keys = {
    **dict.fromkeys(("caller", "callee", "reason", "location", "creation"), str),
    "elided": bool,
    "bytes": int,
}
EXTERNAL_CALL: Keys = {"caller": str, "callee": str, "location": str}
UNIT: Keys = {
    "source": str,
    "output": str,
    "coroutines": [COROUTINE],
    "elisions": [ELISION],
    "external_calls": [EXTERNAL_CALL],
}

_NAMES = {str: "a text", bool: "true or false", int: "a number that is not negative"}


def validate_keys(data: object, keys: Keys, where: str = "it") -> dict[str, Any]:
    """Return the data after validating every key. Raises ``InvalidReport``."""
    if not isinstance(data, dict):
        raise InvalidReport(f"{where} is not an object")
    found = cast("dict[str, Any]", data)
    for key, kind in keys.items():
        if key not in found:
            raise InvalidReport(f"{where} has no {key!r}")
        value = found[key]
        if isinstance(kind, type):
            if type(value) is not kind or (isinstance(value, int) and value < 0):
                raise InvalidReport(f"{key!r} of {where} is not {_NAMES[kind]}")
        elif isinstance(kind, list):
            if not isinstance(value, list):
                raise InvalidReport(f"{key!r} of {where} is not a list")
            for index, item in enumerate(cast("list[object]", value)):
                validate_keys(item, kind[0], f"{where}.{key}[{index}]" if where != "it" else f"{key}[{index}]")
        else:
            validate_keys(value, kind, f"{where}.{key}" if where != "it" else key)
    return found
