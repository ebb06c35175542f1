"""The mutation score: each planted fault is switched on alone, and random coroutines go through the oracle until it sees
a difference, which is then shrunk. As a command it prints the table.

    python tests/faults/mutants.py                      all faults
    python tests/faults/mutants.py spill_dropped ...    these
    python tests/faults/mutants.py --write docs/fault-tests.md

A fault is found where the engine's lowering with it does otherwise than LLVM's, while the one without does the same.
Shrunk programs are left in build/faults/found/; what a later run finds there need not be looked for again.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import functools
import itertools
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from drawn import Bounds, Sample, drawn, seeded
from faulty import BUILD, Faulty
from reduce import reduced

from pycoro import errors, oracle
from pycoro.module import Module
from pycoro.strategies import Recorded, shrink

FOUND = BUILD / "found"
SECONDS = 5  # for one run
BATCH = 120  # samples that are drawn together
LEAST = 4  # statements in the first of them
LONG = 40  # lines that are worth shrinking again


@dataclasses.dataclass(frozen=True)
class Finding:
    """What became of one fault."""

    fault: str
    examples: int
    """How many were drawn until it was found, or in vain."""
    difference: str = ""
    """What the oracle said; empty where the fault survived."""
    sample: Sample | None = None
    choices: tuple[int, ...] = ()
    """What the sample was drawn by."""
    bounds: Bounds | None = None
    """And within what bounds."""

    @property
    def lines(self) -> int:
        return len(self.sample.ir.splitlines()) if self.sample else 0


class Judge:
    """Says whether a fault shows. What takes time is running: a sample is run as lowered without the fault and with it,
    and only where these differ it goes through LLVM's passes."""

    def __init__(self, faulty: Faulty, both: oracle.Oracle) -> None:
        self._faulty = faulty
        self._both = both

    def _run(self, sample: Sample, lowered: oracle.Run | str) -> oracle.Run:
        if isinstance(lowered, oracle.Run):
            return lowered
        return self._both.run(lowered, (), ramp=sample.ramp, passes="", timeout=SECONDS)

    def suspects(self, sample: Sample, faults: Sequence[str]) -> Iterator[tuple[str, oracle.Run, oracle.Run]]:
        """The faults that show in the sample, with what it does with them and without."""
        sane, *wrongs = self._faulty.lower(sample.ir, sample.passes, faults)
        differ = [(fault, wrong) for fault, wrong in zip(faults, wrongs, strict=True) if wrong != sane]
        ideal = self._run(sample, sane) if differ else None
        if ideal and ideal.how == "finished":
            runs = ((fault, self._run(sample, wrong)) for fault, wrong in differ)
            yield from ((fault, run, ideal) for fault, run in runs if run != ideal)

    def shows(self, sample: Sample, fault: str) -> bool:
        return any(True for _ in self.suspects(sample, [fault]))

    def seems(self, sample: Sample, irs: Sequence[str], fault: str) -> list[bool]:
        """In which of the texts, in place of the sample's, the fault seems to show: they run in one process."""
        shown = [False] * len(irs)
        pairs = enumerate(self._faulty.pairs(irs, sample.passes, fault))
        differ = [(number, sane, wrong) for number, (sane, wrong) in pairs if sane != wrong and isinstance(sane, str)]
        texts = [text for _, *both in differ for text in both if isinstance(text, str)]
        cases = [oracle.Case(text, ramp=sample.ramp) for text in texts]
        limits = {"timeout": SECONDS}
        runs = iter(self._both.execute(oracle.Passes(""), cases, live=False, limits=limits) if cases else [])
        for number, _, wrong in differ:
            ideal = next(runs)[0]
            shown[number] = (next(runs)[0] if isinstance(wrong, str) else wrong) != ideal and ideal.how == "finished"
        return shown

    def differences(self, sample: Sample, faults: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The faults that the oracle finds by the sample, with what it says."""
        theirs = None
        for fault, ours, ideal in self.suspects(sample, faults):
            theirs = theirs or self._run(sample, self._both.lower(sample.ir, sample.passes))
            if oracle.first_difference(ideal, theirs):
                return  # whatever else is found there is not the fault's doing
            yield fault, oracle.first_difference(ours, theirs)


def drawings(seed: int) -> Iterator[tuple[Sample, Bounds, tuple[int, ...]]]:
    """Samples without end, ever larger ones; of those drawn together the short ones come first."""
    for batch in itertools.count():
        names = (f"{seed}:{batch}:{number}" for number in range(BATCH))
        yield from sorted((seeded(name, LEAST + 2 * batch) for name in names), key=lambda drawing: len(drawing[0].ir))


def find(judge: Judge, faults: Sequence[str], seed: int, most: int, seconds: float) -> Iterator[Finding]:
    """Draws samples, each for all faults that were not found yet."""
    left, end, number = list(faults), time.monotonic() + seconds, 0
    for number, (sample, bounds, choices) in enumerate(itertools.islice(drawings(seed), most), 1):
        if not left or time.monotonic() > end:
            break
        for fault, said in judge.differences(sample, left):
            yield Finding(fault, number, said, sample, choices, bounds)
            left = [other for other in left if other != fault]
    yield from (Finding(fault, number) for fault in left)


def shrunk(finding: Finding, tries: int) -> Finding:
    """The finding with a program as small as it gets: by fewer choices first, then by lines of its text."""
    bounds, sample = finding.bounds, finding.sample
    if sample is None:
        return finding
    with oracle.Oracle() as both:
        judge = Judge(Faulty(built=True), both)

        @functools.lru_cache(None)
        def holds(sample: Sample) -> bool:
            try:
                Module(sample.ir).close()
            except errors.Error:
                return False
            return judge.shows(sample, finding.fault) and any(judge.differences(sample, [finding.fault]))

        if bounds and tries:
            choices = shrink(finding.choices, lambda made: holds(drawn(Recorded(made), bounds)), tries)
            sample = drawn(Recorded(choices), bounds)
        ir = reduced(
            sample.ir,
            lambda text: holds(dataclasses.replace(sample, ir=text)),
            lambda texts: judge.seems(sample, texts, finding.fault),
        )
        sample = dataclasses.replace(sample, ir=ir)
        for _, said in judge.differences(sample, [finding.fault]):
            return dataclasses.replace(finding, sample=sample, difference=said)
    return finding


def write(finding: Finding) -> None:
    """Leaves the program that shows the fault in build/faults/found/."""
    FOUND.mkdir(exist_ok=True)
    if finding.sample:
        head = [f"; {finding.fault}: {cell(finding.difference)}", f"; passes: {finding.sample.passes}"]
        head += [f"; found after: {finding.examples}", f"; call @{finding.sample.ramp}()"]
        (FOUND / f"{finding.fault}.ll").write_text("\n".join([*head, finding.sample.ir]))


def kept(judge: Judge, faults: Sequence[str]) -> Iterator[Finding]:
    """What an earlier run has left, as far as it still shows."""
    for fault in faults:
        path = FOUND / f"{fault}.ll"
        text = path.read_text() if path.exists() else ""
        head = re.match(r"; .*\n; passes: (.*)\n; found after: (.*)\n; call.*\n", text)
        if head:
            sample = Sample(text[head.end() :], head[1])
            for _, said in judge.differences(sample, [fault]):
                yield Finding(fault, int(head[2]), said, sample)


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
IR that is left after shrinking. What survived was looked for by the last run alone, in as many programs as it says; each
run starts from what earlier ones have left in `build/faults/found`. Written by
`python tests/faults/mutants.py --write docs/fault-tests.md`.
"""


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*", metavar="fault", help="which faults (all)")
    parser.add_argument("--examples", type=int, default=10000, help="programs drawn at the most (10000)")
    parser.add_argument("--seconds", type=float, default=1800, help="spent on looking at the most (1800)")
    parser.add_argument("--tries", type=int, default=100, help="steps of shrinking by choices, 0 for no shrinking (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--anew", action="store_true", help="look for what earlier runs have found, too")
    parser.add_argument("--jobs", type=int, default=2, help="programs shrunk at a time (2)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table to a file too")
    return parser


def search(options: argparse.Namespace, faults: Sequence[str]) -> list[Finding]:
    """Finds and shrinks, and says how it goes on."""
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool, oracle.Oracle() as both:
        pool.submit(time.sleep, 0).result()  # its processes are there before the oracle's, and hold nothing of it
        judge = Judge(Faulty(built=True), both)
        found = {} if options.anew else {finding.fault: finding for finding in kept(judge, faults)}
        print(f"{len(found)} are known from before", flush=True)
        smaller = [
            pool.submit(shrunk, finding, options.tries) for finding in found.values() if options.tries and finding.lines >= LONG
        ]
        missing = [fault for fault in faults if fault not in found]
        for finding in find(judge, missing, options.seed, options.examples, options.seconds):
            print(f"{finding.examples}: {finding.fault} {finding.lines} {cell(finding.difference)}", flush=True)
            write(finding)
            if options.tries:
                smaller.append(pool.submit(shrunk, finding, options.tries))
        both.close()
        for future in concurrent.futures.as_completed(smaller):
            finding = found[future.result().fault] = future.result()
            write(finding)
            print(f"{finding.fault}: {finding.lines}", flush=True)
    return [found[fault] for fault in faults]


def main() -> int:
    parser = arguments()
    options = parser.parse_args()
    faults = Faulty().faults
    unknown = [name for name in options.faults if name not in faults]
    if unknown:
        parser.error(f"no fault is called {unknown[0]}; csrc/base/fault.def lists them")
    findings = search(options, options.faults or list(faults))
    print("", *rows(findings, faults), "", summary(findings), sep="\n")
    if options.write:
        options.write.write_text("\n".join([HEAD, summary(findings), "", *rows(findings, faults), ""]))
    return int(not all(one.difference for one in findings))


if __name__ == "__main__":
    sys.exit(main())
