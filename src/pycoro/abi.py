"""ABIs of your own: one of LLVM's, with decisions of yours.

A coroutine asks for an ABI by ``llvm.coro.begin.custom.abi``, whose third argument is an index into the ABIs that
``CoroSplit(abis=[...])`` was given. A class derives from the ABI that the coroutine's ``llvm.coro.id`` belongs to and
overrides what it decides; a method left alone does what pycoro does anyway, and one that no ABI has is a ``TypeError``
when the class is made (helpers of your own begin with an underscore)::

    class CallersFirst(pycoro.SwitchABI):
        def order(self, fields):
            return sorted(fields, key=lambda field: field.name)

    pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[CallersFirst()]), "coro-cleanup").run(module)

The methods are called while the module is being lowered, by the thread that runs the pipeline. An exception that one
raises stops the run, leaves the module as it was, and is raised from the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

from pycoro._nearest import unknown
from pycoro.frame import FrameField
from pycoro.view import Life

__all__ = ["ABI", "AsyncABI", "CrossingValue", "RetconABI", "SwitchABI"]

DECISIONS = ("order", "rematerialise")
"""The methods that the engine asks, where a class overrides them."""


class CrossingValue(NamedTuple):
    """An instruction whose value is needed behind a suspend, or is computed on the way to one."""

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


class ABI:
    """What the classes to derive from have in common."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in DECISIONS:
            if not callable(getattr(cls, name)):
                raise TypeError(f"{cls.__name__}.{name} is a method, not {getattr(cls, name)!r}")
        for owner in cls.__mro__[:-1]:
            for name, item in vars(owner).items():
                if name not in DECISIONS and not name.startswith("_") and _is_method(item):
                    raise TypeError(
                        f"{cls.__name__}: an ABI has {unknown('method', name, DECISIONS)} "
                        "(the names of a class's own helpers begin with an underscore)"
                    )

    def rematerialise(self, value: CrossingValue, default: bool) -> bool:
        """Whether the value is computed again behind the suspend, instead of being kept in the frame.

        ``default`` is what pycoro would do: True for casts, addresses, arithmetic and comparisons, which are computed
        again out of what is there behind the suspend anyway. Where True takes the place of a False, operands that are
        not there are kept instead. No more than sixteen instructions are computed again for one value. Computing it
        there must give the same value: nobody checks that. What reads a variable of the function is not asked for.
        """
        return default

    def order(self, fields: Sequence[FrameField]) -> Iterable[FrameField]:
        """The fields behind the frame's header in the order that they shall have, each once.

        They come as pycoro would order them. Each is put at the next offset that its alignment allows; none share bytes.
        """
        return fields


class SwitchABI(ABI):
    """The switched-resume ABI, ``llvm.coro.id``: one resume and one destroy function."""


class RetconABI(ABI):
    """The returned-continuation ABIs, ``llvm.coro.id.retcon`` and ``llvm.coro.id.retcon.once``."""


class AsyncABI(ABI):
    """The async ABI, ``llvm.coro.id.async``."""


KINDS = {SwitchABI: 0, RetconABI: 1, AsyncABI: 3}
"""As ``coro_abi_kind`` counts them."""


def _is_method(item: object) -> bool:
    return isinstance(item, FunctionType | classmethod | staticmethod)


def hooks(abi: ABI) -> tuple[int, Callable[..., bool] | None, Callable[..., list[int]] | None]:
    """For the engine: the ABI that it is made from, and what asks the methods that its class has overridden."""
    kind, made = next(number for base, number in KINDS.items() if isinstance(abi, base)), type(abi)
    rematerialise = partial(_rematerialise, abi) if made.rematerialise is not ABI.rematerialise else None
    order = partial(_order, abi) if made.order is not ABI.order else None
    return kind, rematerialise, order


def _rematerialise(abi: ABI, value: dict[str, str], default: bool) -> bool:
    answer = abi.rematerialise(CrossingValue(**value), default)
    if not isinstance(answer, bool):
        raise TypeError(f"{type(abi).__name__}.rematerialise must give True or False, not {answer!r}")
    return answer


def _order(abi: ABI, data: tuple[dict[str, Any], ...]) -> list[int]:
    fields = tuple(FrameField(Life(), field) for field in data)
    places = {id(field): index for index, field in enumerate(fields)}
    wanted = f"{type(abi).__name__}.order must give each of the {len(fields)} fields that it got, once"
    order = abi.order(fields)
    if not isinstance(order, Iterable):
        raise TypeError(f"{wanted}, not {order!r}")
    ordered = list(order)
    if sorted(places.get(id(field), -1) for field in ordered) != list(range(len(fields))):
        raise ValueError(wanted)
    return [places[id(field)] for field in ordered]
