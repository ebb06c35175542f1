"""Measures time and instructions per generator element, relative to the handwritten loop and to clang -O2, in one program and one
run: `python bench/generators.py`.

Times are medians of the processor time of alternating rounds. Valgrind counts instructions: the difference between a run over
many elements and one over few excludes the code before the loop. Without valgrind this column is missing.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "tests" / "real")]
import coroharness as harness  # noqa: E402

SOURCES = HERE / "generators"
FLAGS = ("-std=c++20", f"-I{ROOT / 'tests' / 'elision' / 'support'}")
FEW, MANY = 30_000, 90_000


def build(folder: pathlib.Path) -> pathlib.Path:
    """Build the program with the code of pycoro and of clang for the same source."""
    source = SOURCES / "generators.cpp"
    objects = []
    for who in ("pycoro", "clang"):
        out = folder / f"{who}.o"
        flags = (*FLAGS, f"-DWHO={who}")
        if who == "clang":
            harness.call("clang", [harness.CLANG, *flags, "-O2", "-fPIC", "-c", str(source), "-o", str(out)])
        else:
            ir = harness.emit_ir(source, folder / "presplit.ll", "-O2", flags)
            harness.compile_ir(harness.lower(ir, folder / "lowered.ll", "default<O2>", "pycoro"), out, "-O2")
        objects.append(out)
    for other in (SOURCES / "measure.cpp", ROOT / "tests" / "elision" / "support" / "outside.cpp"):
        objects.append(folder / f"{other.stem}.o")
        harness.call("clang", [harness.CLANG, *FLAGS, "-O2", "-fPIC", "-c", str(other), "-o", str(objects[-1])])
    return harness.link(objects, folder / "measure")


def instructions(program: pathlib.Path, which: int) -> float:
    """Return the number of instructions per element."""
    counts = []
    for count in (FEW, MANY):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), str(which), str(count)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        assert found, done.stderr
        counts.append(int(found[1]))
    return (counts[1] - counts[0]) / (MANY - FEW)


def elements(program: pathlib.Path) -> list[list[str]]:
    """Return generator, compiler and nanoseconds per element; the handwritten loop is first for each generator."""
    return [line.split() for line in harness.call("run", [str(program)]).splitlines() if not line.startswith("frames")]


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        program = build(pathlib.Path(place))
        rows = elements(program)
        counted = bool(shutil.which("valgrind"))
        per_element = [instructions(program, n) for n in range(len(rows))] if counted else []
    print("| generator | by | ns an element | to the loop | instructions | to the loop |\n| --- | --- | --- | --- | --- | --- |")
    for n, (name, who, time) in enumerate(rows):
        hand = n - n % 3
        row = [name, who, f"{float(time):.2f}", f"{float(time) / float(rows[hand][2]):.2f}"]
        row += [f"{per_element[n]:.1f}", f"{per_element[n] / per_element[hand]:.2f}"] if counted else ["", ""]
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
