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
import pickle
import random
import subprocess
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
SECONDS = 2  # for one run


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
    """The search for one fault. What takes time is running: candidates are run as lowered with the fault and without,
    and only what is found that way, and what is left of it in the end, goes through LLVM's passes."""

    faulty: Faulty
    both: oracle.Oracle
    fault: str
    seconds: float
    shrinking: float
    examples: int = 0
    known: dict[Sample, str] = dataclasses.field(default_factory=dict)
    """What shows the fault, and what was said of it."""
    end: float = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.seconds

    def _runs(self, sample: Sample, lowered: oracle.Run | str) -> list[oracle.Run]:
        if isinstance(lowered, oracle.Run):
            return [lowered] * len(sample.schedules)
        return self.both.run_all(lowered, sample.schedules, passes="", timeout=SECONDS, **sample.how)

    def _differs(self, sample: Sample) -> Sample | None:
        """The sample with one schedule on which the fault shows; None where there is none."""
        sane, wrong = self.faulty.lower(sample.ir, sample.passes, self.fault)
        if wrong == sane or isinstance(sane, oracle.Run):
            return None
        runs = zip(sample.schedules, self._runs(sample, wrong), self._runs(sample, sane), strict=True)
        shown = (schedule for schedule, ours, ideal in runs if ideal.how == "finished" and ours != ideal)
        schedule = next(shown, None)
        return None if schedule is None else dataclasses.replace(sample, schedules=(schedule,))

    def difference(self, sample: Sample) -> str:
        """What the oracle says of the engine with the fault; nothing where the engine without it differs from LLVM."""
        lowered = self.faulty.lower(sample.ir, sample.passes, self.fault)
        sane, wrong, theirs = (self._runs(sample, ir)[0] for ir in (*lowered, self.both.lower(sample.ir, sample.passes)))
        return "" if theirs.how != "finished" or oracle.first_difference(sane, theirs) else oracle.first_difference(wrong, theirs)

    def interesting(self, sample: Sample) -> bool:
        if time.monotonic() > self.end or sample in self.known:
            return sample in self.known
        self.examples += not self.known
        shown = self._differs(sample)
        said = self.difference(shown) if shown and not self.known else ""
        if shown is None or not (said or self.known):
            return False
        if not self.known:
            self.end = time.monotonic() + self.shrinking
        self.known[sample] = self.known[shown] = said
        return True

    def _holds(self, sample: Sample, ir: str) -> bool:
        try:
            Module(ir).close()
        except errors.Error:
            return False
        return self.interesting(dataclasses.replace(sample, ir=ir))

    def _smallest(self) -> tuple[Sample, str]:
        """Of what shows the fault the program of the fewest lines that does so by LLVM's word too."""
        known = (sample for sample in self.known if len(sample.schedules) == 1)
        for sample in sorted(known, key=lambda sample: (len(sample.ir.splitlines()), len(sample.ir))):
            said = self.difference(sample)
            if said:
                return sample, said
        raise AssertionError("what was found is among what is known")

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
            hypothesis.find(samples(), self.interesting, settings=settings, random=random.Random(seed))
        except hypothesis.errors.NoSuchExample:
            return Finding(self.fault, self.examples, seconds=time.monotonic() - start)
        sample, _ = self._smallest()
        self.end = time.monotonic() + self.shrinking
        reduced(sample.ir, lambda text: self._holds(sample, text))
        return Finding(self.fault, self.examples, *reversed(self._smallest()), time.monotonic() - start)


def hunt(fault: str, options: argparse.Namespace) -> Finding:
    """Looks for one fault in this process."""
    with oracle.Oracle() as both:
        search = Hunt(Faulty(built=True), both, fault, options.seconds, options.shrinking)
        return search.run(options.examples, options.seed)


def apart(fault: str, arguments: list[str]) -> Finding:
    """Looks for one fault in a process of its own."""
    command = [sys.executable, __file__, "--apart", *arguments, fault]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    finding: Finding = pickle.loads(done.stdout)
    if finding.sample:
        head = [f"; {fault}: {finding.difference.splitlines()[0]}", f"; passes: {finding.sample.passes}"]
        (FOUND / f"{fault}.ll").write_text("\n".join([*head, f"; {finding.sample.how}", finding.sample.ir]))
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
    parser.add_argument("--apart", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.apart:
        finding = hunt(options.faults[0], options)
        sys.stdout.buffer.write(pickle.dumps(finding))
        return 0
    faults = Faulty().faults
    unknown = [name for name in options.faults if name not in faults]
    if unknown:
        parser.error(f"no fault is called {unknown[0]}; csrc/base/fault.def lists them")
    FOUND.mkdir(exist_ok=True)
    limits = [f"--{name}={getattr(options, name)}" for name in ("examples", "seconds", "shrinking", "seed")]
    findings = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for finding in pool.map(lambda fault: apart(fault, limits), options.faults or list(faults)):
            findings.append(finding)
            print(rows([finding], faults)[-1], f"{finding.seconds:.0f} s", flush=True)
    print("", *rows(findings, faults), "", summary(findings), sep="\n")
    if options.write:
        options.write.write_text("\n".join([HEAD, summary(findings), "", *rows(findings, faults), ""]))
    return int(not all(one.difference for one in findings))


if __name__ == "__main__":
    sys.exit(main())
