"""Views of a coroutine: their contents, and their end with the viewed object."""

from __future__ import annotations

import gc
import itertools
import json
from collections.abc import Callable

import pytest
from samples import COUNTER, PLAIN, TWO_FINALS, join_modules

import pycoro
from pycoro import _core


def test_shape(module: pycoro.Module) -> None:
    coroutine = module.coroutines["counter"]
    shape = coroutine.shape
    assert isinstance(shape, pycoro.SwitchShape)
    assert coroutine.name == "counter"
    assert coroutine.abi == shape.abi == "switch"
    assert "@llvm.coro.id(" in shape.id
    assert shape.promise == "last"
    assert shape.promise_offset == 16
    assert shape.ends == 1
    assert shape.suspends == coroutine.suspends
    assert shape.final_suspend == coroutine.suspends[-1]


def test_suspends(module: pycoro.Module) -> None:
    first, final = module.coroutines["counter"].suspends
    assert (first.name, first.block, first.save_block, first.is_final) == ("%s", "%loop", "%loop", False)
    assert (first.resume_block, first.destroy_block, first.suspend_block) == ("%resumed", "%cleanup", "%out")
    assert (final.name, final.block, final.is_final) == ("%e", "%end", True)
    assert first.index != final.index
    assert "i" in [field.name for field in first.live]
    assert "i" not in [field.name for field in final.live]


def test_frame(module: pycoro.Module) -> None:
    frame = module.coroutines["counter"].frame
    assert [field.kind for field in frame][:3] == ["resume", "destroy", "promise"]
    assert (frame["resume"].offset, frame["destroy"].offset, frame["%last"].offset) == (0, 8, 16)
    spill = frame["%i"]
    assert (spill.kind, spill.type, spill.size, spill.align, spill.suspend) == ("spill", "i32", 4, 4, 0)
    assert (spill.def_block, spill.use_block) == ("%loop", "%resumed")
    assert "phi i32" in spill.value
    assert spill.why
    assert frame.lower_bound <= frame.size
    assert frame.size % frame.align == 0
    used = {byte for field in frame for byte in range(field.offset, field.end)}
    free = {byte for hole in frame.holes for byte in range(hole.offset, hole.offset + hole.size)}
    assert used | free == set(range(frame.size))
    assert not used & free
    assert "%loop" in frame.why("i")


@pytest.mark.parametrize("triple", ["", "x86_64-pc-linux-gnu", "i386-pc-linux-gnu", "aarch64-linux-gnu"])
def test_the_described_frame_equals_the_lowered_one_on_any_target(triple: str) -> None:
    wide = COUNTER.replace("i32 %n", "i64 %n").replace("store i32 %i", "store i64 %i").replace("alloca i32", "alloca i64")
    for changed in ("phi", "add", "icmp ult"):
        wide = wide.replace(f"{changed} i32", f"{changed} i64")
    wide = wide.replace("@print(i32", "@print(i64").replace("align 4", "align 8")
    module = pycoro.Module(f'target triple = "{triple}"\n{wide}' if triple else wide)
    shown = module.coroutines["counter"].to_dict()
    made = module.run("coro-early,cgscc(coro-split)").coroutines["counter"].to_dict()
    assert made["fields"] == shown["fields"]
    assert made["frame_size"] == shown["frame_size"]


def test_a_coroutine_that_never_suspends_has_no_frame() -> None:
    through = COUNTER.replace("%s = call i8 @llvm.coro.suspend(token none, i1 false)", "%s = add i8 0, 0")
    through = through.replace("%e = call i8 @llvm.coro.suspend(token none, i1 true)", "%e = add i8 0, 1")
    module = pycoro.Module(through)
    shown = module.coroutines["counter"]
    assert (shown.frame.size, shown.frame.fields, shown.frame.holes, shown.suspends) == (0, (), (), ())
    assert shown.frame.lower_bound == 0
    assert "no suspend" in str(shown) or "0 suspend" in str(shown)
    module.run("coro-early,cgscc(coro-split),coro-cleanup")
    assert "counter.resume" not in module.functions


def test_cfg(module: pycoro.Module) -> None:
    blocks = {block.name: block for block in module.coroutines["counter"].cfg}
    assert next(iter(blocks)) == "%entry"
    assert [block.name for block in blocks["%entry"].successors] == ["%allocate", "%begin"]
    assert blocks["%out"].successors == ()
    assert blocks["%loop"] in blocks["%resumed"].successors


def test_repr_is_one_line_and_never_raises(module: pycoro.Module) -> None:
    coroutine = module.coroutines["counter"]
    views = (coroutine, coroutine.shape, coroutine.frame, coroutine.frame[0], coroutine.suspends[0], coroutine.cfg[0])
    mapping = module.coroutines
    assert repr(mapping) == "<@counter>"
    for view in views:
        assert "\n" not in repr(view)
        assert "stale" not in repr(view)
    module.run("coro-early,cgscc(coro-split)")
    assert repr(mapping) == "<stale: @counter>"
    for view in views:
        assert view.is_stale
        assert "stale" in repr(view)


def test_to_dict_is_json(module: pycoro.Module) -> None:
    data = json.loads(json.dumps(module.coroutines["counter"].to_dict()))
    assert data["function"] == "counter"
    assert data["frame_size"] == module.coroutines["counter"].frame.size
    data["fields"].clear()
    assert module.coroutines["counter"].frame.fields


def test_attributes_are_read_only(module: pycoro.Module) -> None:
    frame = module.coroutines["counter"].frame
    with pytest.raises(AttributeError):
        frame.size = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        frame.fields = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        frame.whatever = 1  # type: ignore[attr-defined]


def uses(module: pycoro.Module) -> list[Callable[[], object]]:
    """Return one use of every object that a module gives access to."""
    mapping, functions = module.coroutines, module.functions
    coroutine = mapping["counter"]
    frame, shape, suspend, block = coroutine.frame, coroutine.shape, coroutine.suspends[0], coroutine.cfg[0]
    field, function = frame[0], functions["counter"]
    return [
        lambda: mapping["counter"],
        lambda: list(mapping),
        lambda: len(functions),
        lambda: "counter" in functions,
        lambda: function.name,
        lambda: coroutine.name,
        lambda: coroutine.frame,
        lambda: coroutine.cfg,
        lambda: coroutine.to_dict(),
        lambda: shape.id,
        lambda: shape.suspends,
        lambda: shape.promise,  # type: ignore[attr-defined]
        lambda: suspend.live,
        lambda: suspend.index,
        lambda: block.successors,
        lambda: frame.size,
        lambda: frame.holes,
        lambda: list(frame),
        lambda: frame["i"],
        lambda: frame.why("i"),
        lambda: field.offset,
        lambda: field.suspend,
    ]


def test_a_view_of_a_changed_module_is_stale(module: pycoro.Module) -> None:
    before = uses(module)
    for use in before:
        use()
    module.run("coro-early,cgscc(coro-split)")
    for use in before:
        with pytest.raises(pycoro.StaleViewError, match="get a new one from the module"):
            use()
    assert "counter.resume" in module.functions


def test_a_view_of_a_closed_module_is_closed(module: pycoro.Module) -> None:
    before = uses(module)
    module.close()
    for use in before:
        with pytest.raises(pycoro.ClosedError):
            use()


def test_a_failed_run_leaves_views_fresh(module: pycoro.Module) -> None:
    before = uses(module)
    with pytest.raises(pycoro.PipelineError):
        module.run("function(")
    for use in before:
        use()


def test_a_report_never_goes_stale(counter: str) -> None:
    with pycoro.Module(counter) as module:
        report = module.run("coro-early,cgscc(coro-split),coro-cleanup")
        coroutine = report.coroutines["counter"]
        module.run("function(instcombine)")
    assert not coroutine.is_stale
    assert coroutine.frame["%i"].type == "i32"
    assert coroutine.clones == ("counter.resume", "counter.destroy", "counter.cleanup")


def test_one_malformed_coroutine_does_not_hide_another() -> None:
    module = pycoro.Module(join_modules(TWO_FINALS, COUNTER))
    assert list(module.coroutines) == ["twice", "counter"]
    assert module.coroutines["counter"].frame.size
    with pytest.raises(pycoro.RejectedError) as caught:
        module.coroutines["twice"]
    assert caught.value.diagnostics[0].function == "twice"


def test_a_plain_function_is_not_a_coroutine(counter: str) -> None:
    module = pycoro.Module(join_modules(counter, PLAIN))
    assert "plain" not in module.coroutines
    with pytest.raises(KeyError):
        module.coroutines["plain"]


def test_a_function_that_is_a_coroutine_by_attribute_only() -> None:
    idle = PLAIN.replace("@plain", "@idle").replace("{", "presplitcoroutine {")
    for module in (pycoro.Module(join_modules(COUNTER, idle)), pycoro.Module(join_modules(TWO_FINALS, idle, COUNTER))):
        assert "idle" not in module.coroutines
        assert "counter" in list(module.coroutines)
        assert len(module.coroutines) == len(list(module.coroutines))
        with pytest.raises(KeyError, match="no coroutine intrinsics"):
            module.coroutines["idle"]


ORDERS = list(itertools.permutations(range(5)))


@pytest.mark.parametrize("order", ORDERS[:: len(ORDERS) // 24], ids=lambda order: "".join(map(str, order)))
def test_any_order_of_deletion_is_safe(counter: str, order: tuple[int, ...]) -> None:
    module = pycoro.Module(counter)
    coroutine = module.coroutines["counter"]
    held: list[object] = [module, module.coroutines, coroutine, coroutine.frame, coroutine.suspends[0].live[0]]
    names: list[Callable[[], object]] = [
        lambda: held[0].verify(),  # type: ignore[attr-defined]
        lambda: held[1]["counter"],  # type: ignore[index]
        lambda: held[2].frame.size,  # type: ignore[attr-defined]
        lambda: held[3].holes,  # type: ignore[attr-defined]
        lambda: held[4].type,  # type: ignore[attr-defined]
    ]
    del module, coroutine
    for place in order:
        held[place] = None
        gc.collect()
        for use, thing in zip(names, held, strict=True):
            if thing is not None:
                use()
    assert _core.live()["modules"] == 0


def test_objects_are_freed_without_a_collection(counter: str) -> None:
    gc.disable()
    try:
        module = pycoro.Module(counter)
        report = module.run("coro-early")
        uses(module)
        assert len(report.coroutines) == 0
        del module, report
        assert set(_core.live().values()) == {0}
    finally:
        gc.enable()


def test_an_object_in_a_cycle_is_collected(counter: str) -> None:
    ring: list[object] = [pycoro.Module(counter)]
    ring.append(ring)
    del ring
    gc.collect()
    assert _core.live()["modules"] == 0
