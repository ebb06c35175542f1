"""What is executed as it stands: `pycoro.Interpreter`, and what its callables may raise."""

from pycoro.running.interpreter import Interpreter, Thrown

__all__ = ["Interpreter", "Thrown"]
