"""Pipelines of passes: pycoro's and Python's as objects, LLVM's as strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeVar, cast, get_args, overload

from pycoro import _core
from pycoro._abi_methods import Methods, engine_arguments_of_abi
from pycoro._module_class import module_class
from pycoro._repr import with_fallback_repr
from pycoro._typecheck import check, check_booleans, check_list, short_repr
from pycoro.abi import ABI, KINDS
from pycoro.errors import PipelineError, UsageError
from pycoro.passes import CallablePass, Pass, PythonPass, level_number_of_pass
from pycoro.registry import abi_named, load_entry_points_for, registered_levels, registered_passes_in

if TYPE_CHECKING:
    from pycoro.module import Module
    from pycoro.report import Report

__all__ = [
    "CGSCC",
    "DEFAULT",
    "CoroAnnotationElide",
    "CoroCacheFrames",
    "CoroCleanup",
    "CoroEarly",
    "CoroElide",
    "CoroInferCaptures",
    "CoroSplit",
    "Pass",
    "Pipeline",
]


Level = Literal["O0", "O1", "O2", "O3", "Os", "Oz"]
Stage = Literal["default", "thinlto-pre-link", "lto-pre-link", "thinlto", "lto"]


@dataclass(frozen=True)
class _ElidePass(Pass):
    max_frame_bytes: int | None = None
    """Limit of the bytes of elided frames in one function; None: 16384. With 0 nothing is elided."""

    def __post_init__(self) -> None:
        most = self.max_frame_bytes
        check("max_frame_bytes must be an int", most, int, type(None))
        if most is not None and not 0 <= most < 2**63:
            raise UsageError(f"max_frame_bytes must be at least 0 and less than 2**63, not {most}")

    @property
    def text(self) -> str:
        """Spelling of the pass."""
        return self.name if self.max_frame_bytes is None else f"{self.name}<max-frame-bytes={self.max_frame_bytes}>"


TlsModel = Literal["global-dynamic", "local-dynamic", "initial-exec", "local-exec"]


@dataclass(frozen=True)
class CoroCacheFrames(Pass):
    """Keeps the memory of destroyed frames in lists of their thread, from which the next frames of the same size are taken. It
    replaces calls of C++'s ``operator new`` and ``operator delete``, and runs before ``coro-early``.

    >>> print(pycoro.Pipeline(pycoro.CoroCacheFrames(tls_model="initial-exec"), "default<O2>"))
    coro-cache-frames<initial-exec>,default<O2>
    """

    name = "coro-cache-frames"

    tls_model: TlsModel = "global-dynamic"
    """Model of the thread-local variable, as in clang's ``-ftls-model``. In an executable LLVM selects the fastest one."""

    def __post_init__(self) -> None:
        check("tls_model must be a str", self.tls_model, str)
        if self.tls_model not in get_args(TlsModel):
            raise UsageError(f"tls_model must be one of {', '.join(get_args(TlsModel))}, not {short_repr(self.tls_model)}")

    @property
    def text(self) -> str:
        return self.name if self.tls_model == "global-dynamic" else f"{self.name}<{self.tls_model}>"


@dataclass(frozen=True)
class CoroInferCaptures(Pass):
    """Marks arguments that the callee does not capture, which makes frames smaller. It assumes that all definitions of a
    ``linkonce_odr`` function capture the same arguments, and runs before ``coro-early``.

    >>> print(pycoro.Pipeline(pycoro.CoroInferCaptures(), "default<O0>"))
    coro-infer-captures,default<O0>
    """

    name = "coro-infer-captures"


@dataclass(frozen=True)
class CoroEarly(_ElidePass):
    """Lowers intrinsics that need no frame (resume, destroy, done, promise, noop) and marks coroutines for splitting.

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
    """True if stack slots that are never live at the same time may overlap in the frame."""
    abis: Sequence[ABI | str] = ()
    """Custom ABIs by the index in ``llvm.coro.begin.custom.abi``; those with a ``select`` also apply to other coroutines. A text
    names a registered ABI: see :func:`register_abi`. ``str`` omits them."""

    def __post_init__(self) -> None:
        check_booleans(reuse_storage=self.reuse_storage)
        given = check_list("abis must be a list of ABIs", self.abis)
        object.__setattr__(self, "abis", tuple(abi_named(abi) if isinstance(abi, str) else abi for abi in given))
        for abi in self.abis:
            if not isinstance(abi, tuple(KINDS)):
                raise TypeError(f"an ABI must be an instance of a subclass of SwitchABI, RetconABI or AsyncABI, not {abi!r}")

    @property
    def resolved_abis(self) -> tuple[ABI, ...]:
        """ABI objects, with names resolved."""
        return tuple(abi for abi in self.abis if not isinstance(abi, str))

    @property
    def text(self) -> str:
        return f"{self.name}<reuse-storage>" if self.reuse_storage else self.name


@dataclass(frozen=True)
class CoroAnnotationElide(_ElidePass):
    """Elides the heap allocation of frames for calls marked ``coro_elide_safe``: they become stack slots of the caller.

    >>> print(pycoro.CGSCC(pycoro.CoroSplit(), pycoro.CoroAnnotationElide(max_frame_bytes=4096)))
    cgscc(coro-split,coro-annotation-elide<max-frame-bytes=4096>)
    """

    name = "coro-annotation-elide"
    level = "cgscc"


@dataclass(frozen=True)
class CoroElide(_ElidePass):
    """Elides the heap allocation of a coroutine that does not outlive its caller: its frame becomes a stack slot of the caller.

    >>> inlined = pycoro.Pipeline("coro-early", pycoro.CGSCC(pycoro.CoroSplit(), "inline"), pycoro.CoroElide(), "coro-cleanup")
    >>> [elision.elided for elision in inlined.run(pycoro.Module(pycoro.examples.COUNTER)).elisions]
    [True]
    """

    name = "coro-elide"
    level = "function"


@dataclass(frozen=True)
class CoroCleanup(Pass):
    """Lowers the remaining coroutine intrinsics, so that nothing named ``llvm.coro`` remains.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> report = pycoro.Pipeline("coro-early", pycoro.CoroSplit(), pycoro.CoroCleanup()).run(module)
    >>> "llvm.coro" in str(module)
    False
    """

    name = "coro-cleanup"


class CGSCC(Pass):
    """Group ``cgscc(...)``: its passes run together on each function, callees first. It contains coroutine and function passes as
    objects and LLVM's passes as strings: ``CGSCC("inline", Mine(), CoroSplit())``.

    >>> print(pycoro.CGSCC("inline", pycoro.CoroSplit(), pycoro.CoroElide()))
    cgscc(inline,coro-split,function(coro-elide))
    """

    name = "cgscc"

    def __init__(self, *passes: Pass | str) -> None:
        if not passes:
            raise UsageError("a cgscc group needs at least one pass")
        for item in passes:
            check("a cgscc group must contain passes and strings", item, Pass, str)
            if isinstance(item, Pass) and item.level == "module":
                raise UsageError(f"{item.text} is a module pass; a cgscc group runs on functions. Put it before or after the group")
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


def _passes_with_group_members(items: Iterable[Pass | str]) -> Iterator[Pass | str]:
    """Yield the passes, including those in groups."""
    for item in items:
        yield from item.passes if isinstance(item, CGSCC) else (item,)


def _common_abis_of(items: Iterable[Pass | str]) -> tuple[ABI, ...]:
    """Return the ABIs of the coro-splits, which must be the same."""
    lists = {item.resolved_abis for item in _passes_with_group_members(items) if isinstance(item, CoroSplit) and item.abis}
    if len(lists) > 1:
        raise UsageError("the coro-splits of a pipeline have different lists of ABIs; coroutines refer to one by its index")
    return tuple(next(iter(lists), ()))


class Pipeline:
    """Sequence of passes: pycoro's and Python's as objects, LLVM's as strings, other pipelines, callables.

    ``str`` is the pipeline string for ``opt`` in canonical spelling. Pipelines are equal if their strings, ABIs and Python
    passes are. A pipeline is immutable, so any thread may run it. The constructor raises ``PipelineError`` for a malformed
    string, and ``UsageError`` if two different passes have the same spelling.

    >>> pipeline = pycoro.Pipeline("coro-early", pycoro.CGSCC("inline", pycoro.CoroSplit()), "coro-cleanup")
    >>> print(pipeline)
    coro-early,cgscc(inline,coro-split),coro-cleanup
    >>> pipeline.run(pycoro.Module(pycoro.examples.COUNTER)).coroutines["counter"].clones
    ('counter.resume', 'counter.destroy', 'counter.cleanup')
    """

    __slots__ = ("_abis", "_passes", "_python_passes", "_text")

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
                raise TypeError(f"a pass must be a Pass, a string or a Pipeline, not {_describe_class_of_wrong_argument(item)}")
        self._passes = tuple(flat)
        self._abis = _common_abis_of(flat)
        text = escaped_pass_string(",".join(map(str, flat)))
        self._python_passes, self._text = call_with_python_passes_of_text(
            text, flat, lambda python_passes: _core.pipeline_check(text, pass_names_and_levels(python_passes))
        )

    @staticmethod
    def level(level: Level, stage: Stage = "default") -> Pipeline:
        """Return LLVM's pipeline of an optimization level with pycoro's coroutine passes: the pass string ``default<O2>``.
        ``stage`` is "default", or a stage of link-time optimization: "lto-pre-link" for each module, "lto" for the linked one."""
        return Pipeline(f"{stage}<{level}>")

    @staticmethod
    def O0() -> Pipeline:
        """Return ``default<O0>``, which lowers without optimizing."""
        return Pipeline.level("O0")

    @staticmethod
    def O1() -> Pipeline:
        """Return ``default<O1>``."""
        return Pipeline.level("O1")

    @staticmethod
    def O2() -> Pipeline:
        """Return ``default<O2>``."""
        return Pipeline.level("O2")

    @staticmethod
    def O3() -> Pipeline:
        """Return ``default<O3>``."""
        return Pipeline.level("O3")

    @staticmethod
    def Os() -> Pipeline:
        """Return ``default<Os>``, which optimizes for size."""
        return Pipeline.level("Os")

    @staticmethod
    def Oz() -> Pipeline:
        """Return ``default<Oz>``, which optimizes for size above all."""
        return Pipeline.level("Oz")

    def run(
        self,
        module: Module | list[Module] | tuple[Module, ...],
        *,
        verify: bool = True,
        verify_each: bool = False,
        after_pass: Callable[[str, str, str], object] | None = None,
        snapshots: bool = False,
        check: bool | None = None,
    ) -> Report:
        """Run the passes on a module, with the arguments of :meth:`Module.run`. A list of modules is linked first
        (:func:`pycoro.link`): ``report.module`` is the result, and the modules themselves are not modified."""
        for one in module if isinstance(module, list | tuple) else (module,):
            if isinstance(one, type) or not hasattr(one, "run"):
                raise TypeError(f"a pipeline runs on a pycoro.Module or a list of them, not {short_repr(one)}")
        if isinstance(module, list | tuple):
            module = module_class()._linked(module)
        return module.run(self, verify=verify, verify_each=verify_each, after_pass=after_pass, snapshots=snapshots, check=check)

    @property
    def abis(self) -> tuple[ABI, ...]:
        """Custom ABIs of its coro-splits."""
        return self._abis

    @property
    def own_passes(self) -> Mapping[str, PythonPass]:
        """Python passes by their spelling in the pass string."""
        return MappingProxyType(self._python_passes)

    @property
    def expanded(self) -> str:
        """Equivalent pass string with levels expanded to their passes, as LLVM's opt prints it."""
        return _core.pipeline_check(self._text, pass_names_and_levels(self._python_passes), True)

    def __str__(self) -> str:
        return self._text

    @with_fallback_repr
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
        return isinstance(other, Pipeline) and (self._text, self._abis, self._python_passes) == (
            other._text,
            other._abis,
            other._python_passes,
        )

    def __hash__(self) -> int:
        return hash(self._text)


DEFAULT = "coro-early,cgscc(coro-split),coro-cleanup"
"""Default pipeline of :func:`pycoro.lower`: only the passes that lowering needs."""


def _describe_class_of_wrong_argument(item: object) -> str:
    """Return the class of a wrong argument, for an error."""
    return f"the class {item.__name__}: write {item.__name__}()" if isinstance(item, type) else type(item).__name__


def escaped_pass_string(passes: str) -> str:
    """Escape NULs and invalid UTF-8, which no pass name contains, so that LLVM can read the pass string."""
    return passes.encode("utf-8", "backslashreplace").decode().replace("\0", r"\x00")


def to_pass_or_pipeline(passes: object) -> str | Pass | Pipeline:
    """Convert any passes argument. Raises ``TypeError`` for other values."""
    if isinstance(passes, str | Pass | Pipeline):
        return passes
    if callable(passes) and not isinstance(passes, type | Iterable):
        return CallablePass(passes)
    if isinstance(passes, type) or not isinstance(passes, Iterable):
        raise TypeError(
            f"passes must be a string, a Pass, a Pipeline or a list of them, not {_describe_class_of_wrong_argument(passes)}"
        )
    return Pipeline(*cast("Iterable[Pass | str | Pipeline]", passes))


def abi_arguments_of(passes: str | Pass | Pipeline) -> tuple[Methods, ...] | None:
    """Return the engine's arguments for the ABIs of the passes; None without ABIs."""
    abis = passes.abis if isinstance(passes, Pipeline) else _common_abis_of([passes])
    return tuple(engine_arguments_of_abi(abi) for abi in abis) or None


T = TypeVar("T")

PythonPasses = dict[str, PythonPass]
"""Python passes by their spelling in a pass string."""


def call_with_python_passes_of_text(
    text: str, items: Iterable[Pass | str], use: Callable[[PythonPasses], T]
) -> tuple[PythonPasses, T]:
    """Find the Python passes in a pass string built from `items`, and call ``use`` with them. On a ``PipelineError``, load entry
    points for the unknown names and retry."""
    own = _python_passes_of(items)
    try:
        return _call_with_registered_passes(text, own, use)
    except PipelineError:
        if not load_entry_points_for(text):
            raise
    return _call_with_registered_passes(text, own, use)


def _call_with_registered_passes(text: str, own: PythonPasses, use: Callable[[PythonPasses], T]) -> tuple[PythonPasses, T]:
    found, wrong = registered_passes_in(text, own)
    python_passes = own | found
    if not wrong:
        return python_passes, use(python_passes)
    try:
        _core.pipeline_check(text, pass_names_and_levels(python_passes))
    except PipelineError as error:
        wrong += error.diagnostics
    raise PipelineError("", sorted(wrong, key=lambda diagnostic: diagnostic.at))


def _python_passes_of(items: Iterable[Pass | str]) -> PythonPasses:
    own: PythonPasses = {}
    kinds: dict[str, type] = {}
    for item in _passes_with_group_members(items):
        if not isinstance(item, PythonPass):
            continue
        if own.setdefault(item.text, item) != item or kinds.setdefault(item.name, type(item)) is not type(item):
            raise UsageError(f"two different passes have the text {item.text}; give one of them another name")
    return own


def pass_names_and_levels(python_passes: PythonPasses) -> tuple[tuple[str, int, Callable[..., None]], ...] | None:
    """Return names and levels of the passes for the engine to parse a pass string; None without passes."""
    return tuple((name, level, _fail_if_run) for name, level in engine_levels_of_python_passes(python_passes).items()) or None


def _fail_if_run(*_: object) -> None:
    raise AssertionError("parsing a pass string must not run its passes")


def engine_levels_of_python_passes(python_passes: PythonPasses) -> dict[str, int]:
    """Return the engine's level number of each Python pass that a pass string may name."""
    return registered_levels() | {text.partition("<")[0]: level_number_of_pass(type(item)) for text, item in python_passes.items()}


def call_with_python_passes(passes: str | Pass | Pipeline, use: Callable[[PythonPasses], T]) -> T:
    """Call ``use`` with the Python passes of any passes argument."""
    if isinstance(passes, Pipeline):
        return use(passes._python_passes)
    return call_with_python_passes_of_text(escaped_pass_string(str(passes)), [passes], use)[1]


def pass_string_of(passes: str | Pass | Pipeline | Iterable[Pass | str | Pipeline]) -> str:
    """Return the pass string of any passes argument."""
    return str(to_pass_or_pipeline(passes))
