"""Entry point that Hypothesis calls when it is imported: registers the strategies of :mod:`pycoro.strategies`.

Neither library imports the other. The one that is imported second registers the strategies.
"""

from __future__ import annotations

import sys

__all__ = ["register", "register_if_loaded"]


def register() -> None:
    """Register the strategies if `pycoro.strategies` is imported; otherwise its import calls `register_if_loaded`."""
    if "pycoro.strategies" in sys.modules:
        register_if_loaded()


def register_if_loaded() -> None:
    """Register the strategies for ``Program`` and ``Coroutine`` if Hypothesis is imported."""
    if not sys.modules.get("hypothesis"):  # None: its import is blocked
        return
    from hypothesis.strategies import register_type_strategy

    from pycoro import strategies

    register_type_strategy(strategies.Program, lambda _: strategies.programs())
    register_type_strategy(strategies.model.Coroutine, lambda _: strategies.coroutines())
