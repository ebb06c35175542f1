"""What all values have in common, and the kinds that have little besides."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pycoro import _core
from pycoro._escape import printable
from pycoro.errors import Error
from pycoro.ir.look import look

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["InlineAsm", "MetadataValue", "Value"]


class Value(_core.Value):
    """A value of LLVM's: what an instruction may have as an operand. ``str(value)`` is LLVM's text of it, which takes as long as
    the function is large: LLVM numbers what has no name.

    >>> handle = pycoro.Module(pycoro.examples.COUNTER).functions["sum"].blocks[0].instructions[0]
    >>> handle.name, str(handle.type), len(handle.users)
    ('handle', 'ptr', 4)
    """

    __slots__ = ("__weakref__",)

    name = look(_core.ir_name, "Without the ``%`` or ``@``; empty where it has none, and is numbered in the text.")
    type = look(_core.ir_type, "The type; that of a global is a pointer, of a block ``label``.")

    @property
    def operands(self) -> tuple[Value, ...]:
        """What it is made of, in LLVM's order; nothing for what has no operands."""
        return _core.ir_operands(self) or ()

    @property
    def users(self) -> tuple[Value, ...]:
        """What has it as an operand, each once. LLVM keeps none for plain data (a number, ``null``, ``poison``)."""
        return tuple(dict.fromkeys(_core.ir_users(self)))

    @property
    def uses(self) -> tuple[tuple[Value, int], ...]:
        """A user and the number of its operand for each use."""
        return tuple((user, i) for user in self.users for i, operand in enumerate(user.operands) if operand is self)

    @property
    def module(self) -> Module:
        """The module that it belongs to."""
        from pycoro.module import Module

        return Module._around(self.core)

    def __str__(self) -> str:
        return _core.ir_text(self)

    def __repr__(self) -> str:
        state, brief = "stale " if self.stale else "", ""
        with suppress(Error):  # gone, or its module is in use by another thread
            brief = f" {printable(self._brief())}"
        return f"<{state}{type(self).__name__}{brief}>"

    def _brief(self) -> str:
        """What `repr` says after the class's name."""
        return str(self).strip()


class InlineAsm(Value):
    """Assembly that a call calls.

    >>> module = pycoro.Module('define void @f() { call void asm sideeffect "nop", "~{memory}"() ret void }')
    >>> assembly = module.functions["f"].blocks[0].instructions[0].operands[-1]
    >>> assembly.assembly, assembly.constraints
    ('nop', '~{memory}')
    """

    __slots__ = ()

    assembly = look(_core.ir_assembly, "The text.")
    constraints = look(_core.ir_constraints, "What it reads and writes, as LLVM writes it.")


class MetadataValue(Value):
    """Metadata as an operand, of intrinsics that take it.

    >>> ir = (
    ...     "declare half @llvm.fptrunc.round.f16.f32(float, metadata) define half @f(float %x) "
    ...     '{ %r = call half @llvm.fptrunc.round.f16.f32(float %x, metadata !"round.upward") ret half %r }'
    ... )
    >>> pycoro.Module(ir).functions["f"].blocks[0].instructions[0].arguments[1].string
    'round.upward'
    """

    __slots__ = ()

    string = look(_core.ir_string, "The text of metadata that is a string, else ``None``.")
