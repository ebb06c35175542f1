"""What the linter finds in what is planted, and in what is right: as a command it prints the tables; --write FILE writes them.

PYCORO_LLVM_TESTS and PYCORO_GCC_TESTS name the folders of other projects' tests; C++ programs need clang.
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
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/real", "tests/gcc", "tests/llvm", "bench")]

KNOWN = {
    "LLVM's tests": {
        "coro-cleanup": ("use-after-destroy", "resumes, destroys and asks one handle in a row, to see the calls lowered"),
        "coro-elide-safe": ("elide-safe-escapes", "the callers return the handle"),
        "coro-elide-stat": ("presplitcoroutine", "not marked"),
        "coro-elide": ("presplitcoroutine", "not marked"),
        "coro-spill-promise": ("promise-align", "`malloc` gives 16 bytes, the promise is aligned to 64"),
        "coro-spill-promise-02": ("promise-align", "likewise"),
        "coro-split-final-suspend": (
            "end-before-return",
            "destroyed at its first suspend it comes to the ramp's return: LLVM makes `unreachable` of it",
        ),
        "coro-split-invalid": ("coro-id", "it has no id: what is tested is that LLVM survives it"),
        "coro-split-recursive": ("end-before-return", "it has no `llvm.coro.end`: LLVM makes `unreachable` of the return"),
        "gh105595": ("end-before-return", "likewise"),
        "gh114487-non-inlinable": ("presplitcoroutine", "not marked: what is tested is that LLVM survives it"),
    },
    "tests/ir": {
        "odd-pointers": ("code-address-size", "it is refused, as it should be"),
        "alias-where-ways-meet-refused": ("alias-before-begin", "it is refused, as it should be"),
        "alloca-made-anew-refused": ("static-alloca", "it is refused, as it should be"),
        "callbr-kept": ("callbr-kept", "it is refused, as it should be"),
        "continuation-is-code": ("continuation-is-code", "likewise"),
        "naked": ("naked", "likewise"),
        "parameters": ("elide-safe-escapes", "the caller returns the handle: what is tested is how it is called"),
        "promise-aligned": ("promise-align", "`malloc` gives 16 bytes, the promise is aligned to 64"),
    },
    "tests/miscompiles": {
        "no_id": ("coro-id", "it is refused, as it should be: LLVM lowers it wrongly"),
        "not_presplit": ("presplitcoroutine", "likewise"),
    },
    "tests/real": {
        "aligned_promise": ("promise-align", "clang allocates 16 bytes aligned for a promise that is aligned to 32"),
    },
}
"""By where it is from and by file what is found, and why it is no false alarm."""


class Found(NamedTuple):
    modules: int
    alarms: list[tuple[str, str]]
    """File and rule."""


def texts_in(folder: pathlib.Path) -> Iterator[tuple[str, str]]:
    """The files of IR that can be read."""
    for path in sorted(folder.rglob("*.ll")):
        yield path.stem, path.read_text()


def programs(paths: list[pathlib.Path], flags: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """C++ programs as clang gives them to LLVM's passes."""
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


def drawn(count: int) -> Iterator[tuple[str, str]]:
    """Random programs of all ABIs."""
    for seed in range(count):
        yield f"seed {seed}", strategies.module([strategies.sample(seed)])


def look(texts: Iterator[tuple[str, str]]) -> Found:
    """Lints each that LLVM reads."""
    modules, alarms = 0, []
    for name, text in texts:
        try:
            module = pycoro.Module(text, trusted=True)
        except pycoro.Error:
            continue
        modules += 1
        alarms += [(name, rule) for rule in dict.fromkeys(finding.rule for finding in module.lint())]
    return Found(modules, alarms)


def unknown(group: str, found: Found) -> list[tuple[str, str]]:
    """The alarms that nobody has looked at."""
    known = KNOWN.get(group, {})
    return [(name, rule) for name, rule in found.alarms if known.get(name, ("",))[0] != rule]


def planted(seeds: int) -> dict[str, tuple[int, int, int]]:
    """For each rule its ways, how many mistakes were planted, and how many found."""
    found: dict[str, tuple[int, int, int]] = {}
    for rule, ways in strategies.MISTAKES.items():
        hits = sum(
            rule in {finding.rule for finding in pycoro.Module(strategies.mistaken(rule, way, seed), trusted=True).lint()}
            for way in range(len(ways))
            for seed in range(seeds)
        )
        found[rule] = len(ways), len(ways) * seeds, hits
    return found


def seconds() -> list[tuple[str, int, int, float, float]]:
    """Inputs that grow: name, size, bytes, and the processor time of linting and of lowering."""
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
    """The tables as Markdown."""
    lines = [
        "# The linter's tests",
        "",
        "What [the linter](reference/lint.md) finds of mistakes that are planted into random programs, and in programs that",
        "have none. Written by `python tests/props/linted.py --write docs/lint-tests.md`; `tests/api/test_lint.py` looks at a part",
        "of it each time.",
        "",
        "## Planted mistakes",
        "",
        "| rule | ways | planted | found |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| `{rule}` | {ways} | {number} | {hits} |" for rule, (ways, number, hits) in planted(seeds).items()]
    groups = {
        "LLVM's tests": llvm(),
        "GCC's programs": gcc(),
        "tests/real": real(),
        "tests/ir": texts_in(ROOT / "tests/ir"),
        "tests/seeds": texts_in(ROOT / "tests/seeds"),
        "tests/props": texts_in(ROOT / "tests/props"),
        "tests/miscompiles": texts_in(ROOT / "tests/miscompiles"),
        "drawn programs": drawn(count),
    }
    lines += ["", "## What is right", "", "| inputs | modules | told of | false alarms |", "| --- | --- | --- | --- |"]
    told: list[str] = []
    for group, texts in groups.items():
        found = look(texts)
        lines.append(f"| {group} | {found.modules} | {len(found.alarms)} | {len(unknown(group, found))} |")
        known = KNOWN.get(group, {})
        false = unknown(group, found)
        for name, rule in found.alarms:
            what = "**false alarm**" if (name, rule) in false else known[name][1]
            told.append(f"| {group} | `{name}` | `{rule}` | {what} |")
    lines += ["", "What is told of was looked at, and is so:", ""]
    lines += ["| inputs | file | rule | what it is |", "| --- | --- | --- | --- |", *told]
    lines += ["", "## Time", "", "Processor time, on one core; inputs of `bench/growing.py`.", ""]
    lines += ["| input | size | bytes | linted in | lowered in |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| {name} | {size} | {data} | {lint:.2f} s | {lower:.2f} s |" for name, size, data, lint, lower in seconds()]
    return "\n".join([*lines, ""])


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--seeds", type=int, default=50, help="programs that each mistake is planted into")
    parser.add_argument("--count", type=int, default=1000, help="drawn programs")
    options = parser.parse_args()
    text = page(options.seeds, options.count)
    if options.write:
        options.write.write_text(text)
    else:
        print(text)
    return int("**false alarm**" in text)


if __name__ == "__main__":
    sys.exit(main())
