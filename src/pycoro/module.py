"""Modules: IR in, passes over it, IR out."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from pycoro import _core
from pycoro._encoded import file_name, ir_bytes
from pycoro._host import for_host
from pycoro._nearest import UnknownName, unknown
from pycoro._printable import printable
from pycoro._wanted import check, check_callable, check_flags
from pycoro.coroutine import Coroutine, LaidOutLater
from pycoro.errors import Diagnostic, Error, InternalError, JitError, ParseError, RejectedError, UsageError
from pycoro.ir.constant import Global
from pycoro.ir.function import Function, Functions
from pycoro.ir.types import Types
from pycoro.passes import CoroutinePass, FunctionPass, ModulePass, PythonPass, lending, none
from pycoro.pipeline import DEFAULT, Callers, CoroSplit, Pass, Pipeline, hooks_of, levels, passes_of, resolve, spelt
from pycoro.report import Remark, Report
from pycoro.view import ByName, Life, counted

if TYPE_CHECKING:
    from pycoro.explore import Explorer
    from pycoro.lint import Findings

__all__ = ["STAGES", "Coroutines", "Function", "Module", "link", "lower"]

STAGES: dict[str, str] = dict(_core.STAGES)
"""The stages of the lowering that can be looked at, in their order, and what each leaves: for :meth:`Coroutines.stage_text`.

>>> list(pycoro.module.STAGES)
['number', 'shape', 'choose', 'unwound', 'cfg', 'crossing', 'variables', 'storage', 'remat', 'fields', 'reads', 'live', 'layout']
"""


@runtime_checkable
class _Readable(Protocol):
    def read(self) -> str | bytes: ...


def _refuse(source: object) -> None:
    """TypeError for what is no IR, whatever its `str` gives."""
    kind = type(source)
    room = kind.__module__.partition(".")[0]
    if isinstance(source, str) or not (room in ("builtins", "pycoro") or isinstance(source, type)):
        return
    wanted = "IR is a str or bytes, a path, an open file, a Module, or an object whose str() is IR"
    raise TypeError(f"{wanted}, not {kind.__name__}{'; give its .module' if hasattr(source, 'module') else ''}")


def _bytes_of(source: object) -> tuple[bytes | bytearray | memoryview, str]:
    """The IR in `source`, and a name for it. TypeError."""
    if isinstance(source, bytes | bytearray):
        return source, "<bytes>"
    if isinstance(source, memoryview):
        return cast("memoryview[int]", source), "<bytes>"
    if isinstance(source, os.PathLike):
        path = cast("os.PathLike[str]", source)
        with open(file_name(path), "rb") as file:
            return file.read(), os.fsdecode(path)
    name = "<string>"
    if isinstance(source, _Readable):
        name = str(getattr(source, "name", "<file>"))
        source = source.read()
        if isinstance(source, bytes):
            return source, name
    _refuse(source)
    return ir_bytes(str(source)), name


def _for_host(data: bytes | bytearray | memoryview, name: str, trusted: bool) -> bytes:
    """The IR with this machine's triple and data layout. Of a line that is wrong the number is that of `data`."""
    plain = Module(data, name=name, trusted=trusted)
    is_text = bytes(data[:2]) not in (b"BC", b"\xde\xc0")
    text = bytes(data).decode("utf-8", "surrogateescape") if is_text else str(plain)
    return ir_bytes(for_host(text, strict=True))


class Coroutines(ByName[Coroutine]):
    """The presplit coroutines of a module by name.

    The first use lays out their frames as splitting will. To look one up that is malformed, or that lacks the attribute
    ``presplitcoroutine`` and will not be split, is a ``RejectedError``.

    >>> coroutines = pycoro.Module(pycoro.examples.COUNTER).coroutines
    >>> coroutines["counter"]
    <Coroutine @counter: switch, 2 suspends, frame of 32 bytes>
    >>> [(row["name"], row["frame_size"]) for row in coroutines.rows()]
    [('counter', 32)]
    """

    __slots__ = ("_core", "_functions", "_made", "_split")

    def __init__(self, core: _core.Module, functions: ByName[Function], split: CoroSplit) -> None:
        super().__init__(functions._life, {name: None for name, f in functions.items() if f.presplit}, "coroutine")
        self._core = core
        self._functions = functions
        self._split = split
        self._made: dict[str, Coroutine | tuple[Diagnostic, ...]] | None = None  # a tuple: why it is rejected

    def __getitem__(self, name: str) -> Coroutine:
        made = self._look().get(name)
        if isinstance(made, Coroutine):
            return made
        if made is not None:
            raise RejectedError("", made)
        if name in self._items:
            raise KeyError(f"@{name} has the attribute presplitcoroutine, but nothing else of a coroutine")
        if name in self._functions and self._functions[name].coroutine:
            raise KeyError(f"@{name} was split already, or coro-early has yet to mark it")
        raise UnknownName(self._what, name, self._look())

    def __contains__(self, name: object) -> bool:
        return name in self._look()

    def __iter__(self) -> Iterator[str]:
        return iter(self._look())

    def __len__(self) -> int:
        return len(self._look())

    def _look(self) -> dict[str, Coroutine | tuple[Diagnostic, ...]]:
        self._life.check()
        if self._made is None:
            try:
                self._made = {**self._explain(None)}
            except RejectedError:
                self._made = self._look_one_by_one()
        return self._made

    def _look_one_by_one(self) -> dict[str, Coroutine | tuple[Diagnostic, ...]]:
        made: dict[str, Coroutine | tuple[Diagnostic, ...]] = {}
        for name in (name for name, function in self._functions.items() if function.coroutine):
            try:
                made.update(self._explain(name))
            except RejectedError as error:
                made[name] = error.diagnostics
        return made

    def rows(self) -> list[dict[str, Any]]:
        """A row for each coroutine, as ``pandas.DataFrame`` takes them: name, ABI, suspends, bytes of the frame and what it cannot
        be below, fields, blocks; of one that is malformed its name and why it is ``rejected``."""
        return [
            made.row() if isinstance(made, Coroutine) else {"name": name, "rejected": made[0].message if made else ""}
            for name, made in self._look().items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The coroutines by name, as dicts, lists, texts and numbers; those that are malformed left out. Sizes are in bytes."""
        return {name: made.to_dict() for name, made in self._look().items() if isinstance(made, Coroutine)}

    def __str__(self) -> str:
        from pycoro.drawing import tables

        return tables.coroutines_text(self.rows())

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        return views.bundle(
            {"text/plain": tables.coroutines_text, "text/html": tables.coroutines_html}, self.rows(), include, exclude
        )

    def stage_text(self, name: str, stage: str | None = None) -> str:
        """What a stage of the lowering leaves of the coroutine, as text for people: the numbers of its instructions, its
        roles, its control flow, what crosses a suspend, the fields of the frame ... A stage runs as far as itself, so that
        the ones before a rejection can be looked at. Without ``stage`` all of them, in their order.

        :data:`STAGES` names the stages. `UsageError` for another name; `RejectedError` as :meth:`Module.explain`.
        """
        self._life.check()
        check("a stage is a str", stage, str, type(None))
        if stage is not None and stage not in STAGES:
            raise UsageError(unknown("stage", stage, STAGES))
        text, _ = self._core.stage_text(name, stage, self._split.reuse_storage, hooks_of(self._split))
        return text

    def _explain(self, name: str | None) -> dict[str, Coroutine]:
        report, _ = self._core.explain(name, self._split.reuse_storage, hooks_of(self._split))
        functions = self._functions
        made = report.coroutines()
        return {data["function"]: Coroutine(self._life, data, partial(str, functions[data["function"]])) for data in made}


class Module:
    """LLVM IR, to be looked at and lowered. ``str(module)`` is the IR as text.

    Made from text, from bytes (text or bitcode), from a path, from an open file, or from any object whose ``str()`` is
    IR, such as a module of llvmlite; ``None``, a number, a list are a ``TypeError``. A plain string is IR and never a
    path. The IR is verified: ``ParseError``, ``VerifyError``.

    LLVM's reader trusts bitcode, and some damaged input ends the process that reads it, or is read without end. So a child
    process reads it first, under limits of time and memory, and a ``ParseError`` tells of its crash, or of the limit. That
    costs a fork (a few milliseconds, more in a process of many gigabytes) and a second read; ``trusted=True`` goes without,
    for IR that your own program has made.

    Frames are laid out by the module's data layout. ``host=True`` gives one that names no triple and no data layout (or
    llvmlite's ``unknown-unknown-unknown``) this machine's, as whatever an `Engine` runs needs; a ``UsageError`` where the
    module names another machine.

    ``upgrade=True`` reads textual IR of LLVM 4 to 21, too: pointers that say what they point at, ``llvm.coro.end`` of each age, and
    what else was written otherwise, in today's words; `upgrades` tells what was changed. A ``UsageError`` for bitcode.

    A module owns its memory, in an LLVM context of its own; ``close()`` or ``with`` frees it at a moment of your
    choosing, else it goes with the last reference to it or to a view of it. One thread at a time may use it: another
    gets a ``BusyError``. Different modules may be used in parallel; the GIL is released while the engine works.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> module.coroutines["counter"].frame.size
    32
    >>> report = module.run("coro-early,cgscc(coro-split),coro-cleanup")
    >>> "counter.resume" in module.functions
    True
    """

    __slots__ = ("__weakref__", "_core", "_coroutines", "_functions", "_globals", "name", "upgrades")

    name: str
    """Where the IR came from; also the module's identifier in the IR."""

    upgrades: tuple[Remark, ...]
    """What ``upgrade=True`` has changed, in the order of its steps."""

    def __init__(
        self, source: object, *, name: str | None = None, trusted: bool = False, host: bool = False, upgrade: bool = False
    ) -> None:
        check("name is a str, where the IR came from", name, str, type(None))
        check_flags(trusted=trusted, host=host, upgrade=upgrade)
        if isinstance(source, Module) and not host:
            self._take(source._core.clone(), name or source.name)
            return
        data, found = (source.bitcode(), source.name) if isinstance(source, Module) else _bytes_of(source)
        name = found if name is None else name
        remarks: tuple[Remark, ...] = ()
        if upgrade and not isinstance(source, Module):
            from pycoro.upgrade import upgraded

            data, remarks = upgraded(bytes(data))
        if host:
            data = _for_host(data, name, trusted)
        if not trusted and isinstance(data, bytearray | memoryview) and not memoryview(data).readonly:
            data = bytes(data)  # a child reads it first: what another thread may write to is not read twice
        try:
            self._take(_core.Module(data, printable(name), trusted=trusted), name)
        except ParseError as error:
            if isinstance(source, str) and "\n" not in source and os.path.exists(source):
                error.add_note(f"a string is IR; the file of that name is read by Module.from_file({source!r})")
            raise
        if remarks:
            from pycoro.upgrade import tidy

            self.upgrades = remarks
            tidy(self)

    @classmethod
    def _around(cls, core: _core.Module) -> Module:
        """The module that a core is in; a new one around it where that is gone, and values alone have kept the core."""
        found: Module | None = core.owner() if core.owner else None
        if found is None:
            found = cls.__new__(cls)
            found._take(core, "<module>")
        return found

    def _take(self, core: _core.Module, name: str) -> None:
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
        """A module from textual IR or bitcode. ``ParseError``, ``VerifyError``."""
        check("IR is a str or bytes", ir, str, bytes, bytearray, memoryview)
        return cls(ir, name=name, trusted=trusted, host=host, upgrade=upgrade)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, trusted: bool = False, host: bool = False, upgrade: bool = False) -> Module:
        """A module from a file of textual IR or bitcode. ``OSError``, ``ParseError``, ``VerifyError``."""
        with open(file_name(path), "rb") as file:
            return cls(file.read(), name=os.fsdecode(path), trusted=trusted, host=host, upgrade=upgrade)

    def replace(self, ir: object, *, trusted: bool = False) -> None:
        """Reads other IR in the place of what the module holds: for a pass that makes text, or has another library make it.

        ``ir`` is whatever :class:`Module` is made of. Views of the module are stale then. Whatever is raised (``ParseError``,
        ``VerifyError``), the module is as it was.
        """
        check_flags(trusted=trusted)
        data, _ = (ir.bitcode(), "") if isinstance(ir, Module) else _bytes_of(ir)
        self._core.set(data, trusted)

    def copy(self) -> Module:
        """A module of its own with the same IR, to be used beside this one."""
        return Module(self)

    def close(self) -> None:
        """Frees the IR now; any use of the module or its views raises ``ClosedError`` from then on. Reports stay."""
        self._core.close()

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._core.closed

    @property
    def generation(self) -> int:
        """Grows whenever the module changes. Views made at an earlier one are stale."""
        return self._core.generation

    def __enter__(self) -> Module:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __str__(self) -> str:
        return self._core.text()

    def bitcode(self) -> bytes:
        """The module as bitcode, for ``Module(...)``, ``opt`` or ``llc``. It lists the symbols of the module's assembly;
        ``JitError`` where LLVM's assembler, which a child process runs to find them, does not come to an end on that."""
        try:
            return self._core.bitcode()
        except JitError:
            hint = "correct the `module asm`, or write the module as text: str(module)"
            said = "LLVM's assembler does not come to an end on the module's assembly, whose symbols bitcode lists"
            raise JitError(said, [Diagnostic(said, hint)]) from None

    def emit(
        self,
        *,
        assembly: bool = False,
        level: int = 0,
        triple: str = "",
        cpu: str = "",
        features: str = "",
        relocation_model: str = "",
        code_model: str = "",
    ) -> bytes:
        """The module as an object file, or as ``assembly``, by LLVM's code generator for the module's target or another one.

        Coroutines have to be lowered before. ``level`` is that of code generation, 0 to 3. ``cpu`` and ``features``
        (``"+avx2,-sse4a"``) are for functions that do not say by attributes which they are for. The models are named as LLVM's
        ``llc`` names them: ``"pic"``, ``"static"``; ``"small"``, ``"large"``. Empty texts leave it to the target, but code is
        ``"pic"`` where the module's flag ``PIC Level`` says that it may be anywhere. ``UsageError``: there is no such target,
        processor or model. ``JitError``: the code generator cannot do it; it runs in a child process.
        """
        check_flags(assembly=assembly)
        if level not in range(4):
            raise UsageError(f"a level of code generation is 0, 1, 2 or 3, not {level!r}")
        texts = {"triple": triple, "cpu": cpu, "features": features, "relocation_model": relocation_model, "code_model": code_model}
        for name, text in texts.items():
            check(f"{name} is a str", text, str)
        return self._core.emit(assembly, level, *texts.values())

    def __reduce__(self) -> tuple[partial[Module], tuple[bytes]]:
        return partial(Module, name=self.name), (self.bitcode(),)

    def verify(self) -> None:
        """``VerifyError`` where the IR breaks a rule of LLVM's."""
        self._core.verify()

    @property
    def types(self) -> Types:
        """LLVM's types, laid out as the module lays them out: ``module.types.i32``."""
        return Types(self._core)

    @property
    def functions(self) -> ByName[Function]:
        """The functions by name, in the order of the module."""
        if self._functions is None or self._functions.stale:
            self._functions = ByName(Life(self._core), Functions(self._core), "function")
        return self._functions

    @property
    def globals(self) -> ByName[Global]:
        """The variables, aliases and ifuncs by name, in the order of the module; its functions are :attr:`functions`."""
        if self._globals is None or self._globals.stale:
            life, asks = Life(self._core), (_core.ir_variables, _core.ir_aliases, _core.ir_ifuncs)
            self._globals = ByName(life, {value.name: value for ask in asks for value in ask(self._core)}, "global")
        return self._globals

    @property
    def coroutines(self) -> Coroutines:
        """The presplit coroutines by name, in the order of the module."""
        if self._coroutines is None or self._coroutines.stale:
            self._coroutines = self.explain()
        return self._coroutines

    def explain(self, split: CoroSplit = CoroSplit()) -> Coroutines:  # noqa: B008 (it never changes)
        """The presplit coroutines by name, as this ``coro-split`` would lay them out: with the frames of
        ``CoroSplit(reuse_storage=True)``, or as ABIs of your own decide. The module is left as it is.

        What :attr:`coroutines` raises is raised by a look into the mapping, and whatever an ABI raises.
        """
        check("explain takes the CoroSplit to lay out by", split, CoroSplit, hint="a coroutine is looked up in what it gives")
        return Coroutines(self._core, self.functions, split)

    def lint(
        self,
        *,
        select: Collection[str] | None = None,
        ignore: Collection[str] = (),
        notes: bool = False,
        split: CoroSplit = CoroSplit(),  # noqa: B008 (it never changes)
    ) -> Findings:
        """Mistakes that frontends make in coroutines and with their handles, and whatever the engine would refuse. The module is
        left as it is; `Findings.fix` mends what is mechanical.

        ``select`` and ``ignore`` name rules (:data:`pycoro.lint.RULES`, ``"refused"`` for all refusals); another name is a
        ``UsageError``. ``notes`` tells also of what is right and costs something. ``split`` is the ``coro-split`` that
        coroutines are laid out by, which a module needs whose ABIs are your own. The cost is linear in the functions that have
        to do with coroutines."""
        from pycoro.lint import lint

        check_flags(notes=notes)
        check("lint takes the CoroSplit to lay out by", split, CoroSplit)
        return lint(self, select=select, ignore=ignore, notes=notes, split=split)

    def explore(
        self,
        passes: str | Pass | Pipeline = DEFAULT,
        *,
        sources: Mapping[str, str] | None = None,
        folders: Iterable[str | os.PathLike[str]] = (".",),
    ) -> Explorer:
        """The coroutines from their source to their parts, to be pointed at: in a notebook at the end of a cell, or by its
        :meth:`~pycoro.explore.Explorer.write` as a page for a browser.

        ``passes`` is the pipeline whose steps are shown; the module is left as it is. The source is shown where debug information
        names files that lie in ``folders``, or that ``sources`` gives the text of: ``{"<stdin>": text}``. Raises what `run` raises.

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
    ) -> Report:
        """Runs passes over the module, in place, as ``opt -passes=`` does.

        The names ``coro-early``, ``coro-split``, ``coro-annotation-elide``, ``coro-elide`` and ``coro-cleanup`` are
        pycoro's passes; every other name is LLVM's. ``verify_each`` verifies the module after every pass and reads
        its text back. ``verify=False`` believes pycoro's passes and LLVM's, as ``opt -disable-verify`` does: lowering takes a
        third less, and where one of them is at fault the next one may end the process. What passes of your own leave is
        verified all the same, and so is the module before its next run.
        ``after_pass`` is called with the pass's name, its target (``"[module]"``, ``"[4 functions]"`` or a function's name)
        and the IR of the whole module; an exception that it raises stops the run and is raised here. ``snapshots`` keeps the
        IR around each pass in ``report.steps``. Both make the run print the module after every pass, which takes time.

        Whatever is raised (``PipelineError``, ``RejectedError``, ``VerifyError``, ``KeyboardInterrupt``,
        ``MemoryError``, ``InternalError``), the module is as it was before the call. Views of it are
        stale after a run that changed it. Ctrl-C stops a pass of pycoro's in its midst; one of LLVM's, and LLVM's
        reading, copying and verifying of the module, are waited for.

        The cost follows the coroutines for a module that is run as it was read. Where it was looked into before (``functions``,
        ``types``, ``coroutines``), changed by another run, or ABIs of your own take part, a copy of it is made first.
        """
        check_flags(verify=verify, verify_each=verify_each, snapshots=snapshots)
        if after_pass is not None:
            check_callable("after_pass is a callable, or None", after_pass)
        passes = passes_of(passes)

        def run(callers: Callers) -> tuple[_core.Report, tuple[dict[str, Any], ...]]:
            hooks = self._hooks(callers, passes)
            text, abis = spelt(str(passes)), hooks_of(passes)
            return self._core.run(text, verify_each, after_pass, abis=abis, callers=hooks, snapshots=snapshots, verify=verify)

        try:
            core, warnings = resolve(passes, run)
        except InternalError as error:
            error.ir = str(self)
            raise
        return Report(self, core, tuple(Diagnostic(**fields) for fields in warnings))

    def _hooks(self, callers: Callers, passes: str | Pass | Pipeline) -> tuple[tuple[str, int, Callable[..., None]], ...] | None:
        """Of passes of your own, for the engine."""
        lent = Module.__new__(Module)

        def call(core: _core.Module, target: Function | None, text: str) -> None:
            if not hasattr(lent, "_core"):
                lent._take(core, self.name)
            with lending(core):
                none(lent._pass(callers[text], target, passes), callers[text].name)

        return tuple((name, level, call) for name, level in levels(callers).items()) or None

    def _pass(self, item: PythonPass, target: Function | None, passes: str | Pass | Pipeline) -> object:
        """What a pass of your own gives."""
        if isinstance(item, ModulePass):
            return item.run(self)
        if isinstance(item, FunctionPass) and target is not None:
            return item.run(target, self)
        if isinstance(item, CoroutinePass) and target is not None:
            return item.run(self._laid_out_later(_core.ir_name(target), passes), self)
        raise TypeError(f"{type(item).__name__} derives from none of ModulePass, FunctionPass and CoroutinePass")

    def _laid_out_later(self, name: str, passes: str | Pass | Pipeline) -> Coroutine:
        """With a frame as the ABIs of the pipeline lay it out."""

        def ask() -> dict[str, Any]:
            report, _ = self._core.explain(name, abis=hooks_of(passes))
            return report.coroutines()[0]

        return LaidOutLater(Life(self._core), name, ask)

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        return views.bundle({"text/plain": repr, "text/html": tables.module_html}, self, include, exclude)

    def __repr__(self) -> str:
        if not hasattr(self, "_core"):
            return "<Module that could not be made>"  # as a debugger meets it
        try:
            functions = self.functions.values()
        except Error as error:
            return f"<Module {self.name!r}: {error.message}>"
        bodies = sum(not function.declaration for function in functions)
        coroutines = sum(function.coroutine for function in functions)
        return f"<Module {self.name!r}: {counted(bodies, 'function')}, {counted(coroutines, 'coroutine')}>"


def lower(
    ir: object,
    passes: str | Pass | Pipeline | Iterable[Pass | str | Pipeline] = DEFAULT,
    *,
    verify: bool = True,
    verify_each: bool = False,
    after_pass: Callable[[str, str, str], object] | None = None,
    snapshots: bool = False,
    host: bool = False,
) -> Report:
    """Lowers the coroutines of anything that :class:`Module` reads, and leaves it alone: ``report.module`` is new.

    ``host=True`` lays frames out for this machine, which what an `Engine` is to run needs: see :class:`Module`. The other
    arguments and the errors are those of :meth:`Module.run`.

    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> report.coroutines["counter"].clones
    ('counter.resume', 'counter.destroy', 'counter.cleanup')
    """
    module = Module(ir, host=host)
    return module.run(passes, verify=verify, verify_each=verify_each, after_pass=after_pass, snapshots=snapshots)


def link(modules: Iterable[object], *, name: str = "<linked>") -> Module:
    r"""One module of several: of each :class:`Module`, or of whatever one is made of. They are left as they are.

    What is declared in one and defined in another is one function then, so that passes see through its calls: ``lto<O2>``
    inlines and elides across what was several modules. ``LinkError`` where two define the same, or are of different machines,
    and for whatever else LLVM's linker does not take; a child process tries it first, as LLVM ends on some.

    >>> caller = "declare ptr @counter(i32, i32) define ptr @five() { %h = call ptr @counter(i32 0, i32 5) ret ptr %h }"
    >>> functions = pycoro.link([caller, pycoro.examples.COUNTER]).functions
    >>> [name for name, function in functions.items() if not function.declaration]
    ['five', 'counter', 'sum']
    """
    check("name is a str, for the module that is made", name, str)
    if isinstance(modules, str | bytes | bytearray | memoryview | os.PathLike | Module) or not hasattr(modules, "__iter__"):
        raise TypeError(f"link takes a list of modules, not {type(modules).__name__}")
    found = [module if isinstance(module, Module) else Module(module) for module in modules]
    if not found:
        raise UsageError("there are no modules to link")
    if len({id(module) for module in found}) < len(found):
        raise UsageError("a module is given twice: what it defines would be defined twice")
    whole = Module.__new__(Module)
    whole._take(_core.link(tuple(module._core for module in found), printable(name)), name)
    return whole
