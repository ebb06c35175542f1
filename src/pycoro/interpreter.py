"""Interpreter of unlowered modules, and the exception that its callbacks raise to unwind."""

from pycoro.running.interpreter import Interpreter, Thrown

__all__ = ["Interpreter", "Thrown"]
