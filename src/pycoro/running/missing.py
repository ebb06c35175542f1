"""Diagnostics for undefined symbols, with demangled C++ names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from pycoro._demangle import demangle
from pycoro._suggest import closest_name_or_empty
from pycoro.errors import Diagnostic, JitError, UnsupportedError

__all__ = ["explain_missing_symbols", "explain_undefined_function"]

_RULES = {"defined-somewhere": r"the (?:function|variable) @(\S+) is ", "no-definition": r"@(\S+) is not defined"}


def _with_demangled_name_and_hint(diagnostic: Diagnostic, externals: Iterable[str], hint: str = "") -> Diagnostic:
    rule = _RULES.get(diagnostic.rule)
    found = rule and re.match(rule, diagnostic.message)
    if not found:
        return diagnostic
    name = found[1]
    spelt, near = demangle(name), closest_name_or_empty(name, externals)
    message = diagnostic.message.replace(f"@{name}", f"{spelt} (@{name})", 1) if spelt != name else diagnostic.message
    hint = f"`externals` binds {near!r}: did you mean {name!r}?" if near and near != name else hint or diagnostic.hint
    return replace(diagnostic, message=message, hint=hint)


def explain_missing_symbols(error: JitError, externals: Iterable[str]) -> JitError:
    """Return the error with demangled C++ names, and with names in ``externals`` that may be misspelled."""
    names = list(externals)
    return JitError(error.args[0], [_with_demangled_name_and_hint(diagnostic, names) for diagnostic in error.diagnostics])


def explain_undefined_function(error: UnsupportedError, externals: Iterable[str]) -> UnsupportedError:
    """Return the error of an interpreted call to an undefined function, with a hint that tells how to define it."""
    if not any(diagnostic.rule == "no-definition" for diagnostic in error.diagnostics):
        return error
    names = list(externals)
    hint = "bind it to a callable in `externals`, or pass native=True to call functions of this process"
    return UnsupportedError(
        error.args[0], [_with_demangled_name_and_hint(diagnostic, names, hint) for diagnostic in error.diagnostics]
    )
