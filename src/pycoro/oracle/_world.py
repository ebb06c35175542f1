"""The world around a module under test, as IR: its undefined functions, and ways in with one C signature.

An undefined function gets a body that puts its arguments into memory and calls the one recorder, whatever their types;
a way in takes the arguments from memory and leaves the result there. So everything that LLVM can pass can be seen, and
compiled code meets a single Python callback, of a single type.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable
from typing import Any

from pycoro.oracle._headers import Header, Parameter

__all__ = ["RECORDER", "Slots", "Stub", "context_of", "root_of", "way_in", "world"]

RECORDER = "pycoro.oracle.event"
ALIGN = 64
_ELSEWHERE = re.compile(r"^(_Unwind_.*|__cxa_.*|__\w*_personality_\w*|mem(cpy|move|set|cmp)|bcmp|strlen|__stack_chk_fail)$")
"""Functions that stay what they are in this process: the runtime of exceptions, and what LLVM makes of plain loops."""

Recorder = ctypes.CFUNCTYPE(None, ctypes.c_int32, ctypes.c_void_p)


class Slots:
    """Where values lie in a buffer: one after the other, each at a multiple of `ALIGN`."""

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        self.types = [parameter.type for parameter in parameters]
        self.offsets: list[int] = []
        end = 0
        for kind in self.types:
            self.offsets.append(end)
            end += -(-(kind.size if kind else 8) // ALIGN) * ALIGN
        self.size = max(end, ALIGN)

    def read(self, address: int) -> list[Any]:
        """The values; `"?"` for those that have none in Python."""
        data = ctypes.string_at(address, self.size)
        return [
            kind.from_bytes(data[offset : offset + kind.size]) if kind else "?"
            for kind, offset in zip(self.types, self.offsets, strict=True)
        ]

    def write(self, values: Iterable[Any]) -> bytes:
        data = bytearray(self.size)
        for kind, offset, value in zip(self.types, self.offsets, values, strict=True):
            if kind is None:
                raise TypeError("a value of this type cannot be given from Python")
            raw = kind.to_bytes(value)
            data[offset : offset + len(raw)] = raw
        return bytes(data)


class Stub:
    """An undefined function, as the recorder knows it by its number."""

    def __init__(self, header: Header, number: int) -> None:
        self.header = header
        self.number = number
        self.slots = Slots(header.parameters)
        self.result = header.result.type if header.returns else None
        self.size = max(self.slots.size, self.result.size if self.result else 0, ALIGN)

    def ir(self) -> str:
        """A body for it."""
        lines = [f"{self.header.line('define')} {{", "entry:", f"  %buffer = alloca [{self.size} x i8], align {ALIGN}"]
        for number, (parameter, offset) in enumerate(zip(self.header.parameters, self.slots.offsets, strict=True)):
            if parameter.type is None:
                continue
            lines.append(f"  %at{number} = getelementptr i8, ptr %buffer, i64 {offset}")
            value = f"%{number}"
            if "swifterror" in parameter.attributes:  # its address must not be taken; what it holds is the value
                value = f"%held{number}"
                lines.append(f"  {value} = load ptr, ptr %{number}")
            lines.append(f"  store {parameter.text} {value}, ptr %at{number}")
        lines.append(f"  call void @{RECORDER}(i32 {self.number}, ptr %buffer)")
        return "\n".join([*lines, *self._return(), "}", ""])

    def _return(self) -> list[str]:
        if not self.header.returns:
            return ["  ret void"]
        kind = self.header.result.text
        if self.result is None:
            return [f"  ret {kind} zeroinitializer"]
        return [f"  %result = load {kind}, ptr %buffer", f"  ret {kind} %result"]


def world(headers: Iterable[Header]) -> tuple[str, list[Stub]]:
    """A module that defines what the headers declare, and calls the recorder with a number in the list of stubs."""
    declared = [header for header in headers if header.declaration and not _ELSEWHERE.match(header.name)]
    stubs = [Stub(header, number) for number, header in enumerate(declared)]
    return "\n".join([f"declare void @{RECORDER}(i32, ptr)", "", *(stub.ir() for stub in stubs)]), stubs


def way_in(name: str, header: Header, callee: str = "") -> tuple[str, Slots, Slots]:
    """A function ``void name(ptr buffer)`` that calls what the header describes; where the arguments and the result lie.

    With ``callee`` the function to call is not the one of that name: its address is the first thing in the buffer.
    """
    first = [Parameter("ptr")] if callee else []
    slots, results = Slots([*first, *header.parameters]), Slots([header.result] if header.returns else [])
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
    if header.returns:
        lines += [f"  %result = {call}", f"  store {header.result.text} %result, ptr %buffer"]
    else:
        lines.append(f"  {call}")
    return "\n".join([*lines, "  ret void", "}", ""]), slots, results


def context_of(name: str, pointer: str) -> tuple[str, Slots, Slots]:
    """A function like those of `way_in` that gives the second number of an async function pointer: a context's size."""
    lines = [f"define void @{name}(ptr %buffer) {{"]
    lines.append(f"  %at = getelementptr <{{ i32, i32 }}>, ptr @{pointer}, i32 0, i32 1")
    lines += ["  %size = load i32, ptr %at, align 4", "  store i32 %size, ptr %buffer", "  ret void", "}", ""]
    return "\n".join(lines), Slots([]), Slots([Parameter("i32")])


def root_of(name: str, convention: str, attributes: str) -> tuple[str, Slots, Slots]:
    """One that gives the address of a function that does nothing with its context."""
    root = f"define {convention} void @{name}.root(ptr {attributes} %context) {{\n  ret void\n}}\n"
    lines = [root, f"define void @{name}(ptr %buffer) {{", f"  store ptr @{name}.root, ptr %buffer", "  ret void", "}", ""]
    return "\n".join(lines), Slots([]), Slots([Parameter("ptr")])


def recorder(call: Callable[[int, int], None]) -> Any:
    """The callback that `RECORDER` is bound to; to be kept as long as compiled code may call it."""
    return Recorder(call)
