"""What a lowering did, and where two of them part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

from pycoro._escape import printable_lines

__all__ = [
    "Ending",
    "Event",
    "Run",
    "Verdict",
    "first_difference",
    "judged",
    "without_allocation",
    "without_frames",
    "without_unseen",
]

Event = tuple[Any, ...]
Ending = Literal["finished", "rejected", "broken", "crashed", "timeout", "stopped", "unsupported", "undefined", "failed"]
"""How a run ended: see `Run.how`.

>>> import typing
>>> from pycoro import oracle
>>> "timeout" in typing.get_args(oracle.Ending)
True
"""
_CUT_SHORT = ("stopped", "unsupported", "failed")
"""Endings that say nothing of the program: how it would have gone on is not known."""
_BLOCK = re.compile(r"block \d+")
_NAMES = ("pycoro's lowering", "LLVM's lowering")


@dataclass(frozen=True, slots=True)
class Run:
    """What one lowering did.

    >>> from pycoro import oracle
    >>> with oracle.Oracle() as runs:
    ...     run = runs.run(pycoro.examples.COUNTER, ("promise", "destroy"), ramp="counter", args=(3, 6), promise="i32")
    >>> run.how, run.events[:3]
    ('finished', (('allocate', 'malloc', 'block 0'), ('started', 'block 0'), ('promise', 3)))
    """

    how: Ending
    """``finished``; ``rejected`` by the lowering; ``broken``: it gave IR that cannot be compiled; ``crashed``;
    ``timeout``; ``stopped`` after too many events; ``unsupported``: this program cannot be executed; ``undefined``: it
    does what has no meaning, by the interpreter's word; ``failed``: the oracle did."""
    why: str
    """More about it: the signal, or what was said."""
    events: tuple[Event, ...]
    """What happened, in order: ``("call", "print", 4)``, ``("free", "free", "block 0")``, ``("done", True)``."""

    @property
    def began(self) -> bool:
        """Whether anything was executed, however it ended."""
        return bool(self.events) or self.how in ("finished", "undefined") or self.why.endswith("while it ran")

    @property
    def refused(self) -> tuple[str, ...]:
        """The steps of the schedule that were not done, since the coroutine's state forbids them."""
        return tuple(str(event[1]) for event in self.events if event[0] == "refused")

    @property
    def faults(self) -> tuple[Event, ...]:
        """The events that are wrong whatever another lowering does: stray writes, and frees of what is not there."""
        return tuple(event for event in self.events if event[0] == "stray write" or _bad_free(event))

    def __str__(self) -> str:
        lines = [" ".join(map(str, event)) for event in self.events]
        return printable_lines("\n".join([*lines, f"{self.how}: {self.why}" if self.why else self.how]))


def _bad_free(event: Event) -> bool:
    return event[0] == "free" and bool(event[2] == "what was not allocated" or event[2].endswith("a second time"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two lowerings do the same.

    >>> from pycoro import oracle
    >>> verdict = oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), reference="interpreter")
    >>> verdict.equal, verdict.executed, verdict.ours.events
    (True, True, (('allocate', 'malloc', 'block 0'), ('free', 'free', 'block 0'), ('returned', 6), ('left',)))
    """

    ours: Run
    theirs: Run
    difference: str
    """The first difference, in one sentence; empty where there is none."""
    third: Run | None = None
    """Where there is a difference: what the interpreter does, which lowers nothing."""
    agrees: str = ""
    """Which of the two it does the same as, ``"LLVM's lowering"`` say, or ``"neither"``; empty where it cannot tell."""

    @property
    def equal(self) -> bool:
        """Whether both were executed, to the end or to as many events as are enough, and did the same."""
        return not (self.difference or self.undecided)

    @property
    def executed(self) -> bool:
        """Whether both ran to the end of the schedule."""
        return self.ours.how == self.theirs.how == "finished"

    @property
    def events(self) -> tuple[int, int]:
        """How many events each of them executed."""
        return len(self.ours.events), len(self.theirs.events)

    @property
    def undecided(self) -> str:
        """Why nothing is known though no difference was seen: what was not run to an end was not compared. Else empty."""
        if self.difference:
            return ""
        sides = (self.ours, self.theirs)
        if not all(run.began for run in sides):
            neither = not any(run.began for run in sides)
            return f"{'neither' if neither else 'only one'} of them was run: {_ending(next(r for r in sides if not r.began))}"
        ended = next((run for run in sides if run.how not in ("finished", "stopped")), None)
        if ended:
            return f"{'both' if self.ours.how == self.theirs.how else 'one of them'} {_ending(ended)}{_after(self.events)}"
        if not all(run.how == "finished" or _tells(run) for run in sides):
            return f"until they were stopped they did nothing but allocate and free{_after(self.events)}"
        return ""

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.difference:
            return printable_lines(f"{self.difference}{self._opinion()}")
        if self.undecided:
            return printable_lines(f"not compared: {self.undecided}")
        ours, theirs = self.events
        count = f"{ours}" if ours == theirs else f"{ours} and {theirs}"
        refused = f", of which {len(self.ours.refused)} refuse a step" if self.ours.refused else ""
        wrong = f"; both are wrong: {_event(self.ours.faults[0])}" if self.ours.faults else ""
        return f"the same: {count} events{refused}, {self.ours.how}{wrong}"

    def _opinion(self) -> str:
        if self.third is None:
            return ""
        if not self.agrees:
            return f"; the interpreter cannot tell: {_ending(self.third)}"
        return f"; the interpreter agrees with {self.agrees}"


def _after(events: tuple[int, int]) -> str:
    """``, after 3 events``."""
    few, many = sorted(events)
    return f", after {few} events" if few == many else f", after {few} and {many} events"


def _tells(run: Run) -> bool:
    """Whether it shows more than what it allocates and frees, which may not count."""
    return any(event[0] not in ("allocate", "free") for event in run.events)


def without_allocation(run: Run) -> Run:
    """The run without what is allocated and freed, and without names of blocks; that something is left stays, and what is
    freed a second time, or was never allocated."""
    events = (event for event in run.events if event[0] not in ("allocate", "free") or _bad_free(event))
    named = (event[:2] if event[0] == "left" else event for event in events)
    blocks = (tuple(_unnamed(word) for word in event) for event in named)
    return Run(run.how, run.why, tuple(blocks))


def _unnamed(word: Any) -> Any:
    return f"pointer{' a second time' * word.endswith(' a second time')}" if str(word).startswith("block ") else word


def without_frames(run: Run, functions: frozenset[str]) -> Run:
    """The run without what the functions allocate and free, where each block is freed by one of them and once. What is left or
    used after all is told as a frame."""
    frames = [event[2] for event in run.events if event[0] == "allocate" and event[1] in functions]
    return _without(run, frames, lambda event: event[0] == "allocate" or event[1] in functions)


def without_unseen(run: Run) -> Run:
    """The run without the blocks that are allocated and freed, and that no other event tells of: LLVM leaves such a pair out
    where it knows the functions. A run that is cut short may end in between."""
    told = Counter(block for event in run.events for block in {*_BLOCK.findall(" ".join(map(str, event)))})
    freed = {event[2] for event in run.events if event[0] == "free"}
    may_be_kept = run.how in _CUT_SHORT
    unseen = [block for block, events in told.items() if (events == 2 and block in freed) or (events == 1 and may_be_kept)]
    return _without(run, unseen, lambda event: True)


def _without(run: Run, blocks: Collection[str], owned: Callable[[Event], bool]) -> Run:
    """The run without how these blocks are allocated and freed, as far as that is their owner's doing. Else they are told as
    frames, and the other blocks have the numbers that they would have alone."""
    events = [event for event in run.events if not (event[0] in ("allocate", "free") and event[2] in blocks and owned(event))]
    others = [event[2] for event in run.events if event[0] == "allocate" and event[2] not in blocks]
    names = dict.fromkeys(blocks, "frame") | {block: f"block {number}" for number, block in enumerate(others)}

    def renamed(word: Any) -> Any:
        return _BLOCK.sub(lambda found: names.get(found[0], found[0]), word) if isinstance(word, str) else word

    return Run(run.how, run.why, tuple(tuple(map(renamed, event)) for event in events))


def first_difference(
    ours: Run, theirs: Run, *, allocation: bool | frozenset[str] = True, unseen: bool = True, names: tuple[str, str] = _NAMES
) -> str:
    """Where two runs part, in one sentence; empty where they do not. ``names`` are what the sentence calls them. Allocations
    count, or do not, or all do but those by the functions of these names; those too that nobody sees, or not.

    >>> from pycoro import oracle
    >>> told = [oracle.Run("finished", "", (("call", "print", number),)) for number in (1, 2)]
    >>> oracle.first_difference(*told, names=("mine", "yours"))
    'event 1 is `call print 1` in mine, `call print 2` in yours'
    """
    if allocation and not unseen:
        ours, theirs = without_unseen(ours), without_unseen(theirs)
    if isinstance(allocation, frozenset):
        ours, theirs = without_frames(ours, allocation), without_frames(theirs, allocation)
    elif not allocation:
        ours, theirs = without_allocation(ours), without_allocation(theirs)
    us, them = names
    for number, (mine, yours) in enumerate(zip(ours.events, theirs.events, strict=False), 1):
        if mine != yours:
            return f"event {number} is {_event(mine)} in {us}, {_event(yours)} in {them}"
    first, other = sorted((ours, theirs), key=lambda run: (len(run.events), run.how not in _CUT_SHORT))
    if first.how in _CUT_SHORT:
        return ""
    count = len(first.events)
    if len(ours.events) != len(theirs.events):
        more = us if other is ours else them
        last = f", which {first.how}: {first.why}" if first.how != other.how else ""
        return f"event {count + 1}, {_event(other.events[count])}, is only in {more}; the other ends{last}"
    if ours.how != theirs.how:
        return f"{us} {_ending(ours)}, {them} {_ending(theirs)}, after {count} equal events"
    return ""


def judged(
    verdict: Verdict, third: Run, *, allocation: bool | frozenset[str] = True, unseen: bool = True, names: tuple[str, str] = _NAMES
) -> Verdict:
    """The verdict with a third opinion. A run that does not come to its end is none, and says so.

    The interpreter has no frames: where a continuation's is allocated or not, it is right without the allocations, too.
    """
    agrees = ""
    for exactly in (allocation, False) if third.how == "finished" else ():
        same = [not first_difference(run, third, allocation=exactly, unseen=unseen) for run in (verdict.ours, verdict.theirs)]
        agrees = "neither" if same[0] == same[1] else names[0] if same[0] else names[1]
        if agrees != "neither":
            break
    return replace(verdict, third=third, agrees=agrees)


def _event(event: Event) -> str:
    return f"`{' '.join(map(str, event))}`"


def _ending(run: Run) -> str:
    return f"{run.how} ({run.why.splitlines()[0]})" if run.why else run.how
