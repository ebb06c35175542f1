"""Views of a presplit coroutine: ABI, suspend points, frame and control flow graph."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pycoro._calltype import parse_call_type, value_types_of_result
from pycoro._demangle import demangle
from pycoro._ir_syntax import WORD
from pycoro._typecheck import check
from pycoro.errors import UsageError
from pycoro.explanation import Explanation, explain_value, without_metadata
from pycoro.frame import Frame, FrameField, SourceTypes, SuspendPoint
from pycoro.ir.source_location import SourceLocation, source_location_from_data
from pycoro.view import ByName, Life, View, attribute, format_count, word

if TYPE_CHECKING:
    from pycoro.llvm_frame import LLVMFrame, LLVMFrames

__all__ = ["Coroutine", "CoroutineBlock", "CoroutineMapping", "RetconShape", "Shape", "SwitchShape"]


ABIName: TypeAlias = Literal["switch", "retcon", "retcon-once", "async", "retcon-dynamic"]
"""Names of LLVM's coroutine ABIs; ``retcon-dynamic`` is that of Swift's LLVM."""


def displayed_abi_name(base: str, custom: str | None) -> str:
    """Return the displayed name of an ABI: ``"switch"``, ``"Arena (switch)"``."""
    return f"{custom} ({base})" if custom else base


class Code:
    """Text of a function by block, parsed at its first use."""

    __slots__ = ("_blocks", "_entry", "_print")

    def __init__(self, print_ir: Callable[[], str], entry: str) -> None:
        self._print, self._entry = print_ir, entry
        self._blocks: dict[str, tuple[str, ...]] | None = None

    def instructions_of_block(self, block: str) -> tuple[str, ...]:
        """Return the instructions of a block by its name with the ``%``."""
        return self._blocks_by_name().get(block, ())

    def blocks_in_order(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the blocks in textual order, each with its instructions."""
        return tuple(self._blocks_by_name().items())

    def _blocks_by_name(self) -> dict[str, tuple[str, ...]]:
        if self._blocks is None:
            self._blocks = self._parse_blocks()
        return self._blocks

    def _parse_blocks(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        lines = iter(self._print().splitlines())
        inside = found.setdefault(self._entry, [])
        for line in lines:
            if line.startswith("define"):
                break
        for line in lines:
            label = re.match(f"({WORD}):", line)
            if label:
                inside = found.setdefault("%" + label[1], [])
            elif line.startswith("    #dbg_"):
                continue
            elif line.startswith(("    ", "  ]")) and inside:  # cases of a switch
                inside[-1] += " " + line.strip()
            elif line.startswith("  "):
                inside.append(without_metadata(line.strip()))
        return {name: tuple(code) for name, code in found.items()}


class CoroutineBlock(View):
    """Basic block of the presplit function.

    >>> entry = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].cfg[0]
    >>> entry.name, [block.name for block in entry.successors]
    ('%entry', ['%allocate', '%begin'])
    """

    __slots__ = ("_blocks", "_code")

    name = attribute(str, 'Name, ``"%entry"``; ``"%7"`` if unnamed.')

    def __init__(self, life: Life, data: dict[str, Any], blocks: tuple[dict[str, Any], ...], code: Code | None = None) -> None:
        super().__init__(life, data)
        self._blocks = blocks
        self._code = code

    @property
    def instructions(self) -> tuple[str, ...]:
        """Instructions as LLVM prints them, without debug information; empty in a report, which does not store them."""
        self._life.check_is_current()
        return self._code.instructions_of_block(self._data["name"]) if self._code else ()

    @property
    def successors(self) -> tuple[CoroutineBlock, ...]:
        """Successors in the order of the terminator."""
        self._life.check_is_current()
        return tuple(
            CoroutineBlock(self._life, self._blocks[index], self._blocks, self._code) for index in self._successor_indices()
        )

    def _successor_indices(self) -> tuple[int, ...]:
        places: tuple[int, ...] = self._data["successors"]
        return places

    def _repr_details(self) -> str:
        names: list[str] = [self._blocks[index]["name"] for index in self._successor_indices()]
        return f"{self._data['name']} -> {', '.join(names) or 'out'}"


class CommonShape(View):
    """Coroutine intrinsics that all ABIs have in common."""

    __slots__ = ("_suspends",)

    abi = word[ABIName]("ABI: ``switch``, ``retcon``, ``retcon-once``, ``async`` or ``retcon-dynamic``.")
    id = attribute(str, "``llvm.coro.id`` instruction as LLVM prints it.")
    ends = attribute(int, "Number of ``llvm.coro.end``.", "end_count")

    def __init__(self, life: Life, data: dict[str, Any], suspends: tuple[SuspendPoint, ...]) -> None:
        super().__init__(life, data)
        self._suspends = suspends

    @property
    def suspends(self) -> tuple[SuspendPoint, ...]:
        """Suspend points in program order, the final one last."""
        self._life.check_is_current()
        return self._suspends

    def _repr_details(self) -> str:
        data = self._data
        return f"{data['abi']}, {format_count(len(self._suspends), 'suspend')}, {format_count(data['end_count'], 'end')}"


class SwitchShape(CommonShape):
    """Switched-resume coroutine, as C++ uses it: one resume function that switches on an index in the frame.

    >>> shape = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].shape
    >>> shape.promise, shape.promise_type, shape.promise_offset
    ('promise', 'i32', 16)
    >>> shape.final_suspend.block
    '%final'
    """

    __slots__ = ()

    promise_type = attribute(
        str, 'Promise type with structs expanded, ``"{ i32, ptr }"``; empty without a promise, or if the type is too long.'
    )

    @property
    def promise(self) -> str | None:
        """Name of the promise alloca; None without a promise."""
        self._life.check_is_current()
        return self._data["promise"] or None

    @property
    def promise_offset(self) -> int | None:
        """Offset of the promise in the frame, in bytes; None without a promise."""
        return None if self.promise is None else self._data["promise_offset"]

    @property
    def final_suspend(self) -> SuspendPoint | None:
        """Final suspend, or None."""
        return next((point for point in self.suspends if point.is_final), None)


class RetconShape(CommonShape):
    """Returned-continuation coroutine: each suspend returns the function that resumes after it.

    >>> shape = pycoro.Module(pycoro.examples.SUMS).coroutines["sums"].shape
    >>> shape.yields, shape.resumed_with
    (('i64',), ('i64',))
    >>> shape.storage_size, shape.frame_in_storage
    (16, True)
    """

    __slots__ = ()

    storage_size = attribute(int, "Size of the caller's buffer in bytes; that of the frame if the caller allocates it.")
    storage_align = attribute(int, "Alignment of that buffer in bytes.")
    frame_in_storage = attribute(bool, "True if the frame is in the buffer; otherwise the buffer has the frame's address.")
    prototype = attribute(str, "Name of the function that declares the type of the continuations.")
    allocator = attribute(str, "Name of the function that allocates a frame that does not fit into the buffer.")
    deallocator = attribute(str, "Name of the function that frees such a frame.")
    function_pointer = attribute(str, "Name of the global with the size of a dynamic coroutine's frame; empty for all others.")
    ramp_type = attribute(str, 'Calling convention and type of the ramp: ``"cc 0 { ptr, i32 } (ptr, i32 zeroext)"``.')
    resume_type = attribute(str, "Calling convention and type of a continuation.")

    @property
    def once(self) -> bool:
        """True if it yields exactly once."""
        return self.abi != "retcon"

    @property
    def storage_argument(self) -> int | None:
        """Index of the ramp's buffer argument, from 0; None if the buffer is not an argument."""
        self._life.check_is_current()
        argument: int | None = self._data["storage_argument"]
        return argument

    @property
    def yields(self) -> tuple[str, ...]:
        """Types of the yielded values."""
        return value_types_of_result(parse_call_type(self.ramp_type).result)[1:]

    @property
    def resumed_with(self) -> tuple[str, ...]:
        """Types of a continuation's arguments after the buffer."""
        return parse_call_type(self.resume_type).parameters[1:]

    @property
    def results(self) -> tuple[str, ...]:
        """Result types of a coroutine that yields once; empty for all others."""
        return value_types_of_result(parse_call_type(self.resume_type).result) if self.once else ()


class AsyncShape(CommonShape):
    """Async coroutine: its frame is the tail of a context that the caller allocates. Every suspend tail-calls a function, which
    may call the continuation later.

    >>> shape = pycoro.Module(pycoro.examples.RELAY).coroutines["relay"].shape
    >>> shape.function_pointer, shape.frame_offset, shape.context_size
    ('relay.pointer', 16, 32)
    """

    __slots__ = ()

    context_size = attribute(int, "Size of its context with the frame, in bytes, as in the async function pointer.", "storage_size")
    context_align = attribute(int, "Alignment of contexts in bytes.", "storage_align")
    context_argument = attribute(int, "Index of the ramp's context argument, from 0.", "storage_argument")
    frame_offset = attribute(int, "Offset of the frame in the context, in bytes: the size of the context header.")
    function_pointer = attribute(str, "Name of the async function pointer, without the ``@``.")
    ramp_type = attribute(str, 'Calling convention and type of the ramp: ``"cc 20 void (ptr swiftasync)"``.')


Shape: TypeAlias = SwitchShape | RetconShape | AsyncShape
"""Coroutine intrinsics of a coroutine: a class for each kind of ABI, to match on.

>>> for ir in (pycoro.examples.COUNTER, pycoro.examples.SUMS, pycoro.examples.RELAY):
...     for coroutine in pycoro.Module(ir).coroutines.values():
...         assert isinstance(coroutine.shape, pycoro.Shape)
...         print(coroutine.name, coroutine.shape)
counter <SwitchShape switch, 2 suspends, 1 end>
sums <RetconShape retcon, 1 suspend, 0 ends>
relay <AsyncShape async, 1 suspend, 1 end>
"""

SHAPES: dict[str, type[SwitchShape | RetconShape | AsyncShape]] = {
    "switch": SwitchShape,
    "retcon": RetconShape,
    "retcon-once": RetconShape,
    "retcon-dynamic": RetconShape,
    "async": AsyncShape,
}


class Coroutine(View):
    """Presplit coroutine: a view from ``module.coroutines``, or the record of a lowered one in a report.

    A view becomes stale when the module changes; a record never does.

    >>> coroutine = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"]
    >>> coroutine.abi, coroutine.frame.size, len(coroutine.suspends)
    ('switch', 32, 2)
    """

    __slots__ = ("_blocks", "_frame", "_llvm_frames", "_shape", "_suspends")

    name = attribute(str, "Name of the function without the ``@``.", "function")
    abi = word[ABIName]("ABI: ``switch``, ``retcon``, ``retcon-once``, ``async`` or ``retcon-dynamic``.")
    is_local = attribute(bool, "True if it has internal or private linkage.")
    clones = attribute(tuple[str, ...], "Names of its clones: ``f.resume``, ``f.destroy``, ``f.cleanup``; ``f.resume.N``.")

    @property
    def custom_abi(self) -> str | None:
        """Class name of the :class:`ABI` that lowers it, in C programs the ABI's name; None if LLVM's own ABI does, which `abi`
        names."""
        self._life.check_is_current()
        return self._data["custom_abi"] or None

    def __init__(
        self,
        life: Life,
        data: dict[str, Any],
        print_ir: Callable[[], str] | None = None,
        llvm_frames: LLVMFrames | None = None,
    ) -> None:
        super().__init__(life, data)
        code = Code(print_ir, data["blocks"][0]["name"]) if print_ir and data["blocks"] else None
        types = SourceTypes(data["source_types"])
        fields = tuple(FrameField(life, field, types) for field in data["fields"])
        self._suspends = suspends = tuple(SuspendPoint(life, point, index, fields) for index, point in enumerate(data["suspends"]))
        self._frame = Frame(life, data, fields, suspends)
        self._shape = SHAPES[data["abi"]](life, data, suspends)
        self._blocks = tuple(CoroutineBlock(life, block, data["blocks"], code) for block in data["blocks"])
        self._llvm_frames = llvm_frames
        if llvm_frames:
            llvm_frames.add_coroutine(data["function"], (data["promise"], data["promise_offset"]) if data["promise"] else None)

    @property
    def location(self) -> SourceLocation | None:
        """Location of its function in the source, by debug information; None if unknown."""
        self._life.check_is_current()
        return source_location_from_data(self._data["source"], self._data["source"]["name"])

    @property
    def shape(self) -> Shape:
        """Coroutine intrinsics, of the class for its ``abi``."""
        self._life.check_is_current()
        return self._shape

    @property
    def suspends(self) -> tuple[SuspendPoint, ...]:
        """Suspend points in program order, the final one last."""
        self._life.check_is_current()
        return self._suspends

    @property
    def frame(self) -> Frame:
        """Layout of its frame."""
        self._life.check_is_current()
        return self._frame

    @property
    def cfg(self) -> tuple[CoroutineBlock, ...]:
        """Blocks of the presplit function with their successors, in program order; the first is the entry."""
        self._life.check_is_current()
        return self._blocks

    def explain(self, value: str) -> Explanation:
        """Explain why a value or source variable is in the frame: its definition, a suspend it is live across, a path through that
        suspend to a use, and changes that would remove it. Raises ``KeyError`` if no frame field has that name."""
        check("the name of a value must be a str", value, str)
        return explain_value(self, value)

    def llvm_frame(self, *, reuse_storage: bool | None = None) -> LLVMFrame:
        """Return the frame of LLVM's lowering of this IR; ``pycoro.diff(coroutine.llvm_frame(), coroutine.frame)`` compares both.

        Passes before coro-split shrink frames. Run them first for the frames of a level, as the tutorial on frames shows.

        LLVM lowers the module without its malformed coroutines in another process, once for all coroutines of `Module.coroutines`;
        `Coroutines.llvm_frames` returns all their frames. ``reuse_storage=True`` lets fields that are never live at once share
        memory, as LLVM does at ``-O2``; by default, they do if the coroutine is from a `Module.preview` with ``reuse_storage``.
        Raises ``UsageError`` for a coroutine without a module, such as that of a report, and ``UnsupportedError`` if LLVM cannot
        lower the module.

        >>> coroutine = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"]
        >>> coroutine.llvm_frame().size, coroutine.frame.size
        (32, 32)
        """
        self._life.check_is_current()
        check("reuse_storage must be a bool", reuse_storage, bool, type(None))
        if self._llvm_frames is None:
            raise UsageError(
                "a report has no IR for LLVM to lower; before coro-split runs, use module.coroutines[name].llvm_frame(), or on "
                "a copy of the module after the passes before coro-split for the frame at an optimization level"
            )
        return self._llvm_frames.by_name(reuse_storage)[self.name]

    @property
    def source_name(self) -> str:
        """Demangled name of a C++ function, ``"f(int)"``; otherwise its name."""
        return demangle(self.name)

    def row(self) -> dict[str, Any]:
        """Return the coroutine's numbers as a table row; sizes are in bytes."""
        self._life.check_is_current()
        return {
            "name": self.name,
            "source_name": self.source_name,
            "abi": displayed_abi_name(self.abi, self.custom_abi),
            "suspends": len(self._suspends),
            "frame_size": self._data["frame_size"],
            "frame_align": self._data["frame_align"],
            "lower_bound": self._data["lower_bound"],
            "fields": len(self._data["fields"]),
            "blocks": len(self._data["blocks"]),
        }

    def to_networkx(self) -> Any:
        """Return the control flow graph as a ``networkx.DiGraph``. Nodes are block names with ``suspend``, the index of the
        block's suspend or None. Edges have a ``kind``: ``"resume"``, ``"destroy"``, ``"suspend"`` or empty. Raises
        ``UsageError`` if networkx is not installed."""
        self._life.check_is_current()
        try:
            networkx: Any = importlib.import_module("networkx")
        except ImportError:
            raise UsageError("networkx is not installed: pip install networkx") from None
        from pycoro.drawing import views

        graph = networkx.DiGraph(name=self.name)
        nodes, edges = views.coroutine_graph(self)
        graph.add_nodes_from(nodes)
        graph.add_edges_from(edges)
        return graph

    def _repr_details(self) -> str:
        data = self._data
        suspends, size = format_count(len(self._suspends), "suspend"), format_count(data["frame_size"], "byte")
        return f"@{data['function']}: {displayed_abi_name(data['abi'], data['custom_abi'])}, {suspends}, frame of {size}"

    def __str__(self) -> str:
        from pycoro.drawing import views

        return views.coroutine_text(self)

    def to_dot(self) -> str:
        """Return the control flow graph in Graphviz's DOT language."""
        from pycoro.drawing import views

        return views.coroutine_dot(self)

    def svg(self, *, instructions: bool = False) -> str:
        """Return the control flow graph with its suspends as SVG. The tooltip of a block has its instructions;
        ``instructions=True`` prints the first and the last ones in the box. A report has no instructions."""
        from pycoro.drawing import views

        return views.coroutine_svg(self, instructions=instructions)

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import views

        return views.coroutine_bundle(self, include, exclude)


class CoroutineMapping(ByName[Coroutine]):
    """Coroutines by name, in the order of the module, with tables of their numbers and fields.

    >>> coroutines = pycoro.lower(pycoro.examples.COUNTER).coroutines
    >>> [(row["coroutine"], row["name"], row["offset"]) for row in coroutines.frame_rows()][:3]
    [('counter', 'resume', 0), ('counter', 'destroy', 8), ('counter', 'promise', 16)]
    """

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each coroutine, for ``pandas.DataFrame``: name, ABI, suspends, size and lower bound of the frame,
        fields, blocks; for a malformed one its name and the reason as ``rejected``."""
        return [
            made.row() if isinstance(made, Coroutine) else {"name": name, "rejected": made[0].message if made else ""}
            for name, made in self._by_name().items()
        ]

    def frame_rows(self) -> list[dict[str, Any]]:
        """Return a row for each field of all frames, for ``pandas.DataFrame``: `FrameField.row` and the coroutine's source name."""
        made = [view for view in self._by_name().values() if isinstance(view, Coroutine)]
        return [{"coroutine": view.source_name, **row} for view in made for row in view.frame.rows()]

    def to_dict(self) -> dict[str, Any]:
        """Return the coroutines by name as dicts, lists, texts and numbers, without malformed ones. Sizes are in bytes."""
        return {name: made.to_dict() for name, made in self._by_name().items() if isinstance(made, Coroutine)}

    def __str__(self) -> str:
        from pycoro.drawing import tables

        return tables.coroutines_text(self.rows())

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        return views.bundle(
            {"text/plain": tables.coroutines_text, "text/html": tables.coroutines_html}, self.rows(), include, exclude
        )


class LazyCoroutine(Coroutine):
    """Coroutine whose frame layout is computed at the first use of any attribute but its name."""

    __slots__ = ("_compute", "_known_name", "_lazy_llvm_frames")

    def __init__(self, life: Life, name: str, compute: Callable[[], dict[str, Any]], llvm_frames: LLVMFrames) -> None:
        self._life = life
        self._lazy_llvm_frames = llvm_frames
        self._known_name = name
        self._compute = compute

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the function without the ``@``."""
        self._life.check_is_current()
        return self._known_name

    def __getattr__(self, name: str) -> Any:
        """Compute the layout for a slot that is not filled yet."""
        if name not in ("_data", *Coroutine.__slots__):
            raise AttributeError(f"a Coroutine has no attribute {name!r}")
        self._life.check_is_current()
        Coroutine.__init__(self, self._life, self._compute(), llvm_frames=self._lazy_llvm_frames)
        return getattr(self, name)
