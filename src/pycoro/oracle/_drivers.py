"""Drivers, one class for each ABI, which call a coroutine and resume it by a schedule.

A driver declares the trampolines that it needs, and runs schedules through them. Its events are equal for all correct
lowerings.
"""

from __future__ import annotations

import ctypes
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Protocol, cast

from pycoro._suggest import unknown_name_message
from pycoro.errors import UnsupportedError, UsageError
from pycoro.oracle._headers import Header, Parameter, split_until_closing_parenthesis
from pycoro.oracle._memory import Memory
from pycoro.oracle._recorders import event_value
from pycoro.oracle._world import Slots, context_size_trampoline, noop_function_address_trampoline, trampoline_of
from pycoro.running.coroutine_info import parse_promise_type_and_offset
from pycoro.running.kinds import Aggregate, Float, Int, Kind, Pointer, host_kinds

__all__ = ["DRIVERS", "Driver", "World", "check_value_fits_type", "supported_steps"]


class World(Protocol):
    """Environment of a driver."""

    @property
    def memory(self) -> Memory: ...

    @property
    def headers(self) -> Mapping[str, Header]: ...

    def log_event(self, *event: object) -> None: ...

    @abstractmethod
    def read(self, kind: Kind, address: int) -> Any:
        """Read a value of that type from the program's memory."""

    @abstractmethod
    def write(self, address: int, data: bytes) -> None:
        """Write bytes to the program's memory."""

    @abstractmethod
    def pop_arguments_of_last_call(self) -> Sequence[tuple[Kind | None, Any]]:
        """Return the arguments of the last call of an external function since the previous query."""

    @abstractmethod
    def call_trampoline(self, name: str, slots: Slots, values: Sequence[Any], results: Slots) -> list[Any]:
        """Call the trampoline of that name."""


def check_value_fits_type(kind: Kind | None, value: Any, what: str) -> None:
    """Raise ``UsageError`` if the value does not belong to the type; ``what`` begins the message."""
    if kind is None:
        raise UsageError(f"{what} has a type without values in Python")
    if isinstance(kind, Pointer):
        if value and not isinstance(value, str):
            raise UsageError(f"{what} is a pointer: pass a string for scratch memory, or None for null, not {value!r}")
    elif isinstance(value, str):
        raise UsageError(f"{what} is {kind.text}, not {value!r}; strings denote pointers")
    else:
        try:
            kind.to_bytes(value)
        except (TypeError, OverflowError) as error:
            raise UsageError(f"{what}: {error}") from None


class Driver:
    """Driver of a plain function, and base of the others.

    The constructor raises ``UsageError`` if the entry does not match the module, because of an unknown function, or
    unsuitable arguments or steps; ``UnsupportedError`` if the oracle cannot drive such a coroutine.
    """

    steps: ClassVar[tuple[str, ...]] = ()
    """Supported steps of a schedule."""

    def __init__(self, world: World, entry: Mapping[str, Any], number: int) -> None:
        self.world = world
        self.entry = entry
        self.header = self._ramp_header()
        self._check_arguments()
        self.trampolines: dict[str, str] = {}
        self.declarations: list[str] = []
        self._start = self.add_trampoline(f"pycoro.start.{number}", self.header)

    def _ramp_header(self) -> Header:
        name, headers = self.entry["ramp"], self.world.headers
        header = headers.get(name)
        if header is None:
            raise UsageError(
                unknown_name_message(
                    "function", name.strip('"'), [key.strip('"') for key in headers if not headers[key].declaration]
                )
            )
        if header.declaration:
            raise UsageError(f"@{name} is declared but not defined in the module")
        return header

    def passed_parameters(self) -> Sequence[Parameter]:
        """Return the parameters for the entry's arguments."""
        return self.header.parameters

    def _check_arguments(self) -> None:
        parameters = self.passed_parameters()
        kinds, values = [parameter.text for parameter in parameters], self.entry["args"]
        if len(kinds) != len(values):
            some = "no arguments" if not kinds else f"{len(kinds)} argument{'s' * (len(kinds) > 1)} ({', '.join(kinds)})"
            raise UsageError(f"@{self.entry['ramp']} takes {some}, not {len(values)}")
        for number, (parameter, value) in enumerate(zip(parameters, values, strict=True), 1):
            check_value_fits_type(parameter.type, value, f"argument {number} of @{self.entry['ramp']}")

    def add_trampoline(self, name: str, header: Header, callee: str = "") -> Callable[..., list[Any]]:
        """Return a trampoline as a callable, and add its IR to ``trampolines``; equal names share one."""
        self.trampolines[name], slots, results = trampoline_of(name, header, callee)
        return lambda *values: self.world.call_trampoline(name, slots, values, results)

    def event_values(self, kinds: Sequence[Kind | None], values: Sequence[Any]) -> list[Any]:
        return [event_value(self.world.memory, kind, value) for kind, value in zip(kinds, values, strict=True)]

    def arguments(self) -> list[Any]:
        """Return the entry arguments; string arguments get scratch buffers."""
        scratch = self.world.memory.allocate_scratch_memory
        return [scratch() if isinstance(arg, str) else arg for arg in self.entry["args"]]

    def start(self) -> list[Any]:
        """Call the function with the entry's arguments."""
        return self._start(*self.arguments())

    def start_and_run_schedule(self, schedule: Sequence[str]) -> None:
        """Run a whole schedule, including the start."""
        results = self.start()
        values = self.event_values([self.header.result.type], results) if self.header.returns_a_value else [None]
        self.world.log_event("returned", *values)


class Switch(Driver):
    """The switched-resume ABI: the ramp returns a handle, whose first words are the resume and destroy functions.

    A ramp with an ``sret`` result gets memory for it, which is no argument of the entry. Its handle is the first pointer in the
    result to an allocated block.
    """

    steps = ("resume", "destroy", "done", "promise")

    def __init__(self, world: World, entry: Mapping[str, Any], number: int) -> None:
        super().__init__(world, entry, number)
        if self.header.result.text != "ptr" and self._sret_parameter_index is None:
            raise UsageError(
                f"@{entry['ramp']} returns {self.header.result.text}, which is not a handle; only an empty schedule can run"
            )
        part = Header("", False, "fastcc", Parameter("void"), (Parameter("ptr"),))
        self._call = self.add_trampoline("pycoro.switch", part, callee="of the frame")
        self._promise = parse_promise_type_and_offset(entry["promise"], host_kinds()) if entry["promise"] else None
        if self._promise is None and any("promise" in schedule for schedule in entry["schedules"]):
            raise UsageError("the type of the promise is unknown; pass it, as in promise='i32'")
        self._handle, self._over = 0, False

    @cached_property
    def _sret_parameter_index(self) -> int | None:
        """Index of the ``sret`` parameter; None for a result in a register."""
        return next((number for number, parameter in enumerate(self.header.parameters) if parameter.sret_size), None)

    def passed_parameters(self) -> Sequence[Parameter]:
        return [parameter for parameter in self.header.parameters if not parameter.sret_size]

    def start(self) -> list[Any]:
        if self._sret_parameter_index is None:
            return super().start()
        values, memory = self.arguments(), self.world.memory
        result = memory.allocate_scratch_memory()
        values.insert(self._sret_parameter_index, result)
        self._start(*values)
        word = ctypes.sizeof(ctypes.c_size_t)
        places = range(result, result + self.header.parameters[self._sret_parameter_index].sret_size - word + 1, word)
        pointers = (ctypes.c_size_t.from_address(place).value for place in places)
        return [next(filter(memory.is_start_of_live_block, pointers), 0)]

    def _load_frame_word(self, number: int) -> int:
        return ctypes.c_size_t.from_address(self._handle + number * ctypes.sizeof(ctypes.c_size_t)).value

    def start_and_run_schedule(self, schedule: Sequence[str]) -> None:
        self._over = False
        (self._handle,) = self.start()
        self.world.log_event("started", self.world.memory.name_of_pointer(self._handle))
        for step in schedule:
            self._run_step(step)
            self.world.memory.log_stray_writes()

    def _run_step(self, step: str) -> None:
        if not self._handle:
            self.world.log_event("skipped", step, "the ramp returned no handle")
            return
        gone = self._over or self.world.memory.is_freed(self._handle)
        done = gone or not self._load_frame_word(0)
        if step == "done":
            self.world.log_event("done", done)
        elif gone or (step == "resume" and done):
            self.world.log_event("skipped", step, "the frame was freed" if gone else "the coroutine is done")
        elif step == "promise":
            self.world.log_event("promise", self._promise_value())
        else:
            self.world.log_event(step)
            self._over = step == "destroy"
            self._call(self._load_frame_word(self._over), self._handle)

    def _promise_value(self) -> Any:
        assert self._promise
        kind, offset = self._promise
        return event_value(self.world.memory, kind, self.world.read(kind, self._handle + offset))


class Retcon(Driver):
    """The returned-continuation ABI: every clone returns the next continuation and the yielded values, or null at the end.

    ``resume`` continues normally and ``abort`` unwinds; the first continuation parameter of at most 8 bits is that flag.
    Values after the step are the other arguments, zero by default.
    """

    steps = ("resume", "abort")
    once: ClassVar[bool] = False

    def __init__(self, world: World, entry: Mapping[str, Any], number: int) -> None:
        super().__init__(world, entry, number)
        prototype = world.headers.get(entry["prototype"])
        if prototype is None:
            raise UnsupportedError(
                f"@{entry['ramp']}: the prototype @{entry['prototype']} of its continuations is missing in the module"
            )
        if not isinstance(entry["buffer"], int):
            raise UnsupportedError(
                f"@{entry['ramp']}: its buffer is not a parameter, so the oracle cannot pass one; make its address a parameter"
            )
        self._part = prototype
        for step in {step for schedule in entry["schedules"] for step in schedule}:
            self._continuation_arguments(step)
        self._continue = self.add_trampoline(f"pycoro.continue.{number}", prototype, callee="the continuation")
        self._next = 0

    def _continuation_arguments(self, step: str) -> list[Any]:
        """Return the continuation's arguments after the buffer, including the flag that selects normal or abnormal resumption."""
        word, *values = step.split()
        kinds = [parameter.type for parameter in self._part.parameters[1:]]
        flag = next((i for i, kind in enumerate(kinds) if isinstance(kind, Int) and kind.bits <= 8), None)
        values = values or ["0"] * (len(kinds) - (flag is not None))
        if flag is not None:
            values.insert(flag, str(int(word == "abort")))
        try:
            return [float(v) if isinstance(k, Float) else int(v) for k, v in zip(kinds, values, strict=True)]
        except ValueError:
            expected = ", ".join(parameter.text for at, parameter in enumerate(self._part.parameters[1:]) if at != flag) or "none"
            raise UsageError(f"the step {step!r}: the values that a continuation is resumed with are {expected}") from None

    def _set_next_and_log_yields(self, header: Header, results: Sequence[Any]) -> None:
        """Extract the next continuation from a result, and report the yielded values."""
        given: Sequence[Any] = cast("Sequence[Any]", results[0]) if isinstance(results[0], tuple) else (results[0],)
        self._next = given[0]
        if not self._next:
            self.world.log_event("over")
            return
        kind = header.result.type
        kinds = kind.elements[1:] if isinstance(kind, Aggregate) else ()
        self.world.log_event("yield", *self.event_values(kinds, given[1:]))

    def start_and_run_schedule(self, schedule: Sequence[str]) -> None:
        arguments = self.arguments()
        self._set_next_and_log_yields(self.header, self._start(*arguments))
        for step in schedule:
            if not self._next:
                self.world.log_event("skipped", step, "the coroutine has ended")
                continue
            self.world.log_event(step)
            results = self._continue(self._next, arguments[self.entry["buffer"]], *self._continuation_arguments(step))
            self._end_and_log_returned_values(results) if self.once else self._set_next_and_log_yields(self._part, results)
            self.world.memory.log_stray_writes()

    def _end_and_log_returned_values(self, results: Sequence[Any]) -> None:
        self._next = 0
        kinds = [self._part.result.type] if self._part.returns_a_value else []
        self.world.log_event("returned", *self.event_values(kinds, results))


class RetconOnce(Retcon):
    """The returned-continuation ABI with one continuation, which returns the result of the coroutine."""

    once = True


class Async(Driver):
    """The async ABI. The driver is the executor: it allocates the context, starts the coroutine, and waits until control is
    passed to a function outside of the module. ``resume`` uses the arguments of that call: either the continuation, or a
    context that holds the continuation after its parent context. A schedule that ends abandons the coroutine.

    A context begins with its parent context and the function to call at the end; for the first context, both are no-ops.
    """

    steps = ("resume",)

    def __init__(self, world: World, entry: Mapping[str, Any], number: int) -> None:
        super().__init__(world, entry, number)
        if not entry["pointer"] or entry["context"] >= len(entry["args"]):
            raise UnsupportedError(
                f"@{entry['ramp']}: its llvm.coro.id.async lacks an async function pointer or a context parameter"
            )
        if len(entry["resumed"]) > 1:
            raise UnsupportedError(f"@{entry['ramp']}: its suspends have resume values of different types")
        self.declarations = [f"@{entry['pointer']} = external global <{{ i32, i32 }}>"]
        context: int = entry["context"]
        own = self.header.parameters[context].attributes
        self._size = self._add_number_trampoline(f"pycoro.size.{number}", context_size_trampoline, entry["pointer"])
        self._root = self._add_number_trampoline(
            f"pycoro.root.{number}", noop_function_address_trampoline, self.header.convention, own
        )
        self._part = self._continuation_header()
        self._goes_on = self.add_trampoline(f"pycoro.goes.on.{number}", self._part, callee="the continuation")
        self._next: tuple[int, int] | None = None
        self._others: list[int] = []
        self._context = self._over = 0

    def _add_number_trampoline(
        self, name: str, make_trampoline: Callable[..., tuple[str, Slots, Slots]], *how: str
    ) -> Callable[[], int]:
        """Add a trampoline by that name; return a callable that calls it and returns its number."""
        self.trampolines[name], slots, results = make_trampoline(name, *how)
        return lambda: int(self.world.call_trampoline(name, slots, (), results)[0])

    def _continuation_header(self) -> Header:
        """Return the header of continuations: that of the coroutine with other parameters."""
        kinds = [Parameter(kind) for kind in split_until_closing_parenthesis(f"{''.join(self.entry['resumed'])})") if kind]
        places = self.entry["places"]
        context: int = self.entry["context"]
        if "swiftasync" in self.header.parameters[context].attributes:
            if len(places) > 1:
                raise UnsupportedError(f"@{self.entry['ramp']}: its suspends have their contexts at different positions")
            for place in places:
                kinds[place & 0xFF] = Parameter("ptr", "swiftasync")
                if place >> 8:
                    kinds[place >> 8] = Parameter("ptr", "swiftself")
        return Header("", False, self.header.convention, Parameter("void"), tuple(kinds))

    def arguments(self) -> list[Any]:
        values = super().arguments()
        size = self._size()
        context = self.world.memory.allocate("context", size, 16)
        caller, self._over = self.world.memory.allocate_scratch_memory(), self._root()
        self.world.write(context, (caller.to_bytes(8, "little") + self._over.to_bytes(8, "little"))[:size])
        values[self.entry["context"]] = self._context = context
        return values

    def _set_next_from_last_call_and_log(self) -> None:
        """Find the next continuation in the last external call."""
        memory = self.world.memory
        pointers = [value for kind, value in self.world.pop_arguments_of_last_call() if isinstance(kind, Pointer) and value]
        inside = [value for value in pointers if memory.contains(value)]
        outside = [value for value in pointers if not memory.contains(value)]
        self._others = inside
        self._next = (outside[0], inside[0] if inside else self._context) if outside else None
        for place in inside if not outside else ():
            word = (
                int.from_bytes(ctypes.string_at(place + 8, 8), "little") if memory.is_start_of_live_block_or_scratch(place) else 0
            )
            if word and word != self._over and not memory.contains(word):
                self._next = (word, place)
                break
        self.world.log_event("suspended" if self._next else "over")

    def _resume_arguments(self, context: int) -> list[Any]:
        """Return the arguments of the continuation: its context at the position of the suspend, and the values that were
        passed.
        """
        rest = iter([value for value in self._others if value != context])
        places = {place & 0xFF for place in self.entry["places"]}
        kinds = [parameter.type for parameter in self._part.parameters]
        return [context if i in places else next(rest, 0) if isinstance(kind, Pointer) else 0 for i, kind in enumerate(kinds)]

    def start_and_run_schedule(self, schedule: Sequence[str]) -> None:
        self.start()
        self._set_next_from_last_call_and_log()
        for step in schedule:
            if self._next is None:
                self.world.log_event("skipped", step, "the coroutine has ended")
                continue
            self.world.log_event(step)
            (code, context), self._next = self._next, None
            self._goes_on(code, *self._resume_arguments(context))
            self._set_next_from_last_call_and_log()
            self.world.memory.log_stray_writes()
        self.world.memory.free("context", self._context)


DRIVERS: dict[str, type[Driver]] = {"call": Driver, "switch": Switch, "retcon": Retcon, "retcon.once": RetconOnce, "async": Async}
"""Drivers by ABI name. A new ABI needs a new entry."""


def supported_steps(abi: str) -> tuple[str, ...]:
    """Return the steps that schedules of the ABI support."""
    return DRIVERS[abi].steps
