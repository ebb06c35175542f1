"""Events of a run, and the comparison of two runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

from pycoro._escape import printable_lines
from pycoro._typecheck import takes

__all__ = [
    "Ending",
    "Event",
    "Run",
    "Verdict",
    "first_difference",
    "with_interpreter_run",
    "without_allocations_and_block_names",
    "without_blocks_only_allocated_and_freed",
    "without_frame_allocations",
]

Event = tuple[Any, ...]
Ending = Literal["finished", "rejected", "broken", "crashed", "timeout", "stopped", "unsupported", "undefined", "failed"]
"""Ending of a run: see `Run.how`.

>>> import typing
>>> from pycoro import oracle
>>> "timeout" in typing.get_args(oracle.Ending)
True
"""
_CUT_SHORT = ("stopped", "unsupported", "failed")
"""Endings that are inconclusive, because the rest of the run is unknown."""
_BLOCK = re.compile(r"block \d+")
_NAMES = ("pycoro's lowering", "LLVM's lowering")


@dataclass(frozen=True, slots=True)
class Run:
    """Behavior of one lowering.

    >>> from pycoro import oracle
    >>> with oracle.Oracle() as runs:
    ...     run = runs.run(pycoro.examples.COUNTER, ("promise", "destroy"), ramp="counter", args=(3, 6), promise="i32")
    >>> run.how, run.events[:3]
    ('finished', (('allocate', 'malloc', 'block 0'), ('started', 'block 0'), ('promise', 3)))
    """

    how: Ending
    """``finished``; ``rejected`` by the lowering; ``broken``: the lowered IR cannot be compiled; ``crashed``; ``timeout``;
    ``stopped`` at the event limit; ``unsupported``: the oracle cannot execute this program; ``undefined`` behavior, found
    by the interpreter; ``failed``: an error of the oracle.
    """
    why: str
    """Details, such as the signal or the error message."""
    events: tuple[Event, ...]
    """Events in order: ``("call", "print", 4)``, ``("free", "free", "block 0")``, ``("done", True)``."""

    @property
    def began(self) -> bool:
        """True if anything was executed."""
        return bool(self.events) or self.how in ("finished", "undefined") or self.why.endswith("while it ran")

    @property
    def skipped_steps(self) -> tuple[str, ...]:
        """Skipped steps of the schedule, which the state of the coroutine forbids."""
        return tuple(str(event[1]) for event in self.events if event[0] == "skipped")

    @property
    def faults(self) -> tuple[Event, ...]:
        """Events that are always wrong: stray writes, and invalid frees."""
        return tuple(event for event in self.events if event[0] == "stray write" or _is_bad_free(event))

    def __str__(self) -> str:
        lines = [" ".join(map(str, event)) for event in self.events]
        return printable_lines("\n".join([*lines, f"{self.how}: {self.why}" if self.why else self.how]))


def _is_bad_free(event: Event) -> bool:
    return event[0] == "free" and bool(event[2] == "what was not allocated" or event[2].endswith("a second time"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of comparing two lowerings on a schedule.

    >>> from pycoro import oracle
    >>> verdict = oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), reference="interpreter")
    >>> verdict.equal, verdict.executed, verdict.ours.events
    (True, True, (('allocate', 'malloc', 'block 0'), ('free', 'free', 'block 0'), ('returned', 6), ('left',)))
    """

    ours: Run
    theirs: Run
    difference: str
    """First difference, as one sentence; empty if there is none."""
    interpreted: Run | None = None
    """Run of the interpreter without any lowering, if there is a difference."""
    agrees: str = ""
    """The side that the interpreter agrees with, such as ``"LLVM's lowering"``, or ``"neither"``; empty if unknown."""

    @property
    def equal(self) -> bool:
        """True if both ran to the end or to the event limit, and behaved equally."""
        return not (self.difference or self.undecided)

    @property
    def executed(self) -> bool:
        """True if both ran to the end of the schedule."""
        return self.ours.how == self.theirs.how == "finished"

    @property
    def events(self) -> tuple[int, int]:
        """Numbers of events of both sides."""
        return len(self.ours.events), len(self.theirs.events)

    @property
    def undecided(self) -> str:
        """Reason why a comparison without a difference is inconclusive, such as an unfinished run; otherwise empty."""
        if self.difference:
            return ""
        sides = (self.ours, self.theirs)
        if not all(run.began for run in sides):
            neither = not any(run.began for run in sides)
            return f"{'neither' if neither else 'only one'} of them was run: {_ending_text(next(r for r in sides if not r.began))}"
        ended = next((run for run in sides if run.how not in ("finished", "stopped")), None)
        if ended:
            return (
                f"{'both' if self.ours.how == self.theirs.how else 'one of them'} {_ending_text(ended)}{_after_events(self.events)}"
            )
        if not all(run.how == "finished" or _has_events_other_than_allocations(run) for run in sides):
            return f"both only allocated and freed memory until the event limit{_after_events(self.events)}"
        return ""

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.difference:
            return printable_lines(f"{self.difference}{self._describe_interpreted_run()}")
        if self.undecided:
            return printable_lines(f"not compared: {self.undecided}")
        ours, theirs = self.events
        count = f"{ours}" if ours == theirs else f"{ours} and {theirs}"
        skipped = f", {len(self.ours.skipped_steps)} of them skipped steps" if self.ours.skipped_steps else ""
        bug = f"; both have the bug {_event_text(self.ours.faults[0])}" if self.ours.faults else ""
        return f"equal: {count} events{skipped}, {self.ours.how}{bug}"

    def __repr__(self) -> str:
        return f"<Verdict {' '.join(str(self).split())}>"

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        return views.bundle({"text/plain": str, "text/html": tables.verdict_html}, self, include, exclude)

    def _describe_interpreted_run(self) -> str:
        if self.interpreted is None:
            return ""
        if not self.agrees:
            return f"; the interpreter is undecided: {_ending_text(self.interpreted)}"
        return f"; the interpreter agrees with {self.agrees}"


def _after_events(events: tuple[int, int]) -> str:
    """Return ``, after 3 events``."""
    few, many = sorted(events)
    return f", after {few} events" if few == many else f", after {few} and {many} events"


def _has_events_other_than_allocations(run: Run) -> bool:
    """Return True if the run has events other than allocations and deallocations."""
    return any(event[0] not in ("allocate", "free") for event in run.events)


def without_allocations_and_block_names(run: Run) -> Run:
    """Return the run without allocations and block names. Leaks and invalid frees remain."""
    events = (event for event in run.events if event[0] not in ("allocate", "free") or _is_bad_free(event))
    named = (event[:2] if event[0] == "left" else event for event in events)
    blocks = (tuple(_pointer_if_block_name(word) for word in event) for event in named)
    return Run(run.how, run.why, tuple(blocks))


def _pointer_if_block_name(word: Any) -> Any:
    return f"pointer{' a second time' * word.endswith(' a second time')}" if str(word).startswith("block ") else word


def without_frame_allocations(run: Run, allocators: frozenset[str]) -> Run:
    """Return the run without the allocations by these functions, and without their frees of those blocks. Remaining events call
    such a block a frame.
    """
    frames = [event[2] for event in run.events if event[0] == "allocate" and event[1] in allocators]
    return _without_block_allocations_renumbered(run, frames, lambda event: event[0] == "allocate" or event[1] in allocators)


def without_blocks_only_allocated_and_freed(run: Run) -> Run:
    """Return the run without blocks that only their allocation and deallocation mention. LLVM removes such pairs for known
    functions. An interrupted run may end in between.
    """
    event_counts = Counter(block for event in run.events for block in {*_BLOCK.findall(" ".join(map(str, event)))})
    freed = {event[2] for event in run.events if event[0] == "free"}
    may_be_kept = run.how in _CUT_SHORT
    unseen = [block for block, events in event_counts.items() if (events == 2 and block in freed) or (events == 1 and may_be_kept)]
    return _without_block_allocations_renumbered(run, unseen, lambda event: True)


def _without_block_allocations_renumbered(run: Run, blocks: Collection[str], owned: Callable[[Event], bool]) -> Run:
    """Return the run without allocations of these blocks by their owner. Other events call them frames, and the remaining
    blocks are renumbered.
    """
    events = [event for event in run.events if not (event[0] in ("allocate", "free") and event[2] in blocks and owned(event))]
    others = [event[2] for event in run.events if event[0] == "allocate" and event[2] not in blocks]
    names = dict.fromkeys(blocks, "frame") | {block: f"block {number}" for number, block in enumerate(others)}

    def rename_blocks(word: Any) -> Any:
        return _BLOCK.sub(lambda found: names.get(found[0], found[0]), word) if isinstance(word, str) else word

    return Run(run.how, run.why, tuple(tuple(map(rename_blocks, event)) for event in events))


@takes(ours=Run, theirs=Run)
def first_difference(
    ours: Run, theirs: Run, *, allocation: bool | frozenset[str] = True, unseen: bool = True, names: tuple[str, str] = _NAMES
) -> str:
    """Return the first difference of two runs as one sentence; empty if there is none. ``names`` are the sides in the
    sentence. The other arguments exclude all allocations, those by named functions, or unobserved ones.

    >>> from pycoro import oracle
    >>> runs = [oracle.Run("finished", "", (("call", "print", number),)) for number in (1, 2)]
    >>> oracle.first_difference(*runs, names=("mine", "yours"))
    'event 1 is `call print 1` in mine, `call print 2` in yours'
    """
    if allocation and not unseen:
        ours, theirs = without_blocks_only_allocated_and_freed(ours), without_blocks_only_allocated_and_freed(theirs)
    if isinstance(allocation, frozenset):
        ours, theirs = without_frame_allocations(ours, allocation), without_frame_allocations(theirs, allocation)
    elif not allocation:
        ours, theirs = without_allocations_and_block_names(ours), without_allocations_and_block_names(theirs)
    us, them = names
    for number, (mine, yours) in enumerate(zip(ours.events, theirs.events, strict=False), 1):
        if mine != yours:
            return f"event {number} is {_event_text(mine)} in {us}, {_event_text(yours)} in {them}"
    first, other = sorted((ours, theirs), key=lambda run: (len(run.events), run.how not in _CUT_SHORT))
    if first.how in _CUT_SHORT:
        return ""
    count = len(first.events)
    if len(ours.events) != len(theirs.events):
        more = us if other is ours else them
        last = f" ({first.how}: {first.why})" if first.how != other.how else ""
        return f"event {count + 1}, {_event_text(other.events[count])}, is only in {more}; the shorter run ends{last}"
    if ours.how != theirs.how:
        return f"{us} {_ending_text(ours)}, {them} {_ending_text(theirs)}, after {count} equal events"
    return ""


def with_interpreter_run(
    verdict: Verdict, third: Run, *, allocation: bool | frozenset[str] = True, unseen: bool = True, names: tuple[str, str] = _NAMES
) -> Verdict:
    """Return the verdict with the interpreter's run. An unfinished run does not decide, and the verdict says so.

    The interpreter has no frames, so a match without frame allocations counts as agreement.
    """
    agrees = ""
    for exactly in (allocation, False) if third.how == "finished" else ():
        same = [not first_difference(run, third, allocation=exactly, unseen=unseen) for run in (verdict.ours, verdict.theirs)]
        agrees = "neither" if same[0] == same[1] else names[0] if same[0] else names[1]
        if agrees != "neither":
            break
    return replace(verdict, interpreted=third, agrees=agrees)


def _event_text(event: Event) -> str:
    return f"`{' '.join(map(str, event))}`"


def _ending_text(run: Run) -> str:
    return f"{run.how} ({run.why.splitlines()[0]})" if run.why else run.how
