"""Modules: read IR, run passes on it, write IR."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast, runtime_checkable

from pycoro import _core
from pycoro._dialect import is_text_of_swift_llvm
from pycoro._elapsed import show_elapsed_time_in_notebook
from pycoro._encode import checked_path_text, ir_bytes
from pycoro._escape import printable
from pycoro._host import for_host
from pycoro._module_class import set_module_class
from pycoro._repr import with_fallback_repr
from pycoro._suggest import MissingNameError, UnknownNameError, unknown_name_message
from pycoro._typecheck import check, check_ascii_text, check_booleans, check_callable
from pycoro.coroutine import Coroutine, CoroutineMapping, LazyCoroutine
from pycoro.drawing.text import shorten
from pycoro.errors import Diagnostic, Error, InternalError, JitError, ParseError, RejectedError, UsageError, VerifyError
from pycoro.ir.constant import Global
from pycoro.ir.function import Function, Functions
from pycoro.ir.types import Types
from pycoro.llvm_frame import LLVMFrame, LLVMFrames
from pycoro.passes import CoroutinePass, FunctionPass, ModulePass, PythonPass, check_returns_none, lend_module_to_pass
from pycoro.pipeline import (
    DEFAULT,
    CoroSplit,
    Pass,
    Pipeline,
    PythonPasses,
    abi_arguments_of,
    call_with_python_passes,
    engine_levels_of_python_passes,
    escaped_pass_string,
    to_pass_or_pipeline,
)
from pycoro.report import LOWERING_CHECK, Remark, Report
from pycoro.view import ByName, Life, format_count

if TYPE_CHECKING:
    from pycoro.explore import Explorer
    from pycoro.lint import Findings

__all__ = ["STAGES", "Coroutines", "Function", "Module", "link", "lower"]

STAGES: dict[str, str] = dict(_core.STAGES)
"""Stages of the lowering in their order, with the results that :meth:`Coroutines.stage_text` prints.

>>> list(pycoro.module.STAGES)[:4]
['number', 'shape', 'select_abi', 'cfg']
"""


@runtime_checkable
class _Readable(Protocol):
    def read(self) -> str | bytes: ...


class _PrintsIR(Protocol):
    """Module of another library whose ``str()`` is IR, such as llvmlite's."""

    @property
    def data_layout(self) -> Any: ...


Source: TypeAlias = "str | bytes | bytearray | memoryview | os.PathLike[str] | _Readable | _PrintsIR | Module"
"""Sources that `Module` reads: see there. Type checkers reject anything else."""


def _check_str_of_source_is_ir(source: object) -> None:
    """Raise ``TypeError`` for an object whose `str` is not IR."""
    kind = type(source)
    package = kind.__module__.partition(".")[0]
    if isinstance(source, str) or not (package in ("builtins", "pycoro") or isinstance(source, type)):
        return
    rule = "IR must be a str or bytes, a path, an open file, a Module, or an object whose str() is IR"
    raise TypeError(f"{rule}, not {kind.__name__}{'; pass its .module' if hasattr(source, 'module') else ''}")


def _bytes_of(source: object) -> tuple[bytes | bytearray | memoryview, str]:
    """Return the IR of `source` and a name for it. Raises ``TypeError``."""
    if isinstance(source, Module):
        return ir_bytes(str(source)), source.name
    if isinstance(source, bytes | bytearray):
        return source, "<bytes>"
    if isinstance(source, memoryview):
        return cast("memoryview[int]", source), "<bytes>"
    if isinstance(source, os.PathLike):
        path = cast("os.PathLike[str]", source)
        with open(checked_path_text(path), "rb") as file:
            return file.read(), os.fsdecode(path)
    name = "<string>"
    if isinstance(source, _Readable):
        name = str(getattr(source, "name", "<file>"))
        source = source.read()
        if isinstance(source, bytes):
            return source, name
    _check_str_of_source_is_ir(source)
    return ir_bytes(str(source)), name


def _replace_hints_after_upgrade(error: Error) -> None:
    """Replace hints to upgrade IR, because it has been upgraded: what the upgrade does not convert."""
    from pycoro.upgrade.swift import describe_unexpected_operand

    def hint_after_upgrade(diagnostic: Diagnostic) -> str:
        plain = "pycoro upgrade" not in diagnostic.hint
        general = diagnostic.hint if plain else "the upgrade does not convert this: write the line as LLVM 22 parses it"
        return describe_unexpected_operand(diagnostic.instruction) or general

    error.diagnostics = tuple(replace(d, hint=hint_after_upgrade(d)) for d in error.diagnostics)
    error.args = (error.args[0], error.diagnostics)


def _text_with_host_target(data: bytes | bytearray | memoryview, name: str, trusted: bool) -> bytes:
    """Return the IR with this machine's triple and data layout. Errors refer to the lines of `data`."""
    plain = Module(data, name=name, trusted=trusted)
    is_text = bytes(data[:2]) not in (b"BC", b"\xde\xc0")
    text = bytes(data).decode("utf-8", "surrogateescape") if is_text else str(plain)
    return ir_bytes(for_host(text, strict=True))


def _unpickled(bitcode: bytes, *, name: str, data_layout: str) -> Module:
    """Return the module that was pickled, with its data layout, because LLVM's reader upgrades an older one."""
    module = Module(bitcode, name=name)
    if module._core.data_layout != data_layout:
        module._core.data_layout = data_layout
    return module


class Coroutines(CoroutineMapping):
    """Presplit coroutines of a module by name, also those that coro-early has yet to mark.

    The first use lays out their frames as splitting will. Looking up a coroutine that is malformed, or a switched-resume
    coroutine that lacks the attribute ``presplitcoroutine``, raises ``RejectedError``.

    >>> coroutines = pycoro.Module(pycoro.examples.COUNTER).coroutines
    >>> coroutines["counter"]
    <Coroutine @counter: switch, 2 suspends, frame of 32 bytes>
    >>> [(row["name"], row["frame_size"]) for row in coroutines.rows()]
    [('counter', 32)]
    """

    __slots__ = ("_core", "_functions", "_llvm_frames", "_split", "_views")

    def __init__(self, core: _core.Module, functions: ByName[Function], split: CoroSplit) -> None:
        super().__init__(functions._life, {name: None for name, f in functions.items() if f.is_presplit}, "coroutine")
        self._core = core
        self._functions = functions
        self._llvm_frames = LLVMFrames(core, split.reuse_storage)
        self._split = split
        self._views: dict[str, Coroutine | tuple[Diagnostic, ...]] | None = None  # a tuple: the reasons for rejection

    def __getitem__(self, name: str) -> Coroutine:
        name = self._ir_name_or_none(name) or name
        found = self._by_name().get(name)
        if isinstance(found, Coroutine):
            return found
        if found is not None:
            raise RejectedError("", found)
        if name in self._items:
            raise MissingNameError(f"@{name} has the attribute presplitcoroutine but no coroutine intrinsics")
        if name in self._functions and self._functions[name].is_coroutine:
            raise MissingNameError(
                f"@{name} is already split, or coro-early has not marked it yet; use the report of the run, or run coro-early"
            )
        raise UnknownNameError(self._what, name, self._by_name())

    def _by_name(self) -> dict[str, Coroutine | tuple[Diagnostic, ...]]:
        self._life.check_is_current()
        if self._views is None:
            try:
                self._views = {**self._compute_layouts(None)}
            except RejectedError:
                self._views = self._compute_layouts_one_by_one()
        return self._views

    def _compute_layouts_one_by_one(self) -> dict[str, Coroutine | tuple[Diagnostic, ...]]:
        made: dict[str, Coroutine | tuple[Diagnostic, ...]] = {}
        for name in (name for name, function in self._functions.items() if function.is_coroutine):
            try:
                made.update(self._compute_layouts(name))
            except RejectedError as error:
                made[name] = error.diagnostics
                self._llvm_frames.leave_out(name)
        return made

    def llvm_frames(self, *, reuse_storage: bool | None = None) -> dict[str, LLVMFrame]:
        """Return the frames of LLVM's lowering of the module's IR by coroutine, without malformed ones. LLVM lowers a copy of the
        module, without the bodies of malformed coroutines, in another process and once for all calls. The argument and the errors
        are those of `Coroutine.llvm_frame`.

        >>> coroutines = pycoro.Module(pycoro.examples.COUNTER).coroutines
        >>> {name: (frame.size, coroutines[name].frame.size) for name, frame in coroutines.llvm_frames().items()}
        {'counter': (32, 32)}
        """
        check("reuse_storage must be a bool", reuse_storage, bool, type(None))
        self._by_name()
        return dict(self._llvm_frames.by_name(reuse_storage))

    def stage_text(self, name: str, stage: str | None = None) -> str:
        """Return the result of a stage of the lowering as text: instruction numbers, roles, control flow, values live across
        suspends, frame fields and so on. Only the stages up to this one run, so that those before a rejection can be inspected.
        Without ``stage``, all stages in order.

        :data:`STAGES` lists the stages. Raises `UsageError` for another name, `RejectedError` as :meth:`Module.preview`.
        """
        self._life.check_is_current()
        check("stage must be a str", stage, str, type(None))
        if stage is not None and stage not in STAGES:
            raise UsageError(unknown_name_message("stage", stage, STAGES))
        text, _ = self._core.stage_text(name, stage, self._split.reuse_storage, abi_arguments_of(self._split))
        return text

    def _compute_layouts(self, name: str | None) -> dict[str, Coroutine]:
        report, _ = self._core.explain(name, self._split.reuse_storage, abi_arguments_of(self._split))
        made = report.coroutines()
        return {data["function"]: self._view(data) for data in made}

    def _view(self, data: dict[str, Any]) -> Coroutine:
        return Coroutine(self._life, data, partial(str, self._functions[data["function"]]), self._llvm_frames)


class Module:
    """LLVM IR that can be inspected and lowered. ``str(module)`` is the IR as text.

    The source is text, bytes (text or bitcode), a path, an open file, or any object whose ``str()`` is IR, such as a module of
    llvmlite; ``None``, a number or a list raises ``TypeError``. A plain string is always IR, never a path. The IR is verified:
    raises ``ParseError``, ``VerifyError``.

    LLVM's reader trusts bitcode: damaged input can crash or hang the process. A child process therefore reads it first, with
    limits on time and memory; its crash or timeout raises ``ParseError``. That costs a fork (a few milliseconds, more in a
    process of many gigabytes) and a second read. ``trusted=True`` skips it, for IR that your program created.

    The module's data layout determines frame layouts. Reading treats it as LLVM's ``opt`` does: text keeps the data layout that
    it states, and an older one of bitcode is upgraded; copies, pickles and linked modules keep that of the module.
    ``host=True`` adds this machine's triple and data layout to a module without them (or with llvmlite's
    ``unknown-unknown-unknown``), as an `Engine` requires; it raises ``UsageError`` if the module names another machine.

    ``upgrade=True`` also reads textual IR of LLVM 4 to 21, and of LLVM 23: it rewrites typed pointers, old forms of
    ``llvm.coro.end`` and other syntax; `upgrades` lists the changes. It raises ``UsageError`` for bitcode. Textual IR with the
    coroutine intrinsics of Swift's LLVM is always upgraded.

    A module owns its memory, in its own LLVM context. ``close()`` or ``with`` frees it; otherwise it is freed with the last
    reference to it or to a view of it. Only one thread at a time may use it: another gets ``BusyError``. Different modules may
    be used in parallel; the engine releases the GIL.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> module.coroutines["counter"].frame.size
    32
    >>> report = module.run("coro-early,cgscc(coro-split),coro-cleanup")
    >>> "counter.resume" in module.functions
    True
    """

    __slots__ = ("__weakref__", "_core", "_coroutines", "_functions", "_globals", "name", "upgrades")

    name: str
    """Origin of the IR; also the module identifier in the IR."""

    upgrades: tuple[Remark, ...]
    """Changes by an upgrade on reading, in the order of its steps."""

    def __init__(
        self, source: Source, *, name: str | None = None, trusted: bool = False, host: bool = False, upgrade: bool = False
    ) -> None:
        check("name must be a str", name, str, type(None))
        check_booleans(trusted=trusted, host=host, upgrade=upgrade)
        if isinstance(source, Module) and not host:
            self._initialize(source._core.clone(), name or source.name)
            return
        data, found = _bytes_of(source)
        name = found if name is None else name
        remarks: tuple[Remark, ...] = ()
        was_upgraded = not isinstance(source, Module) and (upgrade or is_text_of_swift_llvm(data))
        if was_upgraded:
            from pycoro.upgrade import upgraded

            data, remarks = upgraded(bytes(data))
        if host:
            data = _text_with_host_target(data, name, trusted)
        if not trusted and isinstance(data, bytearray | memoryview) and not memoryview(data).readonly:
            data = bytes(data)  # read twice, by a child first: copy a buffer that another thread could modify in between
        try:
            self._initialize(_core.Module(data, printable(name), trusted=trusted), name)
        except ParseError as error:
            if isinstance(source, str) and "\n" not in source and os.path.exists(source):
                error.add_note(f"a string is IR; to read the file of that name, use Module.from_file({source!r})")
            if was_upgraded:
                _replace_hints_after_upgrade(error)
            raise
        except VerifyError as error:
            if was_upgraded:
                _replace_hints_after_upgrade(error)
            raise
        if remarks:
            from pycoro.upgrade import erase_placeholders_of_unused_results

            self.upgrades = remarks
            erase_placeholders_of_unused_results(self)

    @classmethod
    def _owner_of_core_or_new(cls, core: _core.Module, name: str = "<module>") -> Module:
        """Return the module that owns a core, or a new one if only values kept the core alive or nothing owned it yet."""
        found: Module | None = core.owner() if core.owner else None
        if found is None:
            found = cls.__new__(cls)
            found._initialize(core, name)
        return found

    @classmethod
    def _linked(cls, modules: Iterable[Source], name: str = "<linked>") -> Module:
        """Return the result of `link`."""
        found = [module if isinstance(module, Module) else Module(module) for module in modules]
        if not found:
            raise UsageError("link() needs at least one module")
        if len({id(module) for module in found}) < len(found):
            raise UsageError("link() got the same module twice, which would define its functions twice")
        linked = cls.__new__(cls)
        linked._initialize(_core.link(tuple(module._core for module in found), printable(name)), name)
        return linked

    def _initialize(self, core: _core.Module, name: str) -> None:
        self._core = core
        core.owner = weakref.ref(self)
        self.name = name
        self.upgrades = ()
        self._functions: ByName[Function] | None = None
        self._globals: ByName[Global] | None = None
        self._coroutines: Coroutines | None = None

    @classmethod
    def parse(
        cls, ir: str | bytes, *, name: str | None = None, trusted: bool = False, host: bool = False, upgrade: bool = False
    ) -> Module:
        """Read a module from textual IR or bitcode. Raises ``ParseError``, ``VerifyError``."""
        check("IR must be a str or bytes", ir, str, bytes, bytearray, memoryview)
        return cls(ir, name=name, trusted=trusted, host=host, upgrade=upgrade)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, trusted: bool = False, host: bool = False, upgrade: bool = False) -> Module:
        """Read a module from a file of textual IR or bitcode. Raises ``OSError``, ``ParseError``, ``VerifyError``."""
        with open(checked_path_text(path), "rb") as file:
            return cls(file.read(), name=os.fsdecode(path), trusted=trusted, host=host, upgrade=upgrade)

    def replace(self, ir: object, *, trusted: bool = False) -> None:
        """Replace the module's IR, for passes that produce text or use another library.

        ``ir`` is any source of :class:`Module`. Views of the module become stale. If it raises (``ParseError``,
        ``VerifyError``), the module is not modified.
        """
        check_booleans(trusted=trusted)
        if isinstance(ir, Module):
            self._replace_by_bitcode(ir.bitcode(), ir._core.data_layout, trusted)
        else:
            self._core.set(_bytes_of(ir)[0], trusted)

    def _replace_by_bitcode(self, bitcode: bytes, data_layout: str, trusted: bool) -> None:
        """Replace the IR by that of another module and keep its data layout, because LLVM's reader upgrades an older one."""
        self._core.set(bitcode, trusted)
        if self._core.data_layout != data_layout:
            self._core.data_layout = data_layout

    def copy(self) -> Module:
        """Return a new module with the same IR.

        A few old constructs of textual IR, such as the attribute ``"null-pointer-is-valid"="true"``, are upgraded in the copy,
        because only LLVM's reader of bitcode upgrades them.
        """
        return Module(self)

    def close(self) -> None:
        """Free the IR. Later use of the module or its views raises ``ClosedError``; reports stay valid."""
        self._core.close()

    @property
    def is_closed(self) -> bool:
        """True if :meth:`close` was called."""
        return self._core.is_closed

    @property
    def generation(self) -> int:
        """Counter that grows whenever the module changes, which makes older views stale."""
        return self._core.generation

    def __enter__(self) -> Module:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __str__(self) -> str:
        return self._core.text()

    def to_text(self, *, llvm: int = 22) -> str:
        """Return the module as textual IR for the reader of LLVM 22, 21, 20 or 19, such as llvmlite's.

        For an older reader, hints that it does not parse are dropped or get their older spelling: ``captures``, memory locations,
        lifetime markers without size, newer fields of debug information. Raises ``RejectedError`` for constructs that change
        what the program does, with a diagnostic for each, and ``UsageError`` for other versions. The module is not modified.

        >>> module = pycoro.Module("declare void @f(ptr captures(none))")
        >>> print(module.to_text(llvm=20).splitlines()[-1])
        declare void @f(ptr nocapture)
        """
        from pycoro.downgrade import downgrade

        return downgrade(str(self), llvm).text

    def bitcode(self) -> bytes:
        """Return the module as bitcode, for ``Module(...)``, ``opt`` or ``llc``. Bitcode lists the symbols of module assembly,
        which LLVM's assembler computes in a child process; raises ``JitError`` if that does not terminate."""
        try:
            return self._core.bitcode()
        except JitError:
            hint = "correct the `module asm`, or write the module as text: str(module)"
            message = "LLVM's assembler does not terminate on the module's assembly, whose symbols bitcode lists"
            raise JitError(message, [Diagnostic(message, hint)]) from None

    def emit(
        self,
        *,
        assembly: bool = False,
        level: int = 2,
        triple: str = "",
        cpu: str = "",
        features: str = "",
        relocation_model: str = "",
        code_model: str = "",
    ) -> bytes:
        """Return the module as an object file, or as ``assembly``, by LLVM's code generator for the module's target or ``triple``.

        Lower coroutines first, or it raises ``RejectedError``. ``level`` is the code generation level, 0 to 3, and as in ``llc``
        2 by default; it runs no passes. ``cpu`` and ``features`` (``"+avx2,-sse4a"``)
        apply to functions without such attributes. The models have the names of LLVM's ``llc``: ``"pic"``, ``"static"``;
        ``"small"``, ``"large"``. Empty texts select the target's default, but code is ``"pic"`` on Linux, and if the module
        flag ``PIC Level`` requires it. Raises ``UsageError`` for an unknown target, processor or model, and ``JitError`` if the
        code generator fails, or if a type has another size on the target than in the data layout for which the module was lowered
        (set ``triple`` of the module first). The code generator runs in a child process.
        """
        check_booleans(assembly=assembly)
        if level not in range(4):
            raise UsageError(f"level must be 0, 1, 2 or 3, not {level!r}")
        texts = {"triple": triple, "cpu": cpu, "features": features, "relocation_model": relocation_model, "code_model": code_model}
        for name, text in texts.items():
            check_ascii_text(name, text)
        return self._core.emit(assembly, level, *texts.values())

    def __reduce__(self) -> tuple[partial[Module], tuple[bytes]]:
        return partial(_unpickled, name=self.name, data_layout=self._core.data_layout), (self.bitcode(),)

    def verify(self) -> None:
        """Raise ``VerifyError`` if LLVM's verifier rejects the IR."""
        self._core.verify()

    @property
    def triple(self) -> str:
        """The target triple. A module with a triple but no data layout gets the target's when passes run: frames depend on it, so
        set the triple before the module is lowered."""
        return self._core.triple

    @triple.setter
    def triple(self, triple: str) -> None:
        check_ascii_text("triple", triple)
        self._core.triple = triple

    @property
    def types(self) -> Types:
        """LLVM types with the module's data layout: ``module.types.i32``."""
        return Types(self._core)

    @property
    def functions(self) -> ByName[Function]:
        """Functions by name, in the order of the module."""
        if self._functions is None or self._functions.is_stale:
            self._functions = ByName(Life(self._core), Functions(self._core), "function")
        return self._functions

    @property
    def globals(self) -> ByName[Global]:
        """Variables, aliases and ifuncs by name, in the order of the module; see :attr:`functions` for functions."""
        if self._globals is None or self._globals.is_stale:
            life, lists = Life(self._core), (_core.ir_variables, _core.ir_aliases, _core.ir_ifuncs)
            self._globals = ByName(life, {value.name: value for values in lists for value in values(self._core)}, "global")
        return self._globals

    @property
    def coroutines(self) -> Coroutines:
        """Presplit coroutines by name, in the order of the module."""
        if self._coroutines is None or self._coroutines.is_stale:
            self._coroutines = self.preview()
        return self._coroutines

    def preview(self, split: CoroSplit = CoroSplit()) -> Coroutines:  # noqa: B008 (immutable)
        """Return the presplit coroutines by name with the frames that ``split`` would give them, for example with
        ``reuse_storage=True`` or custom ABIs. The module is not modified.

        Lookups in the mapping raise what :attr:`coroutines` raises, and exceptions of ABIs.
        """
        check("preview() expects a CoroSplit", split, CoroSplit, hint="for a coroutine, use module.coroutines[name]")
        return Coroutines(self._core, self.functions, split)

    def lint(
        self,
        *,
        select: Collection[str] | None = None,
        ignore: Collection[str] = (),
        notes: bool = False,
        split: CoroSplit = CoroSplit(),  # noqa: B008 (immutable)
    ) -> Findings:
        """Find mistakes of frontends in coroutines and in uses of their handles, and everything that the engine would reject. The
        module is not modified; `Findings.fix` applies mechanical fixes.

        ``select`` and ``ignore`` name rules (:data:`pycoro.lint.RULES`, ``"rejected"`` for all rejections); another name raises
        ``UsageError``. ``notes`` adds correct but costly code. ``split`` supplies the custom ABIs that the module needs. The
        cost is linear in the functions with coroutine intrinsics.
        """
        from pycoro.lint import lint

        check_booleans(notes=notes)
        check("lint() expects split to be a CoroSplit", split, CoroSplit)
        return lint(self, select=select, ignore=ignore, notes=notes, split=split)

    def explore(
        self,
        passes: str | Pass | Pipeline = DEFAULT,
        *,
        sources: Mapping[str, str] | None = None,
        folders: Iterable[str | os.PathLike[str]] = (),
    ) -> Explorer:
        """Return an interactive page of the coroutines from source to clones: shown in a notebook, or written by
        :meth:`~pycoro.explore.Explorer.write` for a browser.

        ``passes`` is the pipeline whose steps are shown; the module is not modified. Source is shown for files named by debug
        information that are in ``folders``, or in ``sources``, which maps names to texts: ``{"<stdin>": text}``. No other folder
        is searched, because IR may name any file and the page may be shared. Raises what `run` raises.

        >>> module.explore().write("counter.html")
        """
        from pycoro.explore import Explorer, model

        return Explorer(model(self, passes, sources=sources, folders=folders))

    def run(
        self,
        passes: str | Pass | Pipeline | Iterable[Pass | str | Pipeline],
        *,
        verify: bool = True,
        verify_each: bool = False,
        after_pass: Callable[[str, str, str], object] | None = None,
        snapshots: bool = False,
        check: bool | None = None,
    ) -> Report:
        """Run passes on the module in place, as ``opt -passes=`` does.

        The names ``coro-cache-frames``, ``coro-infer-captures``, ``coro-early``, ``coro-split``, ``coro-annotation-elide``,
        ``coro-elide`` and ``coro-cleanup`` are pycoro's passes; every other name is LLVM's. ``verify_each`` verifies the module
        after every pass and parses its printed text. ``verify=False`` skips verification after pycoro's and LLVM's passes, as
        ``opt -disable-verify`` does: lowering is about 30% faster, but a bug in one pass may crash the next. The module is still
        verified after Python passes and before its next run. ``after_pass`` is called with the pass's name, its target
        (``"[module]"``, ``"[4 functions]"`` or a function's name) and the IR of the whole module; an exception in it stops the run
        and propagates. ``snapshots`` stores the IR around each pass in ``report.steps``. Both print the module after every pass,
        which takes time. ``check`` proves for each coroutine that the functions that ``coro-split`` creates compute what the
        coroutine computes, without executing them: it raises ``InternalError`` if that is refuted, and warns if a construct is not
        supported by the checker. By default, only runs with ABIs of one's own are checked, without these warnings; ``check=False``
        turns that off.

        If it raises (``PipelineError``, ``RejectedError``, ``VerifyError``, ``KeyboardInterrupt``, ``MemoryError``,
        ``InternalError``), the module is not modified. A run that changes the module makes its views stale. Ctrl-C interrupts
        pycoro's passes; LLVM's passes, reader, cloning and verifier run to completion first.

        In a notebook, a line shows the elapsed time of a run of more than a second, and disappears at its end.

        The cost is proportional to the coroutines if the module has not been used since it was read. A module that was
        inspected (``functions``, ``types``, ``coroutines``), changed by another run, or lowered with custom ABIs is copied
        first.
        """
        check_booleans(verify=verify, verify_each=verify_each, snapshots=snapshots, check=False if check is None else check)
        if after_pass is not None:
            check_callable("after_pass must be callable or None", after_pass)
        passes = to_pass_or_pipeline(passes)
        own = abi_arguments_of(passes)
        checks = bool(own) if check is None else check

        def run_with_hooks(python_passes: PythonPasses) -> tuple[_core.Report, tuple[dict[str, Any], ...]]:
            hooks = self._python_pass_callbacks(python_passes, passes)
            return self._core.run(
                escaped_pass_string(str(passes)),
                verify_each,
                after_pass,
                abis=own,
                callers=hooks,
                snapshots=snapshots,
                verify=verify,
                check=checks,
            )

        try:
            with show_elapsed_time_in_notebook(lambda: f"{printable(shorten(str(passes), 60))} on {printable(repr(self.name))}"):
                core, warnings = call_with_python_passes(passes, run_with_hooks)
        except InternalError as error:
            error.ir = str(self)
            raise
        shown = tuple(Diagnostic(**fields) for fields in warnings if check or fields["rule"] != LOWERING_CHECK)
        return Report(self, core, shown, bool(check))

    def _python_pass_callbacks(
        self, python_passes: PythonPasses, passes: str | Pass | Pipeline
    ) -> tuple[tuple[str, int, Callable[..., None]], ...] | None:
        """Return the Python passes for the engine."""
        lent = Module.__new__(Module)

        def call(core: _core.Module, target: Function | None, text: str) -> None:
            if not hasattr(lent, "_core"):
                lent._initialize(core, self.name)
            with lend_module_to_pass(core):
                check_returns_none(lent._call_python_pass(python_passes[text], target, passes), python_passes[text].name)

        return tuple((name, level, call) for name, level in engine_levels_of_python_passes(python_passes).items()) or None

    def _call_python_pass(self, item: PythonPass, target: Function | None, passes: str | Pass | Pipeline) -> object:
        """Call a Python pass."""
        if isinstance(item, ModulePass):
            return item.run(self)
        if isinstance(item, FunctionPass) and target is not None:
            return item.run(target, self)
        if isinstance(item, CoroutinePass) and target is not None:
            return item.run(self._coroutine_with_lazy_frame(_core.ir_name(target), passes), self)
        raise TypeError(f"{type(item).__name__} must derive from ModulePass, FunctionPass or CoroutinePass")

    def _coroutine_with_lazy_frame(self, name: str, passes: str | Pass | Pipeline) -> Coroutine:
        """Return a coroutine whose frame is laid out at its first use, by the ABIs of the pipeline."""

        def explain_coroutine() -> dict[str, Any]:
            report, _ = self._core.explain(name, abis=abi_arguments_of(passes))
            return report.coroutines()[0]

        return LazyCoroutine(Life(self._core), name, explain_coroutine, LLVMFrames(self._core))

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        return views.bundle({"text/plain": repr, "text/html": tables.module_html}, self, include, exclude)

    @with_fallback_repr
    def __repr__(self) -> str:
        try:
            functions = self.functions.values()
        except Error as error:
            return f"<Module {self.name!r}: {error.message}>"
        bodies = sum(not function.is_declaration for function in functions)
        coroutines = sum(function.is_coroutine for function in functions)
        return f"<Module {self.name!r}: {format_count(bodies, 'function')}, {format_count(coroutines, 'coroutine')}>"


def lower(
    ir: Source,
    passes: str | Pass | Pipeline | Iterable[Pass | str | Pipeline] = DEFAULT,
    *,
    verify: bool = True,
    verify_each: bool = False,
    after_pass: Callable[[str, str, str], object] | None = None,
    snapshots: bool = False,
    host: bool = False,
    check: bool | None = None,
) -> Report:
    """Lower the coroutines of any source of :class:`Module`, without modifying it: ``report.module`` is new.

    ``host=True`` lays frames out for this machine, as an `Engine` requires: see :class:`Module`. The other arguments and the
    errors are those of :meth:`Module.run`.

    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> report.coroutines["counter"].clones
    ('counter.resume', 'counter.destroy', 'counter.cleanup')
    """
    module = Module(ir, host=host)
    return module.run(passes, verify=verify, verify_each=verify_each, after_pass=after_pass, snapshots=snapshots, check=check)


def link(modules: Iterable[Source], *, name: str = "<linked>") -> Module:
    r"""Link several :class:`Module` objects, or sources of modules, into a new one without modifying them.

    A declaration in one and its definition in another become one function, so that passes see across the former module
    boundaries: ``lto<O2>`` inlines and elides. Raises ``LinkError`` for duplicate definitions, different targets, and whatever
    else LLVM's linker rejects; a child process tries first, because that linker aborts on some input.

    >>> caller = "declare ptr @counter(i32, i32) define ptr @five() { %h = call ptr @counter(i32 0, i32 5) ret ptr %h }"
    >>> functions = pycoro.link([caller, pycoro.examples.COUNTER]).functions
    >>> [name for name, function in functions.items() if not function.is_declaration]
    ['five', 'counter', 'sum']
    """
    check("name must be a str", name, str)
    if isinstance(modules, str | bytes | bytearray | memoryview | os.PathLike | Module) or not hasattr(modules, "__iter__"):
        raise TypeError(f"link() expects a list of modules, not {type(modules).__name__}")
    return Module._linked(modules, name)


set_module_class(Module)
