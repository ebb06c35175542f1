"""Whether a fault shows in a program: the engine's lowering with it does otherwise than LLVM's, and the one without does not.
Where LLVM's is wrong as well, the interpreter stands in for it.

A program counts only where the interpreter, which lowers nothing, comes to its end and does the same as well: what is
undefined is nobody's fault. A program that was drawn means something: where the judge does not accept it without a fault, the
judge is wrong itself, and says so instead of finding nothing.
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
"""What the oracle says, by fault."""


class JudgeError(Exception):
    """The judge does not accept a program that has no fault in it: what it says of others is worth nothing."""


class Judge:
    """Judges many programs at a time. What costs most is running: only what was lowered otherwise is run."""

    def __init__(self, faulty: Faulty, both: oracle.Oracle) -> None:
        self._faulty = faulty
        self._both = both

    def _run(self, way: oracle.Lowering, texts: Sequence[str]) -> list[Run]:
        """What the texts do, many in a module but each run in a process of its own."""
        cases = [oracle.Case(text, ramp=RAMP) for text in texts]
        limits = {"timeout": SECONDS, "steps": STEPS}
        return [runs[0] for runs in self._both.execute(way, cases, live=True, most=64, limits=limits)] if cases else []

    def _runs(self, lowered: Sequence[Lowered]) -> list[Run]:
        """The same for what may not have been lowered."""
        runs = iter(self._run(oracle.Passes(""), [text for text in lowered if isinstance(text, str)]))
        return [next(runs) if isinstance(one, str) else one for one in lowered]

    def _interpreted(self, samples: Sequence[Sample], lowered: Sequence[Sequence[Lowered]]) -> dict[int, Run]:
        """What those do that were lowered otherwise with a fault than without, or not at all."""
        judged = [n for n, (sane, *wrongs) in enumerate(lowered) if not isinstance(sane, str) or set(wrongs) != {sane}]
        return dict(zip(judged, self._run(oracle.Interpreted(), [samples[n].ir for n in judged]), strict=True))

    def _theirs(self, samples: Sequence[Sample], numbers: Sequence[int]) -> dict[int, Run]:
        """What some of the samples do as LLVM lowers them."""
        theirs: dict[int, Run] = {}
        for passes in dict.fromkeys(samples[n].passes for n in numbers):
            some = [n for n in dict.fromkeys(numbers) if samples[n].passes == passes]
            theirs |= zip(some, self._run(oracle.LLVM(passes), [samples[n].ir for n in some]), strict=True)
        return theirs

    def shown(self, asked: Sequence[tuple[Sample, Sequence[str]]], *, believing: bool = False, drawn: bool = False) -> list[Shown]:
        """Which of the faults that are asked for the oracle finds by each of the samples. Who is ``believing`` spares LLVM the
        work, and takes it that its lowering does what the engine's does without a fault. Samples that were ``drawn``, and not
        shrunk, must be accepted without a fault: else JudgeError."""
        samples = [sample for sample, _ in asked]
        lowered = self._faulty.lower(asked)
        interpreted = self._interpreted(samples, lowered)
        meant = [n for n, run in interpreted.items() if run.how == "finished"]
        wrong = [(n, f, run) for n in meant for f, run in zip(asked[n][1], lowered[n][1:], strict=True) if run != lowered[n][0]]
        runs = self._runs([*(lowered[n][0] for n in meant), *(text for _, _, text in wrong)])
        ideal = {n: run for n, run in zip(meant, runs, strict=False) if _alike(run, interpreted[n])}
        odd = [n for n, run in interpreted.items() if n not in ideal and run.how != "stopped"]  # which is: it does too much
        if drawn and (refused := next(iter(odd), None)) is not None:
            sane = dict(zip(meant, runs, strict=False)).get(refused, lowered[refused][0])
            raise JudgeError(_refusal(samples[refused], sane, interpreted[refused]))
        ours = zip(wrong, runs[len(meant) :], strict=True)
        differ = [(n, fault, run) for (n, fault, _), run in ours if n in ideal and run != ideal[n]]
        theirs = ideal if believing else self._theirs(samples, [n for n, _, _ in differ])
        shown: list[Shown] = [{} for _ in samples]
        for n, fault, run in differ:
            said = _said(run, ideal[n], theirs[n], alone=bool(samples[n].abi) or samples[n].passes in KEEPING)
            if said:
                shown[n][fault] = said
        return shown

    def shows(self, sample: Sample, fault: str) -> str:
        """What the oracle says of one, or nothing."""
        return self.shown([(sample, [fault])])[0].get(fault, "")


def _refusal(sample: Sample, sane: Lowered, interpreted: Run) -> str:
    """Why the sample is not accepted without a fault."""
    lowered = sane if isinstance(sane, Run) else "lowered, and not run"
    head = "without a fault, pycoro's lowering and the interpreter must both finish, and do the same"
    return f"{head}.\n\nThe lowering: {lowered}\n\nThe interpreter: {interpreted}\n\n; passes: {sample.passes}\n{sample.ir}"


def _said(run: Run, ideal: Run, theirs: Run, alone: bool) -> str:
    """What the oracle says of a run. Where LLVM's lowering is wrong itself, it has the interpreter's word, and that does not
    know what a lowering allocates. Nor does LLVM's know what an ABI does, or which frames of callers pycoro elides: such a
    sample is ``alone``, and held to the lowering without a fault."""
    if alone:
        agreed = not oracle.first_difference(ideal, theirs, allocation=False)
        return oracle.first_difference(run, ideal, names=("the lowering", "the one without a fault")) if agreed else ""
    if not oracle.first_difference(ideal, theirs):
        return oracle.first_difference(run, theirs)
    return oracle.first_difference(run, ideal, allocation=False, names=("pycoro's lowering", "the interpreter"))


def _alike(lowered: Run, interpreted: Run) -> bool:
    """Whether the interpreter does the same, for which frames are not on any stack."""
    runs = (Run(run.how, run.why, tuple(e for e in run.events if e[0] != "left")) for run in (lowered, interpreted))
    return not oracle.first_difference(*runs, allocation=False)
