"""Lower presplit bitcode by the engine alone, which imports little of pycoro. `lowering` does the same with reports and errors."""

from __future__ import annotations

from pycoro import _core

__all__ = ["lower_or_none"]


def lower_or_none(bitcode: bytes, passes: str, *, from_clang: bool) -> bytes | None:
    """Return lowered bitcode, or ``None`` if the unit or a pass is rejected."""
    try:
        module = _core.Module(bitcode, "unit", at_risk=from_clang, trusted=True)
        module.run_in_place(passes)
        return module.bitcode()
    except Exception:
        return None
