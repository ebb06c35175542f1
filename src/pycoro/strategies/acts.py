"""Plain data for callers of coroutines: they own, move, publish and lose coroutines, and unwind past them.

A caller has slots that each own at most one coroutine. Its own caller lends it slot 0; it owns the rest. Storing into a
slot first destroys the coroutine there, and an act on an empty slot does nothing. Any sequence of acts is therefore valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pycoro.strategies.plain import Plain

__all__ = [
    "Act",
    "Again",
    "Ask",
    "Begin",
    "Caller",
    "Either",
    "End",
    "Enter",
    "Forget",
    "Keep",
    "Lend",
    "Move",
    "Poke",
    "Publish",
    "Step",
    "Take",
    "Throw",
    "acts_of",
]


@dataclass(frozen=True, slots=True, repr=False)
class Begin(Plain):
    """Create a coroutine in a slot.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Begin, Caller
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Begin(1, "f"),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "%begun" in line]
    ['%begun1 = invoke ptr @f() to label %fine2 unwind label %pad2', 'store ptr %begun1, ptr %own1']
    """

    place: int
    coroutine: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Step(Plain):
    """Resume the coroutine in a slot, unless it is done.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Step
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Step(1),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "@owner_step(ptr %own1" in line]
    ['invoke void @owner_step(ptr %own1) to label %fine1 unwind label %pad1']
    """

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Ask(Plain):
    """Report if the coroutine in a slot is done.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Ask, Caller
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Ask(1),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "%over1" in line]
    ['%over1 = call i1 @owner_over(ptr %own1)', 'call void @report_i1(i1 %over1)']
    """

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class End(Plain):
    """Destroy the coroutine in a slot.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, End
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (End(2),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "@owner_end(ptr %own2" in line]
    ['call void @owner_end(ptr %own2)', 'call void @owner_end(ptr %own2)']
    """

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Move(Plain):
    """Move a coroutine to another slot.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Move
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Move(2, 1),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "@owner_move(ptr %own2" in line]
    ['call void @owner_move(ptr %own2, ptr %own1)']
    """

    to: int
    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Publish(Plain):
    """Store the handle to a global that does not own the coroutine.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Publish
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Publish(1),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "%shown1" in line]
    ['%shown1 = load { ptr, ptr }, ptr %own1', 'store { ptr, ptr } %shown1, ptr @published']
    """

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Poke(Plain):
    """Resume the coroutine that was published last, if it still exists.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Poke
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Poke(),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "(ptr @published)" in line]
    ['invoke void @owner_step(ptr @published) to label %fine1 unwind label %pad1']
    """


@dataclass(frozen=True, slots=True, repr=False)
class Keep(Plain):
    """Move a coroutine to a global that owns it.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Keep
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Keep(1, 0),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "@owner_move(ptr @kept0" in line]
    ['call void @owner_move(ptr @kept0, ptr %own1)']
    """

    place: int
    owner: int


@dataclass(frozen=True, slots=True, repr=False)
class Take(Plain):
    """Move a coroutine back from a global.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Take
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Take(1, 0),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "@owner_move(ptr %own1" in line]
    ['call void @owner_move(ptr %own1, ptr @kept0)']
    """

    place: int
    owner: int


@dataclass(frozen=True, slots=True, repr=False)
class Forget(Plain):
    """Leak a coroutine: clear its slot without destroying it.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Forget
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Forget(2),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "zeroinitializer, ptr %own2" in line]
    ['store { ptr, ptr } zeroinitializer, ptr %own2', 'store { ptr, ptr } zeroinitializer, ptr %own2']
    """

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Lend(Plain):
    """Pass the handle to a function that resumes it.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Lend
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Lend(1),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "invoke" in line and "@lent_step" in line]
    ['invoke void @lent_step(ptr %part2, ptr %part3) to label %fine4 unwind label %pad4']
    """

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Enter(Plain):
    """Call a caller, possibly itself, and lend it a slot. The depth of nested calls is bounded.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Enter, Step
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> callers = (Caller("inner", (Step(0),)), Caller("main", (Enter("inner", 1),)))
    >>> program = Program((Coroutine("f", ()),), callers=callers)
    >>> [line.strip() for line in module([program]).splitlines() if "invoke void @inner" in line]
    ['invoke void @inner(ptr %own1, i32 %less) to label %fine1 unwind label %pad1']
    """

    caller: str
    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Throw(Plain):
    """Call a function that throws, if the host supplies an odd number.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Throw
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Throw(),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "@may_throw(i32 %given" in line]
    ['%not2 = invoke i32 @may_throw(i32 %given1) to label %fine3 unwind label %pad3']
    """


@dataclass(frozen=True, slots=True, repr=False)
class Either(Plain):
    """Run one of two bodies, selected by a number that the host supplies.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Caller, Either, Move, Step
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Either((Step(1),), (Move(2, 1),)),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "%bit1" in line or "(ptr %own2, ptr" in line]
    ['%bit1 = trunc i32 %way2 to i1', 'br i1 %bit1, label %then1, label %other1', 'call void @owner_move(ptr %own2, ptr %own1)']
    """

    then: tuple[Act, ...]
    other: tuple[Act, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Again(Plain):
    """Run a body a fixed number of times.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Again, Ask, Caller
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Again(2, (Ask(1),)),), places=2),))
    >>> [line.strip() for line in module([program]).splitlines() if "%more1" in line]
    ['%more1 = icmp ult i32 %after1, 2', 'br i1 %more1, label %again1, label %left1']
    """

    count: int
    body: tuple[Act, ...]


Act: TypeAlias = "Begin | Step | Ask | End | Move | Publish | Poke | Keep | Take | Forget | Lend | Enter | Throw | Either | Again"
"""Any operation of a caller.

>>> from pycoro.strategies.acts import Act, Again, Step
>>> act: Act = Again(2, (Step(1),))
>>> act
Again(2, (Step(1),))
"""


@dataclass(frozen=True, slots=True, repr=False)
class Caller(Plain):
    """A function that creates and uses coroutines.

    >>> from pycoro.strategies import module
    >>> from pycoro.strategies.acts import Begin, Caller, Step
    >>> from pycoro.strategies.model import Coroutine, Program
    >>> program = Program((Coroutine("f", ()),), callers=(Caller("main", (Begin(1, "f"), Step(1))),))
    >>> [line.strip() for line in module([program]).splitlines() if "void @main(ptr %own" in line]
    ['invoke void @main(ptr %own, i32 3) to label %fine unwind label %pad']
    """

    name: str
    body: tuple[Act, ...]
    places: int = 1
    """Number of owned slots, without the lent one."""
    apart: bool = False
    """True if the function is ``noinline``."""
    destroys: bool = True
    """True if it destroys the coroutines in its slots before it returns."""
    unwinds: bool = True
    """True if it also destroys them when an exception leaves it."""
    catches: bool = False
    """True if it catches exceptions."""


def acts_of(body: tuple[Act, ...]) -> Iterator[Act]:
    """Yield all acts of a body, including nested ones.

    >>> from pycoro.strategies.acts import Again, Begin, Step, acts_of
    >>> list(acts_of((Begin(1, "f"), Again(2, (Step(1),)))))
    [Begin(1, 'f'), Again(2, (Step(1),)), Step(1)]
    """
    for act in body:
        yield act
        if isinstance(act, Either):
            yield from acts_of(act.then)
            yield from acts_of(act.other)
        elif isinstance(act, Again):
            yield from acts_of(act.body)
