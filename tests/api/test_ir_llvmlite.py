"""Interoperability with llvmlite: each reads the modules of the other, and finishes functions of the other."""

from __future__ import annotations

import pytest

import pycoro
from pycoro.ir import Builder

llvmlite = pytest.importorskip("llvmlite")
ir = pytest.importorskip("llvmlite.ir")
binding = pytest.importorskip("llvmlite.binding")


def square() -> object:
    """Return a module of llvmlite, with a function and a declaration."""
    module = ir.Module(name="by llvmlite")
    i32 = ir.IntType(32)
    function = ir.Function(module, ir.FunctionType(i32, [i32]), name="square")
    ir.Function(module, ir.FunctionType(ir.VoidType(), [i32]), name="show")
    build = ir.IRBuilder(function.append_basic_block("entry"))
    build.ret(build.mul(function.args[0], function.args[0], name="product"))
    return module


def test_a_module_of_llvmlite_is_read_and_run() -> None:
    assert "unknown-unknown-unknown" in str(square())
    module = pycoro.Module(square(), host=True)
    assert "unknown" not in next(line for line in str(module).splitlines() if line.startswith("target triple"))
    with pycoro.Engine(module) as engine:
        assert engine.call("square", 12) == 144


def test_a_coroutine_is_built_around_a_function_of_llvmlite() -> None:
    module = pycoro.Module(square(), host=True)
    build = Builder(module)
    called = module.functions["square"]
    f = build.add_function("squares", "ptr (i32)")
    build.add_attribute(f, "presplitcoroutine")
    entry, again, cleanup, out = (build.add_block(name, function=f) for name in ("entry", "again", "cleanup", "out"))
    build.at_end(entry)
    token = build.intrinsic("llvm.coro.id", [0, None, None, None])
    memory = build.call(build.declare("malloc", "ptr (i64)"), [build.intrinsic("llvm.coro.size.i64")])
    handle = build.intrinsic("llvm.coro.begin", [token, memory])
    build.branch(again)
    n = build.at_end(again).phi("i32", [(f.arguments[0], entry)])
    squared = build.call(called, [n])
    build.call(module.functions["show"], [squared])
    build.switch(build.intrinsic("llvm.coro.suspend", [None, False]), out, {0: again, 1: cleanup})
    build.add_incoming(n, squared, again)
    build.at_end(cleanup).call(build.declare("free", "void (ptr)"), [build.intrinsic("llvm.coro.free", [token, handle])])
    build.branch(out)
    build.at_end(out).intrinsic("llvm.coro.end", [handle, False, None])
    build.ret(handle)
    module.verify()
    seen: list[int] = []
    with pycoro.Engine(pycoro.lower(module), externals={"show": seen.append}) as engine, engine.start("squares", 3) as running:
        running.resume()
    assert seen == [9, 81]


def test_a_module_of_pycoro_is_read_by_llvmlite() -> None:
    module = pycoro.Module("")
    build = Builder(module)
    f = build.add_function("f", "i64 (i64)")
    build.at_end(build.add_block("entry", function=f))
    build.ret(build.add(f.arguments[0], 41))
    text = binding.parse_assembly(str(module))
    text.verify()
    assert text.get_function("f").name == "f"
    back = pycoro.Module(text.as_bitcode())
    with pycoro.Engine(pycoro.Module(back, host=True)) as engine:
        assert engine.call("f", 1) == 42


def test_a_coroutine_of_llvmlite_by_a_token_type_of_ones_own() -> None:
    """llvmlite lacks token types. It uses only the spelling of a type; `none` is a constant with that spelling."""
    assert not hasattr(ir, "TokenType")

    class Token(ir.types.Type):  # type: ignore[misc]  # llvmlite has no types
        def _to_string(self) -> str:
            return "token"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Token)

        def __hash__(self) -> int:
            return hash(Token)

        def format_constant(self, value: object) -> str:
            return "none"

    module, i32, i8, i1, pointer = ir.Module(), ir.IntType(32), ir.IntType(8), ir.IntType(1), ir.PointerType()
    token, none = Token(), ir.Constant(Token(), None)

    def declared(name: str, result: object, *parameters: object) -> object:
        return ir.Function(module, ir.FunctionType(result, parameters), name=name)

    id_ = declared("llvm.coro.id", token, i32, pointer, pointer, pointer)
    begin, end = declared("llvm.coro.begin", pointer, token, pointer), declared("llvm.coro.end", ir.VoidType(), pointer, i1, token)
    suspend, memory = declared("llvm.coro.suspend", i8, token, i1), declared("memory", pointer)
    show = declared("show", ir.VoidType(), i32)
    f = ir.Function(module, ir.FunctionType(pointer, [i32]), name="f")
    entry, resumed, out = (f.append_basic_block(name) for name in ("entry", "resumed", "out"))
    build = ir.IRBuilder(entry)
    null = ir.Constant(pointer, None)
    begun = build.call(begin, [build.call(id_, [ir.Constant(i32, 0), null, null, null]), build.call(memory, [])])
    switch = build.switch(build.call(suspend, [none, ir.Constant(i1, 0)]), out)
    switch.add_case(ir.Constant(i8, 0), resumed)
    build.position_at_end(resumed)
    build.call(show, [f.args[0]])
    build.branch(out)
    build.position_at_end(out)
    build.call(end, [begun, ir.Constant(i1, 0), none])
    build.ret(begun)
    read = pycoro.Module(module, host=True)
    Builder(read).add_attribute(read.functions["f"], "presplitcoroutine")  # which llvmlite lacks too
    report = pycoro.lower(read)
    assert [field.name for field in report.coroutines["f"].frame if field.kind == "spill"]


def test_a_change_by_llvmlite_comes_back() -> None:
    """A module is written as text, changed by llvmlite and read again."""
    module = pycoro.Module(square(), host=True)
    parsed = binding.parse_assembly(str(module))
    parsed.get_function("square").linkage = "internal"
    again = pycoro.Module(str(parsed))
    assert again.functions["square"].is_local and not module.functions["square"].is_local
