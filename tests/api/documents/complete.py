"""Run the steps from a listing to a module and record the assumptions."""

from __future__ import annotations

from documents.body import Function
from documents.coroutine import (
    add_coroutine_begin,
    add_omitted_suspend,
    add_omitted_yield,
    clones_constant,
    complete_suspends,
    handle_of,
)
from documents.designs import ALL_STEPS, convert
from documents.ellipses import replace_ellipses, taken_by
from documents.flow import complete_control_flow, result_of
from documents.module import complete_module
from documents.structure import Listing
from documents.values import (
    complete_operands,
    complete_struct_fields,
    define_missing_values,
    missing_type_definitions,
    remove_dangling_records,
)
from pycoro.errors import Error
from pycoro.report import Remark
from pycoro.upgrade.calls import Reporter
from pycoro.upgrade.run import Upgraded
from pycoro.upgrade.statements import statements
from pycoro.upgrade.steps import convert_typed_pointers

__all__ = ["complete"]

_OLD, _LAST = ALL_STEPS[1:-2], ALL_STEPS[-2:]
"""Steps for old forms after opaque pointers, and final steps for a complete module."""


def _ignore_report(_step: str, _function: str, _message: str) -> None:
    """Discard reports while parsing generated text again."""


def _parse_again(text: str, fragments: set[str]) -> Listing:
    """Parse the text again after steps that rewrite it."""
    listing = Listing(statements(text), _ignore_report)
    for function in listing.functions:
        function.fragment = function.name in fragments
        for block in function.blocks:  # unused results have no numbers here
            block.lines = [line for line in block.lines if not line.startswith("freeze ")]
    return listing


def _is_complete(text: str) -> bool:
    """Return whether LLVM can parse the text, so that nothing is omitted."""
    from pycoro.module import Module

    try:
        with Module(text):
            return True
    except Error:
        return False


def _complete_function(function: Function, report: Reporter) -> None:
    """Add everything that the function lacks."""
    add_coroutine_begin(function, report)
    complete_suspends(function, report)
    add_omitted_yield(function, report)
    add_omitted_suspend(function, report)
    if "define ?" in function.head:
        gives = result_of(function, bool(handle_of(function)))
        function.head = function.head.replace("define ?", f"define {gives}")
        report("result", function.name, f"its result type is not printed: {gives}")
    complete_control_flow(function, report)
    define_missing_values(function, report)
    remove_dangling_records(function, report)


def complete(text: str) -> Upgraded:
    """Complete a listing of any LLVM version to a module; each assumption for an omitted part is reported.

    Instructions outside of a function become the function ``listing``, with undefined values as parameters. Ellipses are
    removed. A block that is not printed gets the content that its references suggest: the exit of a suspend, freeing the frame,
    or a return. Functions get declarations, types get the fields that are used, coroutines get an id and a frame. An unknown
    value of a complete function comes from a declared function ``left.out.NAME``, for you to define.

    An ellipsis among operands becomes a value of the type that its position determines; raises ``UsageError`` if none is. A
    text that LLVM can read after `convert` is complete and returned as such. The result is not verified: use
    `pycoro.Module`. A text without IR gives an empty module.

    >>> made = complete("%sum = add i32 %a, %b ... ret i32 %sum")
    >>> print(made.text.strip())
    define i32 @listing(i32 %a, i32 %b) {
    start:
      %sum = add i32 %a, %b
      ret i32 %sum
    }
    >>> [remark.name for remark in made.remarks]
    ['fragment', 'left-out', 'result', 'parameter']
    """
    older = convert(text)
    if _is_complete(older.text):
        return older
    remarks: list[Remark] = []

    def report(step: str, function: str, message: str) -> None:
        remarks.append(Remark("upgrade", step, function, message, True))

    def as_upgrade(step: str, function: str, message: str) -> None:
        if step != "first-design":  # functions that it does not convert are completed here
            report(step, function, message)

    listing = Listing(statements(text), report)
    fragments = {function.name for function in listing.functions if function.fragment}
    listing = _parse_again(convert_typed_pointers(listing.text(), report), fragments)
    taken = taken_by(listing.functions, listing.globals)
    for function in listing.functions:
        replace_ellipses(function, taken, report)
        complete_operands(function, report)
    made = listing.text()
    for step in _OLD:
        made = step(made, as_upgrade)
    listing = _parse_again(made, fragments)
    for function in listing.functions:
        if parts := clones_constant(function, report):
            listing.globals.append(parts)
        _complete_function(function, report)
    complete_struct_fields(listing.globals, listing.functions, report)
    listing.globals += missing_type_definitions(listing.text(), listing.functions, report)
    made = complete_module(listing, report)
    for step in _LAST:
        made = step(made, report)
    return Upgraded(made, tuple(remarks))
