"""Linting: the rules over the functions of a module that have to do with coroutines, and what the engine would refuse."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from pycoro._suggest import unknown_name
from pycoro._typecheck import check, check_list
from pycoro.coroutine import Code
from pycoro.errors import Diagnostic, UsageError
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.lint.body import Body
from pycoro.lint.finding import Finding, Findings, Fix
from pycoro.lint.mend import mark_presplit
from pycoro.lint.program import Program
from pycoro.lint.rule import Found, Rule
from pycoro.lint.rules import REFUSED, RULES
from pycoro.pipeline import CoroSplit

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["IGNORE", "lint"]

IGNORE = "pycoro.ignore"
"""Metadata of this kind, at an instruction or a function, keeps all findings there untold; ``pycoro.ignore.RULE`` those of a
rule.

>>> wrong = pycoro.examples.COUNTER.replace("(ptr %handle, i32 4, i1 false)", "(ptr %handle, i32 64, i1 false)")
>>> pycoro.Module(wrong).lint()
<Findings: promise-align: 1>
>>> ignored = wrong.replace("i32 64, i1 false)", f"i32 64, i1 false), !{pycoro.lint.IGNORE} !0") + "!0 = !{}"
>>> pycoro.Module(ignored).lint()
<Findings: none>
"""


def chosen(select: Collection[str] | None, ignore: Collection[str]) -> set[str]:
    """The rules that are asked for. ``UsageError`` for a name that is none."""
    names = [*RULES, REFUSED]
    asked = check_list("select is a list of rules", names if select is None else select)
    left = check_list("ignore is a list of rules", ignore)
    for name in [*asked, *left]:
        check("a rule is named by a str", name, str)
        if name not in names:
            raise UsageError(unknown_name("rule", name, names))
    return set(asked) - set(left)


def _ignored(value: Instruction | Function, name: str) -> bool:
    return any(kind in (IGNORE, f"{IGNORE}.{name}") for kind in value.metadata)


Placed: TypeAlias = tuple[tuple[int, int, int], Finding, Fix | None]
"""A finding with where it stands: function, block, place in it; and what mends it."""


def _finding(body: Body, rule: Rule, found: Found) -> Placed | None:
    """``None`` where nobody wants to know."""
    if _ignored(body.function, rule.name) or _ignored(found.at, rule.name):
        return None
    block, at = body.place[found.at]
    finding = Finding(
        rule.name,
        found.severity or rule.severity,
        found.message,
        found.hint,
        body.function.name,
        body.printed[block][0],
        body.text_of(found.at),
        found.at.debug,
        found.fix is not None,
    )
    return (body.program.order[body.function], block, at), finding, found.fix


def _at(program: Program, refusal: Diagnostic) -> tuple[tuple[int, int, int], Instruction | Function | None]:
    """The instruction that a refusal names, and where it stands."""
    function = program.functions.get(refusal.function)
    if function is None or function.declaration:
        return (len(program.order), -1, -1), function
    order, body = program.order[function], program.body(function)
    number = next((n for n, (name, _) in enumerate(body.printed) if name == refusal.block), -1)
    wanted = Code(lambda: f"define\n  {refusal.instruction.strip()}", "").in_order()[0][1]
    for at, text in enumerate(body.printed[number][1] if number >= 0 else ()):
        if wanted == (text,):
            return (order, number, at), body.code[number][at]
    return (order, number, -1), function


def _refusals(program: Program) -> Iterator[Placed]:
    """What the engine refuses, as findings."""
    for refusal in program.refusals:
        order, at = _at(program, refusal)
        function = program.functions.get(refusal.function)
        if any(value is not None and _ignored(value, refusal.rule) for value in (at, function)):
            continue
        unmarked = function if refusal.rule == "presplitcoroutine" else None
        fix: Fix | None = partial(mark_presplit, unmarked) if unmarked else None
        finding = Finding(
            refusal.rule,
            "error",
            refusal.message,
            refusal.hint,
            refusal.function,
            refusal.block,
            refusal.instruction.strip(),
            at.debug if at is not None else None,
            fix is not None,
        )
        yield order, finding, fix


def lint(
    module: Module,
    *,
    select: Collection[str] | None = None,
    ignore: Collection[str] = (),
    notes: bool = False,
    split: CoroSplit = CoroSplit(),  # noqa: B008 (it never changes)
) -> Findings:
    """What `pycoro.Module.lint` gives.

    >>> module = pycoro.Module(pycoro.examples.COUNTER.replace("(ptr %handle, i32 4,", "(ptr %handle, i32 64,"))
    >>> pycoro.lint.lint(module)
    <Findings: promise-align: 1>
    >>> pycoro.lint.lint(module, ignore=["promise-align"])
    <Findings: none>
    """
    wanted = chosen(select, ignore)
    program = Program(module, split)
    found: list[Placed] = []
    for function in program.looked_at:
        body = program.body(function)
        for rule in (rule for name, rule in RULES.items() if name in wanted):
            told = (what for what in rule.found(body) if notes or (what.severity or rule.severity) != "note")
            found += filter(None, (_finding(body, rule, what) for what in told))
    if REFUSED in wanted:
        found += _refusals(program)
    found.sort(key=lambda item: item[0])

    def again(other: Module) -> Findings:
        return lint(other, select=select, ignore=ignore, notes=notes, split=split)

    return Findings(module, [(finding, fix) for _, finding, fix in found], again)
