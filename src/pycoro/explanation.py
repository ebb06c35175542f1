"""Explain why a value is in a frame: its definition, a suspend it is live across, a path, and a use after the suspend."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from pycoro._escape import printable
from pycoro.drawing.model import display_name, display_value
from pycoro.view import format_count

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.frame import FrameField

__all__ = ["Explanation", "explain_field", "explain_value", "successors_of", "without_metadata"]


_ADDRESS_OF_LATER_LIFETIME = "its address escapes, and a lifetime after a suspend uses the same address"
_METADATA = re.compile(r"(, ![\w.]+ ![0-9]+)+$")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Reason why a value is in the frame of a coroutine. Plain data, never stale.

    >>> print(pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].explain("%to"))
    %to is in the frame of @counter, 4 bytes at 20: it is defined before a suspend and used after it.
      defined in %entry:  i32 %to
      live across suspend 0, %s in %yield
      on the path %entry -> %begin -> %loop -> %yield -> (suspended) -> %loop
      used in %loop:  %more = icmp slt i32 %n, %to
      It would not be in the frame if (one, or several together)
      - its use in %loop came before the suspend
      - the argument were recomputed after the suspend from other values in the frame
      - it were reloaded after the suspend from memory that the coroutine does not own
    """

    coroutine: str
    """Name of the function without the ``@``."""
    name: str
    """Name of the value in the IR without the ``%``, or of the header slot."""
    variable: str
    """Name of the source variable by debug information; empty if unknown."""
    kind: str
    """See `FrameField.kind`."""
    offset: int
    """Offset in the frame, in bytes."""
    size: int
    """Size in bytes."""
    reason: str
    """Reason in one sentence."""
    definition: str
    """Instruction or argument as LLVM prints it."""
    definition_block: str
    definition_location: str
    """``"a.cpp:3:5"``; empty if unknown."""
    suspend: int | None
    """Index in ``coroutine.suspends`` of a suspend that it is live across; None for the header and for unconditional fields."""
    suspend_text: str
    """``"%s1 in %again"``, with its line if debug information has it."""
    before: tuple[str, ...]
    """Blocks of a shortest path from the definition to the suspend."""
    after: tuple[str, ...]
    """Blocks of the path from the resumption to the use; empty if the address matters rather than one use."""
    use: str
    """Instruction after the suspend that uses it, as LLVM prints it. For a stack slot without such a use, an earlier use; then
    ``after`` is empty."""
    use_block: str
    use_location: str
    """``"a.cpp:3:5"``; empty if unknown."""
    changes: tuple[str, ...]
    """Changes that would keep it out of the frame: one of them, or several together if it is there for more than one reason."""

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as dicts, lists, texts and numbers. Sizes and offsets are in bytes."""
        return {**asdict(self), "before": list(self.before), "after": list(self.after), "changes": list(self.changes)}

    def __str__(self) -> str:
        header = self.kind in ("resume", "destroy", "index", "header")
        label = self.name if header else display_value(self.name, self.variable)
        where = f"the frame of {display_name(self.coroutine)}, {format_count(self.size, 'byte')} at {self.offset}"
        lines = [f"{label} is in {where}: {self.reason.rstrip('.')}."]
        if self.definition:
            lines.append(
                f"  defined in {_block_location(self.definition_block, self.definition_location)}:  {_bare_code(self.definition)}"
            )
        if self.suspend_text:
            lines.append(f"  live across suspend {self.suspend}, {self.suspend_text}")
        if self.before:
            lines.append(f"  on the path {' -> '.join([*self.before, '(suspended)', *self.after])}")
        if self.use:
            how = "used" if self.after or self.kind == "spill" else "used before the suspend"
            lines.append(f"  {how} in {_block_location(self.use_block, self.use_location)}:  {_bare_code(self.use)}")
        if self.changes:
            lines += ["  It would not be in the frame if (one, or several together)", *(f"  - {change}" for change in self.changes)]
        return "\n".join(map(printable, lines))

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{escape(str(self))}</pre>'


def _block_location(block: str, location: str) -> str:
    return f"{block}, {location}" if location else block


def _bare_code(instruction: str) -> str:
    return without_metadata(instruction.strip())


Graph = Mapping[str, Sequence[str]]


def _shortest_path(graph: Graph, start: str, end: str, without: str = "") -> tuple[str, ...]:
    """Return a shortest path with both ends that does not pass through `without`; empty if there is none."""
    predecessor: dict[str, str] = {start: ""}
    queue = deque([start])
    while queue:
        block = queue.popleft()
        if block == end:
            path = [block]
            while predecessor[path[-1]]:
                path.append(predecessor[path[-1]])
            return tuple(reversed(path))
        if block == without and block != start:
            continue
        for target in graph.get(block, ()):
            if target not in predecessor:
                predecessor[target] = block
                queue.append(target)
    return ()


def successors_of(coroutine: Coroutine) -> Graph:
    """Return the successors of each block by name."""
    return {block.name: [target.name for target in block.successors] for block in coroutine.cfg}


def _first_crossed_suspend_and_paths(
    coroutine: Coroutine, field: FrameField, graph: Graph
) -> tuple[int | None, tuple[str, ...], tuple[str, ...]]:
    """Find the first suspend with a path to it and a path after it: return its index and both paths."""
    suspends = [place for places in field.live for place in places]
    first: tuple[int | None, tuple[str, ...], tuple[str, ...]] = (suspends[0] if suspends else None, (), ())
    for place in suspends:
        point = coroutine.suspends[place]
        before = _shortest_path(graph, field.def_block, point.block, field.def_block) if field.def_block else ()
        starts = (
            [point.resume_block, point.destroy_block] if point.resume_block or point.destroy_block else graph.get(point.block, ())
        )
        paths = (_shortest_path(graph, start, field.use_block, field.def_block) for start in starts if start and field.use_block)
        after = min(filter(None, paths), key=len, default=())
        if before and (after or not field.use_block):
            return place, before, after
        first = (first[0], first[1] or before, first[2] or after)
    return first


def _changes_to_avoid_frame(field: FrameField, *, used_after: bool) -> tuple[str, ...]:
    if field.is_header or field.kind == "promise":
        return ()
    if field.why.startswith(_ADDRESS_OF_LATER_LIFETIME):  # its lifetime has ended already
        return (
            "its address did not escape in any of its lifetimes (by a call or a store of the address)",
            "it were an alloca of a function that is not inlined (noinline)",
        )
    if field.kind == "alloca":
        use = f"its use in {field.use_block} came before the suspend, or " if used_after else ""
        return (
            f"{use}its lifetime ended before the suspend (llvm.lifetime.end)",
            "its address did not escape before the suspend (by a call or a store of the address)",
            "it were overwritten after the suspend before it is read",
        )
    source = "the argument" if not field.value.lstrip().startswith("%") or " = " not in field.value else "the value"
    return (
        f"its use in {field.use_block} came before the suspend",
        f"{source} were recomputed after the suspend from other values in the frame",
        "it were reloaded after the suspend from memory that the coroutine does not own",
    )


def without_metadata(instruction: str) -> str:
    """Remove metadata such as ``, !dbg !7`` from the end of a printed instruction."""
    return _METADATA.sub("", instruction)


def explain_value(coroutine: Coroutine, value: str) -> Explanation:
    """Implement `Coroutine.explain`."""
    return explain_field(coroutine, coroutine.frame[value], successors_of(coroutine))


def explain_field(coroutine: Coroutine, field: FrameField, flow: Graph) -> Explanation:
    """Explain a field. ``flow`` is the result of :func:`successors_of` for the coroutine, shared by all fields."""
    place, before, after = _first_crossed_suspend_and_paths(coroutine, field, flow)
    point = coroutine.suspends[place] if place is not None and field.kind != "promise" else None
    at = f"{point.name} in {_block_location(point.block, str(point.location or ''))}" if point else ""
    return Explanation(
        coroutine=coroutine.name,
        name=field.name,
        variable=field.variable,
        kind=field.kind,
        offset=field.offset,
        size=field.size,
        reason=field.why,
        definition=field.value,
        definition_block=field.def_block,
        definition_location=str(field.def_location or ""),
        suspend=place if point else None,
        suspend_text=at,
        before=before if point else (),
        after=after if point else (),
        use=field.use,
        use_block=field.use_block,
        use_location=str(field.use_location or ""),
        changes=_changes_to_avoid_frame(field, used_after=bool(after)),
    )
