"""Checks whether the engine can run a pass string without the passes that Python packages register."""

from __future__ import annotations

from pycoro import _core

__all__ = ["is_valid_with_builtin_passes"]


def is_valid_with_builtin_passes(passes: str) -> bool:
    """Return whether the string names only pycoro's and LLVM's passes. ``Module.run`` handles other names and errors."""
    try:
        _core.pipeline_check(passes)
    except Exception:
        return False
    return True
