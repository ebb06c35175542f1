"""Base class of IR values, and small subclasses."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pycoro import _core
from pycoro._escape import printable
from pycoro._module_class import module_class
from pycoro.errors import Error
from pycoro.ir.core_property import core_property

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["InlineAsm", "MetadataValue", "Value"]


class Value(_core.Value):
    """LLVM value. ``str(value)`` is its text; that takes time linear in the function, because LLVM numbers unnamed values.

    >>> handle = pycoro.Module(pycoro.examples.COUNTER).functions["sum"].blocks[0].instructions[0]
    >>> handle.name, str(handle.type), len(handle.users)
    ('handle', 'ptr', 4)
    """

    __slots__ = ("__weakref__",)

    name = core_property(_core.ir_name, "Name without the ``%`` or ``@``; empty for an unnamed value.")
    type = core_property(_core.ir_type, "Type; a pointer for a global, ``label`` for a block.")

    @property
    def operands(self) -> tuple[Value, ...]:
        """Operands in LLVM's order."""
        return _core.ir_operands(self) or ()

    @property
    def users(self) -> tuple[Value, ...]:
        """Users without duplicates. LLVM has none for plain data (a number, ``null``, ``poison``)."""
        return tuple(dict.fromkeys(_core.ir_users(self)))

    @property
    def uses(self) -> tuple[tuple[Value, int], ...]:
        """Uses as pairs of user and operand index."""
        return tuple((user, i) for user in self.users for i, operand in enumerate(user.operands) if operand is self)

    @property
    def module(self) -> Module:
        """Module with the value."""
        return module_class()._owner_of_core_or_new(self.core)

    def __str__(self) -> str:
        return _core.ir_text(self)

    def __repr__(self) -> str:
        state, brief = "stale " if self.is_stale else "", ""
        with suppress(Error):  # erased, or its module is in use by another thread
            brief = f" {printable(self._repr_details())}"
        return f"<{state}{type(self).__name__}{brief}>"

    def _repr_details(self) -> str:
        """Return the part of `repr` after the class name."""
        return str(self).strip()


class InlineAsm(Value):
    """Inline assembly as a callee.

    >>> module = pycoro.Module('define void @f() { call void asm sideeffect "nop", "~{memory}"() ret void }')
    >>> assembly = module.functions["f"].blocks[0].instructions[0].operands[-1]
    >>> assembly.assembly, assembly.constraints
    ('nop', '~{memory}')
    """

    __slots__ = ()

    assembly = core_property(_core.ir_assembly, "Assembly text.")
    constraints = core_property(_core.ir_constraints, "Constraints in LLVM's syntax.")


class MetadataValue(Value):
    """Metadata as an operand of an intrinsic.

    >>> ir = (
    ...     "declare half @llvm.fptrunc.round.f16.f32(float, metadata) define half @f(float %x) "
    ...     '{ %r = call half @llvm.fptrunc.round.f16.f32(float %x, metadata !"round.upward") ret half %r }'
    ... )
    >>> pycoro.Module(ir).functions["f"].blocks[0].instructions[0].arguments[1].string
    'round.upward'
    """

    __slots__ = ()

    string = core_property(_core.ir_string, "Text of a metadata string, else ``None``.")
