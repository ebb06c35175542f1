"""Changes by each pass, by function, and their effect on the frames of unsplit coroutines.

It needs a report with snapshots. Functions are compared as shown, so that renumbered metadata is not a change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from difflib import SequenceMatcher
from typing import Any

from pycoro._escape import printable
from pycoro._module_class import module_class
from pycoro.drawing.model import display_name
from pycoro.errors import Error
from pycoro.explore.printed import Printed
from pycoro.report import Report, Step

__all__ = ["rows_of_steps"]

_AROUND = 2
"""Number of context lines of a diff."""
_LOOKS = 60
"""Maximum number of steps with frame layouts; each layout covers all coroutines."""


def _unified_diff(before: tuple[str, ...], after: tuple[str, ...]) -> list[str]:
    """Return the lines of a unified diff; ``@`` marks omitted lines."""
    found: list[str] = []
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) > 2000)
    for at, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        found += ["@"] * (at > 0 or group[0][1] > 0)
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                found += (" " + line for line in before[i1:i2])
                continue
            found += ("-" + line for line in before[i1:i2])
            found += ("+" + line for line in after[j1:j2])
    return found


def _changed_functions(before: Printed, after: Printed, owners: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the changed functions in module order, each with its coroutine."""
    for name in dict.fromkeys((*before.function_names, *after.function_names)):
        if before.has_same_text_without_numbers(after, name):
            continue
        old, new = before.lines_without_metadata(name), after.lines_without_metadata(name)
        if old != new:
            what = "changed" if old and new else "new" if new else "gone"
            of = next((owner for owner in owners if name == owner or name.startswith(f"{owner}.")), "")
            shown = display_name(name) if name in owners or not of else display_name(of) + name.removeprefix(of)
            names = {"function": printable(name), "shown": shown, "of": printable(of)}
            yield {**names, "what": what, "diff": _unified_diff(old, new)}


def _frame_sizes_of_unsplit_or_empty(text: str, names: Collection[str]) -> dict[str, int]:
    """Return the frame sizes of unsplit coroutines in bytes."""
    try:
        with module_class()(text, trusted=True) as module:
            return {
                row["name"]: row["frame_size"] for row in module.coroutines.rows() if row["name"] in names and "frame_size" in row
            }
    except Error:
        return {}


def rows_of_steps(
    report: Report, first: Printed, before_changing_step: Callable[[Step, Printed], None]
) -> tuple[list[dict[str, Any]], Printed]:
    """Return a row for each pass with changes and one for each sequence of passes without, in order, and the final module.
    ``before_changing_step`` receives each changing step and the module before it.
    """
    rows: list[dict[str, Any]] = []
    names, printed, text, looks = set(report.coroutines), first, None, 0
    frames: dict[str, int] | None = None
    for step in report.steps:
        row: dict[str, Any] = {
            "name": printable(step.name),
            "on": printable(step.target),
            "is_pycoro": step.is_pycoro,
        }
        row |= {"ms": round(step.seconds * 1000, 3), "changed": [], "frames": {}, "idle": 0, "left_out": 0}
        if step.before is not None and step.after is not None and step.before != step.after:
            before = printed if step.before == text or text is None else Printed(step.before)
            printed, text = Printed(step.after), step.after
            before_changing_step(step, before)
            row["changed"] = list(_changed_functions(before, printed, names))
            whole = {change["function"] for change in row["changed"]} & names
            if whole and step.name != "coro-split" and looks < _LOOKS:
                frames = _frame_sizes_of_unsplit_or_empty(step.before, names) if frames is None else frames
                later, looks = _frame_sizes_of_unsplit_or_empty(step.after, names), looks + 1
                known = {name: size for name, size in later.items() if name in frames}
                row["frames"] = {name: [frames[name], size] for name, size in known.items() if size != frames[name]}
                frames = {**frames, **later}
        if not row["changed"] and rows and not rows[-1]["changed"]:
            rows[-1]["idle"] += 1
            rows[-1]["ms"] = round(rows[-1]["ms"] + row["ms"], 3)
        else:
            rows.append(row)
    return rows, printed
