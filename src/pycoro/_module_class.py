"""The class `pycoro.Module`, for modules that `pycoro.module` imports itself.

Values, frames and pipelines create modules. They get the class here, because an import of `pycoro.module` would be a cycle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["module_class", "set_module_class"]

_classes: list[type[Module]] = []


def set_module_class(of: type[Module]) -> None:
    """Set the class; `pycoro.module` calls it when it is imported."""
    _classes[:] = [of]


def module_class() -> type[Module]:
    """Return the class."""
    return _classes[0]
