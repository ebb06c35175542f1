"""Constants, and globals, which are constants: their value is an address."""

from __future__ import annotations

from pycoro import _core
from pycoro.ir.look import look
from pycoro.ir.value import Value

__all__ = ["Constant", "Global", "GlobalAlias", "GlobalIFunc", "GlobalVariable"]


class Constant(Value):
    """A constant: a number, ``null``, an aggregate, an expression of constants, a global.

    >>> one = pycoro.ir.Builder(pycoro.Module("")).constant("i32", -1)
    >>> one.kind, one.value, str(one)
    ('integer', -1, 'i32 -1')
    """

    __slots__ = ()

    kind = look(
        _core.ir_constant_kind,
        '``"integer"``, ``"float"``, ``"null"``, ``"none"`` (a token), ``"undef"``, ``"poison"``, ``"zeroinitializer"``, '
        '``"array"``, ``"struct"``, ``"vector"``, ``"expression"``, ``"blockaddress"``, ``"ptrauth"``, ``"other"``; ``None`` for '
        "a global.",
    )
    value = look(
        _core.ir_constant_value,
        "An ``int``, signed as LLVM prints it (``i1`` as 0 or 1); a ``float`` where one holds it exactly; the ``bytes`` of an "
        "array of ``i8``; ``None`` for other constants.",
    )
    opcode = look(_core.ir_constant_opcode, "Of an expression, as of an instruction; ``None`` for other constants.")
    block = look(_core.ir_block_of_address, "The block of a ``blockaddress``, else ``None``.")

    @property
    def flags(self) -> tuple[str, ...]:
        """Of an expression, as of an instruction."""
        return _core.ir_flags(self) or ()

    def element(self, index: int) -> Value:
        """An element of an array, vector or struct, one of zeros among them. ``IndexError``."""
        found = _core.ir_element(self, index) if 0 <= index < 1 << 32 else None
        if found is None:
            raise IndexError(f"the constant has no element {index}")
        return found


class Global(Constant):
    """What a module names with an ``@``. Its ``type`` is a pointer.

    >>> module = pycoro.Module(pycoro.examples.RELAY)
    >>> for value in (module.globals["relay.pointer"], module.functions["hand"]):
    ...     print(value.name, value.linkage, value.value_type)
    relay.pointer external <{ i32, i32 }>
    hand internal void (ptr, ptr)
    """

    __slots__ = ()

    value_type = look(_core.ir_value_type, "The type of what lies at its address; of a function, the function's.")
    linkage = look(
        _core.ir_linkage, 'As LLVM writes it: ``"internal"``, ``"linkonce_odr"`` ...; ``"external"`` where it writes none.'
    )
    visibility = look(_core.ir_visibility, '``"default"``, ``"hidden"``, ``"protected"``.')
    declaration = look(_core.ir_declaration, "Whether another module defines it.")

    def _brief(self) -> str:
        return f"@{self.name}"


class GlobalVariable(Global):
    """A variable of the module.

    >>> pointer = pycoro.Module(pycoro.examples.RELAY).globals["relay.pointer"]
    >>> [pointer.initializer.element(number).value for number in (0, 1)], pointer.constant
    ([0, 16], False)
    """

    __slots__ = ()

    initializer = look(_core.ir_initializer, "What it is at first; ``None`` where another module defines it.")
    constant = look(_core.ir_is_constant, "Whether it never changes.")
    thread_local = look(_core.ir_thread_local, "Whether each thread has one of its own.")
    align = look(_core.ir_align, "In bytes; ``None`` where none is given.")
    section = look(_core.ir_section, "Empty where none is given.")
    metadata = look(_core.ir_metadata, "The kinds that are attached.")


class GlobalAlias(Global):
    """Another name for a global, or a place in one.

    >>> alias = pycoro.Module("@x = global i32 0 @y = alias i32, ptr @x").globals["y"]
    >>> alias.target.name
    'x'
    """

    __slots__ = ()

    target = look(_core.ir_target, "What it names.")


class GlobalIFunc(Global):
    """A function that is chosen when the program is loaded.

    >>> ir = "define ptr @choose() { ret ptr null } @f = ifunc void (), ptr @choose"
    >>> pycoro.Module(ir).globals["f"].target.name
    'choose'
    """

    __slots__ = ()

    target = look(_core.ir_target, "The function that chooses.")
