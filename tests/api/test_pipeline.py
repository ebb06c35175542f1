"""Pipeline: pass objects and strings, in order, spelled as `opt -passes=` spells them."""

from __future__ import annotations

import pytest
from samples import COUNTER

import pycoro
from pycoro import CoroAnnotationElide, CoroCleanup, CoroEarly, CoroElide, CoroSplit, Pipeline, oracle


def test_str_is_a_pipeline_string() -> None:
    pipeline = Pipeline(CoroEarly(), CoroSplit(), CoroAnnotationElide(), CoroElide(), CoroCleanup(), "globaldce")
    assert str(pipeline) == (
        "coro-early,cgscc(coro-split),cgscc(coro-annotation-elide),function(coro-elide),coro-cleanup,globaldce"
    )
    assert str(CoroSplit(reuse_storage=True)) == "cgscc(coro-split<reuse-storage>)"


def test_repr_makes_it_again() -> None:
    pipeline = Pipeline(CoroEarly(), "function(instcombine)", CoroSplit(reuse_storage=True))
    assert eval(repr(pipeline), vars(pycoro)) == pipeline


def test_pipelines_are_values() -> None:
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
def test_characters_that_no_pass_has_are_a_pipeline_error(module: pycoro.Module, bad: str) -> None:
    for ask in (pycoro.Pipeline, module.run, oracle.Passes):
        with pytest.raises(pycoro.PipelineError, match="unknown"):
            ask(bad)


def test_all_that_is_wrong_is_told_with_its_place() -> None:
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


def test_of_a_long_string_a_part_is_shown() -> None:
    given = ",".join(["sroa"] * 50 + ["n\u00f6pe"] + ["sroa"] * 50)
    with pytest.raises(pycoro.PipelineError) as caught:
        Pipeline(given)
    _, line, carets, _ = str(caught.value).splitlines()
    assert len(line) < 120 and line.startswith("  ...") and line.endswith("...")
    assert line[carets.index("^") :][: carets.count("^")] == "n\u00f6pe"


def test_groups_are_steps() -> None:
    report = pycoro.lower(COUNTER, "coro-early,function(sroa,adce),coro-split,cgscc(inline,sroa),module(globaldce)")
    names = [run.name for run in report.steps if not run.ours]
    assert names == ["function(sroa)", "function(adce)", "cgscc(inline,sroa)", "module(globaldce)"]


def test_something_else_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="not int"):
        Pipeline(3)  # type: ignore[arg-type]


def test_runs_as_its_string_does(counter: str) -> None:
    one, other, third = (pycoro.Module(counter) for _ in range(3))
    pipeline = Pipeline(CoroEarly(), CoroSplit(), CoroCleanup())
    report = pipeline.run(one)
    other.run(str(pipeline))
    third.run([CoroEarly(), "cgscc(coro-split)", CoroCleanup()])
    assert report.module is one
    assert str(one) == str(other) == str(third)
    assert "llvm.coro" not in str(one)


def test_llvms_passes_run_in_their_place(module: pycoro.Module) -> None:
    report = module.run([CoroEarly(), CoroSplit(), "function(instcombine)", CoroCleanup(), "globaldce"])
    ours = [run.ours for run in report.steps]
    names = [run.name for run in report.steps]
    assert names[0] == "coro-early"
    assert ours[0]
    assert not ours[-1]
    assert "globaldce" in names[-1]
    assert any("instcombine" in name for name in names)


def test_a_pass_that_llvm_does_not_know(module: pycoro.Module) -> None:
    before = str(module)
    with pytest.raises(pycoro.PipelineError, match="no-such-pass"):
        module.run("coro-early,no-such-pass")
    assert str(module) == before


def test_running_something_else_is_a_type_error(module: pycoro.Module) -> None:
    with pytest.raises(TypeError):
        module.run(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        module.run(b"coro-early")  # type: ignore[arg-type]
    with pytest.raises(pycoro.PipelineError, match=r"coro-early\\x00"):
        module.run("coro-early\0")
