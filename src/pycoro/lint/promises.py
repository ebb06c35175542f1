"""Rules of what is promised of pointers and is not so."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from pycoro.ir.constant import Global, GlobalVariable
from pycoro.ir.function import Argument
from pycoro.ir.instruction import Instruction
from pycoro.lint import mend
from pycoro.lint.body import Body, arguments, attributes, called, constant_of, keeps_address, stripped, walked
from pycoro.lint.frame import base_of
from pycoro.lint.rule import Found, rule

if TYPE_CHECKING:
    from pycoro.ir.function import Function
    from pycoro.ir.value import Value

DEEPEST = 16
"""How many calls a handle is followed through."""


def _keeps(body: Body, value: Value, deep: int = 0) -> Instruction | None:
    """Where a handle comes to memory, or to a caller, that may outlive the function; through phis, and through variables that are
    only loaded from and stored to."""
    todo, seen = [value], {value}
    for at in todo:
        for user in at.users:
            if not isinstance(user, Instruction) or user not in body.place:
                continue
            if user.opcode == "ret":
                return user
            if user.opcode == "store" and user.operands[0] is at:
                into = base_of(user.operands[1])
                if isinstance(into, GlobalVariable):
                    return user
                slot = stripped(user.operands[1])
                if isinstance(slot, Instruction) and slot.opcode == "alloca" and slot not in seen and _holds_one(slot, user):
                    seen.add(slot)
                    todo += [load for load in slot.users if isinstance(load, Instruction) and load.opcode == "load"]
            elif user.opcode in ("phi", "select", "bitcast", "freeze", "insertvalue") and user not in seen:
                seen.add(user)
                todo.append(user)
            elif user.opcode in ("call", "invoke") and not user.intrinsic:
                indices = [index for index, argument in enumerate(arguments(user)) if argument is at]
                if any(_is_kept_by(body, called(user), index, deep) for index in indices):
                    return user
    return None


def _holds_one(slot: Instruction, store: Instruction) -> bool:
    """Whether a variable is only loaded from, and stored to once."""
    return all(
        user is store or (isinstance(user, Instruction) and (user.opcode == "load" or "lifetime" in (user.intrinsic or "")))
        for user in slot.users
    )


def _is_kept_by(body: Body, function: Function | None, index: int, deep: int) -> bool:
    """Whether a function keeps an argument in a global variable; what it returns stays with who has called it."""
    if function is None or function.declaration or deep > DEEPEST or index >= len(function.arguments):
        return False
    known = body.program.kept.get((function, index))
    if known is None:
        body.program.kept[function, index] = False
        kept = _keeps(body.program.body(function), function.arguments[index], deep + 1)
        known = body.program.kept[function, index] = kept is not None and kept.opcode != "ret"
    return known


@rule("elide-safe-escapes", "error", "a call is marked coro_elide_safe and its handle gets away", coroutines=False)
def elide_safe_escapes(body: Body) -> Iterator[Found]:
    """`coro_elide_safe` at a call says that the coroutine is over before its caller is, so that the frame may be put into the
    caller's. A handle that is returned, or stored into a global variable, also by a function that it is given to, is there
    when the caller is gone, and its frame is not. Take the attribute away, or destroy the coroutine in the caller."""
    for call in body.plain_calls:
        if "coro_elide_safe" not in attributes(call) or str(call.type) != "ptr":
            continue
        kept = _keeps(body, call)
        if kept is not None:
            how = "is returned" if kept.opcode == "ret" else "is kept in a global variable"
            message = f"the call is coro_elide_safe, and the handle that it gives {how}"
            fix = partial(mend.drop_attribute, call, "coro_elide_safe")
            yield Found(call, message, "take coro_elide_safe away from the call", fix)


# ---- noalias ----


def _given(body: Body) -> Iterator[tuple[Instruction, Value]]:
    """What a function returns: values behind phis and selects."""
    for code in body.code:
        if not code or code[-1].opcode != "ret" or not code[-1].operands:
            continue
        todo, seen = [stripped(code[-1].operands[0])], set[object]()
        for value in todo:
            if value in seen:
                continue
            seen.add(value)
            if isinstance(value, Instruction) and value.opcode in ("phi", "select"):
                todo += map(stripped, value.operands[1 if value.opcode == "select" else 0 :])
            else:
                yield code[-1], value


def _fixed(value: Value) -> Value:
    """What a pointer points into, at an offset that is always the same: another part of an arena each time is nobody else's."""
    return walked(value, _is_fixed)


def _is_fixed(step: Instruction) -> bool:
    if step.opcode == "getelementptr":
        return all(constant_of(index) is not None for index in step.operands[1:])
    return keeps_address(step)


def _shared(body: Body, value: Value) -> str:
    """How others may know of what is returned, in words; empty where that is not certain."""
    base = _fixed(value)
    if isinstance(base, Argument):
        return "is an argument"
    if isinstance(base, Global):
        return "is a global"
    if base is body.begin and isinstance(base, Instruction):
        for user in base.users:
            stores = isinstance(user, Instruction) and user.opcode == "store" and user.operands[0] is base
            if stores and isinstance(base_of(user.operands[1]), Global | Argument):
                return "was stored where others find it"
    return ""


@rule("noalias", "error", "a pointer is noalias, and others have it", coroutines=False)
def noalias(body: Body) -> Iterator[Found]:
    """`noalias` on what a function returns says that nobody else has the pointer: optimisers take a load through another one
    for a load from other memory. An allocator that gives away a buffer that it was given, or that is a global, and a ramp
    whose handle was stored where a scheduler finds it before it is returned, cannot say so. An argument that is `noalias`, and
    given twice to the same call where the coroutine writes through it, is not either. Take the attribute away."""
    function = body.function
    if "noalias" in (function.result_attributes or {}):
        for ret, value in _given(body):
            how = _shared(body, value)
            if how:
                message = f"@{function.name} promises by noalias that nobody else has what it returns, which {how}"
                fix = partial(mend.drop_attribute, function, "noalias", result=True)
                yield Found(ret, message, "take noalias away from the function's result", fix)
                break
    for call in body.plain_calls:
        callee = called(call)
        if callee is None or not callee.presplit:
            continue
        passed = arguments(call)[: len(callee.arguments)]  # a call may pass more or fewer than the callee takes
        for index, (argument, value) in enumerate(zip(callee.arguments, passed, strict=False)):
            again = [i for i, other in enumerate(passed) if i != index and other is value]
            if "noalias" in attributes(argument) and again and _is_written(argument, callee.arguments[again[0]]):
                message = f"arguments {index} and {again[0]} are the same pointer, and @{callee.name} takes the first as noalias"
                fix = partial(mend.drop_attribute, callee, "noalias", parameter=index)
                yield Found(call, message, "take noalias away from the parameter, or pass different memory", fix)
                break


def _is_written(*arguments: Argument) -> bool:
    """Whether both are used as addresses, and one is stored to."""
    uses = [[user for user in argument.users if isinstance(user, Instruction)] for argument in arguments]
    accessed = [any(user.opcode in ("load", "store") for user in users) for users in uses]
    return all(accessed) and any(
        user.opcode == "store" and user.operands[1] is argument
        for argument, users in zip(arguments, uses, strict=True)
        for user in users
    )
