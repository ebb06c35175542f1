"""Generate the IR around a module under test: bodies of its external functions, and trampolines with a uniform C signature.

An external function stores its arguments to memory and calls the recorder. A trampoline loads the arguments from memory and
stores the result there. Values of all LLVM types are thus observable through one Python callback of one type.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable
from typing import Any

from pycoro.oracle._headers import Header, Parameter

__all__ = [
    "RECORDER",
    "Slots",
    "Stub",
    "context_size_trampoline",
    "noop_function_address_trampoline",
    "stubs_module",
    "trampoline_of",
]

RECORDER = "pycoro.oracle.event"
ALIGN = 64
_ELSEWHERE = re.compile(r"^(_Unwind_.*|__cxa_.*|__\w*_personality_\w*|mem(cpy|move|set|cmp)|bcmp|strlen|__stack_chk_fail)$")
"""External functions that keep their process definition: the exception runtime, and functions that LLVM generates for loops."""


class Slots:
    """Layout of values in a buffer, each at a multiple of `ALIGN`."""

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        self.types = [parameter.type for parameter in parameters]
        self.offsets: list[int] = []
        end = 0
        for kind in self.types:
            self.offsets.append(end)
            end += -(-(kind.size if kind else 8) // ALIGN) * ALIGN
        self.size = max(end, ALIGN)

    def read(self, address: int) -> list[Any]:
        """Read the values; `"?"` if a type has no values in Python."""
        data = ctypes.string_at(address, self.size)
        return [
            kind.from_bytes(data[offset : offset + kind.size]) if kind else "?"
            for kind, offset in zip(self.types, self.offsets, strict=True)
        ]

    def write(self, values: Iterable[Any]) -> bytes:
        data = bytearray(self.size)
        for kind, offset, value in zip(self.types, self.offsets, values, strict=True):
            if kind is None:
                raise TypeError("a value of this type cannot be passed from Python")
            raw = kind.to_bytes(value)
            data[offset : offset + len(raw)] = raw
        return bytes(data)


class Stub:
    """An external function with its recorder number."""

    def __init__(self, header: Header, number: int) -> None:
        self.header = header
        self.number = number
        self.slots = Slots(header.parameters)
        self.result = header.result.type if header.returns_a_value else None
        self.size = max(self.slots.size, self.result.size if self.result else 0, ALIGN)

    def stub_definition(self) -> str:
        """Return its body."""
        lines = [f"{self.header.declaration_line('define')} {{", "entry:", f"  %buffer = alloca [{self.size} x i8], align {ALIGN}"]
        for number, (parameter, offset) in enumerate(zip(self.header.parameters, self.slots.offsets, strict=True)):
            if parameter.type is None:
                continue
            lines.append(f"  %at{number} = getelementptr i8, ptr %buffer, i64 {offset}")
            value = f"%{number}"
            if "swifterror" in parameter.attributes:  # its address must not escape; the value in it is recorded
                value = f"%held{number}"
                lines.append(f"  {value} = load ptr, ptr %{number}")
            lines.append(f"  store {parameter.text} {value}, ptr %at{number}")
        lines.append(f"  call void @{RECORDER}(i32 {self.number}, ptr %buffer)")
        return "\n".join([*lines, *self._ir_of_return(), "}", ""])

    def _ir_of_return(self) -> list[str]:
        if not self.header.returns_a_value:
            return ["  ret void"]
        kind = self.header.result.text
        if self.result is None:
            return [f"  ret {kind} zeroinitializer"]
        return [f"  %result = load {kind}, ptr %buffer", f"  ret {kind} %result"]


def stubs_module(headers: Iterable[Header]) -> tuple[str, list[Stub]]:
    """Return a module that defines the declared functions, which call the recorder with their index in the list of stubs."""
    declared = [header for header in headers if header.declaration and not _ELSEWHERE.match(header.name)]
    stubs = [Stub(header, number) for number, header in enumerate(declared)]
    return "\n".join([f"declare void @{RECORDER}(i32, ptr)", "", *(stub.stub_definition() for stub in stubs)]), stubs


def trampoline_of(name: str, header: Header, callee: str = "") -> tuple[str, Slots, Slots]:
    """Return a trampoline ``void name(ptr buffer)`` for the header, and the layout of its arguments and result.

    With ``callee``, the trampoline calls the function whose address is first in the buffer.
    """
    first = [Parameter("ptr")] if callee else []
    slots, results = Slots([*first, *header.parameters]), Slots([header.result] if header.returns_a_value else [])
    lines = [f"define void @{name}(ptr %buffer) {{"]
    values: list[str] = []
    offsets = slots.offsets
    if callee:
        lines.append("  %callee = load ptr, ptr %buffer")
        offsets = offsets[1:]
    for number, (parameter, offset) in enumerate(zip(header.parameters, offsets, strict=True)):
        lines.append(f"  %at{number} = getelementptr i8, ptr %buffer, i64 {offset}")
        if "swifterror" in parameter.attributes:
            lines += [f"  %a{number} = alloca swifterror ptr", f"  store ptr null, ptr %a{number}"]
        else:
            lines.append(f"  %a{number} = load {parameter.text}, ptr %at{number}")
        values.append(f"{parameter} %a{number}")
    target = "%callee" if callee else f"@{header.name}"
    call = " ".join(filter(None, ["call", header.convention, header.result.attributes, header.result.text]))
    call += f" {target}({', '.join(values)})"
    if header.returns_a_value:
        lines += [f"  %result = {call}", f"  store {header.result.text} %result, ptr %buffer"]
    else:
        lines.append(f"  {call}")
    return "\n".join([*lines, "  ret void", "}", ""]), slots, results


def context_size_trampoline(name: str, pointer: str) -> tuple[str, Slots, Slots]:
    """Return a trampoline without arguments; its result is the context size in an async function pointer."""
    lines = [f"define void @{name}(ptr %buffer) {{"]
    lines.append(f"  %at = getelementptr <{{ i32, i32 }}>, ptr @{pointer}, i32 0, i32 1")
    lines += ["  %size = load i32, ptr %at, align 4", "  store i32 %size, ptr %buffer", "  ret void", "}", ""]
    return "\n".join(lines), Slots([]), Slots([Parameter("i32")])


def noop_function_address_trampoline(name: str, convention: str, attributes: str) -> tuple[str, Slots, Slots]:
    """Return a trampoline without arguments; its result is the address of a function that does nothing with its context."""
    root = f"define {convention} void @{name}.root(ptr {attributes} %context) {{\n  ret void\n}}\n"
    lines = [root, f"define void @{name}(ptr %buffer) {{", f"  store ptr @{name}.root, ptr %buffer", "  ret void", "}", ""]
    return "\n".join(lines), Slots([]), Slots([Parameter("ptr")])
