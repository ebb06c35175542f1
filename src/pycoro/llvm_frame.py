"""Frame of a coroutine in LLVM's own lowering, read from the code that LLVM emits."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from pycoro._encode import ir_bytes
from pycoro._escape import printable
from pycoro._module_class import module_class
from pycoro._subprocess import isolated_module_command
from pycoro.drawing.model import display_name
from pycoro.errors import UnsupportedError
from pycoro.ir.constant import Constant
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type

__all__ = ["LLVMFrame", "LLVMFrameField", "llvm_frame_of"]

PASSES = "coro-early,cgscc(coro-split)"
SECONDS = 60
"""Limit of a lowering by LLVM."""
REUSING = "coro-early,cgscc(coro-split<reuse-storage>)"
_ADDRESS = re.compile(r"(?:\.(?:spill|reload))?\.addr\d*$")
"""Suffix of the addresses of fields in LLVM's code: ``%x.spill.addr``, ``%x.reload.addr``, ``%resume.addr``, ``%index.addr5``."""


class LLVMFrameField(NamedTuple):
    """Field of a frame in LLVM's lowering.

    >>> pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].llvm_frame().fields[2]
    LLVMFrameField(name='promise', type='i32', offset=16, size=4)
    """

    name: str
    """Name of the value in IR without the ``%``; ``resume``, ``destroy`` or ``index`` for the header."""
    type: str
    """LLVM type, as ``"i32"``."""
    offset: int
    """Offset in the frame, in bytes."""
    size: int
    """Size in bytes."""


@dataclass(frozen=True, slots=True)
class LLVMFrame:
    """Layout of a coroutine's frame in LLVM's lowering. Plain data, never stale.

    >>> frame = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].llvm_frame()
    >>> frame.size, [(field.name, field.offset) for field in frame]
    (32, [('resume', 0), ('destroy', 8), ('promise', 16), ('to', 20), ('n', 24), ('index', 28)])
    """

    function: str
    """Name of the coroutine without the ``@``."""
    size: int
    """Size in bytes."""
    align: int
    """Alignment in bytes."""
    fields: tuple[LLVMFrameField, ...]
    """Fields that the code accesses, by offset."""

    def __iter__(self) -> Iterator[LLVMFrameField]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each field, for ``pandas.DataFrame``."""
        return [field._asdict() for field in self.fields]

    def to_dict(self) -> dict[str, Any]:
        """Return the frame as dicts, lists, texts and numbers, for JSON."""
        return {**asdict(self), "fields": self.rows()}

    def __str__(self) -> str:
        lines = [f"LLVM's frame of {display_name(self.function)}: {self.size} bytes, align {self.align}"]
        lines += [f"{field.offset:8}  {field.size:4}  {field.name}: {field.type.partition(' = type ')[0]}" for field in self.fields]
        return "\n".join(map(printable, lines))


def llvm_frame_of(name: str, ir: str, promise: tuple[str, int] | None, *, reuse_storage: bool) -> LLVMFrame:
    """Lower the IR by LLVM in another process, and read the frame of a coroutine. ``promise`` is the name and offset of the
    promise, which LLVM's code addresses without the frame's type. Raises ``UnsupportedError`` if LLVM cannot lower it."""
    text = _lowered_by_llvm(name, ir, REUSING if reuse_storage else PASSES)
    clone = re.compile(rf"{re.escape(name)}(?:\.(?:resume|destroy|cleanup)(?:\.\d+)?)?")
    frame_type = re.compile(rf"{re.escape(name)}\.Frame(?:\.\d+)?")
    with module_class()(text, trusted=True) as lowered:
        functions = [function for function in lowered.functions.values() if clone.fullmatch(function.name)]
        code = (instruction for function in functions for instruction in function.walk())
        accesses = [gep for gep in code if gep.opcode == "getelementptr" and gep.element_type is not None]
        types = [gep.element_type for gep in accesses if frame_type.fullmatch(_type_name(gep.element_type))]
        fields: dict[int, LLVMFrameField] = {}
        for gep in accesses:
            if (index := _element_index(gep)) is not None and frame_type.fullmatch(_type_name(gep.element_type)):
                fields.setdefault(index, _field(gep, index))
        made = types[0] if types else None
        if made and made.offsets and promise:
            at = made.offsets.index(promise[1])
            fields.setdefault(at, _element(made, at, promise[0]))
        size, align = (made.size or 0, made.align or 1) if made else (0, 1)
        return LLVMFrame(name, size, align, tuple(sorted(fields.values(), key=lambda field: field.offset)))


def _lowered_by_llvm(name: str, ir: str, passes: str) -> str:
    """Return the text after LLVM's passes, which run in a child process because they may crash."""
    command = [*isolated_module_command("pycoro.oracle._opt"), f"-passes={passes}", "-S"]
    try:
        done = subprocess.run(command, input=ir_bytes(ir), capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise UnsupportedError(f"LLVM did not lower the module of @{name} within {SECONDS} seconds") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")
        reason = re.search(r"LLVM ERROR: .*|error: .*", said)
        why = reason[0] if reason else f"the process ended with status {done.returncode}"
        raise UnsupportedError(f"LLVM cannot lower the module of @{name}: {why}")
    return done.stdout.decode("utf-8", "surrogateescape")


def _type_name(made: Type | None) -> str:
    return (made.name or "") if made is not None and made.kind == "struct" else ""


def _element_index(gep: Instruction) -> int | None:
    """Return the index of the addressed element; None for the frame itself."""
    last = gep.operands[2] if len(gep.operands) == 3 else None
    return last.value if isinstance(last, Constant) and isinstance(last.value, int) else None


def _field(gep: Instruction, index: int) -> LLVMFrameField:
    assert gep.element_type is not None
    name = _ADDRESS.sub("", gep.name)
    return _element(gep.element_type, index, {"ResumeFn": "resume"}.get(name, name))


def _element(frame: Type, index: int, name: str) -> LLVMFrameField:
    assert frame.offsets is not None
    element = frame.elements[index]
    return LLVMFrameField(name, str(element), frame.offsets[index], element.size or 0)
