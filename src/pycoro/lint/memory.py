"""Rules of the frame's memory: who allocates and frees it, and how it is aligned."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from pycoro.ir.instruction import Instruction
from pycoro.lint import mend
from pycoro.lint.body import Body, arguments, attributes, called, constant_of, stripped
from pycoro.lint.rule import Found, rule

if TYPE_CHECKING:
    from pycoro.ir.function import Function
    from pycoro.ir.value import Value

FREES = ("free", "_ZdlPv", "_ZdlPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdaPv", "_ZdaPvm", "__rust_dealloc")
"""What frees memory by the name of it."""

ALLOCKIND_FREE = 4
"""As LLVM encodes ``allockind("free")``."""


def _allocation(body: Body) -> Instruction | None:
    """The call that gives ``llvm.coro.begin`` its memory, whether or not a phi lets it be null."""
    given = stripped(arguments(body.begin)[1]) if body.begin else None
    if isinstance(given, Instruction) and given.opcode == "phi":
        calls = [value for value, _ in given.incoming if getattr(stripped(value), "opcode", None) in ("call", "invoke")]
        given = stripped(calls[0]) if len(calls) == 1 else None
    if isinstance(given, Instruction) and given.opcode in ("call", "invoke") and not given.intrinsic:
        return given
    return None


def _asked(body: Body) -> list[Instruction]:
    return [call for call in body.calls.get("llvm.coro.alloc", ()) if arguments(call)[0] is body.id]


def _is_guarded(body: Body, allocation: Instruction) -> bool:
    """Whether the allocation is on the way of a branch on ``llvm.coro.alloc``, and not before or beside it."""
    for asked in _asked(body):
        for user in asked.users:
            if not isinstance(user, Instruction) or user not in body.place:
                continue
            if user.opcode != "br":
                return True  # computed with: who knows
            block = body.place[user][0]
            if len(body.successors[block]) == 2 and any(
                body.edge_dominates(block, to, body.place[allocation][0]) for to in body.successors[block]
            ):
                return True
    return False


@rule("unguarded-allocation", "warning", "the frame is allocated whether or not it has to be")
def unguarded_allocation(body: Body) -> Iterator[Found]:
    """`llvm.coro.alloc` says whether the frame needs memory of its own: it is false where the frame was put on the stack of
    the function that starts the coroutine. Memory that is allocated beside the branch on it is lost then. A coroutine that
    does not ask at all (a `note`: `--notes` shows it) is right, and its frame is never elided. Allocate where
    `llvm.coro.alloc` is true, and let a phi give `llvm.coro.begin` null otherwise."""
    allocation = _allocation(body)
    if not body.switched or allocation is None or _is_guarded(body, allocation):
        return
    function = called(allocation)
    name = f"@{function.name}" if function else "what is called"
    hint = "branch on llvm.coro.alloc: allocate where it is true, and begin with null where it is not"
    if _asked(body):
        yield Found(allocation, f"{name} allocates the frame where llvm.coro.alloc has said that it need not", hint)
        return
    begin = body.begin
    plain = allocation.opcode == "call" and begin is not None and stripped(arguments(begin)[1]) is allocation
    alone = plain and allocation.users == (begin,) and begin is not None and arguments(begin)[1] is allocation
    fix = partial(mend.ask_alloc, body, allocation) if alone and _frees_by_coro_free(body) else None
    message = f"{name} allocates the frame without asking llvm.coro.alloc, so that it is never elided"
    yield Found(allocation, message, hint, fix, "note")


def _frees_by_coro_free(body: Body) -> bool:
    """And whether whoever is given what it gives takes null as well, which it never was before."""
    given = [user for memory in body.calls.get("llvm.coro.free", ()) for user in memory.users]
    takes_null = all(
        isinstance(user, Instruction)
        and (user.opcode == "icmp" or (user.opcode == "call" and (function := called(user)) and function.name in FREES))
        for user in given
    )
    return bool(given) and takes_null and not any(True for _ in _other_frees(body))


def _is_free(body: Body, function: Function | None) -> bool:
    """Whether a function frees memory: by its name, by what it says, or as it is given what another coroutine frees."""
    if function is None:
        return False
    kind = attributes(function).get("allockind")
    return function.name in FREES or function in body.program.frees or (isinstance(kind, int) and bool(kind & ALLOCKIND_FREE))


def _other_frees(body: Body) -> Iterator[tuple[Instruction, int]]:
    """Calls that free the frame by its handle, with the number of the argument."""
    if body.begin is None:
        return
    todo: list[Value] = [body.begin]
    for value in todo:
        for user in value.users:
            if not isinstance(user, Instruction) or user not in body.place:
                continue
            if stripped(user) is body.begin and user not in todo:
                todo.append(user)
            elif user.opcode in ("call", "invoke") and _is_free(body, called(user)) and arguments(user)[:1] == (value,):
                yield user, 0


@rule("free-without-coro-free", "error", "the frame is freed by its handle")
def free_without_coro_free(body: Body) -> Iterator[Found]:
    """What is to be freed is what `llvm.coro.free` gives: null where the frame was elided, so that nothing of its own is there to
    be freed, and elsewhere the memory as it was allocated. The handle is an address on a stack then, and freeing it corrupts the
    heap. In a coroutine that never asks `llvm.coro.alloc`, and is never elided, it is a `warning`."""
    if not body.switched:
        return
    severity = "error" if _asked(body) else "warning"
    for call, index in _other_frees(body):
        function = called(call)
        message = f"@{function.name if function else ''} frees the frame by its handle, which need not be memory of its own"
        fix = partial(mend.free_what_coro_free_gives, body, call, index) if call.opcode == "call" else None
        yield Found(call, message, "free what llvm.coro.free gives for the handle", fix, severity)  # type: ignore[arg-type]


# ---- Alignment ----


def _promise_of(body: Body) -> Instruction | None:
    promise = stripped(arguments(body.id)[1]) if body.switched and body.id else None
    return promise if isinstance(promise, Instruction) and promise.opcode == "alloca" else None


def coroutine_of(body: Body, handle: Value) -> Body | None:
    """The coroutine that a handle is certainly of: this one, or one that is called and gives its handle."""
    handle = stripped(handle)
    if handle is body.begin:
        return body
    function = called(handle) if isinstance(handle, Instruction) and handle.opcode in ("call", "invoke") else None
    if function is None or function.declaration or not function.presplit:
        return None
    other = body.program.body(function)
    last = [code[-1] for code in other.code if code and code[-1].opcode == "ret"]
    given = [stripped(ret.operands[0]) for ret in last if ret.operands and getattr(ret.operands[0], "kind", "") != "null"]
    if not given or any(value is not other.begin for value in given):
        return None
    return other


def _offset(align: int, header: int) -> int:
    return (header + align - 1) // align * align if align else header


@rule("promise-align", "error", "the promise is looked for where it is not", coroutines=False)
def promise_align(body: Body) -> Iterator[Found]:
    """Whoever has a handle finds the promise behind the frame's header by its alignment alone: `llvm.coro.promise` is told the one
    that the promise's `alloca` has, or finds other bytes. And a promise that is aligned further than `llvm.coro.id` says the
    allocator's memory is (0 says twice a pointer) is not aligned at all, unless `llvm.coro.align` is what the allocator is asked
    for: then it is a `warning`."""
    header = 2 * body.program.pointer_size
    for call in body.calls.get("llvm.coro.promise", ()):
        align, back = constant_of(arguments(call)[1]), constant_of(arguments(call)[2])
        of = None if back else coroutine_of(body, arguments(call)[0])
        promise = _promise_of(of) if of else None
        wanted = (promise.align or 1) if promise else None
        if wanted is None or align is None or align <= 0 or _offset(align, header) == _offset(wanted, header):
            continue
        message = f"llvm.coro.promise looks for a promise that is aligned to {align}, and the coroutine's is aligned to {wanted}"
        number = body.program.constant("i32", wanted)
        yield Found(call, message, f"pass i32 {wanted}", partial(mend.replace_argument, call, 1, number))
    promise = _promise_of(body)
    if promise is None or body.id is None or body.calls.get("llvm.coro.align"):
        return
    told = constant_of(arguments(body.id)[0]) or header
    if (promise.align or 1) > told and _allocation(body) is not None:
        message = f"the promise is aligned to {promise.align}, and the frame's memory, by llvm.coro.id, to {told}"
        hint = "allocate as llvm.coro.align asks, or tell llvm.coro.id what the allocator promises"
        yield Found(body.id, message, hint, None, "warning")
