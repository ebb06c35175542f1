"""Internal helper functions of a module, each created once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from pycoro.ir.builder import Builder
from pycoro.ir.calls import function_type_of
from pycoro.ir.function import Function
from pycoro.ir.types import Type

__all__ = ["get_or_build_helper"]

_MARK = "pycoro.build"
"""Attribute that marks helpers, to distinguish them from user functions of the same name."""


def get_or_build_helper(
    build: Builder, near: Function, name: str, type: Type, make: Callable[[Builder, Function], object]
) -> Function:
    """Return the helper of that name and type in the module of ``near``; ``make`` builds its body if it is new. If a user function
    has the name, the helper gets another one."""
    free, functions = name, near.module.functions
    for number in count(1):
        found: Function | None = functions.get(free)
        if found is None:
            break
        if _MARK in (found.attributes or {}) and function_type_of(found) == type:
            return found
        free = f"{name}.{number}"
    created = build.add_function(free, type, linkage="internal")
    build.add_attribute(created, f'"{_MARK}"')
    inside = Builder(created)
    make(inside.at_end(inside.add_block("entry", function=created)), created)
    return created
