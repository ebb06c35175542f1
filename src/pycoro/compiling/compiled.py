"""The decorator :func:`pycoro.compile`, and the compiled function that it returns."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Generic, ParamSpec, Self, TypeVar, cast, overload

from pycoro import _core
from pycoro._repr import with_fallback_repr
from pycoro._typecheck import check
from pycoro.compiling.program import Program, compile_to_native
from pycoro.compiling.source import read_function_source
from pycoro.errors import UsageError
from pycoro.pipeline import Pipeline

if TYPE_CHECKING:
    from pycoro.module import Module
    from pycoro.report import Report

__all__ = ["Compiled", "compile"]

P = ParamSpec("P")
R = TypeVar("R")


class Compiled(_core.Called, Generic[P, R]):
    """A function compiled by :func:`pycoro.compile`. The first call or :meth:`build` compiles it. In a class it is a method.

    >>> @pycoro.compile
    ... def square(n: int) -> int:
    ...     return n * n
    >>> square, square(7)
    (<compiled function square>, 49)
    """

    __wrapped__: Callable[P, R]
    """Original Python function."""
    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def __init__(self, function: Callable[P, R], pipeline: Pipeline) -> None:
        if not isinstance(function, FunctionType):
            raise UsageError(f"compile() needs a Python function, not {function!r}")
        check("pipeline is a Pipeline", pipeline, Pipeline, hint='make one of a pass string: pycoro.Pipeline("default<O2>")')
        self._tree = read_function_source(function)
        self._pipeline = pipeline
        self._report: Report | None = None
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters.values()
        self._places = len(parameters) if all(each.kind is not each.KEYWORD_ONLY for each in parameters) else -1
        functools.update_wrapper(cast("Callable[P, R]", self), function)
        self.__code__ = function.__code__  # inspect reads generator and coroutine flags from these attributes
        self.__defaults__, self.__kwdefaults__ = function.__defaults__, function.__kwdefaults__

    def _build_bind_and_call(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Compile if that has not happened, complete the arguments with keywords and defaults, and call. The engine's type calls
        this for every call that it does not pass on itself."""
        code: Callable[..., R] = self.build()
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return code(*bound.arguments.values())

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., R]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Self | Callable[..., R]:
        return self if instance is None else MethodType(self, instance)

    def build(self) -> Callable[..., R]:
        """Compile now instead of on the first call."""
        if self._native is None:
            self._native, self._report = compile_to_native(Program(self._tree), self._pipeline, self.__wrapped__)
        return self._native

    @property
    def source(self) -> Module:
        """Return a new module with the function and its callees, before any pass. Python calls its ``@enter``."""
        return Program(self._tree).module

    @property
    def report(self) -> Report:
        """Report of the pipeline run that compiled this function, with its coroutines and their frames."""
        self.build()
        assert self._report is not None
        return self._report

    def __reduce__(self) -> str:
        """Pickle and copy by name, as for a function."""
        return self.__wrapped__.__qualname__

    @with_fallback_repr
    def __repr__(self) -> str:
        return f"<compiled {self._tree.signature.sort} {self._tree.signature.name}>"


@overload
def compile(function: Callable[P, R], /) -> Compiled[P, R]: ...
@overload
def compile(*, pipeline: Pipeline | str = ...) -> Callable[[Callable[P, R]], Compiled[P, R]]: ...
def compile(
    function: Callable[P, R] | None = None, /, *, pipeline: Pipeline | str = "default<O2>"
) -> Compiled[P, R] | Callable[[Callable[P, R]], Compiled[P, R]]:
    """Compile a Python function of a typed subset to native code: a generator, an ``async def`` or a plain function.

    >>> from collections.abc import Iterator
    >>> @pycoro.compile
    ... def squares(n: int) -> Iterator[int]:
    ...     for i in range(n):
    ...         yield i * i
    >>> list(squares(4))
    [0, 1, 4, 9]

    The result behaves as Python's function does when it is called, iterated, sent to, closed and awaited. ``int`` has 64
    bits: a larger result raises ``OverflowError``. ``pipeline`` lowers the module, as a :class:`Pipeline` or a pass string.
    Code outside of the subset raises a :class:`CompileError` with its line.
    """
    chosen = pipeline if isinstance(pipeline, Pipeline) else Pipeline(pipeline)

    def decorate(function: Callable[P, R]) -> Compiled[P, R]:
        return Compiled(function, chosen)

    return decorate if function is None else decorate(function)
