"""Frame layouts of custom ABIs: valid layouts lower to equivalent code, invalid ones are rejected by the name of the rule."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping

import pytest
from async_program import Executor, chain, chain_result
from test_abi_choice import PLAIN, plain
from test_custom_abi import GENERATOR, Plain, Stop, fails, module, pipeline, run_outcome

import pycoro
from pycoro.oracle import for_host

Made = Callable[[object, pycoro.Fields], object]


def laid_out(layout: Made, base: type[pycoro.ABI] = pycoro.SwitchABI) -> pycoro.ABI:
    made: pycoro.ABI = type("Mine", (base,), {"layout": layout})()
    return made


def spread_layout(self: object, fields: pycoro.Fields) -> dict[pycoro.FrameField, int]:
    """Place fields in reverse, each in a separate cache line, with unused bytes before them."""
    return {field: 128 + 64 * index for index, field in enumerate(reversed(fields))}


def test_fields_have_the_layout_s_offsets() -> None:
    report = module().run(pipeline(laid_out(spread_layout)))
    frame = report.coroutines["f"].frame
    behind = [field for field in frame if field.offset >= 128]
    assert [field.offset for field in behind] == [128, 192] and frame.size == 200 >= behind[-1].end
    assert [field.name for field in frame][:3] == ["resume", "destroy", "promise"]
    assert sum(hole.size for hole in frame.holes) == frame.size - sum(field.size for field in frame)
    assert frame.lower_bound == -(-sum(field.size for field in frame) // frame.align) * frame.align < frame.size
    assert run_outcome(report) == run_outcome(module().run(pipeline(Plain())))
    explained = module().preview(pycoro.CoroSplit(abis=[laid_out(spread_layout)]))["f"]
    assert explained.to_dict()["fields"] == report.coroutines["f"].to_dict()["fields"]
    assert str(frame) and frame.svg()


def test_a_layout_gets_its_first_offset() -> None:
    told: list[tuple[int, list[int]]] = []

    def tight(self: object, fields: pycoro.Fields) -> dict[pycoro.FrameField, int]:
        told.append((fields.start, [field.offset for field in fields]))
        return {field: field.offset for field in fields}

    report = module().run(pipeline(laid_out(tight)))
    assert told == [(24, [24, 32])]  # after resume, destroy and the promise
    assert report.coroutines["f"].to_dict()["fields"] == module().run(pipeline(Plain())).coroutines["f"].to_dict()["fields"]


def test_returned_continuations_have_layouts() -> None:
    text = GENERATOR.replace("i32 64, i32 8", "i32 512, i32 8")
    for given in (text, GENERATOR):  # within the buffer, or too large for it
        report = module(given).run(pipeline(laid_out(spread_layout, pycoro.RetconABI)))
        assert report.coroutines["g"].frame.size > 128
        with pycoro.Engine(report) as engine:
            generator = engine.start_retcon("g", -5, 4)
            assert generator.yielded == (5,)
            generator.resume(False)
            assert generator.yielded == (9,)
            generator.resume(True)
            assert generator.done


def test_async_coroutines_have_layouts() -> None:
    text = for_host(chain(3)).replace(
        "@llvm.coro.begin(token %id, ptr null)", "@llvm.coro.begin.custom.abi(token %id, ptr null, i32 0)"
    )
    text += "declare ptr @llvm.coro.begin.custom.abi(token, ptr, i32)\n"
    report = pycoro.Module(text).run(pipeline(laid_out(spread_layout, pycoro.AsyncABI)))
    assert report.coroutines["f1"].frame.size > 128
    executor = Executor(chain(3), lambda _: report.module)
    assert executor.start("f1", 4) == chain_result(3, 4)
    assert not executor.live and not executor.overrun


def put(offsets: Mapping[str, int]) -> Made:
    """Use pycoro's offsets, with these exceptions."""
    return lambda self, fields: {field: offsets.get(field.name, field.offset) for field in fields}


@pytest.mark.parametrize(
    ("offsets", "rule", "said"),
    [
        ({"small": 23}, "layout-before-start", "ABI 0 (Mine) places %small at byte 23, inside the frame's header"),
        ({"start": 0}, "layout-before-start", "ABI 0 (Mine) places %start at byte 0, inside the frame's header"),
        ({"start": 28}, "layout-alignment", "ABI 0 (Mine) places %start at byte 28, which is not aligned"),
        ({"small": 31}, "layout-overlap", "ABI 0 (Mine) lets %small (offset 31, size 1) overlap %start (offset 24, size 8)"),
        ({"small": 24}, "layout-overlap", "ABI 0 (Mine) lets %start (offset 24, size 8) overlap %small (offset 24, size 1)"),
        ({"start": 2**63}, "frame-too-large", "ABI 0 (Mine) places %start beyond the largest offset"),
        ({"small": 2**64 - 1}, "frame-too-large", "ABI 0 (Mine) places %small beyond the largest offset"),
    ],
)
def test_a_layout_that_breaks_a_rule_is_refused(offsets: dict[str, int], rule: str, said: str) -> None:
    one = module()
    before = str(one)
    with pytest.raises(pycoro.RejectedError) as caught:
        one.run(pipeline(laid_out(put(offsets))))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.rule, diagnostic.function) == (rule, "f") and diagnostic.hint
    assert diagnostic.message.removesuffix(", but both are live at the same time") == said
    assert str(one) == before
    with pytest.raises(pycoro.RejectedError, match="(places|lets) %"):
        one.preview(pycoro.CoroSplit(abis=[laid_out(put(offsets))]))["f"]


def test_a_frame_larger_than_its_size_type_is_rejected() -> None:
    text = PLAIN.replace("@llvm.coro.size.i64()", "@llvm.coro.size.i32()").replace("%size = call i64", "%narrow = call i32")
    text = text.replace("%mem =", "%size = zext i32 %narrow to i64\n  %mem =")
    abi = type("Mine", (pycoro.SwitchABI,), {"layout": put({"small": 2**32}), "select": lambda self, coroutine: True})()
    with pytest.raises(pycoro.RejectedError) as caught:
        plain(text).run(pipeline(abi))
    assert caught.value.diagnostics[0].rule == "frame-size-fits"


@pytest.mark.parametrize(
    ("layout", "error", "said"),
    [
        (lambda self, fields: None, TypeError, "as a dict, not None"),
        (lambda self, fields: [24, 32], TypeError, r"as a dict, not \[24, 32\]"),
        (lambda self, fields: {}, ValueError, "Mine.layout must return an offset for each of its 2 fields; 'start' has none"),
        (lambda self, fields: {fields[0]: 24}, ValueError, "'small' has none"),
        (lambda self, fields: {**{f: f.offset for f in fields}, "more": 64}, ValueError, "it has other keys"),
        (
            lambda self, fields: dict.fromkeys(fields, 24.0),
            TypeError,
            "Mine.layout: the offset of 'start' must be an int in bytes, not 24.0",
        ),
        (lambda self, fields: dict.fromkeys(fields, True), TypeError, "must be an int in bytes, not True"),
        (lambda self, fields: dict.fromkeys(fields, -8), ValueError, "Mine.layout: the offset -8 of 'start' is out of range"),
        (lambda self, fields: dict.fromkeys(fields, 2**64), ValueError, "is out of range"),
    ],
)
def test_an_invalid_layout_names_method_and_value(layout: Made, error: type[Exception], said: str) -> None:
    one = module()
    before = str(one)
    with pytest.raises(error, match=said):
        one.run(pipeline(laid_out(layout)))
    assert str(one) == before


def test_a_class_has_an_order_or_a_layout() -> None:
    def either(self: object, fields: object) -> object:
        return fields

    with pytest.raises(TypeError, match="Both overrides both order and layout"):
        type("Both", (pycoro.SwitchABI,), {"order": either, "layout": either})
    ordered = type("Ordered", (pycoro.SwitchABI,), {"order": either})
    with pytest.raises(TypeError, match="Both overrides both order and layout"):
        type("Both", (ordered,), {"layout": either})


# Two allocas with disjoint live ranges, each read after a suspend.
TURNS = """
define ptr @f(ptr %place, i8 %small) presplitcoroutine {
entry:
  %a = alloca [4 x i64]
  %b = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @llvm.lifetime.start.p0(ptr %a)
  store i64 20, ptr %a
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  %first = load i64, ptr %a
  call void @llvm.lifetime.end.p0(ptr %a)
  call void @llvm.lifetime.start.p0(ptr %b)
  store i64 %first, ptr %b
  %e = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %e, label %out [ i8 0, label %last
                             i8 1, label %cleanup ]
last:
  %second = load i64, ptr %b
  call void @llvm.lifetime.end.p0(ptr %b)
  %sum = add i64 %second, 1
  store i64 %sum, ptr %place
  br label %cleanup
cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %frame)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
define void @run(ptr %place, i8 %small) {
  %hdl = call ptr @f(ptr %place, i8 %small)
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.resume(ptr %hdl)
  ret void
}
declare ptr @malloc(i64)
declare void @free(ptr)
"""


def test_fields_may_share_bytes_where_storage_is_reused() -> None:
    def together(self: object, fields: pycoro.Fields) -> dict[pycoro.FrameField, int]:
        return {field: 64 if field.name in "ab" else field.offset for field in fields}

    def across(self: object, fields: pycoro.Fields) -> dict[pycoro.FrameField, int]:
        return {field: {"a": 64, "b": 72}.get(field.name, field.offset) for field in fields}

    text = for_host(TURNS)
    for layout in (together, across):
        members = {"layout": layout, "select": lambda self, coroutine: True}
        abi = type("Mine", (pycoro.SwitchABI,), members)()
        shared = pycoro.Pipeline("coro-early", pycoro.CoroSplit(reuse_storage=True, abis=[abi]), "coro-cleanup")
        report = pycoro.Module(text).run(shared)
        fields = {field.name: field for field in report.coroutines["f"].frame}
        assert fields["a"].offset == 64 and fields["b"].offset in (64, 72)
        with pycoro.Engine(report) as engine:
            result = ctypes.c_int64(0)
            engine.call("run", ctypes.addressof(result), 0)
            assert result.value == 21
        with pytest.raises(pycoro.RejectedError, match=r"lets %b .* overlap %a .* live at the same time") as caught:
            pycoro.Module(text).run(pipeline(abi))
        assert "reuse-storage" in caught.value.diagnostics[0].hint


def test_live_fields_share_no_byte() -> None:
    shared = pycoro.CoroSplit(reuse_storage=True, abis=[laid_out(put({"small": 24}))])
    with pytest.raises(pycoro.RejectedError, match=r"ABI 0 \(Mine\) lets %start \(offset 24, size 8\) overlap %small"):
        module().run(pycoro.Pipeline(shared))


class Fits(pycoro.SwitchABI):
    """For a client with at most this many bytes."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.asked: list[pycoro.Frame] = []

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True

    def check_frame(self, frame: pycoro.Frame) -> None:
        self.asked.append(frame)
        if frame.size > self.size:
            most = max(frame, key=lambda field: field.size)
            self.reject(f"its frame has {frame.size} bytes, %{most.name} {most.size} of them", "make it smaller")


def test_an_abi_rejects_a_frame() -> None:
    one = plain()
    before = str(one)
    with pytest.raises(pycoro.RejectedError) as caught:
        one.run(pipeline(Fits(32)))
    (said,) = caught.value.diagnostics
    assert said.message == "ABI 0 (Fits) rejects the coroutine: its frame has 40 bytes, %resume 8 of them"
    assert (said.rule, said.function, said.hint) == ("rejected-by-abi", "f", "make it smaller")
    assert str(one) == before and one.generation == 0
    with pytest.raises(pycoro.RejectedError, match="40 bytes"):
        one.preview(pycoro.CoroSplit(abis=[Fits(32)]))["f"]


def test_the_checked_frame_is_the_final_one() -> None:
    fits = Fits(40)
    one = plain()
    report = one.run(pipeline(fits))
    (frame,) = fits.asked
    told = report.coroutines["f"].frame
    assert frame.to_dict()["fields"] == told.to_dict()["fields"] and frame.size == told.size == 40
    assert frame.function == "f" and len(frame.suspends) == 2 and frame.suspends[0].live == frame.fields[2:]
    assert not frame.is_stale and str(frame) == str(told)
    assert run_outcome(report) == run_outcome(plain().run(pipeline()))


def test_a_frame_laid_out_by_the_same_abi_is_what_is_checked() -> None:
    asked: list[int] = []
    members = {"layout": spread_layout, "check_frame": lambda self, frame: asked.append(frame.size)}
    module().run(pipeline(type("Mine", (pycoro.SwitchABI,), members)()))
    assert asked == [200]


@pytest.mark.parametrize("hook", ["layout", "check_frame"])
def test_an_exception_leaves_the_module_unchanged(hook: str) -> None:
    abi = type("Fails", (pycoro.SwitchABI,), {hook: fails})()
    one = module()
    before = str(one)
    with pytest.raises(Stop, match="enough"):
        one.run(pipeline(abi))
    with pytest.raises(Stop, match="enough"):
        one.preview(pycoro.CoroSplit(abis=[abi]))["f"]
    assert str(one) == before and one.generation == 0


@pytest.mark.parametrize("answer", [True, False, "too large"])
def test_check_frame_must_return_none(answer: object) -> None:
    abi = type("Answers", (pycoro.SwitchABI,), {"check_frame": lambda self, frame: answer})()
    with pytest.raises(TypeError, match=r"Answers.check_frame must call self.reject\(...\) or return None, not "):
        module().run(pipeline(abi))


def test_a_coroutine_without_suspends_has_an_empty_frame() -> None:
    sizes: list[tuple[int, int]] = []

    def layout(self: object, fields: pycoro.Fields) -> dict[pycoro.FrameField, int]:
        raise AssertionError("asked for the layout of no frame")

    members = {"layout": layout, "check_frame": lambda self, frame: sizes.append((frame.size, len(frame)))}
    text = PLAIN.replace("%s = call i8 @llvm.coro.suspend(token none, i1 false)", "%s = add i8 %small, 1")
    text = text.replace("%e = call i8 @llvm.coro.suspend(token none, i1 true)", "%e = add i8 %small, 1")
    abi = type("Mine", (pycoro.SwitchABI,), {**members, "select": lambda self, coroutine: True})()
    plain(text).run(pipeline(abi))
    assert sizes == [(0, 0)]
