"""Where two lowerings differ, the interpreter says who is wrong: it lowers nothing, and shares no code with either."""

from __future__ import annotations

from dataclasses import replace

from pycoro.fuzz.shard import Failure
from pycoro.oracle import Interpreted, Oracle, Passes, Run, first_difference, reference

__all__ = ["BLAME", "judged"]

BLAME = {
    "ours": "pycoro is wrong, by the interpreter's word",
    "theirs": "the reference is wrong, by the interpreter's word",
    "both": "both are wrong, by the interpreter's word",
    "program": "the program does what is undefined, by the interpreter's word",
    "": "the interpreter does not know",
}
"""What is said of a failure's blame."""


def _same(run: Run, word: Run) -> bool:
    """Whether they did the same, as far as a caller can see: what is allocated is for each lowering to choose."""
    return not first_difference(run, word, allocation=False)


def _blame(oracle: Oracle, failure: Failure) -> str:
    case = [failure.case]
    word = Interpreted().runs(oracle, case, live=True)[0][0]
    if word.how == "undefined" or word.faults:
        return "program"
    if word.how != "finished":
        return ""
    sides = (Passes(failure.passes), reference(failure.reference, failure.passes))
    ours, theirs = (_same(side.runs(oracle, case, live=True)[0][0], word) for side in sides)
    if ours and theirs:
        return ""
    return "theirs" if ours else "ours" if theirs else "both"


def judged(oracle: Oracle, failure: Failure) -> Failure:
    """The failure with who is to blame: a key of `BLAME`."""
    return replace(failure, blame=_blame(oracle, failure))
