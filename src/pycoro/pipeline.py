"""Pipelines: passes as objects, LLVM's as strings, in the order they run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeVar, cast, overload

from pycoro import _core
from pycoro._policies import Methods, methods_of
from pycoro._wanted import check, check_flags, listed, shown
from pycoro.abi import ABI, KINDS
from pycoro.errors import PipelineError, UsageError
from pycoro.passes import CallablePass, Pass, PythonPass, level_of
from pycoro.registry import abi_named, load_for, passes_in, registered_levels

if TYPE_CHECKING:
    from pycoro.module import Module
    from pycoro.report import Report

__all__ = ["CGSCC", "DEFAULT", "CoroAnnotationElide", "CoroCleanup", "CoroEarly", "CoroElide", "CoroSplit", "Pass", "Pipeline"]


Level = Literal["O0", "O1", "O2", "O3", "Os", "Oz"]
Stage = Literal["default", "thinlto-pre-link", "lto-pre-link", "thinlto", "lto"]


@dataclass(frozen=True)
class CoroEarly(Pass):
    """Lowers what needs no frame: resume, destroy, done, promise, noop; marks what splitting needs marked.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> report = pycoro.Pipeline(pycoro.CoroEarly()).run(module)
    >>> "@llvm.coro.promise(" in str(module.functions["sum"])
    False
    """

    name = "coro-early"


@dataclass(frozen=True)
class CoroSplit(Pass):
    """Lays out the frame and splits each coroutine into its ramp and its resume, destroy and cleanup functions.

    >>> report = pycoro.Pipeline("coro-early", pycoro.CoroSplit()).run(pycoro.Module(pycoro.examples.COUNTER))
    >>> report.coroutines["counter"].clones
    ('counter.resume', 'counter.destroy', 'counter.cleanup')
    """

    name = "coro-split"
    level = "cgscc"

    reuse_storage: bool = False
    """Lets variables that are never live together share bytes of the frame."""
    abis: Sequence[ABI | str] = ()
    """Of your own, by the index that coroutines pass to ``llvm.coro.begin.custom.abi``; those that have a ``select`` also for
    others. A text is the name of a registered one: see :func:`register_abi`. ``str`` does not tell them."""

    def __post_init__(self) -> None:
        check_flags(reuse_storage=self.reuse_storage)
        given = listed("abis is a list of ABIs, by their index", self.abis)
        object.__setattr__(self, "abis", tuple(abi_named(abi) if isinstance(abi, str) else abi for abi in given))
        for abi in self.abis:
            if not isinstance(abi, tuple(KINDS)):
                raise TypeError(f"an ABI is an object of a class derived from pycoro.SwitchABI or the like, not {abi!r}")

    @property
    def resolved_abis(self) -> tuple[ABI, ...]:
        """The ABIs themselves, also of those that were named."""
        return tuple(abi for abi in self.abis if not isinstance(abi, str))

    @property
    def text(self) -> str:
        return f"{self.name}<reuse-storage>" if self.reuse_storage else self.name


def _with_limit(elide: CoroAnnotationElide | CoroElide) -> str:
    """The text of a pass that elides. TypeError or UsageError if its limit is no number of bytes."""
    most = elide.max_frame_bytes
    if most is None:
        return elide.name
    check("max_frame_bytes is a number of bytes", most, int)
    if not 0 <= most < 2**63:
        raise UsageError(f"max_frame_bytes is at least 0 and less than 2**63, not {most}")
    return f"{elide.name}<max-frame-bytes={most}>"


@dataclass(frozen=True)
class CoroAnnotationElide(Pass):
    """Puts the frames of calls marked ``coro_elide_safe`` on the stack of the caller.

    >>> print(pycoro.CGSCC(pycoro.CoroSplit(), pycoro.CoroAnnotationElide(max_frame_bytes=4096)))
    cgscc(coro-split,coro-annotation-elide<max-frame-bytes=4096>)
    """

    name = "coro-annotation-elide"
    level = "cgscc"

    max_frame_bytes: int | None = None
    """The elided frames that one function may hold; None: 16384 bytes. With 0 nothing is elided."""

    def __post_init__(self) -> None:
        _with_limit(self)

    @property
    def text(self) -> str:
        return _with_limit(self)


@dataclass(frozen=True)
class CoroElide(Pass):
    """Puts the frame of a coroutine that does not outlive its caller on the caller's stack.

    >>> inlined = pycoro.Pipeline("coro-early", pycoro.CGSCC(pycoro.CoroSplit(), "inline"), pycoro.CoroElide(), "coro-cleanup")
    >>> [elision.done for elision in inlined.run(pycoro.Module(pycoro.examples.COUNTER)).elisions]
    [True]
    """

    name = "coro-elide"
    level = "function"

    max_frame_bytes: int | None = None
    """The elided frames that one function may hold; None: 16384 bytes. With 0 nothing is elided."""

    def __post_init__(self) -> None:
        _with_limit(self)

    @property
    def text(self) -> str:
        return _with_limit(self)


@dataclass(frozen=True)
class CoroCleanup(Pass):
    """Lowers what is left, so that nothing named ``llvm.coro`` remains.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> report = pycoro.Pipeline("coro-early", pycoro.CoroSplit(), pycoro.CoroCleanup()).run(module)
    >>> "llvm.coro" in str(module)
    False
    """

    name = "coro-cleanup"


class CGSCC(Pass):
    """Passes that go together, ``cgscc(...)``: callees first, each function goes through all of them before those that call it
    begin. It holds passes on coroutines and functions, and LLVM's as strings, as ``CGSCC("inline", Mine(), CoroSplit())``.

    >>> print(pycoro.CGSCC("inline", pycoro.CoroSplit(), pycoro.CoroElide()))
    cgscc(inline,coro-split,function(coro-elide))
    """

    name = "cgscc"

    def __init__(self, *passes: Pass | str) -> None:
        if not passes:
            raise UsageError("a cgscc group has a pass in it")
        for item in passes:
            check("a cgscc group holds passes and strings", item, Pass, str)
            if isinstance(item, Pass) and item.level == "module":
                raise UsageError(f"{item.text} is a pass on the module, which goes through nothing function by function")
        self.passes = passes

    @property
    def text(self) -> str:
        inside = (item if isinstance(item, str) or item.level != "cgscc" else item.text for item in self.passes)
        return f"cgscc({','.join(map(str, inside))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CGSCC) and self.passes == other.passes

    def __hash__(self) -> int:
        return hash(self.passes)

    def __repr__(self) -> str:
        return f"CGSCC({', '.join(map(repr, self.passes))})"


def _each(items: Iterable[Pass | str]) -> Iterator[Pass | str]:
    """The passes, and those that groups of them hold."""
    for item in items:
        yield from item.passes if isinstance(item, CGSCC) else (item,)


def _abis_of(items: Iterable[Pass | str]) -> tuple[ABI, ...]:
    """Of their coro-splits, which have the same."""
    lists = {item.resolved_abis for item in _each(items) if isinstance(item, CoroSplit) and item.abis}
    if len(lists) > 1:
        raise UsageError("a pipeline's coro-splits have different lists of ABIs: coroutines name one by its index")
    return tuple(next(iter(lists), ()))


class Pipeline:
    """Passes in order: pycoro's and your own as objects, LLVM's as strings, other pipelines, callables.

    ``str`` is a pipeline string of ``opt``, in its canonical spelling, by which pipelines are compared, and by their ABIs and your
    own passes. It never changes, so any thread may run it. A string that does not parse is a ``PipelineError`` here, before
    anything runs; two different passes that are spelt alike are a ``UsageError``.

    >>> pipeline = pycoro.Pipeline("coro-early", pycoro.CGSCC("inline", pycoro.CoroSplit()), "coro-cleanup")
    >>> print(pipeline)
    coro-early,cgscc(inline,coro-split),coro-cleanup
    >>> pipeline.run(pycoro.Module(pycoro.examples.COUNTER)).coroutines["counter"].clones
    ('counter.resume', 'counter.destroy', 'counter.cleanup')
    """

    __slots__ = ("_abis", "_callers", "_passes", "_text")

    def __init__(self, *passes: Pass | str | Pipeline | Callable[[Module], object]) -> None:
        flat: list[Pass | str] = []
        for item in passes:
            if isinstance(item, Pipeline):
                flat.extend(item)
            elif isinstance(item, Pass | str):
                flat.append(item)
            elif callable(item) and not isinstance(item, type):
                flat.append(CallablePass(item))
            else:
                raise TypeError(f"a pass is a Pass, a string or a Pipeline, not {_shown(item)}")
        self._passes = tuple(flat)
        self._abis = _abis_of(flat)
        text = spelt(",".join(map(str, flat)))
        self._callers, self._text = resolved(text, flat, lambda callers: _core.pipeline_check(text, named(callers)))

    @staticmethod
    def level(level: Level, stage: Stage = "default") -> Pipeline:
        """What LLVM runs at an optimisation level, with pycoro's passes in the places of LLVM's coroutine passes: the pass string
        ``default<O2>``. ``stage`` is "default", or one of those of an optimising linker: its first half on each module, as
        "lto-pre-link", and its second on all of them in one, as "lto"."""
        return Pipeline(f"{stage}<{level}>")

    @staticmethod
    def O0() -> Pipeline:
        """``default<O0>``: lowers, and optimises nothing."""
        return Pipeline.level("O0")

    @staticmethod
    def O1() -> Pipeline:
        """``default<O1>``."""
        return Pipeline.level("O1")

    @staticmethod
    def O2() -> Pipeline:
        """``default<O2>``."""
        return Pipeline.level("O2")

    @staticmethod
    def O3() -> Pipeline:
        """``default<O3>``."""
        return Pipeline.level("O3")

    @staticmethod
    def Os() -> Pipeline:
        """``default<Os>``: for size."""
        return Pipeline.level("Os")

    @staticmethod
    def Oz() -> Pipeline:
        """``default<Oz>``: for size above all."""
        return Pipeline.level("Oz")

    def run(
        self,
        module: Module | list[Module] | tuple[Module, ...],
        *,
        verify: bool = True,
        verify_each: bool = False,
        after_pass: Callable[[str, str, str], object] | None = None,
        snapshots: bool = False,
    ) -> Report:
        """Runs the passes on the module; as :meth:`Module.run`, which says what the arguments are. Of a list of modules they are
        run on what :func:`pycoro.link` makes of them, ``report.module``, and the modules themselves are left as they are."""
        for one in module if isinstance(module, list | tuple) else (module,):
            if isinstance(one, type) or not hasattr(one, "run"):
                raise TypeError(f"a pipeline is run on a pycoro.Module or a list of them, not {shown(one)}")
        if isinstance(module, list | tuple):
            from pycoro.module import link

            module = link(module)
        return module.run(self, verify=verify, verify_each=verify_each, after_pass=after_pass, snapshots=snapshots)

    @property
    def abis(self) -> tuple[ABI, ...]:
        """The ABIs of your own that its coro-splits were given."""
        return self._abis

    @property
    def own_passes(self) -> Mapping[str, PythonPass]:
        """Your own passes in it, by how its string spells them."""
        return MappingProxyType(self._callers)

    @property
    def expanded(self) -> str:
        """Its pass string with the passes that levels run in the place of their names, as LLVM's opt prints a level. Run in its
        place it is the same."""
        return _core.pipeline_check(self._text, named(self._callers), True)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Pipeline({', '.join(map(repr, self._passes))})"

    def __iter__(self) -> Iterator[Pass | str]:
        return iter(self._passes)

    def __len__(self) -> int:
        return len(self._passes)

    @overload
    def __getitem__(self, index: int) -> Pass | str: ...
    @overload
    def __getitem__(self, index: slice) -> Pipeline: ...
    def __getitem__(self, index: int | slice) -> Pass | str | Pipeline:
        return Pipeline(*self._passes[index]) if isinstance(index, slice) else self._passes[index]

    def __add__(self, other: Pipeline | Pass | str) -> Pipeline:
        return Pipeline(self, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pipeline) and (self._text, self._abis, self._callers) == (
            other._text,
            other._abis,
            other._callers,
        )

    def __hash__(self) -> int:
        return hash(self._text)


DEFAULT = "coro-early,cgscc(coro-split),coro-cleanup"
"""What :func:`pycoro.lower` runs unless it is told otherwise: everything that lowering needs, and nothing else."""


def _shown(item: object) -> str:
    """For an error: what was given instead of an object of a known type."""
    return f"the class {item.__name__}: write {item.__name__}()" if isinstance(item, type) else type(item).__name__


def spelt(passes: str) -> str:
    """A pass string as LLVM can be given it: what is no UTF-8, or a NUL, is in no pass's name, and is spelt out."""
    return passes.encode("utf-8", "backslashreplace").decode().replace("\0", r"\x00")


def passes_of(passes: object) -> str | Pass | Pipeline:
    """Whatever may be given as passes. TypeError for what may not."""
    if isinstance(passes, str | Pass | Pipeline):
        return passes
    if callable(passes) and not isinstance(passes, type | Iterable):
        return CallablePass(passes)
    if isinstance(passes, type) or not isinstance(passes, Iterable):
        raise TypeError(f"passes are a string, a Pass, a Pipeline or a list of them, not {_shown(passes)}")
    return Pipeline(*cast("Iterable[Pass | str | Pipeline]", passes))


def hooks_of(passes: str | Pass | Pipeline) -> tuple[Methods, ...] | None:
    """What the engine calls of the ABIs of passes; None where there are none."""
    abis = passes.abis if isinstance(passes, Pipeline) else _abis_of([passes])
    return tuple(methods_of(abi) for abi in abis) or None


T = TypeVar("T")

Callers = dict[str, PythonPass]
"""Passes of your own, by how a pass string spells them."""


def resolved(text: str, items: Iterable[Pass | str], use: Callable[[Callers], T]) -> tuple[Callers, T]:
    """Finds the passes of your own in a pass string, which the items make, and uses the string with them: a second time with
    those of entry points, where it is a ``PipelineError`` without."""
    own = _own_passes(items)
    try:
        return _used(text, own, use)
    except PipelineError:
        if not load_for(text):
            raise
    return _used(text, own, use)


def _used(text: str, own: Callers, use: Callable[[Callers], T]) -> tuple[Callers, T]:
    found, wrong = passes_in(text, own)
    callers = own | found
    if not wrong:
        return callers, use(callers)
    try:
        _core.pipeline_check(text, named(callers))
    except PipelineError as error:
        wrong += error.diagnostics
    raise PipelineError("", sorted(wrong, key=lambda diagnostic: diagnostic.at))


def _own_passes(items: Iterable[Pass | str]) -> Callers:
    own: Callers = {}
    kinds: dict[str, type] = {}
    for item in _each(items):
        if not isinstance(item, PythonPass):
            continue
        if own.setdefault(item.text, item) != item or kinds.setdefault(item.name, type(item)) is not type(item):
            raise UsageError(f"two different passes are spelt {item.text}: give one of them another name")
    return own


def named(callers: Callers) -> tuple[tuple[str, int, Callable[..., None]], ...] | None:
    """Their names and levels, for the engine to check a pass string by; None where there are none."""
    return tuple((name, level, _uncalled) for name, level in levels(callers).items()) or None


def _uncalled(*_: object) -> None:
    raise AssertionError("a pass string that is checked is not run")


def levels(callers: Callers) -> dict[str, int]:
    """The level of each name that a pass string may have, as the engine counts them."""
    return registered_levels() | {text.partition("<")[0]: level_of(type(item)) for text, item in callers.items()}


def resolve(passes: str | Pass | Pipeline, use: Callable[[Callers], T]) -> T:
    """Uses passes with those of your own among them."""
    if isinstance(passes, Pipeline):
        return use(passes._callers)
    return resolved(spelt(str(passes)), [passes], use)[1]


def text_of(passes: str | Pass | Pipeline | Iterable[Pass | str | Pipeline]) -> str:
    """The pass string of whatever may be given as passes."""
    return str(passes_of(passes))
