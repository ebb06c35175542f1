"""``repr`` never raises: for fresh, stale, closed, destroyed, invalid and partly initialized objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pycoro
from pycoro.examples import COUNTER

ADDRESSES = [-5, -1, 1, 5, (1 << 63) + 8, (1 << 64) - 8]


@pytest.mark.parametrize("address", ADDRESSES)
def test_handle_of_an_invalid_address(address: int) -> None:
    with pycoro.Interpreter(COUNTER) as interpreter:
        assert repr(interpreter.handle(address)) == f"<Handle at {address:#x}: the handle is not that of a coroutine frame>"
    with pycoro.Engine(pycoro.lower(COUNTER, host=True)) as engine, pytest.raises(pycoro.LifecycleError):
        engine.handle(address)


@pytest.mark.parametrize("address", [1 << 64, -1 << 70, 1 << 70])
def test_number_that_is_no_address(address: int) -> None:
    with pycoro.Interpreter(COUNTER) as interpreter, pycoro.Engine(pycoro.lower(COUNTER, host=True)) as engine:
        for machine in (interpreter, engine):
            with pytest.raises(pycoro.LifecycleError, match="which is not an address of 64 bits"):
                machine.handle(address)


def of_a_module(module: pycoro.Module) -> list[Any]:
    function, coroutine = module.functions["counter"], module.coroutines["counter"]
    block = function.blocks[0]
    return [
        module, module.coroutines, module.functions, module.globals, module.types, module.types.i32, module.lint(),
        module.preview(),
        coroutine, coroutine.frame, coroutine.shape, *coroutine.frame, *coroutine.suspends, function, *function.arguments,
        function.attributes, function.dominators, function.loops, *function.loops, block, *block,
        pycoro.ir.Builder(function), module.explore(),
    ]  # fmt: skip


def changed(module: pycoro.Module) -> None:
    module.run("coro-early,cgscc(coro-split),coro-cleanup")


def untouched(module: pycoro.Module) -> None:
    pass


@pytest.mark.parametrize("then", [untouched, changed, pycoro.Module.close])
def test_objects_of_a_module(then: Callable[[pycoro.Module], None]) -> None:
    module = pycoro.Module(COUNTER)
    every = of_a_module(module)
    then(module)
    for each in every:
        assert repr(each)


def test_running_objects() -> None:
    report = pycoro.lower(COUNTER, host=True)
    engine, interpreter = pycoro.Engine(report), pycoro.Interpreter(COUNTER)
    every: list[Any] = [report, engine, interpreter, engine["counter"]]
    for handle in (engine["counter"](3, 6), interpreter.start("counter", 3, 6, promise="i32")):
        every += [handle, handle.frame, *handle.frame]
    gone = engine["counter"](3, 6)
    gone.destroy()
    every.append(gone)
    for close in (untouched, report.module.close, engine.close, interpreter.close):
        close() if close is not untouched else None  # type: ignore[call-arg]
        for each in every:
            assert repr(each)


@pytest.mark.parametrize(
    "kind", [pycoro.Module, pycoro.Engine, pycoro.Interpreter, pycoro.Handle, pycoro.Pipeline, pycoro.Compiled]
)
def test_partly_initialized_objects(kind: Any) -> None:
    assert repr(kind.__new__(kind)) == f"<{kind.__name__} that was not initialized>"
