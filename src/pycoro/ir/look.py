"""Attributes that the core answers: a property whose getter is a function of the core."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from pycoro import _core

__all__ = ["look"]

T = TypeVar("T")


class look(property, Generic[T]):
    """A read-only attribute of a value, with the type that the function gives."""

    def __init__(self, ask: Callable[[_core.Value], T], doc: str) -> None:
        super().__init__(ask, doc=doc)

    if TYPE_CHECKING:

        @overload
        def __get__(self, value: None, owner: type) -> look[T]: ...
        @overload
        def __get__(self, value: object, owner: type | None = None) -> T: ...
        def __get__(self, value: object, owner: type | None = None) -> look[T] | T: ...
