"""What hypothesis calls when it is imported where pycoro is installed: from then on it knows how to draw programs.

Neither imports the other for it: whichever comes second finds the first.
"""

from __future__ import annotations

import sys

__all__ = ["register", "register_if_loaded"]


def register() -> None:
    """Registers the strategies, if `pycoro.strategies` is in use; it calls `register_if_loaded` where it comes later."""
    if "pycoro.strategies" in sys.modules:
        register_if_loaded()


def register_if_loaded() -> None:
    """Registers the strategies of programs and coroutines by their types, if hypothesis is in use."""
    if not sys.modules.get("hypothesis"):  # None: its import is barred
        return
    from hypothesis.strategies import register_type_strategy

    from pycoro import strategies

    register_type_strategy(strategies.Program, lambda _: strategies.programs())
    register_type_strategy(strategies.Coroutine, lambda _: strategies.coroutines())
