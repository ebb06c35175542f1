"""Constants, and globals, which are constants: their value is an address."""

from __future__ import annotations

from pycoro.ir.value import Value

__all__ = ["Constant", "Global", "GlobalAlias", "GlobalIFunc", "GlobalVariable"]


class Constant(Value):
    """A constant: a number, ``null``, an aggregate, an expression of constants, a global."""

    __slots__ = ()


class Global(Constant):
    """What a module names with an ``@``."""

    __slots__ = ()

    def _brief(self) -> str:
        return f"@{self.name}"


class GlobalVariable(Global):
    """A variable of the module. Its operand is the initializer, where it has one."""

    __slots__ = ()


class GlobalAlias(Global):
    """Another name for a global. Its operand is what it names."""

    __slots__ = ()


class GlobalIFunc(Global):
    """A function that is chosen when the program is loaded. Its operand is the resolver."""

    __slots__ = ()
