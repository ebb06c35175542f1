"""ABIs written in Python: their decisions and arguments; a failing one leaves the module unchanged."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence

import pytest
from samples import CLEANUP

import pycoro
from pycoro.oracle import for_host

# Counts down from a start that is loaded once; yields through the promise.
COUNTER = (
    """
define ptr @f(ptr %place, i8 %small) presplitcoroutine {
entry:
  %promise = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin.custom.abi(token %id, ptr %mem, i32 INDEX)
  %start = load i64, ptr %place
  %twice = mul i64 %start, 2
  %flag = icmp eq i8 %small, 3
  store i64 %twice, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  %plus = zext i8 %small to i64
  %sum = add i64 %twice, %plus
  %again = add i64 %sum, %start
  %one = zext i1 %flag to i64
  %all = add i64 %again, %one
  store i64 %all, ptr %promise
  %e = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %e, label %out [ i8 1, label %cleanup ]
"""
    + CLEANUP
    + """\
define i64 @run(ptr %place, i8 %small) {
  %hdl = call ptr @f(ptr %place, i8 %small)
  %slot = call ptr @llvm.coro.promise(ptr %hdl, i32 8, i1 false)
  %first = load i64, ptr %slot
  call void @llvm.coro.resume(ptr %hdl)
  %second = load i64, ptr %slot
  call void @llvm.coro.destroy(ptr %hdl)
  %shifted = mul i64 %first, 1000
  %both = add i64 %shifted, %second
  ret i64 %both
}
declare ptr @malloc(i64)
declare void @free(ptr)
"""
)

GENERATOR = """
define { ptr, i64 } @g(ptr %buffer, i64 %n, i8 %small) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 64, i32 8, ptr %buffer, ptr @prototype, ptr @malloc, ptr @free)
  %frame = call ptr @llvm.coro.begin.custom.abi(token %id, ptr null, i32 INDEX)
  %a = call i64 @llvm.abs.i64(i64 %n, i1 false)
  %stop = call i1 (...) @llvm.coro.suspend.retcon.i1(i64 %a)
  br i1 %stop, label %end, label %more
more:
  %wide = zext i8 %small to i64
  %sum = add i64 %a, %wide
  %last = call i1 (...) @llvm.coro.suspend.retcon.i1(i64 %sum)
  br label %end
end:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}
declare i64 @llvm.abs.i64(i64, i1)
declare { ptr, i64 } @prototype(ptr, i1 zeroext)
declare ptr @malloc(i64)
declare void @free(ptr)
"""


def module(text: str = COUNTER, index: int = 0) -> pycoro.Module:
    return pycoro.Module(for_host(text.replace("INDEX", str(index))))


def pipeline(*abis: pycoro.ABI) -> pycoro.Pipeline:
    return pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=abis), "coro-cleanup")


def run_outcome(report: pycoro.Report, start: int = 21, small: int = 3) -> int:
    place = ctypes.c_int64(start)
    with pycoro.Engine(report) as engine:
        result = engine.call("run", ctypes.addressof(place), small)
    assert isinstance(result, int)
    return result


class Plain(pycoro.SwitchABI):
    """Overrides nothing."""


class Loads(pycoro.SwitchABI):
    """Rematerializes loads instead of spilling them."""

    def __init__(self) -> None:
        self.asked: list[pycoro.RematCandidate] = []

    def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
        self.asked.append(value)
        return default or value.opcode == "load"


class Keeps(pycoro.SwitchABI):
    """Spills everything."""

    def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
        return False


class SmallFirst(pycoro.SwitchABI):
    """Places small fields first at any cost."""

    def order(self, fields: Sequence[pycoro.FrameField]) -> Iterable[pycoro.FrameField]:
        return sorted(fields, key=lambda field: (field.size, field.name))


def names(report: pycoro.Report, name: str = "f") -> list[str]:
    return [field.name for field in report.coroutines[name].frame if field.kind in ("spill", "alloca")]


def test_explain_uses_the_layout_of_an_abi() -> None:
    before = str(asking := module())
    for abi in (Plain(), Loads(), Keeps(), SmallFirst()):
        split = pycoro.CoroSplit(abis=[abi])
        explained = asking.preview(split)["f"]
        lowered = module().run(pycoro.Pipeline(split)).coroutines["f"]
        assert explained.to_dict()["fields"] == lowered.to_dict()["fields"]
    assert str(asking) == before and asking.generation == 0
    with pytest.raises(pycoro.RejectedError, match="no ABI is registered"):
        asking.coroutines["f"]
    assert asking.preview(pycoro.CoroSplit(abis=[Plain()]))["f"].frame.size == explained.frame.size


def test_an_exception_in_an_abi_fails_explain() -> None:
    class Fails(pycoro.SwitchABI):
        def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
            raise LookupError(value.name)

    asking = module()
    with pytest.raises(LookupError, match="start"):
        asking.preview(pycoro.CoroSplit(abis=[Fails()]))["f"]
    assert asking.generation == 0 and str(asking) == str(module())


def test_an_abi_without_overrides_equals_its_base() -> None:
    custom = module().run(pipeline(Plain()))
    plain = pycoro.Module(for_host(COUNTER.replace(".custom.abi(token %id, ptr %mem, i32 INDEX)", "(token %id, ptr %mem)")))
    assert str(plain.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(), "coro-cleanup")).module) == str(custom.module)
    assert run_outcome(custom) == 42 * 1000 + 42 + 3 + 21 + 1


def test_an_abi_decides_rematerialization() -> None:
    loads = Loads()
    again, kept, plain = (module().run(pipeline(abi)) for abi in (loads, Keeps(), Plain()))
    assert names(again) == ["place", "small"]
    assert sorted(names(plain)) == ["small", "start"]
    assert sorted(names(kept)) == ["flag", "small", "start", "twice"]
    assert run_outcome(again) == run_outcome(kept) == run_outcome(plain)
    asked = {value.name: value for value in loads.asked}
    assert len(asked) == len(loads.asked)
    start = asked["start"]
    assert (start.type, start.opcode, start.def_block, start.use_block) == ("i64", "load", "%entry", "%more")


def test_an_abi_decides_the_order_of_fields() -> None:
    report = module().run(pipeline(SmallFirst()))
    frame = report.coroutines["f"].frame
    behind = [field for field in frame if field.kind not in ("resume", "destroy", "promise")]
    assert [field.name for field in behind] == [field.name for field in sorted(behind, key=lambda field: (field.size, field.name))]
    assert all(field.offset % field.align == 0 for field in frame)
    assert run_outcome(report) == run_outcome(module().run(pipeline(Plain())))


def test_abis_are_found_by_their_index() -> None:
    report = module(index=1).run(pipeline(Keeps(), SmallFirst()))
    assert sorted(names(report)) == ["small", "start"]


@pytest.mark.parametrize("index, abis, rule", [(2, (Plain(), Plain()), "custom-abi"), (0, (), "custom-abi")])
def test_an_index_without_an_abi_is_rejected(index: int, abis: tuple[pycoro.ABI, ...], rule: str) -> None:
    one = module(index=index)
    before = str(one)
    with pytest.raises(pycoro.RejectedError) as caught:
        one.run(pipeline(*abis))
    assert caught.value.diagnostics[0].rule == rule and str(one) == before


def test_an_abi_for_another_id_is_rejected() -> None:
    class Other(pycoro.RetconABI):
        pass

    with pytest.raises(pycoro.RejectedError) as caught:
        module().run(pipeline(Other()))
    assert caught.value.diagnostics[0].rule == "custom-abi-of-id"


def test_returned_continuations_use_the_same_interface() -> None:
    class Pure(pycoro.RetconABI):
        def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
            return default or "@llvm.abs" in value.value

        def order(self, fields: Sequence[pycoro.FrameField]) -> Iterable[pycoro.FrameField]:
            return fields[::-1]

    report = module(GENERATOR).run(pipeline(Pure()))
    assert names(report, "g") == ["small", "n"]
    with pycoro.Engine(report) as engine:
        generator = engine.start_retcon("g", -5, 4)
        assert generator.yielded == (5,)
        generator.resume(False)
        assert generator.yielded == (9,)
        generator.resume(True)
        assert generator.done


class Stop(Exception):
    """Raised by a hook."""


def fails(*args: object) -> bool:
    raise Stop("enough")


@pytest.mark.parametrize("hook", ["rematerialize", "order"])
def test_a_hook_that_raises_leaves_the_module_unchanged(hook: str) -> None:
    abi = type("Fails", (pycoro.SwitchABI,), {hook: fails})()
    one = module()
    before = str(one)
    with pytest.raises(Stop, match="enough"):
        one.run(pipeline(abi))
    assert str(one) == before
    one.run(pipeline(Plain()))


@pytest.mark.parametrize(
    "order", [lambda self, fields: fields[1:], lambda self, fields: [fields[0], *fields], lambda self, fields: [7]]
)
def test_an_order_must_hold_each_field_once(order: Callable[[object, Sequence[object]], object]) -> None:
    one = module()
    with pytest.raises(ValueError, match="each of its"):
        one.run(pipeline(type("Wrong", (pycoro.SwitchABI,), {"order": order})()))


def test_an_object_that_is_not_an_abi_is_rejected_at_once() -> None:
    with pytest.raises(TypeError, match="subclass of"):
        pycoro.CoroSplit(abis=[object()])  # type: ignore[list-item]
    with pytest.raises(pycoro.UsageError, match="different lists"):
        pycoro.Pipeline(pycoro.CoroSplit(abis=[Plain()]), pycoro.CoroSplit(abis=[Keeps()]))


def test_the_pipeline_lists_its_abis() -> None:
    abi = Plain()
    assert pipeline(abi).abis == (abi,)
    assert str(pipeline(abi)) == str(pipeline()) and pipeline(abi) != pipeline()


def test_an_unknown_method_is_an_error_at_class_creation() -> None:
    def override(*_: object) -> bool:
        return True

    class Spelt:
        def rematerialise(self) -> bool:
            return True

    for base in (pycoro.ABI, pycoro.SwitchABI, pycoro.RetconABI, pycoro.AsyncABI, Plain):
        with pytest.raises(TypeError, match=r"Mine: no ABI method 'rematerialise'; did you mean 'rematerialize'\?"):
            type("Mine", (base,), {"rematerialise": override})
        with pytest.raises(TypeError, match="no ABI method 'allocate'; there are 'select', 'check', .*'order'.*underscore"):
            type("Mine", (base,), {"allocate": staticmethod(override)})
        with pytest.raises(TypeError, match="Mine.order must be a method, not 5"):
            type("Mine", (base,), {"order": 5})
    with pytest.raises(TypeError, match="did you mean 'rematerialize'"):
        type("Mine", (Spelt, pycoro.SwitchABI), {})

    class Fine(pycoro.SwitchABI):
        kind = "any attribute is the class's own"
        kept: list[str]

        def __init__(self) -> None:
            self.kept = []

        def _order(self) -> None: ...

        def order(self, fields: Sequence[pycoro.FrameField]) -> Iterable[pycoro.FrameField]:
            return fields

    assert names(module().run(pipeline(Fine()))) == names(module().run(pipeline(Plain())))


@pytest.mark.parametrize("answer", ["nonsense", None, 1, []])
def test_a_result_that_is_not_a_bool_is_an_error(answer: object) -> None:
    class Answers(pycoro.SwitchABI):
        def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
            return answer  # type: ignore[return-value]

    asking = module()
    before = str(asking)
    with pytest.raises(TypeError, match=r"Answers.rematerialize must return True or False, not ") as caught:
        asking.run(pipeline(Answers()))
    assert repr(answer) in str(caught.value) and str(asking) == before


@pytest.mark.parametrize("order", [None, 5, ["a", "b"]])
def test_an_invalid_order_names_the_method(order: object) -> None:
    class Orders(pycoro.SwitchABI):
        def order(self, fields: Sequence[pycoro.FrameField]) -> Iterable[pycoro.FrameField]:
            return order  # type: ignore[return-value]

    with pytest.raises((TypeError, ValueError), match="Orders.order must return each of its"):
        module().run(pipeline(Orders()))


def test_the_common_base_class_is_not_an_abi() -> None:
    class Neither(pycoro.ABI):
        """Derives from the common base of the ABIs."""

    for wrong in (Neither(), pycoro.SwitchABI, 3):
        with pytest.raises(TypeError, match=r"an instance of a subclass of SwitchABI"):
            pycoro.CoroSplit(abis=[wrong])  # type: ignore[list-item]
    with pytest.raises(pycoro.UsageError, match="no ABI 'switch'"):
        pycoro.CoroSplit(abis=["switch"])
    with pytest.raises(TypeError, match=r"abis must be a list of ABIs"):
        pycoro.CoroSplit(abis=pycoro.SwitchABI())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"reuse_storage must be True or False, not 'no'"):
        pycoro.CoroSplit(reuse_storage="no")  # type: ignore[arg-type]


# Its alloca is dead across the suspend, so each clone has one and rematerializes its address.
PART_S_OWN = """
define ptr @f(ptr %place) presplitcoroutine {
entry:
  %x = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin.custom.abi(token %id, ptr %mem, i32 INDEX)
  %p = getelementptr i8, ptr %x, i64 8
  call void @llvm.lifetime.start.p0(ptr %x)
  store i64 1, ptr %p
  call void @llvm.lifetime.end.p0(ptr %x)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  call void @llvm.lifetime.start.p0(ptr %x)
  store i64 77, ptr %p
  call void @llvm.lifetime.end.p0(ptr %x)
  br label %cleanup
cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %frame)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare ptr @malloc(i64)
declare void @free(ptr)
"""


def test_alloca_addresses_are_not_passed_to_rematerialize() -> None:
    asked: list[str] = []

    class Asks(Keeps):
        def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
            asked.append(value.name)
            return False

    report = module(PART_S_OWN).run(pipeline(Asks()))
    assert not asked and not names(report)
    assert names(
        module(PART_S_OWN.replace("ptr %x, i64 8", "ptr %x, i64 %i").replace("  %p =", "  %i = load i64, ptr %place\n  %p =")).run(
            pipeline(Asks())
        )
    ) == ["x", "p"]
