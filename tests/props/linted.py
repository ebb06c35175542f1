"""Tests the linter on programs with planted bugs and without. As a command it prints the tables; --write FILE writes them.

PYCORO_LLVM_TESTS and PYCORO_GCC_TESTS name the directories of these projects' tests; C++ programs need clang.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import NamedTuple

import pycoro
from pycoro import strategies

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/api", "tests/real", "tests/gcc", "tests/llvm", "bench")]
import mistakes  # noqa: E402

SMALL = "`malloc(16)` for a larger frame; the coroutine never runs"
LEAKS = "is destroyed at its first suspend without a free"
KNOWN = {
    "LLVM's tests": {
        **dict.fromkeys(
            [
                "coro-lifetime-end",
                "coro-split-musttail-ppc64le",
                *(f"coro-split-musttail{number}" for number in ("", 1, 2, 3, 5, 9, 10)),
            ],
            ("frame-memory-size", SMALL),
        ),
        **dict.fromkeys(
            [f"coro-split-musttail{number}" for number in (6, 7, 12, 13)],
            ("frame-memory-size destroy-leaks", f"{SMALL}; {LEAKS}"),
        ),
        "coro-split-musttail4": ("destroy-leaks", LEAKS),
        "coro-async-addr-lifetime-start-bug": (
            "lost-block",
            "the instructions after a branch form a block without predecessors, with a suspend",
        ),
        "coro-cleanup": (
            "use-after-destroy",
            "resumes, destroys and queries one handle in sequence, to test the lowering of the calls",
        ),
        "coro-debug-frame-variable-inlined": (
            "ignored-suspend",
            "it is destroyed as if it were resumed; the test is debug information",
        ),
        **{
            f"coro-frame-reuse-alloca-0{number}": ("unused-free", "the frame leaks; the test is its layout")
            for number in (1, 2, 4, 5)
        },
        "gh107139-split-in-scc": ("ignored-suspend", "it continues as if it were resumed; the test is the call graph"),
        "coro-elide-safe": ("elide-safe-escapes", "the callers return the handle"),
        "coro-elide-stat": ("presplitcoroutine", "the attribute is missing"),
        "coro-elide": ("presplitcoroutine", "the attribute is missing"),
        "coro-retcon-unreachable": ("lost-block", "its only end is in a block without predecessors; that is the test"),
        "coro-spill-promise": ("promise-align", "`malloc` aligns to 16 bytes, but the promise to 64"),
        "coro-spill-promise-02": ("promise-align", "`malloc` aligns to 16 bytes, but the promise to 64"),
        "coro-split-final-suspend": (
            "end-before-return",
            "when it is destroyed at its first suspend, it reaches the ramp's return, which LLVM replaces with `unreachable`",
        ),
        "coro-split-invalid": ("coro-id", "it has no id; the test is that LLVM does not crash"),
        "coro-split-recursive": ("end-before-return", "it has no `llvm.coro.end`; LLVM replaces the return with `unreachable`"),
        "gh105595": ("end-before-return", "it has no `llvm.coro.end`; LLVM replaces the return with `unreachable`"),
        "gh114487-non-inlinable": ("presplitcoroutine", "the attribute is missing; the test is that LLVM does not crash"),
    },
    "tests/ir": {
        "odd-pointers": ("code-address-size", "pycoro correctly rejects it"),
        "alloca-made-anew-refused": ("static-alloca", "pycoro correctly rejects it"),
        "computed-before-begin": ("alias-before-begin", "pycoro correctly rejects it"),
        "callbr-kept": ("callbr-live-across-suspend", "pycoro correctly rejects it"),
        "continuation-is-code": ("continuation-is-code", "pycoro correctly rejects it"),
        "naked": ("naked", "pycoro correctly rejects it"),
        "other-memory": ("musttail-in-clone end-before-return", "the test is a call that cannot be moved to another block"),
        "returned-before-begin": ("escape-before-begin", "the test is that pycoro puts such an alloca on the heap"),
        "parameters": ("elide-safe-escapes", "the caller returns the handle; the test is the form of the call"),
        "promise-aligned": ("promise-align", "`malloc` aligns to 16 bytes, but the promise to 64"),
        "destroyed-by-a-number-of-two-phis": ("resume-unreachable", "it has no final suspend, and is destroyed at its last one"),
        "destroyed-outside-pads": ("unused-free", "one path leaks the frame; the test is where it is destroyed"),
        "unwind-end-between-suspends": ("ignored-suspend unused-free", "the test is the phi of a result that nothing uses"),
        "spills-after-suspend": ("ignored-suspend", "the test is a value defined after a suspend whose result nothing uses"),
        "wide-constants": ("ignored-suspend", "the test is a switch on another constant"),
        "unreachable-suspend": ("impossible-result", "the test is a suspend that only this result leads to"),
        "heads": ("destroy-leaks", "the test is where debug records are; nothing destroys the coroutine"),
        "looked-at-by-who-has-suspended": (
            "destroy-leaks",
            "the test is a handle that is used after a suspend; nothing destroys it",
        ),
        "values-without-a-frame": (
            "destroy-leaks",
            "the test is a value on the path that suspends; nothing destroys the coroutine",
        ),
        "unmarked": ("presplitcoroutine", "the test is that coro-early marks it"),
    },
    "tests/miscompiles": {
        "no_id": ("coro-id", "pycoro correctly rejects it; LLVM miscompiles it"),
        "not_presplit": ("presplitcoroutine", "coro-early marks it; LLVM 22 miscompiles it"),
    },
    "tests/real": {
        "aligned_promise": ("promise-align", "clang allocates with alignment 16 for a promise with alignment 32"),
    },
}
"""Expected findings by input and file, with the reason why they are correct."""


class Found(NamedTuple):
    modules: int
    alarms: list[tuple[str, str]]
    """File and rule."""


def texts_in(folder: pathlib.Path) -> Iterator[tuple[str, str]]:
    """Yield the IR files in a directory."""
    for path in sorted(folder.rglob("*.ll")):
        yield path.stem, path.read_text()


def programs(paths: list[pathlib.Path], flags: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield clang's unoptimized IR of C++ programs."""
    import coroharness

    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            out = pathlib.Path(folder) / f"{path.stem}.ll"
            try:
                coroharness.emit_ir(path, out, "-O1", flags)
            except coroharness.StepFailed:
                continue
            yield path.stem, out.read_text()


def gcc() -> Iterator[tuple[str, str]]:
    """GCC's programs, with exceptions and without."""
    import gcctests

    for exceptions in (False, True) if gcctests.root() else ():
        for case in gcctests.cases(exceptions):
            yield from programs([case.path], case.flags)


def real() -> Iterator[tuple[str, str]]:
    """Our own programs."""
    import coroharness

    yield from programs(sorted((ROOT / "tests/real/programs").rglob("*.cpp")), coroharness.LANGUAGE)


def llvm() -> Iterator[tuple[str, str]]:
    """LLVM's tests."""
    import llvmtests

    folder = llvmtests.root()
    yield from texts_in(folder) if folder else ()


def random_programs(count: int) -> Iterator[tuple[str, str]]:
    """Random programs of all ABIs."""
    for seed in range(count):
        yield f"seed {seed}", strategies.module([strategies.sample(seed)])


def lint_all(texts: Iterator[tuple[str, str]]) -> Found:
    """Lint each module that LLVM parses."""
    modules, alarms = 0, []
    for name, text in texts:
        try:
            module = pycoro.Module(text, trusted=True)
        except pycoro.Error:
            continue
        modules += 1
        alarms += [(name, rule) for rule in dict.fromkeys(finding.rule for finding in module.lint())]
    return Found(modules, alarms)


def unknown_findings(group: str, found: Found) -> list[tuple[str, str]]:
    """Return findings that are not in KNOWN."""
    known = KNOWN.get(group, {})
    return [(name, rule) for name, rule in found.alarms if rule not in known.get(name, ("",))[0].split()]


def count_planted(seeds: int) -> dict[str, tuple[int, int, int]]:
    """Return for each rule the number of variants, of planted bugs, and of bugs found."""
    found: dict[str, tuple[int, int, int]] = {}
    for rule, ways in mistakes.MISTAKES.items():
        hits = sum(
            rule in {finding.rule for finding in pycoro.Module(mistakes.mistaken(rule, way, seed), trusted=True).lint(notes=True)}
            for way in range(len(ways))
            for seed in range(seeds)
        )
        found[rule] = len(ways), len(ways) * seeds, hits
    return found


def seconds() -> list[tuple[str, int, int, float, float]]:
    """Return name, size, bytes, and the processor time of linting and lowering for growing inputs."""
    import growing

    rows: list[tuple[str, int, int, float, float]] = []
    for draw, sizes in ((growing.reloads, (5000, 20000)), (growing.functions, (1500, 6000)), (growing.far_variables, (2000, 8000))):
        for size in sizes:
            text = draw(size)
            times: list[float] = []
            for act in (lambda module: module.lint(), lambda module: module.run("coro-early,cgscc(coro-split),coro-cleanup")):
                module = pycoro.Module(text, trusted=True)
                before = time.process_time()
                act(module)
                times.append(time.process_time() - before)
            rows.append((draw.__name__, size, len(text), *times))
    return rows


def page(seeds: int, count: int) -> str:
    """Return the tables as Markdown."""
    lines = [
        "# Linter tests",
        "",
        "This page is for contributors. It shows what [the linter](reference/lint.md) finds in random programs with planted bugs,",
        "and in programs without bugs. `python tests/props/linted.py --write docs/lint-tests.md` writes this page;",
        "`tests/api/test_lint.py` tests a part of it.",
        "",
        "## Planted bugs",
        "",
        "| rule | variants | planted | found |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| `{rule}` | {ways} | {number} | {hits} |" for rule, (ways, number, hits) in count_planted(seeds).items()]
    groups = {
        "LLVM's tests": llvm(),
        "GCC's programs": gcc(),
        "tests/real": real(),
        "tests/ir": texts_in(ROOT / "tests/ir"),
        "tests/seeds": texts_in(ROOT / "tests/seeds"),
        "tests/props": texts_in(ROOT / "tests/props"),
        "tests/miscompiles": texts_in(ROOT / "tests/miscompiles"),
        "random programs": random_programs(count),
    }
    lines += [
        "",
        "## Programs without planted bugs",
        "",
        "| inputs | modules | findings | false alarms |",
        "| --- | --- | --- | --- |",
    ]
    told: list[str] = []
    for group, texts in groups.items():
        found = lint_all(texts)
        lines.append(f"| {group} | {found.modules} | {len(found.alarms)} | {len(unknown_findings(group, found))} |")
        known = KNOWN.get(group, {})
        false = unknown_findings(group, found)
        for name, rule in found.alarms:
            what = "**false alarm**" if (name, rule) in false else known[name][1]
            told.append(f"| {group} | `{name}` | `{rule}` | {what} |")
    lines += ["", "All findings were reviewed and are correct:", ""]
    lines += ["| inputs | file | rule | reason |", "| --- | --- | --- | --- |", *told]
    lines += ["", "## Time", "", "Processor time on one core, for inputs from `bench/growing.py`.", ""]
    lines += ["| input | size | bytes | linted in | lowered in |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| {name} | {size} | {data} | {lint:.2f} s | {lower:.2f} s |" for name, size, data, lint, lower in seconds()]
    return "\n".join([*lines, ""])


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--seeds", type=int, default=50, help="programs for each planted bug")
    parser.add_argument("--count", type=int, default=1000, help="random programs")
    options = parser.parse_args()
    text = page(options.seeds, options.count)
    if options.write:
        options.write.write_text(text)
    else:
        print(text)
    return int("**false alarm**" in text)


if __name__ == "__main__":
    sys.exit(main())
