"""Findings of the linter as plain data, with their fixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from pycoro._escape import escape_unencodable_if_text, printable
from pycoro._typecheck import check_callable, check_items, short_repr
from pycoro.errors import Error, StaleViewError
from pycoro.ir.source_location import SourceLocation
from pycoro.lint.sarif import sarif_log_of
from pycoro.view import format_count

if TYPE_CHECKING:
    from pycoro.lint.rule import Rule
    from pycoro.module import Module

__all__ = ["Finding", "Findings", "Fix", "Severity"]

Severity: TypeAlias = Literal["error", "warning", "note"]
"""Severity of a finding: see `Finding.severity`.

>>> [rule.name for rule in pycoro.lint.RULES.values() if rule.severity == "warning"]
['lost-block', 'resume-unreachable', 'unguarded-allocation', 'unused-free', 'destroy-leaks']
"""
Fix: TypeAlias = Callable[[], bool]
"""Applies a fix to the linted module; returns whether it did."""

CONTEXT = 3
"""Context lines of a patch."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. Fields that do not apply are empty.

    >>> wrong = pycoro.examples.COUNTER.replace("(ptr %handle, i32 4,", "(ptr %handle, i32 64,")
    >>> [finding] = pycoro.Module(wrong).lint()
    >>> finding.rule, finding.severity, finding.function, finding.fixable
    ('promise-align', 'error', 'sum', True)
    >>> finding.message
    "llvm.coro.promise assumes an alignment of 64, but the coroutine's promise is aligned to 4"
    """

    rule: str
    """Stable short name: a key of `pycoro.lint.RULES`, or the rule of an engine rejection."""
    severity: Severity
    """``"error"``: always wrong; ``"warning"``: wrong if a frame is elided, or wastes memory; ``"note"``: correct but costly."""
    message: str
    """The problem in one sentence."""
    hint: str = ""
    """The fix in one sentence."""
    function: str = ""
    """Function without the ``@``."""
    block: str = ""
    """Block, ``"%entry"``; ``"%7"`` if unnamed."""
    instruction: str = ""
    """Instruction as LLVM prints it."""
    location: SourceLocation | None = None
    """Source location; ``None`` without debug information."""
    fixable: bool = False
    """True if `Findings.fix` can fix it."""

    @property
    def where(self) -> str:
        """Location as ``"gen.u:7:3, in @f, block %b: instruction"``, as far as known."""
        parts = [
            printable(str(self.location)) if self.location else "",
            f"in @{printable(self.function)}" if self.function else "",
            f"block {printable(self.block)}" if self.block else "",
        ]
        place = ", ".join(part for part in parts if part)
        return ": ".join(text for text in (place, printable(self.instruction)) if text)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as texts, numbers and booleans, for JSON."""
        data: dict[str, Any] = {name: escape_unencodable_if_text(value) for name, value in asdict(self).items()}
        place = self.location
        data["location"] = place and {
            **{name: escape_unencodable_if_text(value) for name, value in place._asdict().items()},
            "inlined_at": None,
        }
        return data

    def __str__(self) -> str:
        lines = [f"{self.severity}[{self.rule}]: {printable(self.message)}"]
        if self.where:
            lines.append(f"  --> {self.where}")
        if self.hint:
            lines.append(f"  help: {printable(self.hint)}{' (fixed by --fix)' if self.fixable else ''}")
        return "\n".join(lines)


def _apply_all_and_raise_unless_valid(module: Module, fixes: Sequence[Fix]) -> int:
    """Apply all fixes, or raise if the module does not verify afterwards."""
    count = sum(fix() for fix in fixes)
    module.verify()
    return count


class Findings(Sequence[Finding]):
    """Findings in a module, in the order of its functions and their instructions.

    Plain data, except :meth:`fix` and :meth:`patch`, which raise ``StaleViewError`` if the module has changed.

    >>> module = pycoro.Module(pycoro.examples.COUNTER.replace("(ptr %handle, i32 4,", "(ptr %handle, i32 64,"))
    >>> findings = module.lint()
    >>> findings.counts, findings.fix(), module.lint().counts
    ({'promise-align': 1}, 1, {})
    """

    __slots__ = ("_fixes", "_generation", "_items", "_lint_again", "_module", "_rules")

    def __init__(
        self,
        module: Module,
        items: Sequence[tuple[Finding, Fix | None]],
        relint: Callable[[Module], Findings],
        rules: Mapping[str, Rule],
    ) -> None:
        if not hasattr(module, "generation"):
            raise TypeError(f"findings need the module that was linted, not {short_repr(module)}; Module.lint returns findings")
        check_items("items must be pairs of a Finding and its fix", items, tuple)
        check_callable("relint must be a function that lints a module", relint)
        self._module = module
        self._generation = module.generation
        self._items = tuple(finding for finding, _ in items)
        self._fixes = tuple(fix for _, fix in items if fix)
        self._lint_again = relint
        self._rules = rules

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
        """Number of findings of each rule."""
        return dict(Counter(finding.rule for finding in self))

    def _check_is_current(self) -> None:
        if self._module.generation != self._generation:
            raise StaleViewError("the module has changed since it was linted; call lint() again")

    def fix(self) -> int:
        """Apply the fixes that need no decision; return the number of fixed findings. Views of the module stay valid if it is 0. A
        rule whose fixes would make the module invalid is skipped. Raises ``StaleViewError`` if the module has changed since it
        was linted."""
        self._check_is_current()
        if not self._fixes:
            return 0
        before = self._module.copy()
        try:
            return _apply_all_and_raise_unless_valid(self._module, self._fixes)
        except Error:
            self._module.replace(before, trusted=True)
        rules = dict.fromkeys(finding.rule for finding in self if finding.fixable)
        return sum(self._fix_one_rule(rule) for rule in rules) if len(rules) > 1 else 0

    def _fix_one_rule(self, rule: str) -> int:
        """Apply the current fixes of one rule."""
        before = self._module.copy()
        again = self._lint_again(self._module)
        fixes = [fix for fix, finding in zip(again._fixes, (f for f in again if f.fixable), strict=True) if finding.rule == rule]
        try:
            return _apply_all_and_raise_unless_valid(self._module, fixes)
        except Error:
            self._module.replace(before, trusted=True)
            return 0

    def patch(self) -> str:
        """Return the changes of :meth:`fix` as a unified diff of the printed module; empty without changes. The module is not
        modified."""
        self._check_is_current()
        before = str(self._module)
        with self._module.copy() as fixed:
            if not self._lint_again(fixed).fix():
                return ""
            after = str(fixed)
        names = self._module.name, f"{self._module.name} (fixed)"
        return "\n".join(unified_diff(before.splitlines(), after.splitlines(), *names, n=CONTEXT, lineterm="")) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the module's name and its findings, for JSON."""
        return {"module": escape_unencodable_if_text(self._module.name), "findings": [finding.to_dict() for finding in self]}

    def to_sarif(self) -> dict[str, Any]:
        """Return the findings as SARIF 2.1.0, for code hosts and editors."""
        return sarif_log_of(self._module.name, self._items, self._rules)

    def __repr__(self) -> str:
        return f"<Findings: {', '.join(f'{rule}: {count}' for rule, count in self.counts.items()) or 'none'}>"

    def __str__(self) -> str:
        if not self:
            return f"{printable(self._module.name)}: no findings"
        return "\n".join([*map(str, self), f"{printable(self._module.name)}: {format_count(len(self), 'finding')}"])
