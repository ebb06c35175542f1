"""Fixes that need no decision: changes to the IR with the builder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.ir.builder import Builder
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type
from pycoro.lint.body import BEGINS, Body, arguments, constant_integer_or_none

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pycoro.ir.block import Block
    from pycoro.ir.value import Value

__all__ = [
    "can_return_by_existing_or_new_end",
    "drop_attribute",
    "free_by_coro_free",
    "guard_by_coro_alloc",
    "mark_presplit",
    "replace_argument",
    "return_by_existing_or_new_end",
]


def mark_presplit(function: Function) -> bool:
    """Add the attribute that marks a coroutine for splitting."""
    Builder(function).add_attribute(function, "presplitcoroutine")
    return True


def drop_attribute(of: Function | Instruction, name: str, *, parameter: int | None = None, result: bool = False) -> bool:
    """Remove an attribute."""
    Builder(of).remove_attribute(of, name, parameter=parameter, result=result)
    return True


def _current_coro_begin(body: Body) -> Instruction | None:
    """Return the current ``llvm.coro.begin``; another fix may have replaced it."""
    users = body.id.users if body.id is not None else ()
    return next((user for user in users if isinstance(user, Instruction) and user.intrinsic in BEGINS), None)


# ---- Ends ----


def _fallthrough_coro_end(body: Body) -> Instruction | None:
    ends = [body.added_end] if body.added_end else body.calls.get("llvm.coro.end", ())
    return next((end for end in ends if constant_integer_or_none(arguments(end)[1]) == 0), None)


def can_return_by_existing_or_new_end(body: Body, ret: Instruction) -> bool:
    """Return whether `return_by_existing_or_new_end` applies: the handle dominates the return, and an existing end
    precedes a return of the same value.
    """
    if ret.opcode != "ret" or body.begin is None or not body.dominates(body.begin, ret):
        return False
    end = _fallthrough_coro_end(body)
    return end is None or end.block is ret.block or _precedes_return_of_same_value(end, ret)


def _precedes_return_of_same_value(end: Instruction, ret: Instruction) -> bool:
    """Return whether an end directly precedes a return of the same value."""
    out = end.next
    return out is not None and out.opcode == "ret" and out.operands == ret.operands


def return_by_existing_or_new_end(body: Body, ret: Instruction) -> bool:
    """Add ``llvm.coro.end`` to the first return; make others with the same value branch to it."""
    begin = _current_coro_begin(body)
    if ret.is_stale or begin is None:
        return not ret.is_stale
    end = _fallthrough_coro_end(body)
    if end is None:
        body.added_end = Builder(ret).intrinsic("llvm.coro.end", [begin, False, None])
    elif end.block is not ret.block:
        if not _precedes_return_of_same_value(end, ret):
            return False
        _erase_terminator_and_build_there(ret).branch(_split_block_before_end(end))
    return True


def _erase_terminator_and_build_there(terminator: Instruction) -> Builder:
    """Erase a terminator and return a builder at the end of its block."""
    build, place = Builder(terminator), terminator.debug
    block = terminator.block
    build.erase(terminator)
    build.at_end(block)
    if place is not None and place.inlined_at is None:
        build.debug = place.line, place.column
    return build


def _split_block_before_end(coro_end: Instruction) -> Block:
    """Split the block before the ``llvm.coro.end``, and return the part that starts with it."""
    if coro_end.previous is not None:
        Builder(coro_end).split(coro_end)
    return coro_end.block


# ---- Memory ----


def replace_argument(call: Instruction, index: int, value: Value) -> bool:
    """Replace one argument of a call; do nothing for a call that cannot be copied."""
    callee = call.callee
    if callee is None or call.opcode != "call" or call.bundles or {"tail", "musttail", "notail"} & {*call.flags}:
        return False
    operands = [*arguments(call)]
    operands[index] = value
    _replace_call(call, callee, operands)
    return True


def _replace_call(call: Instruction, callee: Value, operands: Sequence[Value]) -> Instruction:
    """Replace a call by one with other arguments."""
    build, name = Builder(call), call.name
    replacement = build.call(callee, operands, type=call.function_type)
    _copy_attributes(build, call, replacement)
    build.replace(call, replacement)
    build.erase(call)
    if name:
        build.rename(replacement, name)
    return replacement


def _copy_attributes(build: Builder, call: Instruction, replacement: Instruction) -> None:
    """Copy attributes whose text is known; the others only add information."""

    def attribute_argument(name: str, value: object) -> str | tuple[str, Type]:
        if isinstance(value, Type):
            return name, value
        return name if value is True else f'"{name}"="{value}"' if isinstance(value, str) else f"{name} {value}"

    def copy(given: Mapping[str, object] | None, parameter: int | None = None, result: bool = False) -> None:
        for name, value in (given or {}).items():
            if not isinstance(value, int) or value is True or name == "align":
                build.add_attribute(replacement, attribute_argument(name, value), parameter=parameter, result=result)

    copy(call.attributes)
    copy(call.result_attributes, result=True)
    for parameter, given in enumerate(call.argument_attributes):
        copy(given, parameter=parameter)


def free_by_coro_free(body: Body, call: Instruction) -> bool:
    """Free the result of ``llvm.coro.free`` instead."""
    begin = _current_coro_begin(body)
    if call.is_stale or body.id is None or begin is None:
        return False
    memory = Builder(call).intrinsic("llvm.coro.free", [body.id, begin], named="mem")
    return replace_argument(call, 0, memory)


def guard_by_coro_alloc(body: Body, call: Instruction) -> bool:
    """Allocate only if ``llvm.coro.alloc`` is true."""
    begin, following = _current_coro_begin(body), call.next
    if begin is None or body.id is None or following is None or begin.callee is None:
        return False
    name = call.block.name
    build = Builder(call)
    build.rename(call.block, "")
    before = build.split(call, name)  # code before the call; the call's block continues
    allocates = build.split(following, "coro.allocate")  # only the call
    rest, jump = following.block, before.terminator
    if jump is None:
        return False
    build.rename(rest, "coro.allocated")
    build = _erase_terminator_and_build_there(jump)
    needed = build.intrinsic("llvm.coro.alloc", [body.id], named="need.alloc")
    build.branch_if(needed, allocates, rest)
    build.at_start(rest)
    memory = build.phi("ptr", [(None, before), (call, allocates)], name="memory")
    _replace_call(begin, begin.callee, [memory if argument is call else argument for argument in arguments(begin)])
    return True
