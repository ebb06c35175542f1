"""Coroutines that return their continuations: each suspend gives what goes on behind it, with the values that are yielded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pycoro.build.body import EXCEPTION
from pycoro.build.coroutine import CoroutineBuilder
from pycoro.build.flow import Flow
from pycoro.build.given import Parameters, parsed
from pycoro.build.ways import Way
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Continuation", "Retcon", "RetconBuilder"]


@dataclass(frozen=True)
class Retcon:
    """The ABI of returned continuations.

    ``yields`` are the types of what a suspend gives to the caller, ``takes`` that of what the caller passes when it goes on.
    With ``once`` it yields once on every path, and its continuation gives ``results``. The caller's buffer has ``size`` bytes,
    aligned to ``align``; a frame that does not fit is allocated by ``allocate``, a ``ptr (i64)``, and freed by ``free``; by
    default those of C.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "echo", abi=pycoro.build.Retcon(yields=["i32"], takes="i32")) as c:
    ...     taken = c.yield_(1)
    >>> module.coroutines["echo"].shape.yields, module.coroutines["echo"].shape.resumed_with
    (('i32',), ('i1', 'i32'))
    """

    yields: Sequence[TypeLike] = ()
    takes: TypeLike | None = None
    results: Sequence[TypeLike] = ()
    once: bool = False
    size: int = 32
    align: int = 8
    allocate: Function | None = None
    free: Function | None = None

    def given(self, build: Builder) -> Type:
        """What the ramp gives, and each continuation but that of ``once``."""
        return build.types.struct(["ptr", *self.yields]) if self.yields else build.types.ptr

    def ended(self, build: Builder) -> Type:
        """What a continuation gives."""
        if not self.once:
            return self.given(build)
        kinds = [parsed(build, kind) for kind in self.results]
        if len(kinds) == 1 and kinds[0].kind != "struct":
            return kinds[0]
        return build.types.struct(kinds) if kinds else build.types.void

    def continuation(self, build: Builder) -> Type:
        """The type of continuations: they take the buffer, whether they are to clean up, and what is passed."""
        return build.types.function(self.ended(build), ["ptr", "i1", *([] if self.takes is None else [self.takes])])


class RetconBuilder(CoroutineBuilder):
    """Builds a coroutine that returns its continuations. Its first parameter is the caller's buffer; ``c.handle`` is its frame.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "lend", abi=pycoro.build.Retcon(["i32"], results=["i1"], once=True)) as c:
    ...     c.yield_(7)
    ...     c.return_(True)
    >>> module.coroutines["lend"].abi, module.coroutines["lend"].shape.results
    ('retcon-once', ('i1',))
    """

    __slots__ = ("_ending", "_how", "_results", "_unwinding", "_yields", "handle")

    handle: Instruction

    def __init__(
        self, module: Module, function: Function, parameters: Parameters, personality: Function | None, how: Retcon
    ) -> None:
        super().__init__(module, function, parameters, personality)
        self._how = how
        self._yields = [parsed(self, kind) for kind in how.yields]
        self._results = {f"result{number}": parsed(self, kind) for number, kind in enumerate(how.results)}
        self._ending = self.new_way("coro.end", None, self._results, ends=True)
        self._unwinding = self.new_way("coro.unwind", None, {"exception": self.types.parse(EXCEPTION)}, ends=True)

    @property
    def abi_name(self) -> str:
        return "retcon.once" if self._how.once else "retcon"

    @property
    def unwinding(self) -> Way:
        return self._unwinding

    def begin(self) -> None:
        how, name = self._how, self.home.name
        prototype = self.declare(f"{name}.prototype", how.continuation(self))
        self.beside.append(prototype)
        allocate = how.allocate or self.declare("malloc", "ptr (i64)")
        free = how.free or self.declare("free", "void (ptr)")
        self.at_end(self.own_block("entry"))
        buffer = self.home.arguments[0]
        self.rename(buffer, "buffer")
        given: list[Operand] = [how.size, how.align, buffer, prototype, allocate, free]
        token = self.anchor = self.intrinsic(f"llvm.coro.id.{self.abi_name}", given, named="id")
        self.handle = self.intrinsic("llvm.coro.begin", [token, None], named="handle")
        self.take(1)
        self.copy(1)

    def yield_(self, *values: Operand) -> Value | None:
        """Gives values to the caller, with what to go on with; what the caller passes then."""
        self.suspending("yield_()")
        if len(values) != len(self._yields):
            raise UsageError(f"yield_ takes {len(self._yields)} values here, and is given {len(values)}: see Retcon(yields=)")
        pairs = zip(self._yields, values, strict=True)
        given = [self.typed(kind, value, "yield_", f"value {n}") for n, (kind, value) in enumerate(pairs, 1)]
        takes = self._how.takes
        kind = self.types.i1 if takes is None else self.types.struct(["i1", takes])
        back = self.intrinsic("llvm.coro.suspend.retcon", given, result=kind, named="back")
        destroyed: Value = back if takes is None else self.extract_value(back, 0, name="destroyed")
        taken = None if takes is None else self.extract_value(back, 1, name="taken")
        on = self.own_block("resumed")
        nothing: dict[str, Value] = {key: self.constant(kind, None) for key, kind in self._results.items()}
        self.branch_if(destroyed, self.toward(self._ending, nothing), on)
        self.at_end(on)
        return taken

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """As ``yield_()`` of no values."""
        if by is not None or to is not None:
            raise UsageError(
                f"a coroutine of the {self.abi_name} ABI has no handle to hand out: what goes on is returned to its caller"
            )
        self.yield_()

    def return_(self, *values: Operand) -> None:
        """Ends the coroutine from here, behind the cleanups of all scopes; with its results, where it yields ``once``. A caller
        that has it clean up before gets zeros."""
        self._position()
        if len(values) != len(self._results):
            raise UsageError(f"return_ takes {len(self._results)} values here, and is given {len(values)}: see Retcon(results=)")
        pairs = zip(self._results.items(), values, strict=True)
        carried = {key: self.typed(kind, value, "return_", "the result") for (key, kind), value in pairs}
        self.leave(self._ending, carried, "the coroutine has ended by return_()")

    def finish(self) -> None:
        if self._ending.arrivals:
            results = self.arrive(self._ending)
            token: Value = self.constant("token", None)
            if self._results:
                token = self.intrinsic("llvm.coro.end.results", [results[key] for key in self._results], named="results")
            self.intrinsic("llvm.coro.end", [self.handle, False, token])
            self.unreachable()
        if self._unwinding.arrivals:
            exception = self.arrive(self._unwinding)["exception"]
            self.intrinsic("llvm.coro.end", [self.handle, True, None])
            Builder.resume(self, exception)


class Continuation:
    """Such a coroutine in the hands of a caller: ``Continuation(f, f.home.module.functions["ramp"], [7], how)`` starts it.

    ``how`` is the ABI that it was built with. The buffer lies in a variable of the caller's, and so does what to go on with.

    >>> module = pycoro.Module("")
    >>> how = pycoro.build.Retcon(yields=["i32"])
    >>> with pycoro.build.coroutine(module, "one", {"n": "i32"}, abi=how) as c:
    ...     taken = c.yield_(c.add(c["n"], 1))
    >>> with pycoro.build.function(module, "first", {"n": "i32"}, "i32") as f:
    ...     running = pycoro.build.Continuation(f, module.functions["one"], [f["n"]], how)
    ...     f.return_(running.value(0))
    >>> pycoro.Interpreter(module).call("first", 6)
    7
    """

    def __init__(self, build: Flow, ramp: Value, arguments: Sequence[Operand], how: Retcon) -> None:
        self._build = build
        self._how = how
        self._over = how.ended(build)
        self._buffer = build.variable(f"[{how.size} x i8]", align=how.align, name="buffer")
        self._next = build.variable("ptr", name="next")
        self._given = build.variable(how.given(build), name="given")
        self._result = None if not how.once or self._over.kind == "void" else build.variable(self._over, name="result")
        build.store(build.constant("ptr", None), self._next)  # so it stays where the call throws
        self._take(build.call(ramp, [self._buffer, *arguments]))

    def _take(self, given: Value) -> None:
        build = self._build
        build.store(given, self._given)
        build.store(build.extract_value(given, 0) if self._how.yields else given, self._next)

    def done(self) -> Value:
        """Whether there is nothing to go on with: an ``i1``."""
        build = self._build
        return build.icmp("eq", build.load("ptr", self._next), build.constant("ptr", None), name="done")

    def value(self, number: int = 0) -> Value:
        """What it has yielded last."""
        return self._build.extract_value(self._build.load(self._how.given(self._build), self._given), number + 1, name="value")

    def result(self) -> Value:
        """What it gave in the end, where it yields once: a struct of several results."""
        if self._result is None:
            raise UsageError("the coroutine gives no results: Retcon(once=True, results=[...]) says which")
        return self._build.load(self._over, self._result, name="result")

    def _go_on(self, destroyed: bool, taken: Operand) -> None:
        build, how = self._build, self._how
        if how.takes is None and taken is not None:
            raise UsageError("the coroutine takes nothing when it is resumed: Retcon(takes='i32') says what")
        passed = [] if how.takes is None else [taken if taken is not None else build.constant(how.takes, None)]
        place = build.load("ptr", self._next)
        build.store(build.constant("ptr", None), self._next)
        given = build.call(place, [self._buffer, destroyed, *passed], type=how.continuation(build))
        if not how.once:
            self._take(given)
            return
        if self._result is not None:
            build.store(given, self._result)

    def resume(self, taken: Operand = None) -> None:
        """Goes on with it, and passes a value where it takes one. It may not be done."""
        self._go_on(False, taken)

    def destroy(self) -> None:
        """Has it clean up, if it is not done."""
        with self._build.if_(self._build.not_(self.done())):
            self._go_on(True, None)
            self._build.store(self._build.constant("ptr", None), self._next)
