"""Build returned-continuation coroutines: each suspend returns its continuation together with the yielded values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pycoro.build.body import EXCEPTION
from pycoro.build.control_flow import Flow
from pycoro.build.coroutine import CoroutineBuilder
from pycoro.build.exits import Exit
from pycoro.build.spec import Parameters, parse_type
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["ContinuationValue", "Retcon", "RetconBuilder"]


@dataclass(frozen=True)
class Retcon:
    """Returned-continuation ABI.

    ``yields`` are the types of the yielded values, ``takes`` the type of the value passed on resume. With ``once`` it yields
    once on every path, and its continuation returns ``results``. The caller's buffer has ``size`` bytes, aligned to ``align``.
    A larger frame is allocated by ``allocate``, a ``ptr (i64)``, and freed by ``free``; the defaults are C's.

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

    def yield_type(self, build: Builder) -> Type:
        """Return the result type of the ramp, and of each continuation without ``once``."""
        return build.types.struct(["ptr", *self.yields]) if self.yields else build.types.ptr

    def result_type(self, build: Builder) -> Type:
        """Return the result type of a continuation."""
        if not self.once:
            return self.yield_type(build)
        kinds = [parse_type(build, kind) for kind in self.results]
        if len(kinds) == 1 and kinds[0].kind != "struct":
            return kinds[0]
        return build.types.struct(kinds) if kinds else build.types.void

    def continuation(self, build: Builder) -> Type:
        """Return the type of continuations, which take the buffer, a flag to clean up, and the passed value."""
        return build.types.function(self.result_type(build), ["ptr", "i1", *([] if self.takes is None else [self.takes])])


class RetconBuilder(CoroutineBuilder):
    """Builds a returned-continuation coroutine. Its first parameter is the caller's buffer; ``c.handle`` is its frame.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "lend", abi=pycoro.build.Retcon(["i32"], results=["i1"], once=True)) as c:
    ...     c.yield_(7)
    ...     c.return_(True)
    >>> module.coroutines["lend"].abi, module.coroutines["lend"].shape.results
    ('retcon-once', ('i1',))
    """

    __slots__ = ("_abi", "_ending", "_results", "_unwinding", "_yields", "handle")

    handle: Instruction

    def __init__(
        self, module: Module, function: Function, parameters: Parameters, personality: Function | None, abi: Retcon
    ) -> None:
        super().__init__(module, function, parameters, personality)
        self._abi = abi
        self._yields = [parse_type(self, kind) for kind in abi.yields]
        self._results = {f"result{number}": parse_type(self, kind) for number, kind in enumerate(abi.results)}
        self._ending = self.new_exit("coro.end", None, self._results, ends=True)
        self._unwinding = self.new_exit("coro.unwind", None, {"exception": self.types.parse(EXCEPTION)}, ends=True)

    @property
    def abi_name(self) -> str:
        return "retcon.once" if self._abi.once else "retcon"

    @property
    def unwinding(self) -> Exit:
        return self._unwinding

    def build_prologue(self) -> None:
        abi, name = self._abi, self.home.name
        prototype = self.declare(f"{name}.prototype", abi.continuation(self))
        self.owned_globals.append(prototype)
        allocate = abi.allocate or self.declare("malloc", "ptr (i64)")
        free = abi.free or self.declare("free", "void (ptr)")
        self.at_end(self.internal_block("entry"))
        buffer = self.home.arguments[0]
        self.rename(buffer, "buffer")
        given: list[Operand] = [abi.size, abi.align, buffer, prototype, allocate, free]
        token = self.anchor = self.intrinsic(f"llvm.coro.id.{self.abi_name}", given, named="id")
        self.handle = self.intrinsic("llvm.coro.begin", [token, None], named="handle")
        self.bind_parameters(1)
        self.copy_parameters(1)

    def yield_(self, *values: Operand) -> Value | None:
        """Return the continuation and values to the caller; return the value passed on resume."""
        self.check_may_suspend("yield_()")
        if len(values) != len(self._yields):
            raise UsageError(f"yield_ expects {len(self._yields)} values, as in Retcon(yields=), not {len(values)}")
        pairs = zip(self._yields, values, strict=True)
        given = [self.typed(kind, value, "yield_", f"value {n}") for n, (kind, value) in enumerate(pairs, 1)]
        takes = self._abi.takes
        kind = self.types.i1 if takes is None else self.types.struct(["i1", takes])
        back = self.intrinsic("llvm.coro.suspend.retcon", given, result=kind, named="back")
        destroyed: Value = back if takes is None else self.extract_value(back, 0, name="destroyed")
        taken = None if takes is None else self.extract_value(back, 1, name="taken")
        on = self.internal_block("resumed")
        nothing: dict[str, Value] = {key: self.constant(kind, None) for key, kind in self._results.items()}
        self.branch_if(destroyed, self.record_edge_and_return_exit_target(self._ending, nothing), on)
        self.at_end(on)
        return taken

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """Yield without values."""
        if by is not None or to is not None:
            raise UsageError(
                f"a coroutine of the {self.abi_name} ABI has no handle for suspend(by=, to=); it returns its continuation"
            )
        self.yield_()

    def return_(self, *values: Operand) -> None:
        """Run the cleanups of all scopes and end the coroutine, with its results if it yields ``once``. A caller that destroys it
        earlier gets zeros."""
        self._position()
        if len(values) != len(self._results):
            raise UsageError(f"return_ expects {len(self._results)} values, as in Retcon(results=), not {len(values)}")
        pairs = zip(self._results.items(), values, strict=True)
        carried = {key: self.typed(kind, value, "return_", "the result") for (key, kind), value in pairs}
        self.leave(self._ending, carried, "return_() ended the block")

    def build_epilogue(self) -> None:
        if self._ending.edges:
            results = self.move_to_exit(self._ending)
            token: Value = self.constant("token", None)
            if self._results:
                token = self.intrinsic("llvm.coro.end.results", [results[key] for key in self._results], named="results")
            self.intrinsic("llvm.coro.end", [self.handle, False, token])
            self.unreachable()
        if self._unwinding.edges:
            exception = self.move_to_exit(self._unwinding)["exception"]
            self.intrinsic("llvm.coro.end", [self.handle, True, None])
            Builder.resume(self, exception)


class ContinuationValue:
    """Caller's side of such a coroutine: ``ContinuationValue(f, f.home.module.functions["ramp"], [7], abi)`` starts it.

    ``abi`` is its ABI. The buffer and the current continuation are variables of the caller.

    >>> module = pycoro.Module("")
    >>> abi = pycoro.build.Retcon(yields=["i32"])
    >>> with pycoro.build.coroutine(module, "one", {"n": "i32"}, abi=abi) as c:
    ...     taken = c.yield_(c.add(c["n"], 1))
    >>> with pycoro.build.function(module, "first", {"n": "i32"}, "i32") as f:
    ...     running = pycoro.build.ContinuationValue(f, module.functions["one"], [f["n"]], abi)
    ...     f.return_(running.value(0))
    >>> pycoro.Interpreter(module).call("first", 6)
    7
    """

    def __init__(self, build: Flow, ramp: Value, arguments: Sequence[Operand], abi: Retcon) -> None:
        self._build = build
        self._abi = abi
        self._over = abi.result_type(build)
        self._buffer = build.variable(f"[{abi.size} x i8]", align=abi.align, name="buffer")
        self._next = build.variable("ptr", name="next")
        self._given = build.variable(abi.yield_type(build), name="given")
        self._result = None if not abi.once or self._over.kind == "void" else build.variable(self._over, name="result")
        build.store(build.constant("ptr", None), self._next)  # null if the call throws
        self._store_given_and_continuation(build.call(ramp, [self._buffer, *arguments]))

    def _store_given_and_continuation(self, given: Value) -> None:
        build = self._build
        build.store(given, self._given)
        build.store(build.extract_value(given, 0) if self._abi.yields else given, self._next)

    def done(self) -> Value:
        """Return whether it has ended, as an ``i1``."""
        build = self._build
        return build.icmp("eq", build.load("ptr", self._next), build.constant("ptr", None), name="done")

    def value(self, number: int = 0) -> Value:
        """Return a value that it yielded last."""
        return self._build.extract_value(self._build.load(self._abi.yield_type(self._build), self._given), number + 1, name="value")

    def result(self) -> Value:
        """Return the result of a coroutine that yields once; a struct for several results."""
        if self._result is None:
            raise UsageError("the coroutine has no results; declare them by Retcon(once=True, results=[...])")
        return self._build.load(self._over, self._result, name="result")

    def _call_continuation(self, destroyed: bool, taken: Operand) -> None:
        build, abi = self._build, self._abi
        if abi.takes is None and taken is not None:
            raise UsageError("the coroutine takes no value on resume; declare its type by Retcon(takes='i32')")
        passed = [] if abi.takes is None else [taken if taken is not None else build.constant(abi.takes, None)]
        place = build.load("ptr", self._next)
        build.store(build.constant("ptr", None), self._next)
        given = build.call(place, [self._buffer, destroyed, *passed], type=abi.continuation(build))
        if not abi.once:
            self._store_given_and_continuation(given)
            return
        if self._result is not None:
            build.store(given, self._result)

    def resume(self, taken: Operand = None) -> None:
        """Resume it, and pass a value if it takes one. It must not be done."""
        self._call_continuation(False, taken)

    def destroy(self) -> None:
        """Run its cleanups unless it is done."""
        with self._build.if_(self._build.not_(self.done())):
            self._call_continuation(True, None)
            self._build.store(self._build.constant("ptr", None), self._next)
