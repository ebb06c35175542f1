"""Overwrites bytes of the frame that a report calls dead: lowered code with a correct report behaves the same.

Each clone starts by filling all bytes of the frame that neither belong to the header nor are live at its suspend. Only
coroutines of the switched-resume ABI are changed, and neither after an exception nor at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Facts = Mapping[str, Any]
"""The report of one coroutine: struct coro_coroutine_info of pycoro.h."""

HEADER = ("resume", "destroy", "index")
FILL = "declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg)\n"
BEGIN = r'\([^\n]*?(%[-\w$.]+)\)[^\n]*\{\n(?:[-\w$."]+:[^\n]*\n)?'
"""Matches the start of a clone after its name, up to its first instruction. The group is the frame."""


def dead_bytes(coroutine: Facts, suspend: int) -> Iterator[tuple[int, int]]:
    """Yield offset and size of the dead bytes at the suspend, by offset."""
    end = 0
    for f in sorted(coroutine["fields"], key=lambda f: (f["offset"], f["size"])):
        if f["kind"] not in HEADER and not any(first <= suspend < last for first, last in f["live"]):
            continue
        if f["offset"] > end:
            yield end, f["offset"] - end
        end = max(end, f["offset"] + f["size"])
    if coroutine["frame_size"] > end:
        yield end, coroutine["frame_size"] - end


def _fills(coroutine: Facts, frame: str) -> list[str]:
    """Return the instructions; lengths are 0 where the coroutine was suspended elsewhere."""
    index = next((f for f in coroutine["fields"] if f["kind"] == "index"), None)
    lines = [f"%over.resume = load ptr, ptr {frame}", "%over.live = icmp ne ptr %over.resume, null"]
    if index:
        lines.append(f"%over.place = getelementptr i8, ptr {frame}, i64 {index['offset']}")
        lines.append(f"%over.index = load {index['type']}, ptr %over.place, align 1")
    for k, point in enumerate(coroutine["suspends"]):
        if point["is_final"]:
            continue
        if index:
            lines.append(f"%over.here{k} = icmp eq {index['type']} %over.index, {point['index']}")
            lines.append(f"%over.is{k} = and i1 %over.live, %over.here{k}")
        for n, (offset, size) in enumerate(dead_bytes(coroutine, k)):
            at, length = f"%over.at{k}.{n}", f"%over.length{k}.{n}"
            lines.append(f"{at} = getelementptr i8, ptr {frame}, i64 {offset}")
            lines.append(f"{length} = select i1 {f'%over.is{k}' if index else '%over.live'}, i64 {size}, i64 0")
            lines.append(f"call void @llvm.memset.p0.i64(ptr {at}, i8 -86, i64 {length}, i1 false)")
    return lines


def overwrite_dead_bytes(text: str, coroutines: Sequence[Facts]) -> str:
    """Return the lowered module with such instructions at the start of all clones."""
    for coroutine in coroutines:
        if coroutine["abi"] != "switch" or not coroutine["suspends"]:
            continue
        for part in coroutine["clones"]:
            name = rf'@(?:{re.escape(part)}|"{re.escape(part)}")'
            begin = re.search(rf"^define [^\n]*{name}{BEGIN}", text, re.MULTILINE)
            if begin:
                fills = "".join(f"  {line}\n" for line in _fills(coroutine, begin[1]))
                text = text[: begin.end()] + fills + text[begin.end() :]
    return text if "declare void @llvm.memset.p0.i64(" in text else text + FILL
