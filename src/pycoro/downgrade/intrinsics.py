"""Intrinsics with another signature or name in older versions, and those that older versions lack."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from pycoro.downgrade.line import Line

__all__ = ["downgrade_intrinsic_false_if_dropped", "first_version_and_base_name_of_intrinsic"]

_RENAMED = {"llvm.stepvector": 20, "llvm.vector.partial.reduce.add": 22}
"""First LLVM version where each intrinsic has its name; before it was ``llvm.experimental``."""
_HINTS = {"llvm.fake.use"}
_FIRST_VECTOR = {"llvm.llround": 20, "llvm.lround": 20}
"""First LLVM version where each intrinsic takes vectors."""
_VECTOR = re.compile(r"\.(?:nx)?v\d")


@cache
def load_intrinsic_table() -> dict[str, int]:
    found: dict[str, int] = {}
    version, prefix = 0, ""
    for line in (Path(__file__).parent / "intrinsics.txt").read_text().splitlines():
        words = line.split()
        if line.startswith("#"):
            continue
        if line[0] != " ":
            version = int(words[0])
            prefix = "llvm." if words[1] == "-:" else f"llvm.{words[1][:-1]}."
        else:
            found |= {prefix + word: version for word in words}
    return found


def first_version_and_base_name_of_intrinsic(name: str) -> tuple[int, str]:
    """Return the first LLVM version since 19 with an intrinsic of this signature, and its name without the overload's suffix."""
    table, base = load_intrinsic_table(), name
    stem = ".".join(name.split(".")[:2])
    if stem in _FIRST_VECTOR and _VECTOR.search(name):
        return _FIRST_VECTOR[stem], stem
    while base.count("."):
        if base in table:
            return table[base], base
        base = base.rpartition(".")[0]
    return 19, name


def downgrade_intrinsic_false_if_dropped(line: Line, fresh: str) -> bool:
    """Convert the call or declaration of a line, which names one intrinsic followed by a parenthesis. ``fresh`` is a name that
    the module does not use. False: the line is dropped."""
    declared = line.line_kind == "declare"
    for at, word in enumerate(line.words):
        name = word.text[1:].strip('"')
        if word.text.startswith("@") and name.startswith("llvm.") and line.next_token_is(at, "("):
            return convert_intrinsic_call_false_if_dropped(line, at, name, declared, fresh)
    return True


def convert_intrinsic_call_false_if_dropped(line: Line, token_index: int, name: str, declared: bool, fresh: str) -> bool:
    stem = ".".join(name.split(".")[:3])
    if stem in ("llvm.lifetime.start", "llvm.lifetime.end"):
        line.insert(token_index + 2, "i64 immarg, " if declared else "i64 -1, ")
        line.report_conversion("lifetime", f"{stem} gets the size -1: the whole object")
    elif stem in ("llvm.masked.load", "llvm.masked.store", "llvm.masked.gather", "llvm.masked.scatter"):
        _add_alignment(line, token_index, 1 if stem in ("llvm.masked.store", "llvm.masked.scatter") else 0, declared)
        line.report_conversion("alignment", f"{stem} gets the alignment of its pointer as an operand")
    elif name in ("llvm.coro.end", "llvm.coro.end.async"):
        void = line.find_token("void")
        line.words[void].text = "i1"
        if not declared:
            line.insert(0, f"%{fresh} = ")
        line.report_conversion("coro-end", f"{name} returns an i1")
    elif stem == "llvm.vector.splice" and name.count(".") > 3 and line.target < 22:
        return _convert_splice_false_if_dropped(line, token_index, name, declared)
    elif name == "llvm.assume":
        _drop_assume_bundles_of_variable_size(line)
    else:
        return _use_older_name_false_if_dropped(line, token_index, name, declared)
    return True


def _convert_splice_false_if_dropped(line: Line, token_index: int, name: str, declared: bool) -> bool:
    """Convert a splice with a direction to ``llvm.vector.splice``, with a negative offset for ``right``; False: dropped."""
    if declared:
        return False  # LLVM declares the intrinsic once where both directions are called
    _, _, _, direction, suffix = name.split(".", 4)
    offset_end = line.ranges_between_commas(token_index + 1)[2][1]
    offset, length = line.words[offset_end - 1], re.match(r"v(\d+)", suffix)
    if offset.text == ("0" if direction == "right" else length and length[1]):
        line.record_rejection(
            f"llvm.vector.splice cannot return all of its second operand, as {name} does", "use the second operand"
        )
    if not offset.text.isdigit():
        line.record_rejection(f"{name} has a variable offset, and llvm.vector.splice takes a constant one", "use a constant offset")
    if direction == "right":
        offset.text = f"-{offset.text}"
    line.words[token_index].text = f"@llvm.vector.splice.{suffix}"
    line.report_conversion("renamed", f"llvm.vector.splice.{direction} becomes llvm.vector.splice")
    return True


_CONSTANT_ASSUMPTIONS = {'"dereferenceable"': 21, '"dereferenceable_or_null"': 22}
"""First LLVM version where the number of bytes of each operand bundle may be variable."""


def _drop_assume_bundles_of_variable_size(line: Line) -> None:
    """Drop operand bundles of ``llvm.assume`` with a variable number of bytes."""
    at = line.find_token("[")
    if at < 0:
        return
    for start, end in reversed(line.ranges_between_commas(at)):
        tag = line.words[start].text
        if _CONSTANT_ASSUMPTIONS.get(tag, 0) > line.target and not line.words[end - 2].text.isdigit():
            line.remove_list_element(start, end)
            line.report_conversion("hint", f"the assumption {tag} with a variable number of bytes is dropped")
    if line.next_token_is(at, "]"):
        line.remove(at, at + 2)


def _use_older_name_false_if_dropped(line: Line, token_index: int, name: str, declared: bool) -> bool:
    first, base = first_version_and_base_name_of_intrinsic(name)
    if first <= line.target:
        return True
    if base in _RENAMED:
        older = name.replace("llvm.", "llvm.experimental.", 1)
        line.words[token_index].text = line.words[token_index].text.replace(name, older)
        line.report_conversion("renamed", f"{base} becomes {base.replace('llvm.', 'llvm.experimental.', 1)}")
        return True
    if base in _HINTS:
        line.report_conversion("hint", f"{base} is dropped")
        return False
    if not declared:
        lowered = name.startswith("llvm.coro.")
        fix = "lower the coroutines first" if lowered else "compute its result with other instructions"
        line.record_rejection(f"{base} is an intrinsic with this signature since LLVM {first}", fix)
    return True


def _add_alignment(line: Line, token_index: int, pointer: int, declared: bool) -> None:
    """Add the operand after the pointer, with the value of the parameter attribute ``align``."""
    start, end = line.ranges_between_commas(token_index + 1)[pointer]
    align = line.find_token("align", start)
    value = line.words[align + 1].text if start < align < end else "1"
    if start < align < end:
        line.remove(align, align + 2)
        end -= 2
    line.insert(end, ", i32 immarg" if declared else f", i32 {value}")
