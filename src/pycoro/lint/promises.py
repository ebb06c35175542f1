"""Rules for false attributes of pointers and calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from pycoro.ir.constant import Global, GlobalVariable
from pycoro.ir.function import Argument
from pycoro.ir.instruction import Instruction
from pycoro.lint import fixes
from pycoro.lint.body import (
    Body,
    arguments,
    attributes,
    called_function,
    constant_integer_or_none,
    follow_first_operands,
    preserves_address,
    strip_casts_and_zero_offsets,
)
from pycoro.lint.frame import underlying_object
from pycoro.lint.rule import Found, rule

if TYPE_CHECKING:
    from pycoro.ir.function import Function
    from pycoro.ir.value import Value

DEEPEST = 16
"""Maximum depth of calls that a handle is followed through."""


def _escape_of_handle(body: Body, value: Value, call_depth: int = 0) -> Instruction | None:
    """Return the instruction by which a handle escapes to a caller or to memory that may outlive the function, through phis and
    stack slots with loads and one store."""
    todo, seen = [value], {value}
    for at in todo:
        for user in at.users:
            if not isinstance(user, Instruction) or user not in body.position:
                continue
            if user.opcode == "ret":
                return user
            if user.opcode == "store" and user.operands[0] is at:
                into = underlying_object(user.operands[1])
                if isinstance(into, GlobalVariable):
                    return user
                slot = strip_casts_and_zero_offsets(user.operands[1])
                if (
                    isinstance(slot, Instruction)
                    and slot.opcode == "alloca"
                    and slot not in seen
                    and _has_only_loads_and_this_store(slot, user)
                ):
                    seen.add(slot)
                    todo += [load for load in slot.users if isinstance(load, Instruction) and load.opcode == "load"]
            elif user.opcode in ("phi", "select", "bitcast", "freeze", "insertvalue") and user not in seen:
                seen.add(user)
                todo.append(user)
            elif user.opcode in ("call", "invoke") and not user.intrinsic:
                indices = [index for index, argument in enumerate(arguments(user)) if argument is at]
                if any(_is_stored_in_global_by(body, called_function(user), index, call_depth) for index in indices):
                    return user
    return None


def _has_only_loads_and_this_store(slot: Instruction, store: Instruction) -> bool:
    """Return whether a stack slot has only loads and one store."""
    return all(
        user is store or (isinstance(user, Instruction) and (user.opcode == "load" or "lifetime" in (user.intrinsic or "")))
        for user in slot.users
    )


def _is_stored_in_global_by(body: Body, function: Function | None, index: int, call_depth: int) -> bool:
    """Return whether a function stores an argument in a global variable; a returned one stays with its caller."""
    if function is None or function.is_declaration or call_depth > DEEPEST or index >= len(function.arguments):
        return False
    known = body.program.kept.get((function, index))
    if known is None:
        body.program.kept[function, index] = False
        kept = _escape_of_handle(body.program.body(function), function.arguments[index], call_depth + 1)
        known = body.program.kept[function, index] = kept is not None and kept.opcode != "ret"
    return known


@rule("elide-safe-escapes", "error", "handle of a coro_elide_safe call escapes", coroutines=False)
def escaping_elide_safe_handle(body: Body) -> Iterator[Found]:
    """`coro_elide_safe` at a call promises that the coroutine ends before its caller, so that its frame may be part of the
    caller's. A handle that is returned, or stored in a global variable, possibly by a called function, outlives the caller and
    its frame. Remove the attribute, or destroy the coroutine in the caller."""
    for call in body.plain_calls:
        if "coro_elide_safe" not in attributes(call) or str(call.type) != "ptr":
            continue
        kept = _escape_of_handle(body, call)
        if kept is not None:
            how = "is returned" if kept.opcode == "ret" else "is stored in a global variable"
            message = f"the call is coro_elide_safe, but its handle {how}"
            fix = partial(fixes.drop_attribute, call, "coro_elide_safe")
            yield Found(call, message, "remove coro_elide_safe from the call", fix)


# ---- noalias ----


def _returned_values(body: Body) -> Iterator[tuple[Instruction, Value]]:
    """Yield the returned values, through phis and selects."""
    for code in body.code:
        if not code or code[-1].opcode != "ret" or not code[-1].operands:
            continue
        todo, seen = [strip_casts_and_zero_offsets(code[-1].operands[0])], set[object]()
        for value in todo:
            if value in seen:
                continue
            seen.add(value)
            if isinstance(value, Instruction) and value.opcode in ("phi", "select"):
                todo += map(strip_casts_and_zero_offsets, value.operands[1 if value.opcode == "select" else 0 :])
            else:
                yield code[-1], value


def _constant_offset_base(value: Value) -> Value:
    """Return the base of a pointer with constant offset; a variable offset may select a new part of an arena each time."""
    return follow_first_operands(value, _is_constant_offset)


def _is_constant_offset(step: Instruction) -> bool:
    if step.opcode == "getelementptr":
        return all(constant_integer_or_none(index) is not None for index in step.operands[1:])
    return preserves_address(step)


def _describe_other_owner(body: Body, value: Value) -> str:
    """Return in words how others may have the returned pointer; empty if that is not certain."""
    base = _constant_offset_base(value)
    if isinstance(base, Argument):
        return "is an argument"
    if isinstance(base, Global):
        return "is a global"
    if base is body.begin and isinstance(base, Instruction):
        for user in base.users:
            stores = isinstance(user, Instruction) and user.opcode == "store" and user.operands[0] is base
            if stores and isinstance(underlying_object(user.operands[1]), Global | Argument):
                return "is also stored in memory of others"
    return ""


@rule("noalias", "error", "noalias pointer that others have", coroutines=False)
def shared_noalias_pointer(body: Body) -> Iterator[Found]:
    """`noalias` on a result promises that no other pointer to the memory exists: optimizers assume that loads through other
    pointers do not alias. It is wrong for an allocator that returns an argument or a global, and for a ramp that stores its
    handle for a scheduler before it returns it. It is also wrong for a parameter if a call passes the same pointer twice and
    the coroutine writes through it. Remove the attribute."""
    function = body.function
    if "noalias" in (function.result_attributes or {}):
        for ret, value in _returned_values(body):
            how = _describe_other_owner(body, value)
            if how:
                message = f"the result of @{function.name} is noalias, but it {how}"
                fix = partial(fixes.drop_attribute, function, "noalias", result=True)
                yield Found(ret, message, "remove noalias from the function's result", fix)
                break
    for call in body.plain_calls:
        callee = called_function(call)
        if callee is None or not body.program.is_presplit(callee):
            continue
        passed = arguments(call)[: len(callee.arguments)]  # a call may pass more or fewer than the callee takes
        for index, (argument, value) in enumerate(zip(callee.arguments, passed, strict=False)):
            same = [i for i, other in enumerate(passed) if i != index and other is value]
            if (
                "noalias" in attributes(argument)
                and same
                and _are_both_accessed_and_one_stored_to(argument, callee.arguments[same[0]])
            ):
                message = (
                    f"arguments {index} and {same[0]} are the same pointer, but parameter {index} of @{callee.name} is noalias"
                )
                fix = partial(fixes.drop_attribute, callee, "noalias", parameter=index)
                yield Found(call, message, "remove noalias from the parameter, or pass different memory", fix)
                break


def _are_both_accessed_and_one_stored_to(*arguments: Argument) -> bool:
    """Return whether both arguments are used as addresses and one is stored to."""
    uses = [[user for user in argument.users if isinstance(user, Instruction)] for argument in arguments]
    accessed = [any(user.opcode in ("load", "store") for user in users) for users in uses]
    return all(accessed) and any(
        user.opcode == "store" and user.operands[1] is argument
        for argument, users in zip(arguments, uses, strict=True)
        for user in users
    )
