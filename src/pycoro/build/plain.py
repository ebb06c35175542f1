"""Functions that are no coroutines, with the same scopes: what drives coroutines and owns them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.build.body import EXCEPTION
from pycoro.build.given import Parameters
from pycoro.build.ways import Way
from pycoro.build.whole import Whole
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.types import Type

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["FunctionBuilder"]


class FunctionBuilder(Whole):
    """Builds a function's body, with scopes and cleanups; what suspends is a coroutine, and built as one.

    >>> with pycoro.build.function(pycoro.Module(""), "double", {"n": "i32"}, "i32") as f:
    ...     isinstance(f, pycoro.build.FunctionBuilder)
    ...     f.return_(f.mul(f["n"], 2))
    True
    """

    __slots__ = ("_result", "_returning", "_unwinding")

    def __init__(
        self, module: Module, function: Function, parameters: Parameters, personality: Function | None, *, result: Type
    ) -> None:
        super().__init__(module, function, parameters, personality)
        self._result = None if result.kind == "void" else result
        self._returning = self.new_way("return", None, {"result": result} if self._result is not None else {}, ends=True)
        self._unwinding = self.new_way("unwind", None, {"exception": self.types.parse(EXCEPTION)}, ends=True)

    @property
    def unwinding(self) -> Way:
        return self._unwinding

    def begin(self) -> None:
        entry, start = self.own_block("entry"), self.own_block("start")
        self.at_end(entry)
        self.anchor = self.branch(start)
        self.take(0)
        self.at_end(start)
        self.copy(0)

    def return_(self, *values: Operand) -> None:
        """Returns from here, behind the cleanups of all scopes; with a value, unless the function's result is void."""
        self._position()
        if len(values) != (self._result is not None):
            raise UsageError(
                f"return_ takes {'a' if self._result else 'no'} value in @{self.home.name}, and is given {len(values)}"
            )
        carried = {"result": self.typed(self._result, values[0], "return_", "the result")} if self._result is not None else {}
        self.leave(self._returning, carried, "the function has ended by return_()")

    def finish(self) -> None:
        if self._returning.arrivals:
            Builder.ret(self, self.arrive(self._returning).get("result"))
        if self._unwinding.arrivals:
            Builder.resume(self, self.arrive(self._unwinding)["exception"])
