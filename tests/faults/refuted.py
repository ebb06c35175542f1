"""Runs the checker of lowerings on each planted fault, without executing anything: does it refute the incorrect lowering?

    python tests/faults/refuted.py                      all faults of DIRECTORIES
    python tests/faults/refuted.py spill_dropped ...    these
    python tests/faults/refuted.py --write docs/proof-tests.md

The programs are those of mutants.py: random coroutines and ABIs, drawn by seed, and then the inputs of tests/ir. A fault is refuted
if the checker refutes a lowering with it, while it does not refute the same lowering without a fault.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import functools
import re
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from drawn import PLAIN, SHARING, Sample, abi, named_sample
from faulty import Faulty, build
from mutants import cell, parse_rows
from planted import ROOT, table

from pycoro._abi_methods import engine_arguments_of_abi
from pycoro.errors import Error, RejectedError
from pycoro.oracle import Run, for_host

BATCH = 12
RULE = "lowering-check"
UNCHECKED = "the lowering is not checked"
DIRECTORIES = ("csrc/analysis/", "csrc/lowering/", "csrc/emit/", "csrc/abi/", "csrc/ir/constant_fold.c")
PROVED, UNSUPPORTED, REFUTED, BROKEN = "proved", "not supported", "refuted", "broken"


class Checked(Faulty):
    """Lowers with a fault and the checker. The result is a verdict, a message, and the lowered text."""

    def _lowered(self, sample: Sample, fault: int) -> Run | str:
        self._number.value = fault
        try:
            module = self._core.Module(for_host(sample.ir).encode(), "sample", trusted=True)
            abis = tuple(map(engine_arguments_of_abi, abi(sample).abis)) if sample.abi else None
            diagnostics = module.run(sample.passes, abis=abis, check=True)[1]
            told = [one["message"] for one in diagnostics if one["rule"] == RULE]
            return "\n".join((UNSUPPORTED if told else PROVED, *told[:1], module.text()))
        except RejectedError as error:
            return Run("rejected", str(error), ())
        except Error as error:
            rules = [one for one in error.diagnostics if one.rule == RULE and not one.message.startswith(UNCHECKED)]
            told = [f"@{one.function}: {one.message}" for one in rules]
            return "\n".join((REFUTED, told[-1], "")) if told else Run(BROKEN, str(error), ())
        finally:
            self._number.value = 0


@dataclasses.dataclass
class Finding:
    """The answers about one fault."""

    fault: str
    programs: int = 0
    """Number of programs until it was refuted, or in all."""
    refuted: str = ""
    differs: Counter[str] = dataclasses.field(default_factory=Counter[str])
    """Verdicts on lowerings that differ from the one without a fault."""


@functools.cache
def engine() -> Checked:
    return Checked(built=True)


def inputs() -> list[Sample]:
    """Return the modules of tests/ir."""
    texts = [file.read_text() for file in sorted((ROOT / "tests" / "ir").rglob("*.ll"))]
    return [Sample(text, passes) for text in texts if "@llvm.coro.id" in text for passes in (PLAIN[0], SHARING[0])]


def samples(seed: int, batch: int) -> list[Sample]:
    names = (f"{seed}:{batch}:{number}" for number in range(BATCH))
    return sorted((named_sample(name, 4 + batch % 8) for name in names), key=lambda sample: len(sample.ir))


def judge(some: Sequence[Sample], faults: Sequence[str]) -> list[Finding]:
    """Return what the programs tell about each fault."""
    findings = {fault: Finding(fault) for fault in faults}
    for sample in some:
        left = [fault for fault in faults if not findings[fault].refuted]
        sane, *wrongs = engine().lower([(sample, left)])[0]
        if not isinstance(sane, str) or sane.startswith(REFUTED):
            if isinstance(sane, str):
                print(f"FALSE ALARM: {sane}", flush=True)
            continue
        for fault, wrong in zip(left, wrongs, strict=True):
            finding = findings[fault]
            finding.programs += 1
            if wrong == sane:
                continue
            kind = wrong.partition("\n")[0] if isinstance(wrong, str) else wrong.how
            finding.differs[kind] += 1
            if isinstance(wrong, str) and kind == REFUTED:
                finding.refuted = wrong.splitlines()[1]
    return list(findings.values())


def search(faults: Sequence[str], seconds: float, seed: int, workers: int) -> dict[str, Finding]:
    """Judge ever more programs, each with all faults that are not yet refuted."""
    found = {fault: Finding(fault) for fault in faults}
    own, end = inputs(), time.monotonic() + seconds
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        batch = 0
        while time.monotonic() < end and (left := [fault for fault in faults if not found[fault].refuted]):
            groups = [samples(seed, batch + number) for number in range(workers)]
            if batch and own:
                groups = [own[:BATCH], own[BATCH : 2 * BATCH]]
                own = own[2 * BATCH :]
            for findings in pool.map(judge, groups, [left] * len(groups)):
                for one in findings:
                    known = found[one.fault]
                    known.differs += one.differs
                    if not known.refuted:
                        known.programs += one.programs
                        known.refuted = one.refuted
            batch += workers
            print(f"{sum(bool(one.refuted) for one in found.values())} of {len(faults)} refuted", flush=True)
    return found


TITLES = ["| bug | effect | refuted after | counterexample |", "| --- | --- | --- | --- |"]

HEAD = """# Planted faults against the checker of lowerings

This page is for contributors. It shows which bugs in the engine the checker of lowerings refutes, without executing anything. The
bugs are those of [the mutation score](fault-tests.md) in the directories of the lowering. "Refuted after" is the number of programs
until the first counterexample. For the other bugs, the table shows the answers about lowerings that differ from the one without a
bug: a lowering may differ and still be correct, for example if a field is larger than necessary.

`python tests/faults/refuted.py --write docs/proof-tests.md` writes this page, except for the last section.
"""


def behaves_differently() -> set[str]:
    """Return the faults that random tests with execution find."""
    rows = parse_rows((ROOT / "docs" / "fault-tests.md").read_text())
    return {fault for fault, row in rows.items() if "SURVIVED" not in row}


REASONS = {
    "noop_is_done": "the noop coroutine is made by coro-early, before the lowering that is checked",
    "live_cut_short": "only a report changes",
    "slot_of_another_block": "LLVM's verifier rejects it, or the block dominates and the address is correct",
}
"""Reasons for which the checker does not refute a bug."""


def reason(fault: str, one: Finding) -> str:
    """Return why a bug is not refuted, as far as it is known."""
    if fault in REASONS:
        return REASONS[fault]
    if not one.differs:
        return "no lowering of these programs changes"
    return "the construct is not supported" if one.differs[UNSUPPORTED] and not one.differs[PROVED] else ""


def summary(found: dict[str, Finding]) -> str:
    refuted = {fault for fault, one in found.items() if one.refuted}
    changing = {fault for fault, one in found.items() if one.refuted or one.differs}
    judged = {fault for fault in changing if fault in refuted or found[fault].differs[PROVED] + found[fault].differs[BROKEN]}
    share, known = (100 * len(refuted & of) / max(len(of), 1) for of in (changing, judged))
    return (
        f"{len(refuted)} of {len(found)} bugs are refuted. {len(changing)} change a lowering of these programs: "
        f"{share:.0f} % of them are refuted, and {known:.0f} % of those in constructs that the checker supports. "
        "A lowering is *broken* if LLVM's verifier rejects it."
    )


def report(found: dict[str, Finding]) -> list[str]:
    faults, wrong = table(), behaves_differently()
    lines = [*textwrap.wrap(summary(found), 132), "", *TITLES]
    for fault, one in found.items():
        told = ", ".join(f"{count} {kind}" for kind, count in sorted(one.differs.items()))
        why = "; ".join(text for text in ("" if fault in wrong else "no test finds it", told, reason(fault, one)) if text)
        answer = one.refuted or why
        after = f"{one.programs}" if one.refuted else f"NOT {one.programs}"
        lines.append(f"| {fault} | {faults[fault].what} | {after} | {re.sub(r'  +', ' ', cell(answer))[:300]} |")
    return [*lines, ""]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*", metavar="fault")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", type=Path, metavar="FILE")
    options = parser.parse_args()
    faults = options.faults or [one.name for one in table().values() if one.file.startswith(DIRECTORIES)]
    build()
    lines = report(search(faults, options.seconds, options.seed, options.jobs))
    print("\n".join(lines))
    if options.write:
        _, mutants, rest = options.write.read_text().partition("## Mutants\n")
        options.write.write_text("\n".join([HEAD, *lines, mutants + rest]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
