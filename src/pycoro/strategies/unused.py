"""Remove unused coroutines and allocas from programs."""

from __future__ import annotations

import re
from dataclasses import replace

from pycoro.strategies.acts import Begin, acts_of
from pycoro.strategies.built import Built
from pycoro.strategies.model import Coroutine, Program

__all__ = ["without_unused_allocas", "without_unused_parts"]


def without_unused_allocas(coroutine: Coroutine) -> Coroutine:
    """Return the coroutine without allocas that it does not name."""
    kept = coroutine.variables
    for variable in coroutine.variables:
        others = tuple(other for other in kept if other is not variable)
        rest = replace(coroutine, variables=others)
        if not re.search(re.escape(variable.name) + r"(?![-\w$.])", repr(rest)):
            kept = others
    if kept == coroutine.variables:
        return coroutine
    return without_unused_allocas(replace(coroutine, variables=kept))  # removing an alloca may make another one unused


def without_unused_parts(program: Program) -> Program:
    """Return the program without coroutines that its drives and callers do not reach, and without unused allocas.

    >>> from pycoro.strategies.model import Coroutine, Drive, Program
    >>> from pycoro.strategies.unused import without_unused_parts
    >>> program = Program((Coroutine("g", ()), Coroutine("f", ())), (Drive("f"),))
    >>> without_unused_parts(program)
    Program((Coroutine('f', ()),), drives=(Drive('f'),))
    """
    every: tuple[Coroutine | Built, ...] = (*program.coroutines, *program.built)
    wanted = {drive.coroutine for drive in program.drives}
    wanted |= {act.coroutine for caller in program.callers for act in acts_of(caller.body) if isinstance(act, Begin)}
    for coroutine in reversed(every):  # users come after the coroutines that they create
        if coroutine.name in wanted:
            text = repr(coroutine)
            wanted |= {other.name for other in every if repr(other.name) in text}
    kept = tuple(without_unused_allocas(coroutine) for coroutine in program.coroutines if coroutine.name in wanted)
    return replace(program, coroutines=kept, built=tuple(of for of in program.built if of.name in wanted))
