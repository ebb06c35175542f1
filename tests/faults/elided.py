"""Faults that are planted in elision, looked for with the cases of tests/elision: one is found where a case that is lowered with
it at `default<O2>` prints something else, ends otherwise, or has other frames on the heap than without.

    python tests/faults/elided.py                        all faults of what elision is made of, by all cases
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

sys.path[:0] = [str(ROOT / "tests" / "real"), str(ROOT / "tests" / "elision")]
import coroharness as harness  # noqa: E402
import elisions  # noqa: E402

LEVEL = "O2"
MADE_OF = ("callee", "elide", "elide_call", "jumping", "latch", "leaving", "parts", "ramp", "rounds", "start", "trace", "walk")
"""The rooms of elision, by how their files in csrc/pass and csrc/pipeline begin."""


def planted_in_elision() -> list[str]:
    return [
        f.name
        for f in table().values()
        if pathlib.Path(f.file).parts[1] in ("pass", "pipeline") and pathlib.Path(f.file).stem.startswith(MADE_OF)
    ]


class Cases:
    """Runs cases as a faulty engine lowers them."""

    def __init__(self, faulty: Faulty, folder: pathlib.Path) -> None:
        self._faulty, self._folder = faulty, folder

    def _ran(self, case: elisions.Case, lowered: object, fault: str) -> str:
        if not isinstance(lowered, str):
            return str(lowered)
        ir = self._folder / f"{case.name}.{fault or 'none'}.ll"
        ir.write_text(lowered)
        compiled = harness.compile_ir(ir, ir.with_suffix(".o"), f"-{LEVEL}")
        try:
            run = elisions.run(harness.link([compiled, elisions.outside(self._folder)], ir.with_suffix(".out")))
        except harness.StepFailed as failed:
            return failed.args[0] if failed.args else "timeout"
        return f"ends with {run.status}, {run.frames} frames on the heap, {run.freed} given back, prints {run.output!r}"

    def shown(self, case: elisions.Case, faults: Iterable[str]) -> dict[str, str]:
        """What is otherwise, by the faults that the case shows."""
        some = list(faults)
        text = elisions.presplit(case, self._folder, LEVEL).read_text()
        sane, *wrong = self._faulty.lower([(Sample(text, f"default<{LEVEL}>"), some)])[0]
        suspects = {fault: lowered for fault, lowered in zip(some, wrong, strict=True) if lowered != sane}
        right = self._ran(case, sane, "") if suspects else ""
        runs = {fault: self._ran(case, lowered, fault) for fault, lowered in suspects.items()}
        return {fault: f"{run}; without the fault it {right}" for fault, run in runs.items() if run != right}


def find(cases: Cases, chosen: Iterable[elisions.Case], faults: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Fault, case, and what is otherwise; each fault once."""
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
