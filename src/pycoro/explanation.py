"""Why a value is in a frame: its definition, the suspend that it crosses, a path that makes it cross, the use behind it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from pycoro._nearest import UnknownName
from pycoro._printable import printable

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.frame import FrameField

__all__ = ["Explanation", "explained", "flow_of", "why_there"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a value is in the frame of a coroutine. Plain data, which is never stale.

    >>> print(pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].explain("%to"))
    %to is in the frame of @counter, 4 bytes at 20: it is defined before a suspend and used after it.
      defined in %entry:  i32 %to
      crosses suspend 0, %s in %yield
      by the path %entry -> %begin -> %loop -> %yield -> (suspended) -> %loop
      needed in %loop:  %more = icmp slt i32 %n, %to
      It would not be there if
      - its use in %loop came before the suspend
      - the argument were computed behind the suspend, from what is in the frame anyway
      - it were loaded again behind the suspend from memory that the coroutine does not own
    """

    coroutine: str
    """Name of the function, without the ``@``."""
    name: str
    """Of the value in the IR, without the ``%``, or of the slot of the header."""
    variable: str
    """What the source calls it, by debug information; empty where that does not say."""
    kind: str
    """See `FrameField.kind`."""
    offset: int
    """In bytes from the start of the frame."""
    size: int
    """In bytes."""
    reason: str
    """In one sentence."""
    definition: str
    """The instruction or the argument, as LLVM prints it."""
    definition_block: str
    suspend: int | None
    """Place in ``coroutine.suspends`` of the one that it has to survive; None for the header and for what is there always."""
    suspend_text: str
    """``"%s1 in %again"``, with its line where debug information has it."""
    before: tuple[str, ...]
    """The blocks of a shortest path from the definition to the suspend."""
    after: tuple[str, ...]
    """Those from where it is resumed to the use; empty where the address is what counts rather than one use."""
    use: str
    """The instruction behind the suspend that needs it, as LLVM prints it; of a variable that none behind it names, one before it
    that does: ``after`` is empty then."""
    use_block: str
    changes: tuple[str, ...]
    """What would have to be otherwise for it not to be in the frame: each would do."""

    def to_dict(self) -> dict[str, Any]:
        """As dicts, lists, texts and numbers. Sizes and offsets are in bytes."""
        return {**asdict(self), "before": list(self.before), "after": list(self.after), "changes": list(self.changes)}

    def __str__(self) -> str:
        header = self.kind in ("resume", "destroy", "index", "header")
        called = self.name if header else f"%{self.name}" + (f" ({self.variable})" if self.variable else "")
        lines = [f"{called} is in the frame of @{self.coroutine}, {self.size} bytes at {self.offset}: {self.reason.rstrip('.')}."]
        if self.definition:
            lines.append(f"  defined in {self.definition_block}:  {self.definition.strip()}")
        if self.suspend_text:
            lines.append(f"  crosses suspend {self.suspend}, {self.suspend_text}")
        if self.before:
            lines.append(f"  by the path {' -> '.join([*self.before, '(suspended)', *self.after])}")
        if self.use:
            how = "needed" if self.after or self.kind == "spill" else "named before that,"
            lines.append(f"  {how} in {self.use_block}:  {self.use.strip()}")
        lines += ["  It would not be there if", *(f"  - {change}" for change in self.changes)] if self.changes else []
        return "\n".join(map(printable, lines))

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{escape(str(self))}</pre>'


Graph = Mapping[str, Sequence[str]]


def _path(graph: Graph, start: str, end: str, without: str = "") -> tuple[str, ...]:
    """A shortest one, both ends included, on which `without` is at most the end; empty where there is none."""
    came: dict[str, str] = {start: ""}
    queue = deque([start])
    while queue:
        block = queue.popleft()
        if block == end:
            path = [block]
            while came[path[-1]]:
                path.append(came[path[-1]])
            return tuple(reversed(path))
        if block == without and block != start:
            continue
        for target in graph.get(block, ()):
            if target not in came:
                came[target] = block
                queue.append(target)
    return ()


def flow_of(coroutine: Coroutine) -> Graph:
    """The successors of each block, by name."""
    return {block.name: [target.name for target in block.successors] for block in coroutine.cfg}


def _crossing(coroutine: Coroutine, field: FrameField, graph: Graph) -> tuple[int | None, tuple[str, ...], tuple[str, ...]]:
    """The suspend, and a path to it and one behind it: of the first suspend that has both."""
    suspends = [place for places in field.live for place in places]
    first: tuple[int | None, tuple[str, ...], tuple[str, ...]] = (suspends[0] if suspends else None, (), ())
    for place in suspends:
        point = coroutine.suspends[place]
        before = _path(graph, field.def_block, point.block, field.def_block) if field.def_block else ()
        starts = (
            [point.resume_block, point.destroy_block] if point.resume_block or point.destroy_block else graph.get(point.block, ())
        )
        ways = (_path(graph, start, field.use_block, field.def_block) for start in starts if start and field.use_block)
        after = min(filter(None, ways), key=len, default=())
        if before and (after or not field.use_block):
            return place, before, after
        first = (first[0], first[1] or before, first[2] or after)
    return first


def _changes(field: FrameField, *, used_behind: bool) -> tuple[str, ...]:
    if field.is_header or field.kind == "promise":
        return ()
    if field.kind == "alloca":
        use = f"its use in {field.use_block} came before the suspend, or " if used_behind else ""
        return (
            f"{use}the variable's lifetime ended before the suspend (llvm.lifetime.end)",
            "its address went to nobody who could use it later (no call, no store of the address before the suspend)",
            "it were written anew behind the suspend before it is read",
        )
    source = "the argument" if not field.value.lstrip().startswith("%") or " = " not in field.value else "the value"
    return (
        f"its use in {field.use_block} came before the suspend",
        f"{source} were computed behind the suspend, from what is in the frame anyway",
        "it were loaded again behind the suspend from memory that the coroutine does not own",
    )


def explained(coroutine: Coroutine, value: str) -> Explanation:
    """See `Coroutine.explain`."""
    bare = value.removeprefix("%")
    fields = coroutine.frame.fields
    found = [field for field in fields if field.name == bare and not (field.is_header and bare != value)]
    found += [field for field in fields if field.variable and field.variable == value]
    if not found:
        known = [field.name for field in fields] + [field.variable for field in fields if field.variable]
        raise UnknownName("field", value, known)
    return why_there(coroutine, min(found, key=lambda field: not field.is_header), flow_of(coroutine))


def why_there(coroutine: Coroutine, field: FrameField, flow: Graph) -> Explanation:
    """Why a field is in the frame. ``flow`` is what :func:`flow_of` gives of the coroutine, for all of its fields."""
    place, before, after = _crossing(coroutine, field, flow)
    point = coroutine.suspends[place] if place is not None and field.kind != "promise" else None
    at = f"{point.name} in {point.block}" + (f", {point.place}" if point.place else "") if point else ""
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
        suspend=place if point else None,
        suspend_text=at,
        before=before if point else (),
        after=after if point else (),
        use=field.use,
        use_block=field.use_block,
        changes=_changes(field, used_behind=bool(after)),
    )
