"""What a run did: its steps with their times, frames, remarks, and the IR around each step where that was asked for."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING, Any

from pycoro import _core
from pycoro._printable import printable
from pycoro._remarks import remarks_yaml
from pycoro.coroutine import Coroutine
from pycoro.errors import Diagnostic, UsageError
from pycoro.view import ByName, Life, counted

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Elision", "Remark", "Report", "Step"]

DRAWN = 8
"""How many coroutines of a report a notebook draws; the others are in ``report.coroutines``."""


@dataclass(frozen=True, slots=True)
class Step:
    r"""One pass, run on one target.

    >>> step = pycoro.Module(pycoro.examples.COUNTER).run("coro-early", snapshots=True).steps[0]
    >>> step.name, step.target, step.ours, step.changed
    ('coro-early', '[module]', True, True)
    >>> print("\n".join(step.diff(context=0).splitlines()[:5]))
    --- before coro-early
    +++ after coro-early on [module]
    @@ -12 +12 @@
    -  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
    +  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr @counter, ptr null)
    """

    name: str
    """``"coro-split"``, or LLVM's own pass string; of your own passes as the pass string spells them."""
    target: str
    """``"[module]"``, ``"[4 functions]"`` where LLVM's passes ran on these alone, or the name of a function."""
    seconds: float
    """How long it took."""
    ours: bool
    """False where LLVM ran it, or it is a pass of your own."""
    changed: bool | None
    """Whether the module is another than before. None where nobody knows: LLVM does not tell of its passes, nor of those that
    a pass of your own has run; with ``snapshots=True`` it is known of all."""
    before: str | None = None
    """The whole module before the step as textual IR, where ``snapshots=True`` asked for it."""
    after: str | None = None
    """Likewise behind it."""

    def diff(self, context: int = 3) -> str:
        """What the step has changed, as a unified diff with so many lines around each change; empty where nothing has changed.
        ``UsageError`` where there are no snapshots."""
        if self.before is None or self.after is None:
            raise UsageError("there is nothing to compare: run with snapshots=True")
        if self.before == self.after:
            return ""
        names = f"before {self.name}", f"after {self.name} on {self.target}"
        return "\n".join(unified_diff(self.before.splitlines(), self.after.splitlines(), *names, n=context, lineterm="")) + "\n"


CHANGED = {"no": False, "yes": True, "maybe": None}
"""As the engine says it."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something a pass did, or refused to do.

    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> print(report.remarks[0].pass_name, report.remarks[0].message)
    coro-split Split 'counter' (frame_size=32, align=8)
    """

    pass_name: str
    """``"coro-split"``."""
    name: str
    """LLVM's name of the remark: ``"CoroSplit"``, ``"CoroElide"``."""
    function: str
    """The function it is about, without the ``@``."""
    message: str
    """One sentence, with the reason where something was refused."""
    done: bool
    """True where something was done, False where it was refused."""
    file: str = ""
    """Where in the source, by debug information; empty where that is not known."""
    line: int = 0
    """From 1; 0 where it is not known."""
    column: int = 0
    """Likewise."""


@dataclass(frozen=True, slots=True)
class Elision:
    """A start of a coroutine: whether its frame is the memory of who starts it, and why, or why not.

    >>> for elision in pycoro.lower(pycoro.examples.COUNTER, "default<O2>").elisions:
    ...     print(elision.caller, elision.callee, elision.done, elision.bytes, elision.reason)
    sum counter True 32 every way on from its start destroys it
    """

    caller: str
    """The function that starts the coroutine, without the ``@``."""
    callee: str
    """The coroutine."""
    pass_name: str
    """``"coro-elide"`` or ``"coro-annotation-elide"``."""
    done: bool
    """True where the frame is never allocated."""
    bytes: int
    """The size of the frame; 0 where it is not known."""
    align: int
    """What its address is a multiple of, in bytes."""
    reason: str
    """The proof, or what stands in its way: ``"%h is stored to @global in %then"``."""
    place: str
    """Where the proof ended, for people: ``"a.cpp:3:5"`` where debug information tells, else the block, ``"%then"``. Where the
    frame is elided: where the coroutine is started."""
    block: str
    """``"%then"``."""
    instruction: str
    """The instruction at which the proof ended, as LLVM prints it. Empty behind the first 256 decisions of a run, where it would
    cost too much; so is ``block`` then, where it has no name."""
    file: str
    """The file of the source, by debug information; empty where that is not known."""
    line: int
    """From 1; 0 where it is not known."""
    column: int
    """Likewise."""

    def __str__(self) -> str:
        made = "elided" if self.done else "not elided"
        return printable(f"{self.place}: '{self.callee}' {made} in '{self.caller}': {self.reason}")


class _Facts:
    """What the engine has told of a run, of a report that was pickled or copied."""

    def __init__(self, stages: dict[str, float], *told: tuple[dict[str, Any], ...]) -> None:
        self._stages = stages
        self._told = told

    def stages(self) -> dict[str, float]:
        return self._stages

    def coroutines(self) -> tuple[dict[str, Any], ...]:
        return self._told[0]

    def steps(self) -> tuple[dict[str, Any], ...]:
        return self._told[1]

    def remarks(self) -> tuple[dict[str, Any], ...]:
        return self._told[2]

    def elisions(self) -> tuple[dict[str, Any], ...]:
        return self._told[3]


def _step(data: dict[str, Any]) -> Step:
    fields: dict[str, Any] = {**data, "changed": CHANGED[data["changed"]]}
    return Step(**fields)


def _elision(data: dict[str, Any]) -> Elision:
    column = f":{data['column']}" if data["column"] else ""
    place = f"{data['file']}:{data['line']}{column}" if data["line"] else data["block"]
    return Elision(place=place, **data)


class Report:
    """What a run did. A record: it does not change, never goes stale, and any thread may read it.

    It keeps its module alive, and its memory is freed with it. It pickles, with its module.

    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> [step.name for step in report.steps]
    ['coro-early', 'coro-split', 'coro-cleanup']
    >>> report.coroutines["counter"].frame.size
    32
    """

    __slots__ = ("__weakref__", "_core", "_coroutines", "_life", "_steps", "module", "warnings")

    module: Module
    """The module that was run on, as it is now."""
    warnings: tuple[Diagnostic, ...]
    """What the run found fault with, and went on."""

    def __init__(self, module: Module, core: _core.Report | _Facts, warnings: tuple[Diagnostic, ...] = ()) -> None:
        self._core = core
        self._coroutines: ByName[Coroutine] | None = None
        self._steps: tuple[Step, ...] | None = None
        self._life = Life(module._core)
        self.module = module
        self.warnings = warnings

    @property
    def coroutines(self) -> ByName[Coroutine]:
        """The coroutines that were split, by name, as they were before: shape, suspend points, frame, clones."""
        if self._coroutines is None:
            found = {data["function"]: Coroutine(Life(), data) for data in self._core.coroutines()}
            self._coroutines = ByName(Life(), found, "coroutine")
        return self._coroutines

    @property
    def steps(self) -> tuple[Step, ...]:
        """The passes in the order they ran, each pass of a ``function(...)`` or ``module(...)`` by itself. Of pycoro's passes, and
        of your own, there is one for each function that they have changed; one for the module where they have changed none."""
        if self._steps is None:
            self._steps = tuple(_step(data) for data in self._core.steps())
        return self._steps

    @property
    def _as_lowered(self) -> bool:
        """Whether nothing but pycoro's own passes has touched the module since its coroutines were split."""
        steps = self.steps
        split = next((at for at, step in enumerate(steps) if step.name == "coro-split"), len(steps))
        as_left = all(step.ours or step.changed is False for step in steps[split:])
        return isinstance(self._core, _core.Report) and not self._life.stale and as_left

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What the passes did and refused to do, with the reasons."""
        return tuple(Remark(**data) for data in self._core.remarks())

    def remarks_yaml(self, passes: str = "") -> str:
        """The remarks of the passes in whose names the regular expression ``passes`` is found, as the YAML that LLVM's own
        ``-pass-remarks-output`` writes and its opt-viewer reads."""
        return remarks_yaml(remark for remark in self.remarks if re.search(passes, remark.pass_name))

    @property
    def elisions(self) -> tuple[Elision, ...]:
        """Each start of a coroutine that elision has looked at: what was elided, in the order of the run, and what was refused when
        its caller was looked at for the last time."""
        return tuple(map(_elision, self._core.elisions()))

    @property
    def stages(self) -> dict[str, float]:
        """The seconds that each stage of ``coro-split`` took, of all coroutines together, in the order of the road."""
        return self._core.stages()

    @property
    def seconds(self) -> float:
        """How long all passes took together."""
        return sum(step.seconds for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """The report as dicts, lists, texts and numbers, for JSON. Sizes and offsets are in bytes."""
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
        facts = _Facts(core.stages(), core.coroutines(), core.steps(), core.remarks(), core.elisions())
        return Report, (self.module, facts, self.warnings)

    def __repr__(self) -> str:
        passes, coroutines = counted(len(self.steps), "step"), counted(len(self.coroutines), "coroutine")
        return f"<Report: {passes} in {self.seconds * 1000:.2f} ms, {coroutines}>"

    def __str__(self) -> str:
        lines = [f"{step.seconds * 1000:9.3f} ms  {step.name} on {printable(step.target)}" for step in self.steps]
        for coroutine in self.coroutines.values():
            suspends, size = counted(len(coroutine.suspends), "suspend"), counted(coroutine.frame.size, "byte")
            by = f", by {printable(coroutine.custom_abi)}" if coroutine.custom_abi else ""
            lines.append(f"@{printable(coroutine.name)}: {suspends}, frame of {size}{by}")
        for remark in self.remarks:
            lines.append(f"@{printable(remark.function)}: {remark.pass_name}: {printable(remark.message)}")
        lines += map(str, self.warnings)
        return "\n".join(lines) or "no pass has run"

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        def html(report: Report) -> str:
            drawn = islice(report.coroutines.values(), DRAWN)
            return tables.report_html(report) + "".join(map(views.coroutine_html, drawn))

        return views.bundle({"text/plain": str, "text/html": html}, self, include, exclude)
