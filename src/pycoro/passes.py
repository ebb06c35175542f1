"""Passes of your own: callables and classes that stand in a pipeline beside pycoro's passes and LLVM's.

A class derives from :class:`ModulePass`, :class:`FunctionPass` or :class:`CoroutinePass`, and has a method ``run``::

    class Count(pycoro.FunctionPass):
        def run(self, function, module):
            self.remark(f"{len(function.blocks)} blocks", function)

    pycoro.Pipeline("coro-early", Count(), "cgscc(coro-split)", "coro-cleanup").run(module)

Any callable is a pass on the module. A pass may look, change the module, run other pipelines on it or on a copy, and refuse:
whatever it raises ends the run, leaves the module as it was, and is raised from the run as it was raised. What it leaves has
to be a module that verifies, else the run ends with a ``VerifyError`` that names the pass. The module that it is given is the
run's working copy, lent to the thread that called the pass: when ``run`` returns it is closed, and its views with it.

A registered pass may be named in pass strings, with the parameters of its class::

    @pycoro.register_pass
    @dataclass
    class Deeper(pycoro.ModulePass):
        depth: int = 1
        ...

    module.run("coro-early,deeper<depth=3>")

A package brings passes by an entry point of the group ``pycoro.passes``, whose name is the pass's; it is loaded when a pass
string has a name that nobody else knows.
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
from pycoro._parameters import kebab, parameters_of, spell
from pycoro._wanted import shown
from pycoro.errors import Diagnostic, RejectedError, UsageError

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.ir import Block, Function
    from pycoro.module import Module

__all__ = ["CoroutinePass", "FunctionPass", "ModulePass", "Pass", "PythonPass"]

LEVELS = {"module": 0, "cgscc": 1, "function": 2, "coroutine": 3}
"""As ``coro_pass_level`` counts them."""

_lent: ContextVar[_core.Module] = ContextVar("pycoro.lent")
"""The module of the pass that runs in this context."""


def check_name(name: object, owner: str) -> None:
    """UsageError for what is no name of a pass of your own."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][\w.+-]*", name, re.ASCII):
        raise UsageError(f"{owner}: a pass is not named {name!r}: letters, digits, dashes, dots and underscores make a name")


class Pass:
    """A pass in a pipeline. ``str`` is how ``opt -passes=`` spells it at the top of one.

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
        """The name with the pass's options."""
        return self.name

    def __str__(self) -> str:
        return self.text if self.level == "module" else f"{self.level}({self.text})"


class PythonPass(Pass, ABC):
    """What passes of your own have in common.

    ``name`` is the class's in small letters, with dashes, unless the class has another one. The parameters of ``__init__``
    that are numbers, texts without punctuation, or true or false, are spelt behind the name, where they are not what they are
    by default: ``deeper<depth=3>``. They are looked up in the attributes of their names, as a dataclass has them.

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
            cls.name = kebab(cls.__name__)
        check_name(cls.name, cls.__qualname__)

    @property
    def text(self) -> str:
        return self.name + spell(parameters_of(type(self)), self)

    def reject(self, message: str, at: object = None, *, hint: str = "") -> NoReturn:
        """Refuses the module: raises a ``RejectedError`` that says what is wrong, and where: ``at`` is a function, a coroutine,
        a block, an instruction, or the name of a function."""
        function, block, instruction = place_of(at)
        said = Diagnostic(message, hint, function, block, instruction, rule=self.name, status=RejectedError.status)
        raise RejectedError("", [said])

    def remark(self, message: str, at: object = None, *, name: str = "", done: bool = True) -> None:
        """Adds a :class:`~pycoro.Remark` to the report of the run. ``at`` as for :meth:`reject`; ``done=False`` says that
        something was refused. ``UsageError`` where the pass is not being run."""
        module = _lent.get(None)
        if module is None:
            raise UsageError(f"{self.name} is not being run: there is no report that a remark can go into")
        module.remark(self.name, name or type(self).__name__, place_of(at)[0], message, done)


class ModulePass(PythonPass):
    """A pass of your own that sees the module once.

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
        """Called with the module as the passes before have left it. It returns nothing."""


class FunctionPass(PythonPass):
    """A pass of your own that sees every function with a body, in the order of the module.

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
        """Called for each function. It may change others too, as long as they verify; those that are added are not visited,
        those that are removed neither. It returns nothing."""


class CoroutinePass(PythonPass):
    """A pass of your own that sees every coroutine that is still to be split, those that it calls first.

    Beside ``coro-split`` in a ``cgscc(...)`` it goes function by function with it: the callees of the coroutine that it
    sees have been split. Behind ``coro-split`` there is nothing left for it to see.

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
        """Called for each coroutine, whose frame is laid out when it is first looked at, by the ABIs of the pipeline and as by
        ``coro-split`` without parameters. It returns nothing."""


def _without_keywords(function: Callable[..., object], keywords: dict[str, Any]) -> tuple[Callable[..., object], dict[str, Any]]:
    """What a `functools.partial` that has set keywords only is of, and those with them."""
    if not isinstance(function, partial):
        return function, keywords
    made = cast("partial[object]", function)
    return (made, keywords) if made.args else _without_keywords(made.func, {**made.keywords, **keywords})


class CallablePass(ModulePass):
    """A callable as a pass on the module. ``Pipeline(f)`` makes one."""

    name = "callable"

    def __init__(self, function: Callable[..., object], name: str = "", **keywords: Any) -> None:
        function, keywords = _without_keywords(function, keywords)
        self.function = function
        self.keywords = keywords
        self.name = name or kebab(getattr(function, "__name__", type(function).__name__).strip("<>_"))  # type: ignore[misc]
        check_name(self.name, repr(function))

    @property
    def text(self) -> str:
        return self.name + spell(parameters_of(self.function, skip=1), self.keywords)

    def run(self, module: Module) -> None:
        none(self.function(module, **self.keywords), self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CallablePass) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.name, self.function))

    def __repr__(self) -> str:
        return f"<pass {self.text}>"


def none(answer: object, name: str) -> None:
    """TypeError for what a pass gives, where that is anything: most likely it is a method that was not called, or a generator
    that nobody runs."""
    if answer is not None:
        raise TypeError(f"the pass {name} changes the module that it is given, and returns None, not {answer!r:.100}")


def level_of(kind: type[PythonPass]) -> int:
    """The level of such passes, as the engine counts them."""
    return LEVELS["coroutine" if issubclass(kind, CoroutinePass) else kind.level]


@contextmanager
def lending(core: _core.Module) -> Generator[None, None, None]:
    """The time in which a pass has the module."""
    token = _lent.set(core)
    try:
        yield
    finally:
        _lent.reset(token)


def place_of(at: object) -> tuple[str, str, str]:
    """The function, the block and the instruction that say where `at` is."""
    if at is None or isinstance(at, str):
        return (at or "").removeprefix("@"), "", ""
    from pycoro.coroutine import Coroutine
    from pycoro.ir import Block, Function, Instruction

    if isinstance(at, Coroutine | Function):
        return at.name, "", ""
    if isinstance(at, Block):
        return at.function.name, _block(at), ""
    if isinstance(at, Instruction):
        return at.block.function.name, _block(at.block), str(at).strip()
    raise TypeError(f"a place is a function, a coroutine, a block, an instruction, or the name of a function, not {shown(at)}")


def _block(block: Block) -> str:
    return f"%{block.name}" if block.name else ""
