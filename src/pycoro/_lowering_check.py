"""Check that a module has no unsplit coroutine, because LLVM's code generator would abort the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["require_lowered"]


def require_lowered(module: Module) -> None:
    """Raise ``UsageError`` for the first coroutine that is not split."""
    left = next((function for function in module.functions.values() if function.is_presplit and not function.is_declaration), None)
    if left is not None:
        message = f"@{left.name} is a coroutine that no pass has split; machine code cannot be generated for it"
        hint = "add coro-early, coro-split and coro-cleanup to the passes, or use a level such as default<O2>"
        raise UsageError("", [Diagnostic(message, hint=hint, function=left.name)])
