"""ABIs of your own: one of LLVM's, with decisions of yours.

A coroutine asks for an ABI by ``llvm.coro.begin.custom.abi``, whose third argument is an index into the ABIs that
``CoroSplit(abis=[...])`` was given; one that asks for none gets the ABI whose ``select`` says so. A class derives from
the ABI that the coroutine's ``llvm.coro.id`` belongs to and overrides what it decides; a method left alone does what
pycoro does anyway, and one that no ABI has is a ``TypeError`` when the class is made (helpers of your own begin with an
underscore)::

    class CallersFirst(pycoro.SwitchABI):
        def order(self, fields):
            return sorted(fields, key=lambda field: field.name)

    pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[CallersFirst()]), "coro-cleanup").run(module)

The methods are called while the module is being lowered, by the thread that runs the pipeline: for each coroutine in the
order in which the class :class:`ABI` has them. An exception that one raises stops the run, leaves the module as it was,
and is raised from the run. So is a ``TypeError`` or ``ValueError`` that names the method and its answer, where that is
none. A coroutine that :meth:`ABI.reject` refuses is a ``RejectedError``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Literal, NamedTuple, NoReturn, Protocol, runtime_checkable

from pycoro._nearest import unknown
from pycoro.errors import Diagnostic, RejectedError
from pycoro.frame import Frame, FrameField

__all__ = [
    "ABI",
    "AddressOf",
    "AsyncABI",
    "Candidate",
    "CandidateSuspend",
    "CrossingValue",
    "Fields",
    "Keepable",
    "RetconABI",
    "SwitchABI",
]

DECISIONS = ("select", "check", "header", "rematerialise", "keep", "order", "layout", "check_frame")
"""The methods that the engine asks, where a class overrides them."""


class CandidateSuspend(NamedTuple):
    """A suspend point of a :class:`Candidate`.

    >>> class Looking(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         print([(suspend.name, suspend.block, suspend.is_final) for suspend in coroutine.suspends])
    ...         return False
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Looking()]), "coro-cleanup"])
    [('%s', '%yield', False), ('%f', '%final', True)]
    """

    name: str
    """Of the suspend's result, ``"%s"``."""
    block: str
    """The block that holds the suspend, ``"%entry"``."""
    is_final: bool
    """Whether it is the final suspend."""


@dataclass(frozen=True)
class Candidate:
    """A coroutine whose ABI is being chosen: what is known of it before its control flow and its frame are.

    >>> class Looking(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         print(coroutine.name, coroutine.type, coroutine.abi, coroutine.promise_type)
    ...         return False
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Looking()]), "coro-cleanup"])
    counter ptr (i32, i32) switch i32
    """

    name: str
    """Of the function, without the ``@``."""
    type: str
    """Of the function, as LLVM prints it, ``"ptr (i32)"``."""
    abi: str
    """That its ``llvm.coro.id`` belongs to: ``switch``, ``retcon``, ``retcon-once`` or ``async``."""
    id: str
    """The ``llvm.coro.id`` instruction as LLVM prints it."""
    index: int | None
    """That it asks for by ``llvm.coro.begin.custom.abi``; None where it asks for none."""
    promise: str | None
    """Name of the promise's alloca; None where there is none."""
    promise_type: str
    """Of the promise, structs spelt out; empty where there is none, or it is too long to be spelt."""
    parameters: tuple[tuple[str, str], ...]
    """Of the function: names, without the ``%``, and types."""
    attributes: Mapping[str, str]
    """Of the function itself: ``{"noinline": "", "memory": "read", "my-frontend": "arena"}``."""
    suspends: tuple[CandidateSuspend, ...]
    """The suspend points in program order, the final one last."""


class AddressOf(NamedTuple):
    """The address of a function or variable, for :meth:`ABI.header`.

    >>> class Freed(pycoro.SwitchABI):
    ...     template = "@abi.header = external global { ptr }"
    ...     def select(self, coroutine):
    ...         return True
    ...     def header(self, coroutine):
    ...         return {0: pycoro.AddressOf("free")}
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Freed()]), "coro-cleanup"])
    >>> [(field.name, field.offset) for field in report.coroutines["counter"].frame if field.is_header]
    [('resume', 0), ('destroy', 8), ('header', 24)]
    """

    name: str
    """What the module or the ABI's template calls it, without the ``@``."""


class Refusal(RejectedError):
    """What :meth:`ABI.reject` raises, for the engine to tell where."""


class CrossingValue(NamedTuple):
    """An instruction whose value is needed behind a suspend, or is computed on the way to one.

    >>> class Looking(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def rematerialise(self, value, default):
    ...         print(value.name, value.opcode, value.def_block, value.use_block, default)
    ...         return default
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Looking()]), "coro-cleanup"])
    next add %yield %loop True
    """

    name: str
    """Without the ``%``."""
    type: str
    """As LLVM prints it."""
    value: str
    """The instruction as LLVM prints it."""
    def_block: str
    """Where it stands, ``"%entry"``."""
    use_block: str
    """Of its first use behind a suspend; empty for what only other values need."""

    @property
    def opcode(self) -> str:
        """``"add"``, ``"load"``, ``"call"``."""
        words = self.value.partition(" = ")[2].split()
        return words[1] if words[0] in ("tail", "musttail", "notail") else words[0]


class Keepable(NamedTuple):
    """What may be in the frame: a variable, or a value that is needed behind a suspend.

    >>> class Looking(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def keep(self, value):
    ...         print(value.name, value.size, value.is_kept, value.why)
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Looking()]), "coro-cleanup"])
    next 4 True it is defined before a suspend and used after it
    to 4 True it is a function argument; only the ramp receives arguments
    """

    name: str
    """Without the ``%``."""
    type: str
    """As LLVM prints it; of a variable that of its content."""
    value: str
    """The instruction or argument as LLVM prints it."""
    def_block: str
    """Where it stands, ``"%entry"``."""
    use_block: str
    """Of the first use behind a suspend; empty where there is none."""
    size: int
    """In bytes."""
    is_variable: bool
    """Whether it is memory, an alloca or a ``byval`` parameter; else it is a value."""
    is_kept: bool
    """Whether it is in the frame where pycoro may decide."""
    why: str
    """One sentence on that."""
    obstacle: str
    """Why it cannot be otherwise, in one sentence; empty where it can."""


class Fields(tuple[FrameField, ...]):
    """The fields behind a frame's header, by the offsets that pycoro would give them.

    >>> class Apart(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def layout(self, fields):
    ...         return {field: fields.start + 64 * place for place, field in enumerate(fields)}
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Apart()]), "coro-cleanup"])
    >>> [(field.name, field.offset) for field in report.coroutines["counter"].frame if not field.is_header]
    [('promise', 16), ('to', 20), ('next', 84)]
    """

    start: int
    """The first byte behind the header, from the start of the frame."""


def _is_method(item: object) -> bool:
    return isinstance(item, FunctionType | classmethod | staticmethod)


@runtime_checkable
class HasBitcode(Protocol):
    """As a :class:`Module` has."""

    def bitcode(self) -> bytes:
        """The IR."""
        ...


class ABI:
    """What the classes to derive from have in common.

    >>> class Small(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def check_frame(self, frame):
    ...         if frame.size > 24:
    ...             self.reject(f"its frame has {frame.size} bytes")
    >>> pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Small()]), "coro-cleanup"])
    Traceback (most recent call last):
        ...
    pycoro.errors.RejectedError: ABI 0 (Small) refuses the coroutine: its frame has 32 bytes
      in @counter
    """

    _has_parts = False

    template: str | bytes | HasBitcode | object | None = None
    """A module that defines hooks of the ABI, ``abi.alloc``, ``abi.suspend`` and so on, which the parts call, inlined, at
    their places: text, bitcode, a :class:`Module`, or any object whose ``str()`` is IR. :doc:`/reference/abi-hooks` lists
    them, and which are for which ABI. What it does not define is done as LLVM does it. It is read at each run; a
    ``UsageError`` with the rule ``template`` names a hook that is none, or is of another type."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "parts" in vars(cls) and not cls._has_parts:
            raise TypeError(
                f"{cls.__name__}.parts is for ABIs that derive from SwitchABI: the others have a part for each suspend anyway"
            )
        for name in DECISIONS:
            if not callable(getattr(cls, name)):
                raise TypeError(f"{cls.__name__}.{name} is a method, not {getattr(cls, name)!r}")
        if cls.order is not ABI.order and cls.layout is not ABI.layout:
            raise TypeError(f"{cls.__name__} has both an order and a layout: layout, which says more, can say it all")
        for owner in cls.__mro__[:-1]:
            for name, item in vars(owner).items():
                if owner is not ABI and name not in DECISIONS and not name.startswith("_") and _is_method(item):
                    raise TypeError(
                        f"{cls.__name__}: an ABI has {unknown('method', name, DECISIONS)} "
                        "(the names of a class's own helpers begin with an underscore)"
                    )

    def reject(self, message: str, hint: str = "") -> NoReturn:
        """Refuses the coroutine that :meth:`check` or :meth:`check_frame` is asked about: one sentence that says what is
        wrong, one that says how to mend it. It never returns; the run raises a ``RejectedError`` with the rule
        ``abi-refuses``, the function and the ABI's name."""
        raise Refusal("", [Diagnostic(message, hint, rule="abi-refuses", status=RejectedError.status)])

    def select(self, coroutine: Candidate) -> bool:
        """Whether the ABI is for this coroutine, which asks for none by ``llvm.coro.begin.custom.abi``.

        It is asked about each coroutine whose ``llvm.coro.id`` belongs to the ABI that the class derives from. A coroutine
        that two ABIs select is a ``RejectedError`` that names both; one that none selects is lowered as LLVM would.
        """
        return False

    def check(self, coroutine: Candidate) -> None:
        """Refuses a coroutine that this ABI is not made for, by :meth:`reject`; gives nothing for any other.

        It is asked about each coroutine that the ABI was chosen for, before anything else is found out about it.
        """

    def header(self, coroutine: Candidate) -> Mapping[int, int | str | AddressOf]:
        """What elements of the header that the ABI's hooks have in the frame hold at first in this coroutine: a type descriptor,
        its name, a number. An int goes into an integer; a str is the address of a constant with its UTF-8 and a NUL; an
        :class:`AddressOf` that of a function or variable. Elements are counted from 0 (of an ``@abi.header`` that is no struct
        there is that one); one that is left out holds what the variable is initialized with.

        It is asked about each coroutine that the ABI was chosen for. A ``RejectedError`` with the rule ``header-value`` tells of
        an element that there is not, or that cannot hold the value, and of a name that nothing has.
        """
        return {}

    def rematerialise(self, value: CrossingValue, default: bool) -> bool:
        """Whether the value is computed again behind the suspend, instead of being kept in the frame.

        ``default`` is what pycoro would do: True for casts, addresses, arithmetic and comparisons, which are computed
        again out of what is there behind the suspend anyway. Where True takes the place of a False, operands that are
        not there are kept instead. No more than sixteen instructions are computed again for one value. Computing it
        there must give the same value: nobody checks that. What reads a variable of the function is not asked for.
        """
        return default

    def keep(self, value: Keepable) -> bool | None:
        """Whether something is in the frame, True, or is not, False; None leaves it to pycoro.

        It is asked about each variable of constant size, but for the promise and swifterrors, and about each value that is
        needed behind a suspend, but for addresses of variables, which each part makes for itself.

        True keeps a value that pycoro would compute again; a value that no suspend needs is never in the frame. It puts a
        variable into the frame, which costs bytes, and lets whoever has the handle find it there. A ``RejectedError`` with the
        rule ``cannot-be-kept`` says why one cannot be: it is used where the frame may have been freed, which it is behind
        ``llvm.coro.free``, and for the ramp between ``llvm.coro.save`` (or the suspend that has none) and its end; it is used
        where control comes both with ``llvm.coro.begin`` and without; its address is known outside and the frame may be gone
        first, or is given away before ``llvm.coro.begin``; it is made in a loop.

        False computes a value again, at the price of what is kept instead, where pycoro or :meth:`rematerialise` would make
        it again from what is there. It is a ``RejectedError`` with the rule ``must-be-kept``, which says why, for what must be in
        the frame: a variable that is needed across a suspend, an argument, a value that may be another when it is computed again.
        """
        return None

    def order(self, fields: Sequence[FrameField]) -> Iterable[FrameField]:
        """The fields behind the frame's header in the order that they shall have, each once.

        They come as pycoro would order them. Each is put at the next offset that its alignment allows; none share bytes.
        It is not asked about a coroutine that never suspends.
        """
        return fields

    def layout(self, fields: Fields) -> Mapping[FrameField, int]:
        """Where each of the fields behind the frame's header begins, in bytes from the start of the frame: instead of `order`,
        of which a class has no more than one.

        The first may begin at ``fields.start``. Bytes may be left out, between fields and before the first. With
        ``CoroSplit(reuse_storage=True)`` those that are never needed at one time may have the same bytes, and some do in
        what pycoro would do. What breaks a rule is a ``RejectedError``: ``layout-behind-header`` for a field that begins
        before ``fields.start``, ``layout-alignment`` for one whose alignment does not divide its offset,
        ``layout-overlap`` for two that are needed at one time and have a byte in common, ``frame-too-large`` for an offset
        that no address reaches. It is not asked about a coroutine that never suspends.
        """
        return {field: field.offset for field in fields}

    def check_frame(self, frame: Frame) -> None:
        """Refuses a coroutine by :meth:`reject` for what its frame has become; gives nothing for any other.

        It is asked last, of a frame with all its offsets, before anything is lowered. A coroutine that never suspends has
        a frame of no bytes.
        """


PARTS = ("dispatch", "suspend")
"""What `SwitchABI.parts` may be."""


class SwitchABI(ABI):
    """The switched-resume ABI, ``llvm.coro.id``: one resume and one destroy function.

    >>> class ByName(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def order(self, fields):
    ...         return sorted(fields, key=lambda field: field.name)
    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> report = pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[ByName()])).run(module)
    >>> [field.name for field in report.coroutines["counter"].frame]
    ['resume', 'destroy', 'promise', 'next', 'to']
    """

    _has_parts = True

    parts: Literal["dispatch", "suspend"] = "dispatch"
    """``"dispatch"``: one resume function, which switches on an index that the frame holds. ``"suspend"``: a resume function
    for each suspend, whose address is stored in the frame's first slot, so that resuming is one indirect call."""


class RetconABI(ABI):
    """The returned-continuation ABIs, ``llvm.coro.id.retcon`` and ``llvm.coro.id.retcon.once``.

    >>> class Own(pycoro.RetconABI):
    ...     def select(self, coroutine):
    ...         return coroutine.abi == "retcon"
    >>> report = pycoro.lower(pycoro.examples.SUMS, ["coro-early", pycoro.CoroSplit(abis=[Own()]), "coro-cleanup"])
    >>> report.coroutines["sums"].custom_abi
    'Own'
    """


class AsyncABI(ABI):
    """The async ABI, ``llvm.coro.id.async``.

    >>> class Own(pycoro.AsyncABI):
    ...     def select(self, coroutine):
    ...         return coroutine.name == "relay"
    >>> report = pycoro.lower(pycoro.examples.RELAY, ["coro-early", pycoro.CoroSplit(abis=[Own()]), "coro-cleanup"])
    >>> report.coroutines["relay"].custom_abi
    'Own'
    """


KINDS = {SwitchABI: 0, RetconABI: 1, AsyncABI: 3}
"""As ``coro_abi_kind`` counts them."""
