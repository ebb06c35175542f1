"""Pipeline: pass objects and strings, in order, with the syntax of `opt -passes=`."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from samples import COUNTER

import pycoro
from pycoro import CoroAnnotationElide, CoroCleanup, CoroEarly, CoroElide, CoroSplit, Pipeline, PipelineError, oracle
from pycoro.pipeline import Level, Stage


def test_str_is_a_pipeline_string() -> None:
    pipeline = Pipeline(CoroEarly(), CoroSplit(), CoroAnnotationElide(), CoroElide(), CoroCleanup(), "globaldce")
    assert str(pipeline) == (
        "coro-early,cgscc(coro-split),cgscc(coro-annotation-elide),function(coro-elide),coro-cleanup,globaldce"
    )
    assert str(CoroSplit(reuse_storage=True)) == "cgscc(coro-split<reuse-storage>)"
    assert str(CoroElide(max_frame_bytes=0)) == "function(coro-elide<max-frame-bytes=0>)"
    assert str(CoroAnnotationElide(max_frame_bytes=64)) == "cgscc(coro-annotation-elide<max-frame-bytes=64>)"


@pytest.mark.parametrize("of", [CoroElide, CoroAnnotationElide])
def test_a_limit_of_elided_frames_is_a_number_of_bytes(of: type[CoroElide | CoroAnnotationElide]) -> None:
    for bad in (-1, 2**63):
        with pytest.raises(pycoro.UsageError, match="max_frame_bytes must be at least 0 and less than"):
            of(max_frame_bytes=bad)
    with pytest.raises(TypeError, match="max_frame_bytes must be an int, not '1k'"):
        of(max_frame_bytes="1k")  # type: ignore[arg-type]
    assert Pipeline(of(max_frame_bytes=2**63 - 1)) == Pipeline(str(of(max_frame_bytes=2**63 - 1)))


def test_repr_round_trips() -> None:
    pipeline = Pipeline(CoroEarly(), "function(instcombine)", CoroSplit(reuse_storage=True))
    assert eval(repr(pipeline), vars(pycoro)) == pipeline


def test_pipelines_compare_by_value() -> None:
    early, split = Pipeline(CoroEarly()), Pipeline("cgscc(coro-split)")
    assert early + split == Pipeline(CoroEarly(), CoroSplit()) == early + CoroSplit()
    assert hash(early + split) == hash(Pipeline("coro-early", CoroSplit()))
    assert early != split
    assert Pipeline("coro-split") == split
    assert str(Pipeline("coro-early,coro-split")) == "coro-early,cgscc(coro-split)"
    assert len(early + split) == 2
    assert (early + split)[0] == CoroEarly()
    assert (early + split)[1:] == split
    assert list(Pipeline(early, split)) == [CoroEarly(), "cgscc(coro-split)"]


@pytest.mark.parametrize("bad", ["function(", "coro-split)", "cgscc(coro-split", "coro-early,,coro-cleanup", "coro-split<fast>"])
def test_a_malformed_string_is_refused_at_construction(bad: str) -> None:
    with pytest.raises(pycoro.PipelineError) as caught:
        Pipeline(CoroEarly(), bad)
    assert caught.value.diagnostics
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("bad", ["\udcff", "coro-early,\ud800", "\u00e9"])
def test_invalid_characters_are_pipeline_errors(module: pycoro.Module, bad: str) -> None:
    for ask in (pycoro.Pipeline, module.run, oracle.Passes):
        with pytest.raises(pycoro.PipelineError, match="unknown"):
            ask(bad)


@pytest.mark.parametrize("level", ["O2", "-O2"])
def test_a_bare_level_is_an_error_that_suggests_its_family(level: str) -> None:
    with pytest.raises(pycoro.PipelineError, match=r"did you mean default<O2>\?"):
        Pipeline(level)


def test_all_errors_are_reported_with_positions() -> None:
    given = "coro-erly,function(sroa,coro-early),instcombin,,coro-split<x>"
    with pytest.raises(pycoro.PipelineError) as caught:
        Pipeline(given)
    said = caught.value.diagnostics
    assert [given[d.at : d.at + d.length] for d in said] == ["coro-erly", "coro-early", "instcombin", "", "coro-split<x>"]
    assert [d.hint for d in said if "mean" in d.hint] == ["did you mean coro-early?", "did you mean instcombine?"]
    assert all(d.passes == given for d in said)
    lines = str(caught.value).splitlines()
    assert lines[1:3] == ["  coro-erly,function(sroa,coro-early),instcombin,,coro-split<x>", "  ^^^^^^^^^"]
    assert lines[-2].index("^") == lines[-3].index("coro-split<x>")


def test_errors_quote_an_excerpt_of_a_long_string() -> None:
    given = ",".join(["sroa"] * 50 + ["n\u00f6pe"] + ["sroa"] * 50)
    with pytest.raises(pycoro.PipelineError) as caught:
        Pipeline(given)
    _, line, carets, _ = str(caught.value).splitlines()
    assert len(line) < 120 and line.startswith("  ...") and line.endswith("...")
    assert line[carets.index("^") :][: carets.count("^")] == "n\u00f6pe"


def test_groups_are_single_steps() -> None:
    report = pycoro.lower(COUNTER, "coro-early,function(sroa,adce),coro-split,cgscc(inline,sroa),module(globaldce)")
    names = [run.name for run in report.steps if not run.is_pycoro]
    assert names == ["function(sroa)", "function(adce)", "cgscc(inline,sroa)", "module(globaldce)"]


def test_non_passes_are_type_errors() -> None:
    with pytest.raises(TypeError, match="not int"):
        Pipeline(3)  # type: ignore[arg-type]


def test_a_pipeline_runs_as_its_string_does(counter: str) -> None:
    one, other, third = (pycoro.Module(counter) for _ in range(3))
    pipeline = Pipeline(CoroEarly(), CoroSplit(), CoroCleanup())
    report = pipeline.run(one)
    other.run(str(pipeline))
    third.run([CoroEarly(), "cgscc(coro-split)", CoroCleanup()])
    assert report.module is one
    assert str(one) == str(other) == str(third)
    assert "llvm.coro" not in str(one)


def test_llvm_passes_run_in_order(module: pycoro.Module) -> None:
    report = module.run([CoroEarly(), CoroSplit(), "function(instcombine)", CoroCleanup(), "globaldce"])
    ours = [run.is_pycoro for run in report.steps]
    names = [run.name for run in report.steps]
    assert names[0] == "coro-early"
    assert ours[0]
    assert not ours[-1]
    assert "globaldce" in names[-1]
    assert any("instcombine" in name for name in names)


def test_an_unknown_llvm_pass_is_an_error(module: pycoro.Module) -> None:
    before = str(module)
    with pytest.raises(pycoro.PipelineError, match="no-such-pass"):
        module.run("coro-early,no-such-pass")
    assert str(module) == before


def test_running_a_non_pipeline_is_a_type_error(module: pycoro.Module) -> None:
    with pytest.raises(TypeError):
        module.run(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        module.run(b"coro-early")  # type: ignore[arg-type]
    with pytest.raises(pycoro.PipelineError, match=r"coro-early\\x00"):
        module.run("coro-early\0")


GENERATOR = """
define void @f(i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %at = phi ptr [ null, %0 ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %at)
  store ptr %handle, ptr @slot
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  call void @print(i32 %n)
  br label %destroy
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret void
}
@slot = global ptr null
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
"""


@pytest.mark.parametrize("stage", get_args(Stage))
@pytest.mark.parametrize("level", get_args(Level))
def test_levels(stage: Stage, level: Level) -> None:
    """The pre-link stage of LTO leaves coroutines to the post-link stage if LLVM does."""
    module = pycoro.Module(GENERATOR)
    first = {"thinlto": ["thinlto-pre-link"], "lto": ["lto-pre-link"]}.get(stage, [])
    for part in (*first, stage):
        Pipeline(f"{part}<{level}>").run(module, verify_each=True)
    assert ("@llvm.coro" in str(module)) == (stage == "thinlto-pre-link" and level != "O0")
    assert str(Pipeline.level(level, stage)) == str(Pipeline(f"{stage}<{level}>"))


def test_levels_have_names() -> None:
    for level in get_args(Level):
        assert getattr(Pipeline, level)() == Pipeline(f"default<{level}>")


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("default<O4>", "'default<O4>' is not an optimization level"),
        ("lto", "'lto' is not an optimization level"),
        ("cgscc(default<O2>)", "'default<O2>' cannot be used in a cgscc pipeline"),
        ("default<O2>(sroa)", "'default<O2>' is a pass and cannot contain others"),
    ],
)
def test_invalid_levels_are_errors(bad: str, told: str) -> None:
    with pytest.raises(PipelineError, match=re.escape(told)):
        Pipeline(bad)


CHAIN = 12


def chain(depth: int) -> str:
    """Return coroutines that each create and destroy the next; main does so with the first."""
    coroutine, rest = GENERATOR.split("@slot = global ptr null\n")
    text = rest + "declare void @llvm.coro.destroy(ptr)\n"
    for i in range(depth):
        child = f"%h = call ptr @f{i + 1}(i32 %n)\n  call void @llvm.coro.destroy(ptr %h)"
        body = child if i + 1 < depth else "call void @print(i32 %n)"
        one = coroutine.replace("store ptr %handle, ptr @slot", body).replace("void @f(", f"ptr @f{i}(")
        text += one.replace("ret void", "ret ptr %handle")
    return text + "define void @main() {\n  %h = call ptr @f0(i32 1)\n  call void @llvm.coro.destroy(ptr %h)\n  ret void\n}\n"


def test_an_scc_completes_the_group_before_its_callers() -> None:
    """Each coroutine of a chain is inlined into its creator before that is split: no frame is allocated."""
    module = pycoro.Module(chain(CHAIN))
    Pipeline.O2().run(module, verify_each=True)
    main = str(module).split("define void @main()")[1].split("\n}")[0]
    assert "@malloc" not in main
    assert main.count("@print") == 1


def test_shield_attributes_are_removed() -> None:
    """An attribute shields functions outside the current SCC from LLVM's passes; it is removed afterwards."""
    ir = chain(3) + "define void @kept() optnone noinline {\n  ret void\n}\n"
    module = pycoro.Module(ir)
    seen: list[int] = []
    module.run("default<O2>", after_pass=lambda _name, _target, text: seen.append(text.count("optnone")))
    assert set(seen) == {2}  # in the comment and in the attributes of the one that had it
