"""Demangle C++ symbol names."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable
from functools import cache

from pycoro._calltype import split_off_parameter_list

__all__ = ["cxx_symbols_by_source_name", "demangle", "demangle_in_text"]

_LIBRARIES = ("libstdc++.so.6", "libc++abi.so.1", "libc++.1.dylib")
"""Libraries that export ``__cxa_demangle``. LLVM is written in C++, so the process has loaded one of them."""


@cache
def _demangler() -> Callable[..., int | None] | None:
    for library in _LIBRARIES:
        try:
            function = ctypes.CDLL(library)["__cxa_demangle"]
        except (OSError, AttributeError):
            continue
        function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        function.restype = ctypes.c_void_p
        return function
    return None


@cache
def _free() -> Callable[[int], None]:
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    return free


def demangle(name: str) -> str:
    """Return the demangled form of a C++ symbol; return any other name unchanged."""
    if not name.startswith("_Z") or not (function := _demangler()):
        return name
    status = ctypes.c_int()
    text = function(name.encode("utf-8", "surrogateescape"), None, None, ctypes.byref(status))
    if not text:
        return name
    demangled = ctypes.string_at(text).decode("utf-8", "surrogateescape")
    _free()(text)
    return demangled


def demangle_in_text(text: str) -> str:
    """Return a message with the C++ symbols in it, ``@_Z1fv``, demangled."""
    symbols = r'@"?(_Z[\w$]+(?:\.\w+)*)"?'
    return re.sub(symbols, lambda symbol: demangle(symbol[1]) if demangle(symbol[1]) != symbol[1] else symbol[0], text)


def cxx_symbols_by_source_name(names: Iterable[str]) -> dict[str, str]:
    """Return the C++ symbols by their source names, ``f(int)`` and, if no other symbol has it, ``f``, without ABI tags such as
    ``[abi:cxx11]``.
    """
    found: dict[str, str] = {}
    short: dict[str, list[str]] = {}
    for name in names:
        if (source := demangle(name)) != name:
            found[source] = name
            without_tags = re.sub(r"\[abi:[^]]*\]", "", source)
            without_parameters, _ = split_off_parameter_list(without_tags[: without_tags.rfind(")") + 1])
            short.setdefault(without_parameters or without_tags, []).append(name)
    return {source: symbols[0] for source, symbols in short.items() if len(symbols) == 1} | found
