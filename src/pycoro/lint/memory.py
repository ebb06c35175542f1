"""Rules for the memory of the frame: allocation, deallocation and alignment."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from pycoro.ir.instruction import Instruction
from pycoro.lint import fixes
from pycoro.lint.after_suspend import DESTROYED, outcome_of_suspend
from pycoro.lint.body import Body, arguments, attributes, called_function, constant_integer_or_none, strip_casts_and_zero_offsets
from pycoro.lint.rule import Found, rule

if TYPE_CHECKING:
    from pycoro.ir.function import Function
    from pycoro.ir.value import Value

FREES = ("free", "_ZdlPv", "_ZdlPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdaPv", "_ZdaPvm", "__rust_dealloc")
"""Names of functions that free memory."""

ALLOCKIND_FREE = 4
"""LLVM's encoding of ``allockind("free")``."""

SIZE_ARGUMENT = {
    **dict.fromkeys(("malloc", "_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnwmRKSt9nothrow_t", "__rust_alloc"), 0),
    **dict.fromkeys(("aligned_alloc", "memalign"), 1),
}
"""Functions that allocate memory, with the index of the argument that is its size in bytes."""


def _frame_allocation(body: Body) -> Instruction | None:
    """Return the call that allocates the memory of ``llvm.coro.begin``, directly or through a phi with null."""
    given = strip_casts_and_zero_offsets(arguments(body.begin)[1]) if body.begin else None
    if isinstance(given, Instruction) and given.opcode == "phi":
        calls = [
            value
            for value, _ in given.incoming
            if getattr(strip_casts_and_zero_offsets(value), "opcode", None) in ("call", "invoke")
        ]
        given = strip_casts_and_zero_offsets(calls[0]) if len(calls) == 1 else None
    if isinstance(given, Instruction) and given.opcode in ("call", "invoke") and not given.intrinsic:
        return given
    return None


def _coro_alloc_calls(body: Body) -> list[Instruction]:
    return [call for call in body.calls.get("llvm.coro.alloc", ()) if arguments(call)[0] is body.id]


def _may_be_guarded_by_coro_alloc(body: Body, allocation: Instruction) -> bool:
    """Return whether the allocation depends on a branch on ``llvm.coro.alloc``, or may do so through a computation."""
    for query in _coro_alloc_calls(body):
        for user in query.users:
            if not isinstance(user, Instruction) or user not in body.position:
                continue
            if user.opcode != "br":
                return True  # used in a computation: unknown
            block = body.position[user][0]
            if len(body.successors[block]) == 2 and any(
                body.edge_dominates(block, to, body.position[allocation][0]) for to in body.successors[block]
            ):
                return True
    return False


@rule("unguarded-allocation", "warning", "frame allocation without a check of llvm.coro.alloc")
def unguarded_allocation(body: Body) -> Iterator[Found]:
    """`llvm.coro.alloc` is false if the frame was elided into a stack slot of the caller. Memory that is allocated regardless of
    it leaks. A coroutine without `llvm.coro.alloc` (a `note`, shown with `--notes`) is correct, but its frame is never elided.
    Allocate only if `llvm.coro.alloc` is true, and use a phi with null for `llvm.coro.begin` otherwise."""
    allocation = _frame_allocation(body)
    if not body.is_switch or allocation is None or _may_be_guarded_by_coro_alloc(body, allocation):
        return
    function = called_function(allocation)
    name = f"@{function.name}" if function else "the call"
    hint = "branch on llvm.coro.alloc: allocate if it is true, pass null to llvm.coro.begin otherwise"
    if _coro_alloc_calls(body):
        yield Found(allocation, f"{name} allocates the frame even if llvm.coro.alloc is false", hint)
        return
    begin = body.begin
    plain = allocation.opcode == "call" and begin is not None and strip_casts_and_zero_offsets(arguments(begin)[1]) is allocation
    alone = plain and allocation.users == (begin,) and begin is not None and arguments(begin)[1] is allocation
    fix = partial(fixes.guard_by_coro_alloc, body, allocation) if alone and _all_frees_use_coro_free_and_take_null(body) else None
    message = f"{name} allocates the frame without llvm.coro.alloc, so the frame is never elided"
    yield Found(allocation, message, hint, fix, "note")


def _all_frees_use_coro_free_and_take_null(body: Body) -> bool:
    """Return whether all frees use ``llvm.coro.free`` and accept null, which they never got before."""
    given = [user for memory in body.calls.get("llvm.coro.free", ()) for user in memory.users]
    takes_null = all(
        isinstance(user, Instruction)
        and (user.opcode == "icmp" or (user.opcode == "call" and (function := called_function(user)) and function.name in FREES))
        for user in given
    )
    return bool(given) and takes_null and not any(True for _ in _calls_that_free_handle(body))


def _is_deallocation(body: Body, function: Function | None) -> bool:
    """Return whether a function frees memory: by its name, its attributes, or because another coroutine passes it the result of
    ``llvm.coro.free``."""
    if function is None:
        return False
    kind = attributes(function).get("allockind")
    return (
        function.name in FREES
        or function in body.program.functions_receiving_coro_free_result
        or (isinstance(kind, int) and bool(kind & ALLOCKIND_FREE))
    )


def _calls_that_free_handle(body: Body) -> Iterator[Instruction]:
    """Yield calls that free the frame by its handle."""
    if body.begin is None:
        return
    todo: list[Value] = [body.begin]
    for value in todo:
        for user in value.users:
            if not isinstance(user, Instruction) or user not in body.position:
                continue
            if strip_casts_and_zero_offsets(user) is body.begin and user not in todo:
                todo.append(user)
            elif (
                user.opcode in ("call", "invoke")
                and _is_deallocation(body, called_function(user))
                and arguments(user)[:1] == (value,)
            ):
                yield user


@rule("free-without-coro-free", "error", "frame freed by its handle")
def free_without_coro_free(body: Body) -> Iterator[Found]:
    """Free the result of `llvm.coro.free`: it is null if the frame was elided, and otherwise the allocated memory. The handle of
    an elided frame is an address on a stack, and freeing it corrupts the heap. In a coroutine without `llvm.coro.alloc`, which
    is never elided, this is a `warning`."""
    if not body.is_switch:
        return
    severity = "error" if _coro_alloc_calls(body) else "warning"
    for call in _calls_that_free_handle(body):
        function = called_function(call)
        message = f"@{function.name if function else ''} frees the frame by its handle, which may be a stack address"
        fix = partial(fixes.free_by_coro_free, body, call) if call.opcode == "call" else None
        yield Found(call, message, "free the result of llvm.coro.free instead", fix, severity)  # type: ignore[arg-type]


@rule("unused-free", "warning", "result of llvm.coro.free is not used")
def unused_coro_free(body: Body) -> Iterator[Found]:
    """`llvm.coro.free` frees nothing: it returns the memory that the coroutine must free, or null if the frame was elided. If the
    result is not used, the memory of a frame on the heap leaks. Pass it to the deallocation function, or remove the call if the
    memory is not the coroutine's to free."""
    for call in body.calls.get("llvm.coro.free", ()):
        if arguments(call)[0] is body.id and not call.users and body.is_reachable(body.position[call][0]):
            message = "llvm.coro.free only returns the memory to free, and its result is not used"
            yield Found(call, message, "pass the result to the deallocation function")


def _may_free(body: Body, call: Instruction) -> bool:
    """Return whether an instruction may free the frame: ``llvm.coro.free``, or a call that gets the handle, the memory, or a
    loaded pointer if the handle or the memory is stored."""
    if call.opcode not in ("call", "invoke", "callbr") or body.begin is None:
        return False
    if (call.intrinsic or "").startswith("llvm."):
        return call.intrinsic == "llvm.coro.free" and arguments(call)[0] is body.id
    frame = (body.begin, strip_casts_and_zero_offsets(arguments(body.begin)[1]))
    given = [strip_casts_and_zero_offsets(argument) for argument in arguments(call)]
    return any(value in frame for value in given) or (
        any(isinstance(value, Instruction) and value.opcode == "load" for value in given)
        and any(isinstance(user, Instruction) and user.opcode == "store" and n == 0 for value in frame for user, n in value.uses)
    )


def _blocks_from_which_clones_reach(body: Body, targets: set[int]) -> set[int]:
    """Return the blocks from which a clone reaches one of the targets; clones return at ``llvm.coro.end``."""
    found, todo = set(targets), list(targets)
    for block in todo:
        new = {before for before in body.predecessors[block] if before not in body.first_end} - found
        found |= new
        todo += new
    return found


@rule("destroy-leaks", "warning", "destruction at a suspend does not free the frame")
def destroy_without_free(body: Body) -> Iterator[Found]:
    """The destination of a suspend for the result 1 destroys the coroutine, and frees the memory of its frame. If it reaches
    `llvm.coro.end` without an `llvm.coro.free`, which other paths have, destroying the coroutine while it is suspended there leaks
    the frame. Branch to the cleanup with the `llvm.coro.free`."""
    if not body.is_switch or not any(call.users for call in body.calls.get("llvm.coro.free", ()) if arguments(call)[0] is body.id):
        return
    to_free = _blocks_from_which_clones_reach(
        body, {number for number, code in enumerate(body.code) if any(_may_free(body, i) for i in code)}
    )
    leaks = _blocks_from_which_clones_reach(body, set(body.first_end)) - to_free
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        outcome = outcome_of_suspend(body, suspend, DESTROYED)
        ends = outcome.ended if outcome.block is None else outcome.block in leaks
        if suspend.users and ends and not any(_may_free(body, instruction) for instruction in outcome.done):
            message = "destroying the coroutine at this suspend reaches llvm.coro.end without llvm.coro.free, so its frame leaks"
            yield Found(suspend, message, "branch to the block with the llvm.coro.free if the result is 1")


@rule("frame-memory-size", "error", "memory for the frame is too small")
def too_small_memory(body: Body) -> Iterator[Found]:
    """`llvm.coro.size` becomes the size of the frame when the coroutine is split. A constant in its place is right for one layout
    only: if the frame is larger, the coroutine writes past the end of its memory. Allocate `llvm.coro.size` bytes."""
    allocation = _frame_allocation(body)
    function = called_function(allocation) if allocation else None
    index = SIZE_ARGUMENT.get(function.name) if function else None
    if not body.is_switch or allocation is None or index is None or len(arguments(allocation)) <= index:
        return
    size = constant_integer_or_none(arguments(allocation)[index])
    if size is not None and body.coroutine_layout is not None and size < body.coroutine_layout.frame.size:
        message = f"the memory for the frame has {size} bytes, but the frame {body.coroutine_layout.frame.size}"
        yield Found(allocation, message, "allocate llvm.coro.size bytes")


# ---- Alignment ----


def _promise_alloca_or_none(body: Body) -> Instruction | None:
    promise = strip_casts_and_zero_offsets(arguments(body.id)[1]) if body.is_switch and body.id else None
    return promise if isinstance(promise, Instruction) and promise.opcode == "alloca" else None


def coroutine_of_handle_if_certain(body: Body, handle: Value) -> Body | None:
    """Return the coroutine of a handle if it is certain: this one, or a called ramp that returns its handle."""
    handle = strip_casts_and_zero_offsets(handle)
    if handle is body.begin:
        return body
    function = called_function(handle) if isinstance(handle, Instruction) and handle.opcode in ("call", "invoke") else None
    if function is None or function.is_declaration or not body.program.is_presplit(function):
        return None
    other = body.program.body(function)
    last = [code[-1] for code in other.code if code and code[-1].opcode == "ret"]
    given = [
        strip_casts_and_zero_offsets(ret.operands[0])
        for ret in last
        if ret.operands and getattr(ret.operands[0], "kind", "") != "null"
    ]
    if not given or any(value is not other.begin for value in given):
        return None
    return other


def _promise_offset(align: int, header: int) -> int:
    return (header + align - 1) // align * align if align else header


@rule("promise-align", "error", "wrong alignment of the promise", coroutines=False)
def wrong_promise_alignment(body: Body) -> Iterator[Found]:
    """Users of a handle compute the address of the promise from its alignment: `llvm.coro.promise` must get the alignment of the
    promise's `alloca`, or it returns a wrong address. A promise with a larger alignment than the allocator's memory has by
    `llvm.coro.id` (0 means two pointers) is misaligned, unless the allocator uses `llvm.coro.align`; that is a `warning`."""
    header = 2 * body.program.pointer_size
    for call in body.calls.get("llvm.coro.promise", ()):
        align, back = constant_integer_or_none(arguments(call)[1]), constant_integer_or_none(arguments(call)[2])
        of = None if back else coroutine_of_handle_if_certain(body, arguments(call)[0])
        promise = _promise_alloca_or_none(of) if of else None
        expected = (promise.align or 1) if promise else None
        if expected is None or align is None or align <= 0 or _promise_offset(align, header) == _promise_offset(expected, header):
            continue
        message = f"llvm.coro.promise assumes an alignment of {align}, but the coroutine's promise is aligned to {expected}"
        number = body.program.integer_constant("i32", expected)
        yield Found(call, message, f"pass i32 {expected}", partial(fixes.replace_argument, call, 1, number))
    promise = _promise_alloca_or_none(body)
    if promise is None or body.id is None or body.calls.get("llvm.coro.align"):
        return
    declared = constant_integer_or_none(arguments(body.id)[0]) or header
    if (promise.align or 1) > declared and _frame_allocation(body) is not None:
        message = f"the promise is aligned to {promise.align}, but the frame's memory only to {declared} by llvm.coro.id"
        hint = "allocate with llvm.coro.align, or pass the allocator's alignment to llvm.coro.id"
        yield Found(body.id, message, hint, None, "warning")
