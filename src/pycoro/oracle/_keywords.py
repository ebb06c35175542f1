"""Keyword arguments of the oracle's methods, declared once. A method takes ``**how`` of one of these types, and its signature
lists them.

An omitted keyword has the value in `DEFAULTS`, or None.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypedDict, TypeVar

from pycoro._suggest import unknown_name_message
from pycoro.oracle.lowerings import AnyLowering, Side
from pycoro.pipeline import DEFAULT

__all__ = ["DEFAULTS", "Asked", "Compared", "Limits", "Ran", "Sides", "with_explicit_keywords"]


class Limits(TypedDict, total=False):
    """Limits of a run; None selects the oracle's limit."""

    alignment: int | None
    events: int | None
    steps: int | None
    timeout: float | None


class Asked(TypedDict, total=False):
    """Entry of a run in the module."""

    ramp: str
    args: Sequence[Any]
    promise: str | None
    returns: Mapping[str, Sequence[Any]] | None


class Sides(TypedDict, total=False):
    """Lowerings to compare, and the events that count."""

    passes: str
    lowering: AnyLowering | None
    reference: Side | str
    allocation: bool | None


class Ran(Asked, Limits, total=False):
    """Arguments of a run."""

    passes: AnyLowering


class Compared(Asked, Sides, Limits, total=False):
    """Arguments of a comparison."""


class Defaults(TypedDict):
    """Default values other than None."""

    ramp: str
    args: tuple[Any, ...]
    passes: str
    reference: str


DEFAULTS = Defaults(ramp="f", args=(), passes=DEFAULT, reference="llvm")

P = ParamSpec("P")
R = TypeVar("R")


def with_explicit_keywords(kind: type[Mapping[str, Any]]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a method with a last parameter ``**how`` of that type: its signature then shows all keywords and defaults. An
    unknown keyword raises ``TypeError`` with the nearest name.
    """
    keywords = {name: DEFAULTS.get(name) for name in kind.__annotations__}

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        plain = inspect.signature(method)
        first = list(plain.parameters.values())[:-1]
        known = [parameter.name for parameter in first[1:]] + list(keywords)

        @wraps(method)
        def call_with_checked_keywords(*args: P.args, **how: P.kwargs) -> R:
            for name in how:
                if name not in known:
                    raise TypeError(f"{method.__name__}: {unknown_name_message('argument', name, known)}")
            return method(*args, **how)

        last = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=kind.__annotations__[name].__forward_arg__
            )
            for name, value in keywords.items()
        ]
        call_with_checked_keywords.__signature__ = plain.replace(parameters=[*first, *last])  # type: ignore[attr-defined]
        del call_with_checked_keywords.__wrapped__  # otherwise Sphinx reads the defaults from it
        return call_with_checked_keywords

    return decorate
