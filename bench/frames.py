"""Compares pycoro's frames with LLVM's and with the lower bound, on real programs: `python bench/frames.py [--worst N] [FILE ...]`.

It measures every coroutine of every program in three forms: the output of clang -O0, the output of clang -O2 before any pass, and
the input of coro-split in `default<O2>`. LLVM's passes run in a child process; a store of llvm.coro.size before the allocation
reports the size. Frames in which LLVM does not align an alloca sufficiently are excluded
(tests/miscompiles/over_aligned_local.cpp). Without files it uses the programs of tests, GCC's in
PYCORO_GCC_TESTS, and asio with its examples if they are installed or unpacked (--asio). With --infer-captures, pycoro runs
coro-infer-captures before coro-early. --kinds prints the bytes of the shared frames by the kind of their fields.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile
from collections.abc import Mapping

import pycoro

ROOT = pathlib.Path(__file__).resolve().parents[1]
FLAGS = ["-std=c++20", "-emit-llvm", "-c", "-w", "-Xclang", "-disable-llvm-passes"]
ASIO = ["-DASIO_HAS_CO_AWAIT", "-DASIO_HAS_STD_COROUTINE", "-DASIO_STANDALONE"]
CACHE = pathlib.Path(tempfile.gettempdir(), "pycoro-frames")
FORMS = {"O0": ("-O0", False), "O2": ("-O2", False), "simplified": ("-O2", True)}
SPLIT = {"": "coro-early,cgscc(coro-split)", "<reuse-storage>": "coro-early,cgscc(coro-split<reuse-storage>)"}
SIZE = re.compile(r"^  (%\S+) = (?:tail |notail )?call i(32|64) @llvm\.coro\.size\.i(?:32|64)\(\).*$", re.MULTILINE)
DEFINED = re.compile(r'^define [^\n]*?@("(?:[^"\\]|\\.)*"|[-\w$.]+)\(', re.MULTILINE)
TOLD = re.compile(r"^  store volatile i(?:32|64) (\d+), ptr @pycoro\.size", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Row:
    where: str
    coroutine: str
    ours: int
    shared: int
    bound: int
    theirs: int
    """LLVM's size at this level: with shared storage at -O2 only."""
    aligned: bool = True
    """Whether LLVM aligns every alloca; otherwise its frame is wrong and cannot be compared."""
    kinds: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Bytes of the shared frame by kind of field; bytes that fields share count for the largest."""


def simplification() -> str:
    """Return the passes of default<O2> up to coro-split."""
    command = ["opt-22", "-passes=default<O2>", "-print-pipeline-passes", "-disable-output", "/dev/null"]
    passes = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    head, _ = passes.split(",coro-split<reuse-storage>" if ",coro-split<reuse-storage>" in passes else ",coro-split", 1)
    return head + ")" * (head.count("(") - head.count(")"))


def told(text: str) -> str:
    """Return the module with a store of every frame size."""
    stored = SIZE.sub(lambda m: f"{m[0]}\n  store volatile i{m[2]} {m[1]}, ptr @pycoro.size", text)
    return f"{stored}\n@pycoro.size = external global i64\n"


def theirs(text: str, passes: str) -> dict[str, int]:
    done = subprocess.run(
        ["opt-22", "-S", f"-passes={passes}", "-", "-o", "-"], input=told(text), capture_output=True, text=True, check=False
    )
    sizes = {}
    for definition in re.split(r"^(?=define )", done.stdout, flags=re.MULTILINE):
        name, size = DEFINED.match(definition), TOLD.search(definition)
        if name and size:
            sizes[name[1].strip('"')] = int(size[1])
    return sizes


def _bitcode(source: pathlib.Path, level: str) -> bytes:
    """Return what clang's front end writes; nothing if the program does not compile here."""
    if source.suffix == ".ll":
        command = ["opt-22", "-passes=verify", str(source)]
    else:
        command = ["clang++-22", *FLAGS, *ASIO, level, "-x", "c++", str(source), "-o", "-"]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else b""


def presplit(source: pathlib.Path, form: str, cache: pathlib.Path, simplify: str) -> str | None:
    """Return the IR as text, or None if the program does not compile here."""
    level, simplified = FORMS[form]
    stem = f"{source.stem}-{hashlib.sha256(str(source).encode()).hexdigest()[:8]}"
    made, bitcode = cache / f"{stem}.{form}.ll", cache / f"{stem}.{level}.bc"
    if made.exists():
        return made.read_text() or None
    if not bitcode.exists():  # forms of one level share it
        bitcode.write_bytes(_bitcode(source, level))
    passes = simplify if simplified else "verify"
    done = subprocess.run(["opt-22", "-S", f"-passes={passes}", str(bitcode)], capture_output=True, check=False)
    text = done.stdout if done.returncode == 0 and b"presplitcoroutine" in done.stdout else b""
    made.write_bytes(text)
    return text.decode() or None


def ours(module: pycoro.Module, *, shared: bool) -> dict[str, pycoro.Coroutine]:
    return dict(module.preview(pycoro.CoroSplit(reuse_storage=shared)))


def is_aligned(frame: pycoro.Frame) -> bool:
    """Return whether fixed offsets align every alloca, given the allocator's alignment. LLVM only uses fixed offsets."""
    wanted = ((field, re.search(r" align (\d+)", field.value)) for field in frame if field.kind == "alloca")
    return all(not align or int(align[1]) <= field.align for field, align in wanted)


def bytes_by_kind(frame: pycoro.Frame) -> dict[str, int]:
    """Return the bytes by kind of field, and allocas by the reason why they are in the frame. Shared bytes count for the header,
    the promise, or the largest field.
    """
    owners = dict.fromkeys(range(frame.size), "padding")
    for field in sorted(frame, key=lambda field: (field.kind in ("resume", "destroy", "promise", "index"), field.size)):
        kind = f"{field.kind}: {field.why}" if field.kind == "alloca" else field.kind
        owners.update(dict.fromkeys(range(field.offset, field.end), kind))
    return collections.Counter(owners.values())


def rows(source: pathlib.Path, form: str, cache: pathlib.Path, simplify: str, infer: bool = False) -> list[Row]:
    text = presplit(source, form, cache, simplify)
    if text is None:
        return []
    split = SPLIT["" if form == "O0" else "<reuse-storage>"]
    made = cache / f"{source.stem}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.{form}.llvm"
    if not made.exists():
        made.write_text("".join(f"{size} {name}\n" for name, size in theirs(text, split).items()))
    sizes = {name: int(size) for size, name in (line.split(" ", 1) for line in made.read_text().splitlines())}
    try:
        module = pycoro.Module(text)
        module.run("coro-infer-captures,coro-early" if infer else "coro-early")
        alone, shared = ours(module, shared=False), ours(module, shared=True)
    except pycoro.Error as error:
        print(f"{source.name} {form}: {error}")
        return []
    where = f"{source.name} {form}"
    return [
        Row(where, name, alone[name].frame.size, f.size, f.lower_bound, sizes[name], is_aligned(f), bytes_by_kind(f))
        for name, f in ((name, c.frame) for name, c in shared.items())
        if f.size and sizes.get(name)
    ]


def sources(asio: pathlib.Path | None) -> list[pathlib.Path]:
    tests = ROOT / "tests"
    found = [path for path in sorted(tests.rglob("*.cpp")) if path.is_relative_to(tests / "real") or "miscompiles" in path.parts]
    found += sorted(path for path in tests.rglob("*.cpp") if path not in found)
    found += [ROOT / "docs/examples/generator.cpp"]
    if gcc := os.environ.get("PYCORO_GCC_TESTS"):
        found += sorted(pathlib.Path(gcc).rglob("*.C")) + sorted(pathlib.Path(gcc).rglob("18_support/coroutines/*.cc"))
    if asio:
        found += sorted(path for path in asio.rglob("*.cpp") if "co_await" in path.read_text(errors="replace"))
    return found


def measured(chosen: list[pathlib.Path], forms: list[str], cache: pathlib.Path, infer: bool = False) -> dict[str, list[Row]]:
    """Return the results by form; earlier results are cached."""
    cache.mkdir(parents=True, exist_ok=True)
    simplify = simplification()
    found = {}
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for form in forms:
            jobs = [pool.submit(rows, source, form, cache, simplify, infer) for source in chosen]
            found[form] = [row for job in jobs for row in job.result()]
    return found


def ratio(a: int, b: int) -> str:
    return f"{a / b:.3f}" if b else "-"


def line(form: str, of: list[Row]) -> str:
    ours, shared, bound, theirs = (sum(getattr(row, name) for row in of) for name in ("ours", "shared", "bound", "theirs"))
    larger, below = sum(row.shared > row.theirs for row in of), sum(row.shared < row.bound for row in of)
    cells = [form, len(of), theirs, ours, shared, bound, ratio(ours, theirs), ratio(shared, theirs), ratio(shared, bound)]
    return f"| {' | '.join(map(str, [*cells, sum(row.ours > row.theirs for row in of), larger, below]))} |"


def comparable(found: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Return the results without frames that LLVM lays out incorrectly."""
    return {form: [row for row in of if row.aligned] for form, of in found.items()}


def show_kinds(found: dict[str, list[Row]]) -> None:
    for form, of in found.items():
        kinds = sum((collections.Counter(row.kinds) for row in of), collections.Counter())
        print(f"\n| {form}: kind of field | bytes | share |\n| --- | ---: | ---: |")
        for kind, count in kinds.most_common():
            print(f"| {kind} | {count:,} | {100 * count / kinds.total():.1f} % |")


def show(everything: dict[str, list[Row]], worst: int) -> None:
    found = comparable(everything)
    print("| form | coroutines | LLVM | pycoro | shared | bound | pycoro / LLVM | shared / LLVM | shared / bound", end="")
    print(" | larger | larger, shared | below the bound |\n|" + " --- |" * 12)
    for form, of in found.items():
        print(line(form, of))
    rows = [row for of in found.values() for row in of]
    wrong = sum(len(of) for of in everything.values()) - len(rows)
    print(f"\nleft out, as LLVM does not align what is in them: {wrong}")
    for title, lost in (("larger than LLVM's", lambda r: r.shared - r.theirs), ("below the bound", lambda r: r.bound - r.shared),
                        ("over the bound", lambda r: r.shared - r.bound)):  # fmt: skip
        chosen = sorted((row for row in rows if lost(row) > 0), key=lost, reverse=True)
        print(f"\n{title}: {len(chosen)}, by bytes\nLLVM shared bound alone")
        for row in chosen[:worst]:
            print(f"{row.theirs:4} {row.shared:6} {row.bound:5} {row.ours:5}  {row.where}: {row.coroutine}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="C++ sources, or presplit IR as text")
    parser.add_argument("--asio", type=pathlib.Path, help="a folder with asio's examples, such as that of libasio-doc")
    parser.add_argument("--cache", type=pathlib.Path, default=CACHE)
    parser.add_argument("--form", choices=FORMS, action="append")
    parser.add_argument("--infer-captures", action="store_true", help="run coro-infer-captures before coro-early")
    parser.add_argument("--kinds", action="store_true", help="print the bytes by kind of field")
    parser.add_argument("--worst", type=int, default=15)
    options = parser.parse_args()
    chosen = options.files or sources(options.asio)
    found = measured(chosen, options.form or list(FORMS), options.cache, options.infer_captures)
    show(found, options.worst)
    if options.kinds:
        show_kinds(comparable(found))


if __name__ == "__main__":
    main()
