"""Compares pycoro's coro-early, coro-split and coro-cleanup with LLVM's, input by input: `python bench/run.py`.
`./dev bench --only NAME` shows one family; goals.py has the goals in one table.

Both lower the same module in the same process in alternating rounds. The script prints the ratio of the medians, and the exponent
of the growth of time with the size of the input (1.0 is linear). Times are processor time. pycoro's include the verification of
changed functions, which LLVM's passes do not do. Memory is the peak of a separate process, less that of a process that only
parses. whole.py, which runs first, measures the code around the passes.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "real")]
import coroharness as harness  # noqa: E402
import whole  # noqa: E402
from families import FAMILIES  # noqa: E402

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"
PATIENCE = 300  # timeout in seconds for one child


def build() -> pathlib.Path:
    """Build the C program that measures times, linked with an optimized engine."""
    folder = ROOT / "build" / "bench"
    configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release"]
    compile_engine = ["cmake", "--build", str(folder), "--target", "pycoro_engine", "-j2"]
    for command in (configure, compile_engine):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    config = ["llvm-config-22", "--includedir", "--libdir"]
    include, libraries = subprocess.run(config, capture_output=True, text=True, check=True).stdout.split()
    program = folder / "lower"
    engine = next(folder.rglob("libpycoro_engine.a"))
    subprocess.run(
        [
            "cc",
            "-std=c11",
            "-O2",
            f"-I{ROOT / 'csrc'}",
            f"-I{ROOT / 'csrc/include'}",
            f"-I{include}",
            str(HERE / "lower.c"),
            str(engine),
            f"-L{libraries}",
            f"-Wl,-rpath,{libraries}",
            "-lLLVM-22",
            "-lm",
            "-o",
            str(program),
        ],
        check=True,
    )
    return program


def child(
    program: pathlib.Path, ir: pathlib.Path, rounds: int, who: list[str], passes: str = PASSES
) -> dict[str, list[float]] | None:
    """Return the output of one child by first word, or None if it failed or timed out."""
    command = [str(program), str(ir), passes, str(rounds), *who]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        print(f"  {ir.name}: {who}: exit status {done.returncode}: {done.stderr.strip()[:300]}", file=sys.stderr)
        return None
    seen: dict[str, list[float]] = {}
    for line in done.stdout.splitlines():
        word, number = line.split()
        seen.setdefault(word, []).append(float(number))
    return seen


def measure(program: pathlib.Path, ir: pathlib.Path, with_llvm: bool) -> dict[str, float]:
    """Return median milliseconds, and megabytes above parsing, by lowering. Missing results are omitted."""
    who = ["pycoro", "llvm"] if with_llvm else ["pycoro"]
    first = child(program, ir, 1, who) or {}
    longest = max((max(times) for name, times in first.items() if name != "rss"), default=0) / 1e9
    rounds = max(1, min(21, int(2 / longest))) if longest else 0
    times = (child(program, ir, rounds, who) if rounds > 1 else first) or first
    result = {f"{w} ms": statistics.median(times[w]) / 1e6 for w in who if w in times}
    parsed = child(program, ir, 1, ["none"])
    for w in who:
        ran = child(program, ir, 1, [w])
        if ran and parsed:
            result[f"{w} MB"] = max(0.0, ran["rss"][0] - parsed["rss"][0]) / 1024
    return result


def cell(number: float | None, digits: int = 2) -> str:
    return "-" if number is None else f"{number:.{digits}f}"


def ratio(result: dict[str, float], unit: str) -> float | None:
    ours, theirs = result.get(f"pycoro {unit}"), result.get(f"llvm {unit}")
    return ours / theirs if ours is not None and theirs else None


def processor_seconds(*command: str) -> float:
    """Run a command; return the processor time, user and system, of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def exponent(small: tuple[float, float], large: tuple[float, float]) -> float:
    """Return the exponent of the growth from one (size, number) to another."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


def growth(results: list[tuple[int, dict[str, float]]], key: str) -> float | None:
    """Return the exponent between the smallest size with more than a millisecond, or megabyte, and the largest measured size."""
    known = [(n, r[key]) for n, r in results if r.get(key)]
    telling = [(n, number) for n, number in known if number > 1]
    if len(telling) > 1:
        known = telling
    if len(known) < 2:
        return None
    return exponent(known[0], known[-1])


ROW = "| {:<34} | {:>9} | {:>9} | {:>6} | {:>9} | {:>9} | {:>6} |"


def row(name: str, result: dict[str, float]) -> str:
    get = result.get
    return ROW.format(
        name,
        cell(get("pycoro ms")),
        cell(get("llvm ms")),
        cell(ratio(result, "ms")),
        cell(get("pycoro MB"), 1),
        cell(get("llvm MB"), 1),
        cell(ratio(result, "MB")),
    )


def header() -> str:
    return "\n".join(
        (
            ROW.format("input", "pycoro ms", "LLVM ms", "ratio", "pycoro MB", "LLVM MB", "ratio"),
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        )
    )


def real_inputs(folder: pathlib.Path) -> list[pathlib.Path]:
    """Return the presplit IR of the programs in tests/real: clang's output, and simplified as before coro-split at -O2."""
    inputs = []
    for program in harness.programs():
        for source in harness.sources(program):
            for level in harness.LEVELS:
                ir = harness.emit_ir(source, folder / f"{source.stem} {level}.ll", level)
                if level != "-O0":
                    harness.lower(ir, ir, f"coro-early,{harness.SIMPLIFY}", "reference")
                inputs.append(ir)
    return inputs


def bench_real(program: pathlib.Path, folder: pathlib.Path) -> None:
    results = []
    for ir in real_inputs(folder):
        results.append(measure(program, ir, True))
        print(row(ir.stem, results[-1]), flush=True)
    ratios = [r for r in (ratio(result, "ms") for result in results) if r]
    if ratios:
        print(
            f"\nreal programs: geometric mean of the time ratios {statistics.geometric_mean(ratios):.2f}, "
            f"best {min(ratios):.2f}, worst {max(ratios):.2f}\n"
        )


def bench_family(program: pathlib.Path, folder: pathlib.Path, name: str, largest: int) -> None:
    make, sizes, llvm_limit = FAMILIES[name]
    results = []
    for n in (size for size in sizes if size <= largest):
        ir = folder / f"{make.__name__}-{n}.ll"
        ir.write_text(make(n))
        results.append((n, measure(program, ir, n <= llvm_limit)))
        print(row(f"{n} {name}", results[-1][1]), flush=True)
    print(
        f"\n{name}: time grows with n^{cell(growth(results, 'pycoro ms'))} (LLVM n^{cell(growth(results, 'llvm ms'))}), "
        f"memory n^{cell(growth(results, 'pycoro MB'))} (LLVM n^{cell(growth(results, 'llvm MB'))})\n"
    )


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="measures time and memory of the lowering, pycoro's against LLVM's")
    parser.add_argument("--only", choices=["whole", "real", *(make.__name__ for make, _, _ in FAMILIES.values())])
    parser.add_argument("--largest", type=int, default=10**9, metavar="N", help="skip sizes above N")
    arguments = parser.parse_args(given)
    if arguments.only in (None, "whole"):
        whole.main([])
        print()
    if arguments.only == "whole":
        return 0
    program = build()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        print(f"`{PASSES}`; a ratio below 1 means that pycoro needs less.\n\n{header()}")
        if arguments.only in (None, "real"):
            bench_real(program, folder)
        for name, (make, _, _) in FAMILIES.items():
            if arguments.only in (None, make.__name__):
                bench_family(program, folder, name, arguments.largest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
