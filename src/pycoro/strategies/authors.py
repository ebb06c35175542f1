"""Draw coroutines that are written through `pycoro.build`, from every operation that is valid at each point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pycoro.strategies.built import Built, Words
from pycoro.strategies.choices import Choices
from pycoro.strategies.kinds import abi_alignment, element_types, integer_width_or_0, types_passed_in_register
from pycoro.strategies.memory import draw_alignment_or_0
from pycoro.strategies.options import UNWOUND_ONCE, Options

__all__ = ["MIXED", "draw_built_coroutine"]

Word: TypeAlias = tuple[Any, ...]
MIXED = ("add", "sub", "mul", "xor", "and", "or")
"""Integer operations."""
LEAVING = ("return", "final", "break", "continue", "rethrow")
"""Operations that end a body."""
_MOST = 3
"""Largest operand number that selects an earlier value."""


@dataclass(frozen=True)
class _OperationContext:
    """Context of an operation: the operations that are valid there."""

    depth: int
    suspends: bool = True
    leaves: bool = True
    loop: bool = False
    caught: bool = False
    handles: bool = False
    cleans: bool = False
    held: int = 0


DrawOperation: TypeAlias = Callable[[_OperationContext], Word]


def _drawer_of_operation_without_operands(opcode: str) -> DrawOperation:
    """Return a function that draws an operation without operands."""
    return lambda _: (opcode,)


class _BodyGenerator:
    """Generator of the operations of one coroutine."""

    def __init__(self, choices: Choices, options: Options, of: Built, kinds: Sequence[str], others: Sequence[Built]) -> None:
        self.choices = choices
        self._options = options
        self._of = of
        self._kinds = kinds
        self._children = [other for other in others if not other.is_awaitable]
        awaits = of.is_awaitable or of.abi == "async"
        self._awaited = [other for other in others if awaits and other.abi == of.abi and other.results is not None]
        self._budget = choices.integer(1, options.statements)

    # ---- Bodies ----

    def draw_body(self, context: _OperationContext) -> Words:
        """Draw a sequence of operations; nested bodies are shorter."""
        out: list[Word] = []
        known = self._weighted_drawers_of_valid_operations(context)
        goes_on = 20 if context.depth == self._options.depth else 5
        while self._budget > 0 and self.choices.draw_below(goes_on):
            self._budget -= 1
            out.append(self.choices.pick(known)(context))
            if out[-1][0] in LEAVING:
                break
        return tuple(out)

    def draw_body_yielding_once_on_every_path(self, context: _OperationContext) -> Words:
        """Draw the body of a coroutine that yields exactly once on every path; nothing leaves before the yield."""
        quiet = replace(context, suspends=False, leaves=False)
        before = tuple(word for word in self.draw_body(quiet) if word[0] not in LEAVING)
        inner = replace(context, depth=context.depth - 1)
        makers: list[Callable[[], Word]] = [lambda: self._draw_yield(context)]
        if context.depth:
            makers.append(lambda: ("scope", self.draw_body_yielding_once_on_every_path(inner)))
            if self._options.locals:
                makers.append(
                    lambda: (*self._draw_local_alloca_of_scope(context)[:-1], self.draw_body_yielding_once_on_every_path(inner))
                )
        return (*before, self.choices.pick(makers)(), *self.draw_body(replace(quiet, leaves=True)))

    def _weighted_drawers_of_valid_operations(self, context: _OperationContext) -> tuple[DrawOperation, ...]:
        """Return the makers of the valid operations, simplest first; interesting ones appear several times."""
        options = self._options
        flat: list[DrawOperation] = [self._draw_report_operation, self._draw_opaque_value, self._draw_binary_or_select]
        if options.variables:
            flat += [self._draw_variable, self._draw_store, self._draw_load]
        flat += [self._draw_any_valid_suspend] * (6 if self._drawers_of_valid_suspends(context) else 0)
        if context.held:
            flat += [self._draw_resume] * 3
        flat += self._drawers_of_valid_exits(context)
        if not context.depth:
            return tuple(flat)
        around: list[DrawOperation] = [
            self._draw_scope,
            self._draw_scope_with_value,
            self._draw_if,
            self._draw_if_with_explicit_blocks,
            self._draw_defer,
            self._draw_defer,
        ]
        for maker, there in (
            (self._draw_loop, 2 * options.loops),
            (self._draw_local_alloca_of_scope, int(options.locals)),
            (self._draw_child, 4 * bool(self._children)),
            (self._draw_try_with_handler, 3 * self._of.unwinds),
        ):
            around += [maker] * there
        return (*flat, *around)

    def _drawers_of_valid_suspends(self, context: _OperationContext) -> list[DrawOperation]:
        if not context.suspends:
            return []
        of = self._of
        found: list[DrawOperation] = [] if of.is_awaitable else [self._draw_yield]
        if of.abi == "switch":
            found += [self._draw_plain_suspend] if of.is_awaitable else [self._draw_yield, self._draw_plain_suspend]
            if self._options.awaits:  # without an awaiter, these equal plain suspends
                found += [self._draw_suspend_by_await_function, self._draw_transfer] * (3 if context.held else 1)
        return [*found, *([self._draw_await] if self._awaited else [])]

    def _drawers_of_valid_exits(self, context: _OperationContext) -> list[DrawOperation]:
        found: list[DrawOperation] = []
        inside = context.depth < self._options.depth
        if context.leaves and inside and self._options.leaves:
            found.append(self._draw_return)
            if self._of.abi == "switch" and self._of.final and not self._of.is_awaitable:
                found.append(_drawer_of_operation_without_operands("final"))
        if context.loop:
            found += [_drawer_of_operation_without_operands("break"), _drawer_of_operation_without_operands("continue")]
        if self._of.unwinds and context.caught:
            found += [_drawer_of_operation_without_operands("throw")] * 3
            if context.handles:
                found += [_drawer_of_operation_without_operands("rethrow")] * 8
        return found

    # ---- Words ----

    def _draw_value_number(self) -> int:
        return self.choices.integer(0, _MOST)

    def draw_kind(self) -> str:
        """Draw a type."""
        return self.choices.pick(self._kinds)

    def _draw_value_number_for_each(self, kinds: Sequence[Any]) -> tuple[int, ...]:
        return tuple(self._draw_value_number() for _ in kinds)

    def _draw_alignment_or_0(self, kind: str) -> int:
        return draw_alignment_or_0(self.choices, kind, min(16 if self._of.abi == "async" else 64, self._options.alignment))

    def _draw_report_operation(self, context: _OperationContext) -> Word:
        return ("report", self.draw_kind(), self._draw_value_number())

    def _draw_opaque_value(self, context: _OperationContext) -> Word:
        return ("opaque", self.draw_kind())

    def _draw_binary_or_select(self, context: _OperationContext) -> Word:
        kind = self.draw_kind()
        return (
            "combine",
            kind,
            self.choices.pick(MIXED) if integer_width_or_0(kind) else "select",
            self._draw_value_number(),
            self._draw_value_number(),
        )

    def _draw_variable(self, context: _OperationContext) -> Word:
        kind = self.draw_kind()
        return ("variable", kind, self._draw_alignment_or_0(kind), self._draw_value_number())

    def _draw_store(self, context: _OperationContext) -> Word:
        return ("store", self._draw_value_number(), self._draw_value_number())

    def _draw_load(self, context: _OperationContext) -> Word:
        return ("load", self._draw_value_number())

    def draw_yield_or_plain_suspend(self, context: _OperationContext) -> Word:
        """Draw a yield where the coroutine has yields, else a plain suspend."""
        return self._drawers_of_valid_suspends(context)[0](context)

    def _draw_any_valid_suspend(self, context: _OperationContext) -> Word:
        return self.choices.pick(self._drawers_of_valid_suspends(context))(context)

    def _draw_yield(self, context: _OperationContext) -> Word:
        return ("yield", *self._draw_value_number_for_each(self._of.yields))

    def _draw_plain_suspend(self, context: _OperationContext) -> Word:
        return ("suspend",)

    def _draw_suspend_by_await_function(self, context: _OperationContext) -> Word:
        return ("await_suspend", self.choices.pick(("void", "bool", "handle")), self._draw_value_number())

    def _draw_transfer(self, context: _OperationContext) -> Word:
        return ("transfer", self._draw_value_number())

    def _draw_resume(self, context: _OperationContext) -> Word:
        return ("resume", self._draw_value_number())

    def _draw_await(self, context: _OperationContext) -> Word:
        other = self.choices.pick(self._awaited)
        return ("await", other.name, self._draw_value_number_for_each(other.parameters))

    def _draw_return(self, context: _OperationContext) -> Word:
        return ("return", *self._draw_value_number_for_each(self._of.results or ()))

    # ---- Words around others ----

    def _draw_inner_body(self, context: _OperationContext, **context_changes: Any) -> Words:
        return self.draw_body(replace(context, depth=context.depth - 1, **context_changes))

    def _draw_scope(self, context: _OperationContext) -> Word:
        return ("scope", self._draw_inner_body(context))

    def _draw_scope_with_value(self, context: _OperationContext) -> Word:
        return ("scope_with_value", self.draw_kind(), self._draw_value_number(), self._draw_inner_body(context))

    def _draw_local_alloca_of_scope(self, context: _OperationContext) -> Word:
        kind = self.draw_kind()
        return ("local", kind, self._draw_alignment_or_0(kind), self._draw_value_number(), self._draw_inner_body(context))

    def _draw_if(self, context: _OperationContext) -> Word:
        return ("if", self._draw_inner_body(context), self._draw_inner_body(context))

    def _draw_if_with_explicit_blocks(self, context: _OperationContext) -> Word:
        return ("branch", self._draw_inner_body(context), self._draw_inner_body(context))

    def _draw_loop(self, context: _OperationContext) -> Word:
        return ("loop", self.choices.integer(1, 3), self._draw_inner_body(context, loop=True))

    def _draw_defer(self, context: _OperationContext) -> Word:
        body = self._draw_inner_body(context, suspends=False, leaves=False, loop=False, caught=False, handles=False, cleans=True)
        return ("defer", (self._draw_report_operation(context), *body) if self.choices.chance(1, 2) else body)

    def draw_transfer_to_child_or_defer_and_suspend(self, context: _OperationContext) -> Words:
        """Draw a rare combination: a cleanup that runs when the suspend after it is destroyed, or a symmetric transfer to a
        child.
        """
        alike = [other for other in self._children if other.abi == self._of.abi == "switch"]
        if alike and self._options.awaits and self.choices.chance(2, 3):
            return (self._draw_child_by_coroutine(self.choices.pick(alike), context, self._draw_transfer(context)),)
        return (self._draw_defer(context), self.draw_yield_or_plain_suspend(context))

    def _draw_try_with_handler(self, context: _OperationContext) -> Word:
        body, handler = self._draw_inner_body(context, caught=True, handles=False), self._draw_inner_body(context, handles=True)
        # otherwise, exceptional paths would be rare
        if self.choices.chance(1, 2) and not _ends_with_exit(body):
            body = (*body, ("throw",))
        if context.caught and self.choices.chance(1, 2) and not _ends_with_exit(handler):
            handler = (*handler, ("rethrow",))
        return ("attempt", body, handler)

    def _draw_child(self, context: _OperationContext) -> Word:
        return self._draw_child_by_coroutine(self.choices.pick(self._children), context)

    def _draw_child_by_coroutine(self, callee: Built, context: _OperationContext, *before_body: Word) -> Word:
        safe = callee.abi == "switch" and self._options.elision and self.choices.chance(1, 2)
        arguments = self._draw_value_number_for_each(callee.parameters)
        return ("child", callee.name, arguments, safe, (*before_body, *self._draw_inner_body(context, held=context.held + 1)))


def _ends_with_exit(body: Words) -> bool:
    """Return True if no operation can follow the body."""
    return bool(body) and body[-1][0] in LEAVING


# ---- Coroutines ----


def _draw_parameter_types_and_passing(choices: Choices, options: Options, kinds: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Draw parameters. Aggregates are moved, because the size of a byte copy depends on a data layout, which the modules lack."""
    found: list[tuple[str, str]] = []
    for _ in range(choices.integer(0, options.parameters)):
        kind, bytewise = choices.pick(kinds), "copied"
        parts = element_types(kind)
        if parts and not parts.is_vector:
            bytewise = "moved"
        found.append((kind, choices.pick(("", "", bytewise, "moved")) if options.byval else ""))
    return tuple(found)


def _draw_switch_properties(choices: Choices, options: Options, kinds: Sequence[str], of: Built, *, last: bool) -> Built:
    plain = options.alignment <= 16 and all(abi_alignment(kind) <= 16 for kind in options.kinds)
    allocates = choices.pick((*(["malloc", "malloc"] if plain else []), "aligned", *(["fails"] if last and options.fails else [])))
    if options.awaits and choices.chance(2, 5):
        results = (choices.pick(kinds),) if options.results and choices.chance(2, 3) else ()
        return replace(of, results=results, lazy=True, allocates=allocates)
    yields = (choices.pick(kinds),) if options.promise and choices.chance(2, 3) else ()
    final = not (last and options.unended and choices.chance(1, 4))
    return replace(of, yields=yields, lazy=choices.chance(1, 3), final=final, allocates=allocates)


def _draw_continuation_properties(choices: Choices, options: Options, kinds: Sequence[str], of: Built) -> Built:
    yields = tuple(choices.pick(kinds) for _ in range(choices.integer(0, 2)))
    if of.abi == "async":
        passed = types_passed_in_register(kinds)
        return replace(of, yields=yields, results=(choices.pick(passed),) if options.results and choices.chance(2, 3) else ())
    once = of.abi == "retcon.once"
    results = tuple(choices.pick(kinds) for _ in range(choices.integer(0, 2) if options.results and once else 0))
    takes = choices.pick(("", "i32", "i64", "double"))
    size = choices.pick((8, 16, 32, 64, 256, 1024))
    return replace(of, yields=yields, results=results if once else None, takes=takes, size=size)


def draw_built_coroutine(choices: Choices, options: Options, name: str, others: Sequence[Built], *, last: bool) -> Built:
    """Draw a coroutine that may create the given others. Only the last coroutine of a program may let exceptions escape."""
    abi = choices.pick(options.abis)
    picked = [choices.pick(options.kinds) for _ in range(choices.integer(0, 4))]
    kinds = tuple(kind for kind in dict.fromkeys(["i32", *picked]) if abi != "async" or abi_alignment(kind) <= 16)
    parameters = _draw_parameter_types_and_passing(choices, options, types_passed_in_register(kinds) if abi == "async" else kinds)
    held = abi == "async" or (abi == "retcon.once" and UNWOUND_ONCE not in options.faults)
    unwinds = not held and options.exceptions and choices.chance(1, 2)
    of = Built(name, abi=abi, parameters=parameters, unwinds=unwinds, lines=choices.chance(1, _LINED))
    if abi == "switch":
        of = _draw_switch_properties(choices, options, kinds, of, last=last)
    else:
        of = _draw_continuation_properties(choices, options, kinds, of)
    author = _BodyGenerator(choices, options, of, kinds, others)
    context = _OperationContext(options.depth, caught=last and unwinds and not of.is_awaitable)
    if abi == "retcon.once":
        return replace(of, body=author.draw_body_yielding_once_on_every_path(context))
    # a coroutine that frees itself before the ramp returns cannot be resumed; a finished child cannot be transferred to
    begins = not of.final or (not last and choices.chance(2, 3))
    first: Words = (author.draw_yield_or_plain_suspend(context),) if begins else ()
    if context.depth and abi != "async" and choices.chance(2, 5):
        first = author.draw_transfer_to_child_or_defer_and_suspend(context)
    return replace(of, body=(*first, *author.draw_body(context)))


_LINED = 16
"""One in this many coroutines has debug information. The oracle compares such programs individually, which is slow."""
