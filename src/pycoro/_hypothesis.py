"""Entry point that Hypothesis calls when it is imported: registers the strategies of :mod:`pycoro.strategies`.

Neither library imports the other. The one that is imported second registers the strategies.
"""

from __future__ import annotations

import sys
from types import ModuleType

__all__ = ["register", "register_if_hypothesis_loaded"]


def register() -> None:
    """Register the strategies if `pycoro.strategies` is imported; otherwise its import calls `register_if_hypothesis_loaded`."""
    if strategies := sys.modules.get("pycoro.strategies"):
        register_if_hypothesis_loaded(strategies)


def register_if_hypothesis_loaded(strategies: ModuleType) -> None:
    """Register the strategies for ``Program`` and ``Coroutine`` of `pycoro.strategies` if Hypothesis is imported."""
    if not sys.modules.get("hypothesis"):  # None: its import is blocked
        return
    from hypothesis.strategies import register_type_strategy

    register_type_strategy(strategies.Program, lambda _: strategies.programs())
    register_type_strategy(strategies.model.Coroutine, lambda _: strategies.coroutines())
