"""GCC's self-checking coroutine programs, run twice: built by clang alone, and lowered by pycoro. As a command it prints
the table of results by name, with the reason for each skipped program; --list prints the names that pass.

PYCORO_GCC_TESTS names the directory with gcc/testsuite; PYCORO_LOWERING=reference lowers with LLVM's passes instead.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shlex
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "real"))
import coroharness as harness

HERE = pathlib.Path(__file__).resolve().parent
KNOWN = {False: HERE / "passing.txt", True: HERE / "passing-with-exceptions.txt"}
TITLES = {
    False: ("with exceptions off", "--write docs/gcc-tests.md"),
    True: ("with exceptions on", "--exceptions --write docs/gcc-exceptions-tests.md"),
}
NO_EXCEPTIONS = "needs exceptions"


@dataclasses.dataclass(frozen=True)
class Case:
    name: str  # relative to the directory of its suite, without the suffix
    path: pathlib.Path
    flags: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Result:
    case: Case
    outcome: str  # "pass", "FAIL" or "skipped"
    why: str = ""


def together(name: str) -> pytest.MarkDecorator:
    """Return the mark of tests of one program, which share what clang builds of it."""
    return pytest.mark.xdist_group(f"gcc {name}")


def root() -> pathlib.Path | None:
    given = os.environ.get("PYCORO_GCC_TESTS")
    folder = pathlib.Path(given) if given else None
    return folder if folder and (folder / "gcc" / "testsuite").is_dir() else None


def directives(text: str, name: str) -> list[str]:
    """Return the arguments of each target-independent { dg-NAME ... }."""
    return [found.strip() for found in re.findall(r"\{\s*dg-" + name + r"\s+(.*?)\s*\}", text)]


def read(folder: pathlib.Path, path: pathlib.Path, exceptions: bool) -> Case | None:
    """Return the program with the flags of its directives; None if it does not run."""
    text = path.read_text(errors="replace")
    if not any(what.split()[0] == "run" for what in directives(text, "do")):
        return None
    asked: list[str] = []
    for options in directives(text, "additional-options") + directives(text, "options"):
        asked += shlex.split(shlex.split(options)[0])
    # Clang has coroutines from C++20 on; warnings are not tested.
    kept = [flag for flag in asked if not flag.startswith(("-std=", "-fcoroutines", "-W", "-w", "-g"))]
    name = path.relative_to(folder / ("gcc/testsuite/g++.dg" if "gcc" in path.relative_to(folder).parts[:1] else "."))
    language = [flag for flag in harness.LANGUAGE if not (exceptions and flag == "-fno-exceptions")]
    return Case(str(name.with_suffix("")), path, (*language, *kept))


def cases(exceptions: bool = False) -> list[Case]:
    folder = root()
    if folder is None:
        return []
    files = sorted([*folder.rglob("*.C"), *folder.rglob("*.cc")])
    return [case for case in (read(folder, path, exceptions) for path in files) if case]


def build_failure(failed: harness.StepFailed) -> str:
    """Return the reason why clang's own build failed."""
    text = str(failed)
    if re.search(r"cannot use '(try|throw)' with exceptions disabled", text):
        return NO_EXCEPTIONS
    told = re.search(r"(?:error|undefined reference).*", text)
    return f"also fails with clang: {told[0] if told else failed.status}"[:140]


def compare(case: Case, folder: pathlib.Path, level: str) -> Result:
    try:
        expected = harness.clang_outcome(case.path, level, case.flags)
    except harness.StepFailed as failed:
        return Result(case, "skipped", build_failure(failed))
    if expected.status != 0:
        return Result(case, "skipped", f"also fails with clang: exit status {expected.status} at {level}")
    try:
        lowered = harness.lowered_object(case.path, folder, level, flags=case.flags)
        got = harness.run(harness.link([lowered], folder / f"lowered{level}"))
    except harness.StepFailed as failed:
        lines = str(failed).splitlines()
        return Result(case, "FAIL", f"{level}: {lines[0].split(':')[0]}: {lines[1] if lines[1:] else ''}"[:300])
    if got != expected:
        return Result(case, "FAIL", f"{level}: exit status {got.status}, or other output than clang's build")
    return Result(case, "pass")


def examine(case: Case, folder: pathlib.Path) -> Result:
    """Return one verdict over all levels; those where clang's own build fails do not count, unless all do."""
    if "-fexceptions" in case.flags and "-fno-exceptions" in case.flags:
        return Result(case, "skipped", NO_EXCEPTIONS)
    folder = folder / case.name.replace("/", ".")
    folder.mkdir()
    results = [compare(case, folder, level) for level in harness.LEVELS]
    by_weight = ("FAIL", "pass", "skipped")
    best = min(results, key=lambda r: by_weight.index(r.outcome))
    return dataclasses.replace(best, why=next((r.why for r in results if r.why and best.outcome in ("pass", r.outcome)), ""))


def survey(exceptions: bool = False, jobs: int = 2) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda case: examine(case, pathlib.Path(folder)), cases(exceptions)))


def table(results: list[Result], exceptions: bool) -> str:
    count = {outcome: sum(r.outcome == outcome for r in results) for outcome in ("pass", "FAIL", "skipped")}
    needy = sum(r.why == NO_EXCEPTIONS for r in results)
    title, options = TITLES[exceptions]
    left = f"({needy} need exceptions, the others also fail with clang)" if needy else "(they also fail with clang)"
    lines = [
        f"# GCC's coroutine tests, {title}",
        "",
        "This page is for contributors. It lists the results of GCC's self-checking coroutine programs, lowered by pycoro.",
        "",
        f"There are {len(results)} programs, compiled at {' and '.join(harness.LEVELS)}, {title}. {count['pass']} pass,",
        f"{count['FAIL']} fail, and {count['skipped']} are skipped {left}.",
        f"`python tests/gcc/gcctests.py {options}` writes this page. The programs are GCC's and not in this repository.",
        "",
        "| program | result | reason |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {r.case.name} | {r.outcome} | {r.why.replace('|', chr(92) + '|')} |" for r in results]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="GCC's coroutine programs, lowered by pycoro: a table")
    parser.add_argument("--write", metavar="FILE", type=pathlib.Path, help="write the table there")
    parser.add_argument("--list", action="store_true", help="print the names that pass, as passing.txt holds them")
    parser.add_argument("--exceptions", action="store_true", help="build with exceptions on")
    arguments = parser.parse_args()
    if root() is None:
        print("PYCORO_GCC_TESTS does not name a folder with gcc/testsuite in it", file=sys.stderr)
        return 2
    results = survey(arguments.exceptions)
    if arguments.list:
        print("\n".join(r.case.name for r in results if r.outcome == "pass"))
    elif arguments.write:
        arguments.write.write_text(table(results, arguments.exceptions))
    else:
        print(table(results, arguments.exceptions), end="")
    return 0 if all(r.outcome != "FAIL" for r in results) else 1


if __name__ == "__main__":
    sys.exit(main())
