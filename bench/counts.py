"""Counts executed instructions of the lowering per value, use and suspend of the input: `python bench/counts.py [FAMILY ...]`.

Valgrind counts them (`apt-get install valgrind`), so load on the machine has no influence: two runs of one build print the same
numbers. The families are those of families.py. Each coroutine is lowered at sizes N, 2N and 4N; if the cost is linear, the numbers
in a column are constant. LLVM's numbers are next to them, if its passes terminate in time. Only the passes are counted, without
the verifier.
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
"""The largest size for LLVM."""
COUNTED = {"believed": "coro_run", "llvm": "LLVMRunPasses"}
"""The measured function; its callees count, too, by the lowering's name in lower.c."""
COLLECTED = re.compile(r"Collected : (\d+)")


@dataclasses.dataclass(frozen=True)
class Work:
    """The amount of work: sizes of a module's presplit functions."""

    values: int
    uses: int
    suspends: int


def work(ir: str) -> Work:
    values = uses = suspends = 0
    for function in pycoro.Module(ir).functions.values():
        for block in () if function.is_declaration else function.blocks:
            for instruction in block.instructions:
                values += str(instruction.type) != "void"
                uses += len(instruction.operands)
                suspends += "@llvm.coro.suspend" in str(instruction)
    return Work(values, uses, suspends)


def executed(program: pathlib.Path, ir: pathlib.Path, who: str) -> int | None:
    """Return the count, or None if valgrind is missing or failed."""
    if not shutil.which("valgrind"):
        return None
    told = ("--tool=callgrind", f"--toggle-collect={COUNTED[who]}", "--callgrind-out-file=/dev/null")
    done = subprocess.run(["valgrind", *told, program, ir, PASSES, "1", who], capture_output=True, text=True, check=False)
    found = COLLECTED.search(done.stderr)
    return int(found[1]) if found and done.returncode == 0 else None


def grown(program: pathlib.Path, folder: pathlib.Path, who: str, small: int, large: int) -> float | None:
    """Return the exponent of the count's growth between two numbers of consecutive suspends, or None if it was not counted."""
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
    """Print a family; return whether it could be counted."""
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
