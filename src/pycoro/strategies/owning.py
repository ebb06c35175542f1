"""Emit drives of coroutines that are written through `pycoro.build`, and code that holds such coroutines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pycoro.build import Async, Context, ContinuationValue, HandleValue, Retcon, continue_async, function
from pycoro.build.control_flow import Flow
from pycoro.ir import Value
from pycoro.strategies.built import Built
from pycoro.strategies.model import Drive
from pycoro.strategies.writing import PERSONALITY, Surroundings, constant_of

__all__ = ["OwnedCoroutine", "OwnedHandle", "emit_driver_function", "owned_coroutine_emitter"]


class OwnedCoroutine(ABC):
    """Emits the operations on a coroutine, of any ABI, that the function being built owns."""

    def __init__(self, around: Surroundings, f: Flow, of: Built) -> None:
        self._around = around
        self._f = f
        self._of = of

    def emit_call_arguments(self, values: Sequence[Value]) -> list[Value]:
        """Return the arguments. Copied parameters are in allocas that the caller overwrites after the call."""
        f = self._f
        pairs = zip(self._of.parameters, values, strict=True)
        return [f.variable(kind, value) if how else value for (kind, how), value in pairs]

    @abstractmethod
    def emit_creation(self, values: Sequence[Value], *, elide_safe: bool = False) -> None:
        """Emit the call of its ramp, and the reports of the yielded values."""

    @abstractmethod
    def emit_done_query(self) -> Value:
        """Return an i1: the coroutine is done."""

    @abstractmethod
    def emit_resume_unless_done(self) -> None:
        """Emit code that resumes it unless it is done, and reports the yielded values."""

    @abstractmethod
    def emit_end_of_lifetime(self) -> None:
        """Emit code that destroys it if it still exists."""


class OwnedHandle(OwnedCoroutine):
    """A coroutine of the switch ABI. A task is resumed through its parked handle; one without a final suspend sets a byte when
    it frees itself.
    """

    def __init__(self, around: Surroundings, f: Flow, of: Built) -> None:
        super().__init__(around, f, of)
        self._life = None if of.final else f.variable("i8", 0, name="life")
        self.handle: HandleValue

    def emit_creation(self, values: Sequence[Value], *, elide_safe: bool = False) -> None:
        f, of = self._f, self._of
        life = [self._life] if self._life is not None else []
        given = self.emit_call_arguments(values)
        call = f.call(self._around.emitted_coroutine(of), [*life, *given])
        if elide_safe:
            f.add_attribute(call, "coro_elide_safe")
        for (kind, how), place in zip(of.parameters, given, strict=True):
            if how:
                f.store(f.constant(kind, constant_of(kind, 9)), place)
        self.handle = HandleValue(f, call, promise=of.yields[0] if of.yields else None)
        if of.is_awaitable:
            f.store(call, self._around.address_of_global("parked"))
        if of.allocates != "fails":
            self.report_yield_unless_lazy()

    def report_yield_unless_lazy(self) -> None:
        """Report the yielded value, if it has begun."""
        if not self._of.lazy:
            self._report_yields_unless_done()

    def _report_yields_unless_done(self) -> None:
        f, of = self._f, self._of
        if not of.yields:
            return
        if of.final:
            self._around.report(f, of.yields[0], self.handle.value())
            return
        with f.if_(f.not_(self.emit_done_query())):
            self._around.report(f, of.yields[0], self.handle.value())

    def emit_done_query(self) -> Value:
        f = self._f
        return self.handle.done() if self._life is None else f.trunc(f.load("i8", self._life), "i1")

    def emit_resume_unless_done(self) -> None:
        f = self._f
        with f.if_(f.not_(self.emit_done_query())):
            if self._of.is_awaitable:
                HandleValue(f, f.load("ptr", self._around.address_of_global("parked"))).resume()
            else:
                self.handle.resume()
            self._report_yields_unless_done()

    def emit_end_of_lifetime(self) -> None:
        if self._life is None:
            self.handle.destroy()
            return
        with self._f.if_(self._f.not_(self.emit_done_query())):
            self.handle.destroy()


class _OwnedRetcon(OwnedCoroutine):
    """A retcon coroutine."""

    def __init__(self, around: Surroundings, f: Flow, of: Built) -> None:
        super().__init__(around, f, of)
        how = around.retcon_or_async_abi_of(of)
        assert isinstance(how, Retcon)
        self._how = how
        self._running: ContinuationValue

    def emit_creation(self, values: Sequence[Value], *, elide_safe: bool = False) -> None:
        self._running = ContinuationValue(
            self._f, self._around.emitted_coroutine(self._of), self.emit_call_arguments(values), self._how
        )
        self._report_yields_unless_done()

    def _report_yields_unless_done(self) -> None:
        f, of = self._f, self._of
        with f.if_(f.not_(self.emit_done_query())):
            for at, kind in enumerate(of.yields):
                self._around.report(f, kind, self._running.value(at))

    def emit_done_query(self) -> Value:
        return self._running.done()

    def emit_resume_unless_done(self) -> None:
        f, of = self._f, self._of
        with f.if_(f.not_(self.emit_done_query())):
            self._running.resume(f.constant(of.takes, constant_of(of.takes, 7)) if of.takes else None)
            if of.abi == "retcon":
                self._report_yields_unless_done()
            else:
                self._report_results(of.results or ())

    def _report_results(self, kinds: Sequence[str]) -> None:
        f = self._f
        for at, kind in enumerate(kinds):
            result = self._running.result()
            whole = len(kinds) == 1 and not kind.startswith("{")
            self._around.report(f, kind, result if whole else f.extract_value(result, at))

    def emit_end_of_lifetime(self) -> None:
        self._running.destroy()


class _OwnedAsync(OwnedCoroutine):
    """An async coroutine; its next continuation is in globals of the module."""

    def __init__(self, around: Surroundings, f: Flow, of: Built) -> None:
        super().__init__(around, f, of)
        how = around.retcon_or_async_abi_of(of)
        assert isinstance(how, Async)
        self._how = how
        self._next, self._with = f.variable("ptr", name="next"), f.variable("ptr", name="with")
        self._context: Context

    def emit_creation(self, values: Sequence[Value], *, elide_safe: bool = False) -> None:
        f = self._f
        given = self.emit_call_arguments(values)
        self._clear_global_next()
        self._context = Context(f, self._around.emitted_coroutine(self._of), self._how)
        self._context.start(given, self._around.function_reporting_results_at_end(self._of))
        self._emit_copy_of_continuation_to_allocas()

    def _clear_global_next(self) -> None:
        self._f.store(self._f.constant("ptr", None), self._around.address_of_global("next"))

    def _emit_copy_of_continuation_to_allocas(self) -> None:
        """Save the continuation that the coroutine stored, before another coroutine overwrites it."""
        f = self._f
        f.store(f.load("ptr", self._around.address_of_global("next")), self._next)
        f.store(f.load("ptr", self._around.address_of_global("with")), self._with)

    def emit_done_query(self) -> Value:
        f = self._f
        return f.icmp("eq", f.load("ptr", self._next), f.constant("ptr", None))

    def emit_resume_unless_done(self) -> None:
        f = self._f
        with f.if_(f.not_(self.emit_done_query())):
            self._resume_next_continuation()

    def _resume_next_continuation(self) -> None:
        f = self._f
        self._clear_global_next()
        continue_async(f, f.load("ptr", self._next), f.load("ptr", self._with))
        self._emit_copy_of_continuation_to_allocas()

    def emit_end_of_lifetime(self) -> None:
        f = self._f
        with f.loop() as loop:
            loop.while_(f.not_(self.emit_done_query()))
            self._resume_next_continuation()
        self._context.free()


def owned_coroutine_emitter(around: Surroundings, f: Flow, of: Built) -> OwnedCoroutine:
    """Return the generator for a coroutine in the function being built."""
    if of.abi == "switch":
        return OwnedHandle(around, f, of)
    return _OwnedAsync(around, f, of) if of.abi == "async" else _OwnedRetcon(around, f, of)


def emit_driver_function(around: Surroundings, of: Built, drive: Drive, name: str) -> None:
    """Emit the function ``void name()`` that does a drive. An exception is reported as an ``i8``: -2 from the start, -1 later."""
    with function(around.module, name, personality=PERSONALITY if of.unwinds else None) as f:
        held = owned_coroutine_emitter(around, f, of)
        pairs = zip(of.parameters, drive.arguments, strict=True)
        values: list[Value] = [f.constant(kind, constant_of(kind, int(text))) for (kind, _), text in pairs]
        if of.unwinds:
            with f.attempt() as attempt:
                held.emit_creation(values)
            with attempt.caught():
                around.report(f, "i8", f.constant("i8", -2))
                f.return_()
        else:
            held.emit_creation(values)
        if of.allocates == "fails" and isinstance(held, OwnedHandle):
            with f.if_(f.icmp("eq", held.handle.address, f.constant("ptr", None))):
                f.return_()
            held.report_yield_unless_lazy()
        f.defer(held.emit_end_of_lifetime)
        for step in drive.steps:
            if step == "done":
                around.report(f, "i1", held.emit_done_query())
            elif of.unwinds:
                with f.attempt() as attempt:
                    held.emit_resume_unless_done()
                with attempt.caught():
                    around.report(f, "i8", f.constant("i8", -1))
            else:
                held.emit_resume_unless_done()
