"""The keywords of the oracle's methods, each said once: a method takes ``**how`` of one of these kinds, and shows all of them.

Needs no oracle. What is left out of a call has the value in `DEFAULTS`, or else None.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypedDict, TypeVar

from pycoro._suggest import unknown_name
from pycoro.oracle.ways import AnyLowering, Way
from pycoro.pipeline import DEFAULT

__all__ = ["DEFAULTS", "Asked", "Compared", "Limits", "Ran", "Sides", "spelt_out"]


class Limits(TypedDict, total=False):
    """How far a run may go; what is None is the oracle's own."""

    alignment: int | None
    events: int | None
    steps: int | None
    timeout: float | None


class Asked(TypedDict, total=False):
    """What of a module is run."""

    ramp: str
    args: Sequence[Any]
    promise: str | None
    returns: Mapping[str, Sequence[Any]] | None


class Sides(TypedDict, total=False):
    """What is compared with what, and what of it counts."""

    passes: str
    lowering: AnyLowering | None
    reference: Way | str
    allocation: bool | None


class Ran(Asked, Limits, total=False):
    """What is run, and by which lowering."""

    passes: AnyLowering


class Compared(Asked, Sides, Limits, total=False):
    """What is compared."""


class Defaults(TypedDict):
    """What is meant by a keyword that is left out, where that is not None."""

    ramp: str
    args: tuple[Any, ...]
    passes: str
    reference: str


DEFAULTS = Defaults(ramp="f", args=(), passes=DEFAULT, reference="llvm")

P = ParamSpec("P")
R = TypeVar("R")


def spelt_out(kind: type[Mapping[str, Any]]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a method whose last parameter is ``**how``, of that kind: its signature shows every keyword with its default.
    Another keyword is a ``TypeError`` that names the nearest."""
    keywords = {name: DEFAULTS.get(name) for name in kind.__annotations__}

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        plain = inspect.signature(method)
        first = list(plain.parameters.values())[:-1]
        known = [parameter.name for parameter in first[1:]] + list(keywords)

        @wraps(method)
        def spelt(*args: P.args, **how: P.kwargs) -> R:
            for name in how:
                if name not in known:
                    raise TypeError(f"{method.__name__}: {unknown_name('argument', name, known)}")
            return method(*args, **how)

        last = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=kind.__annotations__[name].__forward_arg__
            )
            for name, value in keywords.items()
        ]
        spelt.__signature__ = plain.replace(parameters=[*first, *last])  # type: ignore[attr-defined]
        del spelt.__wrapped__  # else Sphinx looks up the defaults there
        return spelt

    return decorate
