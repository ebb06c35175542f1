"""Cleanups as frontends print them: shared by the exits of all suspends, with a selector that chooses the successor, and with
or without a copy for exceptions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pycoro.strategies.choices import Choices
from pycoro.strategies.plain import Plain

if TYPE_CHECKING:
    from pycoro.strategies.writer import Writer

__all__ = ["COUNTED", "PREDICATES", "Act", "Ends", "draw_cleanups", "print_acts_of_cleanup", "print_branch_after_cleanup"]

Act: TypeAlias = tuple[str, str, int, int, int]
COUNTED = ("i8", "i16", "i32")
PREDICATES = ("eq", "ne", "ult", "sgt")
ROOM = (0x0302010007060504, 0x0B0A09080F0E0D0C)


@dataclass(frozen=True, slots=True, repr=False)
class Ends(Plain):
    """Contents of the cleanups. An act is an opcode, an operand and three numbers:

    - ``tell i32 n``
    - ``ask predicate k n m``: reports n if the first i32 of the alloca compares so with its initial value
      plus k - 1, else m
    - ``look type n``: reports the i32 at the address of the n-th value of the type in the alloca
    - ``number``: reports the selector

    >>> from pycoro import strategies as s
    >>> ends = s.model.Ends((("tell", "i32", 7, 0, 0),), (("tell", "i32", 8, 0, 0),))
    >>> f = s.model.Coroutine("f", (s.model.Suspend("%s1"), s.model.Invoke("%v1", "7")), ends=ends)
    >>> [line.strip() for line in s.module([s.Program((f,))]).splitlines() if "i32 8)" in line]
    ['call void @report_i32(i32 8)']
    """

    acts: tuple[Act, ...]
    copy: tuple[Act, ...] | None = None
    """Cleanup for exceptions; None shares the one cleanup, entered with the third selector."""
    numbers: tuple[int, int, int] = (0, 1, 2)
    """Selectors for destruction at ordinary suspends, at the final one, and for exceptions. Only the first two may be equal."""
    default: int = 0
    """Index of the selector that the switch reaches by default."""
    compared: str = ""
    """Predicate ``eq`` or ``ne`` of a branch that replaces the switch, if there is one cleanup."""
    behind: str = ""
    """Name of an i32 that is reported after the cleanup of a destroyed coroutine."""
    lost: bool = False
    """True if a value is reported after the cleanup of an exception."""
    kept: bool = False
    """True if allocas hold the exception during the cleanup. Needs two cleanups: the frame that a shared one frees may contain
    the allocas.
    """


def _draw_act(choices: Choices) -> Act:
    word = choices.pick(("tell", "tell", "ask", "look", "number"))
    kind = {"ask": PREDICATES, "look": COUNTED}.get(word, ("i32",))
    return (word, choices.pick(kind), choices.integer(0, 3), choices.integer(0, 3), choices.integer(0, 3))


def _changed_act(choices: Choices, act: Act) -> Act:
    """Return the act with one change."""
    word, kind, *numbers = act
    kinds = {"ask": PREDICATES, "look": COUNTED}.get(word, ())
    if kinds and choices.chance(1, 2):
        return (word, choices.pick(tuple(other for other in kinds if other != kind)), numbers[0], numbers[1], numbers[2])
    at = choices.integer(0, 2) if word == "ask" else 0
    numbers[at] = (numbers[at] + choices.integer(1, 3)) % 4
    return (word, kind, numbers[0], numbers[1], numbers[2])


def draw_cleanups(choices: Choices, behind: str) -> Ends:
    """Draw cleanups; an i32 named by ``behind`` may be reported after a cleanup without exceptions."""
    acts = tuple(_draw_act(choices) for _ in range(choices.integer(0, 3)))
    first, final = choices.pick(((0, 1), (1, 0), (0, 0), (2, 2), (1, 2)))
    made = Ends(acts, None, (first, final, 3), choices.integer(0, 1), lost=choices.chance(1, 3), kept=choices.chance(3, 4))
    made = replace(made, behind=choices.pick(("", "7")))
    if choices.chance(1, 3):
        return replace(made, kept=False, compared=choices.pick(("", "eq", "ne")), default=choices.integer(0, 2))
    copy = tuple(("tell", "i32", 3, 0, 0) if act[0] == "number" else act for act in acts)
    if acts and choices.chance(1, 2):
        at = choices.integer(0, len(acts) - 1)
        copy = (*copy[:at], _changed_act(choices, copy[at]), *copy[at + 1 :])
    return replace(made, copy=copy, behind=behind if choices.chance(1, 3) else made.behind)


def print_acts_of_cleanup(w: Writer, acts: tuple[Act, ...]) -> None:
    """Print the acts of a cleanup; ``%ends.room`` is the alloca, ``%ends.leads`` the selector."""
    for word, kind, *numbers in acts:
        n = w.fresh_number()
        if word == "tell":
            w.report("i32", str(numbers[0]))
        elif word == "number":
            w.report("i32", "%ends.leads")
        elif word == "look":
            place = w.add_result("place", f"getelementptr {kind}, ptr %ends.room, i64 {numbers[0]}")
            w.report("i32", w.add_result("seen", f"load i32, ptr {place}, align 1"))
        else:
            held = w.add_result("held", "load i32, ptr %ends.room, align 1")
            asked = w.add_result("asked", f"icmp {kind} i32 {held}, {ROOM[0] % 2**32 + numbers[0] - 1}")
            w.add_line(f"br i1 {asked}, label %ends.yes{n}, label %ends.no{n}")
            for way, number in (("yes", numbers[1]), ("no", numbers[2])):
                w.begin_block(f"ends.{way}{n}")
                w.report("i32", str(number))
                w.add_line(f"br label %ends.told{n}")
            w.begin_block(f"ends.told{n}")


def print_branch_after_cleanup(w: Writer, ends: Ends, blocks_after: tuple[str, str, str]) -> None:
    """Print the branch to one of the blocks after the cleanup."""
    led = dict(zip(ends.numbers, blocks_after, strict=True))
    if ends.copy is not None:
        del led[ends.numbers[2]]
    elif ends.compared:
        lost, out = blocks_after[2], blocks_after[0]
        one, other = (lost, out) if ends.compared == "eq" else (out, lost)
        is_lost = w.add_result("lost", f"icmp {ends.compared} i32 %ends.leads, {ends.numbers[2]}")
        w.add_line(f"br i1 {is_lost}, label %{one}, label %{other}")
        return
    default = led.pop(ends.numbers[ends.default], "never.led")
    cases = " ".join(f"i32 {number}, label %{way}" for number, way in led.items())
    w.add_line(f"switch i32 %ends.leads, label %{default} [ {cases} ]")
    if default == "never.led":
        w.begin_block(default)
        w.add_line("unreachable")
