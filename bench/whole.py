"""Measures the cost around the passes, on modules of realistic size: `python bench/whole.py [FILE.bc ...]`, or
`./dev bench --only whole`.

It measures three things, each as the median processor time of alternating runs of pycoro and LLVM. First, `Module.run` with and
without verification, against LLVM's passes without verification, on the same module in the same process. Second, `pycoro opt`
against `opt-22`: the whole process with its children, and the memory of the largest one. Third, the time for an empty module.
Without files it uses asio's echo server if Debian's asio is installed, some programs of tests/real, and modules made of lowered
copies of the echo server with one small coroutine: `--copies 4 18` are 10 and 47 MB of bitcode.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import pycoro

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSES = "coro-early,cgscc(coro-split),coro-cleanup"
PYCORO = [sys.executable, "-m", "pycoro", "opt"]
PROGRAMS = ("generator", "hundred_locals", "event_queue")
FLAGS = "-std=c++20 -O2 -w -DASIO_HAS_CO_AWAIT -DASIO_HAS_STD_COROUTINE -Xclang -disable-llvm-passes -emit-llvm -c"
GOALS = {"run": 0.6, "process": 1.0, "memory": 1.1}
HEAVY = 100_000
"""Bytes of bitcode above which the goals apply: below, the start dominates."""

SMALL = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)

define ptr @small(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %resumed ]
  call void @print(i32 %i)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %cleanup
  ]

resumed:
  %next = add i32 %i, 1
  br label %loop

cleanup:
  %used = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %used)
  br label %out

out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
"""

# ---- Inputs ----


def compiled(source: pathlib.Path, folder: pathlib.Path) -> pathlib.Path | None:
    made = folder / f"{source.stem}.bc"
    done = subprocess.run(["clang++-22", *FLAGS.split(), str(source), "-o", str(made)], capture_output=True, check=False)
    return made if done.returncode == 0 else None


def with_one_coroutine(echo: pathlib.Path, copies: int, folder: pathlib.Path) -> pathlib.Path:
    """Return a module with copies of a program without its coroutines, each with unique names, and one small coroutine."""
    text = subprocess.run(["opt-22", "-S", f"-passes={PASSES}", str(echo)], capture_output=True, text=True, check=True).stdout
    parts = [folder / "small.ll"]
    layout = "\n".join(re.findall(r"^target .*$", text, re.MULTILINE))
    parts[0].write_text(f"{layout}\n{SMALL}")
    for k in range(copies):
        own = re.sub(r'([@$])("?)(?!llvm\.|__gxx_personality)([A-Za-z_.][\w.$]*)', rf"\1\2c{k}_\3", text)
        parts.append(folder / f"part{k}.bc")
        subprocess.run(["llvm-as-22", "-", "-o", str(parts[-1])], input=own, text=True, check=True)
    made = folder / f"one small coroutine, {copies} copies.bc"
    subprocess.run(["llvm-link-22", *map(str, parts), "-o", str(made)], check=True)
    for part in parts:
        part.unlink()
    return made


def drawn(copies: list[int], folder: pathlib.Path) -> list[pathlib.Path]:
    sources = [*(ROOT / f"tests/real/programs/{name}.cpp" for name in PROGRAMS), ROOT / "tests/real/asio/echo.cpp"]
    made = [compiled(source, folder) for source in sources]
    found = [path for path in made if path is not None]
    if made[-1] is None:
        print("asio is not installed, so that there is nothing of real size", file=sys.stderr)
        return found
    return [*found, *(with_one_coroutine(made[-1], count, folder) for count in copies)]


# ---- Measurements ----

Cost = tuple[float, float]
"""Return milliseconds of processor time, and megabytes."""


def in_turns(*work: Callable[[], Cost], rounds: int) -> list[Cost]:
    """Return the medians of each."""
    seen: list[list[Cost]] = [[] for _ in work]
    for _ in range(rounds):
        for costs, one in zip(seen, work, strict=True):
            costs.append(one())
    return [(statistics.median(c[0] for c in costs), statistics.median(c[1] for c in costs)) for costs in seen]


def running(data: bytes, run: Callable[[pycoro.Module], object]) -> Callable[[], Cost]:
    def once() -> Cost:
        with pycoro.Module(data, trusted=True) as module:
            start = time.process_time()
            kept = run(module)
            spent = time.process_time() - start
            del kept
        return spent * 1e3, 0.0

    return once


WAITER = """
import os, sys
child = os.fork()
if not child:
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def process(*command: str) -> Callable[[], Cost]:
    """Run a command from a small process, because the peak memory of a process includes that of its parent at the fork."""

    def once() -> Cost:
        done = subprocess.run([sys.executable, "-S", "-c", WAITER, *command], stdout=subprocess.PIPE, text=True, check=True)
        seconds, kilobytes = map(float, done.stdout.split())
        return seconds * 1e3, kilobytes / 1024

    return once


Row = dict[str, float | str | None]


def rows(ir: pathlib.Path, rounds: int) -> list[Row]:
    data, size = ir.read_bytes(), ir.stat().st_size
    passes = f"-passes={PASSES}"
    ours, believed, theirs = in_turns(
        running(data, lambda module: module.run(PASSES)),
        running(data, lambda module: module.run(PASSES, verify=False)),
        running(data, lambda module: module._core.run_llvm(PASSES)),
        rounds=rounds,
    )
    with tempfile.NamedTemporaryFile() as out:
        pycoro_opt, llvm_opt = in_turns(
            process(*PYCORO, passes, str(ir), "-o", out.name), process("opt-22", passes, str(ir), "-o", out.name), rounds=rounds
        )
    heavy = size >= HEAVY
    what = f"{ir.stem}, {size / 1e6:.2f} MB"
    return [
        row(f"{what}: Module.run, ms", ours[0], theirs[0], GOALS["run"]),
        row(f"{what}: Module.run(verify=False), ms", believed[0], theirs[0], None),
        row(f"{what}: opt, ms", pycoro_opt[0], llvm_opt[0], GOALS["process"] if heavy else None),
        row(f"{what}: opt, MB", pycoro_opt[1], llvm_opt[1], GOALS["memory"] if heavy else None),
    ]


def row(what: str, ours: float, theirs: float, goal: float | None) -> Row:
    return {"what": what, "pycoro": ours, "LLVM": theirs, "ratio": ours / theirs, "goal": goal}


def start_up(folder: pathlib.Path, rounds: int) -> Row:
    """Return how much longer pycoro takes for an empty module."""
    empty = folder / "empty.ll"
    empty.write_text(SMALL.partition("define")[0])
    ours, theirs = in_turns(
        process(*PYCORO, f"-passes={PASSES}", str(empty), "-disable-output"),
        process("opt-22", f"-passes={PASSES}", str(empty), "-disable-output"),
        rounds=3 * rounds,
    )
    return {"what": "nothing to lower: opt, ms", "pycoro": ours[0], "LLVM": theirs[0], "ratio": None, "goal": None}


def shown(one: Row) -> str:
    cells = [one["pycoro"], one["LLVM"], one["ratio"]]
    numbers = ["-" if cell is None else f"{cell:.2f}" if cell is one["ratio"] else f"{cell:.1f}" for cell in cells]
    return f"| {one['what']} | {' | '.join(numbers)} | {'-' if one['goal'] is None else one['goal']} |"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="presplit bitcode")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--copies", type=int, nargs="*", default=[4], metavar="N", help="numbers of copies of the echo server")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        found: list[Row] = []
        if not options.json:
            print(f"`{PASSES}`\n\n| what | pycoro | LLVM | ratio | goal |\n| --- | ---: | ---: | ---: | ---: |")

        def tell(one: Row) -> None:
            found.append(one)
            if not options.json:
                print(shown(one), flush=True)

        tell(start_up(folder, options.rounds))
        for ir in options.files or drawn(options.copies, folder):
            for one in rows(ir, options.rounds):
                tell(one)
        if options.json:
            print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
