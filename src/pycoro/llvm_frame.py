"""Frame of a coroutine in LLVM's own lowering, read from the code that LLVM emits."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from pycoro import _core
from pycoro._elapsed import show_elapsed_time_in_notebook
from pycoro._encode import ir_bytes
from pycoro._escape import printable
from pycoro._ir_syntax import DEFINITION, unquote_name
from pycoro._module_class import module_class
from pycoro._subprocess import isolated_module_command
from pycoro.drawing.model import display_name
from pycoro.errors import UnsupportedError
from pycoro.ir.constant import Constant
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type

__all__ = ["LLVMFrame", "LLVMFrameField", "LLVMFrames"]

PASSES = "coro-early,cgscc(coro-split)"
SECONDS = 60
"""Limit of LLVM's lowering of a small module; each further megabyte of text adds as much."""
REUSING = "coro-early,cgscc(coro-split<reuse-storage>)"
_FUNCTION = re.compile(r"^(define [^\n]*\{)$.*?^\}$", re.MULTILINE | re.DOTALL)
_CLONE = re.compile(r"\.(?:resume|destroy|cleanup)(?:\.\d+)?$")
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


class LLVMFrames:
    """Frames of a module's coroutines in LLVM's lowering, which runs at the first use and once for each kind of layout."""

    __slots__ = ("_core", "_frames", "_malformed", "_promises", "_reuse_storage")

    def __init__(self, core: _core.Module, reuse_storage: bool = False) -> None:
        self._core = core
        self._reuse_storage = reuse_storage
        self._promises: dict[str, tuple[str, int] | None] = {}
        self._malformed: set[str] = set()
        self._frames: dict[bool, dict[str, LLVMFrame]] = {}

    def add_coroutine(self, name: str, promise: tuple[str, int] | None) -> None:
        """Add a coroutine with the name and offset of its promise, before the first use."""
        self._promises[name] = promise

    def leave_out(self, name: str) -> None:
        """Leave out a malformed coroutine, which LLVM cannot lower, before the first use."""
        self._malformed.add(name)

    def by_name(self, reuse_storage: bool | None) -> dict[str, LLVMFrame]:
        """Return the frames by coroutine; None: with shared memory if the preview of the coroutines has it."""
        reuse = self._reuse_storage if reuse_storage is None else reuse_storage
        if not self._promises:
            return {}
        if reuse not in self._frames:
            text = _with_unreachable_bodies(self._core.text(), self._malformed)
            self._frames[reuse] = llvm_frames_of(text, self._promises, reuse_storage=reuse)
        return self._frames[reuse]


def llvm_frames_of(ir: str, promises: Mapping[str, tuple[str, int] | None], *, reuse_storage: bool) -> dict[str, LLVMFrame]:
    """Lower the IR by LLVM in another process, and read the frame of each coroutine in ``promises``: the name and offset of its
    promise, which LLVM's code addresses without the frame's type. Raises ``UnsupportedError`` if LLVM cannot lower the module."""
    text = _lowered_by_llvm(ir, REUSING if reuse_storage else PASSES)
    readers = {name: _FrameReader(name) for name in promises}
    with module_class()(text, trusted=True) as lowered:
        for function in lowered.functions.values():
            reader = readers.get(function.name) or readers.get(_CLONE.sub("", function.name))
            if reader and not function.is_declaration:
                reader.read(function)
        return {name: readers[name].frame(promise) for name, promise in promises.items()}


def _with_unreachable_bodies(text: str, names: Collection[str]) -> str:
    """Return the text of a module, as LLVM prints it, with functions whose only instruction is ``unreachable``."""
    if not names:
        return text

    def definition(found: re.Match[str]) -> str:
        head = DEFINITION.match(found[0])
        return f"{found[1]}\n  unreachable\n}}" if head and unquote_name(head[1]) in names else found[0]

    return _FUNCTION.sub(definition, text)


class _FrameReader:
    """Collects the fields of a coroutine's frame from the code of its ramp and clones."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._type_name = re.compile(rf"{re.escape(name)}\.Frame(?:\.\d+)?")
        self._type: Type | None = None
        self._fields: dict[int, LLVMFrameField] = {}

    def read(self, function: Function) -> None:
        for gep in function.walk():
            if gep.opcode != "getelementptr" or not self._type_name.fullmatch(_struct_name_or_empty(gep.element_type)):
                continue
            self._type = self._type or gep.element_type
            if (index := _constant_element_index_or_none(gep)) is not None:
                self._fields.setdefault(index, _field_addressed_by(gep, index))

    def frame(self, promise: tuple[str, int] | None) -> LLVMFrame:
        made = self._type
        if made and made.offsets and promise:
            at = made.offsets.index(promise[1])
            self._fields.setdefault(at, _make_field_of_element(made, at, promise[0]))
        size, align = (made.size or 0, made.align or 1) if made else (0, 1)
        return LLVMFrame(self._name, size, align, tuple(sorted(self._fields.values(), key=lambda field: field.offset)))


def _lowered_by_llvm(ir: str, passes: str) -> str:
    """Return the text after LLVM's passes, which run in a child process because they may crash."""
    command = [*isolated_module_command("pycoro.oracle._opt"), f"-passes={passes}", "-S"]
    text = ir_bytes(ir)
    seconds = SECONDS * (1 + len(text) // 1_000_000)
    try:
        with show_elapsed_time_in_notebook(lambda: "LLVM lowers the module"):
            done = subprocess.run(command, input=text, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise UnsupportedError(f"LLVM did not lower the module within {seconds} seconds") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")
        reason = re.search(r"LLVM ERROR: .*|error: .*", said)
        why = reason[0] if reason else f"the process ended with status {done.returncode}"
        raise UnsupportedError(f"LLVM cannot lower the module: {why}")
    return done.stdout.decode("utf-8", "surrogateescape")


def _struct_name_or_empty(made: Type | None) -> str:
    return (made.name or "") if made is not None and made.kind == "struct" else ""


def _constant_element_index_or_none(gep: Instruction) -> int | None:
    """Return the index of the addressed element; None for the frame itself."""
    last = gep.operands[2] if len(gep.operands) == 3 else None
    return last.value if isinstance(last, Constant) and isinstance(last.value, int) else None


def _field_addressed_by(gep: Instruction, index: int) -> LLVMFrameField:
    assert gep.element_type is not None
    name = _ADDRESS.sub("", gep.name)
    return _make_field_of_element(gep.element_type, index, {"ResumeFn": "resume"}.get(name, name))


def _make_field_of_element(frame: Type, index: int, name: str) -> LLVMFrameField:
    assert frame.offsets is not None
    element = frame.elements[index]
    return LLVMFrameField(name, str(element), frame.offsets[index], element.size or 0)
