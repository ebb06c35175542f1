"""Run the rules over a module's coroutine-related functions, and collect rejections by the engine."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from pycoro._module_class import module_class
from pycoro._suggest import unknown_name_message
from pycoro._typecheck import check, check_list, takes
from pycoro.coroutine import Code
from pycoro.errors import Diagnostic, UsageError
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.lint.body import Body
from pycoro.lint.finding import Finding, Findings, Fix
from pycoro.lint.fixes import mark_presplit
from pycoro.lint.program import Program
from pycoro.lint.rule import Found, Rule
from pycoro.lint.rules import REJECTED, RULES
from pycoro.pipeline import CoroSplit

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["IGNORE", "lint"]

IGNORE = "pycoro.ignore"
"""Kind of metadata that suppresses findings at an instruction or in a function; ``pycoro.ignore.RULE`` suppresses those of one
rule.

>>> wrong = pycoro.examples.COUNTER.replace("(ptr %handle, i32 4, i1 false)", "(ptr %handle, i32 64, i1 false)")
>>> pycoro.Module(wrong).lint()
<Findings: promise-align: 1>
>>> ignored = wrong.replace("i32 64, i1 false)", f"i32 64, i1 false), !{pycoro.lint.IGNORE} !0") + "!0 = !{}"
>>> pycoro.Module(ignored).lint()
<Findings: none>
"""


def selected_rules(select: Collection[str] | None, ignore: Collection[str]) -> set[str]:
    """Return the selected rules. Raises ``UsageError`` for an unknown name."""
    names = [*RULES, REJECTED]
    chosen = check_list("select must be a list of rules", names if select is None else select)
    ignored = check_list("ignore must be a list of rules", ignore)
    for name in [*chosen, *ignored]:
        check("the name of a rule must be a str", name, str)
        if name not in names:
            raise UsageError(unknown_name_message("rule", name, names))
    return set(chosen) - set(ignored)


def _is_ignored(value: Instruction | Function, name: str) -> bool:
    return any(kind in (IGNORE, f"{IGNORE}.{name}") for kind in value.metadata)


Positioned: TypeAlias = tuple[tuple[int, int, int], Finding, Fix | None]
"""Sort key (function, block, index in it), finding, and fix."""


def _make_finding_unless_ignored(body: Body, rule: Rule, found: Found) -> Positioned | None:
    """Create the finding; ``None`` if it is suppressed."""
    if _is_ignored(body.function, rule.name) or _is_ignored(found.at, rule.name):
        return None
    block, at = body.position[found.at]
    finding = Finding(
        rule.name,
        found.severity or rule.severity,
        found.message,
        found.hint,
        body.function.name,
        body.printed_blocks[block][0],
        body.text_of(found.at),
        found.at.debug,
        found.fix is not None,
    )
    return (body.program.order[body.function], block, at), finding, found.fix


def _sort_key_and_place_of_rejection(
    program: Program, rejection: Diagnostic
) -> tuple[tuple[int, int, int], Instruction | Function | None]:
    """Return the sort key of a rejection and the instruction that it names."""
    function = program.functions.get(rejection.function)
    if function is None or function.is_declaration:
        return (len(program.order), -1, -1), function
    order, body = program.order[function], program.body(function)
    number = next((n for n, (name, _) in enumerate(body.printed_blocks) if name == rejection.block), -1)
    text_there = Code(lambda: f"define\n  {rejection.instruction.strip()}", "").blocks_in_order()[0][1]
    for at, text in enumerate(body.printed_blocks[number][1] if number >= 0 else ()):
        if text_there == (text,):
            return (order, number, at), body.code[number][at]
    return (order, number, -1), function


def _rejection_findings(program: Program) -> Iterator[Positioned]:
    """Yield rejections by the engine as findings."""
    for rejection in program.rejections:
        order, at = _sort_key_and_place_of_rejection(program, rejection)
        function = program.functions.get(rejection.function)
        if any(value is not None and _is_ignored(value, rejection.rule) for value in (at, function)):
            continue
        unmarked = function if rejection.rule == "presplitcoroutine" else None
        fix: Fix | None = partial(mark_presplit, unmarked) if unmarked else None
        finding = Finding(
            rejection.rule,
            "error",
            rejection.message,
            rejection.hint,
            rejection.function,
            rejection.block,
            rejection.instruction.strip(),
            at.debug if at is not None else None,
            fix is not None,
        )
        yield order, finding, fix


@takes(module=module_class)
def lint(
    module: Module,
    *,
    select: Collection[str] | None = None,
    ignore: Collection[str] = (),
    notes: bool = False,
    split: CoroSplit = CoroSplit(),  # noqa: B008 (immutable)
) -> Findings:
    """Implement `pycoro.Module.lint`.

    >>> module = pycoro.Module(pycoro.examples.COUNTER.replace("(ptr %handle, i32 4,", "(ptr %handle, i32 64,"))
    >>> pycoro.lint.lint(module)
    <Findings: promise-align: 1>
    >>> pycoro.lint.lint(module, ignore=["promise-align"])
    <Findings: none>
    """
    selected = selected_rules(select, ignore)
    program = Program(module, split)
    found: list[Positioned] = []
    for function in program.checked_functions:
        body = program.body(function)
        for rule in (rule for name, rule in RULES.items() if name in selected):
            matches = (match for match in rule.matches_in(body) if notes or (match.severity or rule.severity) != "note")
            found += filter(None, (_make_finding_unless_ignored(body, rule, match) for match in matches))
    if REJECTED in selected:
        found += _rejection_findings(program)
    found.sort(key=lambda item: item[0])

    def relint(other: Module) -> Findings:
        return lint(other, select=select, ignore=ignore, notes=notes, split=split)

    return Findings(module, [(finding, fix) for _, finding, fix in found], relint, RULES)
