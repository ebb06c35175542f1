"""Typed syntax tree of a compiled function, and its signature."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pycoro.compiling.kinds import NONE, Kind

__all__ = [
    "ArrayElement",
    "Assert",
    "Assign",
    "Builtin",
    "Call",
    "Compare",
    "Compute",
    "ConditionalExpression",
    "Constant",
    "Convert",
    "Delegate",
    "Evaluate",
    "Expression",
    "ForArray",
    "ForGenerator",
    "ForRange",
    "Function",
    "If",
    "Length",
    "Local",
    "Logic",
    "Loop",
    "LoopExit",
    "Negate",
    "OldElementValue",
    "Place",
    "PythonCall",
    "PythonCallee",
    "Raise",
    "Return",
    "Signature",
    "Statement",
    "Target",
    "TruthTest",
    "Try",
    "TupleDisplay",
    "TupleItem",
    "Unpack",
    "While",
    "Yield",
]  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Source range: lines from 1, columns from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Signature:
    """Signature for callers. ``sort`` is "function", "generator" or "coroutine"."""

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
    """A variable; ``sure`` if it is definitely assigned."""

    name: str
    sure: bool


@dataclass(frozen=True)
class Compute(Expression):
    """An operation of two numbers by Python's operator, such as ``"//"``."""

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
    """``and`` or ``or``: one of two operands of equal type."""

    word: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class TruthTest(Expression):
    """Truth value of an operand."""

    of: Expression


@dataclass(frozen=True)
class ConditionalExpression(Expression):
    test: Expression
    then: Expression
    other: Expression


@dataclass(frozen=True)
class TupleDisplay(Expression):
    """A tuple display."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class TupleItem(Expression):
    of: Expression
    index: int


@dataclass(frozen=True)
class ArrayElement(Expression):
    """An element of an array parameter."""

    array: str
    index: Expression


@dataclass(frozen=True)
class OldElementValue(Expression):
    """Old value of the element in an augmented assignment, whose index is evaluated once."""


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
    """A call; ``of`` is None for recursion. Calls of generators and coroutines occur only in expressions that drive them."""

    of: Any
    signature: Signature
    arguments: tuple[Expression | str, ...]
    """Arguments; a string names an array."""


@dataclass(frozen=True)
class Yield(Expression):
    value: Expression
    taken: bool
    """True if the sent value is used."""


@dataclass(frozen=True)
class Delegate(Expression):
    """``yield from`` or ``await``: run another generator, and return its result."""

    call: Call


@dataclass(frozen=True)
class PythonCallee:
    """A Python callable that compiled code calls and awaits, with its argument types and result type."""

    callable: Any
    parameters: tuple[Kind, ...]
    returns: Kind


@dataclass(frozen=True)
class PythonCall(Expression):
    number: int
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Unpack:
    targets: tuple[Target, ...]


Target: TypeAlias = Local | ArrayElement | Unpack


@dataclass(frozen=True)
class Assign:
    target: Target
    value: Expression
    augmented: bool = False
    """True for an augmented assignment to an element."""


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
    """True if a ``finally`` may raise on an exit from it."""


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
class LoopExit:
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
Statement: TypeAlias = Assign | Evaluate | If | Loop | LoopExit | Return | Raise | Assert | Try


@dataclass(eq=False)
class Function:
    """A checked function. Functions of equal text are distinct, since their callees may differ."""

    signature: Signature
    file: str
    line: int
    body: list[Statement] = field(default_factory=list["Statement"])
    locals: dict[str, Kind] = field(default_factory=dict[str, Kind])
    unsure: set[str] = field(default_factory=set[str])
    """Variables that may be unassigned where they are read."""
    written: set[str] = field(default_factory=set[str])
    """Arrays with assigned elements."""
    passed: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Arrays in recursive calls: each with the parameter that receives it."""
    calls: list[Any] = field(default_factory=list[Any])
    """Other compiled functions that it calls, each once."""
    recursive: bool = False
    delegates: bool = False
    python_calls: list[PythonCallee] = field(default_factory=list[PythonCallee])
