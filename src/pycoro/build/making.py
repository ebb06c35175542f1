"""Where a coroutine, or a plain function with scopes, begins and ends: what ``with`` is written around."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, overload

from pycoro.build.async_ import Async, AsyncBuilder
from pycoro.build.given import MALLOC, Allocation, Copied, Parameters, Source, parsed
from pycoro.build.plain import FunctionBuilder
from pycoro.build.retcon import Retcon, RetconBuilder
from pycoro.build.switch import SwitchBuilder
from pycoro.build.whole import Whole
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder, Linkage
from pycoro.ir.calls import signature_of
from pycoro.ir.function import Function
from pycoro.ir.types import Type, TypeLike

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["coroutine", "function"]

_NONE: Parameters = MappingProxyType({})
Made = TypeVar("Made", bound=Whole)


@contextmanager
def _built(
    module: Module,
    name: str,
    type: Type,
    linkage: Linkage,
    personality: str | None,
    source: Source | None,
    make: Callable[[Function, Function | None], Made],
) -> Generator[Made, None, None]:
    """Builds the body within ``with``; what was built of it is gone where that raises."""
    build = Builder(module)
    function = module.functions.get(name)
    declared = function is not None and function.declaration
    if function is None or not declared:
        function = build.add_function(name, type, linkage=linkage)
    elif signature_of(function) != type:
        raise UsageError(f"@{name} was declared as {function.type}, and is built as {type}")
    body: Made | None = None
    try:
        body = make(function, build.declare(personality, "i32 (...)") if personality is not None else None)
        if source is not None:
            body.describe(source)
        body.begin()
        with body.scope():
            yield body
            if body.open:
                body.fall_off()
        body.finish()
        body.check()
    except BaseException:
        if body is not None:
            body.discard(declared=declared)
        elif not declared:
            build.erase(function)
        raise


def _signature(build: Builder, result: TypeLike, parameters: Parameters, *first: TypeLike) -> Type:
    return build.types.function(result, [*first, *("ptr" if isinstance(kind, Copied) else kind for kind in parameters.values())])


@overload
def coroutine(
    module: Module,
    name: str,
    parameters: Parameters = ...,
    *,
    promise: TypeLike | None = ...,
    result: TypeLike | None = ...,
    lazy: bool | None = ...,
    final: bool = ...,
    allocation: Allocation = ...,
    personality: str | None = ...,
    linkage: Linkage = ...,
    source: Source | None = ...,
) -> AbstractContextManager[SwitchBuilder]: ...
@overload
def coroutine(
    module: Module,
    name: str,
    parameters: Parameters = ...,
    *,
    abi: Retcon,
    personality: str | None = ...,
    linkage: Linkage = ...,
    source: Source | None = ...,
) -> AbstractContextManager[RetconBuilder]: ...
@overload
def coroutine(
    module: Module, name: str, parameters: Parameters = ..., *, abi: Async, linkage: Linkage = ..., source: Source | None = ...
) -> AbstractContextManager[AsyncBuilder]: ...
def coroutine(
    module: Module,
    name: str,
    parameters: Parameters = _NONE,
    *,
    promise: TypeLike | None = None,
    result: TypeLike | None = None,
    lazy: bool | None = None,
    final: bool = True,
    allocation: Allocation = MALLOC,
    personality: str | None = None,
    linkage: Linkage = "external",
    source: Source | None = None,
    abi: Retcon | Async | None = None,
) -> AbstractContextManager[SwitchBuilder] | AbstractContextManager[RetconBuilder] | AbstractContextManager[AsyncBuilder]:
    """Builds a coroutine within ``with``: what it gives builds its body. A function that was declared so gets it as its body.

    ``parameters`` are types by name. Calling the coroutine gives its handle. ``promise`` is the type of what it yields; or
    ``result`` that of what it gives in the end to a coroutine that awaits it, ``"void"`` for nothing. A ``lazy`` one suspends
    before its body begins, as those that are awaited do. Where its body ends it stands at a ``final`` suspend point until it is
    destroyed; without one it frees its frame then, and who has its handle has to know. ``personality`` names the function that
    unwinding asks, ``"__gxx_personality_v0"`` where C++ throws: calls are invokes then, wherever something may throw.

    ``abi`` is one of the others: :class:`Retcon`, :class:`Async`, which know all this by other words. A coroutine for an ABI of
    one's own is built as one of the ABI that it derives from.

    Where the body raises, what was built of it is taken back.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "pair", {"first": "i32"}, promise="i32") as c:
    ...     c.yield_(c["first"])
    ...     c.yield_(c.add(c["first"], 1))
    >>> with pycoro.Engine(pycoro.lower(module, host=True)) as engine:
    ...     list(engine["pair"](7))
    [7, 8]
    """
    build = Builder(module)
    if abi is not None:
        if promise is not None or result is not None or lazy is not None or not final or allocation is not MALLOC:
            raise UsageError("promise=, result=, lazy=, final= and allocation= are of the switch ABI: abi= has words of its own")
        return _of_abi(build, module, name, parameters, abi, personality, linkage, source)
    if promise is not None and result is not None:
        raise UsageError("a coroutine yields values (promise=), or is awaited for one (result=), not both")
    if result is not None and lazy is not None and not lazy:
        raise UsageError("a coroutine that is awaited for its result is lazy: it begins when it is awaited")
    if result is not None and not final:
        raise UsageError("a coroutine that is awaited has a final suspend point: who awaits it reads its result there")
    kinds = [None if kind is None else parsed(build, kind) for kind in (promise, result)]

    def make(function: Function, personality: Function | None) -> SwitchBuilder:
        return SwitchBuilder(
            module, function, parameters, personality, promise=kinds[0], result=kinds[1],
            lazy=bool(lazy) or result is not None, final=final, allocation=allocation,
        )  # fmt: skip

    return _built(module, name, _signature(build, "ptr", parameters), linkage, personality, source, make)


def _of_abi(
    build: Builder,
    module: Module,
    name: str,
    parameters: Parameters,
    abi: Retcon | Async,
    personality: str | None,
    linkage: Linkage,
    source: Source | None,
) -> AbstractContextManager[RetconBuilder] | AbstractContextManager[AsyncBuilder]:
    if isinstance(abi, Retcon):
        how = abi

        def returned(function: Function, personality: Function | None) -> RetconBuilder:
            return RetconBuilder(module, function, parameters, personality, how)

        type = _signature(build, abi.given(build), parameters, "ptr")
        return _built(module, name, type, linkage, personality, source, returned)
    if personality is not None:
        raise UsageError("no exception leaves an async coroutine: its caller is not on the stack. Leave out personality=")

    def handed(function: Function, personality: Function | None) -> AsyncBuilder:
        return AsyncBuilder(module, function, parameters, abi)

    return _built(module, name, _signature(build, "void", parameters, "ptr"), linkage, None, source, handed)


def function(
    module: Module,
    name: str,
    parameters: Parameters = _NONE,
    result: TypeLike = "void",
    *,
    personality: str | None = None,
    linkage: Linkage = "external",
    source: Source | None = None,
) -> AbstractContextManager[FunctionBuilder]:
    """Builds a function that is no coroutine within ``with``, with the same scopes and cleanups: as those that own coroutines
    have.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.function(module, "double", {"n": "i32"}, "i32") as f:
    ...     f.return_(f.mul(f["n"], 2))
    >>> pycoro.Interpreter(module).call("double", 21)
    42
    """
    build = Builder(module)
    kind = parsed(build, result)

    def make(function: Function, personality: Function | None) -> FunctionBuilder:
        return FunctionBuilder(module, function, parameters, personality, result=kind)

    return _built(module, name, _signature(build, kind, parameters), linkage, personality, source, make)
