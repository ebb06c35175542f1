"""C++'s names as the source has them."""

from __future__ import annotations

import ctypes

__all__ = ["demangled"]

_LIBRARIES = ("libstdc++.so.6", "libc++abi.so.1", "libc++.1.dylib")
"""Those that know C++'s names; one of them is in the process, as LLVM is written in C++."""


def demangled(name: str) -> str:
    """A name of C++'s as the source has it; any other as it is."""
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
