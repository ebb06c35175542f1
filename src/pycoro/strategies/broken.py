"""Generate malformed coroutines: valid programs with one rule broken, keyed by the rule name in diagnostics.

The edits change the text of the last coroutine, at places that every printed coroutine has. Where an edit needs more code,
a block before the body may suspend, with code before and after that suspend.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

from pycoro.errors import UsageError
from pycoro.strategies import model as m
from pycoro.strategies.breaks import SWITCH, Break
from pycoro.strategies.breaks_returned import ASYNC, DYNAMIC, ONCE, RETCON
from pycoro.strategies.choices import Choices
from pycoro.strategies.draw import program
from pycoro.strategies.options import Options
from pycoro.strategies.plain import Plain
from pycoro.strategies.retcon import ramp_result_type, suspend_result_type_and_call
from pycoro.strategies.text import module

__all__ = ["RULES", "RULES_OF", "Malformed"]

_BREAKS: Mapping[str, Mapping[str, Break]] = {
    "switch": SWITCH,
    "retcon": RETCON,
    "retcon.once": ONCE,
    "async": ASYNC,
    "retcon.once.dynamic": DYNAMIC,
}

RULES_OF = {abi: {rule: how.what for rule, how in breaks.items()} for abi, breaks in _BREAKS.items()}
"""Rules that can be broken, by ABI; each diagnostic name maps to a description of the edit.

>>> from pycoro import strategies
>>> [abi for abi, rules in strategies.broken.RULES_OF.items() if "one-final-suspend" in rules]
['switch']
"""

RULES = {rule: what for rules in reversed(RULES_OF.values()) for rule, what in rules.items()}
"""Rules that can be broken in any ABI.

>>> from pycoro import strategies
>>> "one-final-suspend" in strategies.broken.RULES
True
"""


_ELSEWHERE = ("void @free_aligned(ptr)", "i32 @__gxx_personality_v0(...)")
"""Declarations that edits need and that a program may lack."""


def _is_used_but_undeclared(declaration: str, text: str) -> bool:
    name = declaration[declaration.index("@") : declaration.index("(")]
    return name in text and f"declare {declaration}" not in text


def _insert_front_block_before_body(text: str, how: Break) -> str:
    """Insert the code of the violation before the body; `start` still labels the first block of the body."""
    if not (how.before or how.after or how.suspend):
        return text
    lines = ["", "front:", f"  {how.before}" if how.before else ""]
    if how.suspend:
        lines += [f"  %front.way = {how.suspend}"]
        lines += ["  switch i8 %front.way, label %out [ i8 0, label %after i8 1, label %cleanup ]", "", "after:"]
    goes_on = "  br i1 %odd, label %again, label %start" if "\nagain:" in text else "  br label %start"
    lines += [f"  {how.after}" if how.after else "", goes_on, ""]
    text = text.replace("label %start", "label %front", 1)
    return text.replace("\nstart:", "\n".join(line for line in lines if line) + "\n\nstart:", 1)


def _with_0_yielded_at_every_suspend(item: Any) -> Any:
    """Return the statement or body, with the number 0 yielded at every suspend."""
    if isinstance(item, tuple):
        return tuple(map(_with_0_yielded_at_every_suspend, cast("Sequence[Any]", item)))
    if not is_dataclass(item) or isinstance(item, type):
        return item
    made = replace(item, **{field.name: _with_0_yielded_at_every_suspend(getattr(item, field.name)) for field in fields(item)})
    return replace(made, yields=("0",)) if isinstance(made, m.Suspend) else made


def _insert_as_statements(c: m.Coroutine, returned: m.Returned, how: Break) -> m.Coroutine:
    """Insert the code into a retcon or async coroutine, as statements."""
    if how.yields and not returned.yields:
        returned = replace(returned, yields=("i32",))
        c = replace(c, returned=returned, body=_with_0_yielded_at_every_suspend(c.body))
    before, after = (
        tuple(m.Do(_substitute_placeholders_of_edits(c, text)) for text in [part] if text) for part in (how.before, how.after)
    )
    suspend = m.Suspend("%front", yields=("zeroinitializer",) * len(returned.yields))
    if returned.once and not how.twice:
        return replace(c, body=before + c.body, finish=after + c.finish)
    return replace(c, body=(*before, suspend, *after, *c.body))


def _substitute_placeholders_of_edits(c: m.Coroutine, text: str) -> str:
    """Substitute the placeholders of edits by names and calls of the coroutine."""
    how = c.returned
    if how and not how.context:
        given = ", ".join(f"{kind} zeroinitializer" for kind in how.yields)
        text = text.replace("@SUSPEND", suspend_result_type_and_call(c, how, given)[1])
        text = text.replace("@RETURN", f"ret {ramp_result_type(how)} zeroinitializer")
    elif how:
        given = "".join(f", {kind} zeroinitializer" for kind in how.yields)
        call = "call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %first.resume, ptr @project, "
        call += f"ptr @F.hand, ptr %context, ptr %first.resume{given})"
        first = "%first = @SUSPEND"
        text = text.replace(first, f"%first.resume = call ptr @llvm.coro.async.resume()\n  %first = {call}")
    return re.sub(r"@F\b", f"@{c.name}", text)


def _apply_edits_to_coroutine_or_rest(c: m.Coroutine, how: Break, coroutine_text: str, rest_of_module: str) -> tuple[str, str]:
    """Apply each edit to the coroutine, or where it matches nothing there, to the other text. Return both texts."""
    for found, put in how.edits:
        pattern, into = (
            _substitute_placeholders_of_edits(c, found),
            _substitute_placeholders_of_edits(c, put) if isinstance(put, str) else put,
        )
        most = 0 if "free" in found and not c.returned else 1
        coroutine_text, count = re.subn(pattern, into, coroutine_text, count=most, flags=re.MULTILINE)
        if not count:
            rest_of_module, count = re.subn(pattern, into, rest_of_module, count=1, flags=re.MULTILINE)
        if not count:
            raise ValueError(f"the edit pattern {found!r} matches nothing in the module")
    return coroutine_text, rest_of_module


@dataclass(frozen=True, slots=True, repr=False)
class Malformed(Plain):
    """A program with one rule broken in its last coroutine.

    >>> from pycoro import strategies
    >>> whole = strategies.Program((strategies.model.Coroutine("f", (strategies.model.Suspend("%s1"),)),))
    >>> malformed = strategies.broken.Malformed(whole, "one-final-suspend")
    >>> try:
    ...     pycoro.lower(malformed.text())
    ... except pycoro.RejectedError as error:
    ...     print(error.message)
    only one suspend point can be marked as final
    """

    program: m.Program
    rule: str
    """A rule of `RULES_OF` for the coroutine's ABI."""

    def text(self) -> str:
        """Return the IR of a module that LLVM parses and verifies.

        Raises ``UsageError`` if the rule does not belong to the coroutine's ABI, or if the program is written through
        pycoro.build.
        """
        if self.program.built:
            raise UsageError("malformed programs cannot be written through pycoro.build; draw the program with Options(built=0)")
        last = self.program.coroutines[-1]
        how = _BREAKS[last.abi].get(self.rule)
        if how is None:
            raise UsageError(f"{self.rule!r} is not a rule of the {last.abi} ABI; its rules are {', '.join(_BREAKS[last.abi])}")
        return broken_text(self.program, how)


def broken_text(whole: m.Program, how: Break) -> str:
    """Return the IR of a program with the violation in its last coroutine."""
    *others, last = whole.coroutines
    if last.returned:
        last = _insert_as_statements(last, last.returned, how)
    text = module([replace(whole, coroutines=(*others, last))])
    start = re.search(rf"^define [^@\n]*@{last.name}\(", text, re.MULTILINE)
    assert start
    end = text.index("\n}\n", start.start())
    head, body, tail = text[: start.start()], text[start.start() : end], text[end:]
    body, rest = _apply_edits_to_coroutine_or_rest(last, how, body, f"{tail}\0{head}")
    tail, _, head = rest.partition("\0")
    text = head + (body if last.returned else _insert_front_block_before_body(body, how)) + tail + how.declarations
    return "".join([text, *(f"declare {what}\n" for what in _ELSEWHERE if _is_used_but_undeclared(what, text))])


def draw_malformed(choices: Choices, options: Options, rules: tuple[str, ...]) -> Malformed:
    """Draw a program and a rule to break."""
    abis = tuple(abi for abi in options.abis if not _BREAKS[abi].keys().isdisjoint(rules))
    if not abis:
        raise UsageError(f"no given rule applies to the ABIs {', '.join(options.abis)}; see strategies.broken.RULES_OF")
    abi = choices.pick(abis)
    return Malformed(
        program(choices, options.but(abis=(abi,), built=0)),
        choices.pick(tuple(rule for rule in rules if rule in _BREAKS[abi])),
    )
