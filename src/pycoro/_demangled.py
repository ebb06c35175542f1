"""Demangle C++ symbol names."""

from __future__ import annotations

import ctypes

__all__ = ["demangled"]

_LIBRARIES = ("libstdc++.so.6", "libc++abi.so.1", "libc++.1.dylib")
"""Libraries that export ``__cxa_demangle``. LLVM is written in C++, so the process has loaded one of them."""


def demangled(name: str) -> str:
    """Return the demangled form of a C++ symbol; return any other name unchanged."""
    if not name.startswith("_Z"):
        return name
    for library in _LIBRARIES:
        try:
            loaded = ctypes.CDLL(library)
            demangle = loaded["__cxa_demangle"]
        except (OSError, AttributeError):
            continue
        demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        demangle.restype = ctypes.c_void_p
        status = ctypes.c_int()
        text = demangle(name.encode("utf-8", "surrogateescape"), None, None, ctypes.byref(status))
        if not text:
            return name
        spelt = ctypes.string_at(text).decode("utf-8", "surrogateescape")
        free = ctypes.CDLL(None).free
        free.argtypes = [ctypes.c_void_p]
        free(text)
        return spelt
    return name
