"""Rules of those who have a handle: what may no longer be done with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from pycoro.ir.instruction import Instruction
from pycoro.lint.body import Body, arguments, called, stripped
from pycoro.lint.memory import coroutine_of
from pycoro.lint.resumes import most_resumes
from pycoro.lint.rule import Found, rule

if TYPE_CHECKING:
    from pycoro.ir.function import Function
    from pycoro.ir.value import Value

ASKS = {
    "llvm.coro.resume": "resumed",
    "llvm.coro.destroy": "destroyed",
    "llvm.coro.done": "asked whether it is done",
    "llvm.coro.promise": "asked for its promise",
}
Event: TypeAlias = tuple[Instruction, set[str]]
"""What is done with a handle, and where: the names of intrinsics."""

DEEPEST = 16
"""How many calls a handle is followed through."""


def _done_by(body: Body, function: Function | None, index: int, deep: int) -> set[str]:
    """What a function certainly does with the handle that it is given: names of intrinsics."""
    if function is None or function.declaration or deep > DEEPEST or index >= len(function.arguments) or function.presplit:
        return set()
    known = body.program.done.get((function, index))
    if known is None:
        body.program.done[function, index] = set()  # while it is found out: one that calls itself does nothing more
        other = body.program.body(function)
        outs = [code[-1] for code in other.code if code and code[-1].opcode == "ret"]
        known = {
            name
            for at, names in _events(other, function.arguments[index], deep + 1)
            if outs and all(other.dominates(at, out) for out in outs)
            for name in names
        }
        body.program.done[function, index] = known
    return known


def _same(body: Body, handle: Value) -> list[Value]:
    """The handle, and what is the same address."""
    todo, seen = [handle], {handle}
    for value in todo:
        for user in value.users:
            if isinstance(user, Instruction) and user in body.place and user not in seen and stripped(user) is stripped(handle):
                seen.add(user)
                todo.append(user)
    return todo


def _events(body: Body, handle: Value, deep: int = 0) -> list[Event]:
    """What is done with a handle, where: by intrinsics, and by functions that it is given to. What dominates comes first."""
    found: list[Event] = []
    for value in _same(body, handle):
        for user in value.users:
            if not isinstance(user, Instruction) or user not in body.place or not body.is_reached(body.place[user][0]):
                continue
            if user.intrinsic in ASKS:
                found.append((user, {user.intrinsic or ""}))
            elif user.opcode in ("call", "invoke") and not user.intrinsic:
                indices = [index for index, argument in enumerate(arguments(user)) if argument is value]
                done = {name for index in indices for name in _done_by(body, called(user), index, deep)}
                if done:
                    found.append((user, done))
    return sorted(found, key=lambda event: body.preorder(event[0]))


def _handles(body: Body) -> list[Value]:
    """What is resumed, destroyed or asked in a function, or given to one that does that, each once."""
    calls = [call for name in ASKS for call in body.calls.get(name, ())]
    values = [stripped(arguments(call)[0]) for call in calls]
    for call in body.plain_calls:
        function = called(call)
        if function is not None and not function.declaration and not function.presplit:
            values += [
                stripped(argument)
                for index, argument in enumerate(arguments(call))
                if isinstance(stripped(argument), Instruction) and _done_by(body, function, index, 0)
            ]
    return list(dict.fromkeys(value for value in values if not _is_nobodys(value)))


def _is_nobodys(value: Value) -> bool:
    """Whether there is no frame behind a handle."""
    return getattr(value, "kind", None) in ("null", "undef", "poison") or getattr(value, "intrinsic", None) == "llvm.coro.noop"


STARTS = "may start it anew"


def _with_starts(body: Body, handle: Value, events: list[Event]) -> list[Event]:
    """And the calls that are given the handle: whoever has its memory may begin another coroutine in it."""
    known = dict(events)
    for value in _same(body, handle):
        for user in value.users:
            if not isinstance(user, Instruction) or user not in body.place or not body.is_reached(body.place[user][0]):
                continue
            if user.opcode in ("call", "invoke") and not user.intrinsic:
                known[user] = known.get(user, set()) | {STARTS}
    return sorted(known.items(), key=lambda event: body.preorder(event[0]))


def _certainly_before(body: Body, events: list[Event], of: str) -> Iterator[tuple[int, list[Instruction]]]:
    """For each event, the earlier ones of a kind that every way to it goes through, and behind which nothing starts it anew."""
    over = _started_anew(body, events, of)
    above: list[Instruction] = []
    for number, (at, names) in enumerate(events):
        while above and above[-1] is not at and not body.dominates(above[-1], at):
            above.pop()
        yield number, above
        if of in names and at not in over:
            above.append(at)


def _started_anew(body: Body, events: list[Event], of: str) -> set[Instruction]:
    """Those of a kind behind which something may start it anew."""
    over: set[Instruction] = set()
    above: list[Instruction] = []
    for at, names in events:
        while above and not body.dominates(above[-1], at):
            above.pop()
        if STARTS in names and not names & ASKS.keys():
            over.update(above)
            above.clear()
        if of in names:
            above.append(at)
    return over


def _what(at: Instruction, names: set[str]) -> str:
    done = " and ".join(sorted(ASKS[name] for name in names))
    return f"{done}" if at.intrinsic else f"{done} by @{getattr(at.callee, 'name', '')}"


@rule("use-after-destroy", "error", "a handle is used after its coroutine was destroyed", coroutines=False)
def use_after_destroy(body: Body) -> Iterator[Found]:
    """`llvm.coro.destroy` frees the frame. Whatever is asked of the handle afterwards reads memory that may be anything by then;
    a second `llvm.coro.destroy` frees it twice. Found where every way to the use has destroyed it, also by functions that are
    called with the handle."""
    for handle in _handles(body):
        events = _with_starts(body, handle, _events(body, handle))
        for number, above in _certainly_before(body, events, "llvm.coro.destroy"):
            at, names = events[number]
            names = names & ASKS.keys()
            if above and names:
                message = f"a coroutine is {_what(at, names)} after it was destroyed"
                yield Found(at, message, "destroy it last, and once")


@rule("resume-after-final", "error", "a coroutine is resumed that is done", coroutines=False)
def resume_after_final(body: Body) -> Iterator[Found]:
    """A coroutine that is suspended for the last time, at its final suspend, can be destroyed and no more: its resume function
    is null. Found where `llvm.coro.done` has just said that it is done, and where a coroutine that is known, and whose
    suspends form no loop, is resumed more often than it can be: by a resume that always follows, since one that is asked for
    first may be kept from by what the coroutine has left behind."""
    for handle in _handles(body):
        events = _events(body, handle)
        of = coroutine_of(body, handle)
        most = most_resumes(of) if of and of is not body and _is_only(events, handle) else None
        told: set[Instruction] = set()
        if most is not None:
            for number, above in _certainly_before(body, events, "llvm.coro.resume"):
                at, names = events[number]
                if "llvm.coro.resume" in names and len(above) >= most and of and _always_follows(body, [handle, *above][-1], at):
                    told.add(at)
                    times = "never" if not most else "once" if most == 1 else f"{most} times"
                    message = f"@{of.function.name} can be resumed {times}, and this is one time more"
                    yield Found(at, message, "ask llvm.coro.done, or resume it less often")
                    break
        known = sorted([*_known_done(body, events), *_with_starts(body, handle, events)], key=lambda event: body.preorder(event[0]))
        for number, above in _certainly_before(body, known, KNOWN_DONE):
            at, names = known[number]
            if above and "llvm.coro.resume" in names and at not in told:
                yield Found(at, "a coroutine is resumed where llvm.coro.done has said that it is done", "resume it where it is not")


def _always_follows(body: Body, value: Value, at: Instruction) -> bool:
    """Whether an instruction that a value dominates is behind it on every way out of a function that returns."""
    origin = value if isinstance(value, Instruction) else body.code[0][0]
    start, goal = body.place[origin][0], body.place[at][0]
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


def _is_only(events: list[Event], handle: Value) -> bool:
    """Whether a handle is never asked whether it is done, and nobody else has it who may."""
    known = {at for at, _ in events}
    asked = any("llvm.coro.done" in names for _, names in events)
    return not asked and all(user in known or getattr(user, "opcode", "") == "icmp" for user in handle.users)


KNOWN_DONE = "known to be done"


def _known_done(body: Body, events: list[Event]) -> list[Event]:
    """Where ``llvm.coro.done`` has said that a coroutine is done: the first instructions of blocks that nothing else goes to."""
    found: list[Event] = []
    for asked, _ in events:
        if asked.intrinsic != "llvm.coro.done":
            continue
        for user in asked.users:
            if isinstance(user, Instruction) and user.opcode == "br" and len(set(user.successors)) == 2 and user in body.place:
                yes = body.number[user.successors[0]]
                if body.edge_dominates(body.place[user][0], yes, yes):
                    found.append((body.code[yes][0], {KNOWN_DONE}))
    return found
