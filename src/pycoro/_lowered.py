"""Whether a module may go to a code generator: one that meets a coroutine that is whole ends the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["require_lowered"]


def require_lowered(module: Module) -> None:
    """``UsageError``, with the first that passes have left whole."""
    left = next((function for function in module.functions.values() if function.presplit and not function.declaration), None)
    if left is not None:
        message = f"the passes leave @{left.name} a coroutine that is not split, and there is no code for one"
        hint = "let coro-early, coro-split and coro-cleanup be among them, or a level such as default<O2>"
        raise UsageError("", [Diagnostic(message, hint=hint, function=left.name)])
