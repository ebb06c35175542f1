"""Draw whole coroutines and programs from any source of choices."""

from __future__ import annotations

from dataclasses import replace

from pycoro._typecheck import takes
from pycoro.strategies import model as m
from pycoro.strategies.authors import draw_built_coroutine
from pycoro.strategies.body import draw_body, draw_suspend_or_access
from pycoro.strategies.calling import draw_callers
from pycoro.strategies.choices import Choices, Seeded
from pycoro.strategies.ends import draw_cleanups
from pycoro.strategies.kinds import abi_alignment, draw_constant, element_types, types_passed_in_register
from pycoro.strategies.memory import add_alloca_to_scope, draw_access_or_pick, draw_alloca, draw_element_address
from pycoro.strategies.options import ALL, BYVAL_WRITE, DYNAMIC, THROWN_FINAL, Options
from pycoro.strategies.values import (
    Draw,
    Scope,
    Statements,
    add_value_to_scope,
    draw_computation,
    draw_reports,
    draw_value,
    is_address,
)

__all__ = ["draw_coroutine", "program", "sample"]


def _draw_types(choices: Choices, options: Options) -> tuple[str, ...]:
    """Draw the types of one coroutine: few, so that values of equal type are frequent."""
    picked = [choices.pick(options.kinds) for _ in range(choices.integer(0, 4))]
    return tuple(dict.fromkeys(["i32", *picked]))


def _async_parameter_types_without_i128(d: Draw) -> tuple[str, ...]:
    """Draw parameter types of an async coroutine. LLVM's x86 callers and callees disagree about the stack slot of an i128."""
    return tuple(kind for kind in d.types if kind != "i128")


def _draw_parameters(d: Draw, scope: Scope, kinds: tuple[str, ...]) -> tuple[m.Parameter, ...]:
    parameters: list[m.Parameter] = []
    for _ in range(d.choices.integer(0, d.options.parameters)):
        kind, name = d.choices.pick(kinds), d.name("a")
        if d.options.byval and d.choices.chance(1, 8):
            align = max(8, abi_alignment(kind)) << d.choices.integer(0, 1)
            parameters.append(m.Parameter(name, "ptr", kind, align))
            add_value_to_scope(scope, f"{'ptr' if BYVAL_WRITE in d.options.faults else 'get'} {kind}", name)
        else:
            parameters.append(m.Parameter(name, kind))
            add_value_to_scope(scope, kind, name)
    return tuple(parameters)


def _draw_swifterror_or_failure_parameter(d: Draw, abi: str, scope: Scope) -> tuple[m.Parameter, ...]:
    """Draw a swifterror parameter, or a parameter that makes the ramp fail."""
    if d.options.errors and abi.startswith("retcon") and d.choices.chance(1, 6):
        d.errors.append(d.name("a"))
        return (m.Parameter(d.errors[-1], "ptr", error=True),)
    if d.options.fails and abi == "switch" and d.choices.chance(1, 8):
        name = d.name("a")
        add_value_to_scope(scope, "i1", name)
        return (m.Parameter(name, "i1"),)
    return ()


def _draw_variables(d: Draw, scope: Scope) -> tuple[m.Variable, ...]:
    """Draw allocas, one of them holding the address of another."""
    variables: list[m.Variable] = []
    for _ in range(d.choices.integer(0, d.options.variables)):
        variables.append(draw_alloca(d, "x", early=d.options.early and d.choices.chance(1, 2)))
        add_alloca_to_scope(scope, variables[-1])
    kept = [v for v in variables if v.kind == "i32"]
    if kept and d.options.addresses and d.choices.chance(1, 2):
        variables.append(m.Variable(d.name("k"), "ptr", d.choices.pick(kept).name))
        add_alloca_to_scope(scope, variables[-1])
    if len(variables) < d.options.variables and d.options.errors and d.choices.chance(1, 6):
        early = d.options.early and d.choices.chance(1, 2)
        variables.append(m.Variable(d.name("e"), "ptr", "null", early=early, error=True))
        d.errors.append(variables[-1].name)
    return tuple(variables)


def _draw_early_accesses(d: Draw, scope: Scope, variables: tuple[m.Variable, ...]) -> m.Body:
    """Draw accesses to allocas before llvm.coro.begin, while they are still on the stack."""
    out: Statements = []
    for item in variables:
        if not item.early or not d.options.early or not d.choices.chance(1, 3):
            continue
        if element_types(item.kind):
            let = draw_element_address(d, scope, (f"ptr {item.kind}", item.name))
            out += [let] if let else []
        elif item.kind == "i32":
            out.append(m.Do(f"call void @touch(ptr {item.name})"))
    return tuple(out)


def _draw_invoke_suspend_invoke(d: Draw, scope: Scope) -> tuple[str, m.Body]:
    """Draw exceptions that leave the ramp and the resumed coroutine, and the name of the first result."""
    first, last = m.Invoke(d.name("v"), draw_value(d, scope, "i32")), m.Invoke(d.name("v"), d.choices.pick(("6", "7")))
    add_value_to_scope(scope, "i32", first.name)
    return first.name, (first, *draw_suspend_or_access(d, scope), last)


def draw_coroutine(choices: Choices, options: Options, name: str, callees: tuple[m.Coroutine, ...] = ()) -> m.Coroutine:
    """Draw a coroutine that may create the others as children. A coroutine that others may create never throws."""
    abi = choices.pick(options.abis)
    if abi == "async":
        options = options.but(
            exceptions=False, byval=False, alignment=16, kinds=tuple(k for k in options.kinds if abi_alignment(k) <= 16)
        )
    d = Draw(choices, options, _draw_types(choices, options))
    d.callees = callees
    scope: Scope = {}
    tail = abi == "async" and options.results and choices.chance(1, 2)
    hands = tail or (abi == "async" and any(callee.returned and callee.returned.tail for callee in callees))
    taken = types_passed_in_register(d.types) if hands else _async_parameter_types_without_i128(d) if abi == "async" else d.types
    parameters = _draw_parameters(d, scope, taken)
    if len(parameters) < options.parameters:
        parameters += _draw_swifterror_or_failure_parameter(d, abi, scope)
    known = {kind: names for kind, names in scope.items() if not is_address(kind)}
    variables = _draw_variables(d, scope)
    early = _draw_early_accesses(d, scope, variables)
    if d.errors:  # LLVM's unoptimized x86 code loses a swifterror on the path to a landing pad
        d.options = d.options.but(exceptions=False)
    if abi != "switch":
        made = m.Coroutine(name, (), parameters, variables, early, guarded=False)
        return _draw_returned_body(d, _draw_conventions(d, abi, tail=tail), scope, made)
    promise = None
    if options.promise and choices.chance(1, 2):
        promise = draw_alloca(d, "q", early=False)
        add_alloca_to_scope(scope, promise)
    final = not (options.unended and choices.chance(1, 4))
    guarded = options.elision and choices.chance(2, 3)
    fails = choices.pick(known["i1"]) if options.fails and known.get("i1") and choices.chance(1, 2) else ""
    d.budget = choices.integer(1, options.statements)
    top = dict(scope)
    first, thrown = _draw_invoke_suspend_invoke(d, top) if final and options.ends and options.exceptions else ("", ())
    done = thrown + draw_body(d, top)
    done += tuple(draw_suspend_or_access(d, top)) if choices.draw_below(8) else ()
    done += tuple(draw_reports(d, top, 3))
    finish = tuple(draw_reports(d, scope, 1)) if final else ()
    after = tuple(draw_reports(d, known, 1))
    made = m.Coroutine(name, done, parameters, variables, early, promise, final, finish, (), fails, guarded, after)
    if final and options.compared and choices.chance(1, 2):
        made = replace(made, compared=choices.pick(("i16", "i32", "i64")))
    if thrown:
        return replace(made, ends=draw_cleanups(choices, first))
    if final and (not made.throws or THROWN_FINAL in options.faults):
        return replace(made, final_gone=tuple(draw_reports(d, scope, 1)))
    return made


def _draw_conventions(d: Draw, abi: str, *, tail: bool) -> m.Returned:
    """Draw the calling conventions of a retcon or async coroutine."""
    choices, once = d.choices, abi.startswith("retcon.once")
    yields = tuple(d.kind() for _ in range(choices.integer(0, 2)))
    kinds = types_passed_in_register(d.types) if tail else d.types
    results = tuple(choices.pick(kinds) for _ in range(choices.integer(0, 2) if d.options.results and (once or tail) else 0))
    if abi == "async":
        return m.Returned(yields, context=True, results=results, tail=tail)
    takes = choices.pick(("", "i32", "i64", "double"))
    size, align = choices.pick((8, 16, 32, 64, 256, 1024)), choices.pick((8, 16))
    return m.Returned(yields, takes, size, align, once, results=results, dynamic=abi == DYNAMIC)


def _draw_returned_body(d: Draw, how: m.Returned, scope: Scope, made: m.Coroutine) -> m.Coroutine:
    """Draw the body of a retcon or async coroutine. One that yields once does so between bodies that do not yield."""
    choices, once = d.choices, how.once
    d.budget = choices.integer(1, d.options.statements)
    d.returned, d.suspends = how, not once
    top = dict(scope)
    done = draw_body(d, scope)
    if once:
        d.suspends = True
        done += tuple(draw_suspend_or_access(d, scope))
        d.suspends = False
        done += draw_body(d, scope)
    done += tuple(draw_reports(d, scope, 3))
    finish: Statements = []
    for _ in range(choices.integer(0, 2)):
        finish += choices.pick((draw_computation, draw_access_or_pick))(d, top)
    finish += draw_reports(d, top, 1)
    results = tuple(draw_value(d, top, kind) for kind in how.results)
    return replace(made, body=done, finish=tuple(finish), returned=how, results=results)


def draw_drive(choices: Choices, options: Options, of: m.Coroutine) -> m.Drive:
    """Draw a drive of a coroutine."""
    given = tuple("" if p.error else draw_constant(choices, p.byval or p.kind) for p in of.parameters)
    steps = ("resume", "done", "promise") if of.promise else ("resume", "done")
    count = choices.integer(0, options.steps)
    return m.Drive(of.name, given, tuple(choices.pick(("resume", *steps)) for _ in range(count)))


def program(choices: Choices, options: Options = ALL) -> m.Program:
    """Draw a program. Its drives call the last coroutine; later coroutines may create earlier ones.

    >>> from pycoro import strategies
    >>> strategies.draw.program(strategies.choices.Seeded(17)) == strategies.sample(17)
    True
    """
    if not options.callers and DYNAMIC not in options.abis and choices.chance(options.built, 4):
        return _draw_built_program(choices, options)
    if options.callers:
        options = options.but(abis=("switch",), callees=("switch",))
    count = choices.integer(1, options.coroutines) if options.children else 1
    made: list[m.Coroutine] = []
    for number in range(count):
        last = number == count - 1
        fewer = min(options.statements, 8)
        abis = options.callees if choices.chance(1, 2) else options.callees[:1]
        inner = options if last else options.but(exceptions=False, fails=False, statements=fewer, abis=abis)
        made.append(draw_coroutine(choices, inner, _coroutine_name_by_letter(number), tuple(made)))
    if options.callers:
        return m.Program(tuple(made), callers=draw_callers(choices, options, tuple(made)))
    drives = tuple(draw_drive(choices, options, made[-1]) for _ in range(choices.integer(1, max(options.drives, 1))))
    return m.Program(tuple(made), drives)


def _draw_built_program(choices: Choices, options: Options) -> m.Program:
    """Draw a program that is emitted through pycoro.build. With malloc frames, it has no overaligned alloca."""
    if choices.chance(1, 2):
        options = options.but(alignment=min(options.alignment, 16), kinds=tuple(k for k in options.kinds if abi_alignment(k) <= 16))
    count = choices.integer(1, options.coroutines) if options.children else 1
    made: list[m.Built] = []
    for number in range(count - 1):
        abis = options.callees if choices.chance(1, 2) else options.callees[:1]
        inner = options.but(statements=min(options.statements, 8), abis=abis)
        made.append(draw_built_coroutine(choices, inner, _coroutine_name_by_letter(number), made, last=False))
    made.append(draw_built_coroutine(choices, options, _coroutine_name_by_letter(count - 1), made, last=True))
    drives: list[m.Drive] = []
    for _ in range(choices.integer(1, max(options.drives, 1))):
        given = tuple(str(choices.pick((0, 1, 2, 7, 100))) for _ in made[-1].parameters)
        steps = range(choices.integer(0, options.steps))
        drives.append(m.Drive(made[-1].name, given, tuple(choices.pick(("resume", "resume", "done")) for _ in steps)))
    return m.Program((), tuple(drives), built=tuple(made))


def _coroutine_name_by_letter(number: int) -> str:
    return "fghijklm"[number % 8] + str(number // 8 or "")


@takes(options=Options)
def sample(seed: int | str, options: Options = ALL) -> m.Program:
    """Return a program drawn from the seed: fast, reproducible and without hypothesis.

    >>> from pycoro import strategies
    >>> program = strategies.sample(17, strategies.SMALL)
    >>> report = pycoro.lower(strategies.module([program]))
    >>> "llvm.coro" in str(report.module)
    False
    """
    return program(Seeded(seed), options)
