"""Rules of how a coroutine leaves: what its suspends go to, its ends, and what can no longer be reached."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pycoro.ir.instruction import Instruction
from pycoro.lint import mend
from pycoro.lint.body import ENDS, Body, arguments, constant_of
from pycoro.lint.constants import is_foldable
from pycoro.lint.finding import Fix
from pycoro.lint.flood import flood
from pycoro.lint.rule import Found, rule
from pycoro.lint.ways import DESTROYED, RESUMED, SUSPENDED, behind, chosen

NOT_BEHIND = ("llvm.coro.suspend", "llvm.coro.save", "llvm.coro.free", "llvm.coro.begin", "llvm.coro.alloca.alloc")


def _reached(body: Body, result: int, suspends: list[Instruction]) -> dict[int, Instruction]:
    """The blocks that control comes to when suspends give a result, each with one of these."""
    ways = [(suspend, behind(body, suspend, result)) for suspend in suspends]
    return flood(body, [(way.came, way.block, suspend) for suspend, way in ways if way.block is not None])


def _again(body: Body) -> list[Instruction]:
    """The suspends that a part comes to that was resumed or destroyed: the ramp alone comes to the others, and may return."""
    inside = {block for result in (RESUMED, DESTROYED) for block in _reached(body, result, body.suspends)}
    return [suspend for suspend in body.suspends if body.place[suspend][0] in inside]


def _lost_ways(body: Body) -> Iterator[tuple[Instruction, Instruction, int]]:
    """The instructions that leave the function behind a suspend with no end on the way, where that is not the ramp's alone; the
    suspend and its result."""
    told: set[int] = set()
    for result in (SUSPENDED, RESUMED, DESTROYED):
        reached = _reached(body, result, _again(body) if result == SUSPENDED else body.suspends)
        for block, suspend in reached.items():
            last = body.code[block][-1]
            if last.opcode == "ret" and block not in body.end_in and block not in told:
                told.add(block)
                yield last, suspend, result


def _first(body: Body, block: int) -> int:
    """The first block from one that does anything."""
    seen = {block}
    while len(body.code[block]) == 1 and len(body.successors[block]) == 1 and body.successors[block][0] not in seen:
        block = body.successors[block][0]
        seen.add(block)
    return block


def _defaults(body: Body) -> dict[Instruction, int]:
    """Where each suspend goes when it suspends."""
    found: dict[Instruction, int] = {}
    for suspend in body.suspends:
        block = behind(body, suspend, SUSPENDED).block
        if block is not None:
            found[suspend] = _first(body, block)
    return found


def _mended(body: Body, last: Instruction) -> Fix | None:
    return partial(mend.leave_by_end, body, last) if mend.can_leave_by_end(body, last) else None


@rule("shared-suspend", "error", "suspends leave by blocks of their own")
def shared_suspend(body: Body) -> Iterator[Found]:
    """When a suspend gives -1 the coroutine returns to whoever called or resumed it. All suspends leave by one block, which
    has the `llvm.coro.end` and the `ret`: what stands there is for the ramp, and the parts that are resumed and destroyed end
    at `llvm.coro.end`. A suspend whose default is a block of its own, with a `ret` and no `llvm.coro.end`, makes parts that
    run on into the ramp's return: LLVM makes `unreachable` of it. A suspend that the ramp alone comes to, as the first one
    mostly is, may return by itself. Let every other suspend's default be the one block."""
    if not body.switched:
        return
    defaults = _defaults(body)
    if len(set(defaults.values())) < 2:
        return
    lost = {block: last for last, suspend, result in _lost_ways(body) if result == SUSPENDED for block in [defaults.get(suspend)]}
    again = set(_again(body))
    for suspend, block in defaults.items():
        last = lost.get(block) if suspend in again else None
        if last is not None:
            message = f"the suspend leaves by %{body.blocks[block].name or 'a block of its own'}, which comes to a"
            message += " ret without llvm.coro.end, and not by the block of the others"
            hint = "let the default of every suspend be one block, with the one llvm.coro.end and the ret"
            yield Found(suspend, message, hint, _mended(body, last))


@rule("end-before-return", "error", "a return without llvm.coro.end")
def end_before_return(body: Body) -> Iterator[Found]:
    """Behind a suspend, control may be in the part that is resumed or destroyed, which returns nothing. `llvm.coro.end` is where
    such a part returns; a `ret` that it comes to without one is not its own, and LLVM makes `unreachable` of it. Let every way to
    a `ret` go through `llvm.coro.end`."""
    if not body.switched:
        return
    defaults = _defaults(body)
    shared = len(set(defaults.values())) < 2
    for last, suspend, result in _lost_ways(body):
        if result == SUSPENDED and not shared and suspend in defaults:
            continue  # is told of by shared-suspend
        name = f" %{suspend.name}" if suspend.name else ""
        what = {SUSPENDED: "suspended at", RESUMED: "resumed at", DESTROYED: "destroyed at"}[result]
        message = f"a ret is reached without llvm.coro.end when the coroutine is {what}{name}"
        yield Found(last, message, "call llvm.coro.end on the way to it, in the block that all ways out share", _mended(body, last))


@rule("lost-block", "warning", "a block of the coroutine that nothing goes to")
def lost_block(body: Body) -> Iterator[Found]:
    """A block that cannot be reached from the entry is dropped before anything else is looked at, whatever it says: an
    `llvm.coro.end`, an `llvm.coro.free` or a suspend in it is not there. Mostly a branch to it was forgotten."""
    for number, code in enumerate(body.code):
        lost = None if body.is_reached(number) else next((i for i in code if (i.intrinsic or "").startswith("llvm.coro.")), None)
        if lost is not None:
            message = f"{lost.intrinsic} is in a block that nothing goes to"
            yield Found(lost, message, "branch to the block from where it belongs, or take it away")


def _behind(body: Body, end: Instruction) -> Iterator[Instruction]:
    """What stands behind an end: in its block, and in those that are come to through it alone."""
    block, at = body.place[end]
    yield from body.code[block][at + 1 :]
    seen, todo = {block}, list(body.successors[block])
    while todo:
        to = todo.pop()
        if to not in seen and to != block and body.block_dominates(block, to):
            seen.add(to)
            yield from body.code[to]
            todo += body.successors[to]


def _is_own(body: Body, call: Instruction) -> bool:
    """Whether an intrinsic is of this coroutine, and not of one that was inlined after it had been split."""
    given = arguments(call)[:1]
    return not given or getattr(given[0], "intrinsic", None) != "llvm.coro.id" or given[0] is body.id


@rule("dead-behind-end", "error", "code behind llvm.coro.end that does not run when it should")
def dead_behind_end(body: Body) -> Iterator[Found]:
    """A part that was resumed or destroyed returns at `llvm.coro.end`: what stands behind it runs in the ramp alone, when the
    coroutine suspends for the first time. A suspend, an `llvm.coro.save` or an `llvm.coro.free` there is never reached when it
    is meant to be, and the last one frees the frame of a coroutine that was just made. Coroutines whose suspends return have
    no ramp that goes on: all behind their end is dead. Put the code before `llvm.coro.end`."""
    for end in body.all(ENDS):
        if constant_of(arguments(end)[1]) != 0 or not body.is_reached(body.place[end][0]):
            continue
        for behind_it in _behind(body, end):
            name = behind_it.intrinsic or ""
            effect = behind_it.opcode in ("call", "invoke", "store") and not name
            if (name in NOT_BEHIND and _is_own(body, behind_it)) or (not body.switched and effect and body.id is not None):
                what = name or f"a {behind_it.opcode}"
                message = f"{what} is behind llvm.coro.end, where a coroutine that was resumed or destroyed never comes"
                yield Found(behind_it, message, "put it before llvm.coro.end")
                break


def _unfolded(body: Body, suspend: Instruction) -> tuple[Instruction, str] | None:
    """The instruction because of which a suspend's result is not folded, and what it does; ``None``: it is folded."""
    block, at = body.place[suspend]
    *between, last = body.code[block][at + 1 :]
    for instruction in between:
        if not is_foldable(instruction):
            return instruction, "comes between it and the branch on it"
    for value in (suspend, *between):
        for user in value.users:
            if isinstance(user, Instruction) and user is not last and user not in between:
                return user, "uses it elsewhere"
    if len(last.successors) == 1 and last.opcode == "br":
        return None
    unknown = any(chosen(body, block, suspend, result) is None for result in (SUSPENDED, RESUMED, DESTROYED))
    return (last, "does not choose by it alone") if unknown else None


@rule("suspend-result", "note", "what a suspend gives is computed with")
def suspend_result(body: Body) -> Iterator[Found]:
    """What `llvm.coro.suspend` gives is known wherever control comes from it: -1 where the coroutine suspends, 0 where it is
    resumed, 1 where it is destroyed. Where the rest of its block only chooses a successor by it, through casts, integer
    arithmetic, comparisons and `select`, the branch is folded. Anything else in between, or another use, keeps the result: the
    path of a coroutine that suspends is then a path of every function that it becomes, and what is alive there is merged by phis
    at every such suspend. Branch on the result right behind the suspend, and compute what else is needed in the successors."""
    if not body.switched:
        return
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        unfolded = _unfolded(body, suspend) if suspend.users else None
        if unfolded is not None:
            by, what = unfolded
            message = f"what the suspend gives cannot be folded: `{body.text_of(by).strip()}` {what}"
            yield Found(suspend, message, "branch on the result right behind the suspend, and do the rest in the successors")
