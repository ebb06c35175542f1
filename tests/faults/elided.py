"""Faults planted in elision, searched for with the cases of tests/elision. A case finds a fault if lowering with it at
`default<O2>` changes the output, the exit status or the number of frames on the heap.

    python tests/faults/elided.py                        all faults of elision, by all cases
    python tests/faults/elided.py perhaps_destroyed      this one
    python tests/faults/elided.py --case NAME FAULT      by one case
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
from collections.abc import Iterable, Iterator

from drawn import Sample
from faulty import ROOT, Faulty
from planted import table

from pycoro import Module, summary

sys.path[:0] = [str(ROOT / "tests" / "real"), str(ROOT / "tests" / "elision")]
import coroharness as harness  # noqa: E402
import elisions  # noqa: E402

LEVEL = "O2"
PASSES = f"default<{LEVEL}>"
MADE_OF = (
    *("handle_effects", "elide", "nonlocal_exits", "exceptional_exits", "clones", "export_summaries"),
    *("imported_coroutines", "ramp", "reachable_code", "merge_resume_calls", "cgscc_waves"),
    *("jump_thread", "predictable_select", "carried_sum"),
    *("elision_candidate", "handle_summary", "handle_trace", "handle_walk", "elided_frame", "header_function"),
    *("awaiter_attributes", "dead_functions"),
)
"""Prefixes of the elision files in DIRECTORIES."""
DIRECTORIES = ("handles", "elide", "passes", "run", "loops", "cgscc")


def planted_in_elision() -> list[str]:
    return [
        f.name
        for f in table().values()
        if pathlib.Path(f.file).parts[1] in DIRECTORIES and pathlib.Path(f.file).stem.startswith(MADE_OF)
    ]


class Cases:
    """Runs cases as a faulty engine lowers them."""

    def __init__(self, faulty: Faulty, folder: pathlib.Path) -> None:
        self._faulty, self._folder = faulty, folder

    def _ran(self, case: elisions.Case, lowered: tuple[object, ...], fault: str) -> str:
        compiled = []
        for number, one in enumerate(lowered):
            if not isinstance(one, str):
                return str(one)
            ir = self._folder / f"{case.name}.{fault or 'none'}.{number}.ll"
            ir.write_text(one)
            compiled.append(harness.compile_ir(ir, ir.with_suffix(".o"), f"-{LEVEL}"))
        program = self._folder / f"{case.name}.{fault or 'none'}.out"
        try:
            run = elisions.run(harness.link([*compiled, elisions.outside(self._folder)], program))
        except harness.StepFailed as failed:
            return failed.args[0] if failed.args else "timeout"
        return f"ends with {run.status}, {run.frames} frames on the heap, {run.freed} given back, prints {run.output!r}"

    def _lowered(self, case: elisions.Case, faults: list[str]) -> list[tuple[object, ...]]:
        """Return the modules of the case without a fault, then with each fault. The publishing module is lowered first."""
        ir = elisions.presplit(case, self._folder, LEVEL)
        if not case.apart:
            return [(one,) for one in self._faulty.lower([(Sample(ir.read_text(), PASSES), faults)])[0]]
        publisher = Module(elisions.publisher_of(ir).read_text())
        summary.publish(publisher)
        published = self._faulty.lower([(Sample(str(publisher), PASSES), faults)])[0]
        told = [
            (self._told(ir.read_text(), one), [fault] if fault else []) for fault, one in zip(["", *faults], published, strict=True)
        ]
        return [(one, own[-1]) for one, own in zip(published, self._faulty.lower(told), strict=True)]

    def _told(self, ir: str, published: object) -> Sample:
        own = Module(ir)
        if isinstance(published, str):
            summary.import_summary(own, summary.summary(Module(published)))
        return Sample(str(own), PASSES)

    def shown(self, case: elisions.Case, faults: Iterable[str]) -> dict[str, str]:
        """Return the differences by the faults that the case finds."""
        some = list(faults)
        sane, *wrong = self._lowered(case, some)
        suspects = {fault: lowered for fault, lowered in zip(some, wrong, strict=True) if lowered != sane}
        right = self._ran(case, sane, "") if suspects else ""
        runs = {fault: self._ran(case, lowered, fault) for fault, lowered in suspects.items()}
        return {fault: f"{run}; without the fault it {right}" for fault, run in runs.items() if run != right}


def find(cases: Cases, chosen: Iterable[elisions.Case], faults: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield fault, case and difference, each fault once."""
    left = list(faults)
    for case in chosen:
        for fault, said in cases.shown(case, left).items() if left else ():
            left.remove(fault)
            yield fault, case.name, said


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("faults", nargs="*", metavar="FAULT")
    options.add_argument("--case", action="append", help="only by these")
    asked = options.parse_args()
    faults = asked.faults or planted_in_elision()
    chosen = sorted(elisions.cases(), key=lambda case: (not case.least, case.source.suffix == ".cpp"))  # traps first
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(Faulty(), pathlib.Path(folder))
        found = set()
        for fault, case, said in find(cases, [c for c in chosen if not asked.case or c.name in asked.case], faults):
            found.add(fault)
            print(f"{fault}: {case} {said}", flush=True)
    print(f"{len(found)} of {len(faults)} found; not: {', '.join(f for f in faults if f not in found) or 'none'}")
    return len(found) < len(faults)


if __name__ == "__main__":
    sys.exit(main())
