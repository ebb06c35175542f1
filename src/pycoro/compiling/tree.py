"""A function as it is compiled: its signature, and its body as a tree whose every expression has a type."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pycoro.compiling.kinds import NONE, Kind

__all__ = [
    "Answer", "Ask", "Assert", "Assign", "Builtin", "Call", "Choose", "Compare", "Compute", "Constant", "Convert", "Delegate",
    "Element", "Evaluate", "Expression", "ForArray", "ForGenerator", "ForRange", "Function", "Held", "If", "Item", "Leave",
    "Length", "Local", "Logic", "Loop", "Made", "Negate", "Place", "Raise", "Return", "Signature", "Statement", "Target",
    "Test", "Try", "Unpack", "While", "Yield",
]  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Where in the source: lines from 1, columns from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Signature:
    """A function as others see it. ``sort`` is "function", "generator" or "coroutine"."""

    name: str
    sort: str
    parameters: tuple[tuple[str, Kind], ...]
    returns: Kind
    yields: Kind = NONE
    sends: Kind = NONE


@dataclass(frozen=True)
class Expression:
    kind: Kind
    place: Place


@dataclass(frozen=True)
class Constant(Expression):
    value: int | float | bool | None


@dataclass(frozen=True)
class Local(Expression):
    """A variable; ``sure`` where it is bound on every way to here."""

    name: str
    sure: bool


@dataclass(frozen=True)
class Compute(Expression):
    """An operation of two numbers by Python's sign, as ``"//"``."""

    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Negate(Expression):
    """``-``, ``~`` or ``not`` of one operand."""

    sign: str
    of: Expression


@dataclass(frozen=True)
class Compare(Expression):
    signs: tuple[str, ...]
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Logic(Expression):
    """``and`` or ``or``: the value of one of two operands of one type."""

    word: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Test(Expression):
    """Whether a value is true, as ``if`` asks it."""

    of: Expression


@dataclass(frozen=True)
class Choose(Expression):
    test: Expression
    then: Expression
    other: Expression


@dataclass(frozen=True)
class Made(Expression):
    """A tuple."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Item(Expression):
    of: Expression
    index: int


@dataclass(frozen=True)
class Element(Expression):
    """An element of the array that a parameter is."""

    array: str
    index: Expression


@dataclass(frozen=True)
class Held(Expression):
    """The element that an assignment as ``+=`` changes, as it was: its index is asked once."""


@dataclass(frozen=True)
class Length(Expression):
    array: str


@dataclass(frozen=True)
class Convert(Expression):
    of: Expression


@dataclass(frozen=True)
class Builtin(Expression):
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Call(Expression):
    """Of another function, or of itself where ``of`` is None; of a generator or a coroutine only within what drives it."""

    of: Any
    signature: Signature
    arguments: tuple[Expression | str, ...]
    """A text is the name of an array."""


@dataclass(frozen=True)
class Yield(Expression):
    value: Expression
    taken: bool
    """Whether somebody asks what is sent."""


@dataclass(frozen=True)
class Delegate(Expression):
    """``yield from``, ``await``: another runs in its place; what that returns."""

    call: Call


@dataclass(frozen=True)
class Answer:
    """What a suspend asks Python for: an awaitable, by a callable and the types of its arguments and of what it gives."""

    callable: Any
    parameters: tuple[Kind, ...]
    returns: Kind


@dataclass(frozen=True)
class Ask(Expression):
    number: int
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Unpack:
    targets: tuple[Target, ...]


Target: TypeAlias = Local | Element | Unpack


@dataclass(frozen=True)
class Assign:
    target: Target
    value: Expression
    augmented: bool = False
    """Whether it is one of an element as ``+=``, whose value knows what it was."""


@dataclass(frozen=True)
class Evaluate:
    value: Expression


@dataclass(frozen=True)
class If:
    test: Expression
    then: list[Statement]
    other: list[Statement]


@dataclass(frozen=True)
class While:
    test: Expression
    body: list[Statement]
    tries: bool
    """Whether a ``finally`` may raise on a way out of it."""


@dataclass(frozen=True)
class ForRange:
    target: Target
    start: Expression
    stop: Expression
    step: Expression
    body: list[Statement]
    tries: bool
    place: Place


@dataclass(frozen=True)
class ForArray:
    target: Target
    array: str
    element: Kind
    body: list[Statement]
    tries: bool
    place: Place


@dataclass(frozen=True)
class ForGenerator:
    target: Target
    call: Call
    body: list[Statement]
    tries: bool


@dataclass(frozen=True)
class Leave:
    """``break`` or ``continue``."""

    word: str


@dataclass(frozen=True)
class Return:
    value: Expression | None


@dataclass(frozen=True)
class Raise:
    error: type[BaseException]
    arguments: tuple[object, ...]
    place: Place


@dataclass(frozen=True)
class Assert:
    test: Expression
    failed: Raise


@dataclass(frozen=True)
class Try:
    body: list[Statement]
    finally_: list[Statement]


Loop: TypeAlias = While | ForRange | ForArray | ForGenerator
Statement: TypeAlias = Assign | Evaluate | If | Loop | Leave | Return | Raise | Assert | Try


@dataclass(eq=False)
class Function:
    """A function that was read. Two of the same text are two: what they call may differ."""

    signature: Signature
    file: str
    line: int
    body: list[Statement] = field(default_factory=list["Statement"])
    locals: dict[str, Kind] = field(default_factory=dict[str, Kind])
    unsure: set[str] = field(default_factory=set[str])
    """Variables that may be unbound somewhere where they are read."""
    written: set[str] = field(default_factory=set[str])
    """Arrays whose elements are assigned to."""
    passed: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Where it calls itself: an array of its own, and the parameter that the array is there."""
    calls: list[Any] = field(default_factory=list[Any])
    """The other functions that it calls, each once."""
    recursive: bool = False
    delegates: bool = False
    asks: list[Answer] = field(default_factory=list[Answer])
