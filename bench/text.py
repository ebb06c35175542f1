"""Measures the code size of clones: `python bench/text.py [--asio FOLDER] [FILE ...]`.

Every program runs through `default<O2>` and llc-22 -O2, with pycoro and with LLVM. The script prints the bytes of all `.resume`
functions, of all `.destroy` and `.cleanup` functions and of all code, for the programs that both lower, and their ratios. It also
prints them for the clones that exist in both, because with elision a coroutine may have both a destroy and a cleanup function. Then
it lists the units and functions with the largest differences. Without files it uses the programs of bench/frames.py.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import frames

import pycoro

KINDS = {"resume": "resume", "destroy": "destroy", "cleanup": "destroy"}
ROWS = ("resume", "resume, in both", "destroy", "destroy, in both", ".text")
PART = re.compile(r"\.(resume|destroy|cleanup)(\.\d+)?$")
CODE = re.compile(r"^\.text\S*\s+(\d+)", re.MULTILINE)

Sizes = dict[str, int]
"""Return bytes by function name; `""` is the total."""


def run(*command: str | pathlib.Path, given: bytes = b"") -> bytes:
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def lowered(bitcode: bytes, by: str) -> bytes:
    if by == "LLVM":
        return run("opt-22", "-passes=default<O2>", "-", "-o", "-", given=bitcode)
    module = pycoro.Module(bitcode)
    module.run("default<O2>")
    return module.bitcode()


def sizes(bitcode: bytes, by: str) -> Sizes:
    with tempfile.NamedTemporaryFile(suffix=".o") as made:
        run("llc-22", "-O2", "-filetype=obj", "-", "-o", made.name, given=lowered(bitcode, by))
        symbols = run("llvm-nm-22", "--print-size", "--defined-only", made.name).decode()
        found = {words[3]: int(words[1], 16) for words in map(str.split, symbols.splitlines()) if len(words) == 4}
        code = run("llvm-size-22", "-A", made.name).decode()
    return {**{name: size for name, size in found.items() if PART.search(name)}, "": sum(map(int, CODE.findall(code)))}


def measured(source: pathlib.Path) -> tuple[Sizes, Sizes] | str | None:
    """Return the sizes for pycoro and for LLVM, or the reason for a failure, or None if there is no coroutine."""
    clang = ["clang++-22", *frames.FLAGS, *frames.ASIO, "-O2", "-x", "c++", str(source), "-o", "-"]
    made = subprocess.run(clang, capture_output=True, check=False)
    if made.returncode or not any(c for c in pycoro.Module(made.stdout).coroutines):
        return None
    try:
        return sizes(made.stdout, "pycoro"), sizes(made.stdout, "LLVM")
    except (pycoro.Error, subprocess.CalledProcessError) as error:
        return f"{source.name}: {str(error).splitlines()[0]}"


def kinds(of: Sizes, other: Sizes) -> collections.Counter[str]:
    counted = collections.Counter({".text": of[""]})
    for name, size in of.items():
        if part := PART.search(name):
            counted[KINDS[part[1]]] += size
            counted[f"{KINDS[part[1]]}, in both"] += size if name in other else 0
    return counted


Unit = tuple[pathlib.Path, Sizes, Sizes]
"""The sizes of a program with pycoro and with LLVM."""


def all_measured(chosen: list[pathlib.Path]) -> list[Unit]:
    """Return the programs that both lower; print the reasons for the others."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(measured, chosen))
    for why in done:
        if isinstance(why, str):
            print(why, file=sys.stderr)
    return [(file, *unit) for file, unit in zip(chosen, done, strict=True) if isinstance(unit, tuple)]


def totals(units: list[Unit]) -> tuple[collections.Counter[str], collections.Counter[str]]:
    """Return the totals for pycoro and for LLVM, by the rows in ROWS."""
    ours, theirs = collections.Counter[str](), collections.Counter[str]()
    for _, mine, other in units:
        ours += kinds(mine, other)
        theirs += kinds(other, mine)
    return ours, theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--asio", type=pathlib.Path, help="a folder with asio's examples, such as that of libasio-doc")
    parser.add_argument("--worst", type=int, default=12)
    options = parser.parse_args()
    chosen = options.files or frames.sources(options.asio)
    found = all_measured(chosen)
    sums = totals(found)
    units, functions = [], []
    for file, *unit in found:
        ours, theirs = kinds(*unit), kinds(*reversed(unit))
        units += [(ours[kind] - theirs[kind], kind, file.name, ours[kind], theirs[kind]) for kind in theirs]
        functions += [(unit[0].get(n, 0) - unit[1][n], unit[0].get(n, 0), unit[1][n], file.name, n) for n in unit[1] if n]
    print("| code | pycoro | LLVM | pycoro / LLVM |\n| --- | --- | --- | --- |")
    for kind in ROWS:
        ours, theirs = (total[kind] for total in sums)
        print(f"| {kind} | {ours} | {theirs} | {ours / max(theirs, 1):.3f} |")
    for kind in ("resume", "destroy", ".text"):
        print(f"\n{kind}, units longer by most:")
        for more, _, name, ours, theirs in sorted((u for u in units if u[1] == kind), reverse=True)[: options.worst]:
            print(f"{more:6} {ours:6} {theirs:6}  {name}")
    print("\nparts longer by most:")
    for more, ours, theirs, file, name in sorted(functions, reverse=True)[: 3 * options.worst]:
        print(f"{more:6} {ours:6} {theirs:6}  {file}: {name}")


if __name__ == "__main__":
    main()
