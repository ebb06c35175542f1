"""LLVM's types as Python sees them: parsed from LLVM's spelling, laid out in memory, read and written as values.

The layout is that of the 64-bit targets the JIT runs on: everything is aligned to its own size, up to 16 bytes.
"""

from __future__ import annotations

import ctypes
import re
import struct
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from pycoro.errors import UsageError

__all__ = ["Signature", "Type", "parse_signature", "parse_type"]

POINTER_SIZE = ctypes.sizeof(ctypes.c_void_p)


class Type(ABC):
    """A type of LLVM's that has values in Python."""

    text: str
    """As LLVM spells it."""
    size: int
    """In bytes, padding at its end included."""
    align: int
    """In bytes."""
    ctype: Any = None
    """What ctypes passes it as; None for what is not passed in one register."""

    @abstractmethod
    def to_bytes(self, value: Any) -> bytes:
        """The value as it lies in memory. TypeError, OverflowError."""

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
        return f"<Type {self.text}>"


def _ceil(value: int, align: int) -> int:
    return -(-value // align) * align


class Int(Type):
    """``iN``: an int, read as signed; a bool for ``i1``."""

    def __init__(self, bits: int) -> None:
        self.text = f"i{bits}"
        self.bits = bits
        self.align = min(1 << max((bits + 7) // 8 - 1, 0).bit_length(), 16)
        self.size = _ceil((bits + 7) // 8, self.align)
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


class Float(Type):
    """``half``, ``float``, ``double``: a float."""

    def __init__(self, text: str, code: str, ctype: Any) -> None:
        self.text = text
        self.size = self.align = struct.calcsize(code)
        self.ctype = ctype
        self._code = code

    def to_c(self, value: Any) -> float:
        if not isinstance(value, int | float):
            raise TypeError(f"{self.text} is a float, not {type(value).__name__}")
        return float(value)

    def to_bytes(self, value: Any) -> bytes:
        return struct.pack(self._code, self.to_c(value))

    def from_bytes(self, data: bytes) -> float:
        value: float = struct.unpack(self._code, data)[0]
        return value


class Pointer(Type):
    """``ptr``: an address as an int; None, handles and ctypes objects are taken for one."""

    text = "ptr"
    size = align = POINTER_SIZE
    ctype = ctypes.c_void_p

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


class Aggregate(Type):
    """Structs, arrays and vectors: a tuple of the elements."""

    leaves: int
    """How many values it holds that are none of these; at least 1."""

    def __init__(self, text: str, elements: Sequence[Type], *, packed: bool = False, align: int = 0) -> None:
        self.text = text
        self.elements = tuple(elements)
        self.leaves = sum(element.leaves if isinstance(element, Aggregate) else 1 for element in elements) or 1
        self.align = align or (1 if packed else max((e.align for e in elements), default=1))
        self.offsets = []
        end = 0
        for element in self.elements:
            end = end if packed else _ceil(end, element.align)
            self.offsets.append(end)
            end += element.size
        self.size = _ceil(end, self.align)

    def to_bytes(self, value: Any) -> bytes:
        values = tuple(value)
        if len(values) != len(self.elements):
            raise TypeError(f"{self.text} has {len(self.elements)} elements, not {len(values)}")
        data = bytearray(self.size)
        for offset, element, item in zip(self.offsets, self.elements, values, strict=True):
            data[offset : offset + element.size] = element.to_bytes(item)
        return bytes(data)

    def from_bytes(self, data: bytes) -> tuple[Any, ...]:
        places = zip(self.offsets, self.elements, strict=True)
        return tuple(element.from_bytes(data[offset : offset + element.size]) for offset, element in places)


class Signature(NamedTuple):
    """A function's type. A type that has no values in Python is None, and only an error where it is used."""

    text: str
    result: Type | None
    """None also for ``void``; see `returns`."""
    returns: bool
    parameters: tuple[Type | None, ...]
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


_FLOATS = {
    "half": Float("half", "e", None),
    "float": Float("float", "f", ctypes.c_float),
    "double": Float("double", "d", ctypes.c_double),
}
MOST_LEAVES = 1 << 20
"""A value of more numbers than that is none in Python."""
MOST_NESTED = 100
_TOKEN = re.compile(r'\s*([a-z_]\w*|%?"[^"]*"|%[-\w$.]+|\d+|<\{|\}>|\.\.\.|[{}\[\]<>(),])')


class _Reader:
    """Reads LLVM's spelling of a type, token by token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = _TOKEN.findall(text)
        self._at = 0
        self._depth = 0
        if re.sub(r"\s", "", "".join(self._tokens)) != re.sub(r"\s", "", text):
            raise self.error()

    def error(self) -> UsageError:
        return UsageError(f"{self.text!r} is not a type with values in Python, such as i32, ptr or {{ i32, i64 }}")

    def peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise self.error()
        self._at += 1
        return token

    def _list(self, end: str) -> list[Type | None]:
        items: list[Type | None] = []
        while self.peek() not in (end, "..."):
            items.append(self.type())
            if self.peek() != end:
                self.take(",")
        return items

    def _repeated(self) -> list[Type | None]:
        """``4 x i32``, or ``vscale x 4 x i32``, which has no values here."""
        scalable = self.peek() == "vscale"
        if scalable:
            self.take()
            self.take("x")
        count = self.take()
        self.take("x")
        element = self.type()
        if not count.isdecimal():
            raise self.error()
        leaves = element.leaves if isinstance(element, Aggregate) else 1
        return [None] if scalable or int(count) * leaves > MOST_LEAVES else [element] * int(count)

    def _aggregate(self, opening: str, closing: str) -> Type | None:
        start = self._at
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise self.error()
        self.take(opening)
        elements = self._repeated() if opening in ("[", "<") else self._list(closing)
        self.take(closing)
        self._depth -= 1
        known = [element for element in elements if element]
        if len(known) != len(elements):
            return None
        if opening == "<" and not (known and isinstance(known[0], Int | Float | Pointer) and known[0].size * 8 >= 8):
            return None
        text = " ".join(self._tokens[start : self._at])
        align = 1 << (known[0].size * len(known) - 1).bit_length() if opening == "<" else 0
        return Aggregate(text, known, packed=opening == "<{", align=align)

    def type(self) -> Type | None:
        """The next type; None for one that has no values in Python."""
        token = self.peek()
        brackets = {"{": "}", "<{": "}>", "[": "]", "<": ">"}
        if token in brackets:
            return self._aggregate(token, brackets[token])
        self.take()
        if token == "ptr":
            if self.peek() == "addrspace":
                for _ in range(4):
                    self.take()
                return None
            return Pointer()
        if token in _FLOATS:
            return _FLOATS[token]
        if re.fullmatch(r"i[1-9]\d*", token):
            return Int(int(token[1:]))
        if token == "target":
            self._skip_parentheses()
            return None
        if re.fullmatch(r"%.*|[a-z_]\w*", token):
            return None
        raise self.error()

    def _skip_parentheses(self) -> None:
        depth = 1
        self.take("(")
        while depth:
            token = self.take()
            depth += (token == "(") - (token == ")")

    def signature(self) -> Signature:
        returns = self.peek() != "void"
        result = self.type()
        self.take("(")
        parameters = self._list(")")
        variadic = self.peek() == "..."
        if variadic:
            self.take()
        self.take(")")
        return Signature(self.text, result, returns, tuple(parameters), variadic)

    def end(self) -> None:
        if self.peek():
            raise self.error()


def parse_type(text: str) -> Type:
    """The type that LLVM spells so; equal texts give the same object. UsageError where it has no values in Python."""
    return _type_of(text)


def parse_signature(text: str) -> Signature:
    """The function type that LLVM spells so, as ``"ptr (i32, ...)"``."""
    return _signature_of(text)


def _read_type(text: str) -> Type:
    reader = _Reader(text)
    found = reader.type()
    reader.end()
    if not found:
        raise reader.error()
    return found


def _read_signature(text: str) -> Signature:
    reader = _Reader(text)
    found = reader.signature()
    reader.end()
    return found


_type_of = cache(_read_type)
_signature_of = cache(_read_signature)
