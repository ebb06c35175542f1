"""What mends a mistake where nobody needs to be asked: changes to the IR, by the builder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.ir.builder import Builder
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type
from pycoro.lint.body import BEGINS, Body, arguments, constant_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pycoro.ir.block import Block
    from pycoro.ir.value import Value

__all__ = [
    "ask_alloc",
    "can_leave_by_end",
    "drop_attribute",
    "free_what_coro_free_gives",
    "leave_by_end",
    "mark_presplit",
    "replace_argument",
]


def mark_presplit(function: Function) -> bool:
    """The attribute that makes of a function a coroutine that is split."""
    Builder(function).add_attribute(function, "presplitcoroutine")
    return True


def drop_attribute(of: Function | Instruction, name: str, *, parameter: int | None = None, result: bool = False) -> bool:
    """An attribute that promises what is not so."""
    Builder(of).remove_attribute(of, name, parameter=parameter, result=result)
    return True


def _begin(body: Body) -> Instruction | None:
    """The ``llvm.coro.begin`` as it is now: it may be another one than was found."""
    users = body.id.users if body.id is not None else ()
    return next((user for user in users if isinstance(user, Instruction) and user.intrinsic in BEGINS), None)


# ---- Ends ----


def _fallthrough(body: Body) -> Instruction | None:
    ends = [body.made_end] if body.made_end else body.calls.get("llvm.coro.end", ())
    return next((end for end in ends if constant_of(arguments(end)[1]) == 0), None)


def can_leave_by_end(body: Body, leaves: Instruction) -> bool:
    """Whether `leave_by_end` is right: the handle is known at the return, and another end is before a return of the same."""
    if leaves.opcode != "ret" or body.begin is None or not body.dominates(body.begin, leaves):
        return False
    end = _fallthrough(body)
    return end is None or end.block is leaves.block or _is_out(end, leaves)


def _is_out(end: Instruction, leaves: Instruction) -> bool:
    """Whether there is nothing between an end and its return, which gives the same as another one."""
    out = end.next
    return out is not None and out.opcode == "ret" and out.operands == leaves.operands


def leave_by_end(body: Body, leaves: Instruction) -> bool:
    """The first return gets the ``llvm.coro.end``, the others branch to it where they give the same."""
    begin = _begin(body)
    if leaves.stale or begin is None:
        return not leaves.stale
    end = _fallthrough(body)
    if end is None:
        body.made_end = Builder(leaves).intrinsic("llvm.coro.end", [begin, False, None])
    elif end.block is not leaves.block:
        if not _is_out(end, leaves):
            return False
        _instead(leaves).branch(_alone(end))
    return True


def _instead(terminator: Instruction) -> Builder:
    """Takes away what ends a block, and stands where something else is to end it."""
    build, place = Builder(terminator), terminator.debug
    block = terminator.block
    build.erase(terminator)
    build.at_end(block)
    if place is not None and place.inlined_at is None:
        build.debug = place.line, place.column
    return build


def _alone(end: Instruction) -> Block:
    """A block that begins with the end."""
    if end.previous is not None:
        Builder(end).split(end)
    return end.block


# ---- Memory ----


def replace_argument(call: Instruction, index: int, value: Value) -> bool:
    """The same call with one argument another; left alone where it has what cannot be copied."""
    callee = call.callee
    if callee is None or call.opcode != "call" or call.bundles or {"tail", "musttail", "notail"} & {*call.flags}:
        return False
    operands = [*arguments(call)]
    operands[index] = value
    _in_place_of(call, callee, operands)
    return True


def _in_place_of(call: Instruction, callee: Value, operands: Sequence[Value]) -> Instruction:
    """A call with other arguments."""
    build, name = Builder(call), call.name
    made = build.call(callee, operands, type=call.function_type)
    _copy_attributes(build, call, made)
    build.replace(call, made)
    build.erase(call)
    if name:
        build.rename(made, name)
    return made


def _copy_attributes(build: Builder, call: Instruction, made: Instruction) -> None:
    """Those that have no number, or one that is said as it is; others only tell more."""

    def spelt(name: str, value: object) -> str | tuple[str, Type]:
        if isinstance(value, Type):
            return name, value
        return name if value is True else f'"{name}"="{value}"' if isinstance(value, str) else f"{name} {value}"

    def copy(given: Mapping[str, object] | None, parameter: int | None = None, result: bool = False) -> None:
        for name, value in (given or {}).items():
            if not isinstance(value, int) or value is True or name == "align":
                build.add_attribute(made, spelt(name, value), parameter=parameter, result=result)

    copy(call.attributes)
    copy(call.result_attributes, result=True)
    for parameter, given in enumerate(call.argument_attributes):
        copy(given, parameter=parameter)


def free_what_coro_free_gives(body: Body, call: Instruction, index: int) -> bool:
    """Frees what ``llvm.coro.free`` says is to be freed."""
    begin = _begin(body)
    if call.stale or body.id is None or begin is None:
        return False
    memory = Builder(call).intrinsic("llvm.coro.free", [body.id, begin], named="mem")
    return replace_argument(call, index, memory)


def ask_alloc(body: Body, call: Instruction) -> bool:
    """Allocates where ``llvm.coro.alloc`` says so."""
    begin, following = _begin(body), call.next
    if begin is None or body.id is None or following is None or begin.callee is None:
        return False
    name = call.block.name
    build = Builder(call)
    build.rename(call.block, "")
    before = build.split(call, name)  # what stood before the call; the call's block goes on
    allocates = build.split(following, "coro.allocate")  # the call alone
    rest, jump = following.block, before.terminator
    if jump is None:
        return False
    build.rename(rest, "coro.allocated")
    build = _instead(jump)
    needed = build.intrinsic("llvm.coro.alloc", [body.id], named="need.alloc")
    build.branch_if(needed, allocates, rest)
    build.at_start(rest)
    memory = build.phi("ptr", [(None, before), (call, allocates)], name="memory")
    _in_place_of(begin, begin.callee, [memory if argument is call else argument for argument in arguments(begin)])
    return True
