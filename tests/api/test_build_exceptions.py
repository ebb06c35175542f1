"""Exceptions that a body catches or propagates, in the interpreter and natively."""

from __future__ import annotations

from typing import Any

import pytest

import pycoro
from pycoro.build import FunctionBuilder, HandleValue, coroutine, function

PERSONALITY = "__gxx_personality_v0"


def declare_thrower(module: pycoro.Module) -> Any:
    """Declare a function that throws a C++ `int`."""
    with function(module, "thrower") as f:
        kind = f.add_variable("_ZTIi", "ptr", linkage="external")
        thrown = f.call(f.declare("__cxa_allocate_exception", "ptr (i64)"), [4])
        f.store(f.constant("i32", 7), thrown)
        f.call(f.declare("__cxa_throw", "void (ptr, ptr, ptr)"), [thrown, kind, None])
        f.unreachable()
    f.add_attribute(f.home, "uwtable")
    return f.home


def add_int_catcher(module: pycoro.Module, callee: str) -> pycoro.Module:
    """Add `@typed`, which returns the `int` that C++'s `catch (int i)` receives from the function."""
    return pycoro.Module(f"""{module}
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
define i32 @typed() personality ptr @__gxx_personality_v0 {{
entry:
  invoke void @{callee}() to label %on unwind label %pad
on:
  ret i32 0
pad:
  %caught = landingpad {{ ptr, i32 }} catch ptr @_ZTIi
  %thrown = extractvalue {{ ptr, i32 }} %caught, 0
  %at = call ptr @__cxa_begin_catch(ptr %thrown)
  %number = load i32, ptr %at
  call void @__cxa_end_catch()
  ret i32 %number
}}
""")


def results(module: pycoro.Module, name: str, *arguments: int) -> list[Any]:
    """Return the result and the trace of a call, in the interpreter and natively."""
    found: list[Any] = []
    told: list[int] = []
    externals: dict[str, Any] = {"tell": told.append}
    with pycoro.Interpreter(module, externals=externals) as machine:
        found.append((machine.call(name, *arguments), tuple(told)))
    told.clear()
    report = pycoro.lower(module, host=True)
    with pycoro.Engine(report, externals=externals, libraries=["libstdc++.so.6"], quick=True) as engine:
        found.append((engine.call(name, *arguments), tuple(told)))
    return found


def tell(f: FunctionBuilder | Any, number: int) -> None:
    f.call(f.declare("tell", "void (i32)"), [number])


def test_a_rethrown_exception_keeps_its_type() -> None:
    module = pycoro.Module("")
    throws = declare_thrower(module)
    with function(module, "on", personality=PERSONALITY) as f:
        f.defer(lambda: tell(f, 2))
        with f.attempt() as attempt:
            f.call(throws)
        with attempt.caught() as exception:
            tell(f, 1)
            f.throw_on(exception)
    told: list[int] = []
    with pycoro.Interpreter(add_int_catcher(module, "on"), externals={"tell": told.append}) as machine:
        assert (machine.call("typed"), told) == (7, [1, 2])


def test_an_exception_propagates_to_an_enclosing_attempt() -> None:
    module = pycoro.Module("")
    throws = declare_thrower(module)
    with function(module, "f", {}, "i32", personality=PERSONALITY) as f:
        with f.attempt() as outer:
            f.defer(lambda: tell(f, 2))
            with f.attempt() as inner:
                f.call(throws)
            with inner.caught() as exception:
                tell(f, 1)
                f.throw_on(exception)
        with outer.caught():
            f.return_(5)
        f.return_(0)
    assert results(module, "f") == [(5, (1, 2))] * 2


@pytest.mark.parametrize("lazy", [False, True])
def test_an_exception_propagates_out_of_a_coroutine(lazy: bool) -> None:
    """An exception propagates to the function that calls or resumes the coroutine."""
    module = pycoro.Module("")
    throws = declare_thrower(module)
    with coroutine(module, "coro", lazy=lazy, personality=PERSONALITY) as c:
        with c.attempt() as attempt:
            c.call(throws)
        with attempt.caught() as exception:
            tell(c, 1)
            c.throw_on(exception)
    with function(module, "f", {}, "i32", personality=PERSONALITY) as f:
        with f.attempt() as attempt:
            handle = HandleValue(f, f.call(c.home))
            if lazy:
                f.defer(handle.destroy)
                handle.resume()
        with attempt.caught():
            f.return_(5)
        f.return_(0)
    assert results(module, "f") == [(5, (1,))] * 2
