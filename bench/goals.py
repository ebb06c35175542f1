"""Measures the costs of pycoro's lowering relative to LLVM's, goal by goal, in one run and one table: `./dev bench`.

Both lower the same inputs in alternating rounds. Times are processor time. `--rows` selects groups of rows. `--every N` uses
every N-th program for frames, code and debug information. `--json` prints the rows as data, `--plot FILE` draws the ratios, and
`--write docs/goals.md` updates the documentation page. `--only NAME` prints one detailed table, input by input, like run.py.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import builds
import counts
import frames
import located
import mlir_awaits
import plot
import run
import running
import text
import whole
from families import suspends

LARGE = 18
"""Number of copies of the echo server in the large module: 47 MB of bitcode."""
SIZES, LLVM_S = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000), 8_000
"""Numbers of consecutive suspends, and the maximum for LLVM, which takes minutes beyond it."""
COUNTED = {"believed": (1_000, 16_000), "llvm": (500, 2_000)}
"""The sizes between which instructions are counted, by the lowering's name in lower.c."""


@dataclasses.dataclass(frozen=True)
class Goal:
    """A measure and its target."""

    what: str
    goal: float | None
    """None: no target."""
    by: str = "ratio"
    """The number to compare with the goal: the "ratio" of the two, the difference ("more"), or pycoro's value "alone"."""
    least: bool = False
    """The goal is a minimum, not a maximum."""
    digits: int = 0
    """Decimal places to print."""
    reason: str = ""
    """Why the goal may be missed."""
    next: str = ""
    """The next step towards the goal."""


MADE = (
    "emitting clones dominates, most of it LLVM's own copies, names and uses; the analyses, from numbering to layout, cost"
    " little (`valgrind --tool=callgrind build/bench/lower` counts it)"
)
VERIFIED = (
    "27 to 37 % of the instructions verify each changed function once (callgrind), while LLVM's passes run without verifier;"
    f" `verify=False` takes 0.37; {MADE}"
)
PASSES_NEXT = "verifying clones while emitting them: half of LLVM's cost is attributes and metadata of copied calls"
GIVEN = (
    "headers and promises are a large part of LLVM's bytes, and the ABI and the program determine them; the rest is at"
    " its lower bound. Constructors and member functions receive the address of an alloca, so it is live until its lifetime ends."
    " Knowing more needs an assumption, because another body may be linked (docs/explanation/frame.md has the numbers)"
)
ATTRIBUTES = (
    "`captures(none)` from the frontend for constructors and member functions that capture no address; pycoro trusts it, and"
    " coro-infer-captures infers it under an assumption"
)
BRIEF = (
    "the program takes less than a millisecond, which a loaded machine distorts: by instructions ping -O2 takes 0.39 (1.6 of"
    " 4.1 million, callgrind)"
)
VERIFIES = "LLVM's passes run without verifier, and verifying the changed functions takes 27 to 37 % of the instructions"
OPAQUE = "if a compiler does not know the coroutine, the code of clang and pycoro is equal: it allocates, and calls indirectly"
RUNNING_NEXT = "frames of a recursive generator or a chain of tasks in one allocation"
STARTED = "runs differ by 3 %: the same unit took 0.96 of clang's time in one and 1.02 in the next"
STARTED_NEXT = "more runs; late waves visit the whole module where a global variable is internal"
GOALS: dict[str, Goal] = {
    "passes": Goal(
        "coroutine passes alone, neither verified, real C++, ms",
        0.4,
        digits=1,
        reason=MADE,
        next=PASSES_NEXT,
    ),
    "passes-mean": Goal(
        "coroutine passes alone, neither verified, ratios of the programs",
        0.4,
        by="alone",
        digits=2,
        reason=MADE,
        next=PASSES_NEXT,
    ),
    "passes-worst": Goal(
        "coroutine passes alone, neither verified, the worst program, ms",
        0.6,
        digits=1,
        reason=BRIEF,
        next="fewer LLVM-C calls per instruction, in numbering and in copying",
    ),
    "passes-verified": Goal("coroutine passes alone, both verified, ratios of the programs", None, by="alone", digits=2),
    "run": Goal(
        "`Module.run` against LLVM's passes, real C++, ms",
        0.6,
        digits=1,
        reason="the passes take almost all of the time: rollback costs nothing until it happens, and nothing is printed for a"
        " report that is not read",
        next="as for the coroutine passes alone",
    ),
    "run-mean": Goal(
        "`Module.run` against LLVM's passes, ratios of the programs",
        0.45,
        by="alone",
        digits=2,
        reason=f"the passes take almost all of the time: {VERIFIED}",
        next=PASSES_NEXT,
    ),
    "run-worst": Goal(
        "`Module.run` against LLVM's passes, the worst program, ms",
        0.8,
        digits=1,
        reason=VERIFIES,
        next="as for the coroutine passes alone",
    ),
    "run-believed": Goal(
        "`Module.run(verify=False)` against LLVM's passes, ratios of the programs: neither verified", None, by="alone", digits=2
    ),
    "process": Goal(
        "`pycoro opt` against `opt`, whole process, inputs over 100 kB of bitcode, ms",
        1.0,
        digits=0,
        reason="Python starts before the child process that reads, runs and writes like opt",
        next="a driver in C on top of the library, so that Python does not start",
    ),
    "start": Goal(
        "`pycoro opt` without passes, ms",
        60,
        by="more",
        digits=0,
        reason="the start of Python and the imports of the command",
        next="a driver in C on top of the library",
    ),
    "large-time": Goal(
        "47 MB of bitcode with one small coroutine, `pycoro opt`, ms",
        1.1,
        digits=0,
        reason="the child reads once and executes the command, like opt; the difference is the start of Python, and the engine's"
        " search in each function for something to lower",
        next="measure the child with `perf record`, and find functions only through uses of the intrinsics",
    ),
    "large-memory": Goal(
        "47 MB of bitcode with one small coroutine, peak MB of the largest process",
        1.1,
        digits=0,
        reason="Python and the file's contents are in memory together with the module",
        next="map the file instead of reading it",
    ),
    "builds": Goal(
        "builds: `pycoro-c++` against clang++, units over a second at -O2 and -O0, ratios of the units",
        1.0,
        by="alone",
        digits=2,
        reason=STARTED,
        next=STARTED_NEXT,
    ),
    "builds-worst": Goal(
        "builds: `pycoro-c++` against clang++, units over a second, the worst unit, ms",
        1.0,
        digits=0,
        reason=STARTED,
        next=STARTED_NEXT,
    ),
    "builds-small": Goal(
        "builds: `pycoro-c++` against clang++, a unit with one small coroutine, ms",
        100,
        by="more",
        digits=0,
        reason=STARTED,
        next=STARTED_NEXT,
    ),
    "builds-memory": Goal(
        "builds: `pycoro-c++` against clang++, peak MB of the largest process, the worst unit",
        1.0,
        digits=0,
        reason="clang and pycoro hold the same module; pycoro's clones exist before it deletes the presplit function",
        next="delete presplit functions as soon as their clones exist",
    ),
    "frame-O0": Goal(
        "frame bytes, output of clang -O0, shared storage",
        0.6,
        reason=GIVEN,
        next=ATTRIBUTES,
    ),
    "frame-inferred": Goal(
        "frame bytes, output of clang -O0 after coro-infer-captures, shared storage",
        0.8,
        reason="the frames are at their lower bound; if no call captured an address, which is wrong, tests/real would need 0.808"
        " (docs/explanation/open-problems.md)",
        next="lifetime markers for arguments by value, from the frontend; a resume function for each suspend instead of the index",
    ),
    "frame-O2": Goal(
        "frame bytes, output of clang -O2, shared storage",
        0.8,
        reason=GIVEN,
        next=ATTRIBUTES,
    ),
    "frame-simplified": Goal(
        "frame bytes, simplified up to coro-split in default<O2>, shared storage",
        0.8,
        reason="these frames are at their lower bound, which is above the goal; splitting allocas, packing bits, a minimum cut and"
        " knowledge about callees save almost nothing (docs/explanation/frame.md)",
        next=ATTRIBUTES,
    ),
    "frame-larger": Goal(
        "number of frames larger than LLVM's, all inputs above",
        0,
        by="alone",
        reason="fields are packed by alignment and size, and occasionally LLVM's order leaves fewer holes, or LLVM rematerializes a"
        " value that pycoro spills",
        next="`python bench/frames.py --worst 20` names them",
    ),
    "frame-bound": Goal(
        "frame bytes against the lower bound (in the column of LLVM)",
        1.02,
        reason="the bound is the largest set of fields that are live at one point; no layout reaches it if overlapping live ranges"
        " leave holes",
        next="a second packing order if the first exceeds the bound, as for frames that are larger than LLVM's",
    ),
    "resume": Goal(
        "code: bytes of `.resume`",
        0.92,
        reason="there are as many stores and reloads as in LLVM's output, and LLVM's optimizer produces almost the same code; where"
        " one coroutine creates another, its resume clone contains inlined code, as in the programs with the largest difference",
        next="merge landing pads that only propagate, also after inlining into the clones",
    ),
    "destroy": Goal(
        "code: bytes of `.destroy` and `.cleanup`",
        0.95,
        reason="if some frames are elided, a coroutine has both clones, while LLVM, which elides none there, has only"
        " one; two landings that differ in a value reload it twice",
        next="drop a `.cleanup` with few callers and only one or two calls",
    ),
    "text": Goal(
        "code: bytes of .text, default<O2>",
        0.97,
        reason="code without coroutines is the same in both",
        next="smaller resume and destroy clones, as above",
    ),
    "growth": Goal(
        "n consecutive suspends, 1,000 to 64,000 (LLVM: to 8,000): exponent of the growth of time",
        1.1,
        by="alone",
        digits=2,
        reason="the number of executed instructions is almost linear (callgrind), but cache misses take longer when the module"
        " exceeds the caches, mainly in malloc's lists and LLVM's symbol tables",
        next="a newly created ramp and a resume function that reuses the old body, so that less is freed and renamed",
    ),
    "growth-counted": Goal(
        "n consecutive suspends, 1,000 to 16,000 (LLVM: 500 to 2,000): exponent of the growth of executed instructions",
        1.1,
        by="alone",
        digits=2,
        reason="some search repeats at each suspend",
        next="`python bench/counts.py` shows which input family grows",
    ),
    "mlir-400": Goal("a coroutine of MLIR's async dialect, 400 awaits, coroutine passes, ms", None, digits=1),
    "mlir-1000": Goal("a coroutine of MLIR's async dialect, 1,000 awaits, coroutine passes, ms", None, digits=1),
    "located-O0": Goal(
        "debug information, -O0 -g: % of the bytes of variables with a location",
        1.0,
        least=True,
        digits=1,
        reason="a variable that shares bytes only has a location while it is live",
        next="`python bench/located.py --level O0` names the worst programs",
    ),
    "located-O1": Goal(
        "debug information, -O1 -g: % of the bytes of variables with a location",
        1.0,
        least=True,
        digits=1,
        reason="values that are rematerialized after a suspend have no location before their first use",
        next="`python bench/located.py --level O1` names the worst programs",
    ),
    "located-O2": Goal(
        "debug information, -O2 -g: % of the bytes of variables with a location",
        1.0,
        least=True,
        digits=1,
        reason="as at -O1",
        next="`python bench/located.py --level O2` names the worst programs",
    ),
    "running": Goal(
        "run time of coroutine programs (bench/running.py), -O2, ratios to clang",
        0.8,
        by="alone",
        digits=2,
        reason=OPAQUE,
        next=RUNNING_NEXT,
    ),
    "running-O3": Goal(
        "run time of coroutine programs, -O3, ratios to clang", 0.8, by="alone", digits=2, reason=OPAQUE, next=RUNNING_NEXT
    ),
    "running-worst": Goal(
        "run time of coroutine programs, -O2, the worst program, ns (clang in the column of LLVM)",
        1.0,
        digits=2,
        reason="most programs above 1 execute about as many instructions as clang's (round_robin 25.3 and 24.3 per resumption,"
        " tokenizer_opaque 67.1 and 67.8, await_opaque 208 and 212; create_destroy_strings 409 and 406); where this was measured,"
        " the address of the code decides. filter_division takes 9.5 and 8.3, and 0.46 of the time by hand, because LLVM unrolls"
        " pycoro's counted loop."
        " opaque_generator gives 0.98 to 1.02 with -falign-functions=64 and 1.28 with -mbranches-within-32B-boundaries;"
        " round_robin gives 1.11 to 1.17 and, with -mbranches-within-32B-boundaries, 1.02 (`python bench/running.py round_robin"
        " --flags=-falign-functions=64 --flags=-mbranches-within-32B-boundaries`)",
        next="a row above 1 in three consecutive runs",
    ),
    "running-hand": Goal(
        "run time of coroutine programs, -O2, ratios to the same work without coroutines", None, by="alone", digits=2
    ),
    "running-cached": Goal(
        "run time of coroutine programs, -O2 --pycoro-cache-frames, ratios to clang", None, by="alone", digits=2
    ),
    "running-gcc": Goal("run time of coroutine programs, -O2, ratios to g++", None, by="alone", digits=2),
}


@dataclasses.dataclass(frozen=True)
class Row:
    """The measurement for one goal."""

    key: str
    theirs: float | None
    """LLVM's value; None if there is none or it could not be measured."""
    ours: float | None
    about: str = ""
    """The input of the measurement."""

    @property
    def goal(self) -> Goal:
        return GOALS[self.key]

    @property
    def measure(self) -> float | None:
        """The number to compare with the goal."""
        if self.ours is None or self.goal.by == "alone":
            return self.ours
        if self.theirs is None:
            return None
        return self.ours - self.theirs if self.goal.by == "more" else self.ours / self.theirs if self.theirs else None

    @property
    def met(self) -> bool | None:
        """None: there is no goal or no measurement."""
        measure, goal = self.measure, self.goal.goal
        if measure is None or goal is None:
            return None
        return measure >= goal if self.goal.least else measure <= goal

    def data(self) -> dict[str, object]:
        short = self.met is False
        why = {"reason": self.goal.reason, "next": self.goal.next} if short else {}
        what = f"{self.goal.what} ({self.about})" if self.about else self.goal.what
        named = {"row": self.key, "what": what, "LLVM": self.theirs, "pycoro": self.ours}
        return {**named, "by": self.goal.by, "measure": self.measure, "goal": self.goal.goal, "met": self.met, **why}


def could_not(*keys: str, why: str) -> Iterator[Row]:
    for key in keys:
        yield Row(key, None, None, why)


# ---- Groups of rows ----


@dataclasses.dataclass(frozen=True)
class Asked:
    """The options of a measurement."""

    folder: pathlib.Path
    rounds: int
    every: int


def worst(found: dict[str, tuple[float, float]]) -> tuple[str, float, float]:
    """Return the program with the largest ratio of pycoro's time to LLVM's, with both times."""
    name = max(found, key=lambda name: found[name][1] / found[name][0])
    return name, *found[name]


def both(key: str, found: dict[str, tuple[float, float]]) -> Iterator[Row]:
    """Yield rows for the sum, which one program may dominate, the mean of the ratios, and the worst ratio."""
    if not found:
        yield from could_not(key, f"{key}-mean", f"{key}-worst", why="no program was lowered by both")
        return
    theirs, ours = (sum(pair[side] for pair in found.values()) for side in (0, 1))
    yield Row(key, theirs, ours)
    mean = statistics.geometric_mean(mine / other for other, mine in found.values())
    yield Row(f"{key}-mean", None, mean, f"geometric mean of {len(found)}")
    name, least, most = worst(found)
    yield Row(f"{key}-worst", least, most, name)


def of_passes(asked: Asked) -> Iterator[Row]:
    program, found, verified = run.build(), {}, []
    inputs = run.real_inputs(asked.folder)
    echo = whole.compiled(run.ROOT / "tests/real/asio/echo.cpp", asked.folder)
    for ir in [*inputs[:: asked.every], *([echo] if echo else [])]:
        times = run.child(program, ir, asked.rounds, ["llvm", "believed", "verified", "pycoro"])
        if times:
            median = {who: statistics.median(taken) / 1e6 for who, taken in times.items()}
            found[ir.stem] = (median["llvm"], median["believed"])
            verified.append(median["pycoro"] / median["verified"])
    yield from both("passes", found)
    if verified:
        yield Row("passes-verified", None, statistics.geometric_mean(verified), f"geometric mean of {len(verified)}")


def numbers(row: whole.Row) -> tuple[float, float]:
    return float(row["LLVM"] or 0), float(row["pycoro"] or 0)


def of_whole(asked: Asked) -> Iterator[Row]:
    runs, believed, processes = {}, [], {}
    for ir in whole.drawn([], asked.folder)[:: asked.every]:
        ran, unverified, process, _ = whole.rows(ir, asked.rounds)
        runs[ir.stem] = numbers(ran)
        believed.append(float(unverified["ratio"] or 0))
        if ir.stat().st_size >= whole.HEAVY:
            processes[ir.stem] = numbers(process)
    yield from both("run", runs)
    yield Row("run-believed", None, statistics.geometric_mean(believed), f"geometric mean of {len(believed)}")
    name, theirs, ours = worst(processes) if processes else ("no input is large enough", None, None)
    yield Row("process", theirs, ours, f"the worst of {len(processes)}: {name}" if processes else name)
    yield Row("start", *numbers(whole.start_up(asked.folder, asked.rounds)))


def of_large(asked: Asked) -> Iterator[Row]:
    echo = whole.compiled(run.ROOT / "tests/real/asio/echo.cpp", asked.folder)
    if not echo:
        yield from could_not("large-time", "large-memory", why="asio is not installed")
        return
    made = whole.with_one_coroutine(echo, LARGE, asked.folder)
    *_, process, memory = whole.rows(made, min(asked.rounds, 3))
    made.unlink()
    yield Row("large-time", *numbers(process))
    yield Row("large-memory", *numbers(memory))


def of_builds(asked: Asked) -> Iterator[Row]:
    units = builds.units(asked.folder)
    found = [builds.measure(u, level, asked.folder, asked.rounds) for u in units[:: asked.every] for level in builds.LEVELS]
    large = [build for build in found if build.is_large]
    if large:
        yield Row("builds", None, builds.ratio(large), f"geometric mean of {len(large)}")
        slowest = max(large, key=lambda build: build.ours[0] / build.theirs[0])
        yield Row("builds-worst", slowest.theirs[0], slowest.ours[0], f"{slowest.unit} {slowest.level}")
    else:
        yield from could_not("builds", "builds-worst", why="no unit takes a second")
    yield Row("builds-small", found[0].theirs[0], found[0].ours[0])
    largest = max(found, key=lambda build: build.ours[1] / build.theirs[1])
    yield Row("builds-memory", largest.theirs[1], largest.ours[1], f"{largest.unit} {largest.level}")


def of_frames(asked: Asked) -> Iterator[Row]:
    everything = frames.measured(frames.sources(None)[:: asked.every], list(frames.FORMS), frames.CACHE)
    found = frames.comparable(everything)
    wrong = sum(not row.aligned for some in everything.values() for row in some)
    for form, some in found.items():
        yield Row(f"frame-{form}", sum(row.theirs for row in some), sum(row.shared for row in some), f"{len(some)} coroutines")
    inferred = frames.comparable(frames.measured(frames.sources(None)[:: asked.every], ["O0"], frames.CACHE, infer=True))["O0"]
    yield Row(
        "frame-inferred", sum(row.theirs for row in inferred), sum(row.shared for row in inferred), f"{len(inferred)} coroutines"
    )
    every = [row for some in found.values() for row in some]
    larger = sum(row.shared > row.theirs for row in every)
    yield Row("frame-larger", None, larger, f"{len(every)} coroutines, and {wrong} that LLVM does not align")
    yield Row("frame-bound", sum(row.bound for row in every), sum(row.shared for row in every))


def of_text(asked: Asked) -> Iterator[Row]:
    units = text.all_measured(frames.sources(None)[:: asked.every])
    ours, theirs = text.totals(units)
    for key, kind in (("resume", "resume"), ("destroy", "destroy"), ("text", ".text")):
        yield Row(key, theirs[kind], ours[kind], f"{len(units)} programs")


def of_growth(asked: Asked) -> Iterator[Row]:
    program, times = run.build(), []
    for size in SIZES:
        ir = asked.folder / f"suspends-{size}.ll"
        ir.write_text(suspends(size))
        who = ["llvm", "pycoro"] if size <= LLVM_S else ["pycoro"]
        seen = run.child(program, ir, asked.rounds if size < LLVM_S else 1, who) or {}
        times.append((size, {name: min(seen[name]) / 1e6 for name in who if name in seen}))
    yield Row("growth", run.growth(times, "llvm"), run.growth(times, "pycoro"))
    grown = {who: counts.grown(program, asked.folder, who, *ends) for who, ends in COUNTED.items()}
    yield Row("growth-counted", grown["llvm"], grown["believed"], "" if grown["believed"] else "valgrind is not installed")


def of_mlir(asked: Asked) -> Iterator[Row]:
    keys = {count: f"mlir-{count}" for count in mlir_awaits.COUNTS}
    found = mlir_awaits.inputs(asked.folder)
    if not found:
        yield from could_not(*keys.values(), why="mlir-opt-22 is not installed")
        return
    program = run.build()
    for count, ir in found.items():
        seen = run.child(program, ir, asked.rounds, ["llvm", "pycoro"]) or {}
        times = {who: statistics.median(taken) / 1e6 for who, taken in seen.items()}
        yield Row(keys[count], times.get("llvm"), times.get("pycoro"))


def of_located(asked: Asked) -> Iterator[Row]:
    files = located.programs()[:: asked.every]
    for level in located.LEVELS:
        ours, theirs = located.shares(located.all_counted(files, level))
        yield Row(f"located-{level}", 100 * theirs, 100 * ours, f"{len(files)} programs")


def of_running(asked: Asked) -> Iterator[Row]:
    cases = running.measure(running.build(asked.folder), 4 * asked.rounds + 1)
    pairs = dict(zip(("running", "running-O3", "running-gcc", "running-hand", "running-cached"), running.PAIRS, strict=True))
    for key, (ours, theirs) in pairs.items():
        if (ours, theirs) in running.pairs(cases):
            yield Row(key, None, running.mean(cases, ours, theirs), f"geometric mean of {len(cases)}")
        else:
            yield from could_not(key, why=f"{theirs} is not installed")
    worst = running.worst(cases, *running.PAIRS[0])
    ours, theirs = running.PAIRS[0]
    yield Row("running-worst", worst.times[theirs], worst.times[ours], worst.name)


GROUPS: dict[str, Callable[[Asked], Iterator[Row]]] = {
    "passes": of_passes,
    "whole": of_whole,
    "large": of_large,
    "builds": of_builds,
    "frames": of_frames,
    "text": of_text,
    "growth": of_growth,
    "mlir": of_mlir,
    "located": of_located,
    "running": of_running,
}

# ---- Output ----

TITLE = "| what | LLVM | pycoro | pycoro / LLVM | goal | |\n| --- | ---: | ---: | ---: | --- | --- |"
WORDS = {True: "met", False: "**missed**", None: ""}


def number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def wanted(goal: Goal) -> str:
    if goal.goal is None:
        return ""
    text = f"{goal.goal:g}"
    return f"at least {text}" if goal.least else {"more": f"{text} more", "alone": text}.get(goal.by, f"≤ {text}")


def shown(row: Row) -> str:
    goal, what = row.goal, row.data()["what"]
    sides = [number(row.theirs, goal.digits), number(row.ours, goal.digits)]
    quotient = number(row.ours / row.theirs, 3) if row.ours is not None and row.theirs else "-"
    return f"| {what} | {' | '.join(sides)} | {quotient} | {wanted(goal)} | {WORDS[row.met]} |"


def why(goal: Goal) -> str:
    """Return the reason for a missed goal and the next step."""
    return f"{goal.what}: {goal.reason}. Next: {goal.next}."


def machine() -> str:
    path = pathlib.Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", path.read_text()) if path.exists() else None
    return f"{found[1] if found else platform.machine()}, {os.cpu_count()} cores"


PAGE = """# Performance goals

This page is for users and contributors. It compares the cost of pycoro's lowering and the quality of its output with LLVM 22
(MACHINE). Times are processor time, medians of alternating runs. A ratio below 1 means that pycoro needs less.
`./dev bench --write docs/goals.md` ({file}`bench/goals.py`) writes this page. With `--rows frames` it measures only some rows and
keeps all other rows.

TABLE
MISSED
Reasons for missed goals:

WHY
"""


def known(page: str) -> dict[str, str]:
    """Return the rows of an existing page by their keys."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    starts = {key: (f"| {goal.what} |", f"| {goal.what} (") for key, goal in GOALS.items()}
    return {key: line for line in lines for key, start in starts.items() if line.startswith(start)}


def page(lines: dict[str, str]) -> str:
    """Return the page with the given rows, by their keys."""
    short = [f"- {why(goal)}" for key, goal in GOALS.items() if WORDS[False] in lines.get(key, "")]
    table = "\n".join([TITLE, *(lines[key] for key in GOALS if key in lines)])
    missed = [f"- {goal.what}" for key, goal in GOALS.items() if key not in lines]
    left = "\n".join(["", "Not measured yet:", "", *missed, ""]) if missed else ""
    said = {"MACHINE": machine(), "TABLE": table, "MISSED": left, "WHY": "\n".join(short) or "none."}
    return re.sub("|".join(said), lambda match: said[match[0]], PAGE)


def bars(found: list[Row]) -> list[plot.Bar]:
    """Return bars for the rows that are ratios."""
    ratios = [row for row in found if row.goal.by == "ratio" or "ratios" in row.goal.what]
    return [plot.Bar(row.goal.what, row.measure, row.goal.goal, row.met) for row in ratios if row.measure is not None]


def measured(names: list[str], rounds: int, every: int) -> Iterator[Row]:
    for name in names:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                yield from GROUPS[name](Asked(pathlib.Path(folder), rounds, every))
            except (subprocess.CalledProcessError, running.StepFailed, OSError) as error:
                print(f"{name}: {error}", file=sys.stderr)
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", nargs="*", choices=GROUPS, default=list(GROUPS), help="groups of rows (all)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each timed measurement (5)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="use only every N-th program (1)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE", help="draw the ratios as an SVG")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="also update this documentation page")
    return parser


def main(given: list[str]) -> int:
    if any(word.startswith(("--only", "--largest")) for word in given):
        return run.main(given)
    options = arguments().parse_args(given)
    found: list[Row] = []
    if not options.json:
        print(TITLE)
    for row in measured(options.rows, options.rounds, options.every):
        found.append(row)
        if not options.json:
            print(shown(row), flush=True)
    if options.json:
        print(json.dumps([row.data() for row in found], indent=2))
    else:
        print("", *(f"- {why(row.goal)}" for row in found if row.met is False), sep="\n")
    if options.plot:
        options.plot.write_text(plot.svg(bars(found)))
    if options.write:
        before = known(options.write.read_text()) if options.write.exists() else {}
        options.write.write_text(page(before | {row.key: shown(row) for row in found}))
    missed = [key for key in GOALS if options.rows == list(GROUPS) and key not in {row.key for row in found}]
    if missed:
        print(f"not measured: {', '.join(missed)}", file=sys.stderr)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
