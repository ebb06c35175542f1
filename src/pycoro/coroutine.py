"""Coroutines as views: shape, suspend points, frame and control flow of a presplit function."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Collection
from typing import Any, Literal, TypeAlias

from pycoro._calltype import parse_call_type, values_of
from pycoro._wanted import check
from pycoro.errors import UsageError
from pycoro.explanation import Explanation, explained
from pycoro.frame import Frame, FrameField, SourceTypes, SuspendPoint
from pycoro.ir.place import Place, place_in
from pycoro.view import Life, View, attribute, counted, word

__all__ = ["Block", "Coroutine", "RetconShape", "Shape", "SwitchShape"]


ABIName: TypeAlias = Literal["switch", "retcon", "retcon-once", "async"]
"""What LLVM's ABIs are called here."""


def abi_of(base: str, custom: str | None) -> str:
    """As it is shown: ``"switch"``, ``"Arena (switch)"``."""
    return f"{custom} ({base})" if custom else base


class Code:
    """The text of a function, block by block: read when it is first asked for."""

    __slots__ = ("_blocks", "_entry", "_written")

    def __init__(self, written: Callable[[], str], entry: str) -> None:
        self._written, self._entry = written, entry
        self._blocks: dict[str, tuple[str, ...]] | None = None

    def of(self, block: str) -> tuple[str, ...]:
        """The instructions of a block, by its name with the ``%``."""
        return self._all().get(block, ())

    def in_order(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The blocks as they stand in the text, each with its instructions."""
        return tuple(self._all().items())

    def _all(self) -> dict[str, tuple[str, ...]]:
        if self._blocks is None:
            self._blocks = self._read()
        return self._blocks

    def _read(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        lines = iter(self._written().splitlines())
        inside = found.setdefault(self._entry, [])
        for line in lines:
            if line.startswith("define"):
                break
        for line in lines:
            label = re.match(r'("[^"]*"|[-a-zA-Z$._0-9]+):', line)
            if label:
                inside = found.setdefault("%" + label[1], [])
            elif line.startswith("    #dbg_"):
                continue
            elif line.startswith(("    ", "  ]")) and inside:  # what a switch goes on with
                inside[-1] += " " + line.strip()
            elif line.startswith("  "):
                inside.append(re.sub(r"(, ![\w.]+ ![0-9]+)+$", "", line.strip()))
        return {name: tuple(code) for name, code in found.items()}


class Block(View):
    """A basic block of the presplit function.

    >>> entry = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].cfg[0]
    >>> entry.name, [block.name for block in entry.successors]
    ('%entry', ['%allocate', '%begin'])
    """

    __slots__ = ("_blocks", "_code")

    name = attribute(str, '``"%entry"``; ``"%7"`` where it has no name.')

    def __init__(self, life: Life, data: dict[str, Any], blocks: tuple[dict[str, Any], ...], code: Code | None = None) -> None:
        super().__init__(life, data)
        self._blocks = blocks
        self._code = code

    @property
    def instructions(self) -> tuple[str, ...]:
        """The instructions as LLVM prints them, without debug information; empty in a report, which has no copy of them."""
        self._life.check()
        return self._code.of(self._data["name"]) if self._code else ()

    @property
    def successors(self) -> tuple[Block, ...]:
        """The blocks that control may go to from here, in the order of the terminator."""
        self._life.check()
        return tuple(Block(self._life, self._blocks[index], self._blocks, self._code) for index in self._places())

    def _places(self) -> tuple[int, ...]:
        places: tuple[int, ...] = self._data["successors"]
        return places

    def _brief(self) -> str:
        names: list[str] = [self._blocks[index]["name"] for index in self._places()]
        return f"{self._data['name']} -> {', '.join(names) or 'out'}"


class Shape(View):
    """What makes a function a coroutine, whatever its ABI.

    >>> for ir in (pycoro.examples.COUNTER, pycoro.examples.SUMS, pycoro.examples.RELAY):
    ...     for coroutine in pycoro.Module(ir).coroutines.values():
    ...         print(coroutine.name, coroutine.shape)
    counter <SwitchShape switch, 2 suspends, 1 end>
    sums <RetconShape retcon, 1 suspend, 0 ends>
    relay <AsyncShape async, 1 suspend, 1 end>
    """

    __slots__ = ("_suspends",)

    abi = word[ABIName]("``switch``, ``retcon``, ``retcon-once`` or ``async``.")
    id = attribute(str, "The ``llvm.coro.id`` instruction as LLVM prints it.")
    ends = attribute(int, "How many ``llvm.coro.end`` there are.", "end_count")

    def __init__(self, life: Life, data: dict[str, Any], suspends: tuple[SuspendPoint, ...]) -> None:
        super().__init__(life, data)
        self._suspends = suspends

    @property
    def suspends(self) -> tuple[SuspendPoint, ...]:
        """The suspend points in program order, the final one last."""
        self._life.check()
        return self._suspends

    def _brief(self) -> str:
        data = self._data
        return f"{data['abi']}, {counted(len(self._suspends), 'suspend')}, {counted(data['end_count'], 'end')}"


class SwitchShape(Shape):
    """A switched-resume coroutine, as C++ makes them: one resume function that switches on an index in the frame.

    >>> shape = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].shape
    >>> shape.promise, shape.promise_type, shape.promise_offset
    ('promise', 'i32', 16)
    >>> shape.final_suspend.block
    '%final'
    """

    __slots__ = ()

    promise_type = attribute(
        str, 'Of the promise, structs spelt out, ``"{ i32, ptr }"``; empty where there is none, or it is too long to be spelt.'
    )

    @property
    def promise(self) -> str | None:
        """Name of the promise's alloca; None where there is none."""
        self._life.check()
        return self._data["promise"] or None

    @property
    def promise_offset(self) -> int | None:
        """Where the promise is, in bytes from the start of the frame; None where there is none."""
        return None if self.promise is None else self._data["promise_offset"]

    @property
    def final_suspend(self) -> SuspendPoint | None:
        """The final suspend; None where there is none."""
        return next((point for point in self.suspends if point.is_final), None)


class RetconShape(Shape):
    """A coroutine that returns its continuations: each suspend returns the function that goes on behind it.

    >>> shape = pycoro.Module(pycoro.examples.SUMS).coroutines["sums"].shape
    >>> shape.yields, shape.resumed_with
    (('i64',), ('i64',))
    >>> shape.storage_size, shape.frame_in_storage
    (16, True)
    """

    __slots__ = ()

    storage_size = attribute(int, "Of the buffer that the caller gives, in bytes.")
    storage_align = attribute(int, "Of that buffer, in bytes.")
    frame_in_storage = attribute(bool, "Whether the frame lies in the buffer; else the buffer holds its address.")
    prototype = attribute(str, "Name of the function that continuations are like.")
    allocator = attribute(str, "Name of the function that allocates a frame that does not fit.")
    deallocator = attribute(str, "Name of the function that frees it.")
    ramp_type = attribute(str, 'How the ramp is called, in LLVM\'s words: ``"cc 0 { ptr, i32 } (ptr, i32 zeroext)"``.')
    resume_type = attribute(str, "How a continuation is called.")

    @property
    def once(self) -> bool:
        """Whether it yields exactly once."""
        return self.abi == "retcon-once"

    @property
    def storage_argument(self) -> int | None:
        """Which argument of the ramp the buffer is, counted from 0; None where it is not an argument."""
        self._life.check()
        argument: int | None = self._data["storage_argument"]
        return argument

    @property
    def yields(self) -> tuple[str, ...]:
        """Types of what a suspend yields."""
        return values_of(parse_call_type(self.ramp_type).result)[1:]

    @property
    def resumed_with(self) -> tuple[str, ...]:
        """Types of what a continuation is called with, behind the buffer."""
        return parse_call_type(self.resume_type).parameters[1:]

    @property
    def results(self) -> tuple[str, ...]:
        """Types of what one that yields once gives at its end; empty for all others."""
        return values_of(parse_call_type(self.resume_type).result) if self.once else ()


class AsyncShape(Shape):
    """An async coroutine: its frame is the tail of a context that its caller allocates, and every suspend hands over to a
    function that may at some time call the continuation.

    >>> shape = pycoro.Module(pycoro.examples.RELAY).coroutines["relay"].shape
    >>> shape.function_pointer, shape.frame_offset, shape.context_size
    ('relay.pointer', 16, 32)
    """

    __slots__ = ()

    context_size = attribute(
        int, "Of its context, frame included, in bytes: what the function pointer tells callers.", "storage_size"
    )
    context_align = attribute(int, "Of contexts, in bytes.", "storage_align")
    context_argument = attribute(int, "Which argument of the ramp the context is, counted from 0.", "storage_argument")
    frame_offset = attribute(int, "Where the frame begins in the context, in bytes: behind the header.")
    function_pointer = attribute(str, "Name of the async function pointer, without the ``@``.")
    ramp_type = attribute(str, 'How the ramp is called, in LLVM\'s words: ``"cc 20 void (ptr swiftasync)"``.')


SHAPES: dict[str, type[Shape]] = {
    "switch": SwitchShape,
    "retcon": RetconShape,
    "retcon-once": RetconShape,
    "async": AsyncShape,
}


class Coroutine(View):
    """One presplit function: a view of ``module.coroutines``, or what a report says of one that was lowered.

    A view of a module goes stale when the module changes; a report's is a record, and never does.

    >>> coroutine = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"]
    >>> coroutine.abi, coroutine.frame.size, len(coroutine.suspends)
    ('switch', 32, 2)
    """

    __slots__ = ("_blocks", "_frame", "_shape", "_suspends")

    name = attribute(str, "Of the function, without the ``@``.", "function")
    abi = word[ABIName]("``switch``, ``retcon``, ``retcon-once`` or ``async``.")
    local = attribute(bool, "Whether no other module can name it: it is internal or private.")
    clones = attribute(
        tuple[str, ...], "Names of the functions made by splitting it: ``f.resume``, ``f.destroy``, ``f.cleanup``; ``f.resume.N``."
    )

    @property
    def custom_abi(self) -> str | None:
        """Name of the class of the :class:`ABI` that lowers it, None where LLVM's own ABI does, which `abi` names. For C programs
        the name that the ABI has there."""
        self._life.check()
        return self._data["custom_abi"] or None

    def __init__(self, life: Life, data: dict[str, Any], written: Callable[[], str] | None = None) -> None:
        super().__init__(life, data)
        code = Code(written, data["blocks"][0]["name"]) if written and data["blocks"] else None
        types = SourceTypes(data["source_types"])
        fields = tuple(FrameField(life, field, types) for field in data["fields"])
        self._suspends = suspends = tuple(SuspendPoint(life, point, place, fields) for place, point in enumerate(data["suspends"]))
        self._frame = Frame(life, data, fields, suspends)
        self._shape = SHAPES.get(data["abi"], Shape)(life, data, suspends)
        self._blocks = tuple(Block(life, block, data["blocks"], code) for block in data["blocks"])

    @property
    def place(self) -> Place | None:
        """Where its function is in the source, by debug information; None where there is none."""
        self._life.check()
        return place_in(self._data["source"], self._data["source"]["name"])

    @property
    def shape(self) -> Shape:
        """What makes it a coroutine; of the class that belongs to its ``abi``."""
        self._life.check()
        return self._shape

    @property
    def suspends(self) -> tuple[SuspendPoint, ...]:
        """The suspend points in program order, the final one last."""
        self._life.check()
        return self._suspends

    @property
    def frame(self) -> Frame:
        """The layout of its frame."""
        self._life.check()
        return self._frame

    @property
    def cfg(self) -> tuple[Block, ...]:
        """The blocks of the presplit function with their successors, in program order; the first is the entry."""
        self._life.check()
        return self._blocks

    def explain(self, value: str) -> Explanation:
        """Why a value or a variable is in the frame, by its name in the IR or in the source: where it is defined, which suspend it
        crosses and by which path, which use is behind that, and what would have to change. ``KeyError`` where no field of the
        frame is called so."""
        check("a value is named by a str", value, str)
        return explained(self, value)

    def row(self) -> dict[str, Any]:
        """The coroutine in numbers, as a row of a table; sizes are in bytes."""
        self._life.check()
        return {
            "name": self.name,
            "abi": abi_of(self.abi, self.custom_abi),
            "suspends": len(self._suspends),
            "frame_size": self._data["frame_size"],
            "frame_align": self._data["frame_align"],
            "lower_bound": self._data["lower_bound"],
            "fields": len(self._data["fields"]),
            "blocks": len(self._data["blocks"]),
        }

    def to_networkx(self) -> Any:
        """The control flow graph as a ``networkx.DiGraph``, for those who have it: a node for each block by name, with ``suspend``,
        the place of its suspend or None; an edge to each successor, with ``kind``: ``"resume"``, ``"destroy"``, ``"suspend"`` or
        empty. ``UsageError`` where networkx is not installed."""
        self._life.check()
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

    def _brief(self) -> str:
        data = self._data
        suspends, size = counted(len(self._suspends), "suspend"), counted(data["frame_size"], "byte")
        return f"@{data['function']}: {abi_of(data['abi'], data['custom_abi'])}, {suspends}, frame of {size}"

    def __str__(self) -> str:
        from pycoro.drawing import views

        return views.coroutine_text(self)

    def to_dot(self) -> str:
        """The control flow graph in Graphviz' language, for those who have it."""
        from pycoro.drawing import views

        return views.coroutine_dot(self)

    def svg(self, *, instructions: bool = False) -> str:
        """The control flow graph with its suspends marked as a picture, as SVG: needs no other program. The tip of a block has its
        instructions; ``instructions=True`` puts the first and the last of each into its box. A report has none of them."""
        from pycoro.drawing import views

        return views.coroutine_svg(self, instructions=instructions)

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import views

        return views.coroutine_bundle(self, include, exclude)


class LaidOutLater(Coroutine):
    """A coroutine whose frame is laid out by the first use of anything but its name."""

    __slots__ = ("_ask", "_called")

    def __init__(self, life: Life, name: str, ask: Callable[[], dict[str, Any]]) -> None:
        self._life = life
        self._called = name
        self._ask = ask

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of the function, without the ``@``."""
        self._life.check()
        return self._called

    def __getattr__(self, name: str) -> Any:
        """Of a slot that is not filled yet."""
        if name not in ("_data", *Coroutine.__slots__):
            raise AttributeError(f"a Coroutine has no attribute {name!r}")
        self._life.check()
        Coroutine.__init__(self, self._life, self._ask())
        return getattr(self, name)
