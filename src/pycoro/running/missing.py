"""What a module needs and nobody defines, in words for people: C++'s names as the source has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from pycoro._demangle import demangle
from pycoro._suggest import closest_name
from pycoro.errors import Diagnostic, JitError, UnsupportedError

__all__ = ["to_be_bound", "with_names"]

_RULES = {"defined-somewhere": r"the (?:function|variable) @(\S+) is ", "no-definition": r"@(\S+) is not defined"}


def _clearer(diagnostic: Diagnostic, externals: Iterable[str], hint: str = "") -> Diagnostic:
    rule = _RULES.get(diagnostic.rule)
    found = rule and re.match(rule, diagnostic.message)
    if not found:
        return diagnostic
    name = found[1]
    spelt, near = demangle(name), closest_name(name, externals)
    message = diagnostic.message.replace(f"@{name}", f"{spelt} (@{name})", 1) if spelt != name else diagnostic.message
    hint = f"`externals` binds {near!r}: did you mean {name!r}?" if near and near != name else hint or diagnostic.hint
    return replace(diagnostic, message=message, hint=hint)


def with_names(error: JitError, externals: Iterable[str]) -> JitError:
    """The error with C++'s names as the source has them, and the names that were bound by mistake."""
    names = list(externals)
    return JitError(error.args[0], [_clearer(diagnostic, names) for diagnostic in error.diagnostics])


def to_be_bound(error: UnsupportedError, externals: Iterable[str]) -> UnsupportedError:
    """The error of an interpreted program that has called what nobody defines, with what defines it."""
    if not any(diagnostic.rule == "no-definition" for diagnostic in error.diagnostics):
        return error
    names = list(externals)
    hint = "bind it to a callable in `externals`, or let the program call the functions of this process by native=True"
    return UnsupportedError(error.args[0], [_clearer(diagnostic, names, hint) for diagnostic in error.diagnostics])
