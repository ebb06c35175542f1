"""Programs with inferred `captures` attributes behave as in clang's build, and have smaller frames."""

from __future__ import annotations

import coroharness as harness
import pytest

import pycoro

CAPTURED = sorted((harness.HERE / "captured").glob("*.cpp"))
FLAGS = ("-std=c++20",)
OPTIONS = ("-check-lowering",)
UNOPTIMIZED = "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup"

pytestmark = pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}")


def inferred_object(source, folder, level, flags=harness.LANGUAGE):
    lowered = folder / f"{source.stem}.bc"
    passes = UNOPTIMIZED if level == "-O0" else harness.pipeline_for(source, level)
    harness.lower(harness.presplit(source, level, flags), lowered, f"coro-infer-captures,{passes}", options=OPTIONS)
    return harness.compile_ir(lowered, folder / f"{source.stem}.o", level)


@pytest.mark.parametrize("level", harness.LEVELS)
@pytest.mark.parametrize("program", CAPTURED, ids=lambda p: p.stem)
def test_addresses_of_variables(program, level, tmp_path):
    clang = harness.clang_outcome(program, level, FLAGS)
    inferred = harness.run(harness.link([inferred_object(program, tmp_path, level, FLAGS)], tmp_path / "program"))
    assert clang.status == 0 and clang.output
    assert inferred == clang


@pytest.mark.parametrize("program", harness.programs(), ids=lambda p: p.stem)
def test_programs(program, tmp_path):
    sources = [*harness.sources(program), harness.GUARD]
    clang = harness.run(harness.link([harness.clang_object(source, "-O0") for source in sources], tmp_path / "clang"))
    objects = [inferred_object(source, tmp_path, "-O0") for source in sources]
    assert harness.run(harness.link(objects, tmp_path / "inferred")) == clang


def test_frames_are_smaller(tmp_path):
    ir = harness.emit_ir(harness.HERE / "captured" / "addresses.cpp", tmp_path / "addresses.ll", "-O0", FLAGS).read_text()
    sizes = []
    for before in ((), ("coro-infer-captures",)):
        module = pycoro.Module(ir)
        module.run([*before, "coro-early"])
        sizes.append({name: c.frame.size for name, c in module.preview(pycoro.CoroSplit(reuse_storage=True)).items()})
    plain, inferred = sizes
    smaller = {name for name in plain if inferred[name] < plain[name]}
    assert smaller == {"_ZL9only_usedv"}, "the addresses of all other variables are kept, or used after a suspend"
    assert all(inferred[name] <= plain[name] for name in plain)
