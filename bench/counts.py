"""What lowering costs in instructions executed, per value, use and suspend of the input: `python bench/counts.py [FAMILY ...]`.

Valgrind counts them (`apt-get install valgrind`), so that a busy machine changes nothing: two runs of one build give the same
numbers. A family is one of families.py; each of its coroutines is lowered at N, 2N and 4N, and where its cost follows the work the
numbers in a column stay as they are from size to size. LLVM's beside them, where its passes come to an end in time. What is
counted is the run of the passes alone, without what verifies.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from families import FAMILIES, suspends
from run import PASSES, build, exponent

import pycoro

FIRST = 100
"""The smallest size."""
MOST_LLVM = 400
"""The largest that LLVM is asked for."""
COUNTED = {"believed": "coro_run", "llvm": "LLVMRunPasses"}
"""By who of lower.c: the function whose instructions are counted, with all that it calls."""
COLLECTED = re.compile(r"Collected : (\d+)")


@dataclasses.dataclass(frozen=True)
class Work:
    """How much there is to do: numbers of one module's presplit functions."""

    values: int
    uses: int
    suspends: int


def work(ir: str) -> Work:
    values = uses = suspends = 0
    for function in pycoro.Module(ir).functions.values():
        for block in () if function.declaration else function.blocks:
            for instruction in block.instructions:
                values += str(instruction.type) != "void"
                uses += len(instruction.operands)
                suspends += "@llvm.coro.suspend" in str(instruction)
    return Work(values, uses, suspends)


def executed(program: pathlib.Path, ir: pathlib.Path, who: str) -> int | None:
    """None: there is no valgrind here, or it has not counted."""
    if not shutil.which("valgrind"):
        return None
    told = ("--tool=callgrind", f"--toggle-collect={COUNTED[who]}", "--callgrind-out-file=/dev/null")
    done = subprocess.run(["valgrind", *told, program, ir, PASSES, "1", who], capture_output=True, text=True, check=False)
    found = COLLECTED.search(done.stderr)
    return int(found[1]) if found and done.returncode == 0 else None


def grown(program: pathlib.Path, folder: pathlib.Path, who: str, small: int, large: int) -> float | None:
    """The exponent with which the count of suspends in a row grows between the two sizes; None where it is not counted."""
    ends = []
    for n in (small, large):
        ir = folder / "counted.ll"
        ir.write_text(suspends(n))
        if count := executed(program, ir, who):
            ends.append((n, count))
    return exponent(*ends) if len(ends) == 2 else None


def row(name: str, n: int, count: int, of: Work, grown: str, theirs: int | None) -> str:
    each = " | ".join(f"{count / total:,.0f}" if total else "-" for total in (of.values, of.uses, of.suspends))
    return f"| {name} | {n:,} | {count:,} | {each} | {grown} | {f'{count / theirs:.2f}' if theirs else '-'} |"


def family(program: pathlib.Path, folder: pathlib.Path, name: str) -> bool:
    """Whether it could be counted."""
    make, before = FAMILIES[name][0], None
    for n in (FIRST, 2 * FIRST, 4 * FIRST):
        ir = folder / "in.ll"
        ir.write_text(make(n))
        count = executed(program, ir, "believed")
        if not count:
            return False
        theirs = executed(program, ir, "llvm") if n <= min(FAMILIES[name][2], MOST_LLVM) else None
        grown = f"n^{exponent(before, (n, count)):.2f}" if before else ""
        print(row(name, n, count, work(ir.read_text()), grown, theirs), flush=True)
        before = (n, count)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(FAMILIES))
    names = parser.parse_args().families or list(FAMILIES)
    if wrong := set(names) - set(FAMILIES):
        parser.error(f"there is no family {min(wrong)!r}; there are {', '.join(FAMILIES)}")
    program = build()
    print("| family | N | instructions | a value | a use | a suspend | grown | pycoro / LLVM |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        counted = [family(program, pathlib.Path(folder), name) for name in names]
    if not all(counted):
        print("not everything was counted: valgrind is not installed, or a run under it has failed", file=sys.stderr)
    return 0 if all(counted) else 1


if __name__ == "__main__":
    sys.exit(main())
