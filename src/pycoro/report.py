"""Record of a run: passes with times, frames, remarks, elisions, and optionally the IR around each pass."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING, Any

from pycoro import _core
from pycoro._escape import printable
from pycoro._remarks_yaml import remarks_yaml
from pycoro._typecheck import short_repr
from pycoro.coroutine import Coroutine, CoroutineMapping
from pycoro.drawing.model import display_name
from pycoro.drawing.text import PASS_WIDTH, shorten
from pycoro.errors import Diagnostic, UsageError
from pycoro.view import Life, format_count

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Elision", "Remark", "Report", "Step"]

LOWERING_CHECK = "lowering-check"
"""Rule of the diagnostics of the checker of lowerings."""

DRAWN = 8
"""Maximum number of coroutines that a notebook draws for a report; fewer if their pictures exceed a cell."""


@dataclass(frozen=True, slots=True)
class Step:
    r"""One pass, run on one target.

    >>> step = pycoro.Module(pycoro.examples.COUNTER).run("coro-early", snapshots=True).steps[0]
    >>> step.name, step.target, step.is_pycoro, step.changed
    ('coro-early', '[module]', True, True)
    >>> print("\n".join(step.diff(context=0).splitlines()[:5]))
    --- before coro-early
    +++ after coro-early on [module]
    @@ -12 +12 @@
    -  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
    +  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr @counter, ptr null)
    """

    name: str
    """``"coro-split"``, LLVM's pass string, or a Python pass as the pass string spells it."""
    target: str
    """``"[module]"``, ``"[4 functions]"`` where LLVM's passes ran on these alone, or the name of a function."""
    seconds: float
    """Time in seconds."""
    is_pycoro: bool
    """True if it is one of pycoro's passes rather than LLVM's or a Python pass."""
    changed: bool | None
    """True if the pass changed the module. None if unknown: LLVM does not report it for its passes and those that a Python pass
    runs. With ``snapshots=True`` it is always known."""
    before: str | None = None
    """Textual IR of the module before the pass, with ``snapshots=True``."""
    after: str | None = None
    """Textual IR of the module after the pass, with ``snapshots=True``."""

    def diff(self, context: int = 3) -> str:
        """Return the change as a unified diff with ``context`` lines; empty without a change. Raises ``UsageError`` without
        snapshots."""
        if self.before is None or self.after is None:
            raise UsageError("this step has no snapshots to compare; run with snapshots=True")
        if self.before == self.after:
            return ""
        names = f"before {self.name}", f"after {self.name} on {self.target}"
        return "\n".join(unified_diff(self.before.splitlines(), self.after.splitlines(), *names, n=context, lineterm="")) + "\n"


CHANGED = {"no": False, "yes": True, "maybe": None}
"""Values of `Step.changed` by the engine's names."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Transformation that a pass did or missed.

    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> print(report.remarks[0].pass_name, report.remarks[0].message)
    coro-split Split 'counter' (frame_size=32, align=8)
    """

    pass_name: str
    """Name of the pass, ``"coro-split"``."""
    name: str
    """LLVM's name of the remark: ``"CoroSplit"``, ``"CoroElide"``."""
    function: str
    """Function without the ``@``."""
    message: str
    """One sentence, with the reason for a missed transformation."""
    passed: bool
    """True if the transformation was done (LLVM: Passed) rather than missed."""
    file: str = ""
    """Source file by debug information; empty if unknown."""
    line: int = 0
    """Line from 1; 0 if unknown."""
    column: int = 0
    """Column from 1; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class Elision:
    """Elision decision for one coroutine creation site: whether the frame is a stack slot of the caller, and the reason.

    >>> for elision in pycoro.lower(pycoro.examples.COUNTER, "default<O2>").elisions:
    ...     print(elision.caller, elision.callee, elision.elided, elision.bytes, elision.reason)
    sum counter True 32 every path from its creation destroys it
    """

    caller: str
    """Function that creates the coroutine, without the ``@``."""
    callee: str
    """Coroutine that is created."""
    pass_name: str
    """``"coro-elide"`` or ``"coro-annotation-elide"``."""
    elided: bool
    """True if the heap allocation of the frame is elided."""
    bytes: int
    """Size of the frame; 0 if unknown."""
    align: int
    """Alignment of the frame in bytes."""
    reason: str
    """Proof, or the obstacle: ``"%h is stored to @global in %then"``."""
    location: str
    """Printable location where the proof ended: ``"a.cpp:3:5"`` if debug information has it, otherwise the block, ``"%then"``. It
    may be in an inlined function. For an elided frame, the creation site."""
    creation: str
    """Printable location of the creating call in the caller: ``"a.cpp:9:3"``; empty without debug information."""
    block: str
    """Block of that location, ``"%then"``."""
    instruction: str
    """Instruction at which the proof ended, as LLVM prints it. Empty after the first 256 decisions of a run, to save time; unnamed
    blocks are then empty too."""
    file: str
    """Source file by debug information; empty if unknown."""
    line: int
    """Line from 1; 0 if unknown."""
    column: int
    """Column from 1; 0 if unknown."""

    def __str__(self) -> str:
        outcome = "elided" if self.elided else "not elided"
        return printable(f"{self.location}: '{self.callee}' {outcome} in '{self.caller}': {self.reason}")


class _StoredReport:
    """Data of a report that was pickled or copied, in place of the engine's."""

    def __init__(self, is_stale: bool, stages: dict[str, float], *lists: tuple[dict[str, Any], ...]) -> None:
        self.is_stale = is_stale
        self._stages = stages
        self._lists = lists

    def stages(self) -> dict[str, float]:
        return self._stages

    def coroutines(self) -> tuple[dict[str, Any], ...]:
        return self._lists[0]

    def steps(self) -> tuple[dict[str, Any], ...]:
        return self._lists[1]

    def remarks(self) -> tuple[dict[str, Any], ...]:
        return self._lists[2]

    def elisions(self) -> tuple[dict[str, Any], ...]:
        return self._lists[3]


def _make_step(data: dict[str, Any]) -> Step:
    fields: dict[str, Any] = {**data, "changed": CHANGED[data["changed"]]}
    return Step(**fields)


def _make_elision(data: dict[str, Any]) -> Elision:
    rest = {name: value for name, value in data.items() if not name.startswith("creation_")}
    return Elision(
        location=_location_text_or_empty(data) or data["block"], creation=_location_text_or_empty(data, "creation_"), **rest
    )


def _location_text_or_empty(data: dict[str, Any], prefix: str = "") -> str:
    file, line, column = (data[prefix + key] for key in ("file", "line", "column"))
    return f"{file}:{line}" + (f":{column}" if column else "") if line else ""


class Report:
    """Record of a run. It is immutable, never stale, and any thread may read it.

    It keeps its module alive and is pickled with it.

    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> [step.name for step in report.steps]
    ['coro-early', 'coro-split', 'coro-cleanup']
    >>> report.coroutines["counter"].frame.size
    32
    """

    __slots__ = ("__weakref__", "_checked", "_core", "_coroutines", "_life", "_steps", "module", "warnings")

    module: Module
    """Module of the run, in its current state."""
    warnings: tuple[Diagnostic, ...]
    """Warnings of the run."""

    def __init__(
        self, module: Module, core: _core.Report | _StoredReport, warnings: tuple[Diagnostic, ...] = (), checked: bool = False
    ) -> None:
        if not hasattr(core, "coroutines") or not hasattr(module, "generation"):
            raise TypeError(f"a report needs a module and its run, not {short_repr(module)}; Module.run returns reports")
        self._checked = checked
        self._core = core
        self._coroutines: CoroutineMapping | None = None
        self._steps: tuple[Step, ...] | None = None
        self._life = Life(module._core)
        self.module = module
        self.warnings = warnings

    @property
    def coroutines(self) -> CoroutineMapping:
        """Coroutines that were split, by name, with their shape, suspend points, frame and clones before splitting."""
        if self._coroutines is None:
            found = {data["function"]: Coroutine(Life(), data) for data in self._core.coroutines()}
            self._coroutines = CoroutineMapping(Life(), found, "coroutine")
        return self._coroutines

    @property
    def proof(self) -> dict[str, str]:
        """Verdict of the checker by coroutine, if the run had ``check=True``: ``"proved"``, or the construct that it does not
        support. A refuted lowering raises ``InternalError``.

        >>> pycoro.lower(pycoro.examples.COUNTER, check=True).proof
        {'counter': 'proved'}
        """
        if not self._checked:
            return {}
        unsupported = {w.function: w.message for w in self.warnings if w.rule == LOWERING_CHECK}
        return {name: unsupported.get(name, "proved") for name in self.coroutines}

    @property
    def steps(self) -> tuple[Step, ...]:
        """Passes in the order they ran, each pass of a ``function(...)`` or ``module(...)`` separately. pycoro's and Python passes
        have one step for each function that they changed, or one for the module if they changed none."""
        if self._steps is None:
            self._steps = tuple(_make_step(data) for data in self._core.steps())
        return self._steps

    @property
    def _is_stale(self) -> bool:
        """True if the module was closed or has changed since the run."""
        return self._life.is_stale or (isinstance(self._core, _StoredReport) and self._core.is_stale)

    @property
    def _only_pycoro_changed_since_split(self) -> bool:
        """True if only pycoro's passes have changed the module since its coroutines were split."""
        steps = self.steps
        split = next((at for at, step in enumerate(steps) if step.name == "coro-split"), len(steps))
        as_left = all(step.is_pycoro or step.changed is False for step in steps[split:])
        return isinstance(self._core, _core.Report) and not self._is_stale and as_left

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Remarks of the passes: transformations done and missed, with the reasons."""
        return tuple(Remark(**data) for data in self._core.remarks())

    def remarks_yaml(self, passes: str = "") -> str:
        """Return the remarks of passes whose name matches the regular expression ``passes``, as the YAML of LLVM's
        ``-pass-remarks-output``."""
        return remarks_yaml(remark for remark in self.remarks if re.search(passes, remark.pass_name))

    @property
    def elisions(self) -> tuple[Elision, ...]:
        """Elision decisions for coroutine creation sites: successful ones in the order of the run, and the final failure for each
        other site."""
        return tuple(map(_make_elision, self._core.elisions()))

    @property
    def stages(self) -> dict[str, float]:
        """Seconds that each stage of ``coro-split`` took for all coroutines, in the order of the stages."""
        return self._core.stages()

    @property
    def seconds(self) -> float:
        """Total time of all passes in seconds."""
        return sum(step.seconds for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as dicts, lists, texts and numbers, for JSON. Sizes and offsets are in bytes."""
        return {
            "coroutines": [coroutine.to_dict() for coroutine in self.coroutines.values()],
            "steps": [asdict(step) for step in self.steps],
            "stages": self.stages,
            "remarks": [asdict(remark) for remark in self.remarks],
            "elisions": [asdict(elision) for elision in self.elisions],
            "warnings": [warning.to_dict() for warning in self.warnings],
        }

    def __reduce__(self) -> tuple[Any, ...]:
        core = self._core
        stored = _StoredReport(self._is_stale, core.stages(), core.coroutines(), core.steps(), core.remarks(), core.elisions())
        return Report, (self.module, stored, self.warnings, self._checked)

    def __repr__(self) -> str:
        passes, coroutines = format_count(len(self.steps), "step"), format_count(len(self.coroutines), "coroutine")
        return f"<Report: {passes} in {self.seconds * 1000:.2f} ms, {coroutines}>"

    def __str__(self) -> str:
        lines = [
            f"{step.seconds * 1000:9.3f} ms  {shorten(step.name, PASS_WIDTH)} on {printable(step.target)}" for step in self.steps
        ]
        for coroutine in self.coroutines.values():
            suspends, size = format_count(len(coroutine.suspends), "suspend"), format_count(coroutine.frame.size, "byte")
            by = f", by {printable(coroutine.custom_abi)}" if coroutine.custom_abi else ""
            lines.append(f"{display_name(coroutine.name)}: {suspends}, frame of {size}{by}")
        for remark in self.remarks:
            lines.append(f"{display_name(remark.function)}: {remark.pass_name}: {printable(remark.message)}")
        lines += map(str, self.warnings)
        return "\n".join(lines) or "no pass has run"

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        def html(report: Report) -> str:
            drawn: list[str] = []
            for coroutine in islice(report.coroutines.values(), DRAWN):
                if sum(map(len, drawn)) > views.CELL:
                    break
                drawn.append(views.coroutine_html(coroutine))
            more = len(report.coroutines) - len(drawn)
            draw = "report.coroutines[name] draws one"
            note = f"<p>… {format_count(more, 'more coroutine')} not drawn; {draw}</p>" if more > 0 else ""
            return tables.report_html(report) + "".join(drawn) + note

        return views.bundle({"text/plain": str, "text/html": html}, self, include, exclude)
