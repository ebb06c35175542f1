"""Coroutines of the switched-resume ABI: a handle, a promise, one function that resumes and one that destroys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.build.body import EXCEPTION
from pycoro.build.coroutine import CoroutineBuilder
from pycoro.build.given import MALLOC, Allocation, Parameters, parsed
from pycoro.build.handle import Handle, promise_of_task
from pycoro.build.helpers import helper
from pycoro.build.ways import Way
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.builder import Builder
from pycoro.ir.calls import signature_of
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["SwitchBuilder"]

_HOWS = {"void": "void", "i1": "bool", "ptr": "handle"}
"""What the function of a suspend may give, and what LLVM calls it."""


class SwitchBuilder(CoroutineBuilder):
    """Builds a coroutine of the switch ABI.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "f", result="i32") as c:
    ...     c.suspend()
    ...     c.return_(7)
    >>> len(module.coroutines["f"].suspends)
    3
    """

    __slots__ = (
        "_allocation", "_destroying", "_final", "_finishing", "_handing", "_id", "_lazy", "_out", "_promise_type", "_result",
        "_unwinding", "handle", "promise",
    )  # fmt: skip

    handle: Instruction
    """Of the coroutine itself."""
    promise: Value | None
    """The address of its promise, which ``yield_`` writes to."""

    def __init__(
        self, module: Module, function: Function, parameters: Parameters, personality: Function | None, *, promise: Type | None,
        result: Type | None, lazy: bool, final: bool, allocation: Allocation,
    ) -> None:  # fmt: skip
        super().__init__(module, function, parameters, personality)
        self._result = result
        self._promise_type = promise if result is None else promise_of_task(self, result)
        self._lazy, self._final, self._allocation = lazy, final, allocation
        align = self._promise_type.align if self._promise_type is not None else None
        if allocation is MALLOC and align is not None and align > 16:
            raise UsageError(
                f"the promise is aligned to {align} bytes, and malloc aligns to 16: coroutine(..., allocation=) needs another"
            )
        self._destroying = self.new_way("coro.destroy", None, ends=True)
        self._finishing = self.new_way("coro.final", None, ends=True) if final else self._destroying
        self._handing = self.new_way("coro.to", None, {"to": self.types.ptr}, ends=True)
        self._unwinding = self.new_way("coro.unwind", None, {"exception": self.types.parse(EXCEPTION)}, ends=True)

    @property
    def unwinding(self) -> Way:
        return self._unwinding

    # ---- Before the body ----

    @property
    def abi_name(self) -> str:
        return "switch"

    def begin(self) -> None:
        entry = self.own_block("entry")
        self._out = self.new_end("coro.end")
        self.at_end(entry)
        self.promise = self.alloca(self._promise_type, name="promise") if self._promise_type else None
        self._id = self.anchor = self.intrinsic("llvm.coro.id", [0, self.promise, None, None], named="id")
        self.take(0)
        self.plain = True
        self._allocate(entry)
        self.plain = False
        if self._result is not None and self.promise is not None:
            self.store(self.constant("ptr", None), self.promise)
        self.copy(0)
        if self._lazy:
            self.suspend()

    def _allocate(self, entry: Block) -> None:
        allocate, begin = self.own_block("coro.allocate"), self.own_block("coro.begin")
        self.branch_if(self.intrinsic("llvm.coro.alloc", [self._id], named="allocates"), allocate, begin)
        self.at_end(allocate)
        size, align = self.intrinsic("llvm.coro.size.i64", named="size"), self.intrinsic("llvm.coro.align.i64", named="align")
        memory = self._allocation.allocate(self, size, align)
        if getattr(memory, "type", None) != self.types.ptr:
            raise UsageError(f"Allocation(allocate=) gives the address of the memory, a value of type ptr, not {memory!r}")
        if not align.users:
            asked = align.callee
            self.erase(align)
            if isinstance(asked, Function) and not asked.users:
                self.erase(asked)
        if self._allocation.may_fail:
            failed = self.new_end("coro.failed")
            self.branch_if(self.icmp("eq", memory, self.constant("ptr", None)), failed, begin)
            with self.standing(failed):
                Builder.ret(self, self.constant("ptr", None))
        else:
            self.branch(begin)
        last = self.block
        self.at_end(begin)
        place = self.phi("ptr", [(None, entry), (memory, last)], name="frame")
        self.handle = self.intrinsic("llvm.coro.begin", [self._id, place], named="handle")

    # ---- Suspends ----

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """Suspends without a value.

        ``to`` is the handle of a coroutine that goes on in its place, and leaves nothing of this one on the stack (symmetric
        transfer); ``llvm.coro.noop`` for nobody. ``by`` is a function that is told the handle, for somebody to resume later:
        ``R (ptr awaiter, ptr handle)``, called with ``awaiter``. By the time that it returns others may have resumed the
        coroutine, or destroyed it, so that it does not touch what lies in the frame once it has handed out the handle. What it
        gives says what is to be done: ``void`` suspends, an ``i1`` suspends where it is true, a ``ptr`` is the handle to go on
        with."""
        self.suspending("suspend()")
        if by is not None and to is not None:
            raise UsageError("suspend() is told who goes on by to=, or by the result of by=, not both")
        if awaiter is not None and by is None:
            raise UsageError("an awaiter is for the function that is told the handle: suspend(by=, awaiter=)")
        if to is not None:
            by, awaiter = self._transfer(), to
        ready = None
        token: Value = self.constant("token", None)
        if by is not None:
            token = self.intrinsic("llvm.coro.save", [self.handle], named="save")
            ready = self._hand_out(by, awaiter if awaiter is not None else self.constant("ptr", None))
        result = self.intrinsic("llvm.coro.suspend", [token, False], named="suspend")
        on = ready or self.own_block("resumed")
        self.switch(result, self._out, {0: on, 1: self.toward(self._destroying)})
        self.at_end(on)

    def _transfer(self) -> Function:
        """A function that gives the handle that it is called with: ``llvm.coro.await.suspend.handle`` wants one."""

        def make(inside: Builder, function: Function) -> None:
            for attribute in ("alwaysinline", "nounwind"):
                inside.add_attribute(function, attribute)
            inside.ret(function.arguments[0])

        return helper(self, self.home, "coro.transfer", self.types.function("ptr", ["ptr", "ptr"]), make)

    def _hand_out(self, by: Function, awaiter: Value) -> Block | None:
        """Calls what is told the handle; where that may say to go on, the block that does."""
        type = signature_of(by)
        how = _HOWS.get(str(type.result)) if [str(kind) for kind in type.parameters] == ["ptr", "ptr"] else None
        if how is None:
            raise UsageError(f"suspend(by=) takes void, i1 or ptr (ptr awaiter, ptr handle), and @{by.name} is {type}")
        arguments = [awaiter, self.handle, by]
        function = self.intrinsic_function(f"llvm.coro.await.suspend.{how}", arguments)
        plain, self.plain = self.plain, self.plain or not self.may_throw(by)
        made = self.call(function, arguments)
        self.plain = plain
        if how != "bool":
            return None
        waits, ready = self.own_block("waits"), self.own_block("ready")
        self.branch_if(made, waits, ready)
        self.at_end(waits)
        return ready

    def yield_(self, *values: Operand) -> None:
        """Writes a value to the promise, and suspends. Without one it suspends only."""
        self.suspending("yield_()")
        if self._result is not None:
            raise UsageError("a coroutine that is awaited for its result yields no values: leave out result=, and give promise=")
        if values and (self._promise_type is None or self.promise is None):
            raise UsageError("yield_ has nowhere to put the value: coroutine(..., promise='i32') says of which type it is")
        if len(values) != (self._promise_type is not None):
            raise UsageError(f"yield_ takes {int(self._promise_type is not None)} value here, and is given {len(values)}")
        if values and self._promise_type is not None and self.promise is not None:
            self.store(self.typed(self._promise_type, values[0], "yield_", "the promise"), self.promise)
        self.suspend()

    def await_(self, child: Value, result: TypeLike = "void") -> Value | None:
        """Runs another coroutine to its end, the handle of one that was built with that ``result`` and has not been resumed;
        gives its result. It goes on in this one's place, and this one in its; it is destroyed then, or with this one. An
        exception that leaves it comes out of whoever resumed it, and not here: an ``attempt`` around does not catch it."""
        self.suspending("await_()")
        if self._result is None:
            raise UsageError("a coroutine that awaits is awaited, too: coroutine(..., result='void') says for what")
        kind = parsed(self, result)
        awaited = Handle(self, child, result=kind)
        with self.scope() as scope:
            self.defer(awaited.destroy, name="awaited")
            self.store(self.handle, awaited.promise())
            self.suspend(to=child)
            if kind.kind != "void":
                scope.give(awaited.value())
        return None if kind.kind == "void" else scope.given

    # ---- Ends ----

    def return_(self, *values: Operand) -> None:
        """Ends the coroutine from here, behind the cleanups of all scopes: at its final suspend point, or with ``final=False`` for
        good, its frame freed. One with a ``result`` gives it: who awaits it goes on."""
        self._position()
        kinds = [] if self._result is None or self._result.kind == "void" else [self._result]
        if len(values) != len(kinds):
            raise UsageError(f"return_ takes {len(kinds) or 'no'} value here, and is given {len(values)}")
        for kind, value in zip(kinds, values, strict=True):
            assert self._promise_type is not None and self.promise is not None
            place = self.gep(self._promise_type, self.promise, [0, 1], inbounds=True)
            self.store(self.typed(kind, value, "return_", "the result"), place)
        self.leave(self._finishing, why="the coroutine has ended by return_()")

    def final(self, to: Value | None = None) -> None:
        """Ends the coroutine at its final suspend point, behind the cleanups of all scopes; ``to`` is the handle of who goes on
        in its place."""
        self._position()
        if not self._final:
            raise UsageError("the coroutine was told to have no final suspend point: leave out final=False, or end it by return_()")
        if to is not None and self._result is not None:
            raise UsageError("a coroutine with a result ends by return_(): who awaits it goes on")
        why = "the coroutine has ended by final()"
        if to is None:
            self.leave(self._finishing, why=why)
        else:
            self.leave(self._handing, {"to": self.typed(self.types.ptr, to, "final(to=)", "a handle")}, why)

    def finish(self) -> None:
        to = self._next()
        if self.open:
            self._build_final(to)
        self.plain = True
        if self._destroying.arrivals:
            self.arrive(self._destroying)
            self._free(self._out)
        if self._unwinding.arrivals:
            self._build_unwind()
        self.at_end(self._out)
        self.intrinsic("llvm.coro.end", [self.handle, False, None])
        Builder.ret(self, self.handle)

    def _next(self) -> Value | None:
        """Stands where the coroutine comes to its final suspend, if it does; the handle of who goes on, if there may be one."""
        finishing = self._finishing if self._final and self._finishing.arrivals else None
        if not self._handing.arrivals:
            if finishing:
                self.arrive(finishing)
            return self._waiting() if finishing and self._result is not None else None
        to = self.arrive(self._handing)["to"]
        if finishing is None or finishing.block is None:
            return to
        handing, joined = self.block, self.new_end("coro.next")
        self.branch(joined)
        self.arrive(finishing)
        nobody = self.intrinsic("llvm.coro.noop", named="nobody")
        self.branch(joined)
        self.at_end(joined)
        return self.phi("ptr", [(to, handing), (nobody, finishing.block)], name="next")

    def _waiting(self) -> Value:
        """The handle of who awaits this one; of nobody, where it was resumed by other means."""
        assert self.promise is not None
        waiting = self.load("ptr", self.promise, name="waiting")
        nobody = self.intrinsic("llvm.coro.noop", named="nobody")
        return self.select(self.icmp("eq", waiting, self.constant("ptr", None)), nobody, waiting, name="next")

    def _build_final(self, to: Value | None) -> None:
        token: Value = self.constant("token", None)
        if to is not None:
            token = self.intrinsic("llvm.coro.save", [self.handle], named="save")
            self._hand_out(self._transfer(), to)
        result = self.intrinsic("llvm.coro.suspend", [token, True], named="suspend")
        never = self.new_end("coro.never")
        self.switch(result, self._out, {0: never, 1: self.toward(self._destroying)})
        self.at_end(never).unreachable()

    def _free(self, then: Block) -> None:
        """Frees the frame, if it was allocated."""
        memory = self.intrinsic("llvm.coro.free", [self._id, self.handle], named="memory")
        free = self.new_end("coro.free")
        self.branch_if(self.icmp("eq", memory, self.constant("ptr", None)), then, free)
        self.at_end(free)
        self._allocation.free(self, memory)
        self.branch(then)

    def _build_unwind(self) -> None:
        exception = self.arrive(self._unwinding)["exception"]
        self.intrinsic("llvm.coro.end", [self.handle, True, None])
        throws = self.new_end("coro.throws")
        if self._final:
            ramp = self.new_end("coro.ramp")
            self.branch_if(self.intrinsic("llvm.coro.is_in_ramp"), ramp, throws)
            self.at_end(ramp)
        self._free(throws)
        self.at_end(throws)
        Builder.resume(self, exception)
