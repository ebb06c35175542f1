"""A function that is built whole: its parameters, and what is checked at its end or taken back where building it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pycoro.build.flow import Flow
from pycoro.build.given import Copied, Parameters, size_of
from pycoro.errors import UsageError
from pycoro.ir.constant import GlobalVariable
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Whole"]


class Whole(Flow):
    """Builds a function from its first block to its last."""

    __slots__ = ("_parameters", "_values", "beside")

    def __init__(self, module: Module, function: Function, parameters: Parameters, personality: Function | None) -> None:
        super().__init__(module, function, personality)
        self._parameters = parameters
        self._values: dict[str, Value] = {}
        self.beside: list[Function | GlobalVariable] = []
        """What the module has because of this function alone."""

    def begin(self) -> None:
        """Builds what comes before the body, and stands in it."""
        raise NotImplementedError

    def finish(self) -> None:
        """Builds what comes behind it."""
        raise NotImplementedError

    def return_(self, *values: Operand) -> None:
        """Ends the function from here, behind the cleanups of all scopes."""
        raise NotImplementedError

    # ---- Suspends, which coroutines have ----

    def _no_coroutine(self, word: str) -> UsageError:
        return UsageError(f"{word} in @{self.home.name}, which is no coroutine: build it by coroutine(), not by function()")

    def yield_(self, *values: Operand) -> Value | None:
        """Suspends, and hands values to who resumes the coroutine."""
        raise self._no_coroutine("yield_()")

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """Suspends without a value."""
        raise self._no_coroutine("suspend()")

    def await_(self, child: Value, result: TypeLike = "void") -> Value | None:
        """Runs another coroutine to its end; its result."""
        raise self._no_coroutine("await_()")

    def await_call(self, callee: Function, arguments: Sequence[Operand] = (), result: TypeLike = "void") -> Value | None:
        """Calls another coroutine, and runs it to its end; its result."""
        raise self._no_coroutine("await_call()")

    def final(self, to: Value | None = None) -> None:
        """Ends the coroutine at its final suspend point, behind the cleanups of all scopes."""
        raise self._no_coroutine("final()")

    # ---- The end ----

    def fall_off(self) -> None:
        """The body ends where control may get to."""
        self.return_()

    # ---- Parameters ----

    def __getitem__(self, name: str) -> Value:
        """A parameter by its name; the address of the copy, where it is `Copied`."""
        try:
            return self._values[name]
        except KeyError:
            known = ", ".join(self._values) or "none"
            raise UsageError(f"@{self.home.name} has no parameter {name!r}; its parameters are: {known}") from None

    def take(self, first: int) -> None:
        """Names the function's arguments, from that one on, and makes room for copies."""
        for argument, (name, kind) in zip(self.home.arguments[first:], self._parameters.items(), strict=True):
            self.rename(argument, name)
            self._values[name] = argument
            if isinstance(kind, Copied):
                with self.standing(self.anchor):
                    self._values[name] = self.alloca(kind.type, name=f"{name}.copy")

    def copy(self, first: int) -> None:
        """Copies what is passed by an address that will not be good any more."""
        for argument, (name, kind) in zip(self.home.arguments[first:], self._parameters.items(), strict=True):
            if not isinstance(kind, Copied):
                continue
            to = self._values[name]
            if kind.by is not None:
                self.call(kind.by, [to, argument])
                continue
            self.intrinsic("llvm.memcpy.p0.p0.i64", [to, argument, size_of(self, kind.type), self.constant("i1", 0)])

    def typed(self, kind: Type, value: Operand, word: str, what: str) -> Value:
        """A value of that type; what is wrong with it else."""
        if value is None:
            raise UsageError(f"{word} is given None, and {what} is of type {kind}: a zero is 0, or constant({str(kind)!r}, None)")
        made = self._operand(kind, value)
        if made.type != kind:
            raise UsageError(f"{word} is given a value of type {made.type}, and {what} is of type {kind}")
        return made

    def check(self) -> None:
        """Every block has an end, and every attempt a handler."""
        if self.unhandled:
            raise UsageError(
                f"an attempt in @{self.home.name} does not say what is done with exceptions: with attempt.caught(): ..."
            )
        for block in self.home.blocks:
            if block.terminator is None:
                raise UsageError(
                    f"block %{block.name} of @{self.home.name} has no end: branch from it, or stand there and return_()"
                )
        if self._personality is not None:
            self.set_personality(self.home, self._personality)
            self.add_attribute(self.home, "uwtable")
        self.whole = True
        self.end(f"@{self.home.name} is whole: its with has ended")

    def discard(self, *, declared: bool) -> None:
        """Takes the body back; the function, too, unless it was there before, or something calls it."""
        self.erase_blocks(self.home.blocks)
        for other in [*self.beside, *([] if declared else [self.home])]:
            if not other.users:
                self.erase(other)
