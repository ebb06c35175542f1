"""Heap allocations of coroutine frames: LLVM and pycoro lower every case at a level, and a run counts the frames on the heap.
`cases.toml` has the expected numbers and reasons; docs/reference/elision.md is that table for readers.

    python tests/elision/elisions.py                      measures all cases and prints differences from the table
    python tests/elision/elisions.py --only NAME          one case, with the result of each lowering
    python tests/elision/elisions.py --update             writes the measurements into cases.toml
    python tests/elision/elisions.py --write FILE         writes the page
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import functools
import json
import os
import pathlib
import re
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))
import coroharness as harness  # noqa: E402

SUPPORT = HERE / "support"
TABLE = HERE / "cases.toml"
HEAD = "# What is expected of each case, and why. `elisions.py` says what the keys mean.\n\n"
PAGE = HERE.parent.parent / "docs" / "reference" / "elision.md"
FLAGS = ("-std=c++20", f"-I{SUPPORT}")
COUNTED = re.compile(r"^frames (\d+) freed (\d+)$", re.MULTILINE)


DRIVES_ELIDED = "pycoro-drives-elided"
"""The attribute with which coro-elide marks functions that drive elided coroutines, until the end of the run."""


def with_handwritten_loops_marked(ir: str) -> str:
    """Mark the handwritten loops as coro-elide marks those over coroutines. At the end of a run, some selects in marked
    functions become branches, so that only then both are the same loop."""
    by_hand = re.compile(r"^(define [^\n]*_by_hand\([^\n]*\)[^\n]*?)( #\d+[^\n]* \{)$", re.MULTILINE)
    marked, count = by_hand.subn(rf'\1 "{DRIVES_ELIDED}"\2', ir)
    assert count
    return marked


@dataclasses.dataclass(frozen=True)
class Case:
    """A row of the table. Frames are counted over a whole run."""

    name: str
    group: str
    frames: int  # created by the program; as many are on the heap without elision
    llvm: int | str  # frames on the heap with LLVM 22's default<O2>; or the failure
    pycoro: int  # frames on the heap with pycoro's
    why: str
    least: int = 0  # frames on the heap in a correct program: eliding more is a miscompile
    leaks: int = 0  # frames leaked without elision
    lost: int = 0  # frames on the heap leaked with pycoro
    like: str = ""  # an LLVM test or issue with the same shape
    flags: tuple[str, ...] = ()  # additional options of clang
    apart: str = ""  # the module, in `apart/`, that defines and publishes the coroutine; it is compiled separately

    @property
    def source(self) -> pathlib.Path:
        cpp = HERE / "cpp" / f"{self.name}.cpp"
        return cpp if cpp.exists() else HERE / "ir" / f"{self.name}.ll"

    @property
    def publisher(self) -> pathlib.Path:
        return HERE / "apart" / self.apart

    @property
    def shape(self) -> str:
        """Return the comment at the start of the source."""
        lines = []
        for line in self.source.read_text().splitlines():
            if not line.startswith(("//", ";")):
                break
            lines.append(line.lstrip("/; "))
        return " ".join(lines)


@dataclasses.dataclass(frozen=True)
class Run:
    """The result of a build of a case. A frame that is not freed is lost, or was never on the heap."""

    status: int
    output: str
    frames: int
    freed: int

    @property
    def wrong(self) -> str:
        return "" if self.status == 0 else f"ends with status {self.status}"


def cases() -> list[Case]:
    table = tomllib.loads(TABLE.read_text())
    return [Case(**{**row, "flags": tuple(row.get("flags", ()))}) for row in table["case"]]


def presplit(case: Case, folder: pathlib.Path, level: str, flags: tuple[str, ...] = ()) -> pathlib.Path:
    if case.apart:
        _presplit(case, case.publisher, publisher_of(folder / f"{case.name}.{level}.ll"), level, flags)
    return _presplit(case, case.source, folder / f"{case.name}.{level}.ll", level, flags)


def publisher_of(ir: pathlib.Path) -> pathlib.Path:
    """Return the path of a case's other module from the path of the case's module."""
    return ir.with_suffix(".apart.ll")


def _presplit(case: Case, source: pathlib.Path, out: pathlib.Path, level: str, flags: tuple[str, ...]) -> pathlib.Path:
    if source.suffix == ".cpp":
        return harness.emit_ir(source, out, f"-{level}", (*FLAGS, *case.flags, *flags))
    text = (SUPPORT / "count.ll").read_text() + source.read_text()
    if flags:  # as clang marks functions to sanitize
        text = re.sub(r"^(define .*\)[^)]*?)( personality .*)? \{$", r"\1 sanitize_address\2 {", text, flags=re.MULTILINE)
    out.write_text(text)
    return out


@functools.cache
def outside(folder: pathlib.Path) -> pathlib.Path:
    out = folder / "outside.o"
    harness.call("clang", [harness.CLANG, *FLAGS, "-O1", "-fPIC", "-c", str(SUPPORT / "outside.cpp"), "-o", str(out)])
    return out


def build(case: Case, ir: pathlib.Path, mode: str, level: str, folder: pathlib.Path, asan: bool = False) -> pathlib.Path:
    """Return the program for a lowering of the presplit IR. The publishing module is lowered first, and published with pycoro."""
    out = folder / f"{case.name}.{mode}.{level}"
    passes = f"default<{level}>" + (",asan" if asan else "")
    modules, options = [], ()
    if case.apart:
        summary = str(out) + ".json"
        says = (f"--export-summary={summary}",) if mode == "pycoro" else ()
        modules.append(harness.lower(publisher_of(ir), out.with_suffix(f".{level}.apart.lowered.bc"), passes, mode, says))
        options = (f"--import-summary={summary}",) if mode == "pycoro" else ()
    modules.append(harness.lower(ir, out.with_suffix(f".{level}.lowered.bc"), passes, mode, options))
    compiled = [harness.compile_ir(module, module.with_suffix(".o"), f"-{level}") for module in modules]
    return harness.link([*compiled, outside(folder)], out.with_suffix(f".{level}.out"), harness.SANITIZE if asan else ())


def run(program: pathlib.Path) -> Run:
    shown = harness.run(program)
    counted = COUNTED.search(shown.errors)
    frames, freed = (int(counted[1]), int(counted[2])) if counted else (-1, -1)
    return Run(shown.status, shown.output, frames, freed)


def measured(case: Case, folder: pathlib.Path) -> dict[str, Run]:
    """Run a case without elision, and as LLVM and pycoro lower it at O2."""
    ir = presplit(case, folder, "O2")
    ways = {"plain": ("reference", "O0"), "llvm": ("reference", "O2"), "pycoro": ("pycoro", "O2")}
    return {way: run(build(case, ir, *how, folder)) for way, how in ways.items()}


def describe_measurement(runs: dict[str, Run]) -> str:
    return ", ".join(f"{way} {r.frames}/{r.freed}{' ' + r.wrong if r.wrong else ''}" for way, r in runs.items())


def differences(case: Case, runs: dict[str, Run]) -> list[str]:
    """Return statements of the table that the runs contradict."""
    plain, theirs, ours = runs["plain"], runs["llvm"], runs["pycoro"]
    wrong = []
    if plain.wrong or (plain.frames, plain.freed) != (case.frames, case.frames - case.leaks):
        wrong.append(f"{case.frames} frames are to be made where nothing is elided")
    if isinstance(case.llvm, str) != bool(theirs.wrong) or (not theirs.wrong and theirs.frames != case.llvm):
        wrong.append(f"LLVM is to leave {case.llvm}")
    if ours.wrong or ours.output != plain.output:
        wrong.append(f"pycoro's shows {ours.output!r} and not {plain.output!r}")
    if (ours.frames, ours.freed) != (case.pycoro, case.pycoro - case.lost):
        wrong.append(f"pycoro is to leave {case.pycoro}")
    if ours.frames < case.least:
        wrong.append(f"{case.least} must stay on the heap")
    return [f"{case.name}: {what}; frames made and freed: {describe_measurement(runs)}" for what in wrong]


# ---- The page ----

INTRODUCTION = """\
# Heap-allocation elision results

This page is for compiler engineers. It lists the coroutine shapes whose frames pycoro elides, with the proof, and those that it
does not elide, with the reason.

A frame is elided if it is on the stack of the function that creates the coroutine, or part of the frame of the creating coroutine.
Each case is a small program in `tests/elision`. It is lowered with `default<O2>` of LLVM 22.1.8 and of pycoro and run, and its
calls of `operator new` are counted. A coroutine in another module is compiled separately and [published](across-modules.md).
`python tests/elision/elisions.py --write docs/reference/elision.md` writes this page; `tests/elision/test_elision.py` repeats the
measurements.

There are {count} cases. LLVM elides every frame in {llvm}, pycoro in {pycoro}. pycoro leaves fewer frames on the heap than LLVM
in {more} cases, and more in {fewer}. In {traps} cases eliding all frames would be a
miscompilation; LLVM miscompiles {wrong} of them.

"Frames" is the number of frames without elision; the next columns are the numbers of frames on the heap.
A case with "at least" is a trap: with fewer frames on the heap, the program is wrong. Numbers after a name are issues of
`llvm/llvm-project` with the same shape; file names are LLVM's own tests.
"""


def page() -> str:
    all_cases = cases()
    less = [case for case in all_cases if isinstance(case.llvm, int)]
    text = INTRODUCTION.format(
        count=len(all_cases),
        llvm=sum(case.llvm == 0 for case in all_cases),
        pycoro=sum(case.pycoro == 0 for case in all_cases),
        more=sum(case.pycoro < int(case.llvm) for case in less),
        fewer=sum(case.pycoro > max(int(case.llvm), case.least) for case in less),
        traps=sum(case.least > 0 for case in all_cases),
        wrong=sum(isinstance(case.llvm, str) or case.llvm < case.least for case in all_cases),
    )
    group = ""
    for case in all_cases:
        if case.group != group:
            group = case.group
            text += f"\n## {group}\n\n| case | frames | LLVM 22 | pycoro | proof or reason |\n| --- | --- | --- | --- | --- |\n"
        like = f" ({case.like})" if case.like else ""
        frames = f"{case.frames}, at least {case.least}" if case.least else str(case.frames)
        shape = re.sub(r"^[A-Z](?![A-Z])", lambda first: first[0].lower(), case.shape).removesuffix(".")
        text += f"| `{case.name}`{like}: {shape} | {frames} | {case.llvm} | {case.pycoro} | {case.why} |\n"
    return text


# ---- The command ----


def measure_all(case: Case, runs: dict[str, Run]) -> Case:
    plain, theirs, ours = runs["plain"], runs["llvm"], runs["pycoro"]
    return dataclasses.replace(
        case,
        frames=plain.frames,
        leaks=plain.frames - plain.freed,
        llvm="crashes" if theirs.wrong else theirs.frames,
        pycoro=ours.frames,
        lost=ours.frames - ours.freed,
    )


def as_toml(case: Case) -> str:
    row = {field.name: getattr(case, field.name) for field in dataclasses.fields(case)}
    kept = [(key, value) for key, value in row.items() if value or key in ("llvm", "pycoro", "frames")]
    return "[[case]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in kept)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", metavar="NAME", action="append", help="measure only these")
    options.add_argument("--update", action="store_true", help="write what was measured into the table")
    options.add_argument("--write", metavar="FILE", type=pathlib.Path, help="write the page, and measure nothing")
    asked = options.parse_args()
    if asked.write:
        asked.write.write_text(page())
        return 0
    chosen = [case for case in cases() if not asked.only or case.name in asked.only]
    found: dict[str, dict[str, Run]] = {}
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        outside(pathlib.Path(place))
        ahead = {case: pool.submit(measured, case, pathlib.Path(place)) for case in chosen}
        for case in chosen:
            try:
                found[case.name] = ahead[case].result()
            except harness.StepFailed as failed:
                print(f"{case.name}: {failed}", flush=True)
                continue
            if asked.only:
                print(f"{case.name}: {describe_measurement(found[case.name])}")
            for difference in differences(case, found[case.name]):
                print(difference, flush=True)
    if asked.update:
        told_again = [measure_all(case, found[case.name]) if case.name in found else case for case in cases()]
        TABLE.write_text(HEAD + "\n".join(map(as_toml, told_again)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
