"""Async coroutines: each suspend hands its continuation over to a function, and a caller allocates the context that the frame
lies in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pycoro.build.coroutine import CoroutineBuilder
from pycoro.build.given import Parameters, parsed
from pycoro.build.helpers import helper
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.ir.calls import signature_of
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Async", "AsyncBuilder", "Context"]

SWIFTTAIL = 20
"""LLVM's number of the convention that contexts are passed by, in which a call may always be a jump."""
RETURN, HEADER = 8, 16
"""Of a context, in bytes: where the function to go on with in the end is, behind the caller's context; the least that a header
has."""
POINTER = "<{ i32, i32 }>"
"""What an async function pointer is."""


@dataclass(frozen=True)
class Async:
    """The async ABI, that of Swift's ``async`` functions.

    ``results`` are the types of what it gives in the end to who awaits it. ``hand`` is a function ``void (ptr context, ptr
    resume, ...)`` that ``yield_`` hands its values to: it keeps the first two, for somebody to go on with by :func:`go_on`. A
    context begins with a ``header`` of so many bytes, the first 16 of which are the caller's context and the function to go on
    with in the end; it is aligned to ``align``. ``allocate``, a ``ptr (i64)``, makes the contexts of those that are awaited,
    and ``free`` takes them back; by default C's.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "later", {"n": "i32"}, abi=pycoro.build.Async(results=["i32"])) as c:
    ...     c.return_(c.mul(c["n"], 2))
    >>> print(module.coroutines["later"].shape)
    <AsyncShape async, 0 suspends, 1 end>
    """

    results: Sequence[TypeLike] = ()
    hand: Function | None = None
    header: int = HEADER
    align: int = 16
    allocate: Function | None = None
    free: Function | None = None


def _inner(
    build: Builder, near: Function, name: str, kinds: Sequence[TypeLike], context: int, make: Callable[[Builder, Function], object]
) -> Function:
    """A function that a coroutine hands over to. ``context``: which parameter is one."""

    def made(inside: Builder, function: Function) -> None:
        inside.set_convention(function, SWIFTTAIL)
        inside.add_attribute(function, "swiftasync", parameter=context)
        make(inside, function)

    return helper(build, near, name, build.types.function("void", kinds), made)


def _calls(callee: Function) -> Callable[[Builder, Function], object]:
    """What calls a function with its own arguments, and returns."""

    def make(inside: Builder, function: Function) -> None:
        inside.call(callee, function.arguments)
        inside.ret()

    return make


def _jump(inside: Builder, to: Value, arguments: Sequence[Operand], kinds: Sequence[TypeLike]) -> None:
    """Calls what takes a context in the place of the function that is built in."""
    call = inside.call(to, arguments, type=inside.types.function("void", kinds), tail="musttail")
    inside.set_convention(call, SWIFTTAIL)
    inside.add_attribute(call, "swiftasync", parameter=0)
    inside.ret()


def go_on(build: Builder, resume: Value, context: Value) -> None:
    """Calls a continuation with the context that was handed over with it.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.function(module, "wake", {"context": "ptr", "resume": "ptr"}) as f:
    ...     pycoro.build.go_on(f, f["resume"], f["context"])
    >>> [str(i).strip() for i in module.functions["wake"].walk() if i.opcode == "call"]
    ['call swifttailcc void %resume(ptr swiftasync %context)']
    """
    call = build.call(resume, [context], type="void (ptr)")
    build.set_convention(call, SWIFTTAIL)
    build.add_attribute(call, "swiftasync", parameter=0)


class Context:
    """The memory of a call of an async coroutine: ``Context(f, coroutine, how)`` allocates it, :meth:`start` calls.

    >>> module, how = pycoro.Module(""), pycoro.build.Async(results=["i32"])
    >>> with pycoro.build.coroutine(module, "later", {"n": "i32"}, abi=how) as c:
    ...     c.return_(c.mul(c["n"], 2))
    >>> with pycoro.build.function(module, "run", {"n": "i32"}) as f:
    ...     context = pycoro.build.Context(f, module.functions["later"], how)
    ...     context.start([f["n"]], f.declare("over", "void (ptr, i32)"))
    >>> pycoro.Interpreter(module, externals={"over": lambda context, result: print(result)}).call("run", 21)
    42
    """

    def __init__(self, build: Builder, coroutine: Function, how: Async) -> None:
        self._build = build
        self._coroutine = coroutine
        self._how = how
        name = f"{coroutine.name}.pointer"
        pointer = coroutine.module.globals.get(name) or build.add_variable(name, POINTER, "external")
        size = build.load("i32", build.gep("i8", pointer, [4]))
        allocate = how.allocate or build.declare("malloc", "ptr (i64)")
        self.address: Value = build.call(allocate, [build.zext(size, "i64")], name="context")

    def returns(self, caller: Value, to: Value) -> None:
        """In the end ``to`` is called with its address and the results; ``caller`` is who is there then."""
        build = self._build
        build.store(caller, self.address)
        build.store(to, build.gep("i8", self.address, [RETURN]))

    def start(self, arguments: Sequence[Operand], over: Function) -> None:
        """Runs the coroutine to its first suspend. In the end ``over`` is called, a ``void (ptr context, ...)`` that gets its
        results."""
        build, coroutine = self._build, self._coroutine
        to = _inner(build, coroutine, f"{over.name}.over", signature_of(over).parameters, 0, _calls(over))
        self.returns(build.constant("ptr", None), to)
        call = build.call(coroutine, [self.address, *arguments])
        build.add_attribute(call, "swiftasync", parameter=0)

    def free(self) -> None:
        """Takes it back."""
        self._build.call(self._how.free or self._build.declare("free", "void (ptr)"), [self.address])


class AsyncBuilder(CoroutineBuilder):
    """Builds an async coroutine. Nobody destroys it: who suspends it sees to it that it ends. ``c.context`` is its context.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "later", {"n": "i32"}, abi=pycoro.build.Async()) as c:
    ...     c.suspend(by=c.declare("park", "void (ptr, ptr, ptr)"))
    ...     call = c.call(c.declare("show", "void (i32)"), [c["n"]])
    >>> [field.name for field in module.coroutines["later"].frame]
    ['n']
    """

    __slots__ = ("_ending", "_how", "_results", "context", "handle")

    context: Value
    handle: Instruction

    def __init__(self, module: Module, function: Function, parameters: Parameters, how: Async) -> None:
        super().__init__(module, function, parameters, None)
        self._how = how
        self._results = {f"result{number}": parsed(self, kind) for number, kind in enumerate(how.results)}
        self._ending = self.new_way("coro.end", None, self._results, ends=True)
        if how.header < HEADER:
            raise UsageError(f"a context begins with two pointers: its header has {HEADER} bytes or more, not {how.header}")

    @property
    def abi_name(self) -> str:
        return "async"

    def begin(self) -> None:
        how, home = self._how, self.home
        self.set_convention(home, SWIFTTAIL)
        self.add_attribute(home, "swiftasync", parameter=0)
        name = f"{home.name}.pointer"
        pointer = home.module.globals.get(name)
        if pointer is None:
            pointer = self.add_variable(name, POINTER, [0, how.header])
            self.beside.append(pointer)
        self.at_end(self.own_block("entry"))
        self.context = home.arguments[0]
        self.rename(self.context, "context")
        token = self.anchor = self.intrinsic("llvm.coro.id.async", [how.header, how.align, 0, pointer], named="id")
        self.handle = self.intrinsic("llvm.coro.begin", [token, None], named="handle")
        self.take(1)
        self.copy(1)

    def _hand_over(self, project: Function, to: Function, given: Sequence[Value], resume: Value, results: Sequence[Type]) -> Value:
        """Suspends; what the continuation is called with: a context, and results."""
        operands = [self.constant("i32", 0), resume, project, to, *given]
        kind = self.types.struct(["ptr", *results])
        return self.intrinsic("llvm.coro.suspend.async", operands, result=kind, named="back")

    def _project(self, name: str, loads: bool) -> Function:
        """What finds the coroutine's context from the one that a continuation is called with."""

        def make(inside: Builder, function: Function) -> None:
            inside.ret(inside.load("ptr", function.arguments[0]) if loads else function.arguments[0])

        return helper(self, self.home, name, self.types.function("ptr", ["ptr"]), make)

    def _suspend(self, hand: Function, values: Sequence[Value]) -> None:
        kinds = [self.types.ptr, self.types.ptr, *(value.type for value in values)]
        to = _inner(self, self.home, f"{hand.name}.hand", kinds, 0, _calls(hand))
        resume = self.intrinsic("llvm.coro.async.resume", named="resume")
        self._hand_over(self._project("coro.same", False), to, [self.context, resume, *values], resume, [])

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """Suspends. ``by`` is a function ``void (ptr context, ptr resume, ptr awaiter)`` that is told what to go on with, by
        :func:`go_on`."""
        self.suspending("suspend()")
        if by is None or to is not None:
            raise UsageError("an async coroutine suspends by handing over what goes on: suspend(by=), or await_call()")
        self._check(by, [self.types.ptr], "suspend(by=)")
        self._suspend(by, [awaiter if awaiter is not None else self.constant("ptr", None)])

    def _check(self, hand: Function, kinds: Sequence[Type], word: str) -> None:
        wanted = self.types.function("void", ["ptr", "ptr", *kinds])
        if signature_of(hand) != wanted:
            raise UsageError(f"{word} takes a function {wanted}, and @{hand.name} is {signature_of(hand)}")

    def yield_(self, *values: Operand) -> Value | None:
        """Suspends, and hands values over with what to go on with: to the function that ``Async(hand=)`` names."""
        self.suspending("yield_()")
        hand = self._how.hand
        if hand is None:
            raise UsageError(
                "yield_ has nobody to hand the values to: Async(hand=) is a function void (ptr context, ptr resume, ...)"
            )
        kinds = signature_of(hand).parameters[2:]
        if len(kinds) != len(values):
            raise UsageError(f"yield_ takes {len(kinds)} values here, and is given {len(values)}: see @{hand.name}")
        pairs = zip(kinds, values, strict=True)
        given = [self.typed(kind, value, "yield_", f"what @{hand.name} takes") for kind, value in pairs]
        self._check(hand, kinds, "Async(hand=)")
        self._suspend(hand, given)
        return None

    def await_call(self, callee: Function, arguments: Sequence[Operand] = (), result: TypeLike = "void") -> Value | None:
        """Calls another async coroutine, whose contexts are made as this one's, and goes on when it is over; its result. It
        jumps: no stack grows."""
        self.suspending("await_call()")
        kind = parsed(self, result)
        kinds = [] if kind.kind == "void" else [kind]
        parameters = signature_of(callee).parameters
        if len(parameters) != 1 + len(arguments):
            raise UsageError(
                f"@{callee.name} takes {len(parameters) - 1} arguments behind its context, and is given {len(arguments)}"
            )
        inner = Context(self, callee, self._how)
        resume = self.intrinsic("llvm.coro.async.resume", named="resume")
        inner.returns(self.context, resume)

        def jump(inside: Builder, function: Function) -> None:
            _jump(inside, function.arguments[0], function.arguments[1:], parameters)

        enter = _inner(self, self.home, f"{callee.name}.enter", [self.types.ptr, *parameters], 1, jump)
        pairs = zip(parameters[1:], arguments, strict=True)
        given = [callee, inner.address, *(self.typed(k, value, "await_call", "the parameter") for k, value in pairs)]
        back = self._hand_over(self._project("coro.caller", True), enter, given, resume, kinds)
        inner.address = self.extract_value(back, 0, name="over")
        inner.free()
        return self.extract_value(back, 1, name="result") if kinds else None

    def return_(self, *values: Operand) -> None:
        """Ends the coroutine from here, behind the cleanups of all scopes, and goes on with who awaits it, who gets its results."""
        self._position()
        if len(values) != len(self._results):
            raise UsageError(f"return_ takes {len(self._results)} values here, and is given {len(values)}: see Async(results=)")
        pairs = zip(self._results.items(), values, strict=True)
        carried = {key: self.typed(kind, value, "return_", "the result") for (key, kind), value in pairs}
        self.leave(self._ending, carried, "the coroutine has ended by return_()")

    def finish(self) -> None:
        if not self._ending.arrivals:
            return
        results = self.arrive(self._ending)
        kinds = [self.types.ptr, *self._results.values()]

        def jump(inside: Builder, function: Function) -> None:
            to = inside.load("ptr", inside.gep("i8", function.arguments[0], [RETURN]))
            _jump(inside, to, function.arguments, kinds)

        back = _inner(self, self.home, f"{self.home.name}.back", kinds, 0, jump)
        given = [self.handle, self.constant("i1", 0), back, self.context, *(results[key] for key in self._results)]
        self.intrinsic("llvm.coro.end.async", given)
        self.unreachable()
