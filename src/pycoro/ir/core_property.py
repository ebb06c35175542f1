"""Properties whose getter is a function of the core."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from pycoro import _core

__all__ = ["core_property"]

T = TypeVar("T")


class core_property(property, Generic[T]):
    """Read-only attribute of a value with the result type of a core function."""

    def __init__(self, getter: Callable[[_core.Value], T], doc: str) -> None:
        super().__init__(getter, doc=doc)

    if TYPE_CHECKING:

        @overload
        def __get__(self, value: None, owner: type) -> core_property[T]: ...
        @overload
        def __get__(self, value: object, owner: type | None = None) -> T: ...
        def __get__(self, value: object, owner: type | None = None) -> core_property[T] | T: ...
