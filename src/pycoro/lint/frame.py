"""Rules for access to the frame: not before it exists, and not after others may have freed it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from pycoro.ir.constant import GlobalVariable
from pycoro.ir.function import Argument, Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.value import Value
from pycoro.lint.after_suspend import SUSPENDED, outcome_of_suspend
from pycoro.lint.body import (
    Body,
    arguments,
    attributes,
    called_function,
    follow_first_operands,
    preserves_address,
    strip_casts_and_zero_offsets,
)
from pycoro.lint.reachability import blocks_reachable_up_to_end_or_suspend
from pycoro.lint.rule import Found, rule

AWAITS = ("llvm.coro.await.suspend.void", "llvm.coro.await.suspend.bool", "llvm.coro.await.suspend.handle")
OF_HANDLE = ("llvm.coro.promise", "llvm.coro.done", "llvm.coro.resume", "llvm.coro.destroy")
MAX_BLOCKS = 32
"""Maximum number of blocks searched between a save and its suspend."""


def underlying_object(value: Value) -> Value:
    return follow_first_operands(value, lambda step: step.opcode == "getelementptr" or preserves_address(step))


READS = ("readnone", "readonly")


def _receives_handle_and_may_write(body: Body, call: Instruction) -> bool:
    """Return whether a call receives the handle and may resume by it; not if it only reads memory."""
    callee = called_function(call)
    for index, argument in enumerate(arguments(call)):
        if strip_casts_and_zero_offsets(argument) is not body.begin:
            continue
        names: list[object] = [*call.argument_attributes[index]]
        if callee and index < len(callee.arguments):
            names += attributes(callee.arguments[index])
        effects = [attributes(of).get("memory") for of in (call, callee) if of is not None]
        if not any(name in names for name in READS) and not any(memory == 0 and memory is not False for memory in effects):
            return True
    return False


def _call_with_handle_before_suspend(body: Body, save: Instruction, suspend: Instruction) -> Instruction | None:
    """Return the call between a save and its suspend that receives the handle."""
    block, at = body.position[save]
    seen, todo = {block}, deque([(block, at + 1)])
    while todo and len(seen) <= MAX_BLOCKS:
        block, at = todo.popleft()
        for instruction in body.code[block][at:]:
            if instruction is suspend:
                break
            if instruction.intrinsic in AWAITS:
                return instruction
            if (
                instruction.opcode in ("call", "invoke")
                and not instruction.intrinsic
                and _receives_handle_and_may_write(body, instruction)
            ):
                return instruction
        else:
            todo.extend((to, 0) for to in body.successors[block] if to not in seen and not seen.add(to))  # type: ignore[func-returns-value]
    return None


def _describe_accessed_frame_memory(body: Body, instruction: Instruction) -> str:
    """Return a description of the frame memory that an instruction certainly accesses, or an empty text."""
    if instruction.intrinsic in OF_HANDLE:
        return "the coroutine" if strip_casts_and_zero_offsets(arguments(instruction)[0]) is body.begin else ""
    pointers: tuple[Value, ...] = ()
    if instruction.opcode == "load":
        pointers = instruction.operands[:1]
    elif instruction.opcode == "store":
        pointers = instruction.operands[1:2]
    elif (instruction.intrinsic or "").startswith(("llvm.memcpy", "llvm.memmove")):
        pointers = arguments(instruction)[:2]
    elif (instruction.intrinsic or "").startswith("llvm.memset"):
        pointers = arguments(instruction)[:1]
    for pointer in pointers:
        base = underlying_object(pointer)
        if base is body.begin or getattr(base, "intrinsic", None) == "llvm.coro.promise":
            return "the frame"
        if isinstance(base, Instruction) and base.opcode == "alloca" and body.is_in_frame(base):
            return f"%{base.name} in the frame" if base.name else "a stack slot in the frame"
    return ""


def _instructions_until_end(body: Body, block: int) -> tuple[Instruction, ...]:
    code = body.code[block]
    return code[: body.first_end[block]] if block in body.first_end else code


@rule("frame-after-suspend", "error", "access to the frame when others may have freed it")
def frame_access_after_suspend(body: Body) -> Iterator[Found]:
    """Between `llvm.coro.save` and its suspend, the handle is published: to a scheduler, another thread or an awaiter. From then
    on the coroutine may be resumed, run to its end and be freed before the suspend returns -1. On that path nothing in the
    frame may be accessed: neither the promise nor a stack slot in the frame. Load values before the handle is published;
    `!coro.outside.frame` keeps a stack slot of the ramp out of the frame."""
    if not body.is_switch:
        return
    starts: list[tuple[int, int, tuple[Instruction, Instruction]]] = []
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        save = arguments(suspend)[0]
        if not isinstance(save, Instruction) or save.intrinsic != "llvm.coro.save" or save not in body.position:
            continue
        call = _call_with_handle_before_suspend(body, save, suspend)
        if call is not None:
            outcome = outcome_of_suspend(body, suspend, SUSPENDED)
            if outcome.block is not None or outcome.ended:
                yield from _accesses_after_call(body, outcome.done, suspend, call)
            if outcome.block is not None:
                starts.append((outcome.came, outcome.block, (suspend, call)))
    for block, (suspend, call) in blocks_reachable_up_to_end_or_suspend(body, starts).items():
        if block not in body.suspend_blocks:
            yield from _accesses_after_call(body, _instructions_until_end(body, block), suspend, call)


def _accesses_after_call(body: Body, code: Iterable[Instruction], suspend: Instruction, call: Instruction) -> Iterator[Found]:
    for instruction in code:
        what = _describe_accessed_frame_memory(body, instruction)
        if what:
            name = f"%{suspend.name}" if suspend.name else "a suspend"
            callee = call.intrinsic or getattr(call.callee, "name", "") or "a call"
            message = f"{what} is accessed when {name} suspends, after {callee} received the handle"
            yield Found(instruction, message, "move the access before that call, or keep the data out of the frame")


# ---- Before the frame exists ----


def _is_reachable_and_dominates_begin(body: Body, instruction: Instruction) -> bool:
    assert body.begin is not None
    return (
        instruction in body.position
        and body.is_reachable(body.position[instruction][0])
        and body.dominates(instruction, body.begin)
    )


def _is_overwritten_before_begin(body: Body, store: Instruction) -> bool:
    """Return whether another store overwrites it before the frame exists."""
    others = (user for user in store.operands[1].users if isinstance(user, Instruction) and user.opcode == "store")
    return any(
        other is not store
        and other.operands[1] is store.operands[1]
        and _is_reachable_and_dominates_begin(body, other)
        and body.dominates(store, other)
        for other in others
    )


def _stores_address_for_later_code(body: Body, store: Instruction, variable: Instruction) -> bool:
    """Return whether the address of the stack slot is stored where later code reads it."""
    into = underlying_object(store.operands[1])
    return isinstance(into, GlobalVariable | Argument) or (
        isinstance(into, Instruction) and into.opcode == "alloca" and into is not variable and body.is_in_frame(into)
    )


def _leaves_argument_in_global(callee: Function, argument: Argument) -> bool:
    """Return whether a function stores an argument in a global variable without overwriting it."""
    for user in argument.users:
        if not isinstance(user, Instruction) or user.opcode != "store" or user.operands[0] is not argument:
            continue
        into = user.operands[1]
        others = (other for other in into.users if isinstance(other, Instruction) and other is not user)
        if isinstance(into, GlobalVariable) and not any(o.opcode == "store" and o.block.function is callee for o in others):
            return True
    return False


def _callee_leaves_address_in_global(body: Body, call: Instruction, variable: Instruction) -> bool:
    """Return whether a function of the module stores the address. A later call before the frame exists may store another one."""
    callee = called_function(call)
    given = (index for index, argument in enumerate(arguments(call)) if argument is variable)
    if callee is None or not any(
        i < len(callee.arguments) and _leaves_argument_in_global(callee, callee.arguments[i]) for i in given
    ):
        return False
    calls = (user for user in callee.users if isinstance(user, Instruction) and user is not call)
    return not any(
        user in body.position and _is_reachable_and_dominates_begin(body, user) and body.dominates(call, user) for user in calls
    )


@rule("escape-before-begin", "error", "address of a stack slot is stored before the slot moves into the frame")
def escape_before_begin(body: Body) -> Iterator[Found]:
    """A stack slot that belongs to the frame is on the ramp's stack until `llvm.coro.begin`, which moves its content. An address
    that was stored earlier, for later use by the coroutine or others, then points into a stack that is gone when the ramp
    returns. Usually the code was moved above `llvm.coro.begin`. Store the address after it. The rule looks into functions of
    the module that store the address in a global variable. If the coroutine itself stores it, pycoro puts the slot on the heap,
    but LLVM does not."""
    if not body.is_switch or body.begin is None:
        return
    for instruction in body.code[0]:
        if instruction.opcode != "alloca":
            continue
        for user in instruction.users:
            if (
                not isinstance(user, Instruction)
                or not _is_reachable_and_dominates_begin(body, user)
                or not body.is_in_frame(instruction)
            ):
                continue
            if user.opcode == "store":
                kept = (
                    user.operands[0] is instruction
                    and _stores_address_for_later_code(body, user, instruction)
                    and not _is_overwritten_before_begin(body, user)
                )
            else:
                kept = user.opcode in ("call", "invoke") and _callee_leaves_address_in_global(body, user, instruction)
            if kept:
                name = f"%{instruction.name}" if instruction.name else "a variable"
                message = f"the address of {name}, a stack slot in the frame, is stored before llvm.coro.begin"
                yield Found(user, message, "store it after llvm.coro.begin")
