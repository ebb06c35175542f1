"""Frames and coroutines as plain data, to draw without an engine. A suspend's `live` lists indices of fields."""

from __future__ import annotations

import itertools
from types import SimpleNamespace as Plain

HEADER = [("resume", "ptr", 8), ("destroy", "ptr", 8)]


def field(kind, name, type_, offset, size, *, align=None, suspend=None, why="", value="", blocks=("", "")):
    return Plain(
        kind=kind,
        name=name,
        type=type_,
        value=value,
        def_block=blocks[0],
        use_block=blocks[1],
        why=why,
        offset=offset,
        size=size,
        align=align or min(size, 8),
        suspend=suspend,
    )


def header():
    return [field(name, name, type_, 8 * index, size) for index, (name, type_, size) in enumerate(HEADER)]


def suspend(place, block, resume, destroy, *, live=(), final=False, save=None):
    return Plain(
        index=place,
        name=f"%s{place}",
        block=block,
        save_block=save or block,
        suspend_block="%suspend",
        resume_block=resume,
        destroy_block=destroy,
        is_final=final,
        live=tuple(live),
    )


def runs(places):
    """Return sorted indices as ranges."""
    groups = itertools.groupby(enumerate(places), lambda pair: pair[1] - pair[0])
    found = [[place for _, place in group] for _, group in groups]
    return tuple(range(run[0], run[-1] + 1) for run in found)


def holes(fields, size):
    ends = itertools.accumulate((f.offset + f.size for f in fields), max, initial=0)
    starts = [*(f.offset for f in fields), size]
    return tuple((end, start - end) for end, start in zip(ends, starts, strict=True) if start > end)


def frame(function, size, fields, suspends, *, align=8, lower_bound=None):
    for index, f in enumerate(fields):
        f.live = runs([n for n, s in enumerate(suspends) if index in s.live])
    for s in suspends:
        s.live_count, s.live_bytes = len(s.live), sum(fields[index].size for index in s.live)
    return Plain(
        function=function,
        size=size,
        align=align,
        lower_bound=size if lower_bound is None else lower_bound,
        fields=tuple(fields),
        suspends=tuple(suspends),
        holes=holes(fields, size),
    )


def cfg(edges):
    """Return blocks from {name: [successor names]}."""
    blocks = {name: Plain(name=name, successors=()) for name in edges}
    for name, successors in edges.items():
        blocks[name].successors = tuple(blocks[s] for s in successors)
    return list(blocks.values())


def coroutine(drawn_frame, blocks, name=None):
    return Plain(
        name=name or drawn_frame.function,
        shape=Plain(abi="switch", promise=None),
        custom_abi=None,
        frame=drawn_frame,
        cfg=blocks,
    )


def counter():
    """Return one loop with one suspend; %n lives across it."""
    fields = [
        *header(),
        field(
            "spill",
            "n.val",
            "i32",
            16,
            4,
            suspend=0,
            value="%n.val = phi i32 [ %n, %entry ], [ %inc, %resume ]",
            blocks=("%loop", "%resume"),
            why="defined before suspend %s0, used after it",
        ),
        field("index", "index", "i1", 20, 1),
    ]
    suspends = [suspend(0, "%loop", "%resume", "%cleanup", live=[2])]
    blocks = cfg(
        {
            "%entry": ["%loop"],
            "%loop": ["%suspend", "%resume", "%cleanup"],
            "%resume": ["%loop"],
            "%cleanup": ["%suspend"],
            "%suspend": [],
        }
    )
    return coroutine(frame("counter", 24, fields, suspends, lower_bound=21), blocks)


def shared():
    """Return a frame with overlapping arrays, an over-aligned vector, a save apart from its suspend, and a final suspend."""
    across = "used after the suspend"
    fields = [
        *header(),
        field("promise", "promise", "%struct.promise", 16, 16),
        field("alloca", "row.left", "[12 x i32]", 32, 48, align=16, suspend=0, why=across),
        field("alloca", "row.right", "[8 x i32]", 32, 32, align=16, suspend=1, why=across),
        field("spill", "vec", "<8 x float>", 96, 32, align=32, suspend=0, why=across),
        field("spill", "flag", "i1", 128, 1, suspend=1, why=across),
        field("index", "index", "i2", 129, 1),
    ]
    suspends = [
        suspend(0, "%await.0", "%ready.0", "%cleanup", live=[2, 3, 5], save="%prepare"),
        suspend(1, "%await.1", "%ready.1", "%cleanup", live=[2, 4, 5, 6]),
        suspend(2, "%final", "%trap", "%cleanup", live=[2], final=True),
    ]
    blocks = cfg(
        {
            "%entry": ["%prepare", "%alloc"],
            "%alloc": ["%prepare"],
            "%prepare": ["%await.0"],
            "%await.0": ["%suspend", "%ready.0", "%cleanup"],
            "%ready.0": ["%await.1", "%ready.0"],
            "%await.1": ["%suspend", "%ready.1", "%cleanup"],
            "%ready.1": ["%prepare", "%final"],
            "%final": ["%suspend", "%trap", "%cleanup"],
            "%trap": [],
            "%cleanup": ["%free", "%suspend"],
            "%free": ["%suspend"],
            "%suspend": [],
        }
    )
    return coroutine(frame("shared", 160, fields, suspends, align=32, lower_bound=130), blocks)


def many(suspend_count, local_count):
    """Return a row of `suspend_count` suspends, each with a few of `local_count` values live across it."""
    fields = header()
    for n in range(local_count):
        across = "used after it"
        fields.append(field("spill", f"value.{n}", "i64", 16 + 8 * n, 8, suspend=n % suspend_count, why=across, value=f"%v{n}"))
    fields.append(field("index", "index", "i32", 16 + 8 * local_count, 4))
    suspends, edges = [], {"%entry": ["%step.0"]}
    for n in range(suspend_count):
        live = [2 + v for v in range(local_count) if v % suspend_count <= n < v % suspend_count + 3]
        suspends.append(suspend(n, f"%step.{n}", f"%after.{n}", "%cleanup", live=live))
        edges[f"%step.{n}"] = ["%suspend", f"%after.{n}", "%cleanup"]
        edges[f"%after.{n}"] = [f"%step.{n + 1}" if n + 1 < suspend_count else "%cleanup"]
    edges["%cleanup"] = ["%suspend"]
    edges["%suspend"] = []
    size = 24 + 8 * local_count
    return coroutine(frame("many", size, fields, suspends, lower_bound=size - 4), cfg(edges))


def frameless():
    """Return a coroutine that never suspends."""
    return coroutine(frame("straight", 0, [], [], align=1), cfg({"%entry": ["%exit"], "%exit": []}))


def hostile():
    """Return names that would be markup if they were not escaped."""
    evil = '"</svg><script>alert(1)</script>&'
    fields = [*header(), field("spill", evil, "%<&>", 16, 8, suspend=0, why=evil, value=evil)]
    suspends = [suspend(0, f"%{evil}", "%after", "%cleanup", live=[2])]
    blocks = cfg({f"%{evil}": ["%after", "%cleanup"], "%after": [], "%cleanup": []})
    return coroutine(frame(evil, 24, fields, suspends), blocks)
