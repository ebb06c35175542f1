"""Measures the interpreter's calls, branches, memory accesses and suspends: `python bench/interpreter.py [--against PYTHON]`.

PYTHON is another checkout's `.venv/bin/python`, which runs the same cases in alternating rounds. The script prints the ratio of the
medians. Times are processor time per step of a case: a call, an iteration, a resume.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import parts

LOOP = """
define i64 @run(i64 %n) {{
entry:
{before}  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
{body}  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret i64 %sum
}}
"""
FIBONACCI = """
define i64 @run(i64 %n) {
  %small = icmp ult i64 %n, 2
  br i1 %small, label %base, label %more
base:
  ret i64 %n
more:
  %a = sub i64 %n, 1
  %x = call i64 @run(i64 %a)
  %b = sub i64 %n, 2
  %y = call i64 @run(i64 %b)
  %r = add i64 %x, %y
  ret i64 %r
}
"""
SIX = LOOP.format(before="", body="  %more = call i64 @six(i64 %i, i64 %sum, i64 1, i64 2, i64 3, i64 4)\n") + (
    "define i64 @six(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f) {\n  %r = add i64 %a, %b\n  ret i64 %r\n}\n"
)
WIDE = LOOP.format(before="", body="  %more = call i64 @wide(i64 %i)\n") + (
    "define i64 @wide(i64 %v0) {\n" + "".join(f"  %v{i} = add i64 %v{i - 1}, 1\n" for i in range(1, 40)) + "  ret i64 %v39\n}\n"
)
MEMORY = LOOP.format(
    before="  %a = alloca i64\n  store i64 0, ptr %a\n",
    body="  %old = load i64, ptr %a\n  %more = add i64 %old, %i\n  store i64 %more, ptr %a\n",
)
ENDLESS = f"  br label %again\n\nagain:\n{parts.suspend(0, 'again')}"
RESUMES = parts.coroutine(ENDLESS).partition("\n\n")[2] + (
    LOOP.format(
        before="  %h = call ptr @f(i64 %n, i1 false)\n",
        body="  call void @llvm.coro.resume(ptr %h)\n  %more = add i64 %sum, 1\n",
    )
    + "declare void @llvm.coro.resume(ptr)\n"
)
CASES = {  # name: IR, the argument of @run, the number of steps
    "recursive calls": (FIBONACCI, 20, 21_891),
    "calls with six arguments": (SIX, 20_000, 20_000),
    "calls of forty operations": (WIDE, 3_000, 3_000),
    "iterations": (LOOP.format(before="", body="  %more = add i64 %sum, %i\n"), 50_000, 50_000),
    "iterations with memory": (MEMORY, 20_000, 20_000),
    "resumes": (RESUMES, 10_000, 10_000),
}
ROUNDS = 5
TURNS = 6


def measure() -> dict[str, float]:
    """Return nanoseconds per step, the minimum of a few rounds in this process."""
    import pycoro

    result = {}
    for name, (text, argument, steps) in CASES.items():
        with pycoro.Interpreter(pycoro.Module(parts.TARGET + text)) as interpreter:
            run = interpreter["run"]
            run(10)
            times = []
            for _ in range(ROUNDS):
                start = time.process_time_ns()
                run(argument)
                times.append(time.process_time_ns() - start)
            result[name] = min(times) / steps
    return result


def child(python: str) -> dict[str, float]:
    done = subprocess.run([python, __file__, "--json"], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description="measures the interpreter")
    parser.add_argument("--against", metavar="PYTHON", help="another checkout's python, run in alternating rounds")
    parser.add_argument("--json", action="store_true", help="measure only this process")
    arguments = parser.parse_args()
    if arguments.json:
        print(json.dumps(measure()))
        return 0
    pythons = [sys.executable, *([arguments.against] if arguments.against else [])]
    turns = [[child(python) for python in pythons] for _ in range(TURNS)]
    for name in CASES:
        ours, *theirs = (statistics.median(turn[who][name] for turn in turns) for who in range(len(pythons)))
        compared = f"  against {theirs[0]:8.1f} ns: {ours / theirs[0]:.2f}" if theirs else ""
        print(f"{name:28} {ours:8.1f} ns{compared}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
