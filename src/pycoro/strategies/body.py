"""Draw the body of a coroutine: control flow, suspends and cleanups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from pycoro.strategies import model as m
from pycoro.strategies.kinds import draw_constant
from pycoro.strategies.memory import add_alloca_to_scope, addresses_in_scope, draw_access_or_pick, draw_alignment_or_0
from pycoro.strategies.options import ASKED_ACROSS
from pycoro.strategies.values import (
    Draw,
    Scope,
    Statements,
    add_value_to_scope,
    draw_computation,
    draw_condition,
    draw_reports,
    draw_value,
    is_address,
)

__all__ = ["draw_body", "draw_suspend_or_access"]


def draw_body(d: Draw, scope: Scope, *, may_end_in_leave: bool = False) -> m.Body:
    """Draw statements and add their results to ``scope``. The body may end in `Leave` if ``may_end_in_leave`` is true."""
    out: Statements = []
    makers = (
        (_FLAT if d.depth >= d.options.depth else _ALL)
        + (_ERRORS if d.errors else ())
        + (_CALLS if _callees_of_async_calls(d) else ())
    )
    makers += _LATE if d.options.late and d.suspends else ()
    goes_on = 5 if d.depth else 20
    d.depth += 1
    while d.budget > 0 and d.choices.draw_below(goes_on):
        d.budget -= 1
        out += d.choices.pick(makers)(d, scope)
    d.depth -= 1
    if may_end_in_leave and d.options.leaves and d.suspends and d.choices.chance(1, 6):
        out.append(m.Leave())
    return tuple(out)


def _ends_with_leave(body: m.Body) -> bool:
    return bool(body) and isinstance(body[-1], m.Leave)


# ---- suspends ----


def _draw_start_of_destroy_path(d: Draw, scope: Scope) -> m.Body:
    """Draw the statements at the start of a cleanup path: they report values and loads."""
    if not d.choices.chance(1, 3):
        return ()
    out = draw_reports(d, scope, 2)
    known = [(kind, name) for kind, name in addresses_in_scope(scope) if kind[4:] in d.types]
    if known and d.choices.chance(1, 2):
        kind, name = d.choices.pick(known)
        let = m.Let(d.name("g"), f"load {kind[4:]}, ptr {name}")
        out += [let, m.ReportValue(kind[4:], let.name)]
    return tuple(out)


def draw_suspend_or_access(d: Draw, scope: Scope) -> Statements:
    """Draw a suspend point, then report some values that are live across it."""
    if not d.suspends:
        return draw_access_or_pick(d, scope)
    if d.returned:
        return _draw_yield_and_reports(d, scope, d.returned)
    save: m.Body | None = None
    if d.options.saves and d.choices.chance(1, 4):
        inner: Statements = []
        for _ in range(d.choices.integer(0, 2)):
            inner += d.choices.pick((draw_computation, draw_access_or_pick))(d, scope)
        save = (m.Do("call void @begin_op(ptr %hdl)"), *inner)
    gone = _draw_start_of_destroy_path(d, scope)
    name = d.name("s")
    branches = d.choices.chance(1, 8)
    add_value_to_scope(scope, "i8", name)
    return [m.Suspend(name, save, gone, branches), *draw_reports(d, scope, 2)]


def _draw_yield_and_reports(d: Draw, scope: Scope, how: m.Returned) -> Statements:
    given = tuple(draw_value(d, scope, kind) for kind in how.yields)
    gone, name = _draw_start_of_destroy_path(d, scope), d.name("s")
    add_value_to_scope(scope, how.takes or "i1", name)
    return [m.Suspend(name, gone=gone, yields=given), *draw_reports(d, scope, 2)]


def _draw_await_or_suspend(d: Draw, scope: Scope) -> Statements:
    if not d.options.awaits or d.returned or not d.suspends:
        return draw_suspend_or_access(d, scope)
    handles = [name for name, child in d.children.items() if not child.returned]
    form = d.choices.pick(("void", "bool", "handle", "handle") if handles else ("void", "bool"))
    held = draw_value(d, scope, {"void": "i32", "bool": "i1", "handle": "i1"}[form])
    child = d.choices.pick(handles) if form == "handle" else ""
    gone = _draw_start_of_destroy_path(d, scope)
    return [m.Await(d.name("s"), form, child, "" if child else held, gone), *draw_reports(d, scope, 2)]


# ---- branches and joins ----


def _draw_phis(d: Draw, scope: Scope, end_scopes: list[Scope]) -> tuple[m.Phi, ...]:
    """Draw PHIs at a join from the scopes at the ends of its predecessors, and add them to the scope."""
    phis: list[tuple[str, m.Phi]] = []
    for _ in range(d.choices.integer(0, 2) if end_scopes else 0):
        kind = d.choices.pick([*d.types, *filter(is_address, scope)])
        of = tuple(_draw_incoming_value_of_phi(d, way, kind) for way in end_scopes)
        phis.append((kind, m.Phi(d.name("j"), "ptr" if is_address(kind) else kind, of)))
    for kind, phi in phis:
        add_value_to_scope(scope, kind, phi.name)
    return tuple(phi for _, phi in phis)


def _draw_incoming_value_of_phi(d: Draw, scope: Scope, kind: str) -> str:
    if is_address(kind):
        return d.choices.pick(scope[kind])
    return draw_value(d, scope, kind)


def _draw_if(d: Draw, scope: Scope) -> Statements:
    out: Statements = []
    which = draw_condition(d, scope, out)
    yes, no = dict(scope), dict(scope)
    then, other = draw_body(d, yes, may_end_in_leave=True), draw_body(d, no)
    ways = [no] if _ends_with_leave(then) else [yes, no]
    return [*out, m.If(which, then, other, _draw_phis(d, scope, ways))]


def _draw_switch_or_if(d: Draw, scope: Scope) -> Statements:
    if not d.options.switches:
        return _draw_if(d, scope)
    count = d.choices.integer(2, 4)
    scopes = [dict(scope) for _ in range(count)]
    ways = tuple(draw_body(d, inner, may_end_in_leave=number > 0) for number, inner in enumerate(scopes))
    of = draw_value(d, scope, "i32")
    numbers = tuple((way, way + 10) if d.choices.chance(1, 3) else (way,) for way in range(count - 1))
    reached = [inner for inner, way in zip(scopes, ways, strict=True) if not _ends_with_leave(way)]
    return [m.Switch("i32", of, ways, numbers, _draw_phis(d, scope, reached))]


def _draw_loop_or_if(d: Draw, scope: Scope) -> Statements:
    if not d.options.loops:
        return _draw_if(d, scope)
    counter = d.name("n")
    carried: list[m.Carried] = []
    inner = dict(scope)
    for _ in range(d.choices.integer(0, 2)):
        kind = d.kind()
        carried.append(m.Carried(d.name("c"), kind, draw_value(d, scope, kind), ""))
    for item in carried:
        add_value_to_scope(inner, item.kind, item.name)
    add_value_to_scope(inner, "i32", counter)
    done = draw_body(d, inner)
    times = d.choices.integer(1, 3)
    around = tuple(replace(item, next=draw_value(d, inner, item.kind)) for item in carried)
    scope |= inner  # values of the last iteration dominate the loop exit
    return [m.Loop(counter, times, done, around)]


def _draw_tangle_or_loop(d: Draw, scope: Scope) -> Statements:
    """Draw blocks with arbitrary edges. Each block branches to the next one and one other; the last branches to any two."""
    if not d.options.tangles:
        return _draw_loop_or_if(d, scope)
    count, fuel = d.choices.integer(2, 4), d.name("f")
    heads = [[(d.kind(), d.name("t")) for _ in range(d.choices.integer(0, 1))] for _ in range(count)]
    scopes: list[Scope] = []
    parts: list[m.Block] = []
    for number in range(count):
        inner = dict(scopes[0] if number else scope)  # the first block dominates all others
        for kind, name in heads[number]:
            add_value_to_scope(inner, kind, name)
        add_value_to_scope(inner, "i32", f"{fuel}.{number}")
        done = draw_body(d, inner)
        tests: Statements = []
        which = draw_condition(d, inner, tests)
        other = d.choices.draw_below(count)
        to = (number + 1, other) if number + 1 < count else (d.choices.draw_below(count), other)
        scopes.append(inner)
        parts.append(m.Block((*done, *tests), to, which))
    blocks = tuple(
        replace(part, phis=_draw_tangle_phis(d, scope, scopes, parts, number, heads)) for number, part in enumerate(parts)
    )
    jumps = d.choices.integer(2, 9)
    return [m.Tangle(fuel, jumps, blocks, _draw_phis(d, scope, scopes))]


def _draw_tangle_phis(
    d: Draw,
    scope: Scope,
    scopes: list[Scope],
    blocks: list[m.Block],
    block_number: int,
    phi_types_and_names: list[list[tuple[str, str]]],
) -> tuple[m.Phi, ...]:
    """Draw the PHIs of a tangle block, with one value for each predecessor."""
    before = ([scope] if block_number == 0 else []) + [scopes[i] for i, part in enumerate(blocks) if block_number in part.to]
    return tuple(
        m.Phi(name, kind, tuple(draw_value(d, way, kind) for way in before)) for kind, name in phi_types_and_names[block_number]
    )


# ---- cleanups ----


def _draw_local_or_access(d: Draw, scope: Scope) -> Statements:
    if not d.options.locals:
        return draw_access_or_pick(d, scope)
    kind, name = d.kind(), d.name("l")
    start = draw_value(d, scope, kind)
    align = draw_alignment_or_0(d.choices, kind, d.options.alignment)
    inner = dict(scope)
    add_alloca_to_scope(inner, m.Variable(name, kind, start), address_kind="loc")
    asked = d.options.asked and d.choices.chance(1, 3)
    suspends = d.suspends
    d.suspends = suspends and (not asked or _may_coro_alloca_cross_suspend(d))
    done = draw_body(d, inner)
    d.suspends = suspends
    reported, marked = d.choices.chance(1, 2), asked or not d.choices.chance(1, 5)
    known = d.options.lives and not asked and d.choices.chance(1, 2)
    return [m.Local(name, kind, start, done, align, reported, marked, asked, known)]


def _draw_value_used_on_one_path_after_suspend(d: Draw, scope: Scope) -> Statements:
    """Draw a value defined before a suspend and reported on one of two paths after it, where an alloca is live across the next
    suspend.
    """
    kept, out = m.Let(d.name("v"), "call i32 @pick()"), draw_suspend_or_access(d, scope)
    name, start, inner = d.name("l"), draw_value(d, scope, "i32"), dict(scope)
    add_alloca_to_scope(inner, m.Variable(name, "i32", start), address_kind="loc")
    given, odd = m.Let(d.name("v"), "call i32 @pick()"), d.name("v")
    ways = (m.ReportValue("i32", kept.name),), draw_body(d, dict(inner))
    done = (given, m.Let(odd, f"trunc i32 {given.name} to i1"), m.If(odd, *ways), *draw_suspend_or_access(d, inner))
    return [kept, *out, m.Local(name, "i32", start, done, told=True)]


def _may_coro_alloca_cross_suspend(d: Draw) -> bool:
    """Return True if memory of llvm.coro.alloca.alloc may be live across a suspend."""
    returned = d.returned
    return ASKED_ACROSS in d.options.faults or bool(returned and not returned.context)


def _draw_invoke_or_computation(d: Draw, scope: Scope) -> Statements:
    if not d.options.exceptions:
        return draw_computation(d, scope)
    name, given = d.name("r"), draw_value(d, scope, "i32")
    fine, caught_scope = dict(scope), dict(scope)
    add_value_to_scope(fine, "i32", name)
    then = draw_body(d, fine)
    caught = draw_body(d, caught_scope, may_end_in_leave=True) if d.choices.chance(2, 3) or d.children or not d.suspends else None
    ways = [fine] if caught is None or _ends_with_leave(caught) else [fine, caught_scope]
    phis = _draw_phis(d, scope, ways)
    if len(ways) == 1:
        add_value_to_scope(scope, "i32", name)  # a single path continues, so its values dominate the join
    return [m.Invoke(name, given, then, caught, phis)]


def _draw_child_or_suspend(d: Draw, scope: Scope) -> Statements:
    """Draw a child coroutine that lives during a nested body."""
    callees = d.callees
    if not callees:
        return draw_suspend_or_access(d, scope)
    callee = d.choices.pick(callees)
    name = d.name("c")
    given = tuple(_draw_argument_or_empty_for_swifterror(d, scope, parameter) for parameter in callee.parameters)
    safe = d.options.elision and callee.guarded and callee.final and d.choices.chance(1, 2)
    d.children[name] = callee
    done = draw_body(d, dict(scope))
    del d.children[name]
    return [m.Child(name, callee.name, given, done, safe)]


def _callees_of_async_calls(d: Draw) -> list[m.Coroutine]:
    """Return the coroutines that an async coroutine can transfer to."""
    context = d.returned is not None and d.returned.context
    return [callee for callee in d.callees if context and callee.returned and callee.returned.tail]


def _draw_async_call_or_access(d: Draw, scope: Scope) -> Statements:
    """Draw a transfer to another async coroutine, and report its results."""
    if not d.suspends:
        return draw_access_or_pick(d, scope)
    callee = d.choices.pick(_callees_of_async_calls(d))
    given = tuple(_draw_argument_or_empty_for_swifterror(d, scope, parameter) for parameter in callee.parameters)
    kinds = callee.returned.results if callee.returned else ()
    names = tuple(d.name("r") for _ in kinds)
    for kind, name in zip(kinds, names, strict=True):
        add_value_to_scope(scope, kind, name)
    return [m.Call(callee.name, given, names), *draw_reports(d, scope, 2)]


def _draw_swifterror_access_or_computation(d: Draw, scope: Scope) -> Statements:
    """Store to a swifterror, or report its value."""
    if not d.errors:
        return draw_computation(d, scope)
    error, how = d.choices.pick(d.errors), d.choices.draw_below(3)
    if how == 0:
        held, number = m.Let(d.name("e"), f"load ptr, ptr {error}"), d.name("e")
        add_value_to_scope(scope, "i64", number)
        return [held, m.Let(number, f"ptrtoint ptr {held.name} to i64"), m.ReportValue("i64", number)]
    if how == 1:
        return [m.Do(f"call swiftcc void @raise_error(i64 {draw_value(d, scope, 'i64')}, ptr swifterror {error})")]
    new = m.Let(d.name("e"), f"inttoptr i64 {draw_value(d, scope, 'i64')} to ptr")
    return [new, m.Do(f"store ptr {new.name}, ptr {error}")]


def _draw_argument_or_empty_for_swifterror(d: Draw, scope: Scope, parameter: m.Parameter) -> str:
    if parameter.error:
        return ""
    return draw_constant(d.choices, parameter.byval) if parameter.byval else draw_value(d, scope, parameter.kind)


def _draw_resume_or_suspend(d: Draw, scope: Scope) -> Statements:
    return [m.Resume(d.choices.pick(list(d.children)))] if d.children else draw_suspend_or_access(d, scope)


def _draw_report_of_values(d: Draw, scope: Scope) -> Statements:
    return draw_reports(d, scope, 2)


Maker: TypeAlias = Callable[[Draw, Scope], Statements]
_FLAT: tuple[Maker, ...] = (
    _draw_report_of_values,
    draw_computation,
    draw_suspend_or_access,
    draw_access_or_pick,
    draw_computation,
    draw_access_or_pick,
    draw_suspend_or_access,
    draw_computation,
    draw_access_or_pick,
    _draw_resume_or_suspend,
    _draw_await_or_suspend,
)
_ALL: tuple[Maker, ...] = (
    *_FLAT,
    draw_suspend_or_access,
    _draw_if,
    _draw_loop_or_if,
    _draw_local_or_access,
    _draw_switch_or_if,
    _draw_tangle_or_loop,
    _draw_invoke_or_computation,
    _draw_child_or_suspend,
    _draw_child_or_suspend,
    _draw_resume_or_suspend,
)
_ERRORS: tuple[Maker, ...] = (
    _draw_swifterror_access_or_computation,
    _draw_swifterror_access_or_computation,
    _draw_swifterror_access_or_computation,
)
_CALLS: tuple[Maker, ...] = (_draw_async_call_or_access,) * 8
_LATE: tuple[Maker, ...] = (_draw_value_used_on_one_path_after_suspend,) * 3
