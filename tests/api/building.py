"""Helpers for tests of the builder: a module with a function to build in, and a way to run it."""

from __future__ import annotations

from typing import Any

import pycoro
from pycoro.ir import Builder, Function


def made(ir: str = "") -> tuple[pycoro.Module, Builder]:
    module = pycoro.Module(ir)
    return module, Builder(module)


def function_to_build(type: str = "i32 (i32, i32)", ir: str = "") -> tuple[pycoro.Module, Builder, Function]:
    """Return a module with an empty function, and a builder at its first block."""
    module, build = made(ir)
    function = build.add_function("f", type)
    build.at_end(build.add_block("entry", function=function))
    return module, build, function


def call(module: pycoro.Module, *args: Any, name: str = "f") -> Any:
    module.verify()
    with pycoro.Engine(pycoro.Module(module, host=True), quick=True) as engine:
        return engine.call(name, *args)
