"""Values of LLVM's types as Python sees them: what they are written as, and read from, in memory that LLVM lays out."""

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
from pycoro._calltype import function_type
from pycoro._encode import ir_bytes
from pycoro._host import host
from pycoro.errors import UsageError
from pycoro.ir.types import Type

__all__ = ["Aggregate", "Float", "Int", "Kind", "Kinds", "Pointer", "Signature", "host_kinds"]

POINTER_SIZE = ctypes.sizeof(ctypes.c_void_p)


class Kind(ABC):
    """A type of LLVM's that has values in Python."""

    ctype: Any = None
    """What ctypes passes it as; None for what is not passed in one register."""

    def __init__(self, text: str, size: int, align: int) -> None:
        self.text = text
        """As LLVM spells it."""
        self.size = size
        """In bytes, padding at its end included."""
        self.align = align
        """In bytes."""
        self.used = size
        """Bytes that tell the value, the first ones."""

    @abstractmethod
    def to_bytes(self, value: Any) -> bytes:
        """The value as it lies in memory. TypeError, OverflowError."""

    def write(self, data: bytearray, at: int, value: Any) -> None:
        """Puts the value into memory, and leaves what is not part of it. TypeError, OverflowError."""
        data[at : at + self.size] = self.to_bytes(value)

    def said(self, value: Any) -> str:
        """The value in a word, where the type has one for it; else empty."""
        return ""

    @abstractmethod
    def from_bytes(self, data: bytes) -> Any:
        """The value that lies in memory as `data`."""

    def to_c(self, value: Any) -> Any:
        """The value as ctypes wants it. TypeError, OverflowError."""
        return value

    def from_c(self, value: Any) -> Any:
        """The value that ctypes gives."""
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
        """Whether several of them may be text."""
        widths = {8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}
        self.ctype = widths.get(next((width for width in widths if bits <= width), 0))

    def _wrap(self, value: int) -> int | bool:
        value &= (1 << self.bits) - 1
        if self.bits == 1:
            return bool(value)
        return value - (1 << self.bits) if value >> (self.bits - 1) else value

    def to_c(self, value: Any) -> int:
        try:
            number = value.__index__()
        except AttributeError:
            raise TypeError(f"{self.text} is an int, not {type(value).__name__}") from None
        if not -(1 << (self.bits - 1)) <= number < 1 << self.bits:
            raise OverflowError(f"{number} does not fit {self.text}")
        return int(number)

    def from_c(self, value: Any) -> int | bool:
        return self._wrap(value)

    def to_bytes(self, value: Any) -> bytes:
        return (self.to_c(value) & ((1 << self.bits) - 1)).to_bytes(self.size, sys.byteorder)

    def from_bytes(self, data: bytes) -> int | bool:
        return self._wrap(int.from_bytes(data, sys.byteorder))


class Float(Kind):
    """``half``, ``float``, ``double``: a float."""

    def __init__(self, text: str, size: int, align: int) -> None:
        super().__init__(text, size, align)
        self._code, self.ctype = _FLOATS[text]

    def to_c(self, value: Any) -> float:
        if not isinstance(value, int | float):
            raise TypeError(f"{self.text} is a float, not {type(value).__name__}")
        return float(value)

    def to_bytes(self, value: Any) -> bytes:
        return struct.pack(self._code, self.to_c(value))

    def from_bytes(self, data: bytes) -> float:
        value: float = struct.unpack(self._code, data)[0]
        return value


_FLOATS: dict[str, tuple[str, Any]] = {"half": ("e", None), "float": ("f", ctypes.c_float), "double": ("d", ctypes.c_double)}


class Pointer(Kind):
    """``ptr``: an address as an int; None, handles and ctypes objects are taken for one."""

    ctype = ctypes.c_void_p

    def __init__(self, text: str = "ptr", size: int = POINTER_SIZE, align: int = POINTER_SIZE) -> None:
        super().__init__(text, size, align)

    def to_c(self, value: Any) -> int:
        address = getattr(value, "address", value)
        if address is None:
            return 0
        if isinstance(address, int):
            if not 0 <= address < 1 << (8 * POINTER_SIZE):
                raise OverflowError(f"{address} is no address")
            return address
        try:
            return ctypes.addressof(address)
        except TypeError:
            raise TypeError(f"ptr is an address, a handle or a ctypes object, not {type(value).__name__}") from None

    def from_c(self, value: Any) -> int:
        return value or 0

    def to_bytes(self, value: Any) -> bytes:
        return self.to_c(value).to_bytes(POINTER_SIZE, sys.byteorder)

    def from_bytes(self, data: bytes) -> int:
        return int.from_bytes(data, sys.byteorder)


class Aggregate(Kind):
    """Structs, arrays and vectors: a tuple of the elements."""

    def __init__(self, text: str, size: int, align: int, elements: Sequence[Kind], offsets: Sequence[int]) -> None:
        super().__init__(text, size, align)
        self.elements = tuple(elements)
        self.offsets = tuple(offsets)
        self.leaves = sum(map(_leaves, self.elements)) or 1
        """How many values it holds that are none of these; at least 1."""

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

    def made(self, values: Iterable[Any]) -> tuple[Any, ...]:
        """The value that has these elements."""
        return tuple(values)

    def from_bytes(self, data: bytes) -> tuple[Any, ...]:
        places = zip(self.offsets, self.elements, strict=True)
        return self.made(element.from_bytes(data[offset : offset + element.size]) for offset, element in places)


def _leaves(kind: Kind) -> int:
    return kind.leaves if isinstance(kind, Aggregate) else 1


class Signature(NamedTuple):
    """A function's type. A type that has no values in Python is None, and only an error where it is used."""

    text: str
    result: Kind | None
    """None also for ``void``; see `returns`."""
    returns: bool
    parameters: tuple[Kind | None, ...]
    variadic: bool

    def unsupported(self) -> str:
        """Why Python and compiled code cannot call each other with it; empty where they can."""
        if self.variadic:
            return "it is variadic"
        if self.returns and not (self.result and self.result.ctype):
            return "its result is not an integer of up to 64 bits, a float, a double or a pointer"
        for number, parameter in enumerate(self.parameters, 1):
            if not (parameter and parameter.ctype):
                return f"parameter {number} is not an integer of up to 64 bits, a float, a double or a pointer"
        return ""


MOST_LEAVES = 1 << 20
"""A value of more numbers than that is none in Python."""
MOST_NESTED = 100


def _struct(type: Type, size: int, align: int, depth: int) -> Kind | None:
    elements: list[Kind] = []
    leaves = 0
    for part in type.elements:
        element = _kind(part, depth + 1)
        leaves += _leaves(element) if element else 0
        if element is None or leaves > MOST_LEAVES:
            return None
        elements.append(element)
    return Aggregate(type.text, size, align, elements, type.offsets or ())


def _sequence(type: Type, size: int, align: int, depth: int) -> Kind | None:
    element, count = _kind(type.element, depth + 1), type.count
    if element is None or _leaves(element) * count > MOST_LEAVES:
        return None
    if type.kind == "vector" and isinstance(element, Int) and element.bits != 8 * element.size:
        return None  # its elements lie bit by bit
    return Aggregate(type.text, size, align, [element] * count, [element.size * i for i in range(count)])


def _kind(type: Type, depth: int = 0) -> Kind | None:
    """How its values are seen; None where it has none."""
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
            return _struct(type, size, align, depth)
        case "array" | "vector":
            return _sequence(type, size, align, depth)
        case _:
            return None


class Kinds(NamedTuple):
    """Types as a machine lays them out."""

    triple: str
    data_layout: str
    """Both as a module names them; empty where it does not."""

    def kind(self, text: str) -> Kind:
        """The type that LLVM spells so; equal texts give the same object. ``UsageError`` where it has no values in Python."""
        found = _read(self, text)
        if isinstance(found, Kind):
            return found
        raise UsageError(f"{text!r} is not a type with values in Python, such as i32, ptr or {{ i32, i64 }}{found and ': '}{found}")

    def known(self, text: str) -> Kind | None:
        """Likewise; None where it has no values in Python."""
        found = _read(self, text)
        return found if isinstance(found, Kind) else None

    def signature(self, text: str) -> Signature:
        """The function type that LLVM spells so, as ``"ptr (i32, ...)"``."""
        return _signature(self, text)


@cache
def _read(kinds: Kinds, text: str) -> Kind | str:
    """The module that reads the type is closed at once: what is remembered are numbers."""
    target = "".join(
        f'target {what} = "{value}"\n' for what, value in (("triple", kinds.triple), ("datalayout", kinds.data_layout)) if value
    )
    with closing(_core.Module(ir_bytes(target), trusted=True)) as module:
        try:
            return _kind(module.type_read(text)) or ""
        except UsageError as error:
            return error.message


@cache
def _signature(kinds: Kinds, text: str) -> Signature:
    result, parameters, variadic = function_type(text)
    return Signature(text, kinds.known(result), result != "void", tuple(map(kinds.known, parameters)), variadic)


@cache
def host_kinds() -> Kinds:
    """Of this machine, which engines compile for."""
    machine = host()
    return Kinds(machine["triple"], machine["datalayout"])
