"""Measures the run time of coroutine programs by pycoro, clang and g++, relative to the same work without coroutines, in one
program and one run: `python bench/running.py [CASE...]`.

Each compiler builds bench/running/*.cpp into a library, and one program calls their functions alternately. `cached` is pycoro with
`--pycoro-cache-frames`, which finds its thread-local variable as in an executable, although the code is in a library.

Times are medians of the processor time of alternating rounds. `--instructions` adds the number of instructions, which valgrind
counts: the difference between a run of much work and one of little excludes the code before the loop.
`--flags=-mbranches-within-32B-boundaries` or `--flags=-falign-functions=64`, for all compilers, shows whether a difference is one
of code or of addresses.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "tests" / "real")]
import coroharness as harness  # noqa: E402
from coroharness import CLANG as CLANG  # noqa: E402
from coroharness import StepFailed as StepFailed  # noqa: E402

SOURCES = HERE / "running"
FLAGS = ("-std=c++20", f"-I{ROOT / 'tests' / 'elision' / 'support'}", "-fPIC", "-w")
PYCORO_CXX = str(pathlib.Path(sys.executable).with_name("pycoro-c++"))
COMPILERS = {
    "clang -O2": (CLANG, "-O2"),
    "pycoro -O2": (PYCORO_CXX, "-O2"),
    "clang -O3": (CLANG, "-O3"),
    "pycoro -O3": (PYCORO_CXX, "-O3"),
    "g++ -O2": ("g++", "-O2"),
    "cached -O2": (PYCORO_CXX, "-O2", "--pycoro-cache-frames", "-ftls-model=initial-exec"),
}
"""The commands by the names of the columns. The functions without coroutines are the first compiler's."""
HAND = "hand"
LITTLE, MUCH = 30_000, 90_000
"""Units of work of the two runs that valgrind counts."""


@dataclasses.dataclass(frozen=True)
class Case:
    """The measured values of a case, by compiler."""

    name: str
    times: dict[str, float]
    """Nanoseconds per unit of work."""
    allocations: dict[str, float]
    """Allocations per unit of work."""

    def ratio(self, ours: str, theirs: str) -> float:
        return self.times[ours] / self.times[theirs]


@dataclasses.dataclass(frozen=True)
class Program:
    """The program that measures, and the library of each compiler."""

    path: pathlib.Path
    libraries: tuple[str, ...]

    def run(self, *arguments: str) -> str:
        output: str = harness.call("measure", [str(self.path), *arguments, *self.libraries])
        return output


def build(
    folder: pathlib.Path,
    compilers: dict[str, tuple[str, ...]] | None = None,
    only: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
) -> Program:
    """Build the sources with every installed compiler, with more ``flags`` for each. ``only`` selects sources that define one of
    these cases.
    """
    path = folder / "measure"
    main = SOURCES / "measure.cpp"
    harness.call("clang", [CLANG, *FLAGS, "-O2", "-rdynamic", str(main), "-ldl", "-o", str(path)])
    table = folder / "table.cpp"
    table.write_text('#include "running.h"\nmeasured *measured_functions;\n')
    sources = [source for source in sorted(SOURCES.glob("*.cpp")) if source != main and defines(source, only)]
    libraries = []
    for number, (name, (command, *options)) in enumerate((compilers or COMPILERS).items()):
        if not shutil.which(command):
            continue
        library = folder / f"compiled{number}.so"
        hidden = ("-fvisibility=hidden", "-fvisibility-inlines-hidden", f"-I{SOURCES}")
        objects = []
        for source in sources:
            objects.append(str(folder / f"{source.stem}{number}.o"))
            harness.call(name, [command, *FLAGS, *flags, *hidden, *options, "-c", str(source), "-o", objects[-1]])
        shared = ("-shared", f"-I{SOURCES}", "-Wl,-Bsymbolic")
        harness.call("link", [CLANG, *FLAGS, *shared, str(table), *objects, "-o", str(library)])
        libraries.append(f"{name}={library}")
    return Program(path, tuple(libraries))


def defines(source: pathlib.Path, names: tuple[str, ...]) -> bool:
    text = source.read_text()
    return not names or any(f"COROUTINES({name})" in text for name in names)


def measure(program: Program, rounds: int = 21, microseconds: int = 2000) -> list[Case]:
    """Measure all cases; a call takes about the given time."""
    found: dict[str, Case] = {}
    for line in program.run(str(rounds), str(microseconds)).splitlines():
        head, time, allocations = line.rsplit(" ", 2)
        name, by = head.split(" ", 1)
        case = found.setdefault(name, Case(name, {}, {}))
        case.times[by], case.allocations[by] = float(time), float(allocations)
    return list(found.values())


def instructions(program: Program, case: Case) -> dict[str, float]:
    """Return the number of instructions per unit of work, by compiler."""
    found = {}
    for by in case.times:
        counts = []
        for count in (LITTLE, MUCH):
            command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program.path)]
            command += [f"{case.name}:{by}", str(count), *program.libraries]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            collected = re.search(r"Collected : (\d+)", done.stderr)
            assert collected, done.stderr
            counts.append(int(collected[1]))
        found[by] = (counts[1] - counts[0]) / (MUCH - LITTLE)
    return found


PAIRS = (
    ("pycoro -O2", "clang -O2"),
    ("pycoro -O3", "clang -O3"),
    ("pycoro -O2", "g++ -O2"),
    ("pycoro -O2", HAND),
    ("cached -O2", "clang -O2"),
)


def pairs(cases: list[Case]) -> list[tuple[str, str]]:
    """Return the pairs of compilers to compare, without those that are not installed."""
    return [(ours, theirs) for ours, theirs in PAIRS if all({ours, theirs} <= case.times.keys() for case in cases)]


def mean(cases: list[Case], ours: str, theirs: str) -> float:
    return statistics.geometric_mean(case.ratio(ours, theirs) for case in cases)


def worst(cases: list[Case], ours: str, theirs: str) -> Case:
    return max(cases, key=lambda case: case.ratio(ours, theirs))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", nargs="*", help="cases (all)")
    parser.add_argument("--rounds", type=int, default=21, help="calls of each function (21)")
    parser.add_argument("--microseconds", type=int, default=2000, help="processor time of a call (2000)")
    parser.add_argument("--instructions", action="store_true", help="count instructions with valgrind")
    parser.add_argument("--flags", action="append", default=[], help="an option for all compilers; can be repeated")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIRECTORY", help="build here, and keep the objects")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        program = build(folder, only=tuple(options.cases), flags=tuple(options.flags))
        measured = measure(program, options.rounds, options.microseconds)
        cases = [case for case in measured if not options.cases or case.name in options.cases]
        compared, names = pairs(cases), list(cases[0].times)
        titles = [*names, *(f"{ours} / {theirs}" for ours, theirs in compared), "allocations"]
        print(f"| ns | {' | '.join(titles)} |\n| --- |{' ---: |' * len(titles)}")
        for case in cases:
            cells = [f"{case.times[by]:.2f}" for by in names]
            cells += [f"{case.ratio(ours, theirs):.2f}" for ours, theirs in compared]
            cells.append("; ".join(f"{case.allocations[by]:.2g}" for by in names))
            print(f"| {case.name} | {' | '.join(cells)} |")
        means = [f"{mean(cases, ours, theirs):.3f}" for ours, theirs in compared]
        print(f"| geometric mean | {' | '.join(['', *[''] * (len(names) - 1), *means, ''])} |")
        if options.instructions:
            print(f"\n| instructions | {' | '.join(names)} |\n| --- |{' ---: |' * len(names)}")
            for case in cases:
                counted = instructions(program, case)
                print(f"| {case.name} | {' | '.join(f'{counted[by]:.1f}' for by in names)} |", flush=True)


if __name__ == "__main__":
    main()
