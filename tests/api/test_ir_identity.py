"""Values of pycoro.ir: each has one object, which is marked when the value is erased."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import pytest

import pycoro
from pycoro import _core, ir

TEXT = """
@count = global i32 0
define i32 @f(i32 %a, i32 %b) {
entry:
  %sum = add nsw i32 %a, %b
  %twice = add i32 %sum, %sum
  br label %exit
exit:
  store i32 %twice, ptr @count
  ret i32 %sum
}
declare void @g()
"""


@pytest.fixture
def module() -> pycoro.Module:
    return pycoro.Module(TEXT)


def test_a_value_has_one_object(module: pycoro.Module) -> None:
    f = module.functions["f"]
    add = f.blocks[0].instructions[0]
    assert f.blocks[0].instructions[0] is add
    assert f.blocks[0].instructions[1].operands == (add, add)
    assert add.operands[0] is f.arguments[0]
    assert f.arguments[0].function is f and add.function is f and add.block is f.blocks[0]
    assert len({add, f.blocks[0].instructions[0]}) == 1
    assert next(iter(f.walk())) is add


def test_users_are_listed_once(module: pycoro.Module) -> None:
    f = module.functions["f"]
    add, twice, _ = f.blocks[0].instructions
    assert set(add.users) == {twice, f.blocks[1].instructions[1]}
    assert len(add.users) == 2
    assert twice.users == (f.blocks[1].instructions[0],)


def test_an_object_is_freed_with_its_last_reference(module: pycoro.Module) -> None:
    gc.collect()
    before = _core.live()["values"]
    walked = list(module.functions["f"].walk())
    assert _core.live()["values"] > before
    gone = weakref.ref(walked[0])
    walked.clear()
    gc.collect()
    assert gone() is None
    assert _core.live()["values"] == before


def test_a_value_keeps_its_module_alive() -> None:
    add = pycoro.Module(TEXT).functions["f"].blocks[0].instructions[0]
    gc.collect()
    assert str(add).strip() == "%sum = add nsw i32 %a, %b"


def test_a_dying_object_is_not_resurrected(module: pycoro.Module) -> None:
    """A lookup from a weak reference's callback creates a new object."""
    f = module.functions["f"]
    found: list[ir.Instruction] = []
    add = f.blocks[0].instructions[0]
    watch = weakref.ref(add, lambda _: found.append(f.blocks[0].instructions[0]))
    del add
    gc.collect()
    assert watch() is None
    assert found[0] is f.blocks[0].instructions[0]
    assert found[0].opcode == "add"


def test_a_run_makes_all_values_stale(module: pycoro.Module) -> None:
    f = module.functions["f"]
    values: list[ir.Value] = [f, *f.blocks, *f.arguments, *f.walk(), *(o for i in f.walk() for o in i.operands)]
    module.run("instcombine")
    for value in values:
        assert value.is_stale
        assert repr(value).startswith("<stale ")
        with pytest.raises(pycoro.StaleViewError, match="has changed"):
            _ = value.name
        with pytest.raises(pycoro.StaleViewError):
            str(value)
    assert not module.functions["f"].is_stale


def test_a_failed_run_keeps_values_valid(module: pycoro.Module) -> None:
    add = module.functions["f"].blocks[0].instructions[0]
    with pytest.raises(pycoro.PipelineError):
        module.run("no-such-pass")
    with pytest.raises(ZeroDivisionError):
        module.run("instcombine", after_pass=lambda *_: 1 // 0)
    assert add.opcode == "add"


def test_values_of_a_closed_module_say_so(module: pycoro.Module) -> None:
    f = module.functions["f"]
    add = f.blocks[0].instructions[0]
    module.close()
    assert add.is_stale and repr(add) == "<stale Instruction>"
    for ask in (lambda: add.opcode, lambda: f.blocks, lambda: f.name, lambda: f.type, lambda: list(f.walk())):
        with pytest.raises(pycoro.ClosedError):
            ask()


def test_values_are_unusable_during_a_run(module: pycoro.Module) -> None:
    f = module.functions["f"]
    add = f.blocks[0].instructions[0]
    told: list[str] = []

    def look(*_: str) -> None:
        told.extend((f.name, repr(add)))
        _ = add.opcode

    with pytest.raises(pycoro.BusyError):
        module.run("instcombine", after_pass=look)
    assert told == ["f", "<Instruction>"]
    assert not add.is_stale


def test_values_cannot_be_constructed(module: pycoro.Module) -> None:
    add = module.functions["f"].blocks[0].instructions[0]
    for kind in (_core.Value, ir.Value, ir.Instruction, ir.Function):
        with pytest.raises(TypeError, match="values cannot be constructed; get them from a module, as"):
            kind()
    with pytest.raises(TypeError):
        copy.copy(add)
    with pytest.raises(TypeError):
        pickle.dumps(add)
    with pytest.raises(AttributeError):
        add.opcode = "sub"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        add.mine = 1  # type: ignore[attr-defined]


def test_non_values_are_type_errors(module: pycoro.Module) -> None:
    for wrong in (None, 3, "add", module, module._core):
        with pytest.raises(TypeError, match=r"expected a value of pycoro\.ir, not"):
            _core.ir_opcode(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _core.ir_functions(module)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _core.ir_classes({})
    with pytest.raises(TypeError):
        _core.ir_classes({"Instruction": int})  # type: ignore[dict-item]


def test_queries_for_another_kind_return_none(module: pycoro.Module) -> None:
    f = module.functions["f"]
    assert _core.ir_opcode(f) is None
    assert _core.ir_blocks(f.blocks[0]) is None
    assert _core.ir_instructions(f) is None


def test_assigning_class_does_not_change_the_value(module: pycoro.Module) -> None:
    add = module.functions["f"].blocks[0].instructions[0]
    add.__class__ = ir.Block  # type: ignore[assignment]
    assert add.instructions is None
    assert add.parent is None


LOCAL = """
declare i1 @llvm.type.test(ptr, metadata)
define void @f(ptr %p, i32 %a) {
  %one = add i32 %a, 1
  %two = add i32 %a, 2
  %x = call i1 @llvm.type.test(ptr %p, metadata i32 %one)
  %y = call i1 @llvm.type.test(ptr %p, metadata i32 %two)
  %z = call i1 @llvm.type.test(ptr %p, metadata i32 poison)
  ret void
}
"""


@pytest.mark.parametrize("how", ["erase", "replace"])
def test_metadata_that_names_a_value_goes_with_it(how: str) -> None:
    """LLVM uniques metadata of the same value, and deletes the duplicate."""
    module = pycoro.Module(LOCAL)
    f = module.functions["f"]
    one, two, *calls, _ = f.walk()
    builder = ir.Builder(one)
    named = [call.operands[1] for call in calls]
    if how == "erase":
        builder.erase(two)
        builder.erase(one)
    else:
        builder.replace(two, one)
    assert all(isinstance(value, ir.MetadataValue) and value.is_stale for value in named)
    for value in named:
        with pytest.raises(pycoro.StaleViewError, match="erased"):
            str(value)
    assert not any(call.is_stale for call in calls)
    assert len({call.operands[1] for call in calls}) == (1 if how == "erase" else 2)


def test_objects_are_valid_after_changes(module: pycoro.Module) -> None:
    f = module.functions["f"]
    entry, exit_ = f.blocks
    add, twice, br = entry.instructions
    store, ret = exit_.instructions
    generation = module.generation
    functions = module.functions
    builder = ir.Builder(store)
    builder.replace(twice, add)
    builder.erase(twice)
    assert module.generation > generation and functions.is_stale
    assert twice.is_stale and repr(twice) == "<stale Instruction>"
    with pytest.raises(pycoro.StaleViewError, match="this value was erased"):
        _ = twice.opcode
    assert not any(value.is_stale for value in (f, entry, exit_, add, br, store, ret))
    assert entry.instructions == (add, br) and store.operands[0] is add
    assert module.functions["f"] is f and f.blocks == (entry, exit_)


@pytest.mark.parametrize("name", ["alias", "chosen"])
def test_no_alias_names_itself(name: str) -> None:
    """LLVM's verifier follows aliases to their end."""
    module = pycoro.Module(
        "@x = global i32 0\n@alias = alias i8, getelementptr (i8, ptr @x, i64 1)\n"
        "@chosen = ifunc void (), ptr @resolver\ndefine ptr @resolver() { ret ptr null }"
    )
    old = module.globals["x"] if name == "alias" else module.functions["resolver"]
    with pytest.raises(pycoro.UsageError, match="a global cannot be replaced by a constant that contains it"):
        ir.Builder(module).replace(old, module.globals[name])
    module.verify()
