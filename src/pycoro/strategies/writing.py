"""Emit the declarations and values that coroutines written through `pycoro.build` use."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from pycoro.build import Async, FunctionBuilder, Retcon, function
from pycoro.ir import Builder, Function, Value
from pycoro.module import Module
from pycoro.strategies.built import Built
from pycoro.strategies.kinds import (
    FLOATS,
    REPORTED_DIRECTLY,
    element_types,
    integer_width_or_0,
    reporter_name,
    type_in_function_name,
    types_that_report_splits_into,
)

__all__ = ["PERSONALITY", "Surroundings", "constant_of", "emit_value_from_i32"]

PERSONALITY = "__gxx_personality_v0"


def constant_of(kind: str, number: int) -> Any:
    """Return a constant of the type for `Builder.constant`, derived from the number."""
    parts = element_types(kind)
    if parts:
        return [constant_of(part, number + at) for at, part in enumerate(parts.kinds)]
    return float(number) if kind in FLOATS else number % (1 << integer_width_or_0(kind))


def emit_value_from_i32(b: Builder, kind: str, number: Value) -> Value:
    """Return a value of the type, derived from an ``i32``."""
    parts = element_types(kind)
    if parts:
        value: Value = b.poison(kind)
        insert = b.insert_element if parts.is_vector else b.insert_value
        for at, part in enumerate(parts.kinds):
            value = insert(value, emit_value_from_i32(b, part, b.add(number, at)), at)
        return value
    if kind in FLOATS:
        return b.sitofp(number, kind)
    return number if kind == "i32" else b.zext(number, kind) if integer_width_or_0(kind) > 32 else b.trunc(number, kind)


class Surroundings:
    """Declarations of a module that are created on first use, by name."""

    def __init__(self, module: Module, prefix: str = "") -> None:
        self.module = module
        self.prefix = prefix
        self._b = Builder(module)
        self._found: dict[str, Function] = {}
        self._kept: dict[str, Value] = {}

    def emitted_coroutine(self, of: Built) -> Function:
        """Return an emitted coroutine."""
        return self.module.functions[f"{self.prefix}{of.name}"]

    def address_of_global(self, name: str) -> Value:
        """Return the address of a global."""
        if name not in self._kept:
            self._kept[name] = self.module.globals.get(name) or self._b.add_variable(name, "ptr", linkage="internal")
        return self._kept[name]

    def declare_nounwind_function(self, name: str, type: str) -> Function:
        """Return a nounwind declaration."""

        def declare_nounwind(name: str) -> None:
            self._b.add_attribute(self._b.declare(name, type), "nounwind")

        return self._define_once(name, declare_nounwind)

    def opaque_number(self, b: Builder) -> Value:
        """Return an opaque ``i32`` from the host."""
        return b.call(self.declare_nounwind_function("pick", "i32 ()"))

    def report(self, b: Builder, kind: str, value: Value) -> None:
        """Report a value."""
        b.call(self._reporter(kind), [value])

    @contextmanager
    def _define_internal_noinline_function(
        self, name: str, parameters: dict[str, str], result: str = "void"
    ) -> Generator[FunctionBuilder, None, None]:
        with function(self.module, name, parameters, result, linkage="internal") as f:
            f.add_attribute(f.home, "noinline")
            yield f

    def _define_once(self, name: str, make: Callable[[str], object]) -> Function:
        if name not in self._found:
            if name not in self.module.functions:
                make(name)
            self._found[name] = self.module.functions[name]
        return self._found[name]

    def _reporter(self, kind: str) -> Function:
        if kind in REPORTED_DIRECTLY:
            return self.declare_nounwind_function(reporter_name(kind), f"void ({kind})")

        def define_reporter(name: str) -> None:
            parts = element_types(kind)
            with self._define_internal_noinline_function(name, {"v": kind}) as f:
                f.add_attribute(f.home, "nounwind")
                v = f["v"]
                if parts:
                    take = f.extract_element if parts.is_vector else f.extract_value
                    for at, part in enumerate(parts.kinds):
                        self.report(f, part, take(v, at))
                elif integer_width_or_0(kind) > 64:
                    self.report(f, "i64", f.trunc(v, "i64"))
                    self.report(f, "i64", f.trunc(f.lshr(v, f.constant(kind, 64)), "i64"))
                else:
                    self.report(f, types_that_report_splits_into(kind)[0], f.sext(v, "i64"))

        return self._define_once(reporter_name(kind), define_reporter)

    def throw_if_odd_function(self) -> Function:
        """Return ``void (i32)``, which throws if the number is odd. Each throw uses a new object, since the previous one may
        be in flight past a cleanup that throws and catches.
        """

        def define_throw_if_odd_function(name: str) -> None:
            with self._define_internal_noinline_function(name, {"v": "i32"}) as f:
                every = f.add_variable("exceptions", "[256 x [32 x i8]]", linkage="internal", align=16)
                thrown_before = f.add_variable("exceptions.thrown", "i32", linkage="internal")
                with f.if_(f.trunc(f["v"], "i1")):
                    number = f.load("i32", thrown_before)
                    f.store(f.add(number, 1), thrown_before)
                    thrown = f.gep("[32 x i8]", every, [f.and_(number, 255)])
                    f.call(f.declare("_Unwind_RaiseException", "i32 (ptr)"), [thrown])
                    f.unreachable()
                f.add_attribute(f.home, "uwtable")

        return self._define_once("throw_odd", define_throw_if_odd_function)

    def await_function(self, form: str, handle_global: str) -> Function:
        """Return the await function of the form. It stores the handle to that global; with ``handle``, it transfers to the
        awaiter.
        """

        def define_await_function(name: str) -> None:
            result = {"void": "void", "bool": "i1", "handle": "ptr"}[form]
            with self._define_internal_noinline_function(name, {"awaiter": "ptr", "handle": "ptr"}, result) as f:
                f.add_attribute(f.home, "nounwind")
                f.store(f["handle"], self.address_of_global(handle_global))
                if form == "bool":
                    f.return_(f.trunc(self.opaque_number(f), "i1"))
                elif form == "handle":
                    f.return_(f["awaiter"])

        return self._define_once(f"{handle_global}.{form}", define_await_function)

    def move_and_clear_function(self, kind: str) -> Function:
        """Return the function that moves a parameter into a frame, and clears the source."""

        def define_move_and_clear_function(name: str) -> None:
            with self._define_internal_noinline_function(name, {"to": "ptr", "from": "ptr"}) as f:
                f.add_attribute(f.home, "nounwind")
                f.store(f.load(kind, f["from"]), f["to"])
                f.store(f.constant(kind, None), f["from"])

        return self._define_once(f"move.{type_in_function_name(kind)}", define_move_and_clear_function)

    # ---- ABIs ----

    def _yield_function(self, kinds: Sequence[str]) -> Function:
        """Return the function that receives the yields of an async coroutine."""

        def define_yield_function(name: str) -> None:
            parameters = {"context": "ptr", "go_on": "ptr"} | {f"v{at}": kind for at, kind in enumerate(kinds)}
            with self._define_internal_noinline_function(name, parameters) as f:
                f.add_attribute(f.home, "nounwind")
                f.store(f["go_on"], self.address_of_global("next"))
                f.store(f["context"], self.address_of_global("with"))
                for at, kind in enumerate(kinds):
                    self.report(f, kind, f[f"v{at}"])

        return self._define_once("_".join(["hand", *map(type_in_function_name, kinds)]), define_yield_function)

    def function_reporting_results_at_end(self, of: Built) -> Function:
        """Return the function to call at the end of an async coroutine."""
        kinds = of.results or ()

        def define_end_function(name: str) -> None:
            with self._define_internal_noinline_function(
                name, {"context": "ptr"} | {f"v{at}": kind for at, kind in enumerate(kinds)}
            ) as f:
                f.add_attribute(f.home, "nounwind")
                f.store(f.constant("ptr", None), self.address_of_global("next"))
                for at, kind in enumerate(kinds):
                    self.report(f, kind, f[f"v{at}"])

        return self._define_once("_".join(["ended", *map(type_in_function_name, kinds)]), define_end_function)

    def retcon_or_async_abi_of(self, of: Built) -> Retcon | Async:
        """Return the ABI of a coroutine without the switch ABI."""
        word = "context" if of.abi == "async" else "frame"
        memory: dict[str, Any] = {
            "allocate": self.declare_nounwind_function(f"alloc_{word}", "ptr (i64)"),
            "free": self.declare_nounwind_function(f"free_{word}", "void (ptr)"),
        }
        if of.abi == "async":
            return Async(results=of.results or (), hand=self._yield_function(of.yields), **memory)
        once = of.abi == "retcon.once"
        return Retcon(of.yields, of.takes or None, of.results or (), once, of.size, **memory)
