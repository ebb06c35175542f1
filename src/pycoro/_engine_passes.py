"""Whether the engine alone can run a pass string, without the passes that Python packages register."""

from __future__ import annotations

from pycoro import _core

__all__ = ["needs_only_engine"]


def needs_only_engine(passes: str) -> bool:
    """Whether every pass of the string is one of pycoro's or LLVM's. ``Module.run`` resolves other names, and explains errors."""
    try:
        _core.pipeline_check(passes)
    except Exception:
        return False
    return True
