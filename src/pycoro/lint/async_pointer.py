"""The rule of the async ABI about the function pointer, into which a lowering writes the size of the context."""

from __future__ import annotations

from collections.abc import Iterator

from pycoro.ir.instruction import Instruction
from pycoro.ir.value import Value
from pycoro.lint.body import DYNAMIC_ID, Body, arguments
from pycoro.lint.rule import Found, rule

__all__ = ["constant_async_pointer"]

_MOST = 10_000
"""Limit of visited users."""


def _loads_from(pointer: Value) -> Iterator[Instruction]:
    """Yield the loads from a global or from an address within it."""
    seen, stack = {pointer}, [pointer]
    while stack and len(seen) < _MOST:
        for user in stack.pop().users:
            if user in seen:
                continue
            seen.add(user)
            if isinstance(user, Instruction) and user.opcode == "load":
                yield user
            elif getattr(user, "opcode", None) in ("getelementptr", "bitcast", "addrspacecast"):
                stack.append(user)


_POINTERS = {"llvm.coro.id.async": (3, "context"), DYNAMIC_ID: (2, "frame")}
"""Operand of an id that names a global with the size of this memory."""


@rule("constant-async-pointer", "error", "callers may read the context's size before it is known", coroutines=False)
def constant_async_pointer(body: Body) -> Iterator[Found]:
    """`coro-split` writes the size of the context into the async function pointer, the last operand of
    `llvm.coro.id.async`, and the size of the frame into the coroutine function pointer of
    `llvm.coro.id.retcon.once.dynamic`. Where that global is `constant` and a function of the module loads the size, optimization
    may replace the load by the initializer before `coro-split` runs: the caller then allocates too small a context, and the
    coroutine writes beyond it. Make the global a `global`, or load the size only in modules that do not define it."""
    if body.id is None or body.id.intrinsic not in _POINTERS:
        return
    operand, memory = _POINTERS[body.id.intrinsic]
    named = arguments(body.id)[operand : operand + 1]  # empty: the verifier does not know the dynamic id
    if not named or not getattr(named[0], "is_constant", False) or not hasattr(named[0], "initializer"):
        return
    pointer = named[0]
    reader = next(_loads_from(pointer), None)
    if reader is None:
        return
    name = reader.function.name if reader.function else "?"
    message = f"@{pointer.name} is constant, and @{name} loads from it the size of the {memory}, which coro-split has yet to write"
    yield Found(body.id, message, f"make @{pointer.name} a global instead of a constant")
