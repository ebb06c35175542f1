"""Functions of the module's own that coroutines call by, each made once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from pycoro.ir.builder import Builder
from pycoro.ir.calls import signature_of
from pycoro.ir.function import Function
from pycoro.ir.types import Type

__all__ = ["helper"]

_OWN = "pycoro.build"
"""An attribute that tells such a function from one of the author's that has its name."""


def helper(build: Builder, near: Function, name: str, type: Type, make: Callable[[Builder, Function], object]) -> Function:
    """The helper of that name and type in the module of a function: ``make`` builds it, where it is not there yet. Another name
    where the author has a function of that one."""
    free, functions = name, near.module.functions
    for number in count(1):
        found: Function | None = functions.get(free)
        if found is None:
            break
        if _OWN in (found.attributes or {}) and signature_of(found) == type:
            return found
        free = f"{name}.{number}"
    made = build.add_function(free, type, linkage="internal")
    build.add_attribute(made, f'"{_OWN}"')
    inside = Builder(made)
    make(inside.at_end(inside.add_block("entry", function=made)), made)
    return made
