"""Context managers that build coroutines, and plain functions with scopes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, overload

from pycoro.build.async_ import Async, AsyncBuilder
from pycoro.build.function_body import FunctionBody
from pycoro.build.plain_function import FunctionBuilder
from pycoro.build.retcon import Retcon, RetconBuilder
from pycoro.build.spec import MALLOC, Allocation, ByValue, Parameters, Source, parse_type
from pycoro.build.switch import SwitchBuilder
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder, Linkage
from pycoro.ir.calls import function_type_of
from pycoro.ir.function import Function
from pycoro.ir.types import Type, TypeLike

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["coroutine", "function"]

_NONE: Parameters = MappingProxyType({})
BuilderT = TypeVar("BuilderT", bound=FunctionBody)


@contextmanager
def _build_body(
    module: Module,
    name: str,
    type: Type,
    linkage: Linkage,
    personality: str | None,
    source: Source | None,
    make: Callable[[Function, Function | None], BuilderT],
) -> Generator[BuilderT, None, None]:
    """Build the body within ``with``; erase it if that raises."""
    build = Builder(module)
    function = module.functions.get(name)
    declared = function is not None and function.is_declaration
    if function is None or not declared:
        function = build.add_function(name, type, linkage=linkage)
    elif function_type_of(function) != type:
        raise UsageError(f"@{name} is declared with type {function.type}, but built with type {type}")
    body: BuilderT | None = None
    try:
        body = make(function, build.declare(personality, "i32 (...)") if personality is not None else None)
        if source is not None:
            body.describe(source)
        body.build_prologue()
        with body.scope():
            yield body
            if body.open:
                body.end_body()
        body.build_epilogue()
        body.check()
    except BaseException:
        if body is not None:
            body.discard(declared=declared)
        elif not declared:
            build.erase(function)
        raise


def _function_type(build: Builder, result: TypeLike, parameters: Parameters, *first: TypeLike) -> Type:
    return build.types.function(result, [*first, *("ptr" if isinstance(kind, ByValue) else kind for kind in parameters.values())])


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
    """Build a coroutine within ``with``; the context manager returns the builder of its body. An existing declaration of the same
    type gets the body.

    ``parameters`` are types by name. A call of the coroutine returns its handle. ``promise`` is the type of its yielded values,
    or ``result`` the type of its result for an awaiting coroutine, ``"void"`` for none. A ``lazy`` coroutine suspends before
    its body, as awaitable ones do. At its end it stops at a ``final`` suspend until it is destroyed; with ``final=False`` it
    frees its frame, and owners of the handle must know that. ``personality`` is the personality function,
    ``"__gxx_personality_v0"`` for C++ exceptions; calls that may throw then become invokes.

    ``abi`` selects another ABI: :class:`Retcon` or :class:`Async`, which have their own options. Build a coroutine for a custom
    ABI as one of the ABI that it derives from.

    An exception in the body erases what was built.

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
            raise UsageError(
                "promise=, result=, lazy=, final= and allocation= belong to the switch ABI; use the options of abi= instead"
            )
        return _continuation_builder_context(build, module, name, parameters, abi, personality, linkage, source)
    if promise is not None and result is not None:
        raise UsageError("pass either promise= (the coroutine yields values) or result= (it is awaited), not both")
    if result is not None and lazy is not None and not lazy:
        raise UsageError("a coroutine with result= is always lazy: it starts when it is awaited")
    if result is not None and not final:
        raise UsageError("a coroutine with result= needs its final suspend point, where the awaiter reads the result")
    kinds = [None if kind is None else parse_type(build, kind) for kind in (promise, result)]

    def make_switch_builder(function: Function, personality: Function | None) -> SwitchBuilder:
        return SwitchBuilder(
            module, function, parameters, personality, promise=kinds[0], result=kinds[1],
            lazy=bool(lazy) or result is not None, final=final, allocation=allocation,
        )  # fmt: skip

    return _build_body(module, name, _function_type(build, "ptr", parameters), linkage, personality, source, make_switch_builder)


def _continuation_builder_context(
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
        retcon = abi

        def make_retcon_builder(function: Function, personality: Function | None) -> RetconBuilder:
            return RetconBuilder(module, function, parameters, personality, retcon)

        type = _function_type(build, abi.yield_type(build), parameters, "ptr")
        return _build_body(module, name, type, linkage, personality, source, make_retcon_builder)
    if personality is not None:
        raise UsageError(
            "an async coroutine cannot propagate exceptions, because its caller is not on the stack; omit personality="
        )

    def make_async_builder(function: Function, personality: Function | None) -> AsyncBuilder:
        return AsyncBuilder(module, function, parameters, abi)

    return _build_body(module, name, _function_type(build, "void", parameters, "ptr"), linkage, None, source, make_async_builder)


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
    """Build a plain function within ``with``, with the same scopes and cleanups.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.function(module, "double", {"n": "i32"}, "i32") as f:
    ...     f.return_(f.mul(f["n"], 2))
    >>> pycoro.Interpreter(module).call("double", 21)
    42
    """
    build = Builder(module)
    kind = parse_type(build, result)

    def make_function_builder(function: Function, personality: Function | None) -> FunctionBuilder:
        return FunctionBuilder(module, function, parameters, personality, result=kind)

    return _build_body(module, name, _function_type(build, kind, parameters), linkage, personality, source, make_function_builder)
