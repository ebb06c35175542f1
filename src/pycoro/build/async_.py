"""Build async coroutines: each suspend passes its continuation to a function, and the caller allocates the context that contains
the frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pycoro.build.coroutine import CoroutineBuilder
from pycoro.build.helpers import get_or_build_helper
from pycoro.build.spec import Parameters, parse_type
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.ir.calls import function_type_of
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Async", "AsyncBuilder", "Context"]

SWIFTTAIL = 20
"""Number of LLVM's ``swifttailcc``, the convention with guaranteed tail calls."""
RETURN, HEADER = 8, 16
"""Byte offset in a context of the function to call at the end, after the caller's context; minimal size of a header."""
POINTER = "<{ i32, i32 }>"
"""Type of an async function pointer."""


@dataclass(frozen=True)
class Async:
    """Async ABI, as of Swift's ``async`` functions.

    ``results`` are the types of its results for the awaiter. ``hand`` is a function ``void (ptr context, ptr resume, ...)``
    that receives the values of ``yield_``; it stores the first two arguments for a later :func:`continue_async`. A context
    starts with a header of ``header`` bytes: first the caller's context and the function to call at the end, 16 bytes. It is
    aligned to ``align``. ``allocate``, a ``ptr (i64)``, allocates the contexts of awaited coroutines, and ``free`` frees them;
    the defaults are C's.

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


def _get_or_build_suspend_function(
    build: Builder,
    near: Function,
    name: str,
    parameter_types: Sequence[TypeLike],
    context_index: int,
    make: Callable[[Builder, Function], object],
) -> Function:
    """Return a helper that a coroutine tail-calls when it suspends; its parameter ``context_index`` is ``swiftasync``."""

    def build_body(inside: Builder, function: Function) -> None:
        inside.set_calling_convention(function, SWIFTTAIL)
        inside.add_attribute(function, "swiftasync", parameter=context_index)
        make(inside, function)

    return get_or_build_helper(build, near, name, build.types.function("void", parameter_types), build_body)


def _body_calling_with_own_arguments(callee: Function) -> Callable[[Builder, Function], object]:
    """Return a builder for a body that calls a function with its own arguments and returns."""

    def build_forwarding_body(inside: Builder, function: Function) -> None:
        inside.call(callee, function.arguments)
        inside.ret()

    return build_forwarding_body


def _tail_call(inside: Builder, to: Value, arguments: Sequence[Operand], kinds: Sequence[TypeLike]) -> None:
    """Tail-call a function that takes a context."""
    call = inside.call(to, arguments, type=inside.types.function("void", kinds), tail="musttail")
    inside.set_calling_convention(call, SWIFTTAIL)
    inside.add_attribute(call, "swiftasync", parameter=0)
    inside.ret()


def continue_async(build: Builder, resume: Value, context: Value) -> None:
    """Call a continuation with the context that was passed with it.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.function(module, "wake", {"context": "ptr", "resume": "ptr"}) as f:
    ...     pycoro.build.continue_async(f, f["resume"], f["context"])
    >>> [str(i).strip() for i in module.functions["wake"].walk() if i.opcode == "call"]
    ['call swifttailcc void %resume(ptr swiftasync %context)']
    """
    call = build.call(resume, [context], type="void (ptr)")
    build.set_calling_convention(call, SWIFTTAIL)
    build.add_attribute(call, "swiftasync", parameter=0)


class Context:
    """Context of a call of an async coroutine: ``Context(f, coroutine, abi)`` allocates it, :meth:`start` calls the coroutine.

    >>> module, abi = pycoro.Module(""), pycoro.build.Async(results=["i32"])
    >>> with pycoro.build.coroutine(module, "later", {"n": "i32"}, abi=abi) as c:
    ...     c.return_(c.mul(c["n"], 2))
    >>> with pycoro.build.function(module, "run", {"n": "i32"}) as f:
    ...     context = pycoro.build.Context(f, module.functions["later"], abi)
    ...     context.start([f["n"]], f.declare("over", "void (ptr, i32)"))
    >>> pycoro.Interpreter(module, externals={"over": lambda context, result: print(result)}).call("run", 21)
    42
    """

    def __init__(self, build: Builder, coroutine: Function, abi: Async) -> None:
        self._build = build
        self._coroutine = coroutine
        self._abi = abi
        name = f"{coroutine.name}.pointer"
        pointer = coroutine.module.globals.get(name) or build.add_variable(name, POINTER, "external")
        size = build.load("i32", build.gep("i8", pointer, [4]))
        allocate = abi.allocate or build.declare("malloc", "ptr (i64)")
        self.address: Value = build.call(allocate, [build.zext(size, "i64")], name="context")

    def returns(self, caller: Value, to: Value) -> None:
        """Call ``to`` at the end with its context and the results; ``caller`` is the context to continue with."""
        build = self._build
        build.store(caller, self.address)
        build.store(to, build.gep("i8", self.address, [RETURN]))

    def start(self, arguments: Sequence[Operand], over: Function) -> None:
        """Run the coroutine to its first suspend. At its end it calls ``over``, a ``void (ptr context, ...)``, with its results."""
        build, coroutine = self._build, self._coroutine
        to = _get_or_build_suspend_function(
            build, coroutine, f"{over.name}.over", function_type_of(over).parameters, 0, _body_calling_with_own_arguments(over)
        )
        self.returns(build.constant("ptr", None), to)
        call = build.call(coroutine, [self.address, *arguments])
        build.add_attribute(call, "swiftasync", parameter=0)

    def free(self) -> None:
        """Free the context."""
        self._build.call(self._abi.free or self._build.declare("free", "void (ptr)"), [self.address])


class AsyncBuilder(CoroutineBuilder):
    """Builds an async coroutine. It cannot be destroyed; the function that suspends it must see to its end. ``c.context`` is its
    context.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "later", {"n": "i32"}, abi=pycoro.build.Async()) as c:
    ...     c.suspend(by=c.declare("park", "void (ptr, ptr, ptr)"))
    ...     call = c.call(c.declare("show", "void (i32)"), [c["n"]])
    >>> [field.name for field in module.coroutines["later"].frame]
    ['n']
    """

    __slots__ = ("_abi", "_ending", "_results", "context", "handle")

    context: Value
    handle: Instruction

    def __init__(self, module: Module, function: Function, parameters: Parameters, abi: Async) -> None:
        super().__init__(module, function, parameters, None)
        self._abi = abi
        self._results = {f"result{number}": parse_type(self, kind) for number, kind in enumerate(abi.results)}
        self._ending = self.new_exit("coro.end", None, self._results, ends=True)
        if abi.header < HEADER:
            raise UsageError(f"Async(header=) must be at least {HEADER} bytes, for two pointers, not {abi.header}")

    @property
    def abi_name(self) -> str:
        return "async"

    def build_prologue(self) -> None:
        abi, home = self._abi, self.home
        self.set_calling_convention(home, SWIFTTAIL)
        self.add_attribute(home, "swiftasync", parameter=0)
        name = f"{home.name}.pointer"
        pointer = home.module.globals.get(name)
        if pointer is None:
            pointer = self.add_variable(name, POINTER, [0, abi.header])
            self.owned_globals.append(pointer)
        self.at_end(self.internal_block("entry"))
        self.context = home.arguments[0]
        self.rename(self.context, "context")
        token = self.anchor = self.intrinsic("llvm.coro.id.async", [abi.header, abi.align, 0, pointer], named="id")
        self.handle = self.intrinsic("llvm.coro.begin", [token, None], named="handle")
        self.bind_parameters(1)
        self.copy_parameters(1)

    def _suspend_async(
        self, project: Function, to: Function, given: Sequence[Value], resume: Value, results: Sequence[Type]
    ) -> Value:
        """Suspend; return what the continuation receives: a context and results."""
        operands = [self.constant("i32", 0), resume, project, to, *given]
        kind = self.types.struct(["ptr", *results])
        return self.intrinsic("llvm.coro.suspend.async", operands, result=kind, named="back")

    def _context_projection_function(self, name: str, loads_caller: bool) -> Function:
        """Return a function that computes the coroutine's context from the context passed to a continuation."""

        def build_projection_body(inside: Builder, function: Function) -> None:
            inside.ret(inside.load("ptr", function.arguments[0]) if loads_caller else function.arguments[0])

        return get_or_build_helper(self, self.home, name, self.types.function("ptr", ["ptr"]), build_projection_body)

    def _suspend_and_pass_continuation_to(self, hand: Function, values: Sequence[Value]) -> None:
        kinds = [self.types.ptr, self.types.ptr, *(value.type for value in values)]
        to = _get_or_build_suspend_function(self, self.home, f"{hand.name}.hand", kinds, 0, _body_calling_with_own_arguments(hand))
        resume = self.intrinsic("llvm.coro.async.resume", named="resume")
        self._suspend_async(self._context_projection_function("coro.same", False), to, [self.context, resume, *values], resume, [])

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """Suspend. ``by``, a function ``void (ptr context, ptr resume, ptr awaiter)``, receives the continuation for
        :func:`continue_async`."""
        self.check_may_suspend("suspend()")
        if by is None or to is not None:
            raise UsageError("an async coroutine must pass its continuation on: use suspend(by=) or await_call()")
        self._check_callee_type(by, [self.types.ptr], "suspend(by=)")
        self._suspend_and_pass_continuation_to(by, [awaiter if awaiter is not None else self.constant("ptr", None)])

    def _check_callee_type(self, hand: Function, kinds: Sequence[Type], caller: str) -> None:
        expected = self.types.function("void", ["ptr", "ptr", *kinds])
        if function_type_of(hand) != expected:
            raise UsageError(f"{caller} expects a function of type {expected}; @{hand.name} is of type {function_type_of(hand)}")

    def yield_(self, *values: Operand) -> Value | None:
        """Suspend, and pass the continuation and values to the function of ``Async(hand=)``."""
        self.check_may_suspend("yield_()")
        hand = self._abi.hand
        if hand is None:
            raise UsageError("yield_ needs a function for the values; pass Async(hand=), a void (ptr context, ptr resume, ...)")
        kinds = function_type_of(hand).parameters[2:]
        if len(kinds) != len(values):
            raise UsageError(f"yield_ expects {len(kinds)} values, the parameters of @{hand.name}, not {len(values)}")
        pairs = zip(kinds, values, strict=True)
        given = [self.typed(kind, value, "yield_", f"the parameter of @{hand.name}") for kind, value in pairs]
        self._check_callee_type(hand, kinds, "Async(hand=)")
        self._suspend_and_pass_continuation_to(hand, given)
        return None

    def await_call(self, callee: Function, arguments: Sequence[Operand] = (), result: TypeLike = "void") -> Value | None:
        """Call another async coroutine with the same kind of contexts, resume after its end, and return its result. Tail calls
        keep the stack constant."""
        self.check_may_suspend("await_call()")
        kind = parse_type(self, result)
        kinds = [] if kind.kind == "void" else [kind]
        parameters = function_type_of(callee).parameters
        if len(parameters) != 1 + len(arguments):
            raise UsageError(f"@{callee.name} expects {len(parameters) - 1} arguments after its context, not {len(arguments)}")
        inner = Context(self, callee, self._abi)
        resume = self.intrinsic("llvm.coro.async.resume", named="resume")
        inner.returns(self.context, resume)

        def build_call_body(inside: Builder, function: Function) -> None:
            _tail_call(inside, function.arguments[0], function.arguments[1:], parameters)

        enter = _get_or_build_suspend_function(
            self, self.home, f"{callee.name}.enter", [self.types.ptr, *parameters], 1, build_call_body
        )
        pairs = zip(parameters[1:], arguments, strict=True)
        given = [callee, inner.address, *(self.typed(k, value, "await_call", "the parameter") for k, value in pairs)]
        back = self._suspend_async(self._context_projection_function("coro.caller", True), enter, given, resume, kinds)
        inner.address = self.extract_value(back, 0, name="over")
        inner.free()
        return self.extract_value(back, 1, name="result") if kinds else None

    def return_(self, *values: Operand) -> None:
        """Run the cleanups of all scopes, end the coroutine, and pass its results to the awaiter."""
        self._position()
        if len(values) != len(self._results):
            raise UsageError(f"return_ expects {len(self._results)} values, as in Async(results=), not {len(values)}")
        pairs = zip(self._results.items(), values, strict=True)
        carried = {key: self.typed(kind, value, "return_", "the result") for (key, kind), value in pairs}
        self.leave(self._ending, carried, "return_() ended the block")

    def build_epilogue(self) -> None:
        if not self._ending.edges:
            return
        results = self.move_to_exit(self._ending)
        kinds = [self.types.ptr, *self._results.values()]

        def build_return_body(inside: Builder, function: Function) -> None:
            to = inside.load("ptr", inside.gep("i8", function.arguments[0], [RETURN]))
            _tail_call(inside, to, function.arguments, kinds)

        back = _get_or_build_suspend_function(self, self.home, f"{self.home.name}.back", kinds, 0, build_return_body)
        given = [self.handle, self.constant("i1", 0), back, self.context, *(results[key] for key in self._results)]
        self.intrinsic("llvm.coro.end.async", given)
        self.unreachable()
