"""Drivers: what calls a coroutine of each ABI and goes on with it. A table, with one class for each.

A driver gives the IR of the ways in that it needs, and runs schedules by them. Its events are the same for every
correct lowering.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from pycoro._lltype import Aggregate, Float, Int, Type
from pycoro.errors import UsageError
from pycoro.handle import promise_of
from pycoro.oracle._headers import Header, Parameter
from pycoro.oracle._memory import Memory
from pycoro.oracle._recorders import shown
from pycoro.oracle._world import Slots, way_in

__all__ = ["DRIVERS", "Driver", "World", "steps_of"]


class World(Protocol):
    """What a driver finds around it."""

    @property
    def memory(self) -> Memory: ...

    @property
    def headers(self) -> Mapping[str, Header]: ...

    def log(self, *event: object) -> None: ...

    def read(self, kind: Type, address: int) -> Any:
        """The value of that type in the program's memory."""

    def enter(self, name: str, slots: Slots, values: Sequence[Any], results: Slots) -> list[Any]:
        """Calls the way in of that name."""


class Driver:
    """Calls one function. The base of the others: they begin with that, too."""

    steps: ClassVar[tuple[str, ...]] = ()
    """What a schedule may hold."""

    def __init__(self, world: World, entry: Mapping[str, Any], number: int) -> None:
        self.world = world
        self.entry = entry
        header = world.headers.get(entry["ramp"])
        if header is None or header.declaration:
            raise UsageError(f"@{entry['ramp']}: the module defines no such function")
        if len(header.parameters) != len(entry["args"]):
            raise UsageError(f"@{entry['ramp']} takes {len(header.parameters)} arguments, not {len(entry['args'])}")
        self.header = header
        self.ways: dict[str, str] = {}
        self._start = self.way(f"pycoro.start.{number}", header)

    def way(self, name: str, header: Header, callee: str = "") -> Callable[..., list[Any]]:
        """A way in as a callable; its IR goes to ``ways``, where equal names are one."""
        self.ways[name], slots, results = way_in(name, header, callee)
        return lambda *values: self.world.enter(name, slots, values, results)

    def shown(self, kinds: Sequence[Type | None], values: Sequence[Any]) -> list[Any]:
        return [shown(self.world.memory, kind, value) for kind, value in zip(kinds, values, strict=True)]

    def arguments(self) -> list[Any]:
        """The entry's, with memory behind those that are strings."""
        scratch = self.world.memory.scratch
        return [scratch() if isinstance(arg, str) else arg for arg in self.entry["args"]]

    def start(self) -> list[Any]:
        """Calls the function with the entry's arguments."""
        return self._start(*self.arguments())

    def run(self, schedule: Sequence[str]) -> None:
        """One run, from the start to the end of the schedule."""
        results = self.start()
        values = self.shown([self.header.result.type], results) if self.header.returns else [None]
        self.world.log("returned", *values)


class Switch(Driver):
    """The switched-resume ABI: the ramp gives a handle, whose first words are the ways to resume and to destroy it."""

    steps = ("resume", "destroy", "done", "promise")

    def __init__(self, world: World, entry: Mapping[str, Any], number: int) -> None:
        super().__init__(world, entry, number)
        if self.header.result.text != "ptr":
            raise UsageError(f"@{entry['ramp']} gives {self.header.result.text}, which is no handle")
        part = Header("", False, "fastcc", Parameter("void"), (Parameter("ptr"),))
        self._call = self.way("pycoro.switch", part, callee="of the frame")
        self._promise = promise_of(entry["promise"]) if entry["promise"] else None
        self._handle, self._over = 0, False

    def _slot(self, number: int) -> int:
        return ctypes.c_size_t.from_address(self._handle + number * ctypes.sizeof(ctypes.c_size_t)).value

    def run(self, schedule: Sequence[str]) -> None:
        self._over = False
        (self._handle,) = self.start()
        self.world.log("started", self.world.memory.name(self._handle))
        for step in schedule if self._handle else ():
            self._step(step)
            self.world.memory.check()

    def _step(self, step: str) -> None:
        gone = self._over or self.world.memory.gone(self._handle)
        done = gone or not self._slot(0)
        if step == "done":
            self.world.log("done", done)
        elif gone or (step == "resume" and done):
            self.world.log("refused", step, "the frame is gone" if gone else "the coroutine is done")
        elif step == "promise":
            self.world.log("promise", self._value())
        else:
            self.world.log(step)
            self._over = step == "destroy"
            self._call(self._slot(self._over), self._handle)

    def _value(self) -> Any:
        if self._promise is None:
            raise UsageError("the type of the promise is not known; give it, as in promise='i32'")
        kind, offset = self._promise
        return shown(self.world.memory, kind, self.world.read(kind, self._handle + offset))


class Retcon(Driver):
    """The returned-continuation ABI: each part gives the next one, in a struct with what is yielded, or null in the end.

    ``resume`` goes on normally, ``abort`` abnormally; the continuation's first parameter of at most 8 bits is the flag that
    says so. Values after the word are passed as the other parameters, else zeros.
    """

    steps = ("resume", "abort")
    once: ClassVar[bool] = False

    def __init__(self, world: World, entry: Mapping[str, Any], number: int) -> None:
        super().__init__(world, entry, number)
        prototype = world.headers.get(entry["prototype"])
        if prototype is None:
            raise UsageError(f"@{entry['ramp']}: the prototype @{entry['prototype']} of its continuations is not in the module")
        if not isinstance(entry["buffer"], int):
            raise UsageError(f"@{entry['ramp']}: its buffer is no parameter of it")
        self._part = prototype
        self._continue = self.way(f"pycoro.continue.{number}", prototype, callee="the continuation")
        self._next = 0

    def _given(self, step: str) -> list[Any]:
        """What the continuation is passed after the buffer: the flag, if there is one, says which way to go on."""
        word, *values = step.split()
        kinds = [parameter.type for parameter in self._part.parameters[1:]]
        flag = next((i for i, kind in enumerate(kinds) if isinstance(kind, Int) and kind.bits <= 8), None)
        values = values or ["0"] * (len(kinds) - (flag is not None))
        if flag is not None:
            values.insert(flag, str(int(word == "abort")))
        return [float(v) if isinstance(k, Float) else int(v) for k, v in zip(kinds, values, strict=True)]

    def _take(self, header: Header, results: Sequence[Any]) -> None:
        """Learns the next continuation from what a part gave, and tells what it yielded."""
        first, yielded = (results[0], ()) if not isinstance(results[0], tuple) else (results[0][0], results[0][1:])
        self._next = first
        if not first:
            self.world.log("over")
            return
        kind = header.result.type
        kinds = kind.elements[1:] if isinstance(kind, Aggregate) else ()
        self.world.log("yield", *self.shown(kinds, yielded))

    def run(self, schedule: Sequence[str]) -> None:
        arguments = self.arguments()
        self._take(self.header, self._start(*arguments))
        for step in schedule:
            if not self._next:
                self.world.log("refused", step, "the coroutine is over")
                continue
            self.world.log(step)
            results = self._continue(self._next, arguments[self.entry["buffer"]], *self._given(step))
            self._ended(results) if self.once else self._take(self._part, results)
            self.world.memory.check()

    def _ended(self, results: Sequence[Any]) -> None:
        self._next = 0
        kinds = [self._part.result.type] if self._part.returns else []
        self.world.log("returned", *self.shown(kinds, results))


class RetconOnce(Retcon):
    """The same with one continuation, which gives what the coroutine returns."""

    once = True


DRIVERS: dict[str, type[Driver]] = {"call": Driver, "switch": Switch, "retcon": Retcon, "retcon.once": RetconOnce}
"""By the name of the ABI. Another ABI is another entry."""


def steps_of(abi: str) -> tuple[str, ...]:
    """The steps that schedules of the ABI may hold."""
    return DRIVERS[abi].steps
