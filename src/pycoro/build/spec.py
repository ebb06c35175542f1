"""Specification of a coroutine: parameters, source location and allocation of its frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pycoro.ir.builder import Builder
from pycoro.ir.function import Function
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.build.coroutine import CoroutineBuilder

__all__ = ["MALLOC", "Allocation", "ByValue", "Parameters", "Source", "parse_type", "size_of"]


@dataclass(frozen=True)
class ByValue:
    """Parameter passed by the address of memory that only lives during the call; the body gets a copy in the frame.

    ``by`` is a function ``void (ptr to, ptr from)`` that copies or moves it; by default its bytes are copied. Use ``defer`` to
    destroy it.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "f", {"pair": pycoro.build.ByValue("{ i64, i64 }")}) as c:
    ...     c.suspend()
    ...     call = c.call(c.declare("show", "void (ptr)"), [c["pair"]])
    >>> [(field.kind, field.size) for field in module.coroutines["f"].frame if not field.is_header]
    [('alloca', 16)]
    """

    type: TypeLike
    by: Function | None = None


@dataclass(frozen=True)
class Source:
    """Source location of a function: file, first line, directory; and its source name if different. It enables debug information.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "f", source=pycoro.build.Source("f.u", 3)) as c:
    ...     c.at(4)
    ...     c.suspend()
    >>> print(module.functions["f"].debug, module.coroutines["f"].suspends[0].location)
    f.u:3 f.u:4
    """

    file: str
    line: int
    directory: str = "."
    name: str = ""
    optimized: bool = False


Parameters: TypeAlias = Mapping[str, TypeLike | ByValue]
"""Types by parameter name."""


def parse_type(build: Builder, kind: TypeLike) -> Type:
    """Parse a type if it is a text."""
    return build.types.parse(kind) if isinstance(kind, str) else kind


def size_of(build: Builder, kind: TypeLike) -> Value:
    """Return the size of a type as an ``i64``. For a module without a data layout, which it may get later, the result is a
    constant expression that is evaluated with that layout."""
    type = parse_type(build, kind)
    aligned = build.types.struct(["i8", "i64"]).offsets
    if type.size is not None and aligned is not None and aligned[1] == 8:
        return build.constant("i64", type.size)
    return build.ptrtoint(build.gep(type, build.constant("ptr", None), [1]), "i64")


def _call_malloc(c: CoroutineBuilder, size: Value, align: Value) -> Value:
    return c.call(c.declare("malloc", "ptr (i64)"), [size], name="memory")


def _call_free(c: CoroutineBuilder, memory: Value) -> None:
    c.call(c.declare("free", "void (ptr)"), [memory])


@dataclass(frozen=True)
class Allocation:
    """Allocation of frames, by default with ``malloc`` and ``free``.

    ``allocate`` builds a call that returns memory of a size and alignment (both ``i64``), ``free`` one that frees it. With
    ``may_fail``, a null result makes the ramp return null without side effects. Neither is called if the frame is elided.
    ``malloc`` aligns to 16 bytes; stack slots with a larger alignment need another allocator.

    >>> allocation = pycoro.build.Allocation(
    ...     allocate=lambda c, size, align: c.call(c.declare("take", "ptr (i64, i64)"), [size, align]),
    ...     free=lambda c, memory: c.call(c.declare("give", "void (ptr)"), [memory]),
    ... )
    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "f", allocation=allocation) as c:
    ...     c.suspend()
    >>> [name for name, function in module.functions.items() if not (function.is_intrinsic or function.is_coroutine)]
    ['take', 'give']
    """

    allocate: Callable[[CoroutineBuilder, Value, Value], Value] = _call_malloc
    free: Callable[[CoroutineBuilder, Value], object] = _call_free
    may_fail: bool = False


MALLOC = Allocation()
"""Allocation with ``malloc`` and ``free``."""
