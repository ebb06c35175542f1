"""The steps from a listing to a module, in their order, and what they have assumed."""

from __future__ import annotations

from pycoro.errors import Error
from pycoro.report import Remark
from pycoro.upgrade.listing.body import Function
from pycoro.upgrade.listing.coroutine import begun, handle_of, split_before, suspends, waits, yields
from pycoro.upgrade.listing.ellipses import elided, taken_by
from pycoro.upgrade.listing.flow import flowing, result_of
from pycoro.upgrade.listing.module import beside
from pycoro.upgrade.listing.structure import Listing
from pycoro.upgrade.listing.values import fields_left, kinds, operands, recorded, valued
from pycoro.upgrade.run import Upgraded, upgrade
from pycoro.upgrade.statements import statements
from pycoro.upgrade.steps import STEPS, Tell, typed_pointers

__all__ = ["complete"]

_OLD, _LAST = STEPS[1:-2], STEPS[-2:]
"""What was written otherwise, once pointers say nothing; and what is asked of a module that is whole."""


def _quiet(_step: str, _function: str, _message: str) -> None:
    """A text that was made is taken apart once more; nothing is assumed."""


def _again(text: str, fragments: set[str]) -> Listing:
    """What a text is made of behind steps that read it as text."""
    listing = Listing(statements(text), _quiet)
    for function in listing.functions:
        function.fragment = function.name in fragments
        for block in function.blocks:  # a result that nothing used had no number here
            block.lines = [line for line in block.lines if not line.startswith("freeze ")]
    return listing


def _is_whole(text: str) -> bool:
    """Whether LLVM reads it: then nothing is left out, and what stands there is what is meant."""
    from pycoro.module import Module

    try:
        with Module(text):
            return True
    except Error:
        return False


def _whole(function: Function, tell: Tell) -> None:
    """The function with all that it lacks."""
    begun(function, tell)
    suspends(function, tell)
    yields(function, tell)
    waits(function, tell)
    if "define ?" in function.head:
        gives = result_of(function, bool(handle_of(function)))
        function.head = function.head.replace("define ?", f"define {gives}")
        tell("result", function.name, f"what it returns is not said: {gives}")
    flowing(function, tell)
    valued(function, tell)
    recorded(function, tell)


def complete(text: str) -> Upgraded:
    """A listing from a document, of any age, as a module: what its author leaves out is assumed, and each assumption is told.

    Instructions outside of a function become one, of the name ``listing``; what is used and not defined is its parameters. An
    ellipsis is left out; a block that is not printed does what its place says: it is the way out of a suspend, frees the frame, or
    returns. Functions get declarations, types fields as they are used, coroutines an id and a frame. A value of a
    whole function that cannot be known comes from a function ``left.out.NAME``, which is declared and to be defined.

    An ellipsis among operands is a value of the type that its place says. ``UsageError`` for one of which nothing says what it is.

    What LLVM reads already, once its words are today's, leaves nothing out: it is what `pycoro.upgrade.upgrade` makes of it.
    What else comes out is not checked: `pycoro.Module` does that. A text that has no IR in it gives an empty module.

    >>> made = pycoro.upgrade.complete("%sum = add i32 %a, %b ... ret i32 %sum")
    >>> print(made.text.strip())
    define i32 @listing(i32 %a, i32 %b) {
    start:
      %sum = add i32 %a, %b
      ret i32 %sum
    }
    >>> [remark.name for remark in made.remarks]
    ['fragment', 'left-out', 'result', 'parameter']
    """
    older = upgrade(text)
    if _is_whole(older.text):
        return older
    remarks: list[Remark] = []

    def tell(step: str, function: str, message: str) -> None:
        remarks.append(Remark("upgrade", step, function, message, True))

    def as_upgrade(step: str, function: str, message: str) -> None:
        if step != "first-design":  # what that leaves as it is is seen to here
            tell(step, function, message)

    listing = Listing(statements(text), tell)
    fragments = {function.name for function in listing.functions if function.fragment}
    listing = _again(typed_pointers(listing.text(), tell), fragments)
    taken = taken_by(listing.functions, listing.globals)
    for function in listing.functions:
        elided(function, taken, tell)
        operands(function, tell)
    made = listing.text()
    for step in _OLD:
        made = step(made, as_upgrade)
    listing = _again(made, fragments)
    for function in listing.functions:
        if parts := split_before(function, tell):
            listing.globals.append(parts)
        _whole(function, tell)
    fields_left(listing.globals, listing.functions, tell)
    listing.globals += kinds(listing.text(), listing.functions, tell)
    made = beside(listing, tell)
    for step in _LAST:
        made = step(made, tell)
    return Upgraded(made, tuple(remarks))
