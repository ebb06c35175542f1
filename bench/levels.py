"""Compares `default<O2>` of pycoro with LLVM's, on real programs: `python bench/levels.py [FILE.bc ...] [--library FOLDER]`.

Both run the same presplit module in the same process in alternating rounds. The script prints the minimum processor time in
milliseconds and the ratio. LLVM's passes run as in opt: with the module's target, and with the verifier after them. Both verify
their input first. Then `pycoro opt` and opt-22 run as alternating processes that read, verify, run the passes and write. The
code size is that of llc-22's output. Without files it uses the programs of tests/real, and Debian's asio if it is installed.
`--library`, which can be repeated, adds the units with coroutines of a build in that folder with `-save-temps=obj`:
`python tests/real/libraries.py --folder FOLDER --flags=-save-temps=obj`.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

from run import ROOT, build, child, processor_seconds

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
    """Return the bitcode files in the folder that contain a coroutine, found by the function names in the file."""
    return [file for file in sorted(folder.rglob("*.bc")) if b"llvm.coro.begin" in file.read_bytes()]


def text_bytes(ir: pathlib.Path) -> int:
    made = ir.with_suffix(".o")
    subprocess.run(["llc-22", "-O2", "-filetype=obj", str(ir), "-o", str(made)], check=True)
    lines = subprocess.run(["size", "-A", str(made)], capture_output=True, text=True, check=True).stdout.splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(".text"))


def whole(ir: pathlib.Path, passes: str) -> list[tuple[float, float]]:
    """Return processor times of the alternating processes and code sizes of their output, for pycoro and opt."""
    tools = [[str(pathlib.Path(sys.executable).with_name("pycoro")), "opt"], ["opt-22"]]
    least = [math.inf, math.inf]
    with tempfile.TemporaryDirectory() as folder:
        made = [pathlib.Path(folder, "pycoro.bc"), pathlib.Path(folder, "opt.bc")]
        for who in [0, 1] * ROUNDS:
            command = [*tools[who], f"-passes={passes}", str(ir), "-o", str(made[who])]
            least[who] = min(least[who], 1e3 * processor_seconds(*command))
        return [(least[0], least[1]), (text_bytes(made[0]), text_bytes(made[1]))]


def row(name: str, pairs: list[tuple[float, float]]) -> str:
    return f"| {name} | " + " | ".join(f"{ours:.0f} | {theirs:.0f} | {ours / theirs:.2f}" for ours, theirs in pairs) + " |"


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
        sums = [(0.0, 0.0)] * 3
        print("| program | pycoro ms | LLVM ms | | whole process | opt | | pycoro bytes of code | LLVM | |")
        print("| --- |" + " ---: |" * 9)
        for ir in found:
            times = child(program, ir, ROUNDS, ["pycoro", "opt"], options.passes)
            if times is None:
                continue
            pairs = [(min(times["pycoro"]) / 1e6, min(times["opt"]) / 1e6), *whole(ir, options.passes)]
            print(row(ir.stem, pairs), flush=True)
            sums = [(a + c, b + d) for (a, b), (c, d) in zip(sums, pairs, strict=True)]
        if sums[0][1]:
            print(row("all", sums))


if __name__ == "__main__":
    main()
