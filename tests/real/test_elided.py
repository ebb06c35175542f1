"""Calls with frames that may be in the caller's (`[[clang::coro_await_elidable]]`): pycoro elides all that clang elides, and
the programs behave the same. `python tests/real/test_elided.py` prints their number."""

from __future__ import annotations

import collections
import pathlib
import re

import coroharness as harness
import pytest

PROGRAMS = [
    *sorted((harness.HERE / "elided").glob("*.cpp")),
    harness.HERE.parent / "miscompiles" / "programs" / "elided_not_owned.cpp",
]
LANGUAGE = ("-std=c++20",)
PIPELINE = f"coro-early,cgscc(inline,{harness.SIMPLIFY},coro-split<reuse-storage>,coro-annotation-elide),coro-cleanup,default<O2>"

pytestmark = pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}")

Elided = collections.Counter[tuple[str, str]]


def elided_in(remarks: str) -> Elided:
    return collections.Counter(re.findall(r"'(\S+?)' elided in '(\S+?)'", remarks))


def by_clang(source: pathlib.Path) -> Elided:
    command = [harness.CLANG, *LANGUAGE, "-O2", "-w", "-Rpass=coro-annotation-elide", "-c", str(source), "-o", "/dev/null"]
    return elided_in(harness.call("clang", command))


def by_pycoro(source: pathlib.Path) -> Elided:
    presplit = harness.presplit(source, "-O2", LANGUAGE)
    command = [*harness.opt_command("pycoro"), str(presplit), f"-passes={PIPELINE}", "--json", "-S", "-o", "/dev/null"]
    return elided_in(harness.call("lower", command))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_pycoro_elides_what_clang_elides(program):
    theirs, ours = by_clang(program), by_pycoro(program)
    assert theirs, "clang elides nothing: this shows nothing"
    assert theirs <= ours


@pytest.mark.parametrize("sanitized", [False, True], ids=["plain", "sanitized"])
@pytest.mark.parametrize("program", PROGRAMS[:-1], ids=lambda p: p.stem)
def test_elided_programs_behave_as_in_clang_s_build(program, sanitized, tmp_path):
    if sanitized and not harness.sanitizers_link():
        pytest.skip("the libraries of clang's sanitizers are not installed")
    flags = harness.SANITIZE if sanitized else ()
    presplit = harness.presplit(program, "-O2", (*LANGUAGE, *flags))
    lowered = harness.lower(presplit, tmp_path / "lowered.bc", PIPELINE + (",asan" if sanitized else ""), "pycoro")
    ours = harness.run(harness.link([harness.compile_ir(lowered, tmp_path / "ours.o", "-O2")], tmp_path / "ours", flags))
    expected = harness.clang_outcome(program, "-O2", LANGUAGE)
    assert expected.status == 0 and expected.output
    assert ours == expected


def main() -> None:
    print("| program | clang elides | pycoro elides | clang alone |\n| --- | --- | --- | --- |")
    for program in PROGRAMS:
        theirs, ours = by_clang(program), by_pycoro(program)
        print(f"| {program.name} | {theirs.total()} | {ours.total()} | {(theirs - ours).total()} |")


if __name__ == "__main__":
    main()
