"""Build switched-resume coroutines, which have a handle, a promise, and one resume and one destroy function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.build.body import EXCEPTION
from pycoro.build.coroutine import CoroutineBuilder
from pycoro.build.exits import Exit
from pycoro.build.handle import HandleValue, promise_type_of_awaitable
from pycoro.build.helpers import get_or_build_helper
from pycoro.build.spec import MALLOC, Allocation, Parameters, parse_type
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.builder import Builder
from pycoro.ir.calls import function_type_of
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["SwitchBuilder"]

_AWAIT_SUSPEND = {"void": "void", "i1": "bool", "ptr": "handle"}
"""Variants of ``llvm.coro.await.suspend`` by the result type of a suspend function."""


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
    """Handle of the coroutine itself."""
    promise: Value | None
    """Address of its promise, which ``yield_`` writes."""

    def __init__(
        self, module: Module, function: Function, parameters: Parameters, personality: Function | None, *, promise: Type | None,
        result: Type | None, lazy: bool, final: bool, allocation: Allocation,
    ) -> None:  # fmt: skip
        super().__init__(module, function, parameters, personality)
        self._result = result
        self._promise_type = promise if result is None else promise_type_of_awaitable(self, result)
        self._lazy, self._final, self._allocation = lazy, final, allocation
        align = self._promise_type.align if self._promise_type is not None else None
        if allocation is MALLOC and align is not None and align > 16:
            raise UsageError(
                f"the promise needs an alignment of {align} bytes, but malloc aligns to 16; pass coroutine(..., allocation=)"
            )
        self._destroying = self.new_exit("coro.destroy", None, ends=True)
        self._finishing = self.new_exit("coro.final", None, ends=True) if final else self._destroying
        self._handing = self.new_exit("coro.to", None, {"to": self.types.ptr}, ends=True)
        self._unwinding = self.new_exit("coro.unwind", None, {"exception": self.types.parse(EXCEPTION)}, ends=True)

    @property
    def unwinding(self) -> Exit:
        return self._unwinding

    # ---- Prologue ----

    @property
    def abi_name(self) -> str:
        return "switch"

    def build_prologue(self) -> None:
        entry = self.internal_block("entry")
        self._out = self.new_exit_block("coro.end")
        self.at_end(entry)
        self.promise = self.alloca(self._promise_type, name="promise") if self._promise_type else None
        self._id = self.anchor = self.intrinsic("llvm.coro.id", [0, self.promise, None, None], named="id")
        self.bind_parameters(0)
        self.plain = True
        self._build_allocation(entry)
        self.plain = False
        if self._result is not None and self.promise is not None:
            self.store(self.constant("ptr", None), self.promise)
        self.copy_parameters(0)
        if self._lazy:
            self.suspend()

    def _build_allocation(self, entry: Block) -> None:
        allocate, begin = self.internal_block("coro.allocate"), self.internal_block("coro.begin")
        self.branch_if(self.intrinsic("llvm.coro.alloc", [self._id], named="allocates"), allocate, begin)
        self.at_end(allocate)
        size, align = self.intrinsic("llvm.coro.size.i64", named="size"), self.intrinsic("llvm.coro.align.i64", named="align")
        memory = self._allocation.allocate(self, size, align)
        if getattr(memory, "type", None) != self.types.ptr:
            raise UsageError(f"Allocation(allocate=) must return the memory's address, a value of type ptr, not {memory!r}")
        if not align.users:
            asked = align.callee
            self.erase(align)
            if isinstance(asked, Function) and not asked.users:
                self.erase(asked)
        if self._allocation.may_fail:
            failed = self.new_exit_block("coro.failed")
            self.branch_if(self.icmp("eq", memory, self.constant("ptr", None)), failed, begin)
            with self.temporary_position(failed):
                Builder.ret(self, self.constant("ptr", None))
        else:
            self.branch(begin)
        last = self.block
        self.at_end(begin)
        place = self.phi("ptr", [(None, entry), (memory, last)], name="frame")
        self.handle = self.intrinsic("llvm.coro.begin", [self._id, place], named="handle")

    # ---- Suspends ----

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """Suspend without a value.

        ``to`` is the handle of a coroutine to resume instead, with this one removed from the stack (symmetric transfer);
        ``llvm.coro.noop`` for none. ``by`` is a function ``R (ptr awaiter, ptr handle)`` that receives ``awaiter`` and this
        handle, usually to resume the coroutine later. Before it returns, other threads may have resumed or destroyed the
        coroutine, so it must not access the frame after publishing the handle. ``R`` selects the behavior: ``void`` suspends,
        an ``i1`` suspends if true, a ``ptr`` is the handle to resume.
        """
        self.check_may_suspend("suspend()")
        if by is not None and to is not None:
            raise UsageError("pass either to= or by= to suspend(), not both")
        if awaiter is not None and by is None:
            raise UsageError("awaiter= needs by=, the function that receives it")
        if to is not None:
            by, awaiter = self._function_returning_its_awaiter(), to
        ready = None
        token: Value = self.constant("token", None)
        if by is not None:
            token = self.intrinsic("llvm.coro.save", [self.handle], named="save")
            ready = self._call_suspend_function_and_get_ready_block(
                by, awaiter if awaiter is not None else self.constant("ptr", None)
            )
        result = self.intrinsic("llvm.coro.suspend", [token, False], named="suspend")
        on = ready or self.internal_block("resumed")
        self.switch(result, self._out, {0: on, 1: self.record_edge_and_return_exit_target(self._destroying)})
        self.at_end(on)

    def _function_returning_its_awaiter(self) -> Function:
        """Return the function for ``llvm.coro.await.suspend.handle`` that returns the handle passed as its awaiter."""

        def build_transfer_body(inside: Builder, function: Function) -> None:
            for attribute in ("alwaysinline", "nounwind"):
                inside.add_attribute(function, attribute)
            inside.ret(function.arguments[0])

        return get_or_build_helper(
            self, self.home, "coro.transfer", self.types.function("ptr", ["ptr", "ptr"]), build_transfer_body
        )

    def _call_suspend_function_and_get_ready_block(self, by: Function, awaiter: Value) -> Block | None:
        """Call the suspend function; return the block that continues without suspending, if it may."""
        type = function_type_of(by)
        how = _AWAIT_SUSPEND.get(str(type.result)) if [str(kind) for kind in type.parameters] == ["ptr", "ptr"] else None
        if how is None:
            raise UsageError(
                f"suspend(by=) expects a function void, i1 or ptr (ptr awaiter, ptr handle); @{by.name} is of type {type}"
            )
        arguments = [awaiter, self.handle, by]
        function = self.intrinsic_function(f"llvm.coro.await.suspend.{how}", arguments)
        plain, self.plain = self.plain, self.plain or not self.may_throw(by)
        call = self.call(function, arguments)
        self.plain = plain
        if how != "bool":
            return None
        waits, ready = self.internal_block("waits"), self.internal_block("ready")
        self.branch_if(call, waits, ready)
        self.at_end(waits)
        return ready

    def yield_(self, *values: Operand) -> None:
        """Write a value to the promise, if there is one, and suspend."""
        self.check_may_suspend("yield_()")
        if self._result is not None:
            raise UsageError("a coroutine with result= cannot yield values; use promise= instead of result=")
        if values and (self._promise_type is None or self.promise is None):
            raise UsageError("yield_ needs a promise for the value: coroutine(..., promise='i32')")
        if len(values) != (self._promise_type is not None):
            raise UsageError(f"yield_ expects {int(self._promise_type is not None)} value, not {len(values)}")
        if values and self._promise_type is not None and self.promise is not None:
            self.store(self.typed(self._promise_type, values[0], "yield_", "the promise"), self.promise)
        self.suspend()

    def await_(self, child: Value, result: TypeLike = "void") -> Value | None:
        """Run another coroutine to its end and return its result. ``child`` is the handle of a coroutine that was built with that
        ``result`` and has not been resumed. Control transfers symmetrically to it and back; it is destroyed afterwards or
        together with this one. An exception that leaves it propagates to the function that resumed it, not to an ``attempt``
        here."""
        self.check_may_suspend("await_()")
        if self._result is None:
            raise UsageError("await_ needs a coroutine that is itself awaitable: coroutine(..., result='void')")
        kind = parse_type(self, result)
        awaited = HandleValue(self, child, result=kind)
        with self.scope() as scope:
            self.defer(awaited.destroy, name="awaited")
            self.store(self.handle, awaited.promise())
            self.suspend(to=child)
            if kind.kind != "void":
                scope.give(awaited.value())
        return None if kind.kind == "void" else scope.given

    # ---- Ends ----

    def return_(self, *values: Operand) -> None:
        """Run the cleanups of all scopes and suspend at the final suspend point, or with ``final=False`` free the frame. With a
        ``result``, pass it to the awaiter, which continues."""
        self._position()
        kinds = [] if self._result is None or self._result.kind == "void" else [self._result]
        if len(values) != len(kinds):
            expected = (
                f"1 value of type {kinds[0]}, the coroutine's result" if kinds else "no value, because the coroutine has no result"
            )
            raise UsageError(f"return_ expects {expected}, not {len(values)}")
        for kind, value in zip(kinds, values, strict=True):
            assert self._promise_type is not None and self.promise is not None
            place = self.gep(self._promise_type, self.promise, [0, 1], inbounds=True)
            self.store(self.typed(kind, value, "return_", "the result"), place)
        self.leave(self._finishing, why="return_() ended the block")

    def final(self, to: Value | None = None) -> None:
        """Run the cleanups of all scopes and suspend at the final suspend point; ``to`` is the handle of a coroutine to resume
        instead."""
        self._position()
        if not self._final:
            raise UsageError("the coroutine has no final suspend point; omit final=False, or end it by return_()")
        if to is not None and self._result is not None:
            raise UsageError("a coroutine with result= ends by return_(), which resumes the awaiter")
        why = "final() ended the block"
        if to is None:
            self.leave(self._finishing, why=why)
        else:
            self.leave(self._handing, {"to": self.typed(self.types.ptr, to, "final(to=)", "a handle")}, why)

    def build_epilogue(self) -> None:
        to = self._move_to_final_suspend_and_get_target()
        if self.open:
            self._build_final_suspend_and_transfer(to)
        self.plain = True
        if self._destroying.edges:
            self.move_to_exit(self._destroying)
            self._build_deallocation_unless_elided(self._out)
        if self._unwinding.edges:
            self._build_unwind()
        self.at_end(self._out)
        self.intrinsic("llvm.coro.end", [self.handle, False, None])
        Builder.ret(self, self.handle)

    def _move_to_final_suspend_and_get_target(self) -> Value | None:
        """Move to the final suspend, if it is reachable; return the handle to resume there, if there may be one."""
        finishing = self._finishing if self._final and self._finishing.edges else None
        if not self._handing.edges:
            if finishing:
                self.move_to_exit(finishing)
            return self._handle_of_awaiter_or_noop() if finishing and self._result is not None else None
        to = self.move_to_exit(self._handing)["to"]
        if finishing is None or finishing.block is None:
            return to
        handing, joined = self.block, self.new_exit_block("coro.next")
        self.branch(joined)
        self.move_to_exit(finishing)
        noop = self.intrinsic("llvm.coro.noop", named="noop")
        self.branch(joined)
        self.at_end(joined)
        return self.phi("ptr", [(to, handing), (noop, finishing.block)], name="next")

    def _handle_of_awaiter_or_noop(self) -> Value:
        """Return the handle of the awaiter, or a no-op coroutine without one."""
        assert self.promise is not None
        waiting = self.load("ptr", self.promise, name="waiting")
        noop = self.intrinsic("llvm.coro.noop", named="noop")
        return self.select(self.icmp("eq", waiting, self.constant("ptr", None)), noop, waiting, name="next")

    def _build_final_suspend_and_transfer(self, to: Value | None) -> None:
        token: Value = self.constant("token", None)
        if to is not None:
            token = self.intrinsic("llvm.coro.save", [self.handle], named="save")
            self._call_suspend_function_and_get_ready_block(self._function_returning_its_awaiter(), to)
        result = self.intrinsic("llvm.coro.suspend", [token, True], named="suspend")
        never = self.new_exit_block("coro.never")
        self.switch(result, self._out, {0: never, 1: self.record_edge_and_return_exit_target(self._destroying)})
        self.at_end(never).unreachable()

    def _build_deallocation_unless_elided(self, continue_at: Block) -> None:
        """Free the frame if it was allocated."""
        memory = self.intrinsic("llvm.coro.free", [self._id, self.handle], named="memory")
        free = self.new_exit_block("coro.free")
        self.branch_if(self.icmp("eq", memory, self.constant("ptr", None)), continue_at, free)
        self.at_end(free)
        self._allocation.free(self, memory)
        self.branch(continue_at)

    def _build_unwind(self) -> None:
        exception = self.move_to_exit(self._unwinding)["exception"]
        self.intrinsic("llvm.coro.end", [self.handle, True, None])
        throws = self.new_exit_block("coro.throws")
        if self._final:
            ramp = self.new_exit_block("coro.ramp")
            self.branch_if(self.intrinsic("llvm.coro.is_in_ramp"), ramp, throws)
            self.at_end(ramp)
        self._build_deallocation_unless_elided(throws)
        self.at_end(throws)
        Builder.resume(self, exception)
