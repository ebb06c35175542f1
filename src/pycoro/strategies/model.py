"""Programs of coroutines as plain data: what `pycoro.strategies` draws, and what can as well be written by hand.

A body is a tree of statements. Instructions that compute are text, as LLVM spells it, since nothing here needs to look
into them; control flow, suspends and what must be cleaned up are objects, since what they become depends on the ABI and
on what is around them. Names of values begin with ``%`` and are each defined once in a coroutine; names that begin with
``%.`` are the printer's own.

Every object is immutable, compares by value, and its ``repr`` is the expression that makes it.
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
    "Resume",
    "Returned",
    "Say",
    "Statement",
    "Suspend",
    "Switch",
    "Tangle",
    "Variable",
]


@dataclass(frozen=True, slots=True, repr=False)
class Let(Plain):
    """An instruction with a result: ``Let("%v1", "add i32 %a, 1")``.

    >>> from pycoro.strategies import Coroutine, Let, Program, module
    >>> program = Program((Coroutine("f", (Let("%v1", "add i32 1, 2"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%v1" in line]
    ['%v1 = add i32 1, 2']
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Do(Plain):
    """An instruction without a result, as a store.

    >>> from pycoro.strategies import Coroutine, Do, Program, module
    >>> program = Program((Coroutine("f", (Do("fence seq_cst"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "fence" in line]
    ['fence seq_cst']
    """

    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Say(Plain):
    """Tells a value to the outside, part by part where it is not a scalar.

    >>> from pycoro.strategies import Coroutine, Program, Say, module
    >>> program = Program((Coroutine("f", (Say("i32", "7"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "call void @say" in line]
    ['call void @say_i32(i32 7)']
    """

    kind: str
    value: str


@dataclass(frozen=True, slots=True, repr=False)
class Suspend(Plain):
    """A suspend point. ``name`` is what llvm.coro.suspend gives, or what the caller passes in. ``save`` are statements
    between llvm.coro.save and the suspend, None where there is no save apart; ``gone`` is what the way to the cleanup does
    first; ``yields`` are the values given to the caller where the ABI gives any.

    >>> from pycoro.strategies import Coroutine, Program, Suspend, module
    >>> program = Program((Coroutine("f", (Suspend("%s1"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%s1 =" in line]
    ['%s1 = call i8 @llvm.coro.suspend(token none, i1 false)']
    """

    name: str
    save: Body | None = None
    gone: Body = ()
    branches: bool = False
    """Whether the result is told apart by branches, not by a switch."""
    yields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Phi(Plain):
    """A PHI with a value for each edge, in their order.

    >>> from pycoro.strategies import Coroutine, If, Phi, Program, module
    >>> program = Program((Coroutine("f", (If("true", (), (), (Phi("%p", "i32", ("1", "2")),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%p =" in line]
    ['%p = phi i32 [ 1, %then1 ], [ 2, %start ]']
    """

    name: str
    kind: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class If(Plain):
    """Two ways that join. The PHIs have a value for each way that reaches the join.

    >>> from pycoro.strategies import Coroutine, If, Program, Say, module
    >>> program = Program((Coroutine("f", (If("true", (Say("i32", "1"),), (Say("i32", "2"),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "br i1 true" in line or "@say_i32(i32 " in line]
    ['br i1 true, label %then1, label %else1', 'call void @say_i32(i32 1)', 'call void @say_i32(i32 2)']
    """

    condition: str
    then: Body
    other: Body = ()
    phis: tuple[Phi, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Switch(Plain):
    """A switch over a value; the first way is the default, and each other one has its numbers.

    >>> from pycoro.strategies import Coroutine, Program, Say, Switch, module
    >>> program = Program((Coroutine("f", (Switch("i32", "7", ((), (Say("i32", "1"),)), ((7, 8),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "switch i32 7" in line]
    ['switch i32 7, label %way1.0 [ i32 7, label %way1.1 i32 8, label %way1.1 ]']
    """

    kind: str
    value: str
    ways: tuple[Body, ...]
    numbers: tuple[tuple[int, ...], ...]
    """For all ways but the first."""
    phis: tuple[Phi, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Carried(Plain):
    """A value that a loop carries around: the one before the loop, and the one at its end.

    >>> from pycoro.strategies import Carried, Coroutine, Let, Loop, Program, module
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
    """A body that is done ``times`` times, at least once; ``counter`` is an i32 that counts from 0.

    >>> from pycoro.strategies import Coroutine, Loop, Program, Say, module
    >>> program = Program((Coroutine("f", (Loop("%counter", 3, (Say("i32", "%counter"),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%counter" in line]
    ['%counter = phi i32 [ 0, %start ], [ %next1, %loop1 ]', 'call void @say_i32(i32 %counter)', '%next1 = add i32 %counter, 1']
    """

    counter: str
    times: int
    body: Body
    carried: tuple[Carried, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Block(Plain):
    """A part of a tangle: PHIs with a value for each block that may come before (by number; first the way in, for the
    first block), statements, then a jump to the first of ``to``, or by the condition to one or the other.

    >>> from pycoro.strategies import Block, Coroutine, Program, Say, Tangle, module
    >>> blocks = Block((Say("i32", "1"),), (1,)), Block((Say("i32", "2"),), (0, 1), "true")
    >>> program = Program((Coroutine("f", (Tangle("%fuel", 5, blocks),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "@say_i32(i32 " in line]
    ['call void @say_i32(i32 1)', 'call void @say_i32(i32 2)']
    """

    body: Body
    to: tuple[int, ...]
    condition: str = ""
    phis: tuple[Phi, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Tangle(Plain):
    """Blocks that jump to each other anyhow, and so often at most; ``fuel`` is the i32 that counts down in them. The
    PHIs join the ways out, one of each block that does not leave the coroutine.

    >>> from pycoro.strategies import Block, Coroutine, Program, Tangle, module
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
    """A variable with lifetime markers around a body. ``told`` tells its value where its life ends, on each way.

    >>> from pycoro.strategies import Coroutine, Local, Program, module
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
    """Whether its life also ends on the ways on which the coroutine is destroyed."""
    asked: bool = False
    """Whether llvm.coro.alloca.alloc makes it where its life begins; then llvm.coro.alloca.free ends it on each way."""
    known: bool = False
    """Whether its address is kept before its life begins, and it is filled by that."""


@dataclass(frozen=True, slots=True, repr=False)
class Child(Plain):
    """Another coroutine of the program, that lives while the body runs; then, and where this one goes, it is destroyed.

    >>> from pycoro.strategies import Child, Coroutine, Program, Suspend, module
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
    """Suspends an async coroutine, and begins another, which goes on with this one when it ends: ``names`` are what it gives.
    The other one must be one of `Returned.tail`.

    >>> from pycoro.strategies import Call, Coroutine, Program, Returned, module
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
    """Resumes a child unless it is done, then tells its promise where it has one.

    >>> from pycoro.strategies import Child, Coroutine, Program, Resume, Suspend, module
    >>> child, parent = Coroutine("g", (Suspend("%s1"),)), Coroutine("f", (Child("%c", "g", (), (Resume("%c"),)),))
    >>> [line.strip() for line in module([Program((child, parent))]).splitlines() if "call" in line and "coro.resume(" in line]
    ['call void @llvm.coro.resume(ptr %c)']
    """

    child: str


@dataclass(frozen=True, slots=True, repr=False)
class Await(Plain):
    """Suspends through llvm.coro.await.suspend, of the form ``void``, ``bool`` or ``handle``: the last transfers to the
    child. ``gone`` is as in `Suspend`; a bool decides whether to suspend by ``value``, an i1.

    >>> from pycoro.strategies import Await, Coroutine, Program, module
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
    """A call that throws if its i32 is odd, and else gives it plus one as ``name``. What is thrown is caught, unless
    ``caught`` is None: then it leaves the coroutine. The PHIs have a value for each way that reaches the join.

    >>> from pycoro.strategies import Coroutine, Invoke, Program, module
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
    """Goes to the end of the coroutine: to its final suspend point where it has one. Last in its body.

    >>> from pycoro.strategies import Coroutine, If, Leave, Program, module
    >>> program = Program((Coroutine("f", (If("true", (Leave(),)),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "br i1 true" in line]
    ['br i1 true, label %then1, label %join1']
    """


Statement: TypeAlias = (
    Let | Do | Say | Suspend | If | Switch | Loop | Tangle | Local | Child | Call | Resume | Await | Invoke | Leave
)
"""What a body is made of.

>>> import typing
>>> from pycoro.strategies import Say, Statement
>>> Say in typing.get_args(Statement)
True
"""
Body: TypeAlias = tuple[Statement, ...]
"""Statements, in their order.

>>> from pycoro.strategies import Body, Say, Suspend
>>> body: Body = (Suspend("%s1"), Say("i32", "7"))
>>> len(body)
2
"""


@dataclass(frozen=True, slots=True, repr=False)
class Parameter(Plain):
    """A parameter of a coroutine. ``byval`` is the type that a pointer's memory is passed of, ``align`` that memory's;
    ``error`` is for a swifterror, which is passed whenever a coroutine that returns its continuations is called.

    >>> from pycoro.strategies import Coroutine, Parameter, Program, Say, module
    >>> program = Program((Coroutine("f", (Say("i32", "%a"),), (Parameter("%a", "i32"),)),))
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
    """An alloca that lives as long as the coroutine, filled with a value before it is used: before llvm.coro.begin
    where ``early``. One of ``error`` is a swifterror.

    >>> from pycoro.strategies import Coroutine, Program, Say, Variable, module
    >>> program = Program((Coroutine("f", (Say("ptr", "%x"),), variables=(Variable("%x", "i64", "7"),)),))
    >>> [line.strip() for line in module([program]).splitlines() if "%x" in line and "say" not in line]
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
    """How a coroutine is called that returns its continuations: the types of what it yields and of what it is passed
    when it goes on (none where empty), and the caller's buffer, in bytes. ``once`` is for those that yield just once;
    ``context`` for async ones: they have a context for a buffer, and are passed nothing.

    >>> from pycoro.strategies import Coroutine, Program, Returned, Suspend, module
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
    """The types of what it gives in the end: to who calls its only continuation, or to what its context names."""
    tail: bool = False
    """Whether an async coroutine ends in a call of what its context names, so that another one may `Call` it."""


@dataclass(frozen=True, slots=True, repr=False)
class Coroutine(Plain):
    """A coroutine. With ``final`` it ends in a final suspend point, else it frees its frame itself.

    >>> from pycoro.strategies import Coroutine, Program, Say, Suspend, module
    >>> program = Program((Coroutine("f", (Suspend("%s1"), Say("i32", "7"))),))
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
    """What is done before the final suspend point, however it is reached; or before the end, where there is none such."""
    final_gone: Body = ()
    """What is done when the coroutine is destroyed there."""
    fails: str = ""
    """An i1: whether the ramp frees the frame at once and gives null."""
    guarded: bool = True
    """Whether it asks llvm.coro.alloc if its frame must be allocated, as is needed for elision."""
    after: Body = ()
    """What the ramp does after llvm.coro.end."""
    returned: Returned | None = None
    """For the ABIs whose suspends return; else the coroutine has a handle. There ``final``, ``promise``, ``guarded`` and
    ``fails`` mean nothing."""
    results: tuple[str, ...] = ()
    """What it gives in the end: a value for each type of `Returned.results`."""
    compared: str = ""
    """A type of integers wider than a byte: behind the final suspend point constants of it are compared."""
    ends: Ends | None = None
    """How it is cleaned up where there is a final suspend point, if that is not by a frame that is freed alone."""

    @property
    def abi(self) -> str:
        """``switch``, ``retcon``, ``retcon.once`` or ``async``."""
        if not self.returned:
            return "switch"
        return "async" if self.returned.context else "retcon.once" if self.returned.once else "retcon"

    @property
    def throws(self) -> bool:
        """Whether an exception may leave it."""
        return any(isinstance(item, Invoke) and item.caught is None for item in walk(self.body))


@dataclass(frozen=True, slots=True, repr=False)
class Drive(Plain):
    """What a caller does with a coroutine: starts it, does the ``steps`` (``resume``, ``done``, ``promise``), and
    destroys what is left of it.

    >>> from pycoro.strategies import Coroutine, Drive, Program, Suspend, module
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
    """Coroutines, each before those that use it, and what is done with them: what the drives say, and then what the last of
    the callers does, of which each may call those before it.

    >>> from pycoro.strategies import Coroutine, Drive, Program, Say, module
    >>> program = Program((Coroutine("f", (Say("i32", "7"),)),), (Drive("f"),))
    >>> program.coroutine("f").abi
    'switch'
    >>> [name for name in pycoro.Module(module([program])).functions if name.startswith("drive")]
    ['drive0', 'drives']
    """

    coroutines: tuple[Coroutine, ...]
    drives: tuple[Drive, ...] = ()
    callers: tuple[Caller, ...] = ()
    built: tuple[Built, ...] = ()
    """Instead of the others: coroutines that are written through :mod:`pycoro.build`, and their drives as well."""

    def coroutine(self, name: str) -> Coroutine:
        """The coroutine of the name."""
        return next(item for item in self.coroutines if item.name == name)


def bodies(statement: Statement) -> tuple[Body, ...]:
    """The bodies that a statement holds."""
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


def walk(body: Body) -> list[Statement]:
    """All statements of a body, those inside of others too, in the order of the program."""
    found: list[Statement] = []
    for statement in body:
        found.append(statement)
        for inner in bodies(statement):
            found += walk(inner)
    return found
