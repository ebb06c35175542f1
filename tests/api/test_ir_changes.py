"""A Builder's insertion point, and its changes of existing code: uses, blocks, names and erased objects."""

from __future__ import annotations

import re

import pytest
from building import call, function_to_build, made

import pycoro
from pycoro.ir import Block, Builder

# ---- Insertion points ----


def test_insertion_points() -> None:
    module, build, f = function_to_build()
    x = f.arguments[0]
    last = build.ret(x)
    with pytest.raises(pycoro.UsageError, match="the block already has a terminator: build before it, or"):
        build.add(x, 1)
    with pytest.raises(pycoro.UsageError, match="a terminator must be the last instruction of its block:"):
        build.before(last).unreachable()
    first = build.before(last).add(x, 1, name="first")
    third = build.after(first).add(x, 3, name="third")
    build.before(third).add(x, 2, name="second")
    assert [i.name for i in f.walk()] == ["first", "second", "third", ""]
    merge = build.at_end(build.add_block("merge", function=f)).phi("i32", name="phi")
    build.after(merge).add(merge, 1, name="sum")
    build.at_start(merge.block).add(merge, 0, name="early")
    with pytest.raises(pycoro.UsageError, match="phis must precede all other instructions of their block"):
        build.at_end(merge.block).phi("i32")
    with pytest.raises(pycoro.UsageError, match="phis must precede all other instructions of their block"):
        build.before(merge).add(x, 1)
    build.before(merge.block.instructions[1]).phi("i32", name="other")
    assert [i.name for i in merge.block] == ["phi", "other", "early", "sum"]
    with pytest.raises(pycoro.UsageError, match="has no position"):
        Builder(module).ret()
    for wrong in (None, 3, x, "entry"):
        with pytest.raises(TypeError):
            build.at_end(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            build.before(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            Builder(wrong)  # type: ignore[arg-type]
    with pytest.raises(pycoro.UsageError, match="another module"):
        build.at_end(function_to_build()[1].block)
    build.at_end(merge.block)
    build.erase(last)
    with pytest.raises(pycoro.StaleViewError):
        build.before(last).ret(x)


DEBUG = """
define i32 @f(i32 %x) !dbg !5 {
  %y = add i32 %x, 1, !dbg !8
  ret i32 %y, !dbg !9
}
define void @g() { ret void }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !6, scopeLine: 1, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DILocation(line: 11, column: 2, scope: !5)
!9 = !DILocation(line: 12, column: 3, scope: !5)
"""


def test_debug_locations_of_new_instructions() -> None:
    module, build = made(DEBUG)
    f, g = module.functions["f"], module.functions["g"]
    y, ret = f.walk()
    inherited = build.before(ret).add(y, 1)
    build.debug = (77, 4)
    placed = build.add(y, 2)
    build.debug = None
    bare = build.add(y, 3)
    build.debug = y
    copied = build.add(y, 4)
    module.verify()
    texts = str(module).splitlines()

    def line_of(value: pycoro.ir.Value) -> str:
        found = next(text for text in texts if text.startswith(str(value).split(", !dbg")[0]))
        number = found.partition("!dbg ")[2]
        return next((text for text in texts if number and text.startswith(f"{number} = ")), "none")

    assert "line: 12" in line_of(inherited) and "line: 77, column: 4" in line_of(placed)
    assert line_of(bare) == "none" and "line: 11" in line_of(copied)
    build.before(next(g.walk()))
    build.debug = (1, 1)
    with pytest.raises(pycoro.UsageError, match="no debug information"):
        build.call(g)
    build.debug = y
    with pytest.raises(pycoro.UsageError, match="of the same function"):
        build.call(g)


# ---- Changes ----


def test_replacing_and_erasing() -> None:
    module, build, f = function_to_build()
    x, y = f.arguments
    old = build.add(x, y, name="old")
    kept = build.mul(old, old, name="kept")
    last = build.ret(kept)
    frozen = build.before(kept).freeze(old, name="frozen")
    build.replace(old, frozen)
    assert frozen.operands == (old,) and kept.operands == (frozen, frozen), "what it is made of stays"
    with pytest.raises(pycoro.UsageError, match="is still used"):
        build.erase(old)
    build.replace(old, 7)
    build.erase(old)
    assert old.is_stale and not frozen.is_stale and not kept.is_stale and not f.is_stale and not last.is_stale
    with pytest.raises(pycoro.StaleViewError):
        build.add(old, 1)
    with pytest.raises(pycoro.StaleViewError):
        str(old)
    assert [i.name for i in f.walk()] == ["frozen", "kept", ""]
    build.rename(kept, "frozen")
    assert kept.name == "frozen1"
    assert call(module, 0, 0) == 49


def test_a_constant_outlives_the_block_that_used_it() -> None:
    _, build, _ = function_to_build()
    pair = build.constant("{ i32, { i32, double } }", (1, (2, 0.5)))
    text = str(pair)
    build.ret(0)
    block = build.add_block("gone")
    build.at_end(block).ret(build.extract_value(pair, 0))
    build.erase(block)
    assert not pair.is_stale and str(pair) == text


def test_values_that_cannot_be_replaced_or_erased() -> None:
    module, build, f = function_to_build(ir="@g = global i32 0\n@h = global ptr getelementptr (i8, ptr @g, i64 4)")
    x, _ = f.arguments
    value = build.add(x, 1)
    variables = {variable.name: variable for variable in pycoro._core.ir_variables(module._core)}
    inside = build.gep("i8", variables["g"], [8])
    for old, by, why in (
        (value, value, "replaced by itself"),
        (value, build.constant("i64", 1), "has type i64; it must have type i32|is needed"),
        (build.constant("i32", 3), x, "only uses of instructions, arguments and globals can be"),
        (f.blocks[0], x, "only uses of instructions, arguments and globals can be"),
        (variables["g"], inside, "a global cannot be replaced by a constant that contains it"),
        (variables["g"], build.inttoptr(build.zext(x, "i64")), "of another function|has to be one"),
    ):
        with pytest.raises(pycoro.UsageError, match=why):
            build.replace(old, by)
    with pytest.raises(pycoro.UsageError, match="still used"):
        build.erase(variables["g"])
    with pytest.raises(pycoro.UsageError, match="only instructions, blocks, functions and variables can be"):
        build.erase(x)
    with pytest.raises(pycoro.UsageError, match="only instructions, blocks, functions and variables can be"):
        build.erase(build.constant("i32", 3))
    build.replace(variables["g"], variables["h"])
    build.erase(variables["g"])
    assert variables["g"].is_stale and not variables["h"].is_stale


def test_erasing_blocks_and_functions() -> None:
    module, build, f = function_to_build()
    x, y = f.arguments
    first, second = build.add_block("first"), build.add_block("second")
    jump = build.branch(first)
    value = build.at_end(first).add(x, y)
    out = build.branch(second)
    phi = build.at_end(second).phi("i32", [(value, first)])
    build.ret(phi)
    with pytest.raises(pycoro.UsageError, match="the block has predecessors, or its address is taken:"):
        build.erase(first)
    build.erase(jump)
    with pytest.raises(pycoro.UsageError, match="a phi has the block as an incoming block: erase the phi"):
        build.erase(first)
    build.replace(phi, x)
    build.erase(phi)
    inside = list(first)
    build.erase(first)
    assert first.is_stale and value.is_stale and out.is_stale and all(i.is_stale for i in inside) and not second.is_stale
    build.at_end(f.blocks[0]).branch(second)
    assert call(module, 4, 5) == 4
    g = build.add_function("g", "i32 (i32, i32)")
    called = build.at_end(build.add_block("entry", function=g)).call(f, [1, 2])
    with pytest.raises(pycoro.UsageError, match="still used"):
        build.erase(f)
    build.ret(called)
    views, functions = module.functions, list(f.walk())
    build.erase(g)
    build.erase(f)
    assert f.is_stale and views.is_stale and all(i.is_stale for i in functions) and list(module.functions) == []


def test_erasing_a_function_without_queries() -> None:
    module, build = made()
    gone = build.add_function("gone", "void ()")
    build.erase(gone)
    assert repr(gone) == "<stale Function @: erased>" and list(module.functions) == []


def test_splitting() -> None:
    module, build, f = function_to_build()
    x, y = f.arguments
    loop, done = build.add_block("loop"), build.add_block("done")
    entry = build.block
    build.branch(loop)
    build.at_end(loop)
    n = build.phi("i32", [(0, entry)], name="n")
    m = build.add(n, 1, name="m")
    sum = build.add(m, y, name="sum")
    build.add_incoming(n, m, loop)
    build.branch_if(build.icmp("ult", m, x), loop, done)
    last = build.at_end(done).phi("i32", [(sum, loop)])
    build.ret(last)
    before = call(module, 5, 100)
    head = build.split(sum, "head")
    assert isinstance(head, Block) and [b.name for b in f.blocks] == ["entry", "head", "loop", "done"]
    assert [i.name for i in head] == ["n", "m", ""] and [i.name for i in loop][:1] == ["sum"]
    assert not any(value.is_stale for value in (n, m, sum, loop, last))
    assert n.name == "n" and m.block is head
    assert call(module, 5, 100) == before == 105
    first = build.split(entry.instructions[0], "first")
    assert f.blocks[0] is first and call(module, 5, 100) == 105
    with pytest.raises(pycoro.UsageError, match="the phis of a block cannot be separated: split after them"):
        build.split(last)
    with pytest.raises(pycoro.UsageError, match="before one of its instructions"):
        build.split(x)  # type: ignore[arg-type]


def test_splitting_preserves_debug_locations() -> None:
    module, build = made(DEBUG)
    f = module.functions["f"]
    _, ret = f.walk()
    before = str(module)
    build.split(ret, "head")
    module.verify()
    assert "%y = add i32 %x, 1, !dbg" in str(module) and before.count("!dbg") == str(module).count("!dbg")


def test_splitting_leaves_debug_records_where_they_apply() -> None:
    record = "  #dbg_value(i32 %{}, !10, !DIExpression(), !9)\n"
    module, build = made(
        DEBUG.replace("  ret i32 %y", record.format("y") + "  %z = add i32 %y, 1, !dbg !8\n" + record.format("z") + "  ret i32 %y")
        + '!10 = !DILocalVariable(name: "v", scope: !5, file: !1, line: 2, type: !11)\n'
        + '!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)\n'
    )
    *_, ret = module.functions["f"].walk()
    build.split(ret, "head")
    module.verify()
    head, tail = str(module).partition("head:")[2].split("\n\n")[:2]
    assert re.findall(r"%\w+ = add|#dbg_value\(i32 %\w+", head) == ["%y = add", "#dbg_value(i32 %y", "%z = add"]
    assert re.findall(r"ret|#dbg_value\(i32 %\w+", tail) == ["#dbg_value(i32 %y", "#dbg_value(i32 %z", "ret"]


def test_views_of_built_code() -> None:
    module, build, f = function_to_build()
    functions, generation = module.functions, module.generation
    build.ret(0)
    assert module.generation > generation and functions.is_stale and not f.is_stale
    assert module.functions["f"] is f and not f.is_declaration
    i32 = module.types.i32
    build.add_function("later", "void ()")
    assert list(module.functions) == ["f", "later"] and i32.size == 4
    build.constant("i32", 99)
    assert list(module.functions) == ["f", "later"] and not module.functions.is_stale
    module.run("instcombine")
    assert f.is_stale
    with pytest.raises(pycoro.StaleViewError):
        build.at_end(f.blocks[0])
    with pytest.raises(pycoro.StaleViewError):
        build.unreachable()
    module.close()
    with pytest.raises(pycoro.ClosedError):
        build.add_function("none", "void ()")
