"""Interpreter of unlowered modules, including presplit coroutines.

>>> handle = pycoro.Interpreter(pycoro.examples.COUNTER).start("counter", 3, 6, promise="i32")
>>> handle.resume()
>>> handle.promise
4

It follows LLVM's language reference and shares no code with the lowerings of pycoro or LLVM, so it can arbitrate between
them if they differ.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from weakref import finalize

from pycoro import _core
from pycoro._escape import printable
from pycoro._ir_syntax import WORD, function_text, unquote_name
from pycoro._repr import with_fallback_repr
from pycoro._typecheck import check, check_booleans, check_callable, check_mapping
from pycoro.coroutine import Coroutine, RetconShape
from pycoro.errors import LifecycleError, UndefinedError, UnsupportedError, UsageError
from pycoro.ir.builder import Builder
from pycoro.module import Module
from pycoro.report import Report
from pycoro.running.engine import DEALLOCATORS, Engine
from pycoro.running.frame_snapshot import Snapshot, is_header_or_live_at
from pycoro.running.frames import LiveFrame, Result, error_for_running_coroutine, find_frame_in_result_or_raise
from pycoro.running.interpreted import Interpreted
from pycoro.running.interpreter_frame import InterpreterFrame, InterpreterSnapshot
from pycoro.running.kinds import Aggregate, Int, Kind, Pointer, Signature
from pycoro.running.machine import Caller, Machine, prototype
from pycoro.running.missing import explain_undefined_function
from pycoro.view import Life

if TYPE_CHECKING:
    from pycoro.frame import FrameField
    from pycoro.running.handle import Handle

__all__ = ["Interpreter", "Thrown"]

ALLOCATORS = re.compile(r"malloc|calloc|realloc(array)?|aligned_alloc|memalign|posix_memalign|free|_Z(nw|na|dl|da)\w+")
"""Allocation functions that the core implements unless ``externals`` binds them; the process's are never called."""

SUSPEND = re.compile(r"@llvm\.coro\.suspend(?:\.retcon|\.async)?[.(]")

_DATA: tuple[type[Any], ...] = (ctypes._SimpleCData, ctypes.Array, ctypes.Structure, ctypes.Union)


def _leave_call_to_core(*_: Any) -> Any:
    return NotImplemented


class Thrown(Exception):
    """Exception for a callable that an interpreted program calls: the call ends with an exception in the program.

    ``exception`` is the address of the exception object, and ``type`` that of its type information, such as
    `Interpreter.address` of ``"_ZTIi"``. Without a type, only catch-all clauses catch it.

    >>> def fail():
    ...     raise pycoro.interpreter.Thrown(0)
    >>> ir = "declare void @fail() define void @f() { call void @fail() ret void }"
    >>> pycoro.Interpreter(ir, externals={"fail": fail}).call("f")
    Traceback (most recent call last):
        ...
    pycoro.errors.UndefinedError: the exception is not caught
      in @f, block %0: call void @fail()
      hint: fix the program: its behavior may differ between lowerings
    """

    def __init__(self, exception: int, type: int = 0) -> None:
        super().__init__(exception, type)
        self.exception = exception
        self.type = type


def _with_presplit_attributes(text: str, coroutines: Iterable[str]) -> Module:
    """Return a copy with all coroutines marked presplitcoroutine, as coro-early does."""
    module = Module(text)
    plain = [name for name in coroutines if not module.functions[name].is_presplit]
    builder = Builder(module)
    for name in plain:
        builder.add_attribute(module.functions[name], "presplitcoroutine")
    return module


class Interpreter(Engine):
    """Execute a module without lowering it. The interface is that of an engine, with the same functions and handles.

    ``externals`` binds declarations of the module, as for an `Engine`; an exception in a callable ends the call at once.
    ``natives`` maps addresses that the program may call to callables. ``steps`` bounds the operations of one outer call,
    and ``depth`` the nesting of calls; exceeding either raises `LimitError`.

    The program has separate memory: globals, and the memory of C and C++ allocation functions that ``externals`` does not
    bind. It can access Python's memory only if that is shared: ctypes objects that are passed or returned to it, bound
    variables, and arguments of `share`. Any other access raises an `UndefinedError` that names the place and the object.

    ``native=True`` binds other functions to those of this process, and of ``libraries``. Such a program is trusted, because
    it can call those functions and access all memory of the process.

    Undefined behavior, or an observable dependence on undef or poison, raises an `UndefinedError` with the instruction. An
    unknown construct raises `UnsupportedError`. Only one thread at a time may execute, and may reenter from a callable.

    >>> interpreter = pycoro.Interpreter(pycoro.examples.COUNTER)
    >>> interpreter.call("sum", 10)
    45
    >>> list(interpreter.start("counter", 3, 6, promise="i32", lazy=False))
    [3, 4, 5]
    """

    def __init__(
        self,
        module: Module | str,
        *,
        externals: Mapping[str, Any] | None = None,
        libraries: Iterable[str | ctypes.CDLL] = (),
        deallocators: Iterable[str] = DEALLOCATORS,
        natives: Mapping[int, Callable[..., Any]] | None = None,
        native: bool = False,
        steps: int = 100_000_000,
        depth: int = 1 << 20,
    ) -> None:
        ir = module if isinstance(module, Module) else Module(module)
        if hasattr(self, "_core"):
            raise UsageError("an interpreter cannot be initialized twice; create another one")
        check_booleans(native=native)
        for name, most in (("steps", steps), ("depth", depth)):
            check(f"{name} must be a number", most, int)
            if not 0 <= most < 1 << 63:
                raise UsageError(f"{name} must be between 0 and 2**63 - 1, not {most}")
        if natives is not None:
            check_mapping("natives is a mapping from addresses to callables", "an address of natives is an int", natives, int)
            for address, native_function in natives.items():
                check_callable(f"what is at the address {address:#x} of natives is a callable", native_function)
        Machine.__init__(self, _core.Interpreter(ir._core, self._call_external_or_not_implemented, steps, depth))
        self._check_and_set_options(externals, libraries, deallocators)
        self._natives = dict(natives or {})
        self._shared: dict[int, object] = {}
        if native:
            self._libraries.append(ctypes.CDLL(None))
        if self._libraries:
            self._core.trust()
        self._defined: dict[str, Callable[..., Any]] = {}
        self._layouts: Mapping[str, Coroutine] | None = None
        self._records: dict[str, Coroutine | None] = {}
        self._named: dict[str, dict[str, int]] = {}  # indices of the values, by function
        self._coroutines = {f.name for f in ir.functions.values() if f.is_coroutine}
        self._head = str(ir)
        for function in ir.functions.values():
            if function.is_intrinsic:
                continue
            if function.is_declaration:
                self._define_external_if_bound(function.name, function.type)
            else:
                self._types[function.name] = function.type
                if function.sret:
                    self._sret[function.name] = function.sret
        self._bind_external_variables()

    def add(self, lowered: Module | Report) -> None:
        """Raise ``UsageError``, because an interpreter executes only the module that it was created for."""
        raise UsageError("an interpreter executes one module; link the modules first")

    @property
    def steps(self) -> int:
        """Number of operations executed so far."""
        return int(self._core.steps)

    @property
    def triple(self) -> str:
        """Target triple of the module."""
        return self._target_property("triple")

    @property
    def data_layout(self) -> str:
        """Data layout of the module."""
        return self._target_property("datalayout")

    def _target_property(self, what: str) -> str:
        found = re.search(rf'^target {what} = "(.*)"$', self._head, re.MULTILINE)
        return found[1] if found else ""

    # ---- declarations of the module ----

    def _define_external_if_bound(self, name: str, text: str) -> None:
        target, watched = self._externals.get(name), name in self._deallocators
        if target is None and watched:
            target = _leave_call_to_core
        if target is None and not ALLOCATORS.fullmatch(name):
            target = self._symbol_address_or_none(name, *self._libraries)
        if target is None:
            return
        signature = self._kinds.signature(text)
        if not callable(target):
            target = _native_callable(target, signature)
        if watched and signature.parameters:
            target = self._frames.wrap_deallocator(target, deferred=False)
        self._defined[name] = self._wrap_external(name, signature, target)

    def _bind_external_variables(self) -> None:
        declared = re.findall(rf"^@({WORD}) = (?:[a-z_]+(?:\([^)]*\))? )*external ", self._head, re.MULTILINE)
        for name in map(unquote_name, declared):
            target = self._externals.get(name)
            address = (
                self._symbol_address_or_none(name, *self._libraries)
                if target is None
                else Pointer().to_c(self._share_memory_and_return_value(target))
            )
            if address is not None:
                self._core.define(name, address)

    # ---- memory ----

    def share(self, memory: Any, size: int | None = None) -> int:
        """Let the program access Python memory, and return the address. The memory is a ctypes object, which stays alive while
        it is shared, or ``size`` bytes at an address, which the caller keeps alive.
        """
        address = Pointer().to_c(memory)
        if size is None:
            check("the size is needed unless memory is a ctypes object; memory must be one", memory, *_DATA)
            size = ctypes.sizeof(memory)
        check("size is a number of bytes", size, int)
        if not (0 <= size < 1 << 63 and address):
            raise UsageError("share() needs an address and a size, or a ctypes object")
        self._core.share(address, size)
        self._shared[address] = memory
        return address

    def unshare(self, memory: Any) -> None:
        """End the sharing of an object, or of the memory at an address."""
        address = Pointer().to_c(memory)
        if address:
            self._core.unshare(address)
        self._shared.pop(address, None)

    def _share_memory_and_return_value(self, value: Any) -> Any:
        """Prepare a value for the program, and share the memory of an object."""
        if isinstance(value, _DATA) and self._shared.get(ctypes.addressof(value)) is not value:
            self.share(value)
        return value

    def _wrap_external(self, name: str, signature: Signature, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the callable: convert its arguments to Python values, and check its result."""
        kinds, result = signature.parameters, signature.result

        def call(*args: Any) -> Any:
            known = (kind.from_c(arg) if kind else arg for kind, arg in zip(kinds, args, strict=False))
            value = function(*known, *args[len(kinds) :])
            if value is NotImplemented:
                return value
            try:
                return result.to_c(self._share_memory_and_return_value(value)) if result else None
            except (TypeError, OverflowError) as error:
                error.add_note(f"this is the result of the callable that @{printable(name)} is bound to")
                raise

        return call

    # ---- overrides of Engine ----

    def _call_external_or_not_implemented(self, name: str, address: int, text: str, args: tuple[Any, ...]) -> object:
        """Call the external function of that name or, without a name, the native function at the address; the core calls this.
        Returns ``NotImplemented`` if there is none, and the exception of a `Thrown` with its type as a pair."""
        function = self._defined.get(name) if name else self._natives.get(address)
        if function is None:
            return NotImplemented
        try:
            return function(*args)
        except Thrown as thrown:
            return thrown.exception, thrown.type

    def _check_depth_and_run_constructors(self) -> None:
        pass  # the core bounds the depth, and has no constructors

    def _call_after_constructors(self, function: Callable[..., Any], *args: Any) -> Any:
        try:
            return function(*args)
        except UnsupportedError as error:
            raise explain_undefined_function(error, self._externals) from error.__cause__

    def _add_library(self, library: ctypes.CDLL) -> None:
        pass  # no code is generated

    def _coroutine_name_at_or_raise(self, address: int) -> str:
        return str(self._core.coroutine(address))  # the core rejects an address without a coroutine

    def _find_frame_in_result_or_raise(self, result: Result, name: str) -> int:
        try:
            return find_frame_in_result_or_raise(bytes(result), name, self._core.coroutine)
        except LifecycleError:
            self.unshare(result)
            raise

    def _keep_result_alive_with_frame(self, result: Result, frame: LiveFrame) -> None:
        finalize(frame, _unshare_result_memory, self._core, self._shared, ctypes.addressof(result)).atexit = False

    # ---- frame contents: without a layout, field values are found by name ----

    def _layout_of(self, handle: Handle) -> Coroutine | None:
        return self._coroutine_record(handle._frame.function)

    def _coroutine_record(self, name: str) -> Coroutine | None:
        """Return the coroutine record, which outlives the interpreter."""
        if self._layouts is None:
            self._layouts = _with_presplit_attributes(self._head, self._coroutines).coroutines
        if name not in self._records:
            found = self._layouts.get(name)
            self._records[name] = found and Coroutine(Life(), found._data)
        return self._records[name]

    def _frame_snapshot(self, handle: Handle, coroutine: Coroutine) -> Snapshot:
        return self._snapshot_at(handle.address, coroutine)

    def _snapshot_at(self, address: int, coroutine: Coroutine) -> Snapshot:
        core, called = self._core, f"the coroutine @{coroutine.name}"
        at = core.suspend(address)
        if at is None:
            raise LifecycleError(f"there is no frame of {called} at {address:#x}")
        if not at and (coroutine.abi != "switch" or not core.done(address)):
            raise error_for_running_coroutine(called)
        point = next((point for point in coroutine.suspends if point.name == at), None)
        fields = [
            field for field in coroutine.frame.fields if not field.is_header and point and is_header_or_live_at(field, point._place)
        ]
        decoded = InterpreterFrame(core, self._kinds, address, self._value_indices(address, coroutine)).decode(fields)
        return InterpreterSnapshot(point, decoded)

    def _coroutine_address_snapshot_of(self, continuation: int, storage: int) -> tuple[Coroutine, int, Snapshot]:
        if self.is_closed:
            self._core.hold()  # raises ClosedError
        layout = self._coroutine_record(self._core.known(storage))
        if layout is None:
            raise LifecycleError(f"there is no frame of a coroutine at {storage:#x}")
        return layout, storage, self._snapshot_at(storage, layout)

    def _caller_for_function_type(self, text: str) -> Caller:
        return Interpreted(self, text)

    def _coroutine_without_handle(self, name: str) -> Coroutine | None:
        layout = self._coroutine_record(name)
        return layout if layout and layout.abi != "switch" else None

    def _known_retcon_shape(self, name: str) -> RetconShape | None:
        shape = layout.shape if (layout := self._coroutine_record(name)) else None
        return shape if isinstance(shape, RetconShape) else None

    def _value_indices(self, address: int, coroutine: Coroutine) -> dict[str, int]:
        """Return the indices of the function's values by name. Unnamed values are excluded if the lowering removed suspends,
        because it renumbers them.
        """
        name = coroutine.name
        if name not in self._named:
            self._named[name] = {value: at for at, value in enumerate(self._core.names(address)) if value}
            if len(SUSPEND.findall(function_text(self._head, name))) != len(coroutine.suspends):
                self._named[name] = {value: at for value, at in self._named[name].items() if not value.isdigit()}
        return self._named[name]

    def _save_to_compare_before_resume_or_none(self, handle: Handle, index: int | None) -> Any:
        if not handle._frame.watched or self._core.suspend(handle.address) is None:
            return None
        layout = self._layout_of(handle)
        return layout and self._frame_snapshot(handle, layout)

    def _snapshot_from_saved(self, handle: Handle, coroutine: Coroutine, note: Any) -> Snapshot | None:
        look: Snapshot | None = note
        return look

    def _overwrite_field(self, address: int, coroutine: Coroutine, field: FrameField, kind: Kind, value: Any) -> None:
        kept = InterpreterFrame(self._core, self._kinds, address, self._value_indices(address, coroutine))
        if field.kind == "spill":
            kept.write_field(field, kind, value, coroutine._data["rematerialized"])
            return
        place = kept.address_of(field)
        if place is None:
            shown = f"{printable(field.name)} of the coroutine @{printable(coroutine.name)}"
            raise UndefinedError(f"{shown} has no memory yet; resume the coroutine until its alloca is executed")
        self._write_bytes(place, kind.to_bytes(value))

    def _other_engine_with_code_of_frame(self, address: int) -> None:
        return None

    def _is_coroutine(self, name: str) -> bool:
        return name in self._coroutines

    def _callable_at(self, address: int, signature: Signature) -> Callable[..., Any]:
        kinds = [kind for kind in signature.parameters if kind]
        result, core = signature.result, self._core

        def enter(*values: Any) -> Any:
            bits = (int.from_bytes(kind.to_bytes(value), sys.byteorder) for kind, value in zip(kinds, values, strict=True))
            results = core.call(address, tuple(bits))
            if not result:
                return None
            if results[0] is None:
                raise UndefinedError("the function's result is undefined")
            return result.from_bytes(results[0].to_bytes(result.size, sys.byteorder))

        return enter

    def _read_value(self, kind: Kind, address: int) -> bytes:
        check_value_is_defined(self._core, kind, address)
        return super()._read_value(kind, address)

    def _write_bytes(self, address: int, data: bytes) -> None:
        if not self._core.owns(address, len(data)):
            raise UndefinedError(f"{len(data)} bytes are written at {address:#x}, where the program has no memory")
        super()._write_bytes(address, data)
        self._core.wrote(address, len(data))

    def close(self) -> None:
        """Free the globals and coroutines of the program. Idempotent. Raises ``BusyError`` while it runs."""
        self._core.close()

    @with_fallback_repr
    def __repr__(self) -> str:
        return f"<Interpreter: {'closed' if self.is_closed else f'{len(self._types)} functions'}>"


def _unshare_result_memory(core: _core.Interpreter, shared: dict[int, object], address: int) -> None:
    """Unshare a ramp's result memory after the last handle of its coroutine."""
    if not core.is_closed:
        core.unshare(address)
    shared.pop(address, None)


def check_value_is_defined(core: _core.Interpreter, kind: Kind, address: int) -> None:
    """Raise ``UndefinedError`` unless the value of that type in memory is defined."""
    for offset, size in _scalars_of(kind, 0):
        if not core.defined(address + offset, size):
            raise UndefinedError(f"byte {offset} of a value of type {kind.text} is not defined")


def _scalars_of(kind: Kind, offset: int) -> Iterator[tuple[int, int]]:
    """Yield the offset and size of each scalar in a value, without padding."""
    if isinstance(kind, Aggregate):
        for place, element in zip(kind.offsets, kind.elements, strict=True):
            yield from _scalars_of(element, offset + place)
    else:
        yield offset, (kind.bits + 7) // 8 if isinstance(kind, Int) else kind.size


def _native_callable(address: int, signature: Signature) -> Callable[..., Any]:
    """Return native code at an address as a callable."""
    if not signature.reason_if_unsupported():
        native: Callable[..., Any] = prototype(signature)(address)
        return native
    if not signature.variadic:
        return _callable_raising_unsupported_signature(signature)
    result = signature.result.ctype if signature.result else None
    function = ctypes.CFUNCTYPE(result)(address)

    def call(*args: Any) -> Any:
        return function(*(ctypes.c_double(arg) if isinstance(arg, float) else ctypes.c_uint64(arg) for arg in args))

    return call


def _callable_raising_unsupported_signature(signature: Signature) -> Callable[..., Any]:
    def raise_unsupported(*args: Any) -> Any:
        raise UsageError(
            f"a function of type {signature.text} cannot be called in this process: {signature.reason_if_unsupported()}"
        )

    return raise_unsupported
