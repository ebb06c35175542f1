"""Runs the coroutines of programs/, which have the shapes that Swift's compiler emits for accessors and async functions, in the
dialect of LLVM 22 or of Swift's own LLVM. A C program, runtime.c, drives them, and checks their memory.

`python tests/swift/swiftshapes.py --write docs/swift-tests.md` writes the page with the results of pycoro and of LLVM."""

from __future__ import annotations

import argparse
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "real")]

import coroharness as harness  # noqa: E402

PROGRAMS = sorted((HERE / "programs").glob("*.ll"))
PIPELINES = {
    "split": "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup",
    "O0": "default<O0>",
    "O2": "default<O2>",
}


def about(program: pathlib.Path) -> str:
    """Return the first comment of a program."""
    text = program.read_text()
    return text[2 : text.index("\n; prints")].replace("\n; ", " ")


def abis(program: pathlib.Path) -> str:
    """Return the ABIs of a program's coroutines, as in the names of their ids."""
    return ", ".join(sorted(set(re.findall(r"@llvm\.coro\.id\.([a-z.]+)\(i", program.read_text()))))


def wanted(program: pathlib.Path) -> str:
    """Return the expected output."""
    return "".join(line + "\n" for line in re.findall(r"^; prints: (.*)$", program.read_text(), re.MULTILINE))


@functools.cache
def c_object(source: pathlib.Path) -> pathlib.Path:
    """Return the object of a C file, which is compiled once for all tests of this process."""
    out = harness.session_folder() / f"{source.stem}.swift.o"
    harness.call("clang", [harness.CLANG, "-x", "c", "-std=c11", "-w", "-c", str(source), "-o", str(out)])
    return out


def run(program: pathlib.Path, mode: str, pipeline: str, folder: pathlib.Path) -> str:
    """Lower, compile, link and run a program. Return its output, or the reason why there is none; LLVM may end its process."""
    source, made = folder / "presplit.ll", folder / f"{program.stem}.{mode}"
    source.write_text((HERE / "prelude.ll").read_text() + program.read_text())
    try:
        harness.lower(source, made.with_suffix(".ll"), PIPELINES[pipeline], mode)
        compiled = harness.compile_ir(made.with_suffix(".ll"), made.with_suffix(".o"), "-O0" if pipeline != "O2" else "-O2")
    except harness.StepFailed as failed:
        crashed = isinstance(failed.status, int) and (failed.status < 0 or failed.status > 128)
        return "crashes" if crashed else "rejects"
    runtime = [c_object(path) for path in (HERE / "runtime.c", program.with_suffix(".c")) if path.exists()]
    harness.link([*runtime, compiled], made)
    done = subprocess.run([str(made)], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout if done.returncode == 0 else f"ends with status {done.returncode}"


def verdict(program: pathlib.Path, mode: str, folder: pathlib.Path) -> str:
    """Return `right` if all pipelines give the expected output, or the first other result."""
    for pipeline in PIPELINES:
        given = run(program, mode, pipeline, folder)
        if given != wanted(program):
            return given if given.split(" ")[0] in ("crashes", "rejects", "ends") else "another result"
    return "right"


def table() -> str:
    """Return the page with all results."""
    lines = [
        "# Coroutines of Swift's shapes",
        "",
        "This page is for contributors. It lists programs with the shapes of Swift's accessors and async functions, and the",
        "results of pycoro and of LLVM 22.1.8.",
        "",
        "A C program drives each of them through three pipelines: the coroutine passes with shared storage, `default<O0>` and",
        "`default<O2>`. `right` means that all three give the expected output and free all memory, with the bytes after each block",
        "unmodified. `python tests/swift/swiftshapes.py --write docs/swift-tests.md` writes this page.",
        "",
        "| program | ABI | contents | pycoro | LLVM 22 |",
        "| --- | --- | --- | --- | --- |",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            cells = [verdict(program, mode, pathlib.Path(folder)) for mode in ("pycoro", "reference")]
            lines.append(f"| `{program.stem}` | {abis(program)} | {about(program)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="coroutines of Swift's shapes, lowered by pycoro and LLVM: a table")
    parser.add_argument("--write", metavar="FILE", type=pathlib.Path, help="write the table there")
    arguments = parser.parse_args()
    text = table()
    if arguments.write:
        arguments.write.write_text(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
