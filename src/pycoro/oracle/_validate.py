"""Validate the arguments of the oracle: a call that can never run raises, instead of giving a comparison.

The checks need the module before any lowering, since a lowering may remove functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pycoro._suggest import unknown_name_message
from pycoro._typecheck import check, check_list, short_repr
from pycoro.errors import Error, UnsupportedError, UsageError
from pycoro.module import Module
from pycoro.oracle._drivers import DRIVERS, check_value_fits_type, supported_steps
from pycoro.oracle._headers import Headers
from pycoro.oracle._keywords import Limits
from pycoro.oracle._recorders import manages_memory
from pycoro.oracle.case import Case
from pycoro.oracle.driven import case_for_child
from pycoro.running.coroutine_info import parse_promise_type_and_offset
from pycoro.running.kinds import host_kinds

if TYPE_CHECKING:
    from pycoro.oracle._drivers import World

__all__ = ["check_case", "check_steps", "checked_given_limits", "ir_of", "schedules_of"]


def ir_of(source: object) -> str:
    """Return the IR of a module given as text or as a `Module`."""
    if isinstance(source, str):
        return source
    if isinstance(source, Module):
        return str(source)
    raise TypeError(f"the module must be IR text or a pycoro.Module, not {type(source).__name__}")


def schedules_of(schedules: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the schedules. Raises ``UsageError`` if there is none."""
    found: list[tuple[str, ...]] = []
    for schedule in check_list("schedules must be sequences of steps, such as [('resume', 'destroy')]", schedules):
        if isinstance(schedule, str):
            raise TypeError(f"a schedule must be a sequence of steps, such as ({schedule!r},), not a string")
        found.append(tuple(check_list("a schedule must be a sequence of steps, such as ('resume', 'destroy')", schedule)))
        for step in found[-1]:
            check("a step of a schedule must be a string, such as 'resume'", step, str)
    if not found:
        raise UsageError("no schedule is given, so nothing would run; use the schedule () to call the function only")
    return tuple(found)


_MOST = {"alignment": 1 << 32, "events": 1 << 40, "steps": 1 << 62, "timeout": 1 << 24}
"""Largest values that the implementation supports."""


def checked_given_limits(limits: Mapping[str, Any]) -> dict[str, Any]:
    """Validate the given `Limits`."""
    given = {name: limits[name] for name in Limits.__annotations__ if limits.get(name) is not None}
    for name, value in given.items():
        kinds = int | float if name == "timeout" else int
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise TypeError(f"{name} must be a number, not {short_repr(value)}")
        if not value > 0:
            raise UsageError(f"{name} must be positive, not {value}")
        if value > _MOST[name]:
            raise UsageError(f"{name} must be at most {_MOST[name]}, not {value}")
        if name == "alignment" and int(value) & int(value) - 1:
            raise UsageError(f"alignment must be a power of 2, not {value}")
    return given


def check_steps(abi: str, schedules: Iterable[Sequence[str]]) -> None:
    """Raise ``UsageError`` for a step that the ABI does not support."""
    steps = supported_steps(abi)
    for schedule in schedules:
        for step in schedule:
            if step.partition(" ")[0] not in steps:
                raise UsageError(
                    f"{step!r} is not a step of a schedule; the steps are {', '.join(steps)}" + _suggest_step(step, steps)
                )


def _suggest_step(step: str, steps: Sequence[str]) -> str:
    near = unknown_name_message("step", step, steps).partition("; did you mean ")[2]
    return f"; did you mean {near}" if near else ""


class _UnloweredWorld:
    """A world without execution, which gives drivers the functions of the unlowered module."""

    memory = None

    def __init__(self, headers: Headers) -> None:
        self.headers = headers


def _check_function_results(headers: Headers, returns: Mapping[str, Sequence[Any]]) -> None:
    for name, values in returns.items():
        header = headers.get(name) or headers.get(f'"{name}"')
        if header is None or not header.declaration:
            declared = [other.name.strip('"') for other in headers.undefined_functions()]
            raise UsageError(
                unknown_name_message("declared function", name, declared) + "; returns must name functions that the module declares"
            )
        kinds = [parameter.type for parameter in header.parameters]
        if not header.returns_a_value or manages_memory(name, kinds, header.result.type):
            what = "allocates or frees memory that is watched" if header.returns_a_value else "returns nothing"
            raise UsageError(f"returns: @{name} {what}")
        for value in values:
            check_value_fits_type(header.result.type, value, f"what @{name} returns")


def check_case(case: Case) -> None:
    """Validate a case independently of its lowering. Raises ``ParseError`` or ``VerifyError`` for invalid IR, ``UsageError``
    for an unknown function or unsuitable arguments, steps and values.
    """
    schedules_of(case.schedules)
    try:
        with Module(case.ir, name=case.name or "<case>") as module:
            headers = Headers(module._core.outline())
            _check_function_results(headers, case.returns)
            if case.promise:
                parse_promise_type_and_offset(case.promise, host_kinds())
            entry = case_for_child(case)
            check_steps(entry["abi"], case.schedules)
            world: World = _UnloweredWorld(headers)  # type: ignore[assignment]  # nothing is run
            DRIVERS[entry["abi"]](world, entry, 0)
    except UnsupportedError:
        return  # unsupported, but not a usage error: the runs report it
    except Error as error:
        if case.name:
            error.add_note(f"in the case {case.name!r}")
        raise
