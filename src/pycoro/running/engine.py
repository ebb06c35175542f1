"""JIT engine: compile lowered modules in this process, and call their functions and coroutines from Python."""

from __future__ import annotations

import ctypes
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pycoro import _core
from pycoro._encode import checked_path_text
from pycoro._escape import printable
from pycoro._repr import with_fallback_repr
from pycoro._suggest import UnknownNameError
from pycoro._typecheck import check, check_booleans, check_list, check_mapping
from pycoro.errors import Diagnostic, JitError, LifecycleError, UsageError
from pycoro.module import Module
from pycoro.report import Report
from pycoro.running.compiled import CompiledFunction
from pycoro.running.continuation import Continuation
from pycoro.running.continuations import Continuations
from pycoro.running.coroutine_info import CoroutineInfo
from pycoro.running.depth import nested
from pycoro.running.frame_snapshot import MemorySnapshot, RunningFrame, Snapshot
from pycoro.running.frames import frame_pointers
from pycoro.running.handle import Handle
from pycoro.running.kinds import Kind, Kinds, Pointer
from pycoro.running.machine import Caller, Machine, prototype
from pycoro.running.memory import copy_memory_or_none
from pycoro.running.missing import explain_missing_symbols
from pycoro.running.thunk import thunk_for
from pycoro.running.trace import Trace, trace_coroutine

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine, RetconShape
    from pycoro.frame import FrameField, SuspendPoint

__all__ = ["DEALLOCATORS", "Engine"]

NOTED = 4096
"""Size in bytes up to which every resume saves a copy of the frame, so that the first inspection can report changes. Larger
frames are saved once they have been inspected.
"""

DEALLOCATORS = (
    "free",
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "_ZdaPv",
    "_ZdaPvm",
)
"""Functions that free the memory of their first argument, from which an engine learns that a frame is freed."""


def _open_library(item: str | ctypes.CDLL) -> ctypes.CDLL:
    check("a library is a name for ctypes.CDLL, or such an object", item, str, ctypes.CDLL)
    return item if isinstance(item, ctypes.CDLL) else ctypes.CDLL(checked_path_text(item))


def _suspend_of_index_or_only_one(coroutine: Coroutine, index: int | None) -> SuspendPoint | None:
    """Return the suspend with the index; without an index, the only suspend."""
    waiting = [point for point in coroutine.suspends if not point.is_final]
    only = waiting[0] if len(waiting) == 1 and not index else None
    return next((point for point in waiting if point.index == index), only)


_engines: WeakValueDictionary[int, Engine] = WeakValueDictionary()
"""Engines by the addresses of their clones."""


class Engine(Machine):
    """Compile lowered modules in this process, and call into them.

    The modules are results of ``pycoro.lower``: reports, which also know the types of promises, or modules. A module that
    still contains ``llvm.coro.*`` raises ``RejectedError``; one with an undefined function raises a ``JitError`` that names
    it.

    ``externals`` defines declarations of the modules: a function by an address or by a Python callable with values of the
    declared types, a variable by an address or a ctypes object. Other symbols, including those that code generation
    introduces, are looked up in the process, then in ``libraries`` (names for ``ctypes.CDLL``, or such objects). C++ code
    needs ``libraries=["libstdc++.so.6"]``, and may throw and catch. An exception in a callable does not unwind compiled
    code. Instead the callable returns 0, and the exception is raised where Python called into compiled code.

    Python learns that a frame is freed by watching ``deallocators``, functions that free the memory of their first
    argument. ``quick`` compiles several times as fast, to slower code. ``close()`` or ``with`` frees the code; handles and
    functions then raise ``ClosedError``.

    LLVM's code generator terminates the process on constructs that the target does not support. A child process therefore
    compiles, under limits of time and memory, and returns the object code; if the child dies, a ``JitError`` says how.
    ``trusted=True`` compiles in this process, which saves a few milliseconds per module; use it only for IR that you
    control. No code of a module runs before the first call or :meth:`run_constructors`, which run its constructors.

    A callable may call into its engine again, 128 levels deep with a thread stack of 8 MiB; deeper nesting raises
    ``LimitError``. A larger ``threading.stack_size`` and a higher ``sys.setrecursionlimit`` permit more levels.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     engine.call("sum", 10)
    ...     list(engine["counter"](3, 6))
    45
    [3, 4, 5]
    """

    def __init__(
        self,
        *lowered: Module | Report,
        externals: Mapping[str, Any] | None = None,
        libraries: Iterable[str | ctypes.CDLL] = (),
        deallocators: Iterable[str] = DEALLOCATORS,
        quick: bool = False,
        trusted: bool = False,
    ) -> None:
        if hasattr(self, "_core"):
            raise UsageError("an engine cannot be initialized twice; create another one")
        check_booleans(quick=quick, trusted=trusted)
        super().__init__(_core.Engine(quick=quick))
        self._trusted = trusted
        self._check_and_set_options(externals, libraries, deallocators)
        for module in lowered:
            self.add(module)

    def _check_and_set_options(
        self, externals: Mapping[str, Any] | None, libraries: Iterable[str | ctypes.CDLL], deallocators: Iterable[str]
    ) -> None:
        if externals is not None:
            check_mapping("externals maps names to what they are bound to", "a name in externals is a str", externals, str)
        libraries = check_list("libraries is a list of names for ctypes.CDLL, or of such objects", libraries)
        self._libraries = [_open_library(item) for item in libraries]
        deallocators = check_list("deallocators is a list of names of functions", deallocators)
        for name in deallocators:
            check("a deallocator is the name of a function", name, str)
        self._keep: list[object] = []
        self._bound: set[str] = set()
        self._types: dict[str, str] = {}
        self._functions: dict[str, CompiledFunction] = {}
        self._local: set[str] = set()
        self._ramps: set[str] = set()
        self._continuations = Continuations()
        self._info_by_clone: dict[int, CoroutineInfo] = {}  # by clone address, because local names are unique in their module only
        self._info_by_function: dict[str, CoroutineInfo] = {}  # by the names of externally visible functions
        self._added = self._constructed = 0  # numbers of modules, and of those with executed constructors
        self._constructing = threading.RLock()  # held while constructors run, so that other threads wait
        self._in_constructors = False
        self._externals = dict(externals or {})
        for library in self._libraries:
            self._add_library(library)
        self._deallocators = frozenset(deallocators)

    # ---- modules ----

    def add(self, lowered: Module | Report) -> None:
        """Compile one more module. Its declarations may be in ``externals``, or defined by a module that was added before."""
        check("an engine takes a lowered Module or a Report", lowered, Module, Report)
        module = lowered.module if isinstance(lowered, Report) else lowered
        functions = [f for f in module.functions.values() if not f.is_intrinsic]
        defined = {f.name: f for f in functions if not f.is_declaration}
        for f in functions:
            if f.is_declaration and f.name not in self._bound and f.name not in self._types:
                self._bind_if_external_or_deallocator(f.name, f.type)
        for name in self._core.missing(module._core):  # variables, and functions of libraries
            if name in defined and name in self._externals:  # the module has a copy of a function that `externals` defines
                self._bind_if_external_or_deallocator(name, defined[name].type)
                continue
            address = self._externals.get(name, self._symbol_address_or_none(name, *self._libraries))
            if address is not None:
                self._core.define(name, Pointer().to_c(address))
        info = (
            CoroutineInfo.from_report(lowered, self._kinds, partial(self._core.track_running, module._core))
            if isinstance(lowered, Report)
            else CoroutineInfo()
        )
        try:
            warned = (self._core.add if self._trusted else self._core.add_guarded)(module._core)
        except JitError as error:
            raise explain_missing_symbols(error, self._externals) from None
        for fields in warned:
            warnings.warn(str(Diagnostic(**fields)), RuntimeWarning, stacklevel=2)
        self._added += 1
        local = {name for name, f in defined.items() if f.is_local}
        self._local |= local
        self._types.update({name: f.type for name, f in defined.items() if not f.is_local})
        self._sret.update({name: f.sret for name, f in defined.items() if f.sret})
        parts = self._continuations.register_continuations_return_others(dict(self._core.clones()), defined, info)
        self._frames.parts.update(parts)
        _engines.update(dict.fromkeys(parts, self))
        self._ramps.update(parts.values())
        self._info_by_clone.update(dict.fromkeys(parts, info))
        self._info_by_function.update(dict.fromkeys(defined.keys() - local, info))
        self._info.merge_module(info, local)

    def run_constructors(self) -> None:
        """Run the constructors of the modules, ``llvm.global_ctors``. The first call after adding a module does so too, hence
        this is needed only before reading from :meth:`address`.
        """
        if self._added == self._constructed:
            return
        with self._constructing:
            if self._in_constructors or self._added == self._constructed:
                return
            nested.check()
            added, self._in_constructors = self._added, True

            def run() -> None:
                self._core.run_constructors()
                self._constructed = added  # an exception did not stop them, and is raised below

            try:
                self._call_and_raise_callback_errors(run)
            finally:
                self._in_constructors = False

    @cached_property
    def _kinds(self) -> Kinds:
        return Kinds(self.triple, self.data_layout)

    def _compile(self, text: str) -> None:
        """Compile internal IR of the engine."""
        self._core.add(
            Module(f'target datalayout = "{self.data_layout}"\ntarget triple = "{self.triple}"\n{text}', trusted=True)._core
        )

    def _add_library(self, library: ctypes.CDLL) -> None:
        """Let compiled code find the symbols of a library that no module declares."""
        self._core.add_library(library._handle)

    def _bind_if_external_or_deallocator(self, name: str, text: str) -> None:
        """Define a declaration of a module, if it is in ``externals``."""
        target = self._externals.get(name)
        watched, ours = name in self._deallocators, name not in self._externals
        if target is None and watched:
            target = self._symbol_address_or_none(name, ctypes.CDLL(None), *self._libraries)
        if target is None:
            return
        signature = self._kinds.signature(text)
        if callable(target) or watched:
            why = signature.reason_if_unsupported()
            if why:
                raise UsageError(f"@{name}, {text}, cannot be bound to a Python callable: {why}")
            function = target if callable(target) else prototype(signature)(target)
            if watched and signature.parameters and isinstance(signature.parameters[0], Pointer):
                function = self._frames.wrap_deallocator(function, deferred=ours)
            callback = prototype(signature)(self._make_callback(name, signature, function))
            self._keep.append(callback)
            target = ctypes.cast(callback, ctypes.c_void_p).value
        if not isinstance(target, int):
            raise TypeError(f"@{printable(name)} is bound to a callable or an address, not to {type(target).__name__}")
        self._core.define(name, target)
        self._bound.add(name)

    @staticmethod
    def _symbol_address_or_none(name: str, *libraries: ctypes.CDLL) -> int | None:
        symbol: Any = name.encode("utf-8", "surrogateescape")  # a name may be any bytes
        for library in libraries:
            try:
                return ctypes.cast(library[symbol], ctypes.c_void_p).value
            except (AttributeError, UnicodeDecodeError):  # the message for a missing symbol cannot be decoded
                continue
        return None

    # ---- functions ----

    def _is_coroutine(self, name: str) -> bool:
        return name in self._ramps

    def __getitem__(self, name: str) -> CompiledFunction:
        if name not in self:
            raise self._unknown_function(name)
        function = self._functions.get(name)
        if function is None:
            signature = self._kinds.signature(self._types[name])
            ramp = self._is_coroutine(name) and (isinstance(signature.result, Pointer) or name in self._sret)
            function = CompiledFunction(self, name, signature, is_ramp=ramp)
            self._functions[name] = function
        return function

    def _unknown_function(self, name: object) -> KeyError:
        if isinstance(name, str) and name in self._local:
            return KeyError(f"@{name} is internal to its module: only code of that can name it")
        return UnknownNameError("function", name, self._types)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._types

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the externally visible functions that the modules define."""
        return iter(self._types)

    def __len__(self) -> int:
        return len(self._types)

    def call(self, name: str, *args: Any) -> Any:
        """Call a function and return its result; a pointer is an address."""
        return self[name].call(*args)

    def start(self, name: str, *args: Any, promise: str | None = None, lazy: bool | None = None) -> Handle:
        """Call the ramp of a coroutine, and return its handle. ``promise``, the type of the promise, is needed for a module
        that was added without a report. Without a report, ``lazy`` is true if the coroutine suspends before its first
        value; see :class:`Handle`. For a ramp with an ``sret`` result, the handle is found in that result.
        """
        return self[name].start(*args, promise=promise, lazy=lazy)

    def trace(self, ramp: str, args: Iterable[Any] = (), schedule: int | Iterable[Any] | None = None) -> Trace:
        """Run a coroutine from its start through a schedule to its destruction, and record its frame at each stop.

        ``schedule`` is a number of resumes, or a list of ``"resume"`` and ``"destroy"``. By default the coroutine is
        resumed until it is done, at most 1000 times. For a coroutine that returns its continuations, ``schedule`` is a list
        of tuples, the arguments of each resume, and the coroutine stays suspended at the end. Raises ``UsageError`` for an
        async coroutine; see :meth:`frame_of`. An exception from a callable is raised here, after the coroutine was
        destroyed if possible.
        """
        return trace_coroutine(self, ramp, args, schedule)

    def start_retcon(self, name: str, *args: Any, abandon: tuple[Any, ...] | None = None) -> Continuation:
        """Call the ramp of a coroutine that returns its continuations, which was added with its report.

        ``args`` are all arguments except the buffer, which is allocated here. ``abandon`` are the values to resume the
        coroutine with at the end of ``with``, unless it has ended.
        """
        shape = self._known_retcon_shape(name) if name in self else None
        if shape is None:
            raise (
                self._unknown_function(name)
                if name not in self
                else UsageError(
                    f"@{name} is not known as a retcon coroutine; add the report of its lowering to the engine, not the module"
                )
            )
        return Continuation(self, name, shape, args, abandon)

    def handle(self, address: int | Handle | ctypes.c_void_p, promise: str | None = None) -> Handle:
        """Return the handle of a coroutine from the address of its frame, as compiled code passes it to a callable.

        A coroutine of an added module is recognized by the functions in its frame, and its promise is known as after
        :meth:`start`. A coroutine of another engine gets a handle of that engine. Raises ``LifecycleError`` if no frame is
        detected there; freed memory may still look like a frame.
        """
        number = address if isinstance(address, int) else Pointer().to_c(address)
        if not number:
            raise LifecycleError("a null pointer is no handle of a coroutine; pass the address that its ramp returned")
        if not -1 << 63 <= number < 1 << 64:
            raise LifecycleError(f"there is no frame of a coroutine at {number:#x}, which is not an address of 64 bits")
        function = self._coroutine_name_at_or_raise(number)
        if not function and (other := self._other_engine_with_code_of_frame(number)) is not None:
            return other.handle(number, promise)
        known = self._frames.registered_frame_at(number)
        if known is not None and function and known.function not in ("", function):
            self._frames.mark_freed(number)  # its memory was reused, and no watched deallocator saw the free
            known = None
        if promise is not None:
            return self._make_handle(
                number,
                self._module_info_of_frame_at(number).parse_promise_type_and_offset(promise, self._kinds, self._info),
                function,
            )
        return self._make_handle(number, None if known else self._module_info_of_frame_at(number).promises.get(function), function)

    def address(self, name: str) -> int:
        """Return the address of a function or variable of an added module. Raises ``JitError`` for an unknown name."""
        return int(self._core.lookup(name))

    # ---- frames ----

    def _make_handle(self, address: int, promise: tuple[Kind, int] | None, function: str) -> Handle:
        return Handle(self, address, self._frames.frame_for_handle(address, promise, function))

    def _coroutine_name_at_or_raise(self, address: int) -> str:
        if self.is_closed:
            self._core.hold()  # raises ClosedError
        owner = self._frames.coroutine_name_at_empty_if_foreign(address)
        if owner is None:
            raise LifecycleError(f"there is no frame of a coroutine at {address:#x}")
        return owner

    def _module_info_of_frame_at(self, address: int) -> CoroutineInfo:
        """Return the coroutine information of the module with the frame."""
        return next(filter(None, map(self._info_by_clone.get, frame_pointers(address) or ())), self._info)

    def _info_of_function(self, name: str) -> CoroutineInfo:
        """Return the coroutine information of the module that defines the function."""
        return self._info_by_function.get(name, self._info)

    # ---- frame contents: see Handle.frame ----

    def _layout_of(self, handle: Handle) -> Coroutine | None:
        """Return the frame layout; None if unknown."""
        return self._module_info_of_frame_at(handle.address).coroutines.get(handle._frame.function)

    def _current_suspend(self, handle: Handle, coroutine: Coroutine, index: int | None) -> SuspendPoint | None:
        """Return the suspend that the frame names; the coroutine is not running."""
        final = coroutine.suspends[-1] if coroutine.suspends and coroutine.suspends[-1].is_final else None
        if self._core.done(handle.address):
            stops = handle._frame.stops
            index = (
                index & ~stops.index_field.running_bit if index and stops and stops.marked else index
            )  # it was left without an index
            # higher indices than those of all suspends mean that an exception ended it
            return final if not index or any(index <= point.index for point in coroutine.suspends) else None
        return _suspend_of_index_or_only_one(coroutine, index)

    def _frame_snapshot(self, handle: Handle, coroutine: Coroutine) -> Snapshot:
        """Return the frame contents. Raises ``LifecycleError`` if no suspended coroutine is there."""
        address, name = handle.address, handle._frame.function
        if self._coroutine_name_at_or_raise(address) != name:
            raise LifecycleError(f"{handle._display_name} has no frame at {address:#x}: its memory holds something else")
        if handle._is_known_running():
            raise handle._error_for_running_coroutine()
        data = copy_memory_or_none(address, coroutine.frame.size)
        if data is None:
            raise LifecycleError(f"{handle._display_name} has no frame at {address:#x}: the memory is not mapped")
        return MemorySnapshot(
            coroutine,
            self._kinds,
            address,
            data,
            self._current_suspend(handle, coroutine, handle._suspend_index()),
            self._frames.parts,
        )

    def _save_to_compare_before_resume_or_none(self, handle: Handle, index: int | None) -> Any:
        """Save the state that `_snapshot_from_saved` needs, before a resume of a coroutine with this suspend index."""
        stops = handle._frame.stops
        if stops is None or not stops.frame_size or not (stops.frame_size <= NOTED or handle._frame.watched):
            return None
        return index, ctypes.string_at(handle.address, stops.frame_size)

    def _snapshot_from_saved(self, handle: Handle, coroutine: Coroutine, note: Any) -> Snapshot | None:
        """Return the frame contents that ``note`` holds; None if it is None."""
        if note is None:
            return None
        index, data = note
        point = _suspend_of_index_or_only_one(coroutine, index)
        return MemorySnapshot(coroutine, self._kinds, handle.address, data, point, self._frames.parts)

    def _overwrite_field(self, address: int, coroutine: Coroutine, field: FrameField, kind: Kind, value: Any) -> None:
        """Overwrite a field of the frame. Raises TypeError or OverflowError."""
        address += field.offset
        if realign := field._data["realign"]:
            address += -address % realign
        self._write_bytes(address, kind.to_bytes(value))

    def frame_of(self, continuation: int, storage: int) -> RunningFrame:
        """Return the frame of a coroutine without a handle, of the retcon or async ABIs, that will resume at this
        continuation. ``storage`` is the address of its buffer or context, which must be mapped. A callable receives both
        where the program passes them; for a `Continuation`, use `Continuation.frame`.

        Raises ``LifecycleError`` if no coroutine is detected there, ``UsageError`` if the engine lacks the report of the
        lowering. An interpreter identifies the coroutine by its storage alone.
        """
        check("a continuation is an address", continuation, int)
        check("a buffer or a context is an address", storage, int)
        return RunningFrame(*self._coroutine_address_snapshot_of(continuation, storage), None)

    def _coroutine_address_snapshot_of(self, continuation: int, storage: int) -> tuple[Coroutine, int, Snapshot]:
        """Return the layout, the frame address, and the frame contents. See `frame_of`."""
        if self.is_closed:
            self._core.hold()  # raises ClosedError
        coroutine, place, address, data = self._continuations.frame(continuation, storage)
        point = coroutine.suspends[place]
        return coroutine, address, MemorySnapshot(coroutine, self._kinds, address, data, point, self._frames.parts)

    def _caller_for_function_type(self, text: str) -> Caller:
        """Return the caller of functions with that LLVM type."""
        return thunk_for(self, text)

    def _coroutine_without_handle(self, name: str) -> Coroutine | None:
        """Return the layout of a coroutine of another ABI than the switch ABI, if known."""
        return self._info.without_handle.get(name)

    def _known_retcon_shape(self, name: str) -> RetconShape | None:
        """Return the shape of a coroutine that returns its continuations, if known."""
        return self._info.continuing.get(name)

    def _other_engine_with_code_of_frame(self, address: int) -> Engine | None:
        """Return the other engine that has the code of the frame."""
        found = next(filter(None, map(_engines.get, frame_pointers(address) or ())), None)
        return None if found is self else found

    # ---- lifetime ----

    def close(self) -> None:
        """Run the destructors of the modules and free their code. Idempotent. Raises ``BusyError`` while code runs."""
        raised: list[BaseException] = []
        self._calls.raised.append(raised)
        try:
            self._core.close()
        finally:
            self._calls.raised.pop()
        if raised:
            raise raised[0]

    @property
    def is_closed(self) -> bool:
        """True after :meth:`close`."""
        return bool(self._core.is_closed)

    @property
    def triple(self) -> str:
        """Target triple that the engine compiles for."""
        return str(self._core.triple)

    @property
    def data_layout(self) -> str:
        """Data layout of that target. The data layout in a module determines its frames."""
        return str(self._core.data_layout)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_keep"):  # destructors of modules may call the callables, which must still exist
            self.close()

    @with_fallback_repr
    def __repr__(self) -> str:
        return f"<Engine: {'closed' if self.is_closed else f'{len(self._types)} functions'}>"
