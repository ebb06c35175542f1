"""Programs of coroutines as plain data, drawn by `pycoro.strategies` or written by hand.

A body is a tree of statements. Computations are LLVM assembly text. Control flow, suspends and cleanups are objects,
because their lowering depends on the ABI and the enclosing statements. Value names begin with ``%`` and are unique in a
coroutine; names that begin with ``%.`` are reserved for the printer.

Every object is immutable, compares by value, and its ``repr`` is the expression that recreates it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from pycoro.strategies.acts import Caller
from pycoro.strategies.built import Built
from pycoro.strategies.ends import Ends
from pycoro.strategies.plain import Plain

__all__ = [
    "Await",
    "Block",
    "Body",
    "Built",
    "Call",
    "Carried",
    "Child",
    "Coroutine",
    "Do",
    "Drive",
    "Ends",
    "If",
    "Invoke",
    "Leave",
    "Let",
    "Local",
    "Loop",
    "Parameter",
    "Phi",
    "Program",
    "ReportValue",
    "Resume",
    "Returned",
    "Statement",
    "Suspend",
    "Switch",
    "Tangle",
    "Variable",
]


@dataclass(frozen=True, slots=True, repr=False)
class Let(Plain):
    """An instruction with a result: ``Let("%v1", "add i32 %a, 1")``.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Let, Program
    >>> program = Program((Coroutine("f", (Let("%v1", "add i32 1, 2"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%v1" in line]
    ['%v1 = add i32 1, 2']
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Do(Plain):
    """An instruction without a result, such as a store.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Do, Program
    >>> program = Program((Coroutine("f", (Do("fence seq_cst"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "fence" in line]
    ['fence seq_cst']
    """

    text: str


@dataclass(frozen=True, slots=True, repr=False)
class ReportValue(Plain):
    """Report a value to the host; aggregates are reported element by element.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Program, ReportValue
    >>> program = Program((Coroutine("f", (ReportValue("i32", "7"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "call void @report" in line]
    ['call void @report_i32(i32 7)']
    """

    kind: str
    value: str


@dataclass(frozen=True, slots=True, repr=False)
class Suspend(Plain):
    """A suspend point. ``name`` is the result of llvm.coro.suspend, or the value that the caller passes. ``save`` are
    statements between llvm.coro.save and the suspend; None omits the save. ``gone`` are the first statements of the cleanup
    path, and ``yields`` the values returned to the caller if the ABI has any.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Program, Suspend
    >>> program = Program((Coroutine("f", (Suspend("%s1"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%s1 =" in line]
    ['%s1 = call i8 @llvm.coro.suspend(token none, i1 false)']
    """

    name: str
    save: Body | None = None
    gone: Body = ()
    branches: bool = False
    """True if branches test the result, instead of a switch."""
    yields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Phi(Plain):
    """A PHI with a value for each incoming edge, in their order.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, If, Phi, Program
    >>> program = Program((Coroutine("f", (If("true", (), (), (Phi("%p", "i32", ("1", "2")),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%p =" in line]
    ['%p = phi i32 [ 1, %then1 ], [ 2, %start ]']
    """

    name: str
    kind: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class If(Plain):
    """Two branches that join. The PHIs have a value for each branch that reaches the join.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, If, Program, ReportValue
    >>> program = Program((Coroutine("f", (If("true", (ReportValue("i32", "1"),), (ReportValue("i32", "2"),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "br i1 true" in line or "@report_i32(i32 " in line]
    ['br i1 true, label %then1, label %else1', 'call void @report_i32(i32 1)', 'call void @report_i32(i32 2)']
    """

    condition: str
    then: Body
    other: Body = ()
    phis: tuple[Phi, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Switch(Plain):
    """A switch over a value; the first successor is the default, and each other one has its case numbers.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Program, ReportValue, Switch
    >>> program = Program((Coroutine("f", (Switch("i32", "7", ((), (ReportValue("i32", "1"),)), ((7, 8),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "switch i32 7" in line]
    ['switch i32 7, label %way1.0 [ i32 7, label %way1.1 i32 8, label %way1.1 ]']
    """

    kind: str
    value: str
    ways: tuple[Body, ...]
    numbers: tuple[tuple[int, ...], ...]
    """Case numbers of all successors but the first."""
    phis: tuple[Phi, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Carried(Plain):
    """A loop-carried value: the initial value, and the one at the end of an iteration.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Carried, Coroutine, Let, Loop, Program
    >>> program = Program((Coroutine("f", (Loop("%i", 3, (Let("%b", "shl i32 %a, 1"),), (Carried("%a", "i32", "1", "%b"),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%a = " in line]
    ['%a = phi i32 [ 1, %start ], [ %b, %loop1 ]']
    """

    name: str
    kind: str
    first: str
    next: str


@dataclass(frozen=True, slots=True, repr=False)
class Loop(Plain):
    """A body that runs ``times`` times, at least once; ``counter`` is an i32 that counts from 0.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Loop, Program, ReportValue
    >>> program = Program((Coroutine("f", (Loop("%counter", 3, (ReportValue("i32", "%counter"),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%counter" in line]
    ['%counter = phi i32 [ 0, %start ], [ %next1, %loop1 ]', 'call void @report_i32(i32 %counter)', '%next1 = add i32 %counter, 1']
    """

    counter: str
    times: int
    body: Body
    carried: tuple[Carried, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Block(Plain):
    """A block of a tangle: PHIs, statements, and a jump to the first of ``to`` or a conditional branch to both. The PHIs have
    a value for each predecessor, by block number; in the first block, the entry edge comes first.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Block, Coroutine, Program, ReportValue, Tangle
    >>> blocks = Block((ReportValue("i32", "1"),), (1,)), Block((ReportValue("i32", "2"),), (0, 1), "true")
    >>> program = Program((Coroutine("f", (Tangle("%fuel", 5, blocks),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "@report_i32(i32 " in line]
    ['call void @report_i32(i32 1)', 'call void @report_i32(i32 2)']
    """

    body: Body
    to: tuple[int, ...]
    condition: str = ""
    phis: tuple[Phi, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Tangle(Plain):
    """Blocks with arbitrary jumps between them; ``fuel`` is the i32 that bounds their number. The PHIs join the exits, one of
    each block that does not leave the coroutine.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Block, Coroutine, Program, Tangle
    >>> program = Program((Coroutine("f", (Tangle("%fuel", 5, (Block((), (1,)), Block((), (0, 1), "true"))),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%fuel.0 =" in line]
    ['%fuel.0 = phi i32 [ 5, %start ], [ %left1.1, %on1.1 ]']
    """

    fuel: str
    jumps: int
    blocks: tuple[Block, ...]
    phis: tuple[Phi, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Local(Plain):
    """An alloca with lifetime markers around a body. ``told`` reports its value at the end of its lifetime, on each path.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Local, Program
    >>> program = Program((Coroutine("f", (Local("%x", "i32", "7", ()),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "(ptr %x)" in line]
    ['call void @llvm.lifetime.start.p0(ptr %x)', 'call void @llvm.lifetime.end.p0(ptr %x)']
    """

    name: str
    kind: str
    value: str
    body: Body
    align: int = 0
    told: bool = False
    marked_on_unwind: bool = True
    """True if its lifetime also ends on the paths that leave the body early: destruction, `Leave` and exceptions."""
    asked: bool = False
    """True if llvm.coro.alloca.alloc allocates it, and llvm.coro.alloca.free frees it on each path."""
    known: bool = False
    """True if its address is stored before its lifetime begins, and initializes it."""


@dataclass(frozen=True, slots=True, repr=False)
class Child(Plain):
    """Another coroutine of the program, which lives while the body runs. It is destroyed after the body and on every exit from
    it.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Child, Coroutine, Program, Suspend
    >>> child, parent = Coroutine("g", (Suspend("%s1"),)), Coroutine("f", (Child("%c", "g", (), ()),))
    >>> [line.strip() for line in module([Program((child, parent))]).splitlines() if "call" in line and "%c" in line]
    ['%c = call ptr @g()', 'call void @llvm.coro.destroy(ptr %c)']
    """

    name: str
    coroutine: str
    arguments: tuple[str, ...]
    body: Body
    elide_safe: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Call(Plain):
    """Suspend an async coroutine, and run another one that resumes this one at its end; ``names`` are its results. The callee
    needs `Returned.tail`.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Call, Coroutine, Program, Returned
    >>> first = Coroutine("g", (), returned=Returned(context=True, tail=True))
    >>> program = Program((first, Coroutine("f", (Call("g", ()),), returned=Returned(context=True))))
    >>> len(pycoro.Module(module([program])).coroutines["f"].suspends)
    1
    """

    coroutine: str
    arguments: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Resume(Plain):
    """Resume a child unless it is done, then report its promise if it has one.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Child, Coroutine, Program, Resume, Suspend
    >>> child, parent = Coroutine("g", (Suspend("%s1"),)), Coroutine("f", (Child("%c", "g", (), (Resume("%c"),)),))
    >>> [line.strip() for line in module([Program((child, parent))]).splitlines() if "call" in line and "coro.resume(" in line]
    ['call void @llvm.coro.resume(ptr %c)']
    """

    child: str


@dataclass(frozen=True, slots=True, repr=False)
class Await(Plain):
    """Suspend through llvm.coro.await.suspend of the form ``void``, ``bool`` or ``handle``; the last transfers to the child.
    ``gone`` is as in `Suspend`. The bool form suspends if ``value``, an i1, is true.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Await, Coroutine, Program
    >>> program = Program((Coroutine("f", (Await("%s1", "void"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "await.suspend" in line and "call" in line]
    ['call void @llvm.coro.await.suspend.void(ptr %awaiter1, ptr %hdl, ptr @await_void)']
    """

    name: str
    form: str
    child: str = ""
    value: str = "true"
    gone: Body = ()


@dataclass(frozen=True, slots=True, repr=False)
class Invoke(Plain):
    """A call that throws if its i32 is odd, and otherwise returns it plus one as ``name``. The exception is caught, unless
    ``caught`` is None: then it leaves the coroutine. The PHIs have a value for each path that reaches the join.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Invoke, Program
    >>> program = Program((Coroutine("f", (Invoke("%v1", "7", caught=()),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "invoke" in line]
    ['%v1 = invoke i32 @may_throw(i32 7) to label %fine1 unwind label %pad1']
    """

    name: str
    value: str
    then: Body = ()
    caught: Body | None = None
    phis: tuple[Phi, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Leave(Plain):
    """Branch to the end of the coroutine, or to its final suspend point if it has one. Last in its body.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, If, Leave, Program
    >>> program = Program((Coroutine("f", (If("true", (Leave(),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "br i1 true" in line]
    ['br i1 true, label %then1, label %join1']
    """


Statement: TypeAlias = (
    Let | Do | ReportValue | Suspend | If | Switch | Loop | Tangle | Local | Child | Call | Resume | Await | Invoke | Leave
)
"""Any statement of a body.

>>> import typing
>>> from pycoro.strategies.model import ReportValue, Statement
>>> ReportValue in typing.get_args(Statement)
True
"""
Body: TypeAlias = tuple[Statement, ...]
"""Statements in execution order.

>>> from pycoro.strategies.model import Body, ReportValue, Suspend
>>> body: Body = (Suspend("%s1"), ReportValue("i32", "7"))
>>> len(body)
2
"""


@dataclass(frozen=True, slots=True, repr=False)
class Parameter(Plain):
    """A parameter of a coroutine. ``byval`` is its byval type, and ``align`` the alignment of that memory. ``error`` marks a
    swifterror, which every call of a retcon coroutine passes.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Parameter, Program, ReportValue
    >>> program = Program((Coroutine("f", (ReportValue("i32", "%a"),), (Parameter("%a", "i32"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "@f(" in line]
    ['define ptr @f(i32 %a) presplitcoroutine {']
    """

    name: str
    kind: str
    byval: str = ""
    align: int = 0
    error: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Variable(Plain):
    """An alloca that lives as long as the coroutine, and is initialized: before llvm.coro.begin if ``early``. ``error`` marks
    a swifterror.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Program, ReportValue, Variable
    >>> program = Program((Coroutine("f", (ReportValue("ptr", "%x"),), variables=(Variable("%x", "i64", "7"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%x" in line and "report" not in line]
    ['%x = alloca i64', 'store i64 7, ptr %x']
    """

    name: str
    kind: str
    value: str
    align: int = 0
    early: bool = False
    error: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Returned(Plain):
    """Calling convention of a retcon or async coroutine: the yielded types, the type of the value passed on resume (empty for
    none), and the size of the caller's buffer in bytes. ``once`` is for coroutines that yield once. ``context`` marks async
    ones, which have a context as buffer and are passed no value.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Program, Returned, Suspend
    >>> program = Program((Coroutine("f", (Suspend("%s1", yields=("7",)),), returned=Returned(("i32",))),))
    >>> [line.strip() for line in module([program]).splitlines() if "%s1 =" in line]
    ['%s1 = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 7)']
    """

    yields: tuple[str, ...] = ()
    takes: str = ""
    size: int = 8
    align: int = 8
    once: bool = False
    context: bool = False
    results: tuple[str, ...] = ()
    """Result types at the end, returned by the only continuation or passed to the function in the context."""
    tail: bool = False
    """True if an async coroutine ends with a tail call of the function in its context, as `Call` requires."""
    dynamic: bool = False
    """True if the caller allocates the frame of a coroutine that yields once, and passes an allocator."""


@dataclass(frozen=True, slots=True, repr=False)
class Coroutine(Plain):
    """A coroutine. With ``final`` it ends at a final suspend point; otherwise it frees its frame.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Program, ReportValue, Suspend
    >>> program = Program((Coroutine("f", (Suspend("%s1"), ReportValue("i32", "7"))),))
    >>> len(pycoro.Module(module([program])).coroutines["f"].suspends)
    2
    """

    name: str
    body: Body
    parameters: tuple[Parameter, ...] = ()
    variables: tuple[Variable, ...] = ()
    early: Body = ()
    """Instructions before llvm.coro.begin."""
    promise: Variable | None = None
    final: bool = True
    finish: Body = ()
    """Statements before the final suspend point, on every path; without one, before the end."""
    final_gone: Body = ()
    """Statements of the destruction at the final suspend point."""
    fails: str = ""
    """An i1: if true, the ramp frees the frame at once and returns null."""
    guarded: bool = True
    """True if llvm.coro.alloc decides if the frame is allocated, as elision requires."""
    after: Body = ()
    """Statements of the ramp after llvm.coro.end."""
    returned: Returned | None = None
    """Convention of the ABIs whose suspends return; None for a coroutine with a handle. With it, ``final``, ``promise``,
    ``guarded`` and ``fails`` have no effect.
    """
    results: tuple[str, ...] = ()
    """Results at the end: a value for each type of `Returned.results`."""
    compared: str = ""
    """An integer type wider than a byte, whose constants are compared after the final suspend point."""
    ends: Ends | None = None
    """Cleanups of a coroutine with a final suspend point; None only frees the frame."""

    @property
    def abi(self) -> str:
        """Return ``switch``, ``retcon``, ``retcon.once``, ``retcon.once.dynamic`` or ``async``."""
        if not self.returned:
            return "switch"
        if self.returned.dynamic:
            return "retcon.once.dynamic"
        return "async" if self.returned.context else "retcon.once" if self.returned.once else "retcon"

    @property
    def throws(self) -> bool:
        """Return True if an exception may leave it."""
        return any(isinstance(item, Invoke) and item.caught is None for item in all_statements(self.body))


@dataclass(frozen=True, slots=True, repr=False)
class Drive(Plain):
    """Operations of a caller on a coroutine: it starts it, runs the ``steps`` (``resume``, ``done``, ``promise``), and
    destroys it if it still exists.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Drive, Program, Suspend
    >>> program = Program((Coroutine("f", (Suspend("%s1"),)),), (Drive("f", steps=("resume",)),))
    >>> drive = str(pycoro.Module(module([program])).functions["drive0"])
    >>> [drive.count(f"@llvm.coro.{word}(") for word in ("resume", "destroy")]
    [1, 1]
    """

    coroutine: str
    arguments: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Program(Plain):
    """Coroutines, each before its users, with drives and callers. Running the program runs the drives, then the last caller. A
    caller may call those before it.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.model import Coroutine, Drive, Program, ReportValue
    >>> program = Program((Coroutine("f", (ReportValue("i32", "7"),)),), (Drive("f"),))
    >>> program.coroutine("f").abi
    'switch'
    >>> [name for name in pycoro.Module(module([program])).functions if name.startswith("drive")]
    ['drive0', 'drives']
    """

    coroutines: tuple[Coroutine, ...]
    drives: tuple[Drive, ...] = ()
    callers: tuple[Caller, ...] = ()
    built: tuple[Built, ...] = ()
    """Coroutines that are emitted through :mod:`pycoro.build`, with their drives; they replace the others."""

    def coroutine(self, name: str) -> Coroutine:
        """Return the coroutine of that name."""
        return next(item for item in self.coroutines if item.name == name)


def bodies(statement: Statement) -> tuple[Body, ...]:
    """Return the bodies of a statement."""
    inner = _BODIES.get(type(statement))
    return inner(statement) if inner else ()


_BODIES: dict[type, Callable[[Any], tuple[Body, ...]]] = {
    If: lambda s: (s.then, s.other),
    Switch: lambda s: s.ways,
    Loop: lambda s: (s.body,),
    Local: lambda s: (s.body,),
    Child: lambda s: (s.body,),
    Tangle: lambda s: tuple(block.body for block in s.blocks),
    Suspend: lambda s: (s.save or (), s.gone),
    Await: lambda s: (s.gone,),
    Invoke: lambda s: (s.then, s.caught or ()),
}


def all_statements(body: Body) -> list[Statement]:
    """Return all statements of a body in program order, including nested ones."""
    found: list[Statement] = []
    for statement in body:
        found.append(statement)
        for inner in bodies(statement):
            found += all_statements(inner)
    return found
