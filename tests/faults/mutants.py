"""The mutation score: each planted fault is switched on alone, and random coroutines go through the oracle until it sees
a difference, which is then shrunk. As a command it prints the table.

    python tests/faults/mutants.py                      all faults
    python tests/faults/mutants.py spill_dropped ...    these
    python tests/faults/mutants.py --write docs/mutation-score.md

A fault is found where the engine's lowering with it does otherwise than LLVM's while the one without does the same.
Shrunk programs are left in build/faults/found/.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import random
import sys
import time
from pathlib import Path

import hypothesis
from drawn import Sample, samples
from faulty import BUILD, Faulty
from hypothesis import HealthCheck, Phase, Verbosity
from reduce import reduced

from pycoro import errors, oracle
from pycoro.module import Module

FOUND = BUILD / "found"


@dataclasses.dataclass(frozen=True)
class Finding:
    """What became of one fault."""

    fault: str
    examples: int
    """How many were drawn until it was found, or in vain."""
    difference: str = ""
    """What the oracle said of the shrunk program; empty where the fault survived."""
    sample: Sample | None = None
    seconds: float = 0

    @property
    def lines(self) -> int:
        return len(self.sample.ir.splitlines()) if self.sample else 0


@dataclasses.dataclass
class Hunt:
    """The search for one fault."""

    faulty: Faulty
    both: oracle.Oracle
    fault: str
    seconds: float
    shrinking: float
    examples: int = 0
    known: dict[Sample, str] = dataclasses.field(default_factory=dict)
    end: float = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.seconds

    def _runs(self, sample: Sample, lowered: oracle.Run | str) -> list[oracle.Run]:
        if isinstance(lowered, oracle.Run):
            return [lowered] * len(sample.schedules)
        return self.both.run_all(lowered, sample.schedules, passes="", **sample.how)

    def difference(self, sample: Sample) -> str:
        """How the lowering with the fault differs from LLVM's; empty too where the one without differs."""
        sane, wrong = self.faulty.lower(sample.ir, sample.passes, self.fault)
        if wrong == sane or isinstance(sane, oracle.Run):
            return ""
        theirs = self._runs(sample, self.both.lower(sample.ir, sample.passes))
        if any(run.how != "finished" for run in theirs):
            return ""
        wrongs, sanes = self._runs(sample, wrong), []
        for number, yours in enumerate(theirs):
            said = oracle.first_difference(wrongs[number], yours)
            sanes = sanes or (self._runs(sample, sane) if said else [])
            if said and not oracle.first_difference(sanes[number], yours):
                return said
        return ""

    def interesting(self, sample: Sample) -> bool:
        if sample in self.known:
            return True
        if time.monotonic() > self.end:
            return False
        self.examples += not self.known
        said = self.difference(sample)
        if said and not self.known:
            self.end = time.monotonic() + self.shrinking
        if said:
            self.known[sample] = said
        return bool(said)

    def _holds(self, sample: Sample, ir: str) -> bool:
        try:
            Module(ir).close()
        except errors.Error:
            return False
        return self.interesting(dataclasses.replace(sample, ir=ir))

    def run(self, most: int, seed: int) -> Finding:
        start = time.monotonic()
        settings = hypothesis.settings(
            max_examples=most,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        try:
            sample = hypothesis.find(samples(), self.interesting, settings=settings, random=random.Random(seed))
        except hypothesis.errors.NoSuchExample:
            return Finding(self.fault, self.examples, seconds=time.monotonic() - start)
        self.end = time.monotonic() + self.shrinking
        ir = reduced(sample.ir, lambda text: self._holds(sample, text))
        sample = next(known for known in self.known if known.ir.split() == ir.split() and known.passes == sample.passes)
        sample = dataclasses.replace(sample, ir=ir)
        return Finding(self.fault, self.examples, self.difference(sample), sample, time.monotonic() - start)


def hunt(fault: str, most: int, seed: int, seconds: float, shrinking: float) -> Finding:
    """Looks for one fault, in a process of its own."""
    with oracle.Oracle() as both:
        finding = Hunt(Faulty(built=True), both, fault, seconds, shrinking).run(most, seed)
    FOUND.mkdir(exist_ok=True)
    if finding.sample:
        head = [f"; {finding.fault}: {finding.difference}", f"; passes: {finding.sample.passes}", f"; {finding.sample.how}"]
        (FOUND / f"{fault}.ll").write_text("\n".join([*head, finding.sample.ir]))
    return finding


def cell(text: str) -> str:
    first = text.splitlines()[0] if text else ""
    return first.replace("|", "\\|")


def rows(findings: list[Finding], faults: dict[str, str]) -> list[str]:
    """The table, in the order of csrc/base/fault.def."""
    lines = ["| fault | what goes wrong | found after | lines | what the oracle said |", "| --- | --- | --- | --- | --- |"]
    for one in findings:
        found = f"{one.examples}" if one.difference else f"SURVIVED {one.examples}"
        lines.append(f"| {one.fault} | {faults[one.fault]} | {found} | {one.lines or ''} | {cell(one.difference)} |")
    return lines


def summary(findings: list[Finding]) -> str:
    found = [one for one in findings if one.difference]
    longest = max((one.lines for one in found), default=0)
    return f"{len(found)} of {len(findings)} faults found; the longest program that shows one has {longest} lines."


HEAD = """# Mutation score

Each fault of `csrc/base/fault.def` is switched on alone in a debug build (CMake's `PYCORO_FAULTS`; in every other build
the plantings are no code at all), and random coroutines go through the oracle until it sees a difference from LLVM's
lowering that the engine without the fault does not have. "Found after" counts the coroutines drawn, "lines" those of the
IR that is left after shrinking. Written by `python tests/faults/mutants.py --write docs/mutation-score.md`.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*", metavar="fault", help="which faults (all)")
    parser.add_argument("--examples", type=int, default=20000, help="coroutines drawn for a fault at the most (20000)")
    parser.add_argument("--seconds", type=float, default=300, help="spent on looking for a fault at the most (300)")
    parser.add_argument("--shrinking", type=float, default=40, help="seconds for each of the two ways to shrink (40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="faults looked for at a time (2)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table to a file too")
    options = parser.parse_args()
    faults = Faulty().faults
    unknown = [name for name in options.faults if name not in faults]
    if unknown:
        parser.error(f"no fault is called {unknown[0]}; csrc/base/fault.def lists them")
    findings = []
    with concurrent.futures.ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as pool:
        limits = (options.examples, options.seed, options.seconds, options.shrinking)
        for finding in pool.map(hunt, names := options.faults or list(faults), *zip(*[limits] * len(names), strict=True)):
            findings.append(finding)
            print(rows([finding], faults)[-1], f"{finding.seconds:.0f} s", flush=True)
    print("", *rows(findings, faults), "", summary(findings), sep="\n")
    if options.write:
        options.write.write_text("\n".join([HEAD, summary(findings), "", *rows(findings, faults), ""]))
    return int(not all(one.difference for one in findings))


if __name__ == "__main__":
    sys.exit(main())
