"""Dominators and loops of a function, from csrc/graph."""

from __future__ import annotations

import gc

import pytest

import pycoro
from pycoro import _core, ir

NEST = """
define void @f(i1 %a, i1 %b) {
entry:
  %x = add i32 1, 2
  %y = add i32 %x, %x
  br label %outer
outer:
  br label %inner
inner:
  br i1 %a, label %inner, label %next
next:
  br i1 %b, label %second, label %tail
second:
  br i1 %a, label %second, label %tail
tail:
  br i1 %a, label %outer, label %exit
exit:
  ret void
dead:
  br label %exit
}
declare void @g()
define void @irreducible(i1 %a) {
entry:
  br i1 %a, label %one, label %two
one:
  br label %two
two:
  br i1 %a, label %one, label %exit
exit:
  ret void
}
"""


@pytest.fixture
def f() -> ir.Function:
    return pycoro.Module(NEST).functions["f"]


def named(f: ir.Function) -> dict[str, ir.Block]:
    return {block.name: block for block in f.blocks}


def test_dominators(f: ir.Function) -> None:
    at, tree = named(f), f.dominators
    above = {name: tree.idom(block) for name, block in at.items()}
    assert {name: block and block.name for name, block in above.items()} == {
        "entry": None,
        "outer": "entry",
        "inner": "outer",
        "next": "inner",
        "second": "next",
        "tail": "next",
        "exit": "tail",
        "dead": None,
    }
    assert tree.children(at["next"]) == (at["second"], at["tail"])
    assert tree.dominates(at["outer"], at["exit"]) and tree.dominates(at["tail"], at["tail"])
    assert not tree.dominates(at["second"], at["tail"]) and not tree.dominates(at["exit"], at["outer"])
    assert [block.name for block in f.blocks if not tree.is_reachable(block)] == ["dead"]
    assert tree.dominates(at["exit"], at["dead"]) and not tree.dominates(at["dead"], at["exit"])
    assert repr(tree) == "<Dominators of @f>"


def test_instructions_dominate(f: ir.Function) -> None:
    at, tree = named(f), f.dominators
    x, y, br = at["entry"].instructions
    assert tree.dominates(x, y) and tree.dominates(x, x) and not tree.dominates(y, x)
    assert tree.dominates(br, at["exit"].instructions[0])
    assert tree.dominates(x, at["entry"]) and not tree.dominates(y, at["entry"])
    assert tree.dominates(at["entry"], y)


def test_loops(f: ir.Function) -> None:
    at = named(f)
    outer, inner, second = f.loops
    assert [loop.header.name for loop in f.loops] == ["outer", "inner", "second"]
    assert [block.name for block in outer] == ["outer", "inner", "next", "second", "tail"]
    assert inner.blocks == (at["inner"],)
    assert (outer.depth, inner.depth, second.depth) == (1, 2, 2)
    assert inner.parent == outer and outer.parent is None and outer.children == (inner, second)
    assert outer.latches == (at["tail"],) and outer.exits == ((at["tail"], at["exit"]),)
    assert f.loop_of(at["tail"]) == outer and f.loop_of(at["inner"]) == inner and f.loop_of(at["exit"]) is None
    assert at["second"] in outer and at["second"] in second and at["second"] not in inner and at["exit"] not in outer
    assert 3 not in outer and at["entry"].instructions[0] not in outer
    assert len({*f.loops, *f.loops}) == 3
    assert repr(inner) == "<Loop of <Block %inner>, depth 2>"


def test_a_cycle_with_two_entries_is_no_loop() -> None:
    assert pycoro.Module(NEST).functions["irreducible"].loops == ()


def test_a_declaration_has_no_dominators_or_loops() -> None:
    g = pycoro.Module(NEST).functions["g"]
    assert g.loops == () and g.blocks == () and list(g.walk()) == []


def test_blocks_of_other_functions_are_rejected(f: ir.Function) -> None:
    other = pycoro.Module(NEST).functions["f"]
    for ask in (f.dominators.idom, f.dominators.is_reachable, f.loop_of, f.dominators.children):
        for wrong in (other.blocks[0], f, f.arguments[0]):
            with pytest.raises(pycoro.UsageError, match="is not a block of @f"):
                ask(wrong)  # type: ignore[arg-type]
    with pytest.raises(pycoro.UsageError):
        f.dominators.dominates(f.blocks[0], other.blocks[0].instructions[0])


def test_analyses_are_stale_after_a_change() -> None:
    module = pycoro.Module(NEST)
    f = module.functions["f"]
    tree, loop, entry = f.dominators, f.loops[0], f.blocks[0]
    module.run("simplifycfg")
    assert tree.is_stale and loop.is_stale
    for ask in (lambda: tree.idom(entry), lambda: loop.header, lambda: loop.blocks, lambda: loop.depth, lambda: f.loops):
        with pytest.raises(pycoro.StaleViewError):
            ask()
    assert repr(loop) == "<stale Loop>" and repr(tree) == "<stale Dominators of @f>"


def test_modules_are_freed_without_a_collection() -> None:
    """The memory of a module is freed with the last reference, without a collection."""
    gc.collect()
    gc.disable()
    try:
        before = _core.live()["modules"]
        module = pycoro.Module(NEST)
        f = module.functions["f"]
        assert f.loops[0].blocks and f.dominators.idom(f.blocks[1]) and f.debug is None
        del f, module
        assert _core.live()["modules"] == before
    finally:
        gc.enable()


def test_deep_loop_nests_take_linear_time() -> None:
    depth = 20_000
    heads = "".join(f"h{i}:\n  br label %h{i + 1}\n" for i in range(depth))
    tails = "".join(f"t{i}:\n  br i1 %a, label %h{i}, label %{f't{i - 1}' if i else 'exit'}\n" for i in reversed(range(depth)))
    body = f"entry:\n  br label %h0\n{heads}h{depth}:\n  br label %t{depth - 1}\n{tails}exit:\n  ret void\n"
    text = f"define void @f(i1 %a) {{\n{body}}}\n"
    f = pycoro.Module(text, trusted=True).functions["f"]
    assert len(f.loops) == depth
    assert f.loops[-1].depth == depth and len(f.loops[0].blocks) == 2 * depth + 1
