"""Constants, including globals, whose value is their address."""

from __future__ import annotations

from pycoro import _core
from pycoro.errors import IndexUsageError
from pycoro.ir.core_property import core_property
from pycoro.ir.value import Value

__all__ = ["Constant", "Global", "GlobalAlias", "GlobalIFunc", "GlobalVariable"]


class Constant(Value):
    """Constant: a number, ``null``, an aggregate, a constant expression, or a global.

    >>> one = pycoro.ir.Builder(pycoro.Module("")).constant("i32", -1)
    >>> one.kind, one.value, str(one)
    ('integer', -1, 'i32 -1')
    """

    __slots__ = ()

    kind = core_property(
        _core.ir_constant_kind,
        'Kind: ``"integer"``, ``"float"``, ``"null"``, ``"none"`` (a token), ``"undef"``, ``"poison"``, ``"zeroinitializer"``, '
        '``"array"``, ``"struct"``, ``"vector"``, ``"expression"``, ``"blockaddress"``, ``"ptrauth"``, ``"other"``; ``None`` for '
        "a global.",
    )
    value = core_property(
        _core.ir_constant_value,
        "Value: an ``int``, signed as LLVM prints it (``i1`` as 0 or 1); a ``float`` if it is exact; the ``bytes`` of an "
        "array of ``i8``; ``None`` for other constants.",
    )
    opcode = core_property(_core.ir_constant_opcode, "Opcode of a constant expression; ``None`` for other constants.")
    block = core_property(_core.ir_block_of_address, "Block of a ``blockaddress``, else ``None``.")

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of a constant expression."""
        return _core.ir_flags(self) or ()

    def element(self, index: int) -> Value:
        """Return an element of an array, vector or struct, also of a zero initializer. Raises ``IndexError``."""
        found = _core.ir_element(self, index) if 0 <= index < 1 << 32 else None
        if found is None:
            raise IndexUsageError(f"the constant has no element {index}")
        return found


class Global(Constant):
    """Global value, named with an ``@``. Its ``type`` is a pointer.

    >>> module = pycoro.Module(pycoro.examples.RELAY)
    >>> for value in (module.globals["relay.pointer"], module.functions["hand"]):
    ...     print(value.name, value.linkage, value.value_type)
    relay.pointer external <{ i32, i32 }>
    hand internal void (ptr, ptr)
    """

    __slots__ = ()

    value_type = core_property(_core.ir_value_type, "Type of the memory at its address; for a function, the function type.")
    linkage = core_property(_core.ir_linkage, 'LLVM keyword: ``"internal"``, ``"linkonce_odr"`` ...; ``"external"`` without one.')
    visibility = core_property(_core.ir_visibility, 'Visibility: ``"default"``, ``"hidden"``, ``"protected"``.')
    is_declaration = core_property(_core.ir_declaration, "True if another module defines it.")

    def _repr_details(self) -> str:
        return f"@{self.name}"


class GlobalVariable(Global):
    """Global variable.

    >>> pointer = pycoro.Module(pycoro.examples.RELAY).globals["relay.pointer"]
    >>> [pointer.initializer.element(number).value for number in (0, 1)], pointer.is_constant
    ([0, 16], False)
    """

    __slots__ = ()

    initializer = core_property(_core.ir_initializer, "Initializer; ``None`` if another module defines it.")
    is_constant = core_property(_core.ir_is_constant, "True if it never changes.")
    is_thread_local = core_property(_core.ir_thread_local, "True if it is thread-local.")
    align = core_property(_core.ir_align, "Alignment in bytes; ``None`` if unspecified.")
    section = core_property(_core.ir_section, "Section; empty if unspecified.")
    metadata = core_property(_core.ir_metadata, "Kinds of attached metadata.")


class GlobalAlias(Global):
    """Alias for a global or a position inside one.

    >>> alias = pycoro.Module("@x = global i32 0 @y = alias i32, ptr @x").globals["y"]
    >>> alias.target.name
    'x'
    """

    __slots__ = ()

    target = core_property(_core.ir_target, "Aliased constant.")


class GlobalIFunc(Global):
    """Function that a resolver selects at load time.

    >>> ir = "define ptr @choose() { ret ptr null } @f = ifunc void (), ptr @choose"
    >>> pycoro.Module(ir).globals["f"].target.name
    'choose'
    """

    __slots__ = ()

    target = core_property(_core.ir_target, "Resolver function.")
