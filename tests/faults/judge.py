"""Decides whether a program detects a fault: lowering with the fault differs from LLVM's lowering, and lowering without it
does not. If LLVM miscompiles, the interpreter replaces it.

A program counts only if the interpreter, which lowers nothing, completes and agrees, which excludes undefined behavior.
If the judge does not accept a drawn program without a fault, the judge itself is wrong and raises JudgeError.
"""

from __future__ import annotations

from collections.abc import Sequence

from drawn import KEEPING, Sample
from faulty import Faulty

from pycoro import oracle
from pycoro.oracle import Run

RAMP = "drive0"
SECONDS = 0.3  # of processor time for one run
STEPS = 1_000_000  # of the interpreter for one run

Lowered = Run | str
Shown = dict[str, str]
"""The oracle's verdict, by fault."""


class JudgeError(Exception):
    """The judge rejects a program without a fault, so its other verdicts are worthless."""


class Judge:
    """Judges many programs at a time. Runs dominate the cost, so only programs that are lowered differently run."""

    def __init__(self, faulty: Faulty, both: oracle.Oracle) -> None:
        self._faulty = faulty
        self._both = both

    def _run(self, way: oracle.Lowering, texts: Sequence[str]) -> list[Run]:
        """Run the texts in one module, each in a separate process."""
        cases = [oracle.Case(text, ramp=RAMP) for text in texts]
        limits = {"timeout": SECONDS, "steps": STEPS}
        return [runs[0] for runs in self._both.execute(way, cases, live=True, most=64, limits=limits)] if cases else []

    def _runs(self, lowered: Sequence[Lowered]) -> list[Run]:
        """Run the lowered programs; the others keep their failure."""
        runs = iter(self._run(oracle.Passes(""), [text for text in lowered if isinstance(text, str)]))
        return [next(runs) if isinstance(one, str) else one for one in lowered]

    def _interpreted(self, samples: Sequence[Sample], lowered: Sequence[Sequence[Lowered]]) -> dict[int, Run]:
        """Interpret the samples that a fault changes or breaks the lowering of."""
        judged = [n for n, (sane, *wrongs) in enumerate(lowered) if not isinstance(sane, str) or set(wrongs) != {sane}]
        return dict(zip(judged, self._run(oracle.Interpreted(), [samples[n].ir for n in judged]), strict=True))

    def _theirs(self, samples: Sequence[Sample], numbers: Sequence[int]) -> dict[int, Run]:
        """Run some of the samples as LLVM lowers them."""
        theirs: dict[int, Run] = {}
        for passes in dict.fromkeys(samples[n].passes for n in numbers):
            some = [n for n in dict.fromkeys(numbers) if samples[n].passes == passes]
            theirs |= zip(some, self._run(oracle.LLVM(passes), [samples[n].ir for n in some]), strict=True)
        return theirs

    def shown(self, asked: Sequence[tuple[Sample, Sequence[str]]], *, believing: bool = False, drawn: bool = False) -> list[Shown]:
        """Return the requested faults that the oracle detects by each sample. ``believing`` skips LLVM and assumes that it
        agrees with the correct engine. Samples that were ``drawn``, not shrunk, must be accepted without a fault:
        otherwise JudgeError."""
        samples = [sample for sample, _ in asked]
        lowered = self._faulty.lower(asked)
        interpreted = self._interpreted(samples, lowered)
        meant = [n for n, run in interpreted.items() if run.how == "finished"]
        wrong = [(n, f, run) for n in meant for f, run in zip(asked[n][1], lowered[n][1:], strict=True) if run != lowered[n][0]]
        runs = self._runs([*(lowered[n][0] for n in meant), *(text for _, _, text in wrong)])
        ideal = {n: run for n, run in zip(meant, runs, strict=False) if _agree(run, interpreted[n])}
        odd = [n for n, run in interpreted.items() if n not in ideal and run.how != "stopped"]  # which is: it does too much
        if drawn and (refused := next(iter(odd), None)) is not None:
            sane = dict(zip(meant, runs, strict=False)).get(refused, lowered[refused][0])
            raise JudgeError(_rejection_reason(samples[refused], sane, interpreted[refused]))
        ours = zip(wrong, runs[len(meant) :], strict=True)
        differ = [(n, fault, run) for (n, fault, _), run in ours if n in ideal and run != ideal[n]]
        theirs = ideal if believing else self._theirs(samples, [n for n, _, _ in differ])
        shown: list[Shown] = [{} for _ in samples]
        for n, fault, run in differ:
            said = _verdict(run, ideal[n], theirs[n], alone=bool(samples[n].abi) or samples[n].passes in KEEPING)
            if said:
                shown[n][fault] = said
        return shown

    def shows(self, sample: Sample, fault: str) -> str:
        """Return the verdict on one sample, empty if there is no difference."""
        return self.shown([(sample, [fault])])[0].get(fault, "")


def _rejection_reason(sample: Sample, sane: Lowered, interpreted: Run) -> str:
    """Return the reason to reject the sample without a fault."""
    lowered = sane if isinstance(sane, Run) else "lowered, and not run"
    head = "without a fault, pycoro's lowering and the interpreter must both finish, and do the same"
    return f"{head}.\n\nThe lowering: {lowered}\n\nThe interpreter: {interpreted}\n\n; passes: {sample.passes}\n{sample.ir}"


def _verdict(run: Run, ideal: Run, theirs: Run, alone: bool) -> str:
    """Return the oracle's verdict on a run. If LLVM's lowering is wrong, the interpreter replaces it and ignores
    allocations. LLVM ignores the effects of an ABI and pycoro's elision of callers' frames: such a sample is ``alone``,
    and compared with the lowering without a fault."""
    if alone:
        agreed = not oracle.first_difference(ideal, theirs, allocation=False)
        return oracle.first_difference(run, ideal, names=("the lowering", "the one without a fault")) if agreed else ""
    if not oracle.first_difference(ideal, theirs):
        return oracle.first_difference(run, theirs)
    return oracle.first_difference(run, ideal, allocation=False, names=("pycoro's lowering", "the interpreter"))


def _agree(lowered: Run, interpreted: Run) -> bool:
    """Return whether the interpreter agrees; it has no frames on stacks."""
    runs = (Run(run.how, run.why, tuple(e for e in run.events if e[0] != "left")) for run in (lowered, interpreted))
    return not oracle.first_difference(*runs, allocation=False)
