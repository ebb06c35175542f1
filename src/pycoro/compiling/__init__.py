"""Python's own generators and coroutines, of a typed subset, natively compiled: :func:`pycoro.compile`."""

from pycoro.compiling.compiled import Compiled, compile

__all__ = ["Compiled", "compile"]
