"""Demangle C++ symbol names."""

from __future__ import annotations

import ctypes

__all__ = ["demangle"]

_LIBRARIES = ("libstdc++.so.6", "libc++abi.so.1", "libc++.1.dylib")
"""Libraries that export ``__cxa_demangle``. LLVM is written in C++, so the process has loaded one of them."""


def demangle(name: str) -> str:
    """Return the demangled form of a C++ symbol; return any other name unchanged."""
    if not name.startswith("_Z"):
        return name
    for library in _LIBRARIES:
        try:
            loaded = ctypes.CDLL(library)
            function = loaded["__cxa_demangle"]
        except (OSError, AttributeError):
            continue
        function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        function.restype = ctypes.c_void_p
        status = ctypes.c_int()
        text = function(name.encode("utf-8", "surrogateescape"), None, None, ctypes.byref(status))
        if not text:
            return name
        demangled = ctypes.string_at(text).decode("utf-8", "surrogateescape")
        free = ctypes.CDLL(None).free
        free.argtypes = [ctypes.c_void_p]
        free(text)
        return demangled
    return name
