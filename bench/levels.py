"""`default<O2>` by pycoro against LLVM's, over real programs: `python bench/levels.py [FILE.bc ...] [--library FOLDER]`.

Both run the same presplit module in the same process in turns; milliseconds of processor time, the least of several, and
their ratio. LLVM's passes run as opt runs them: with the module's target, and with the verifier before and behind them. Then
the code that llc-22 makes of either. Without files: the programs of tests/real, and Debian's asio where it is installed.
With `--library`, which may come again, also the units with coroutines of what was built in the folder with `-save-temps=obj`:
`python tests/real/libraries.py --folder FOLDER --flags=-save-temps=obj`.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import tempfile

from run import ROOT, build, child

FLAGS = ["-std=c++20", "-O2", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-w"]
ASIO = ["-DASIO_HAS_CO_AWAIT", "-DASIO_HAS_STD_COROUTINE"]
ROUNDS = 5


def presplit(source: pathlib.Path, folder: pathlib.Path) -> pathlib.Path | None:
    made = folder / f"{source.stem}.bc"
    done = subprocess.run(["clang++-22", *FLAGS, *ASIO, str(source), "-o", str(made)], capture_output=True, check=False)
    if done.returncode != 0:
        print(f"{source.name}: clang does not compile it here", file=sys.stderr)
        return None
    return made


def units(folder: pathlib.Path) -> list[pathlib.Path]:
    """The bitcode files in it that have a coroutine: names of functions stand in a file as they are."""
    return [file for file in sorted(folder.rglob("*.bc")) if b"llvm.coro.begin" in file.read_bytes()]


def code(ir: pathlib.Path, tool: list[str]) -> int:
    """Bytes of text."""
    with tempfile.TemporaryDirectory() as folder:
        optimised, made = pathlib.Path(folder, "optimised.bc"), pathlib.Path(folder, "made.o")
        subprocess.run([*tool, str(ir), "-o", str(optimised)], check=True)
        subprocess.run(["llc-22", "-O2", "-filetype=obj", str(optimised), "-o", str(made)], check=True)
        lines = subprocess.run(["size", "-A", str(made)], capture_output=True, text=True, check=True).stdout.splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(".text"))


def row(name: str, mine: float, theirs: float, ours: float, others: float) -> str:
    times, sizes = f"{mine:.1f} | {theirs:.1f} | {mine / theirs:.2f}", f"{ours:.0f} | {others:.0f} | {ours / others:.2f}"
    return f"| {name} | {times} | {sizes} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="presplit bitcode")
    parser.add_argument("--library", action="append", default=[], type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--passes", default="default<O2>")
    options = parser.parse_args()
    program = build()
    with tempfile.TemporaryDirectory() as folder:
        sources = [*sorted((ROOT / "tests/real/programs").glob("*.cpp")), ROOT / "tests/real/asio/echo.cpp"]
        found = options.files or [made for source in sources if (made := presplit(source, pathlib.Path(folder)))]
        found += [unit for library in options.library for unit in units(library)]
        sums = [0.0, 0.0, 0.0, 0.0]
        print("| program | pycoro ms | LLVM ms | ratio | pycoro bytes of code | LLVM | ratio |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for ir in found:
            times = child(program, ir, ROUNDS, ["pycoro", "opt"], options.passes)
            if times is None:
                continue
            mine, theirs = (min(times[who]) / 1e6 for who in ("pycoro", "opt"))
            ours = code(ir, [sys.executable, "-m", "pycoro", "opt", f"-passes={options.passes}"])
            others = code(ir, ["opt-22", f"-passes={options.passes}"])
            print(row(ir.stem, mine, theirs, ours, others), flush=True)
            sums = [a + b for a, b in zip(sums, (mine, theirs, ours, others), strict=True)]
        if sums[1]:
            print(row("all", *sums))


if __name__ == "__main__":
    main()
