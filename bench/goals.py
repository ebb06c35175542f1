"""What pycoro's lowering is to cost, goal by goal, beside LLVM's, in one run and one table: `./dev bench`.

Both lower the same inputs in turns. Times are processor time. `--rows` takes some groups of rows alone, `--every N` each N-th of
the programs whose frames, code and debug information are looked at; `--json` prints the rows as data, `--plot FILE` draws those
that are ratios, and `--write docs/goals.md` puts them into the page of the documentation. `--only NAME` shows one of the tables
that are behind it, input by input, as run.py does.
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

import counts
import frames
import generators
import located
import plot
import run
import text
import whole
from families import suspends

LARGE = 18
"""Copies of the echo server in the large module: 47 MB of bitcode."""
SIZES, LLVM_S = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000), 8_000
"""Suspends in a row, and the most that LLVM is asked for: beyond, it takes minutes."""
COUNTED = {"believed": (1_000, 16_000), "llvm": (500, 2_000)}
"""By who of lower.c: between which of them instructions are counted."""


@dataclasses.dataclass(frozen=True)
class Goal:
    """What is measured, and what it is to be."""

    what: str
    goal: float | None
    """None: nothing is asked of it."""
    by: str = "ratio"
    """What is held against the goal: "ratio" of the two, "more" by how much pycoro's is, or pycoro's "alone"."""
    least: bool = False
    """The goal is to be reached, and not to be kept below."""
    digits: int = 0
    """Of what is shown behind the point."""
    reason: str = ""
    """Why it is short of the goal, where it is."""
    next: str = ""
    """What is to be done about it."""


MADE = (
    "most of what is executed makes the parts, of which LLVM's own copies, names and uses are the most; what decides, from"
    " numbering to layout, is little (`valgrind --tool=callgrind build/bench/lower` counts it)"
)
VERIFIED = (
    "a third of what is executed verifies what was changed, which `verify=False` leaves out, and LLVM's passes are run without"
    f" their verifier; {MADE}"
)
PASSES_NEXT = "copies that take no name and no use that is dropped again; parts that are verified as they are made"
GIVEN = (
    "headers and promises alone are a large part of LLVM's bytes, and are as the ABI and the program have them; the rest is at"
    " its lower bound. Constructors and member functions are given a variable's address and may use it until it is over:"
    " to know better would save next to nothing, as another body may be linked (docs/explanation/frame.md has how much)"
)
ATTRIBUTES = "`captures(none)` from the frontend where a constructor or a member function keeps no address, which is believed"
CLONED = "one coroutine is all of the module, and LLVM clones no more of it than pycoro does"
GOALS: dict[str, Goal] = {
    "passes": Goal(
        "coroutine passes alone, neither verified, real C++, ms",
        0.4,
        digits=1,
        reason=MADE,
        next=PASSES_NEXT,
    ),
    "passes-mean": Goal(
        "coroutine passes alone, neither verified, the programs' ratios",
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
        reason=CLONED,
        next="fewer calls of LLVM-C for an instruction, in the numbering and in the copies",
    ),
    "passes-verified": Goal("coroutine passes alone, both verified, the programs' ratios", None, by="alone", digits=2),
    "run": Goal(
        "`Module.run` against LLVM's passes, real C++, ms",
        0.6,
        digits=1,
        reason="the passes are nearly all of it: the way back costs nothing before it is gone, and nothing is printed for a report"
        " that nobody reads",
        next="as for the passes alone",
    ),
    "run-mean": Goal(
        "`Module.run` against LLVM's passes, the programs' ratios",
        0.6,
        by="alone",
        digits=2,
        reason=f"the passes are nearly all of it: {VERIFIED}",
        next=PASSES_NEXT,
    ),
    "run-worst": Goal(
        "`Module.run` against LLVM's passes, the worst program, ms",
        0.6,
        digits=1,
        reason=f"{CLONED}, and verifies nothing",
        next="as for the passes alone",
    ),
    "run-believed": Goal(
        "`Module.run(verify=False)` against LLVM's passes, the programs' ratios: neither verified", None, by="alone", digits=2
    ),
    "process": Goal(
        "`pycoro opt` against `opt`, whole process, over 100 kB of bitcode, ms",
        1.0,
        digits=0,
        reason="an interpreter starts before the child that reads, runs and writes, as opt does, begins",
        next="a driver in C over the library that the same command runs, so that no interpreter starts",
    ),
    "start": Goal(
        "`pycoro opt` with nothing to do, ms",
        60,
        by="more",
        digits=0,
        reason="Python's own start and the imports of the command",
        next="a driver in C over the library that the same command runs",
    ),
    "large-time": Goal(
        "47 MB of bitcode with one small coroutine, `pycoro opt`, ms",
        1.1,
        digits=0,
        reason="the child reads once and goes on with the command, as opt does; what is over is the interpreter, and what the"
        " engine looks for in each function before it knows that there is nothing to lower",
        next="count that by `perf record` of the child, and look functions up by the uses of the intrinsics alone",
    ),
    "large-memory": Goal(
        "47 MB of bitcode with one small coroutine, MB of the largest process",
        1.1,
        digits=0,
        reason="Python and the file's bytes are held beside the module",
        next="map the file instead of reading it",
    ),
    "frame-O0": Goal(
        "frame bytes, as clang -O0 gives it, shared",
        0.6,
        reason=GIVEN,
        next=ATTRIBUTES,
    ),
    "frame-O2": Goal(
        "frame bytes, as clang -O2 gives it, shared",
        0.8,
        reason=GIVEN,
        next=ATTRIBUTES,
    ),
    "frame-simplified": Goal(
        "frame bytes, simplified up to the split of default<O2>, shared",
        0.8,
        reason="what is left is needed: these frames are at their lower bound, which is itself above the goal, and parts of"
        " variables, bits, a minimum cut and knowing what callees do save next to nothing (docs/explanation/frame.md)",
        next=ATTRIBUTES,
    ),
    "frame-larger": Goal(
        "frames larger than LLVM's, of all forms",
        0,
        by="alone",
        reason="the fields are packed by alignment and size, and once in a while LLVM's order leaves fewer holes, or LLVM computes"
        " again what pycoro keeps",
        next="`python bench/frames.py --worst 20` names them",
    ),
    "frame-bound": Goal(
        "frame bytes over the lower bound, which stands in LLVM's place",
        1.02,
        reason="the bound is the widest set of fields that are needed at one place; no layout reaches it where lives that are"
        " nested in time leave holes",
        next="a second order of the packer where the first is more than the bound, as for those that are larger than LLVM's",
    ),
    "resume": Goal(
        "code: bytes of `.resume`",
        0.92,
        reason="stores and reloads are one each where LLVM's are, and what LLVM's optimiser makes of both is nearly the same; where"
        " one coroutine makes another, its resume part holds what was put into it, as in those that are longer by most",
        next="join landing pads that lead nowhere again where functions were inlined into the parts after the split",
    ),
    "destroy": Goal(
        "code: bytes of `.destroy` and `.cleanup`",
        0.95,
        reason="where some frames are put into a caller's, a coroutine has both parts, and LLVM, which puts none there, keeps"
        " one; of two landings that differ in a value, each reads it back",
        next="drop `.cleanup` where few call it and nothing is in it but a call or two",
    ),
    "text": Goal(
        "code: all bytes of .text, default<O2>",
        0.97,
        reason="code that has nothing to do with coroutines is the same in both",
        next="shorter resume and destroy parts, as above",
    ),
    "growth": Goal(
        "suspends in a row, 1,000 to 64,000 (LLVM's to 8,000): time grows with n to this",
        1.1,
        by="alone",
        digits=2,
        reason="the instructions that are executed hardly grow faster than n (callgrind): what grows is the time of a miss,"
        " in malloc's lists and LLVM's tables of names before all, as the module leaves the nearer caches",
        next="a ramp that is made anew and a resume function that takes the old body over, so that less is freed and unnamed",
    ),
    "growth-counted": Goal(
        "instructions executed for suspends in a row, 1,000 to 16,000 (LLVM's 500 to 2,000): they grow with n to this",
        1.1,
        by="alone",
        digits=2,
        reason="something is looked for again at each suspend",
        next="`python bench/counts.py` shows which family grows",
    ),
    "located-O0": Goal(
        "debug information, -O0 -g: % of variables' bytes with a location",
        1.0,
        least=True,
        digits=1,
        reason="a variable that shares bytes is located only while it is needed",
        next="`python bench/located.py --level O0` names the programs that are behind",
    ),
    "located-O1": Goal(
        "debug information, -O1 -g: the same",
        1.0,
        least=True,
        digits=1,
        reason="values that are computed again behind a suspend have no location before their first use there",
        next="`python bench/located.py --level O1` names the programs that are behind",
    ),
    "located-O2": Goal(
        "debug information, -O2 -g: the same",
        1.0,
        least=True,
        digits=1,
        reason="as at -O1",
        next="`python bench/located.py --level O2` names the programs that are behind",
    ),
    "element": Goal("an element of a C++ generator, default<O2>, ns (geometric mean; clang -O2 in LLVM's place)", None, digits=2),
}


@dataclasses.dataclass(frozen=True)
class Row:
    """What was measured for one goal."""

    key: str
    theirs: float | None
    """LLVM's; None where it has none, or where it could not be had."""
    ours: float | None
    about: str = ""
    """Which input it is of."""

    @property
    def goal(self) -> Goal:
        return GOALS[self.key]

    @property
    def measure(self) -> float | None:
        """What is held against the goal."""
        if self.ours is None or self.goal.by == "alone":
            return self.ours
        if self.theirs is None:
            return None
        return self.ours - self.theirs if self.goal.by == "more" else self.ours / self.theirs if self.theirs else None

    @property
    def met(self) -> bool | None:
        """None: there is no goal, or nothing to hold against it."""
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
    """What is measured, and how often."""

    folder: pathlib.Path
    rounds: int
    every: int


def worst(found: dict[str, tuple[float, float]]) -> tuple[str, float, float]:
    """Of times by LLVM and by pycoro."""
    name = max(found, key=lambda name: found[name][1] / found[name][0])
    return name, *found[name]


def both(key: str, found: dict[str, tuple[float, float]]) -> Iterator[Row]:
    """The sum, in which one program may be most, the mean of the ratios, and the worst of them."""
    if not found:
        yield from could_not(key, f"{key}-mean", f"{key}-worst", why="nothing was lowered by both")
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
        yield from could_not("large-time", "large-memory", why="asio is not installed, which it is made of")
        return
    made = whole.with_one_coroutine(echo, LARGE, asked.folder)
    *_, process, memory = whole.rows(made, min(asked.rounds, 3))
    made.unlink()
    yield Row("large-time", *numbers(process))
    yield Row("large-memory", *numbers(memory))


def of_frames(asked: Asked) -> Iterator[Row]:
    everything = frames.measured(frames.sources(None)[:: asked.every], list(frames.FORMS), frames.CACHE)
    found = frames.comparable(everything)
    wrong = sum(not row.aligned for some in everything.values() for row in some)
    for form, some in found.items():
        yield Row(f"frame-{form}", sum(row.theirs for row in some), sum(row.shared for row in some), f"{len(some)} coroutines")
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


def of_located(asked: Asked) -> Iterator[Row]:
    files = located.programs()[:: asked.every]
    for level in located.LEVELS:
        ours, theirs = located.shares(located.all_counted(files, level))
        yield Row(f"located-{level}", 100 * theirs, 100 * ours, f"{len(files)} programs")


def of_elements(asked: Asked) -> Iterator[Row]:
    found = generators.elements(generators.build(asked.folder))
    theirs, ours = ([float(time) for _, who, time in found if who == name] for name in ("clang", "pycoro"))
    yield Row("element", statistics.geometric_mean(theirs), statistics.geometric_mean(ours), f"{len(ours)} generators")


GROUPS: dict[str, Callable[[Asked], Iterator[Row]]] = {
    "passes": of_passes,
    "whole": of_whole,
    "large": of_large,
    "frames": of_frames,
    "text": of_text,
    "growth": of_growth,
    "located": of_located,
    "elements": of_elements,
}

# ---- What is shown ----

TITLE = "| what | LLVM | pycoro | pycoro / LLVM | goal | |\n| --- | ---: | ---: | ---: | --- | --- |"
WORDS = {True: "met", False: "**short**", None: ""}


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
    """Of what is short: the reason, and the next step."""
    return f"{goal.what}: {goal.reason}. Next: {goal.next}."


def machine() -> str:
    path = pathlib.Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", path.read_text()) if path.exists() else None
    return f"{found[1] if found else platform.machine()}, {os.cpu_count()} cores"


PAGE = """# Goals

What pycoro's lowering costs and what comes of it, beside LLVM 22's (MACHINE). Times are processor time, medians of runs in
turns. A ratio below 1 means that pycoro needs less. Written by `./dev bench --write docs/goals.md`, which is
{file}`bench/goals.py`; with `--rows frames` it measures some rows, and leaves the others.

TABLE
MISSED
What is short of its goal:

WHY
"""


def known(page: str) -> dict[str, str]:
    """The rows of a page that was written before, by their keys."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    starts = {key: (f"| {goal.what} |", f"| {goal.what} (") for key, goal in GOALS.items()}
    return {key: line for line in lines for key, start in starts.items() if line.startswith(start)}


def page(lines: dict[str, str]) -> str:
    """Of rows as they are shown, by their keys."""
    short = [f"- {why(goal)}" for key, goal in GOALS.items() if WORDS[False] in lines.get(key, "")]
    table = "\n".join([TITLE, *(lines[key] for key in GOALS if key in lines)])
    missed = [f"- {goal.what}" for key, goal in GOALS.items() if key not in lines]
    left = "\n".join(["", "Not measured yet:", "", *missed, ""]) if missed else ""
    said = {"MACHINE": machine(), "TABLE": table, "MISSED": left, "WHY": "\n".join(short) or "nothing."}
    return re.sub("|".join(said), lambda match: said[match[0]], PAGE)


def bars(found: list[Row]) -> list[plot.Bar]:
    """Of the rows that are a ratio."""
    ratios = [row for row in found if row.goal.by == "ratio" or "ratios" in row.goal.what]
    return [plot.Bar(row.goal.what, row.measure, row.goal.goal, row.met) for row in ratios if row.measure is not None]


def measured(names: list[str], rounds: int, every: int) -> Iterator[Row]:
    for name in names:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                yield from GROUPS[name](Asked(pathlib.Path(folder), rounds, every))
            except (subprocess.CalledProcessError, generators.harness.StepFailed, OSError) as error:
                print(f"{name}: {error}", file=sys.stderr)
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", nargs="*", choices=GROUPS, default=list(GROUPS), help="groups of rows (all)")
    parser.add_argument("--rounds", type=int, default=5, help="of everything that is timed (5)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each N-th program alone (1)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE", help="the rows that are ratios, as an SVG")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="into the page of the documentation too")
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
