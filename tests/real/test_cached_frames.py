"""Programs with cached frames behave as without, and allocate less: destruction in any order, threads, exceptions, alignment."""

from __future__ import annotations

import pathlib

import coroharness as harness
import pytest

PROGRAM = harness.HERE / "cached" / "frames.cpp"
FLAGS = ("-std=c++20",)
OPTIONS = ("-check-lowering",)

pytestmark = pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}")


def cached_object(
    source: pathlib.Path, folder: pathlib.Path, level: str, flags: tuple[str, ...] = FLAGS, after: str = ""
) -> pathlib.Path:
    lowered = folder / f"{source.stem}.bc"
    pipeline = f"coro-cache-frames,{harness.PIPELINES[level]}{after}"
    harness.lower(harness.presplit(source, level, flags), lowered, pipeline, options=OPTIONS)
    return harness.compile_ir(lowered, folder / f"{source.stem}.o", level)


@pytest.mark.parametrize("level", harness.LEVELS)
def test_the_program_behaves_as_without_a_cache(level, tmp_path):
    clang = harness.clang_outcome(PROGRAM, level, FLAGS)
    cached = harness.run(harness.link([cached_object(PROGRAM, tmp_path, level)], tmp_path / "program"))
    assert clang.status == 0 and clang.output.endswith("\n0 blocks at the end\n")
    assert (cached.status, cached.output) == (0, clang.output)
    assert clang.errors.startswith("10000 10000 1 1 ")
    assert cached.errors == "0 10000 0 1 1\n", "small and large frames, one after a change of the thread, one by another; alignment"


@pytest.mark.parametrize("level", harness.LEVELS)
def test_units_with_and_without_a_cache_link(level, tmp_path):
    """An inline coroutine of both is the same function for the linker."""
    inline = tmp_path / "inline.h"
    text = PROGRAM.read_text()
    first, rest = text.index("struct owner {"), text.index("// A promise whose ramp")
    yields = "inline owner upto(int n) {\n  for (int i = 0; i < n; i++)\n    co_yield i;\n}\nlong run(int);\n"
    inline.write_text(f"#include <coroutine>\n#include <utility>\n{text[first:rest]}{yields}")
    sources = []
    for number, name in enumerate(("one", "other")):
        sources.append(tmp_path / f"{name}.cpp")
        loop = "for (owner o = upto(n); o.next() >= 0;) sum += o.of.promise().value;"
        body = f"long {name}(int n) {{ long sum = 0; {loop} return sum; }}"
        main = '#include <cstdio>\nlong one(int);\nint main() { std::printf("%ld\\n", one(9) + other(10)); }\n' if number else ""
        sources[-1].write_text(f'#include "inline.h"\n{body}\n{main}')
    objects = [cached_object(sources[0], tmp_path, level), harness.lowered_object(sources[1], tmp_path, level, flags=FLAGS)]
    for order in (objects, objects[::-1]):
        assert harness.run(harness.link(order, tmp_path / "program")) == harness.Outcome(0, "81\n", "")


@pytest.mark.skipif(not harness.sanitizers_link(), reason="the libraries of clang's sanitizers are not installed")
def test_a_sanitizer_still_finds_the_use_of_a_destroyed_frame(tmp_path):
    source = tmp_path / "destroyed.cpp"
    text = PROGRAM.read_text()
    types = text[text.index("struct owner {") : text.index("// A promise whose ramp")]
    body = "owner one() { co_yield 1; }\nint main() { owner o = one(); int *p = &o.of.promise().value; o = owner(); return *p; }\n"
    source.write_text(f"#include <coroutine>\n#include <utility>\n{types}{body}")
    compiled = cached_object(source, tmp_path, "-O0", (*FLAGS, "-fsanitize=address"), ",asan")
    outcome = harness.run(harness.link([compiled], tmp_path / "program", ("-fsanitize=address",)))
    assert outcome.status != 0
    assert "heap-use-after-free" in outcome.errors
