"""Conversion between Python values and values of LLVM types in memory."""

from __future__ import annotations

import ctypes
import struct
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cache
from typing import Any, NamedTuple

from pycoro import _core
from pycoro._calltype import parse_function_type
from pycoro._encode import ir_bytes
from pycoro._host import host_triple_and_data_layout
from pycoro.errors import OverflowUsageError, UsageError
from pycoro.ir.types import Type

__all__ = ["Aggregate", "Float", "Int", "Kind", "Kinds", "Pointer", "Signature", "host_kinds"]

POINTER_SIZE = ctypes.sizeof(ctypes.c_void_p)


class Kind(ABC):
    """An LLVM type with values in Python."""

    ctype: Any = None
    """ctypes type; None if the value does not pass in one register."""

    def __init__(self, text: str, size: int, align: int) -> None:
        self.text = text
        """Spelling in LLVM."""
        self.size = size
        """Size in bytes, including tail padding."""
        self.align = align
        """Alignment in bytes."""
        self.used = size
        """Number of leading bytes that determine the value."""

    @abstractmethod
    def to_bytes(self, value: Any) -> bytes:
        """Encode the value. Raises TypeError or OverflowError."""

    def write(self, data: bytearray, at: int, value: Any) -> None:
        """Store the value to memory, and preserve the padding. Raises TypeError or OverflowError."""
        data[at : at + self.size] = self.to_bytes(value)

    def value_name_or_empty(self, value: Any) -> str:
        """Return the name of the value, such as an enumerator; empty if it has none."""
        return ""

    @abstractmethod
    def from_bytes(self, data: bytes) -> Any:
        """Decode the value from its bytes in memory."""

    def to_c(self, value: Any) -> Any:
        """Convert the value for ctypes. Raises TypeError or OverflowError."""
        return value

    def from_c(self, value: Any) -> Any:
        """Convert the value from ctypes."""
        return value

    def __repr__(self) -> str:
        return f"<Kind {self.text}>"


class Int(Kind):
    """``iN``: an int, read as signed; a bool for ``i1``."""

    def __init__(self, text: str, size: int, align: int, bits: int) -> None:
        super().__init__(text, size, align)
        self.bits = bits
        self.used = (bits + 7) // 8
        self.is_character = bits == 8
        """True if an array of them may be text."""
        widths = {8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}
        self.ctype = widths.get(next((width for width in widths if bits <= width), 0))

    def _from_bits(self, value: int) -> int | bool:
        value &= (1 << self.bits) - 1
        if self.bits == 1:
            return bool(value)
        return value - (1 << self.bits) if value >> (self.bits - 1) else value

    def to_c(self, value: Any) -> int:
        try:
            number = value.__index__()
        except AttributeError:
            raise TypeError(f"expected an int for {self.text}, got {type(value).__name__}") from None
        if not -(1 << (self.bits - 1)) <= number < 1 << self.bits:
            raise OverflowUsageError(f"{number} does not fit {self.text}")
        return int(number)

    def from_c(self, value: Any) -> int | bool:
        return self._from_bits(value)

    def to_bytes(self, value: Any) -> bytes:
        return (self.to_c(value) & ((1 << self.bits) - 1)).to_bytes(self.size, sys.byteorder)

    def from_bytes(self, data: bytes) -> int | bool:
        return self._from_bits(int.from_bytes(data, sys.byteorder))


class Float(Kind):
    """``half``, ``float``, ``double``: a float."""

    def __init__(self, text: str, size: int, align: int) -> None:
        super().__init__(text, size, align)
        self._code, self.ctype = _FLOATS[text]

    def to_c(self, value: Any) -> float:
        if not isinstance(value, int | float):
            raise TypeError(f"expected a float for {self.text}, got {type(value).__name__}")
        return float(value)

    def to_bytes(self, value: Any) -> bytes:
        return struct.pack(self._code, self.to_c(value))

    def from_bytes(self, data: bytes) -> float:
        value: float = struct.unpack(self._code, data)[0]
        return value


_FLOATS: dict[str, tuple[str, Any]] = {"half": ("e", None), "float": ("f", ctypes.c_float), "double": ("d", ctypes.c_double)}


class Pointer(Kind):
    """``ptr``: an address as an int; None, handles and ctypes objects are accepted."""

    ctype = ctypes.c_void_p

    def __init__(self, text: str = "ptr", size: int = POINTER_SIZE, align: int = POINTER_SIZE) -> None:
        super().__init__(text, size, align)

    def to_c(self, value: Any) -> int:
        address = getattr(value, "address", value)
        if address is None:
            return 0
        if isinstance(address, int):
            if not 0 <= address < 1 << (8 * POINTER_SIZE):
                raise OverflowUsageError(f"{address} is not an address of 64 bits")
            return address
        try:
            return ctypes.addressof(address)
        except TypeError:
            raise TypeError(f"expected an address, a handle or a ctypes object for ptr, got {type(value).__name__}") from None

    def from_c(self, value: Any) -> int:
        return value or 0

    def to_bytes(self, value: Any) -> bytes:
        return self.to_c(value).to_bytes(POINTER_SIZE, sys.byteorder)

    def from_bytes(self, data: bytes) -> int:
        return int.from_bytes(data, sys.byteorder)


class Aggregate(Kind):
    """Struct, array or vector: a tuple of the elements."""

    def __init__(self, text: str, size: int, align: int, elements: Sequence[Kind], offsets: Sequence[int]) -> None:
        super().__init__(text, size, align)
        self.elements = tuple(elements)
        self.offsets = tuple(offsets)
        self.leaves = sum(map(_leaf_count, self.elements)) or 1
        """Number of scalars in it; at least 1."""

    def to_bytes(self, value: Any) -> bytes:
        data = bytearray(self.size)
        self.write(data, 0, value)
        return bytes(data)

    def write(self, data: bytearray, at: int, value: Any) -> None:
        values = tuple(value)
        if len(values) != len(self.elements):
            raise TypeError(f"{self.text} has {len(self.elements)} elements, not {len(values)}")
        for offset, element, item in zip(self.offsets, self.elements, values, strict=True):
            element.write(data, at + offset, item)

    def from_elements(self, values: Iterable[Any]) -> tuple[Any, ...]:
        """Return the value with these elements."""
        return tuple(values)

    def from_bytes(self, data: bytes) -> tuple[Any, ...]:
        places = zip(self.offsets, self.elements, strict=True)
        return self.from_elements(element.from_bytes(data[offset : offset + element.size]) for offset, element in places)


def _leaf_count(kind: Kind) -> int:
    return kind.leaves if isinstance(kind, Aggregate) else 1


class Signature(NamedTuple):
    """A function type. A type without values in Python is None, and raises only on use."""

    text: str
    result: Kind | None
    """Result type; also None for ``void``, see `returns`."""
    returns: bool
    parameters: tuple[Kind | None, ...]
    variadic: bool

    def reason_if_unsupported(self) -> str:
        """Return the reason why Python cannot call or implement this type; empty if it can."""
        if self.variadic:
            return "it is variadic"
        if self.returns and not (self.result and self.result.ctype):
            return "its result is not an integer of up to 64 bits, a float, a double or a pointer"
        for number, parameter in enumerate(self.parameters, 1):
            if not (parameter and parameter.ctype):
                return f"parameter {number} is not an integer of up to 64 bits, a float, a double or a pointer"
        return ""


MOST_LEAVES = 1 << 20
"""Maximum number of scalars in a Python value."""
MOST_NESTED = 100


def _struct_kind(type: Type, size: int, align: int, depth: int) -> Kind | None:
    elements: list[Kind] = []
    leaves = 0
    for part in type.elements:
        element = _kind_of_type(part, depth + 1)
        leaves += _leaf_count(element) if element else 0
        if element is None or leaves > MOST_LEAVES:
            return None
        elements.append(element)
    return Aggregate(type.text, size, align, elements, type.offsets or ())


def _array_kind(type: Type, size: int, align: int, depth: int) -> Kind | None:
    element, count = _kind_of_type(type.element, depth + 1), type.count
    if element is None or _leaf_count(element) * count > MOST_LEAVES:
        return None
    if type.kind == "vector" and isinstance(element, Int) and element.bits != 8 * element.size:
        return None  # its elements are packed bits
    return Aggregate(type.text, size, align, [element] * count, [element.size * i for i in range(count)])


def _kind_of_type(type: Type, depth: int = 0) -> Kind | None:
    """Return the conversion for a type; None if it has no values in Python."""
    size, align = type.size, type.align
    if size is None or align is None or depth > MOST_NESTED:
        return None
    match type.kind:
        case "integer":
            return Int(type.text, size, align, type.bits)
        case "float" if type.text in _FLOATS:
            return Float(type.text, size, align)
        case "pointer" if not type.address_space:
            return Pointer(type.text, size, align)
        case "struct":
            return _struct_kind(type, size, align, depth)
        case "array" | "vector":
            return _array_kind(type, size, align, depth)
        case _:
            return None


class Kinds(NamedTuple):
    """Types in the layout of a target."""

    triple: str
    data_layout: str
    """Data layout and triple as in a module; empty if it has none."""

    def kind(self, text: str) -> Kind:
        """Return the type with that LLVM spelling; equal texts return the same object. Raises ``UsageError`` if it has no
        values in Python.
        """
        found = _parse_type_or_error_text(self, text)
        if isinstance(found, Kind):
            return found
        raise UsageError(f"{text!r} is not a type with values in Python, such as i32, ptr or {{ i32, i64 }}{found and ': '}{found}")

    def find_kind(self, text: str) -> Kind | None:
        """Return the type with that LLVM spelling; None if it has no values in Python."""
        found = _parse_type_or_error_text(self, text)
        return found if isinstance(found, Kind) else None

    def signature(self, text: str) -> Signature:
        """Return the function type with that LLVM spelling, such as ``"ptr (i32, ...)"``."""
        return _parse_signature(self, text)


@cache
def _parse_type_or_error_text(kinds: Kinds, text: str) -> Kind | str:
    """Parse the type in a temporary module; the cached result consists of numbers."""
    target = "".join(
        f'target {what} = "{value}"\n' for what, value in (("triple", kinds.triple), ("datalayout", kinds.data_layout)) if value
    )
    with closing(_core.Module(ir_bytes(target), trusted=True)) as module:
        try:
            return _kind_of_type(module.type_read(text)) or ""
        except UsageError as error:
            return error.message


@cache
def _parse_signature(kinds: Kinds, text: str) -> Signature:
    result, parameters, variadic = parse_function_type(text)
    return Signature(text, kinds.find_kind(result), result != "void", tuple(map(kinds.find_kind, parameters)), variadic)


@cache
def host_kinds() -> Kinds:
    """Return the types of this machine, the target of engines."""
    machine = host_triple_and_data_layout()
    return Kinds(machine["triple"], machine["datalayout"])
