"""Passes in Python: callables and classes that run in a pipeline together with pycoro's and LLVM's passes.

Derive a class from :class:`ModulePass`, :class:`FunctionPass` or :class:`CoroutinePass` and define ``run``::

    class Count(pycoro.FunctionPass):
        def run(self, function, module):
            self.remark(f"{len(function.blocks)} blocks", function)

    pycoro.Pipeline("coro-early", Count(), "cgscc(coro-split)", "coro-cleanup").run(module)

Any callable is a module pass. A pass may inspect and change the module, run other pipelines on it or on a copy, and reject it.
An exception ends the run, leaves the module unmodified and propagates unchanged. If the module does not verify after the pass,
the run raises ``VerifyError`` with the name of the pass. The argument is the run's working copy, for use by the calling thread;
it is closed together with its views when ``run`` returns.

Register a pass to name it in pass strings, with the parameters of its class::

    @pycoro.register_pass
    @dataclass
    class Deeper(pycoro.ModulePass):
        depth: int = 1
        ...

    module.run("coro-early,deeper<depth=3>")

A package provides passes by entry points of the group ``pycoro.passes``, named after the pass. They are loaded when a pass
string contains an otherwise unknown name.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, cast

from pycoro import _core
from pycoro._pass_parameters import non_default_parameters_text, parameters_of, to_kebab_case
from pycoro._typecheck import short_repr
from pycoro.coroutine import Coroutine
from pycoro.errors import Diagnostic, RejectedError, UsageError
from pycoro.ir import Block, Function, Instruction

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["CoroutinePass", "FunctionPass", "ModulePass", "Pass", "PythonPass"]

LEVELS = {"module": 0, "cgscc": 1, "function": 2, "coroutine": 3}
"""Numbers of ``coro_pass_level``."""

_lent: ContextVar[_core.Module] = ContextVar("pycoro.lent")
"""Module of the pass that runs in this context."""


def check_pass_or_abi_name(name: object, owner: str) -> None:
    """Raise ``UsageError`` for an invalid name of a Python pass or an ABI."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][\w.+-]*", name, re.ASCII):
        raise UsageError(f"{owner}: invalid name {name!r}; use letters, digits, dashes, dots and underscores")


class Pass:
    """Pass in a pipeline. ``str`` is its spelling for ``opt -passes=`` at the top level.

    >>> for each in pycoro.CoroEarly(), pycoro.CoroSplit(reuse_storage=True), pycoro.CoroElide():
    ...     print(each.name, each.level, each)
    coro-early module coro-early
    coro-split cgscc cgscc(coro-split<reuse-storage>)
    coro-elide function function(coro-elide)
    """

    name: ClassVar[str]
    level: ClassVar[Literal["module", "cgscc", "function"]] = "module"

    @property
    def text(self) -> str:
        """Name with the pass's options."""
        return self.name

    def __str__(self) -> str:
        return self.text if self.level == "module" else f"{self.level}({self.text})"


class PythonPass(Pass, ABC):
    """Base class of passes in Python.

    ``name`` defaults to the class name in lower case with dashes. Parameters of ``__init__`` that are numbers, booleans or
    texts without punctuation are appended if they differ from their defaults: ``deeper<depth=3>``. Their values come from the
    attributes of the same names, as in a dataclass.

    >>> class Rounds(pycoro.ModulePass):
    ...     def __init__(self, times: int = 1):
    ...         self.times = times
    ...     def run(self, module):
    ...         self.remark(f"{self.times} times", "sum")
    >>> print(pycoro.Pipeline(Rounds(times=3)))
    rounds<times=3>
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            cls.name = to_kebab_case(cls.__name__)
        check_pass_or_abi_name(cls.name, cls.__qualname__)

    @property
    def text(self) -> str:
        return self.name + non_default_parameters_text(parameters_of(type(self)), self)

    def reject(self, message: str, at: object = None, *, hint: str = "") -> NoReturn:
        """Reject the module: raise ``RejectedError`` with a message and a location. ``at`` is a function, a coroutine, a block, an
        instruction, or the name of a function."""
        function, block, instruction = location_of(at)
        diagnostic = Diagnostic(message, hint, function, block, instruction, rule=self.name, status=RejectedError.status)
        raise RejectedError("", [diagnostic])

    def remark(self, message: str, at: object = None, *, name: str = "", passed: bool = True) -> None:
        """Add a :class:`~pycoro.Remark` to the report of the run. ``at`` is as for :meth:`reject`; ``passed=False`` marks a missed
        transformation. Raises ``UsageError`` if the pass is not running."""
        module = _lent.get(None)
        if module is None:
            raise UsageError(f"{self.name} is not running, so there is no report for a remark")
        module.remark(self.name, name or type(self).__name__, location_of(at)[0], message, passed)


class ModulePass(PythonPass):
    """Pass in Python that runs once on the module.

    >>> class Stamp(pycoro.ModulePass):
    ...     def run(self, module):
    ...         pycoro.ir.Builder(module).declare("stamp", "void ()")
    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> report = pycoro.Pipeline(Stamp()).run(module)
    >>> "stamp" in module.functions
    True
    """

    @abstractmethod
    def run(self, module: Module) -> None:
        """Process the module; return None."""


class FunctionPass(PythonPass):
    """Pass in Python that runs on every function with a body, in the order of the module.

    >>> class Count(pycoro.FunctionPass):
    ...     def run(self, function, module):
    ...         self.remark(f"{len(function.blocks)} blocks", function)
    >>> report = pycoro.Pipeline(Count()).run(pycoro.Module(pycoro.examples.COUNTER))
    >>> [(remark.function, remark.message) for remark in report.remarks]
    [('counter', '9 blocks'), ('sum', '4 blocks')]
    """

    level = "function"

    @abstractmethod
    def run(self, function: Function, module: Module) -> None:
        """Process a function; return None. It may change other functions too. Added and removed functions are not visited."""


class CoroutinePass(PythonPass):
    """Pass in Python that runs on every coroutine that is not split yet, callees first.

    In a ``cgscc(...)`` group with ``coro-split``, the callees of the visited coroutine are split already. After ``coro-split``
    it has nothing to visit.

    >>> class Small(pycoro.CoroutinePass):
    ...     def run(self, coroutine, module):
    ...         if coroutine.frame.size > 24:
    ...             self.reject(f"its frame has {coroutine.frame.size} bytes", coroutine)
    >>> pycoro.Pipeline("coro-early", Small(), pycoro.CoroSplit()).run(pycoro.Module(pycoro.examples.COUNTER))
    Traceback (most recent call last):
        ...
    pycoro.errors.RejectedError: its frame has 32 bytes
      in @counter
    """

    level = "cgscc"

    @abstractmethod
    def run(self, coroutine: Coroutine, module: Module) -> None:
        """Process a coroutine; return None. Its frame is laid out at the first use, by the ABIs of the pipeline and the defaults
        of ``coro-split``."""


def _unwrap_keyword_partial(
    function: Callable[..., object], keywords: dict[str, Any]
) -> tuple[Callable[..., object], dict[str, Any]]:
    """Unwrap a `functools.partial` with keywords only: return its function and the keywords."""
    if not isinstance(function, partial):
        return function, keywords
    wrapper = cast("partial[object]", function)
    return (wrapper, keywords) if wrapper.args else _unwrap_keyword_partial(wrapper.func, {**wrapper.keywords, **keywords})


class CallablePass(ModulePass):
    """Callable as a module pass, created by ``Pipeline(f)``."""

    name = "callable"

    def __init__(self, function: Callable[..., object], name: str = "", **keywords: Any) -> None:
        function, keywords = _unwrap_keyword_partial(function, keywords)
        self.function = function
        self.keywords = keywords
        self.name = name or to_kebab_case(getattr(function, "__name__", type(function).__name__).strip("<>_"))  # type: ignore[misc]
        check_pass_or_abi_name(self.name, repr(function))

    @property
    def text(self) -> str:
        return self.name + non_default_parameters_text(parameters_of(self.function, skip=1), self.keywords)

    def run(self, module: Module) -> None:
        check_returns_none(self.function(module, **self.keywords), self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CallablePass) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.name, self.function))

    def __repr__(self) -> str:
        return f"<pass {self.text}>"


def check_returns_none(answer: object, name: str) -> None:
    """Raise ``TypeError`` if a pass returns anything: often an uncalled method or a generator that never runs."""
    if answer is not None:
        raise TypeError(f"the pass {name} must change its module in place and return None, not {answer!r:.100}")


def level_number_of_pass(kind: type[PythonPass]) -> int:
    """Return the number by which the engine knows the level of a pass class, see `LEVELS`."""
    return LEVELS["coroutine" if issubclass(kind, CoroutinePass) else kind.level]


@contextmanager
def lend_module_to_pass(core: _core.Module) -> Generator[None, None, None]:
    """Make the module available to the pass that runs in this context."""
    token = _lent.set(core)
    try:
        yield
    finally:
        _lent.reset(token)


def location_of(at: object) -> tuple[str, str, str]:
    """Return the names of the function and block and the text of the instruction for a location."""
    if at is None or isinstance(at, str):
        return (at or "").removeprefix("@"), "", ""
    if isinstance(at, Coroutine | Function):
        return at.name, "", ""
    if isinstance(at, Block):
        return at.function.name, _block_label(at), ""
    if isinstance(at, Instruction):
        return at.block.function.name, _block_label(at.block), str(at).strip()
    raise TypeError(
        f"a location must be a function, coroutine, block or instruction, or the name of a function, not {short_repr(at)}"
    )


def _block_label(block: Block) -> str:
    return f"%{block.name}" if block.name else ""
