"""Module as seen by the linter: functions to check, and facts about called functions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pycoro.errors import Diagnostic, RejectedError
from pycoro.ir.builder import Builder
from pycoro.ir.constant import Constant
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.lint.body import Body
from pycoro.lint.fixes import mark_presplit

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.module import Module
    from pycoro.pipeline import CoroSplit

__all__ = ["Program"]


class Program:
    """Functions of a module, analyzed on demand and once."""

    def __init__(self, module: Module, split: CoroSplit) -> None:
        self.module = module
        self.functions = dict(module.functions)
        self.order = {function: number for number, function in enumerate(self.functions.values())}
        self._split = split
        self._bodies: dict[Function, Body] = {}
        self.pointer_size = module.types.ptr.size or 8
        self.done: dict[tuple[Function, int], set[str]] = {}
        """Intrinsics that functions certainly apply to a handle argument."""
        self.kept: dict[tuple[Function, int], bool] = {}
        """True if functions store an argument in a global variable."""
        self.resumes: dict[Function, int | None] = {}
        """Maximum number of resumes of coroutines."""

    def body(self, function: Function) -> Body:
        """Return the facts of a function with a body."""
        if function not in self._bodies:
            self._bodies[function] = Body(self, function)
        return self._bodies[function]

    def integer_constant(self, type: str, number: int) -> Constant:
        """Return a number as a constant of the module."""
        return Builder(self.module).constant(type, number)

    @cached_property
    def checked_functions(self) -> list[Function]:
        """Functions to check: coroutines, users of coroutine intrinsics, and callers of coroutines."""
        found: set[Function] = {
            f for f in self.functions.values() if not f.is_declaration and (self.is_presplit(f) or _has_noalias_result(f))
        }
        callees = [f for f in self.functions.values() if f.name.startswith("llvm.coro.") or self.is_presplit(f)]
        for function in callees:
            found |= {user.function for user in function.users if isinstance(user, Instruction)}
        return sorted(found, key=self.order.__getitem__)

    @cached_property
    def functions_receiving_coro_free_result(self) -> set[Function]:
        """Functions that receive the result of ``llvm.coro.free``."""
        asks = self.functions.get("llvm.coro.free")
        given = [memory for memory in (asks.users if asks else ()) if isinstance(memory, Instruction)]
        calls = [user for memory in given for user in memory.users if getattr(user, "opcode", "") in ("call", "invoke")]
        return {call.callee for call in calls if isinstance(call, Instruction) and isinstance(call.callee, Function)}

    @cached_property
    def function_texts(self) -> dict[Function, str]:
        """Text of each function body, all printed at once, because LLVM scans the whole module for each print."""
        texts: list[str] = []
        lines: list[str] = []
        for line in str(self.module).splitlines():
            if lines or line.startswith("define"):
                lines.append(line)
            if lines and line == "}":
                texts.append("\n".join(lines))
                lines = []
        return dict(zip((f for f in self.functions.values() if not f.is_declaration), texts, strict=True))

    # ---- Coroutines without the attribute presplitcoroutine ----

    @cached_property
    def _unmarked_rejections(self) -> list[Diagnostic]:
        """Diagnostics of the engine for coroutines that lack the attribute ``presplitcoroutine``."""
        ids = [function for name, function in self.functions.items() if name.startswith("llvm.coro.id")]
        users = {user.function for function in ids for user in function.users if isinstance(user, Instruction)}
        if all(function.is_presplit for function in users):
            return []
        _, rejections = _layouts_and_rejections(self.module, self._split)
        return [rejection for rejection in rejections if rejection.rule == "presplitcoroutine"]

    @cached_property
    def _unmarked(self) -> set[Function]:
        return {self.functions[rejection.function] for rejection in self._unmarked_rejections}

    def is_presplit(self, function: Function) -> bool:
        """Return whether a function is an unsplit coroutine, even if it lacks the attribute, so that one missing attribute does not
        hide all other findings.
        """
        return function.is_presplit or function in self._unmarked

    @cached_property
    def _marked_module(self) -> Module:
        """The module, or a copy in which all coroutines have the attribute."""
        if not self._unmarked:
            return self.module
        marked = self.module.copy()
        for function in self._unmarked:
            mark_presplit(marked.functions[function.name])
        return marked

    # ---- Results of the engine ----

    @cached_property
    def _engine_results(self) -> tuple[dict[str, Coroutine], list[Diagnostic]]:
        return _layouts_and_rejections(self._marked_module, self._split)

    def layout(self, name: str) -> Coroutine | None:
        """Return the engine's layout of a coroutine; ``None`` if it rejects it."""
        return self._engine_results[0].get(name)

    @cached_property
    def rejections(self) -> list[Diagnostic]:
        """Diagnostics of the engine for coroutines that it rejects. A coroutine without the attribute has one for that, and
        those that it would have with the attribute.
        """
        found = [*self._unmarked_rejections, *self._engine_results[1]]
        with self._marked_module.copy() as tried:
            try:
                tried.run("coro-early")
            except RejectedError as error:
                found += error.diagnostics
        return list({(d.rule, d.function, d.block): d for d in reversed(found)}.values())[::-1]


def _layouts_and_rejections(module: Module, split: CoroSplit) -> tuple[dict[str, Coroutine], list[Diagnostic]]:
    layouts: dict[str, Coroutine] = {}
    rejections: list[Diagnostic] = []
    coroutines = module.preview(split)
    for name in coroutines:
        try:
            layouts[name] = coroutines[name]
        except RejectedError as error:
            rejections += error.diagnostics
    return layouts, rejections


def _has_noalias_result(function: Function) -> bool:
    return "noalias" in (function.result_attributes or {})
