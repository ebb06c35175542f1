"""Rules for what a coroutine does after a suspend: ignored and impossible results, and resumes that are undefined behavior."""

from __future__ import annotations

from collections.abc import Iterator

from pycoro.ir.instruction import Instruction
from pycoro.lint.after_suspend import DESTROYED, RESUMED, SUSPENDED, outcome_of_suspend
from pycoro.lint.body import Body, arguments, constant_integer_or_none
from pycoro.lint.constants import as_signed
from pycoro.lint.rule import Found, rule

EFFECTS = ("store", "call", "invoke", "callbr", "atomicrmw", "cmpxchg", "fence")
"""Opcodes of instructions with effects that a program observes."""


def _ends_without_effects_after(body: Body, suspend: Instruction) -> bool:
    """Return whether the coroutine ends directly after a suspend, whatever its result."""
    outcome = outcome_of_suspend(body, suspend, SUSPENDED)
    return outcome.ended and not any(instruction.opcode in EFFECTS for instruction in outcome.done)


@rule("ignored-suspend", "error", "suspend whose result is not used")
def ignored_suspend_result(body: Body) -> Iterator[Found]:
    """A coroutine suspends by leaving its function on the path for the result -1. Without a branch on the result it continues
    after the suspend as if it had been resumed, and it does the same when it is destroyed. Switch on the result: the default
    destination is the block with the `llvm.coro.end` and the `ret`, 0 resumes, 1 cleans up. A suspend that only returns needs no
    branch."""
    if not body.is_switch:
        return
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        if not suspend.users and body.is_reachable(body.position[suspend][0]) and not _ends_without_effects_after(body, suspend):
            message = "the suspend's result is not used, so the coroutine continues instead of suspending"
            yield Found(suspend, message, "switch on the result: -1 leaves the function, 0 resumes, 1 cleans up")


@rule("resume-unreachable", "warning", "resume of a suspend is undefined behavior")
def undefined_resume(body: Body) -> Iterator[Found]:
    """If the destination for the result 0 is `unreachable`, resuming the coroutine at that suspend is undefined behavior. This is
    right for the final suspend only, at which a coroutine may not be resumed. Mark the suspend as final, or continue at another
    block."""
    if not body.is_switch:
        return
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        if constant_integer_or_none(arguments(suspend)[1]) != 0:
            continue
        block = outcome_of_suspend(body, suspend, RESUMED).block
        if block is not None and body.code[block][0].opcode == "unreachable":
            message = "the suspend is not final, but its destination for a resume is unreachable"
            yield Found(suspend, message, "pass i1 true if it is the final suspend; otherwise continue at another block")


def _compared_constants(suspend: Instruction) -> Iterator[tuple[Instruction, int]]:
    """Yield the constants that instructions compare directly with a suspend's result, as signed numbers of 8 bits."""
    for user in suspend.users:
        if not isinstance(user, Instruction):
            continue
        compared = [value for value, _ in user.cases] if user.opcode == "switch" else []
        if user.opcode == "icmp" and user.predicate in ("eq", "ne"):
            compared = list(user.operands)
        for number in map(constant_integer_or_none, compared):
            if number is not None:
                yield user, as_signed(number, 8)


@rule("impossible-result", "error", "branch on a value that a suspend never returns")
def impossible_suspend_result(body: Body) -> Iterator[Found]:
    """`llvm.coro.suspend` returns -1, 0 or 1. The destination for another value is never reached, and the result for which it was
    meant takes another branch: if 0 takes the default destination of a switch, a resume returns at once, and the coroutine never
    continues. Use -1 for suspending, 0 for a resume and 1 for the destruction."""
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        for user, number in _compared_constants(suspend):
            if number not in (SUSPENDED, RESUMED, DESTROYED):
                message = f"the suspend's result is compared with {number}, but it is -1, 0 or 1"
                yield Found(user, message, "-1 leaves the function, 0 resumes, 1 cleans up")
