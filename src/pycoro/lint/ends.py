"""Rules for how a coroutine returns: destinations of suspends, ``llvm.coro.end``, and unreachable code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pycoro.ir.instruction import Instruction
from pycoro.lint import fixes
from pycoro.lint.after_suspend import DESTROYED, RESUMED, SUSPENDED, outcome_of_suspend, successor_for_suspend_result
from pycoro.lint.body import ENDS, Body, arguments, constant_integer_or_none
from pycoro.lint.constants import is_foldable
from pycoro.lint.finding import Fix
from pycoro.lint.reachability import blocks_reachable_up_to_end_or_suspend
from pycoro.lint.rule import Found, rule

NOT_AFTER_END = ("llvm.coro.suspend", "llvm.coro.save", "llvm.coro.free", "llvm.coro.begin", "llvm.coro.alloca.alloc")


def _blocks_reachable_after_suspends(body: Body, result: int, suspends: list[Instruction]) -> dict[int, Instruction]:
    """Return the blocks reachable from the destinations of suspends for a result, each with one of the suspends."""
    outcomes = [(suspend, outcome_of_suspend(body, suspend, result)) for suspend in suspends]
    return blocks_reachable_up_to_end_or_suspend(
        body, [(outcome.came, outcome.block, suspend) for suspend, outcome in outcomes if outcome.block is not None]
    )


def _suspends_reached_in_clones(body: Body) -> list[Instruction]:
    """Return the suspends that resume or destroy functions reach; only the ramp reaches the others, so it may return there."""
    inside = {block for result in (RESUMED, DESTROYED) for block in _blocks_reachable_after_suspends(body, result, body.suspends)}
    return [suspend for suspend in body.suspends if body.position[suspend][0] in inside]


def _returns_without_end(body: Body) -> Iterator[tuple[Instruction, Instruction, int]]:
    """Yield the returns that clones reach after a suspend without ``llvm.coro.end``, with the suspend and its result."""
    reported: set[int] = set()
    for result in (SUSPENDED, RESUMED, DESTROYED):
        reached = _blocks_reachable_after_suspends(
            body, result, _suspends_reached_in_clones(body) if result == SUSPENDED else body.suspends
        )
        for block, suspend in reached.items():
            last = body.code[block][-1]
            if last.opcode == "ret" and block not in body.first_end and block not in reported:
                reported.add(block)
                yield last, suspend, result


def _skip_empty_blocks(body: Body, block: int) -> int:
    """Skip empty blocks with a single successor."""
    seen = {block}
    while len(body.code[block]) == 1 and len(body.successors[block]) == 1 and body.successors[block][0] not in seen:
        block = body.successors[block][0]
        seen.add(block)
    return block


def _default_destinations(body: Body) -> dict[Instruction, int]:
    """Return the block after each suspend that suspends, without the empty blocks before it; unknown ones are absent."""
    found: dict[Instruction, int] = {}
    for suspend in body.suspends:
        block = outcome_of_suspend(body, suspend, SUSPENDED).block
        if block is not None:
            found[suspend] = _skip_empty_blocks(body, block)
    return found


def _fix_to_return_by_existing_or_new_end(body: Body, last: Instruction) -> Fix | None:
    return partial(fixes.return_by_existing_or_new_end, body, last) if fixes.can_return_by_existing_or_new_end(body, last) else None


@rule("shared-suspend", "error", "suspends have different default destinations")
def suspend_with_own_default(body: Body) -> Iterator[Found]:
    """When a suspend returns -1, the coroutine returns to its caller or resumer. All suspends share one default destination with
    the `llvm.coro.end` and the `ret`: the ramp runs the code after `llvm.coro.end`, while resume and destroy functions return
    at it. A suspend with a separate default destination that has a `ret` but no `llvm.coro.end` makes these clones reach the
    ramp's return, which LLVM replaces by `unreachable`. Only a suspend that just the ramp reaches, usually the first, may
    return directly. Use the shared block as default destination of every other suspend."""
    if not body.is_switch:
        return
    defaults = _default_destinations(body)
    if len(set(defaults.values())) < 2:
        return
    found = [(last, suspend) for last, suspend, result in _returns_without_end(body) if result == SUSPENDED]
    without_end = {defaults.get(suspend): last for last, suspend in found}
    in_clones = set(_suspends_reached_in_clones(body))
    for suspend, block in defaults.items():
        last = without_end.get(block) if suspend in in_clones else None
        if last is not None:
            name = f"%{body.blocks[block].name}" if body.blocks[block].name else "an unnamed block"
            message = f"the suspend's default destination {name} returns without llvm.coro.end; other suspends use another block"
            hint = "use one default destination for all suspends, with the llvm.coro.end and the ret"
            yield Found(suspend, message, hint, _fix_to_return_by_existing_or_new_end(body, last))


@rule("end-before-return", "error", "return without llvm.coro.end")
def return_without_end(body: Body) -> Iterator[Found]:
    """After a suspend, control may be in a resume or destroy function, which returns at `llvm.coro.end`. A `ret` that it reaches
    without one belongs to the ramp, and LLVM replaces it by `unreachable`. Put `llvm.coro.end` on every path to a `ret`."""
    if not body.is_switch:
        return
    defaults = _default_destinations(body)
    shared = len(set(defaults.values())) < 2
    for last, suspend, result in _returns_without_end(body):
        if result == SUSPENDED and not shared and suspend in defaults:
            continue  # reported by shared-suspend
        name = f" %{suspend.name}" if suspend.name else ""
        what = {SUSPENDED: "suspended at", RESUMED: "resumed at", DESTROYED: "destroyed at"}[result]
        message = f"the ret is reachable without llvm.coro.end when the coroutine is {what}{name}"
        yield Found(
            last,
            message,
            "call llvm.coro.end before it, in the block that all exits share",
            _fix_to_return_by_existing_or_new_end(body, last),
        )


@rule("lost-block", "warning", "unreachable block with coroutine intrinsics")
def unreachable_coroutine_code(body: Body) -> Iterator[Found]:
    """Unreachable blocks are removed before anything else, so an `llvm.coro.end`, an `llvm.coro.free` or a suspend in one has no
    effect. Usually a branch to the block is missing."""
    for number, code in enumerate(body.code):
        lost = None if body.is_reachable(number) else next((i for i in code if (i.intrinsic or "").startswith("llvm.coro.")), None)
        if lost is not None:
            message = f"{lost.intrinsic} is in an unreachable block"
            yield Found(lost, message, "add the missing branch to the block, or remove the block")


def _code_dominated_by_end(body: Body, end: Instruction) -> Iterator[Instruction]:
    """Yield the instructions after an end: in its block, and in blocks that it dominates."""
    block, at = body.position[end]
    yield from body.code[block][at + 1 :]
    seen, todo = {block}, list(body.successors[block])
    while todo:
        to = todo.pop()
        if to not in seen and to != block and body.block_dominates(block, to):
            seen.add(to)
            yield from body.code[to]
            todo += body.successors[to]


def _is_not_of_inlined_ramp(body: Body, call: Instruction) -> bool:
    """Return whether an intrinsic belongs to this coroutine rather than to an inlined ramp."""
    given = arguments(call)[:1]
    return not given or getattr(given[0], "intrinsic", None) != "llvm.coro.id" or given[0] is body.id


@rule("code-after-end", "error", "code after llvm.coro.end that clones never run")
def code_after_end(body: Body) -> Iterator[Found]:
    """Resume and destroy functions return at `llvm.coro.end`: only the ramp runs the code after it, at the first suspend. A
    suspend, an `llvm.coro.save` or an `llvm.coro.free` there does not run when it should, and the latter frees the frame of a
    coroutine that was just created. Coroutines with returned continuations never run code after their end. Move the code before
    `llvm.coro.end`."""
    for end in body.calls_of(ENDS):
        if constant_integer_or_none(arguments(end)[1]) != 0 or not body.is_reachable(body.position[end][0]):
            continue
        for instruction in _code_dominated_by_end(body, end):
            name = instruction.intrinsic or ""
            effect = instruction.opcode in ("call", "invoke", "store") and not name
            if (name in NOT_AFTER_END and _is_not_of_inlined_ramp(body, instruction)) or (
                not body.is_switch and effect and body.id is not None
            ):
                what = name or f"a {instruction.opcode}"
                message = f"{what} is after llvm.coro.end, which resume and destroy functions never pass"
                yield Found(instruction, message, "move it before llvm.coro.end")
                break


def _use_that_prevents_folding(body: Body, suspend: Instruction) -> tuple[Instruction, str] | None:
    """Return the instruction that keeps a suspend's result from being folded, and its effect; ``None`` if it is folded."""
    block, at = body.position[suspend]
    *between, last = body.code[block][at + 1 :]
    for instruction in between:
        if not is_foldable(instruction):
            return instruction, "is between the suspend and the branch on its result"
    for value in (suspend, *between):
        for user in value.users:
            if isinstance(user, Instruction) and user is not last and user not in between:
                return user, "uses the result elsewhere"
    if len(last.successors) == 1 and last.opcode == "br":
        return None
    unknown = any(successor_for_suspend_result(body, block, suspend, result) is None for result in (SUSPENDED, RESUMED, DESTROYED))
    return (last, "does not depend on the result alone") if unknown else None


@rule("suspend-result", "note", "suspend result that cannot be folded")
def unfolded_suspend_result(body: Body) -> Iterator[Found]:
    """The result of `llvm.coro.suspend` is known after it: -1 where the coroutine suspends, 0 where it is resumed, 1 where it is
    destroyed. The branch on it is folded if the rest of the block only computes the branch's condition from the result by casts,
    integer arithmetic, comparisons and `select`. Any other instruction in between, or another use, keeps the result: the suspended
    path then becomes a path of every clone, with phis for all live values at each such suspend. Branch on the result directly after
    the suspend, and compute everything else in the successors."""
    if not body.is_switch:
        return
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        unfolded = _use_that_prevents_folding(body, suspend) if suspend.users else None
        if unfolded is not None:
            by, what = unfolded
            message = f"the suspend's result cannot be folded: `{body.text_of(by).strip()}` {what}"
            yield Found(suspend, message, "branch on the result directly after the suspend, and move the rest to the successors")
