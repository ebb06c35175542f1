"""What a rule is: a function over what is known of one function, whose docstring says why."""

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
    """What a rule has found at an instruction."""

    at: Instruction
    message: str
    hint: str
    fix: Fix | None = None
    severity: Severity | None = None
    """Where it is not the rule's."""


Check: TypeAlias = Callable[["Body"], Iterable[Found]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A mistake that frontends make.

    >>> rule = pycoro.lint.RULES["shared-suspend"]
    >>> rule.severity, rule.title
    ('error', 'suspends leave by blocks of their own')
    """

    name: str
    """Its id, as ``"shared-suspend"``."""
    severity: Severity
    title: str
    """What is wrong, in a few words."""
    why: str
    """Why it is wrong, and how to mend it: a few sentences of Markdown."""
    check: Check
    coroutines: bool
    """Whether it is about coroutines alone, and not about who calls them."""

    def found(self, body: Body) -> Iterator[Found]:
        """What it finds in a function."""
        if body.coroutine or not self.coroutines:
            yield from self.check(body)


def rule(name: str, severity: Severity, title: str, *, coroutines: bool = True) -> Callable[[Check], Rule]:
    """Makes a rule of a function; `rules` lists them."""

    def made(check: Check) -> Rule:
        return Rule(name, severity, title, inspect.getdoc(check) or "", check, coroutines)

    return made
