"""Coroutines as views: shape, suspend points, frame and control flow of a presplit function."""

from __future__ import annotations

from typing import Any

from pycoro.frame import Frame, FrameField
from pycoro.view import Life, View, attribute

__all__ = ["Block", "Coroutine", "Shape", "SuspendPoint", "SwitchShape"]


class Block(View):
    """A basic block of the presplit function."""

    __slots__ = ("_successors",)

    name = attribute(str, '``"%entry"``; ``"%7"`` where it has no name.')

    def __init__(self, life: Life, data: dict[str, Any], names: tuple[str, ...]) -> None:
        super().__init__(life, data)
        self._successors = tuple(names[index] for index in data["successors"])

    @property
    def successors(self) -> tuple[str, ...]:
        """Names of the blocks that control may go to from here, in the order of the terminator."""
        self._life.check()
        return self._successors

    def _brief(self) -> str:
        return f"{self._data['name']} -> {', '.join(self._successors) or 'out'}"


class SuspendPoint(View):
    """A place where the coroutine may suspend, to be resumed or destroyed there."""

    __slots__ = ("_live",)

    name = attribute(str, 'Of the suspend\'s result, ``"%s"``.')
    index = attribute(int, "The number that the frame holds while suspended here.")
    block = attribute(str, "The block that holds the suspend.")
    save_block = attribute(str, "The block that holds its ``llvm.coro.save``; the same where it has none.")
    resume_block = attribute(str, "Where control goes when it is resumed; empty where that is not known statically.")
    destroy_block = attribute(str, "Where control goes when it is destroyed; empty where that is not known statically.")
    suspend_block = attribute(str, "Where control goes when it suspends; empty where that is not known statically.")
    is_final = attribute(bool, "Whether it is the final suspend, after which the coroutine is done and only destroyed.")

    def __init__(self, life: Life, data: dict[str, Any], frame: Frame) -> None:
        super().__init__(life, data)
        self._live = tuple(frame.fields[index] for index in data["live"])

    @property
    def live(self) -> tuple[FrameField, ...]:
        """The fields of the frame that must survive this suspend, by offset."""
        self._life.check()
        return self._live

    def _brief(self) -> str:
        data = self._data
        return f"{data['index']}{' (final)' if data['is_final'] else ''} {data['name']} in {data['block']}, {len(self._live)} live"


class Shape(View):
    """What makes a function a coroutine, whatever its ABI."""

    __slots__ = ("_suspends",)

    abi = attribute(str, "``switch``, ``retcon``, ``retcon-once`` or ``async``.")
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
        return f"{data['abi']}, {len(self._suspends)} suspends, {data['end_count']} ends"


class SwitchShape(Shape):
    """A switched-resume coroutine, as C++ makes them: one resume function that switches on an index in the frame."""

    __slots__ = ()

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


class Coroutine(View):
    """One presplit function: a view of ``module.coroutines``, or what a report says of one that was lowered.

    A view of a module goes stale when the module changes; a report's is a record, and never does.
    """

    __slots__ = ("_blocks", "_frame", "_shape", "_suspends")

    name = attribute(str, "Of the function, without the ``@``.", "function")
    abi = attribute(str, "``switch``, ``retcon``, ``retcon-once`` or ``async``.")
    clones = attribute(
        tuple[str, ...], "Names of the functions made by splitting it: ``f.resume``, ``f.destroy``, ``f.cleanup``."
    )

    def __init__(self, life: Life, data: dict[str, Any]) -> None:
        super().__init__(life, data)
        self._frame = frame = Frame(life, data)
        self._suspends = suspends = tuple(SuspendPoint(life, point, frame) for point in data["suspends"])
        self._shape = (SwitchShape if data["abi"] == "switch" else Shape)(life, data, suspends)
        names = tuple(block["name"] for block in data["blocks"])
        self._blocks = tuple(Block(life, block, names) for block in data["blocks"])

    @property
    def shape(self) -> Shape:
        """What makes it a coroutine; a :class:`SwitchShape` where ``abi`` is ``switch``."""
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

    def _brief(self) -> str:
        data = self._data
        return f"@{data['function']}: {data['abi']}, {len(self._suspends)} suspends, frame of {data['frame_size']} bytes"

    def __str__(self) -> str:
        from pycoro import _views

        return _views.coroutine_text(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from pycoro import _views

        return {"text/plain": str(self), "image/svg+xml": _views.coroutine_svg(self)}
