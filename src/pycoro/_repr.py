"""``repr`` that never raises: a debugger, a traceback with locals and pytest call it on objects in any state."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from pycoro.errors import Error

__all__ = ["total"]

T = TypeVar("T")


def total(repr: Callable[[T], str]) -> Callable[[T], str]:
    """The ``__repr__``, which says so where the object was not made, since its ``__init__`` has raised, and tells the error where
    what it describes is no more."""

    @wraps(repr)
    def safe(self: T) -> str:
        name = type(self).__name__
        try:
            return repr(self)
        except AttributeError:
            return f"<{name} that could not be made>"
        except Error as error:
            return f"<{name}: {error.message}>"

    return safe
