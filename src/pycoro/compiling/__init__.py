"""Native compilation of a typed subset of Python's generators and coroutines: :func:`pycoro.compile`."""

from pycoro.compiling.compiled import Compiled, compile

__all__ = ["Compiled", "compile"]
