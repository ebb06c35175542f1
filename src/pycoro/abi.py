"""Base classes for custom ABIs: subclass one of LLVM's ABIs and override single decisions.

A coroutine selects an ABI by ``llvm.coro.begin.custom.abi``; its third argument is an index into ``CoroSplit(abis=[...])``. A
coroutine without that intrinsic gets the ABI with a ``select`` that returns True. Derive from the class for the coroutine's
``llvm.coro.id`` and override methods; the defaults do what pycoro does without an ABI. A method that no ABI has raises
``TypeError`` when the class is created; start the names of helper methods with an underscore::

    class SortedByName(pycoro.SwitchABI):
        def order(self, fields):
            return sorted(fields, key=lambda field: field.name)

    pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[SortedByName()]), "coro-cleanup").run(module)

The thread that runs the pipeline calls the methods for each coroutine in the order in which :class:`ABI` defines them. An
exception stops the run, leaves the module unmodified and is raised from the run. An invalid return value raises a ``TypeError``
or ``ValueError`` that names the method and the value. :meth:`ABI.reject` raises ``RejectedError``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Literal, NamedTuple, NoReturn

from pycoro._suggest import unknown_name_message
from pycoro.errors import Diagnostic, RejectedError
from pycoro.frame import Frame, FrameField

__all__ = [
    "ABI",
    "AddressOf",
    "AsyncABI",
    "Candidate",
    "CandidateSuspend",
    "Fields",
    "RematCandidate",
    "RetconABI",
    "SpillCandidate",
    "SwitchABI",
]

DECISIONS = ("select", "check", "header", "rematerialize", "keep_in_frame", "order", "layout", "check_frame")
"""Hooks: the methods that the engine calls if a class overrides them."""


class CandidateSuspend(NamedTuple):
    """Suspend point of a :class:`Candidate`.

    >>> class Looking(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         print([(suspend.name, suspend.block, suspend.is_final) for suspend in coroutine.suspends])
    ...         return False
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Looking()]), "coro-cleanup"])
    [('%s', '%yield', False), ('%f', '%final', True)]
    """

    name: str
    """Name of the suspend's result, ``"%s"``."""
    block: str
    """Block with the suspend, ``"%entry"``."""
    is_final: bool
    """True if it is the final suspend."""


@dataclass(frozen=True)
class Candidate:
    """Coroutine during the selection of its ABI, before any analysis of its control flow or frame.

    >>> class Looking(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         print(coroutine.name, coroutine.type, coroutine.abi, coroutine.promise_type)
    ...         return False
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Looking()]), "coro-cleanup"])
    counter ptr (i32, i32) switch i32
    """

    name: str
    """Name of the function without the ``@``."""
    type: str
    """Function type as LLVM prints it, ``"ptr (i32)"``."""
    abi: str
    """ABI of its ``llvm.coro.id``: ``switch``, ``retcon``, ``retcon-once``, ``async`` or ``retcon-dynamic``."""
    id: str
    """The ``llvm.coro.id`` instruction as LLVM prints it."""
    index: int | None
    """Index passed to ``llvm.coro.begin.custom.abi``; None without that intrinsic."""
    promise: str | None
    """Name of the promise alloca; None without a promise."""
    promise_type: str
    """Promise type with structs expanded; empty without a promise, or if the type is too long."""
    parameters: tuple[tuple[str, str], ...]
    """Names, without the ``%``, and types of the function's parameters."""
    attributes: Mapping[str, str]
    """Function attributes: ``{"noinline": "", "memory": "read", "my-frontend": "arena"}``."""
    suspends: tuple[CandidateSuspend, ...]
    """Suspend points in program order, the final one last."""


class AddressOf(NamedTuple):
    """Address of a function or variable, for :meth:`ABI.header`.

    >>> class Freed(pycoro.SwitchABI):
    ...     hook_module = "@abi.header = external global { ptr }"
    ...     def select(self, coroutine):
    ...         return True
    ...     def header(self, coroutine):
    ...         return {0: pycoro.AddressOf("free")}
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Freed()]), "coro-cleanup"])
    >>> [(field.name, field.offset) for field in report.coroutines["counter"].frame if field.is_header]
    [('resume', 0), ('destroy', 8), ('header', 24)]
    """

    name: str
    """Name in the module or in the ABI's hook module, without the ``@``."""


class ABIRejection(RejectedError):
    """Exception of :meth:`ABI.reject`; the engine adds the location."""


class RematCandidate(NamedTuple):
    """Instruction with a result that is live across a suspend, or an operand of its rematerialization.

    >>> class Looking(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def rematerialize(self, value, default):
    ...         print(value.name, value.opcode, value.def_block, value.use_block, default)
    ...         return default
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Looking()]), "coro-cleanup"])
    next add %yield %loop True
    """

    name: str
    """Name without the ``%``."""
    type: str
    """Type as LLVM prints it."""
    value: str
    """Instruction as LLVM prints it."""
    def_block: str
    """Block with the instruction, ``"%entry"``."""
    use_block: str
    """Block of its first use after a suspend; empty if only other values use it."""

    @property
    def opcode(self) -> str:
        """Opcode: ``"add"``, ``"load"``, ``"call"``."""
        words = self.value.partition(" = ")[2].split()
        return words[1] if words[0] in ("tail", "musttail", "notail") else words[0]


class SpillCandidate(NamedTuple):
    """Candidate for the frame: a stack slot, or a value that is live across a suspend.

    >>> class Looking(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def keep_in_frame(self, value):
    ...         print(value.name, value.size, value.is_in_frame, value.why)
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Looking()]), "coro-cleanup"])
    next 4 True it is defined before a suspend and used after it
    to 4 True it is a function argument; only the ramp receives arguments
    """

    name: str
    """Name without the ``%``."""
    type: str
    """Type as LLVM prints it; for a stack slot the type of its content."""
    value: str
    """Instruction or argument as LLVM prints it."""
    def_block: str
    """Block with the definition, ``"%entry"``."""
    use_block: str
    """Block of the first use after a suspend; empty if there is none."""
    size: int
    """Size in bytes."""
    is_variable: bool
    """True if it is memory (an alloca or a ``byval`` parameter) rather than a value."""
    is_in_frame: bool
    """True if pycoro puts it into the frame by default."""
    why: str
    """Reason for that decision, one sentence."""
    obstacle: str
    """Reason why the decision cannot be changed, one sentence; empty if it can."""


class Fields(tuple[FrameField, ...]):
    """Fields after the frame header, in the order of pycoro's default offsets.

    >>> class Apart(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def layout(self, fields):
    ...         return {field: fields.start + 64 * index for index, field in enumerate(fields)}
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Apart()]), "coro-cleanup"])
    >>> [(field.name, field.offset) for field in report.coroutines["counter"].frame if not field.is_header]
    [('promise', 16), ('to', 20), ('next', 84)]
    """

    start: int
    """Offset of the first byte after the header."""


def _is_method(item: object) -> bool:
    return isinstance(item, FunctionType | classmethod | staticmethod)


class ABI:
    """Common base class of the ABIs.

    >>> class Small(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def check_frame(self, frame):
    ...         if frame.size > 24:
    ...             self.reject(f"its frame has {frame.size} bytes")
    >>> pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=[Small()]), "coro-cleanup"])
    Traceback (most recent call last):
        ...
    pycoro.errors.RejectedError: ABI 0 (Small) rejects the coroutine: its frame has 32 bytes
      in @counter
    """

    _has_resume_functions = False

    hook_module: str | bytes | object | None = None
    """Module that defines the ABI's hooks (``abi.alloc``, ``abi.suspend`` ...), which are inlined into the ramp and the clones. It
    is text, bitcode, a :class:`Module`, or any object whose ``str()`` is IR. :doc:`/reference/abi-hooks` lists the hooks of
    each ABI. Hooks without a definition keep LLVM's behavior. Each run reads the hook module again; an unknown hook or a hook of
    the wrong type raises ``UsageError`` with the rule ``hook-module``."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "resume_functions" in vars(cls) and not cls._has_resume_functions:
            raise TypeError(
                f"{cls.__name__}.resume_functions requires a SwitchABI; "
                "the other ABIs always have one resume function for each suspend"
            )
        for name in DECISIONS:
            if not callable(getattr(cls, name)):
                raise TypeError(f"{cls.__name__}.{name} must be a method, not {getattr(cls, name)!r}")
        if cls.order is not ABI.order and cls.layout is not ABI.layout:
            raise TypeError(f"{cls.__name__} overrides both order and layout; override layout only")
        for owner in cls.__mro__[:-1]:
            for name, item in vars(owner).items():
                if owner is not ABI and name not in DECISIONS and not name.startswith("_") and _is_method(item):
                    raise TypeError(
                        f"{cls.__name__}: {unknown_name_message('ABI method', name, DECISIONS)} "
                        "(start the names of helper methods with an underscore)"
                    )

    def reject(self, message: str, hint: str = "") -> NoReturn:
        """Reject the coroutine from :meth:`check` or :meth:`check_frame`, with one sentence on the error and one on its fix. Never
        returns. The run raises ``RejectedError`` with the rule ``rejected-by-abi``, the function and the ABI's name."""
        raise ABIRejection("", [Diagnostic(message, hint, rule="rejected-by-abi", status=RejectedError.status)])

    def select(self, coroutine: Candidate) -> bool:
        """Return whether this ABI lowers a coroutine that has no ``llvm.coro.begin.custom.abi``.

        Called for each coroutine whose ``llvm.coro.id`` matches the base class. If two ABIs select a coroutine, the run raises
        ``RejectedError``; if none does, LLVM's ABI lowers it.
        """
        return False

    def check(self, coroutine: Candidate) -> None:
        """Call :meth:`reject` for a coroutine that this ABI does not support.

        Called for each coroutine of this ABI, before any other analysis.
        """

    def header(self, coroutine: Candidate) -> Mapping[int, int | str | AddressOf]:
        """Return the initial values of elements of the ABI's frame header, by index: type descriptors, names, numbers.

        An int initializes an integer; a str, the address of a constant with its UTF-8 and a NUL; an :class:`AddressOf`, the
        address of a function or variable. An ``@abi.header`` that is not a struct has only element 0. Omitted elements keep the
        variable's initializer.

        Called for each coroutine of this ABI. An element that does not exist or cannot hold the value, or an unknown name,
        raises ``RejectedError`` with the rule ``header-value``.
        """
        return {}

    def rematerialize(self, value: RematCandidate, default: bool) -> bool:
        """Return whether to rematerialize the value after the suspend instead of spilling it.

        ``default`` is pycoro's choice: True for casts, address computations, arithmetic and comparisons whose operands are
        available after the suspend. If you return True for a False, missing operands are spilled instead. At most sixteen
        instructions are rematerialized for one value. The result must be the same after the suspend; pycoro does not check
        that. Loads from the function's stack slots are never offered.
        """
        return default

    def keep_in_frame(self, value: SpillCandidate) -> bool | None:
        """Return True to put a value or stack slot into the frame, False to keep it out, None for the default.

        Called for each stack slot of constant size except the promise and swifterror slots, and for each value that is live
        across a suspend except addresses of stack slots, which each clone recreates.

        True spills a value that pycoro would rematerialize, or puts a stack slot into the frame, where the holder of the handle
        can access it. A value that no suspend separates from its uses is never spilled. The run raises ``RejectedError`` with
        the rule ``cannot-be-in-frame`` for a slot or value

        - with a use after ``llvm.coro.free``, or in the ramp between ``llvm.coro.save`` (or a suspend without one) and its end,
          where the frame may have been freed
        - with a use reachable both with and without ``llvm.coro.begin``
        - whose address escapes and may outlive the frame, or escapes before ``llvm.coro.begin``
        - that is created in a loop.

        False rematerializes a value that pycoro or :meth:`rematerialize` can recompute; its operands are spilled instead. The
        run raises ``RejectedError`` with the rule ``must-be-in-frame`` for a stack slot that is live across a suspend, an argument,
        or a value whose recomputation could differ.
        """
        return None

    def order(self, fields: Sequence[FrameField]) -> Iterable[FrameField]:
        """Return the fields after the frame header in the order they shall have, each once.

        The argument has pycoro's order. Each field gets the next offset with its alignment; fields share no bytes. Not called
        for a coroutine that never suspends.
        """
        return fields

    def layout(self, fields: Fields) -> Mapping[FrameField, int]:
        """Return the offset of each field after the header, in bytes from the start of the frame. Override either this or `order`.

        The first field may begin at ``fields.start``. Gaps are allowed. With ``CoroSplit(reuse_storage=True)``, fields that are
        never live at the same time may overlap, and do in pycoro's own layout. The run raises ``RejectedError`` with the rule
        ``layout-before-start`` for an offset before ``fields.start``, ``layout-alignment`` for a misaligned offset,
        ``layout-overlap`` for two overlapping fields that are live at the same time, and ``frame-too-large`` for an offset
        beyond the address space. Not called for a coroutine that never suspends.
        """
        return {field: field.offset for field in fields}

    def check_frame(self, frame: Frame) -> None:
        """Call :meth:`reject` if this ABI does not support the frame of the coroutine.

        Called last, with all offsets, before the module changes. The frame of a coroutine that never suspends has 0 bytes.
        """


RESUME_FUNCTIONS = ("dispatch", "suspend")
"""Values of `SwitchABI.resume_functions`."""


class SwitchABI(ABI):
    """Switched-resume ABI, ``llvm.coro.id``: one resume and one destroy function.

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

    _has_resume_functions = True

    resume_functions: Literal["dispatch", "suspend"] = "dispatch"
    """``"dispatch"``: one resume function that switches on the suspend index in the frame. ``"suspend"``: one resume function for
    each suspend; the frame's first slot has its address, so that a resume is one indirect call."""


class RetconABI(ABI):
    """Returned-continuation ABIs, ``llvm.coro.id.retcon`` and ``llvm.coro.id.retcon.once``.

    >>> class Own(pycoro.RetconABI):
    ...     def select(self, coroutine):
    ...         return coroutine.abi == "retcon"
    >>> report = pycoro.lower(pycoro.examples.SUMS, ["coro-early", pycoro.CoroSplit(abis=[Own()]), "coro-cleanup"])
    >>> report.coroutines["sums"].custom_abi
    'Own'
    """


class AsyncABI(ABI):
    """Async ABI, ``llvm.coro.id.async``.

    >>> class Own(pycoro.AsyncABI):
    ...     def select(self, coroutine):
    ...         return coroutine.name == "relay"
    >>> report = pycoro.lower(pycoro.examples.RELAY, ["coro-early", pycoro.CoroSplit(abis=[Own()]), "coro-cleanup"])
    >>> report.coroutines["relay"].custom_abi
    'Own'
    """


KINDS = {SwitchABI: 0, RetconABI: 1, AsyncABI: 3}
"""Base classes by ``coro_abi_kind``."""
