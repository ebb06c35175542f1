"""ABIs of your own: one of LLVM's, with decisions of yours.

A coroutine asks for an ABI by ``llvm.coro.begin.custom.abi``, whose third argument is an index into the ABIs that
``CoroSplit(abis=[...])`` was given. A class derives from the ABI that the coroutine's ``llvm.coro.id`` belongs to and
overrides what it decides; a method left alone does what pycoro does anyway::

    class CallersFirst(pycoro.SwitchABI):
        def order(self, fields):
            return sorted(fields, key=lambda field: field.name)

    pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[CallersFirst()]), "coro-cleanup").run(module)

The methods are called while the module is being lowered, by the thread that runs the pipeline. An exception that one
raises stops the run, leaves the module as it was, and is raised from the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

from pycoro.frame import FrameField
from pycoro.view import Life

__all__ = ["ABI", "AsyncABI", "CrossingValue", "RetconABI", "SwitchABI"]


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

    kind: ClassVar[int]

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

    def _hooks(self) -> tuple[int, Callable[..., bool] | None, Callable[..., list[int]] | None]:
        """For the engine: the methods that a class has overridden."""
        kind = type(self)
        rematerialise = self._rematerialise if kind.rematerialise is not ABI.rematerialise else None
        order = self._order if kind.order is not ABI.order else None
        return self.kind, rematerialise, order

    def _rematerialise(self, value: dict[str, str], default: bool) -> bool:
        return bool(self.rematerialise(CrossingValue(**value), default))

    def _order(self, data: tuple[dict[str, Any], ...]) -> list[int]:
        fields = tuple(FrameField(Life(), field) for field in data)
        places = {id(field): index for index, field in enumerate(fields)}
        ordered = list(self.order(fields))
        if sorted(places.get(id(field), -1) for field in ordered) != list(range(len(fields))):
            raise ValueError(f"{type(self).__name__}.order must give each of the {len(fields)} fields that it got, once")
        return [places[id(field)] for field in ordered]


class SwitchABI(ABI):
    """The switched-resume ABI, ``llvm.coro.id``: one resume and one destroy function."""

    kind = 0


class RetconABI(ABI):
    """The returned-continuation ABIs, ``llvm.coro.id.retcon`` and ``llvm.coro.id.retcon.once``."""

    kind = 1


class AsyncABI(ABI):
    """The async ABI, ``llvm.coro.id.async``."""

    kind = 3
