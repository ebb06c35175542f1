"""Rules of when the frame may be touched: not before there is one, and not once others may have freed it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from pycoro.ir.constant import GlobalVariable
from pycoro.ir.function import Argument, Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.value import Value
from pycoro.lint.body import Body, arguments, attributes, called, keeps_address, stripped, walked
from pycoro.lint.flood import flood
from pycoro.lint.rule import Found, rule
from pycoro.lint.ways import SUSPENDED, behind

AWAITS = ("llvm.coro.await.suspend.void", "llvm.coro.await.suspend.bool", "llvm.coro.await.suspend.handle")
OF_HANDLE = ("llvm.coro.promise", "llvm.coro.done", "llvm.coro.resume", "llvm.coro.destroy")
LOOKED = 32
"""How many blocks may lie between a save and its suspend."""


def base_of(value: Value) -> Value:
    return walked(value, lambda step: step.opcode == "getelementptr" or keeps_address(step))


READS = ("readnone", "readonly")


def _is_given(body: Body, call: Instruction) -> bool:
    """Whether a call is given the handle, and may resume by it: not where it says that it writes nothing by it."""
    callee = called(call)
    for index, argument in enumerate(arguments(call)):
        if stripped(argument) is not body.begin:
            continue
        said: list[object] = [*call.argument_attributes[index]]
        if callee and index < len(callee.arguments):
            said += attributes(callee.arguments[index])
        silent = [attributes(of).get("memory") for of in (call, callee) if of is not None]
        if not any(name in said for name in READS) and not any(memory == 0 and memory is not False for memory in silent):
            return True
    return False


def _hands_out(body: Body, save: Instruction, suspend: Instruction) -> Instruction | None:
    """The call between a save and its suspend that is given the handle."""
    block, at = body.place[save]
    seen, todo = {block}, deque([(block, at + 1)])
    while todo and len(seen) <= LOOKED:
        block, at = todo.popleft()
        for instruction in body.code[block][at:]:
            if instruction is suspend:
                break
            if instruction.intrinsic in AWAITS:
                return instruction
            if instruction.opcode in ("call", "invoke") and not instruction.intrinsic and _is_given(body, instruction):
                return instruction
        else:
            todo.extend((to, 0) for to in body.successors[block] if to not in seen and not seen.add(to))  # type: ignore[func-returns-value]
    return None


def _touched(body: Body, instruction: Instruction) -> str:
    """What of the frame an instruction reads or writes, in words; empty where that is not certain."""
    if instruction.intrinsic in OF_HANDLE:
        return "the coroutine object" if stripped(arguments(instruction)[0]) is body.begin else ""
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
        base = base_of(pointer)
        if base is body.begin or getattr(base, "intrinsic", None) == "llvm.coro.promise":
            return "the frame"
        if isinstance(base, Instruction) and base.opcode == "alloca" and body.is_in_frame(base):
            return f"%{base.name}, which lives in the frame" if base.name else "a variable that lives in the frame"
    return ""


def _until_end(body: Body, block: int) -> tuple[Instruction, ...]:
    code = body.code[block]
    return code[: body.end_in[block]] if block in body.end_in else code


@rule("frame-after-suspend", "error", "the frame is touched when others may have freed it")
def frame_after_suspend(body: Body) -> Iterator[Found]:
    """Between `llvm.coro.save` and its suspend the handle is given away: to a scheduler, to another thread, to what awaits.
    From then on the coroutine may have been resumed, and may have run to its end and be freed, before the suspend gives -1. On
    that way nothing of the frame may be read or written: no promise, no variable that lives in the frame. Read what is needed
    before the handle is given away; a variable of the ramp alone can be kept out of the frame by `!coro.outside.frame`."""
    if not body.switched:
        return
    starts: list[tuple[int, int, tuple[Instruction, Instruction]]] = []
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        save = arguments(suspend)[0]
        if not isinstance(save, Instruction) or save.intrinsic != "llvm.coro.save" or save not in body.place:
            continue
        call = _hands_out(body, save, suspend)
        if call is not None:
            way = behind(body, suspend, SUSPENDED)
            if way.block is not None or way.ended:
                yield from _touches(body, way.done, suspend, call)
            if way.block is not None:
                starts.append((way.came, way.block, (suspend, call)))
    for block, (suspend, call) in flood(body, starts).items():
        if block not in body.suspends_in:
            yield from _touches(body, _until_end(body, block), suspend, call)


def _touches(body: Body, code: Iterable[Instruction], suspend: Instruction, call: Instruction) -> Iterator[Found]:
    for instruction in code:
        what = _touched(body, instruction)
        if what:
            name = f"%{suspend.name}" if suspend.name else "a suspend"
            callee = call.intrinsic or getattr(call.callee, "name", "") or "a call"
            message = f"{what} is touched on the way out of {name}, before which {callee} was given the handle"
            yield Found(instruction, message, "do it before the handle is given away, or keep what is needed out of the frame")


# ---- Before there is a frame ----


def _is_before(body: Body, instruction: Instruction) -> bool:
    assert body.begin is not None
    return instruction in body.place and body.is_reached(body.place[instruction][0]) and body.dominates(instruction, body.begin)


def _is_taken_back(body: Body, store: Instruction) -> bool:
    """Whether something else is stored there before the frame begins."""
    others = (user for user in store.operands[1].users if isinstance(user, Instruction) and user.opcode == "store")
    return any(
        other is not store and other.operands[1] is store.operands[1] and _is_before(body, other) and body.dominates(store, other)
        for other in others
    )


def _lasts(body: Body, store: Instruction, variable: Instruction) -> bool:
    """Whether the variable's address is stored where it is read later."""
    into = base_of(store.operands[1])
    return isinstance(into, GlobalVariable | Argument) or (
        isinstance(into, Instruction) and into.opcode == "alloca" and into is not variable and body.is_in_frame(into)
    )


def _stores_alone(callee: Function, argument: Argument) -> bool:
    """Whether a function stores an argument in a global variable, and nothing else there."""
    for user in argument.users:
        if not isinstance(user, Instruction) or user.opcode != "store" or user.operands[0] is not argument:
            continue
        into = user.operands[1]
        others = (other for other in into.users if isinstance(other, Instruction) and other is not user)
        if isinstance(into, GlobalVariable) and not any(o.opcode == "store" and o.block.function is callee for o in others):
            return True
    return False


def _is_kept_by(body: Body, call: Instruction, variable: Instruction) -> bool:
    """Whether a function of the module keeps the address that it is given. One that is called again before the frame begins
    may keep another by then."""
    callee = called(call)
    given = (index for index, argument in enumerate(arguments(call)) if argument is variable)
    if callee is None or not any(i < len(callee.arguments) and _stores_alone(callee, callee.arguments[i]) for i in given):
        return False
    calls = (user for user in callee.users if isinstance(user, Instruction) and user is not call)
    return not any(user in body.place and _is_before(body, user) and body.dominates(call, user) for user in calls)


@rule("escape-before-begin", "error", "a variable's address is kept before the variable is in the frame")
def escape_before_begin(body: Body) -> Iterator[Found]:
    """A variable that lives in the frame is there from `llvm.coro.begin` on; before, it is on the stack of the ramp, and what
    it holds is moved. Its address changes with that: one that was stored before `llvm.coro.begin`, where others or the
    coroutine itself read it later, is that of a stack that is gone once the ramp has returned. This is what code looks like
    that was moved above `llvm.coro.begin`. Store the address behind it. A function that stores it in a global variable is looked
    into, where the module has its body."""
    if not body.switched or body.begin is None:
        return
    for instruction in body.code[0]:
        if instruction.opcode != "alloca":
            continue
        for user in instruction.users:
            if not isinstance(user, Instruction) or not _is_before(body, user) or not body.is_in_frame(instruction):
                continue
            if user.opcode == "store":
                kept = user.operands[0] is instruction and _lasts(body, user, instruction) and not _is_taken_back(body, user)
            else:
                kept = user.opcode in ("call", "invoke") and _is_kept_by(body, user, instruction)
            if kept:
                name = f"%{instruction.name}" if instruction.name else "a variable"
                message = f"the address of {name}, which lives in the frame, is stored before there is a frame"
                yield Found(user, message, "store it behind llvm.coro.begin")
