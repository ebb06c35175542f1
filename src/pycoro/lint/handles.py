"""Rules for users of a handle: operations that are no longer allowed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from pycoro.ir.instruction import Instruction
from pycoro.lint.body import Body, arguments, called_function, strip_casts_and_zero_offsets
from pycoro.lint.memory import coroutine_of_handle_if_certain
from pycoro.lint.resumes import max_resumes
from pycoro.lint.rule import Found, rule

if TYPE_CHECKING:
    from pycoro.ir.function import Function
    from pycoro.ir.value import Value

OPERATIONS = {
    "llvm.coro.resume": "resumed",
    "llvm.coro.destroy": "destroyed",
    "llvm.coro.done": "queried by llvm.coro.done",
    "llvm.coro.promise": "accessed by llvm.coro.promise",
}
Event: TypeAlias = tuple[Instruction, set[str]]
"""Instruction and the names of the intrinsics that it applies to a handle."""

DEEPEST = 16
"""Maximum depth of calls that a handle is followed through."""


def _operations_certainly_done_on_argument(body: Body, function: Function | None, argument_index: int, call_depth: int) -> set[str]:
    """Return the intrinsics that a function certainly applies to the handle in an argument."""
    if (
        function is None
        or function.is_declaration
        or call_depth > DEEPEST
        or argument_index >= len(function.arguments)
        or body.program.is_presplit(function)
    ):
        return set()
    known = body.program.done.get((function, argument_index))
    if known is None:
        body.program.done[function, argument_index] = set()  # ends the recursion for recursive functions
        other = body.program.body(function)
        returns = [code[-1] for code in other.code if code and code[-1].opcode == "ret"]
        known = {
            name
            for at, names in _sorted_operations_on_handle(other, function.arguments[argument_index], call_depth + 1)
            if returns and all(other.dominates(at, ret) for ret in returns)
            for name in names
        }
        body.program.done[function, argument_index] = known
    return known


def _copies_of_handle(body: Body, handle: Value) -> list[Value]:
    """Return the handle and its copies."""
    todo, seen = [handle], {handle}
    for value in todo:
        for user in value.users:
            if (
                isinstance(user, Instruction)
                and user in body.position
                and user not in seen
                and strip_casts_and_zero_offsets(user) is strip_casts_and_zero_offsets(handle)
            ):
                seen.add(user)
                todo.append(user)
    return todo


def _reachable_users(body: Body, value: Value) -> Iterator[Instruction]:
    for user in value.users:
        if isinstance(user, Instruction) and user in body.position and body.is_reachable(body.position[user][0]):
            yield user


def _sorted_operations_on_handle(body: Body, handle: Value, call_depth: int = 0) -> list[Event]:
    """Return the operations on a handle, directly and by called functions, dominators first."""
    found: dict[Instruction, set[str]] = defaultdict(set)
    for value in _copies_of_handle(body, handle):
        for user in _reachable_users(body, value):
            if user.intrinsic in OPERATIONS:
                found[user].add(user.intrinsic or "")
            elif user.opcode in ("call", "invoke") and not user.intrinsic:
                indices = [index for index, argument in enumerate(arguments(user)) if argument is value]
                done = {
                    name
                    for index in indices
                    for name in _operations_certainly_done_on_argument(body, called_function(user), index, call_depth)
                }
                if done:
                    found[user] |= done
    return sorted(found.items(), key=lambda event: body.preorder(event[0]))


def _handles_with_operations(body: Body) -> list[Value]:
    """Return the handles that a function operates on, directly or by called functions, without duplicates."""
    calls = [call for name in OPERATIONS for call in body.calls.get(name, ())]
    values = [strip_casts_and_zero_offsets(arguments(call)[0]) for call in calls]
    for call in body.plain_calls:
        function = called_function(call)
        if function is not None and not function.is_declaration and not body.program.is_presplit(function):
            values += [
                strip_casts_and_zero_offsets(argument)
                for index, argument in enumerate(arguments(call))
                if isinstance(strip_casts_and_zero_offsets(argument), Instruction)
                and _operations_certainly_done_on_argument(body, function, index, 0)
            ]
    return list(dict.fromkeys(value for value in values if not _is_handle_without_frame(value)))


def _is_handle_without_frame(value: Value) -> bool:
    """Return whether a handle has no frame."""
    return getattr(value, "kind", None) in ("null", "undef", "poison") or getattr(value, "intrinsic", None) == "llvm.coro.noop"


STARTS = "may create another coroutine"


def _with_calls_that_may_recreate(body: Body, handle: Value, events: list[Event]) -> list[Event]:
    """Add calls that receive the handle: they may create another coroutine in its memory."""
    known = dict(events)
    for value in _copies_of_handle(body, handle):
        for user in _reachable_users(body, value):
            if user.opcode in ("call", "invoke") and not user.intrinsic:
                known[user] = known.get(user, set()) | {STARTS}
    return sorted(known.items(), key=lambda event: body.preorder(event[0]))


def _numbers_with_dominating_events_of_kind(body: Body, events: list[Event], kind: str) -> Iterator[tuple[int, list[Instruction]]]:
    """Yield the number of each event with the earlier events of a kind that dominate it and after which no other coroutine was
    created there. The list changes with the next one."""
    restarted = _events_followed_by_possible_creation(body, events, kind)
    above: list[Instruction] = []
    for number, (at, names) in enumerate(events):
        while above and above[-1] is not at and not body.dominates(above[-1], at):
            above.pop()
        yield number, above
        if kind in names and at not in restarted:
            above.append(at)


def _events_followed_by_possible_creation(body: Body, events: list[Event], kind: str) -> set[Instruction]:
    """Return the events of a kind after which another coroutine may be created there."""
    restarted: set[Instruction] = set()
    above: list[Instruction] = []
    for at, names in events:
        while above and not body.dominates(above[-1], at):
            above.pop()
        if STARTS in names and not names & OPERATIONS.keys():
            restarted.update(above)
            above.clear()
        if kind in names:
            above.append(at)
    return restarted


def _describe_operation(at: Instruction, names: set[str]) -> str:
    done = " and ".join(sorted(OPERATIONS[name] for name in names))
    return f"{done}" if at.intrinsic else f"{done} by @{getattr(at.callee, 'name', '')}"


@rule("use-after-destroy", "error", "use of a handle after its coroutine was destroyed", coroutines=False)
def use_after_destroy(body: Body) -> Iterator[Found]:
    """`llvm.coro.destroy` frees the frame. Later operations on the handle access freed memory, and a second `llvm.coro.destroy` is
    a double free. Reported if every path to the use has destroyed the coroutine, also by called functions."""
    for handle in _handles_with_operations(body):
        events = _with_calls_that_may_recreate(body, handle, _sorted_operations_on_handle(body, handle))
        for number, above in _numbers_with_dominating_events_of_kind(body, events, "llvm.coro.destroy"):
            at, names = events[number]
            names = names & OPERATIONS.keys()
            if above and names:
                message = f"the coroutine is {_describe_operation(at, names)} after it was destroyed"
                yield Found(at, message, "destroy it only once, as the last operation")


@rule("resume-after-final", "error", "resume of a coroutine that is done", coroutines=False)
def resume_after_final(body: Body) -> Iterator[Found]:
    """At its final suspend, a coroutine can only be destroyed: its resume function is null. Reported after `llvm.coro.done` was
    true, and if a known coroutine without suspends in loops is resumed more often than it can be. The last resume must follow
    on every path; otherwise a check of the coroutine's results may prevent it."""
    for handle in _handles_with_operations(body):
        events = _sorted_operations_on_handle(body, handle)
        of = coroutine_of_handle_if_certain(body, handle)
        most = max_resumes(of) if of and of is not body and _has_only_known_uses_and_no_done(events, handle) else None
        reported: set[Instruction] = set()
        if most is not None:
            for number, above in _numbers_with_dominating_events_of_kind(body, events, "llvm.coro.resume"):
                at, names = events[number]
                if (
                    "llvm.coro.resume" in names
                    and len(above) >= most
                    and of
                    and _is_on_all_paths_to_return(body, [handle, *above][-1], at)
                ):
                    reported.add(at)
                    times = "never" if not most else "once" if most == 1 else f"{most} times"
                    message = f"@{of.function.name} can be resumed {times}; this is one resume too many"
                    yield Found(at, message, "check llvm.coro.done first, or remove the resume")
                    break
        known = sorted(
            [*_first_instructions_run_only_if_done(body, events), *_with_calls_that_may_recreate(body, handle, events)],
            key=lambda event: body.preorder(event[0]),
        )
        for number, above in _numbers_with_dominating_events_of_kind(body, known, KNOWN_DONE):
            at, names = known[number]
            if above and "llvm.coro.resume" in names and at not in reported:
                yield Found(at, "the coroutine is resumed after llvm.coro.done was true", "resume it only if it is not done")


def _is_on_all_paths_to_return(body: Body, value: Value, at: Instruction) -> bool:
    """Return whether the instruction is on every path from the value to a return."""
    origin = value if isinstance(value, Instruction) else body.code[0][0]
    start, goal = body.position[origin][0], body.position[at][0]
    if start == goal:
        return True
    todo = [body.number[origin.successors[0]]] if origin.opcode == "invoke" else list(body.successors[start])
    seen = {goal}
    for block in todo:
        if block not in seen:
            seen.add(block)
            if body.code[block][-1].opcode == "ret":
                return False
            todo += body.successors[block]
    return True


def _has_only_known_uses_and_no_done(events: list[Event], handle: Value) -> bool:
    """Return whether all uses of the handle are known and none is ``llvm.coro.done``."""
    known = {at for at, _ in events}
    queried = any("llvm.coro.done" in names for _, names in events)
    return not queried and all(user in known or getattr(user, "opcode", "") == "icmp" for user in handle.users)


KNOWN_DONE = "known to be done"


def _first_instructions_run_only_if_done(body: Body, events: list[Event]) -> list[Event]:
    """Return the first instructions of blocks that are only entered if ``llvm.coro.done`` is true."""
    found: list[Event] = []
    for asked, _ in events:
        if asked.intrinsic != "llvm.coro.done":
            continue
        for user in asked.users:
            if isinstance(user, Instruction) and user.opcode == "br" and len(set(user.successors)) == 2 and user in body.position:
                yes = body.number[user.successors[0]]
                if body.edge_dominates(body.position[user][0], yes, yes):
                    found.append((body.code[yes][0], {KNOWN_DONE}))
    return found
