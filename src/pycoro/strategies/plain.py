"""Plain data that prints as the expression that recreates it, without default arguments."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any, cast

__all__ = ["Plain"]


def _is_default(field: Field[Any], value: object) -> bool:
    return field.default is not MISSING and bool(field.default == value)


class Plain:
    """Base of the frozen dataclasses that make up a program."""

    __slots__ = ()

    def _argument_texts(self) -> list[str]:
        """Return the arguments: by position until the first default, then by keyword."""
        shown: list[str] = []
        for field in fields(cast(Any, self)):
            value = getattr(self, field.name)
            if field.default is MISSING:
                shown.append(repr(value))
            elif not _is_default(field, value):
                shown.append(f"{field.name}={value!r}")
        return shown

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._argument_texts())})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Break a long repr into lines, for hypothesis and IPython."""
        name = type(self).__name__
        with printer.group(4, f"{name}(", ")"):
            first = True
            for field in fields(cast(Any, self)):
                value = getattr(self, field.name)
                if _is_default(field, value):
                    continue
                if not first:
                    printer.text(",")
                    printer.breakable()
                first = False
                if field.default is not MISSING:
                    printer.text(f"{field.name}=")
                printer.pretty(value)
