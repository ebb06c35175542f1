"""Adapters between the engine's policy table and the methods of an :class:`ABI`: plain data in, checked answers out.

`engine_arguments_of_abi` passes the engine an adapter for each method that a class overrides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeGuard

from pycoro._encode import ir_bytes
from pycoro._typecheck import check
from pycoro.abi import (
    ABI,
    KINDS,
    RESUME_FUNCTIONS,
    ABIRejection,
    AddressOf,
    Candidate,
    CandidateSuspend,
    Fields,
    RematCandidate,
    SpillCandidate,
    SwitchABI,
)
from pycoro.coroutine import Coroutine
from pycoro.errors import UsageError
from pycoro.frame import FrameField
from pycoro.view import Life

__all__ = ["Methods", "engine_arguments_of_abi"]

Methods = tuple[int, bytes, dict[str, Callable[..., Any]], bytes | None, bool]
"""Arguments of the engine for one ABI: number of its base ABI, name, adapters by method name, IR of its hook module, and whether it
has one resume function for each suspend."""


def _escape_nul_and_encode(text: str) -> bytes:
    return text.replace("\0", r"\00").encode("utf-8", "backslashreplace")


def _check_bool(abi: ABI, method: str, answer: object) -> bool:
    if not isinstance(answer, bool):
        raise TypeError(f"{type(abi).__name__}.{method} must return True or False, not {answer!r}")
    return answer


def _call_method_for_rejection(abi: ABI, method: str, about: object) -> tuple[bytes, bytes] | None:
    try:
        answer = getattr(abi, method)(about)
    except ABIRejection as rejection:
        (diagnostic,) = rejection.diagnostics
        return _escape_nul_and_encode(diagnostic.message), _escape_nul_and_encode(diagnostic.hint)
    if answer is not None:
        name = type(abi).__name__
        raise TypeError(f"{name}.{method} must call self.reject(...) or return None, not {answer!r}")
    return None


def _read_candidate(data: dict[str, Any]) -> Candidate:
    suspends = tuple(CandidateSuspend(**suspend) for suspend in data["suspends"])
    fields: dict[str, Any] = {
        **data,
        "attributes": dict(data["attributes"]),
        "promise": data["promise"] or None,
        "suspends": suspends,
    }
    return Candidate(**fields)


def _call_select(abi: ABI, data: dict[str, Any]) -> bool:
    return _check_bool(abi, "select", abi.select(_read_candidate(data)))


def _call_check(abi: ABI, data: dict[str, Any]) -> tuple[bytes, bytes] | None:
    return _call_method_for_rejection(abi, "check", _read_candidate(data))


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _checked_header_element_kind_value_text(method: str, element: object, value: object) -> tuple[int, int, int, bytes]:
    if not _is_int(element) or not 0 <= element < 2**32:
        raise TypeError(f"{method}: the index of a header element must be an int from 0, not {element!r}")
    if isinstance(value, AddressOf):
        return element, 2, 0, ir_bytes(value.name)
    if isinstance(value, str):
        if "\0" in value:
            raise UsageError(f"{method}: the text of element {element} contains a NUL, which would end it")
        return element, 1, 0, ir_bytes(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{method}: element {element} must be an int, a str or an AddressOf, not {value!r}")
    if not -(2**63) <= value < 2**64:
        raise UsageError(f"{method}: the value {value} of element {element} does not fit in 64 bits")
    return element, 0, value % 2**64, b""


def _call_header(abi: ABI, data: dict[str, Any]) -> tuple[tuple[int, int, int, bytes], ...]:
    method = f"{type(abi).__name__}.header"
    answer = abi.header(_read_candidate(data))
    check(f"{method} must return a dict from element index to value", answer, Mapping)
    return tuple(_checked_header_element_kind_value_text(method, element, value) for element, value in answer.items())


def _call_rematerialize(abi: ABI, value: dict[str, str], default: bool) -> bool:
    return _check_bool(abi, "rematerialize", abi.rematerialize(RematCandidate(**value), default))


def _call_keep_in_frame(abi: ABI, value: dict[str, Any]) -> bool | None:
    answer = abi.keep_in_frame(SpillCandidate(**value))
    check(f"{type(abi).__name__}.keep_in_frame must return True, False or None", answer, bool, type(None))
    return answer


def _call_order(abi: ABI, data: tuple[dict[str, Any], ...]) -> list[int]:
    fields = tuple(FrameField(Life(), field) for field in data)
    positions = {id(field): index for index, field in enumerate(fields)}
    rule = f"{type(abi).__name__}.order must return each of its {len(fields)} fields exactly once"
    order = abi.order(fields)
    check(rule, order, Iterable)
    ordered = list(order)
    if sorted(positions.get(id(field), -1) for field in ordered) != list(range(len(fields))):
        raise UsageError(rule)
    return [positions[id(field)] for field in ordered]


def _call_layout(abi: ABI, data: tuple[dict[str, Any], ...], start: int) -> list[int]:
    fields = Fields(FrameField(Life(), field) for field in data)
    fields.start = start
    method = f"{type(abi).__name__}.layout"
    rule = f"{method} must return an offset for each of its {len(fields)} fields"
    layout = abi.layout(fields)
    check(f"{rule}, as a dict", layout, Mapping)
    if set(layout) != set(fields):
        missing = [field.name for field in fields if field not in layout]
        raise UsageError(f"{rule}; {f'{missing[0]!r} has none' if missing else 'it has other keys'}")
    for field, offset in layout.items():
        if not _is_int(offset):
            raise TypeError(f"{method}: the offset of {field.name!r} must be an int in bytes, not {offset!r}")
        if not 0 <= offset < 2**64:
            raise UsageError(f"{method}: the offset {offset} of {field.name!r} is out of range")
    return [layout[field] for field in fields]


def _call_check_frame(abi: ABI, data: dict[str, Any]) -> tuple[bytes, bytes] | None:
    return _call_method_for_rejection(abi, "check_frame", Coroutine(Life(), data).frame)


ADAPTERS: dict[str, Callable[..., Any]] = {
    "select": _call_select,
    "check": _call_check,
    "header": _call_header,
    "rematerialize": _call_rematerialize,
    "keep_in_frame": _call_keep_in_frame,
    "order": _call_order,
    "layout": _call_layout,
    "check_frame": _call_check_frame,
}


def _ir_of_hook_module(abi: ABI) -> bytes | None:
    given = abi.hook_module
    if given is None or isinstance(given, bytes):
        return given
    if type(given).__module__ == "builtins" and not isinstance(given, str):
        raise TypeError(f"{type(abi).__name__}.hook_module must be IR (a str, bytes or a Module), not {given!r}")
    return ir_bytes(str(given))


def _check_choice(abi: ABI, name: str, choices: tuple[str, ...]) -> str:
    given = getattr(abi, name)
    if given not in choices:
        raise TypeError(f"{type(abi).__name__}.{name} must be one of {', '.join(map(repr, choices))}, not {given!r}")
    return str(given)


def engine_arguments_of_abi(abi: ABI) -> Methods:
    """Return the engine's arguments for an ABI, with an adapter for each overridden method."""
    kind, cls = next(number for base, number in KINDS.items() if isinstance(abi, base)), type(abi)
    overridden: dict[str, Callable[..., Any]]
    overridden = {name: partial(adapter, abi) for name, adapter in ADAPTERS.items() if getattr(cls, name) is not getattr(ABI, name)}
    per_suspend = _check_choice(abi, "resume_functions", RESUME_FUNCTIONS) == "suspend" if isinstance(abi, SwitchABI) else False
    return kind, _escape_nul_and_encode(cls.__name__), overridden, _ir_of_hook_module(abi), per_suspend
