"""A module as the linter sees it: which functions it looks at, and what it knows of functions that are called."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pycoro.errors import Diagnostic, RejectedError
from pycoro.ir.builder import Builder
from pycoro.ir.constant import Constant
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.lint.body import Body

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.module import Module
    from pycoro.pipeline import CoroSplit

__all__ = ["Program"]


class Program:
    """The functions of a module. Each is read once, and only when a rule asks for it."""

    def __init__(self, module: Module, split: CoroSplit) -> None:
        self.module = module
        self.functions = dict(module.functions)
        self.order = {function: number for number, function in enumerate(self.functions.values())}
        self._split = split
        self._bodies: dict[Function, Body] = {}
        self.pointer_size = module.types.ptr.size or 8
        self.done: dict[tuple[Function, int], set[str]] = {}
        """What functions certainly do with an argument that is a handle."""
        self.kept: dict[tuple[Function, int], bool] = {}
        """Whether functions keep an argument in a global variable."""
        self.resumes: dict[Function, int | None] = {}
        """How often coroutines can be resumed."""

    def body(self, function: Function) -> Body:
        """What is known of one that has a body."""
        if function not in self._bodies:
            self._bodies[function] = Body(self, function)
        return self._bodies[function]

    def constant(self, type: str, number: int) -> Constant:
        """A number as a constant of the module."""
        return Builder(self.module).constant(type, number)

    @cached_property
    def looked_at(self) -> list[Function]:
        """The functions that are coroutines, that ask something of coroutines, or call one."""
        found: set[Function] = {f for f in self.functions.values() if not f.declaration and (f.presplit or _promises_noalias(f))}
        asked = [f for f in self.functions.values() if f.name.startswith("llvm.coro.") or f.presplit]
        for function in asked:
            found |= {user.function for user in function.users if isinstance(user, Instruction)}
        return sorted(found, key=self.order.__getitem__)

    @cached_property
    def frees(self) -> set[Function]:
        """The functions that are given what ``llvm.coro.free`` gives."""
        asks = self.functions.get("llvm.coro.free")
        given = [memory for memory in (asks.users if asks else ()) if isinstance(memory, Instruction)]
        calls = [user for memory in given for user in memory.users if getattr(user, "opcode", "") in ("call", "invoke")]
        return {call.callee for call in calls if isinstance(call, Instruction) and isinstance(call.callee, Function)}

    @cached_property
    def texts(self) -> dict[Function, str]:
        """Of the functions that have a body. LLVM looks through the whole module to print one, and so all are printed at once."""
        made: list[str] = []
        lines: list[str] = []
        for line in str(self.module).splitlines():
            if lines or line.startswith("define"):
                lines.append(line)
            if lines and line == "}":
                made.append("\n".join(lines))
                lines = []
        return dict(zip((f for f in self.functions.values() if not f.declaration), made, strict=True))

    # ---- What the engine says ----

    @cached_property
    def _coroutines(self) -> tuple[dict[str, Coroutine], list[Diagnostic]]:
        made: dict[str, Coroutine] = {}
        refused: list[Diagnostic] = []
        coroutines = self.module.explain(self._split)
        for name in coroutines:
            try:
                made[name] = coroutines[name]
            except RejectedError as error:
                refused += error.diagnostics
        return made, refused

    def layout(self, name: str) -> Coroutine | None:
        """A coroutine as the engine lays it out; ``None`` where it refuses it."""
        return self._coroutines[0].get(name)

    @cached_property
    def refusals(self) -> list[Diagnostic]:
        """Why the engine would not lower the module."""
        found = list(self._coroutines[1])
        with self.module.copy() as tried:
            try:
                tried.run("coro-early")
            except RejectedError as error:
                found += error.diagnostics
        return list({(d.rule, d.function, d.block): d for d in reversed(found)}.values())[::-1]


def _promises_noalias(function: Function) -> bool:
    return "noalias" in (function.result_attributes or {})
