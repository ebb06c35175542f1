"""Parse and print the parameters of passes in pass strings: ``name<depth=3;fast;no-slow;kind=text>``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from pycoro._suggest import unknown_name_message

__all__ = ["Parameter", "non_default_parameters_text", "parameters_of", "parse_parameters", "to_kebab_case"]

_PLAIN = re.compile(r"[^\s,()<>;=]+")
"""Values that a pass string can contain without quoting."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a pass."""

    name: str
    """Python name."""
    type: Any
    """Annotation, or the type of the default."""
    default: Any
    """``inspect.Parameter.empty`` if required."""

    @property
    def option_name(self) -> str:
        """Spelling in a pass string."""
        return self.name.replace("_", "-")


def to_kebab_case(name: str) -> str:
    """Convert ``"InsertYields"`` and ``"insert_yields"`` to ``"insert-yields"``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower().replace("_", "-")


def parameters_of(made_by: Callable[..., Any], skip: int = 0) -> tuple[Parameter, ...]:
    """Return the named parameters of a class or function without the first ``skip``."""
    try:
        signature = inspect.signature(made_by)
    except ValueError:
        return ()  # written in C
    hints = _type_hints_of(made_by)
    found: list[Parameter] = []
    for parameter in list(signature.parameters.values())[skip:]:
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            default: object = parameter.default
            guess = str if default in (parameter.empty, None) else type(default)
            found.append(Parameter(parameter.name, hints.get(parameter.name, guess), parameter.default))
    return tuple(found)


def _type_hints_of(made_by: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(inspect.getattr_static(made_by, "__init__") if isinstance(made_by, type) else made_by)
    except (NameError, TypeError, AttributeError):  # names imported only under TYPE_CHECKING
        return {}


def _parameter_value(values: object, parameter: Parameter) -> object:
    if isinstance(values, Mapping):
        return cast("Mapping[str, object]", values).get(parameter.name, parameter.default)
    return getattr(values, parameter.name, parameter.default)


def non_default_parameters_text(parameters: tuple[Parameter, ...], values: object) -> str:
    """Return the text of the parameters that differ from their defaults and that a pass string can contain. ``values`` is a
    mapping, or an object with attributes of these names."""
    spelt: list[str] = []
    for parameter in parameters:
        value = _parameter_value(values, parameter)
        if value is parameter.default or (type(value) is type(parameter.default) and value == parameter.default):
            continue
        if isinstance(value, bool):
            spelt.append(parameter.option_name if value else f"no-{parameter.option_name}")
        elif isinstance(value, int | float | str) and _PLAIN.fullmatch(str(value)):
            spelt.append(f"{parameter.option_name}={value}")
    return f"<{';'.join(spelt)}>" if spelt else ""


def parse_parameters(pass_name: str, parameters: tuple[Parameter, ...], text: str) -> dict[str, Any]:
    """Parse the text between ``<`` and ``>`` into values by Python name. Raises ``ValueError`` with the reason."""
    known = {parameter.option_name: parameter for parameter in parameters}
    values: dict[str, Any] = {}
    for element in filter(None, text.split(";")):
        parameter, given = _parse_parameter(pass_name, known, element)
        if parameter.name in values:
            raise ValueError(f"{pass_name}: parameter {parameter.option_name} appears twice")
        values[parameter.name] = given
    missing = [parameter.option_name for parameter in parameters if parameter.default is inspect.Parameter.empty]
    missing = [name for name in missing if known[name].name not in values]
    if missing:
        raise ValueError(f"{pass_name} needs {' and '.join(missing)}: {pass_name}<{';'.join(f'{name}=...' for name in missing)}>")
    return values


def _parse_parameter(pass_name: str, known: Mapping[str, Parameter], element: str) -> tuple[Parameter, Any]:
    name, equals, value = element.partition("=")
    negated = not equals and name not in known and name.startswith("no-")
    parameter = known.get(name.removeprefix("no-") if negated else name)
    if parameter is None:
        raise ValueError(
            f"{pass_name} has {unknown_name_message('parameter', name, known)}" if known else f"{pass_name} has no parameters"
        )
    return parameter, _parse_value(pass_name, parameter, value if equals else None, not negated)


def _union_members_without_none(annotation: Any) -> Iterator[Any]:
    """Yield the members of a union type."""
    if get_origin(annotation) in (Union, UnionType):
        for inside in get_args(annotation):
            yield from _union_members_without_none(inside)
    elif annotation is not NoneType:
        yield annotation


def _parse_value(pass_name: str, parameter: Parameter, text: str | None, value_of_flag: bool) -> Any:
    """Convert ``text`` to the parameter's type; ``None`` means a flag without a value."""
    kinds = list(_union_members_without_none(parameter.type))
    for kind in kinds:
        try:
            return _convert_text(kind, text, value_of_flag)
        except ValueError:
            continue
    expected = " or ".join(_expected_syntax(parameter.option_name, kind) for kind in kinds)
    given = (
        parameter.option_name
        if text is None and value_of_flag
        else f"no-{parameter.option_name}"
        if text is None
        else f"{parameter.option_name}={text}"
    )
    raise ValueError(f"{pass_name} takes {expected}, not {given!r}")


def _convert_text(kind: Any, text: str | None, value_of_flag: bool) -> Any:
    if kind is bool:
        if text is None:
            return value_of_flag
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


def _expected_syntax(name: str, kind: Any) -> str:
    if kind is bool:
        return f"{name} or no-{name}"
    if get_origin(kind) is Literal:
        return " or ".join(f"{name}={choice}" for choice in get_args(kind))
    return f"{name}=" + {int: "NUMBER", float: "NUMBER"}.get(kind, "TEXT")
