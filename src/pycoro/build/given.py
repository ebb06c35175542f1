"""What a coroutine is told to be: its parameters, how its frame is allocated, its ABI."""

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

__all__ = ["MALLOC", "Allocation", "Copied", "Parameters", "Source", "parsed", "size_of"]


@dataclass(frozen=True)
class Copied:
    """A parameter that is passed by the address of memory that lives as long as the call: the body's is a copy of it, in the frame.

    ``by`` is a function ``void (ptr to, ptr from)`` that copies or moves it; without one its bytes are copied. To end it, defer
    that.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "f", {"pair": pycoro.build.Copied("{ i64, i64 }")}) as c:
    ...     c.suspend()
    ...     call = c.call(c.declare("show", "void (ptr)"), [c["pair"]])
    >>> [(field.kind, field.size) for field in module.coroutines["f"].frame if not field.is_header]
    [('alloca', 16)]
    """

    type: TypeLike
    by: Function | None = None


@dataclass(frozen=True)
class Source:
    """Where a function is from: its file, the line that it begins at, the file's folder; and what it is called there, if not by
    its own name. A function that has one has debug information.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "f", source=pycoro.build.Source("f.u", 3)) as c:
    ...     c.at(4)
    ...     c.suspend()
    >>> print(module.functions["f"].debug, module.coroutines["f"].suspends[0].place)
    f.u:3 f.u:4
    """

    file: str
    line: int
    directory: str = "."
    name: str = ""
    optimized: bool = False


Parameters: TypeAlias = Mapping[str, TypeLike | Copied]
"""Types by the names of the parameters."""


def parsed(build: Builder, kind: TypeLike) -> Type:
    """A type that may be given by its text."""
    return build.types.parse(kind) if isinstance(kind, str) else kind


def size_of(build: Builder, kind: TypeLike) -> Value:
    """Bytes of a type, as an ``i64``. Where the module's data layout is LLVM's for none, which it may get later, it is a constant
    expression that is computed by the one it has then."""
    type = parsed(build, kind)
    aligned = build.types.struct(["i8", "i64"]).offsets
    if type.size is not None and aligned is not None and aligned[1] == 8:
        return build.constant("i64", type.size)
    return build.ptrtoint(build.gep(type, build.constant("ptr", None), [1]), "i64")


def _malloc(c: CoroutineBuilder, size: Value, align: Value) -> Value:
    return c.call(c.declare("malloc", "ptr (i64)"), [size], name="memory")


def _free(c: CoroutineBuilder, memory: Value) -> None:
    c.call(c.declare("free", "void (ptr)"), [memory])


@dataclass(frozen=True)
class Allocation:
    """Who allocates frames: by default ``malloc`` and ``free``.

    ``allocate`` builds a call that gives memory of so many bytes, aligned so (both are ``i64``), and ``free`` one that takes it
    back. Where it ``may_fail``, by null, the call of the coroutine gives null then, and nothing has happened. Both are left out
    where the frame lies in its caller's. ``malloc`` aligns to 16 bytes; variables that ask for more need another.

    >>> allocation = pycoro.build.Allocation(
    ...     allocate=lambda c, size, align: c.call(c.declare("take", "ptr (i64, i64)"), [size, align]),
    ...     free=lambda c, memory: c.call(c.declare("give", "void (ptr)"), [memory]),
    ... )
    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "f", allocation=allocation) as c:
    ...     c.suspend()
    >>> [name for name, function in module.functions.items() if not (function.intrinsic or function.coroutine)]
    ['take', 'give']
    """

    allocate: Callable[[CoroutineBuilder, Value, Value], Value] = _malloc
    free: Callable[[CoroutineBuilder, Value], object] = _free
    may_fail: bool = False


MALLOC = Allocation()
"""By ``malloc`` and ``free``."""
