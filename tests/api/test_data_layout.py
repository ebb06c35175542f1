"""A module with an older data layout than LLVM's: reading upgrades it as opt does, and a copy equals the module."""

from __future__ import annotations

import pickle
import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import pycoro
from pycoro import _core

OLD = "e-m:e-i64:64-n8:16:32:64-S128"
"""Without ``i128:128``, which LLVM's bitcode reader adds and which changes the layout of the frame below."""
F = f"""
target datalayout = "{OLD}"
target triple = "x86_64-unknown-linux-gnu"
declare void @use(i128)
declare void @see(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)

define ptr @f(i128 %x, ptr %memory) presplitcoroutine {{
  %a = alloca {{ i64, i128 }}
  %v = add i128 %x, 1
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @see(ptr %a)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %out
  ]

resumed:
  call void @use(i128 %v)
  call void @see(ptr %a)
  br label %out

out:
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}}
"""


def frame_of(coroutine: pycoro.Coroutine) -> tuple[Any, ...]:
    return coroutine.frame.size, [(field.name, field.offset) for field in coroutine.frame.fields]


def layout_of(ir: str) -> str:
    found = re.search(r'target datalayout = "(.*)"', ir)
    return found[1] if found else ""


def replaced(module: pycoro.Module) -> pycoro.Module:
    into = pycoro.Module("")
    into.replace(module)
    return into


COPIES: dict[str, Callable[[pycoro.Module], pycoro.Module]] = {
    "copy": lambda module: module.copy(),
    "Module": pycoro.Module,
    "pickle": lambda module: pickle.loads(pickle.dumps(module)),
    "pickle of a pickle": lambda module: pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(module)))),
    "replace": replaced,
    "link": lambda module: pycoro.link([module]),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_has_the_data_layout_of_the_module(name: str) -> None:
    module = pycoro.Module(F)
    copy = COPIES[name](module)
    assert layout_of(str(copy)) == OLD
    assert frame_of(copy.coroutines["f"]) == frame_of(module.coroutines["f"])
    copy.verify()


def test_the_reported_frame_equals_the_lowered_one() -> None:
    module = pycoro.Module(F)
    told = frame_of(module.coroutines["f"])
    assert frame_of(pycoro.lower(module).coroutines["f"]) == told
    assert frame_of(pycoro.lower(F).coroutines["f"]) == told
    assert frame_of(module.copy().run("coro-early,cgscc(coro-split)").coroutines["f"]) == told
    assert frame_of(module.run("coro-early,cgscc(coro-split)").coroutines["f"]) == told


@pytest.mark.parametrize("bitcode", [False, True], ids=["text", "bitcode"])
def test_reading_upgrades_a_data_layout_as_opt_does(bitcode: bool) -> None:
    data = (
        subprocess.run(["llvm-as-22", "-o", "-"], input=F.encode(), capture_output=True, check=True).stdout
        if bitcode
        else F.encode()
    )
    by_opt = subprocess.run(["opt-22", "-S", "-o", "-"], input=data, capture_output=True, check=True).stdout.decode()
    module = pycoro.Module(data)
    assert layout_of(str(module)) == layout_of(by_opt)
    assert (layout_of(by_opt) == OLD) is not bitcode
    assert layout_of(str(module.copy())) == layout_of(by_opt)
    into = pycoro.Module("")
    into.replace(data)
    assert layout_of(str(into)) == layout_of(by_opt)


def test_the_hook_module_of_an_abi_may_be_a_module_of_an_older_data_layout() -> None:
    hooks = f'target datalayout = "{OLD}"\ndefine void @abi.suspend(ptr %frame) {{\n  ret void\n}}\n'

    class Watched(pycoro.SwitchABI):
        hook_module = pycoro.Module(hooks)

        def select(self, coroutine: object) -> bool:
            return True

    module = pycoro.Module(F)
    module.run(["coro-early", pycoro.CoroSplit(abis=[Watched()]), "coro-cleanup"])
    assert "f.resume" in module.functions


def test_an_engine_takes_no_module_of_another_data_layout_nor_a_copy_of_it() -> None:
    ir = str(pycoro.lower(F).module)
    for module in (pycoro.Module(ir), pycoro.Module(ir).copy()):
        with pytest.raises(pycoro.JitError, match="is for data layout"), pycoro.Engine(module):
            pass


def test_the_core_tells_the_data_layout_and_takes_another() -> None:
    core = _core.Module(F.encode())
    before = core.generation
    assert core.data_layout == OLD
    core.data_layout = ""
    assert core.data_layout == "" and core.generation > before
    with pytest.raises(TypeError):
        core.data_layout = 5  # type: ignore[assignment]
    with pytest.raises(TypeError):
        del core.data_layout
    core.close()
    with pytest.raises(pycoro.ClosedError):
        core.data_layout  # noqa: B018
    with pytest.raises(pycoro.ClosedError):
        core.data_layout = OLD
