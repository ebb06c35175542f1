"""LLVM's IR in Python's hands: types."""

from pycoro.ir.types import Type, Types

__all__ = ["Type", "Types"]
