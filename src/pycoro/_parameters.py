"""Parameters of passes, as pass strings have them: ``name<depth=3;fast;no-slow;kind=text>``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from pycoro._nearest import unknown

__all__ = ["Parameter", "kebab", "parameters_of", "read", "spell"]

_PLAIN = re.compile(r"[^\s,()<>;=]+")
"""What can stand for a value in a pass string."""


@dataclass(frozen=True)
class Parameter:
    """What a pass can be told."""

    name: str
    """In Python."""
    type: Any
    """Its annotation, else the type of its default."""
    default: Any
    """``inspect.Parameter.empty`` where it has none."""

    @property
    def text(self) -> str:
        """In a pass string."""
        return self.name.replace("_", "-")


def kebab(name: str) -> str:
    """``"InsertYields"`` and ``"insert_yields"`` as ``"insert-yields"``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower().replace("_", "-")


def parameters_of(made_by: Callable[..., Any], skip: int = 0) -> tuple[Parameter, ...]:
    """The parameters of a class or function that can be given by name, without the first ``skip``."""
    try:
        signature = inspect.signature(made_by)
    except ValueError:
        return ()  # written in C
    hints = _hints(made_by)
    found: list[Parameter] = []
    for parameter in list(signature.parameters.values())[skip:]:
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            default: object = parameter.default
            guess = str if default in (parameter.empty, None) else type(default)
            found.append(Parameter(parameter.name, hints.get(parameter.name, guess), parameter.default))
    return tuple(found)


def _hints(made_by: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(inspect.getattr_static(made_by, "__init__") if isinstance(made_by, type) else made_by)
    except (NameError, TypeError, AttributeError):  # of names that are imported for a type checker alone
        return {}


def _of(values: object, parameter: Parameter) -> object:
    if isinstance(values, Mapping):
        return cast("Mapping[str, object]", values).get(parameter.name, parameter.default)
    return getattr(values, parameter.name, parameter.default)


def spell(parameters: tuple[Parameter, ...], values: object) -> str:
    """What stands behind a pass's name: of what can be spelt, whatever is not as by default. ``values`` has them as attributes
    or is a mapping."""
    spelt: list[str] = []
    for parameter in parameters:
        value = _of(values, parameter)
        if value is parameter.default or (type(value) is type(parameter.default) and value == parameter.default):
            continue
        if isinstance(value, bool):
            spelt.append(parameter.text if value else f"no-{parameter.text}")
        elif isinstance(value, int | float | str) and _PLAIN.fullmatch(str(value)):
            spelt.append(f"{parameter.text}={value}")
    return f"<{';'.join(spelt)}>" if spelt else ""


def read(pass_name: str, parameters: tuple[Parameter, ...], text: str) -> dict[str, Any]:
    """The values in what stands between ``<`` and ``>``, by their names in Python. ``ValueError`` says what is wrong."""
    known = {parameter.text: parameter for parameter in parameters}
    values: dict[str, Any] = {}
    for element in filter(None, text.split(";")):
        parameter, given = _one(pass_name, known, element)
        if parameter.name in values:
            raise ValueError(f"{pass_name} is given {parameter.text} twice")
        values[parameter.name] = given
    missing = [parameter.text for parameter in parameters if parameter.default is inspect.Parameter.empty]
    missing = [name for name in missing if known[name].name not in values]
    if missing:
        raise ValueError(f"{pass_name} needs {' and '.join(missing)}: {pass_name}<{';'.join(f'{name}=...' for name in missing)}>")
    return values


def _one(pass_name: str, known: Mapping[str, Parameter], element: str) -> tuple[Parameter, Any]:
    name, equals, value = element.partition("=")
    negated = not equals and name not in known and name.startswith("no-")
    parameter = known.get(name.removeprefix("no-") if negated else name)
    if parameter is None:
        raise ValueError(f"{pass_name} has {unknown('parameter', name, known)}" if known else f"{pass_name} has no parameters")
    return parameter, _value(pass_name, parameter, value if equals else None, not negated)


def _choices(annotation: Any) -> Iterator[Any]:
    """The types in a union, one by one."""
    if get_origin(annotation) in (Union, UnionType):
        for inside in get_args(annotation):
            yield from _choices(inside)
    elif annotation is not NoneType:
        yield annotation


def _value(pass_name: str, parameter: Parameter, text: str | None, flag: bool) -> Any:
    """``text`` as the parameter wants it; None: it stands alone, as a flag."""
    kinds = list(_choices(parameter.type))
    for kind in kinds:
        try:
            return _convert(kind, text, flag)
        except ValueError:
            continue
    wanted = " or ".join(_wanted(parameter.text, kind) for kind in kinds)
    given = parameter.text if text is None and flag else f"no-{parameter.text}" if text is None else f"{parameter.text}={text}"
    raise ValueError(f"{pass_name} takes {wanted}, not {given!r}")


def _convert(kind: Any, text: str | None, flag: bool) -> Any:
    if kind is bool:
        if text is None:
            return flag
        if text not in ("true", "false"):
            raise ValueError
        return text == "true"
    if text is None:
        raise ValueError
    if get_origin(kind) is Literal:
        choices = {str(choice): choice for choice in get_args(kind)}
        if text not in choices:
            raise ValueError
        return choices[text]
    if kind is int:
        return int(text, 0)
    if kind is float:
        return float(text)
    return text


def _wanted(name: str, kind: Any) -> str:
    if kind is bool:
        return f"{name} or no-{name}"
    if get_origin(kind) is Literal:
        return " or ".join(f"{name}={choice}" for choice in get_args(kind))
    return f"{name}=" + {int: "NUMBER", float: "NUMBER"}.get(kind, "TEXT")
