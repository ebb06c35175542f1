"""What the linter finds, as plain data, and all that it has found in a module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from pycoro._escape import printable
from pycoro.errors import Error, StaleViewError
from pycoro.ir.place import Place
from pycoro.view import counted

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Finding", "Findings", "Fix", "Severity"]

Severity: TypeAlias = Literal["error", "warning", "note"]
"""How bad a finding is: see `Finding.severity`.

>>> [rule.name for rule in pycoro.lint.RULES.values() if rule.severity == "warning"]
['lost-block', 'unguarded-allocation']
"""
Fix: TypeAlias = Callable[[], bool]
"""Mends one finding in the module that it was found in; whether it has."""

CONTEXT = 3
"""Lines around a change that a patch shows."""


def whole(value: Any) -> Any:
    """A text that UTF-8 can hold: of bytes that were none what Python writes for them."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake. A text that does not apply is empty.

    >>> wrong = pycoro.examples.COUNTER.replace("(ptr %handle, i32 4,", "(ptr %handle, i32 64,")
    >>> [finding] = pycoro.Module(wrong).lint()
    >>> finding.rule, finding.severity, finding.function, finding.fixable
    ('promise-align', 'error', 'sum', True)
    >>> finding.message
    "llvm.coro.promise looks for a promise that is aligned to 64, and the coroutine's is aligned to 4"
    """

    rule: str
    """Stable short name: a row of `pycoro.lint.RULES`, or the name of the rule that the engine refuses the coroutine by."""
    severity: Severity
    """``"error"``: wrong whatever happens; ``"warning"``: wrong once a frame is elided, or its memory is as it need not be;
    ``"note"``: right, and costs something."""
    message: str
    """What is wrong, in one sentence."""
    hint: str = ""
    """How to mend it, in one sentence."""
    function: str = ""
    """The function, without the ``@``."""
    block: str = ""
    """The block, ``"%entry"``; ``"%7"`` where it has no name."""
    instruction: str = ""
    """The instruction as LLVM prints it."""
    place: Place | None = None
    """Where in the source it is from; ``None`` where there is no debug information of it."""
    fixable: bool = False
    """Whether `Findings.fix` mends it."""

    @property
    def where(self) -> str:
        """``"gen.u:7:3, in @f, block %b: instruction"``, as far as each is known."""
        parts = [
            printable(str(self.place)) if self.place else "",
            f"in @{printable(self.function)}" if self.function else "",
            f"block {printable(self.block)}" if self.block else "",
        ]
        place = ", ".join(part for part in parts if part)
        return ": ".join(text for text in (place, printable(self.instruction)) if text)

    def to_dict(self) -> dict[str, Any]:
        """As texts, numbers and truths, for JSON."""
        told: dict[str, Any] = {name: whole(value) for name, value in asdict(self).items()}
        place = self.place
        told["place"] = place and {**{name: whole(value) for name, value in place._asdict().items()}, "inlined_at": None}
        return told

    def __str__(self) -> str:
        lines = [f"{self.severity}[{self.rule}]: {printable(self.message)}"]
        if self.where:
            lines.append(f"  --> {self.where}")
        if self.hint:
            lines.append(f"  help: {printable(self.hint)}{' (--fix does it)' if self.fixable else ''}")
        return "\n".join(lines)


def _all(module: Module, fixes: Sequence[Fix]) -> int:
    """Mends all, or raises where what comes of it is no module."""
    count = sum(fix() for fix in fixes)
    module.verify()
    return count


class Findings(Sequence[Finding]):
    """What the linter has found in a module, in the order of its functions and their instructions.

    Plain data, but for :meth:`fix` and :meth:`patch`, which need the module as it was then: ``StaleViewError``.

    >>> module = pycoro.Module(pycoro.examples.COUNTER.replace("(ptr %handle, i32 4,", "(ptr %handle, i32 64,"))
    >>> findings = module.lint()
    >>> findings.counts, findings.fix(), module.lint().counts
    ({'promise-align': 1}, 1, {})
    """

    __slots__ = ("_again", "_fixes", "_generation", "_items", "_module")

    def __init__(self, module: Module, items: Sequence[tuple[Finding, Fix | None]], again: Callable[[Module], Findings]) -> None:
        self._module = module
        self._generation = module.generation
        self._items = tuple(finding for finding, _ in items)
        self._fixes = tuple(fix for _, fix in items if fix)
        self._again = again

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, index: int | slice) -> Finding | tuple[Finding, ...]:
        return self._items[index]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._items)

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each rule."""
        return dict(Counter(finding.rule for finding in self))

    def _check(self) -> None:
        if self._module.generation != self._generation:
            raise StaleViewError("the module has changed since it was linted; lint it again")

    def fix(self) -> int:
        """Mends in the module what can be mended without knowing what was meant; how many findings that were. The module is as it
        was, and views of it are good, where it is none. A rule whose mending would leave a module that is none is left out.
        ``StaleViewError`` where the module has changed since it was linted."""
        self._check()
        if not self._fixes:
            return 0
        before = self._module.copy()
        try:
            return _all(self._module, self._fixes)
        except Error:
            self._module.replace(before, trusted=True)
        rules = dict.fromkeys(finding.rule for finding in self if finding.fixable)
        return sum(self._fix_alone(rule) for rule in rules) if len(rules) > 1 else 0

    def _fix_alone(self, rule: str) -> int:
        """The findings of one rule, as they are now."""
        before = self._module.copy()
        again = self._again(self._module)
        fixes = [fix for fix, finding in zip(again._fixes, (f for f in again if f.fixable), strict=True) if finding.rule == rule]
        try:
            return _all(self._module, fixes)
        except Error:
            self._module.replace(before, trusted=True)
            return 0

    def patch(self) -> str:
        """What :meth:`fix` would change, as a unified diff of the module as LLVM prints it; empty where it would change nothing.
        The module is left as it is."""
        self._check()
        before = str(self._module)
        with self._module.copy() as fixed:
            if not self._again(fixed).fix():
                return ""
            after = str(fixed)
        names = self._module.name, f"{self._module.name} (fixed)"
        return "\n".join(unified_diff(before.splitlines(), after.splitlines(), *names, n=CONTEXT, lineterm="")) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """The module's name and its findings, for JSON."""
        return {"module": whole(self._module.name), "findings": [finding.to_dict() for finding in self]}

    def to_sarif(self) -> dict[str, Any]:
        """As SARIF 2.1.0, which code hosts and editors read."""
        from pycoro.lint.sarif import log_of

        return log_of(self._module.name, self._items)

    def __repr__(self) -> str:
        return f"<Findings: {', '.join(f'{rule}: {count}' for rule, count in self.counts.items()) or 'none'}>"

    def __str__(self) -> str:
        if not self:
            return f"{printable(self._module.name)}: nothing found"
        return "\n".join([*map(str, self), f"{printable(self._module.name)}: {counted(len(self), 'finding')}"])
