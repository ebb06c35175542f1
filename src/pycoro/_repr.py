"""A ``__repr__`` that never raises: debuggers, tracebacks with locals and pytest call it on objects in any state."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from pycoro.errors import Error

__all__ = ["with_fallback_repr"]

T = TypeVar("T")


def with_fallback_repr(repr: Callable[[T], str]) -> Callable[[T], str]:
    """Decorate a ``__repr__``: for an object whose ``__init__`` raised, or that describes a closed or changed module, return a
    description of that state.
    """

    @wraps(repr)
    def safe(self: T) -> str:
        name = type(self).__name__
        try:
            return repr(self)
        except AttributeError:
            return f"<{name} that was not initialized>"
        except Error as error:
            return f"<{name}: {error.message}>"

    return safe
