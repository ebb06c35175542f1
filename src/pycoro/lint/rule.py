"""Definition of a rule: a function over the facts of one function, whose docstring is the rationale."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pycoro.lint.finding import Fix, Severity

if TYPE_CHECKING:
    from pycoro.ir.instruction import Instruction
    from pycoro.lint.body import Body

__all__ = ["Found", "Rule", "rule"]


class Found(NamedTuple):
    """Match of a rule at an instruction."""

    at: Instruction
    message: str
    hint: str
    fix: Fix | None = None
    severity: Severity | None = None
    """Severity if not the rule's."""


Check: TypeAlias = Callable[["Body"], Iterable[Found]]


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule of the linter.

    >>> rule = pycoro.lint.RULES["shared-suspend"]
    >>> rule.severity, rule.title
    ('error', 'suspends have different default destinations')
    """

    name: str
    """Identifier, as ``"shared-suspend"``."""
    severity: Severity
    title: str
    """Problem in a few words."""
    why: str
    """Rationale and fix: a few sentences of Markdown."""
    check: Check
    coroutines: bool
    """True if it applies only to coroutines and not to their callers."""

    def matches_in(self, body: Body) -> Iterator[Found]:
        """Yield its matches in a function."""
        if body.is_coroutine or not self.coroutines:
            yield from self.check(body)


def rule(name: str, severity: Severity, title: str, *, coroutines: bool = True) -> Callable[[Check], Rule]:
    """Define a rule by decorating its check; `rules` lists them."""

    def make_rule(check: Check) -> Rule:
        return Rule(name, severity, title, inspect.getdoc(check) or "", check, coroutines)

    return make_rule
