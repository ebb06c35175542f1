"""The oracle's other side: a process that forks a child for each job, which lowers a module, runs it, writes a trace.

Jobs come as lines of JSON on stdin, answers go as lines of JSON to stdout. Whatever a child does (crash, abort, loop),
the answer says so: the process that forks it never touches the module.
"""

from __future__ import annotations

import ctypes
import json
import math
import mmap
import os
import re
import signal
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any, NoReturn

from pycoro._lltype import Float, Int, Pointer, Signature, parse_signature
from pycoro.engine import CoroutineError, Engine, Handle
from pycoro.errors import Error, RejectedError
from pycoro.module import Module

_ALLOCATOR = re.compile(r"^(?!.*de_?alloc).*alloc|^_Zn[wa]", re.IGNORECASE)
_DEALLOCATOR = re.compile(r"free|de_?alloc|^_Zd[la]", re.IGNORECASE)
_ARENA = 64 << 20
_RED = 64  # bytes of red zone on either side of a block
_SCRATCH = 4096  # bytes behind a pointer that an undefined function gives
_CANARY, _FRESH, _DEAD = 0xA5, 0xCD, 0xDD


class Memory:
    """Blocks that are never used twice, with red zones: counts, double frees, leaks and stray writes are seen."""

    def __init__(self, log: Callable[..., None]) -> None:
        self._log = log
        self._map = mmap.mmap(-1, _ARENA)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._next = 4096
        self._blocks: list[tuple[int, int]] = []  # offset, size
        self._live: set[int] = set()
        self._told: set[int] = set()
        self._scratch: list[int] = []
        self._noop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)

    def _take(self, size: int, align: int) -> int:
        start = -(-(self._next + _RED) // align) * align
        self._next = start + size + _RED
        if self._next + 4096 > _ARENA:
            raise MemoryError("the program allocates more than the oracle gives")
        return start

    def _fill(self, offset: int, size: int, byte: int) -> None:
        self._map[offset : offset + size] = bytes([byte]) * size

    def allocate(self, name: str, size: int, align: int) -> int:
        offset = self._take(size, max(align, 256))  # generous: malloc's own alignment is not what is compared
        self._fill(offset - _RED, _RED, _CANARY)
        self._fill(offset, size, _FRESH)
        self._fill(offset + size, _RED, _CANARY)
        self._live.add(len(self._blocks))
        self._log("allocate", name, f"block {len(self._blocks)}")
        self._blocks.append((offset, size))
        return self._base + offset

    def free(self, name: str, address: int) -> None:
        block = next((i for i, (offset, _) in enumerate(self._blocks) if self._base + offset == address), None)
        if block is None:
            self._log("free", name, "null" if not address else "what was not allocated")
        elif block not in self._live:
            self._log("free", name, f"block {block} a second time")
        else:
            self._log("free", name, f"block {block}")
            self.check()
            self._live.discard(block)
            self._fill(*self._blocks[block], _DEAD)

    def check(self) -> None:
        """Logs what was written where it must not be; each block once."""
        for block, (offset, size) in enumerate(self._blocks):
            outside = self._map[offset - _RED : offset] + self._map[offset + size : offset + size + _RED]
            if block not in self._told and outside.count(_CANARY) != 2 * _RED:
                self._told.add(block)
                self._log("stray write", f"outside of block {block}")
            inside = self._map[offset : offset + size]
            if block not in self._live and block not in self._told and inside.count(_DEAD) != size:
                self._told.add(block)
                self._log("stray write", f"into block {block} after it was freed")

    def leaked(self) -> list[str]:
        return [f"block {block}" for block in sorted(self._live)]

    def scratch(self) -> int:
        """Zeroed memory for an undefined function to give; as a handle it is a coroutine that does nothing."""
        offset = self._take(_SCRATCH, 256)
        noop = ctypes.cast(self._noop, ctypes.c_void_p).value or 0
        self._map[offset : offset + 16] = noop.to_bytes(8, sys.byteorder) * 2
        self._scratch.append(offset)
        return self._base + offset

    def name(self, address: int) -> str:
        """What a pointer points at, as far as it is the same in every correct lowering."""
        if not address:
            return "null"
        for block, (offset, _) in enumerate(self._blocks):
            if self._base + offset == address:
                return f"block {block}"
        for number, offset in enumerate(self._scratch):
            if offset <= address - self._base < offset + _SCRATCH:
                return f"scratch {number}+{address - self._base - offset}"
        return "pointer"


class Child:
    """One job, in a process of its own."""

    def __init__(self, job: dict[str, Any], file: int) -> None:
        self._job = job
        self._file = file
        self._events = 0
        self._memory = Memory(self.log)
        self._counts: dict[str, int] = {}

    def _write(self, *item: object) -> None:
        os.write(self._file, json.dumps(item).encode() + b"\n")

    def log(self, *event: object) -> None:
        self._events += 1
        self._write("event", *event)
        if self._events >= self._job["events"]:
            self.finish("stopped", f"after {self._events} events")

    def finish(self, how: str, why: str = "") -> NoReturn:
        self._write("end", how, why)
        os._exit(0)

    # ---- undefined functions ----

    def _value(self, kind: object, value: Any) -> object:
        if isinstance(kind, Pointer):
            return self._memory.name(value)
        return "nan" if isinstance(value, float) and math.isnan(value) else value

    def _answer(self, name: str, signature: Signature) -> Any:
        """What an undefined function gives: the job's values, then small ones that look arbitrary but are the same."""
        count = self._counts[name] = self._counts.get(name, -1) + 1
        given = self._job["returns"].get(name, ())
        if count < len(given):
            return given[count]
        kind = signature.result
        drawn = zlib.crc32(f"{name}:{count}".encode()) >> 7
        if isinstance(kind, Pointer):
            return self._memory.scratch()
        if isinstance(kind, Float):
            return drawn % 64 / 4
        return drawn % min(100, 1 << (kind.bits - 1 or 1)) if isinstance(kind, Int) else None

    def _recorder(self, name: str, signature: Signature) -> Callable[..., Any]:
        kinds = signature.parameters
        memory, numbers = self._memory, [i for i, kind in enumerate(kinds) if isinstance(kind, Int)]

        def allocate(*args: Any) -> int:
            sizes = [args[i] for i in numbers]
            aligned = "align" in name
            first = name == "aligned_alloc"
            size = math.prod(sizes) if name == "calloc" else sizes[-1] if first else sizes[0]
            address = memory.allocate(name, size, (sizes[0] if first else sizes[-1]) if aligned else 16)
            if name == "calloc":
                ctypes.memset(address, 0, size)
            return address

        def free(*args: Any) -> Any:
            memory.free(name, args[0])
            return self._answer(name, signature) if signature.returns else None

        def record(*args: Any) -> Any:
            self.log("call", name, *(self._value(kind, arg) for kind, arg in zip(kinds, args, strict=True)))
            return self._answer(name, signature) if signature.returns else None

        if _ALLOCATOR.search(name) and isinstance(signature.result, Pointer) and numbers:
            return allocate
        return free if _DEALLOCATOR.search(name) and kinds and isinstance(kinds[0], Pointer) else record

    # ---- the run ----

    def _lower(self) -> Module:
        try:
            module = Module(self._job["ir"])
        except Error as error:
            self.finish("broken", str(error))
        if self._job["passes"]:
            try:
                module.run(self._job["passes"])
                module.verify()
            except RejectedError as error:
                self.finish("rejected", str(error))
            except Error as error:
                self.finish("broken", str(error))
        return module

    def _engine(self, module: Module) -> Engine:
        undefined = {f.name: f.type for f in module.functions.values() if f.declaration and not f.intrinsic}
        recorders = {}
        for name, text in undefined.items():
            signature = parse_signature(text)
            if not signature.unsupported():
                recorders[name] = self._recorder(name, signature)
        try:
            return Engine(module, externals=recorders, deallocators=filter(_DEALLOCATOR.search, undefined))
        except RejectedError as error:
            self.finish("broken", str(error))
        except Error as error:
            self.finish("unsupported", str(error))

    def _step(self, handle: Handle, step: str) -> None:
        if step == "done":
            self.log("done", handle.done)
            return
        try:
            if step == "promise":
                self.log("promise", handle.promise)
            else:
                self.log(step)
                getattr(handle, step)()
        except CoroutineError as error:
            self.log("refused", step, error.message)
        self._memory.check()

    def run(self) -> NoReturn:
        module = self._lower()
        with self._engine(module) as engine:
            self._write("running")
            job = self._job
            args = [args if not isinstance(args, str) else self._memory.scratch() for args in job["args"]]
            try:
                function = engine[job["ramp"]]
            except Error as error:
                self.finish("unsupported", str(error))
            if job["schedule"]:
                handle = function.start(*args, promise=job["promise"])
                self.log("started", self._memory.name(handle.address))
                for step in job["schedule"]:
                    self._step(handle, step)
            else:
                result = function.call(*args)
                pointer = function.type.startswith("ptr")
                self.log("returned", self._memory.name(result) if pointer else self._value(None, result))
            self._memory.check()
            self.log("left", *self._memory.leaked())
        self.finish("finished")


def _child(job: dict[str, Any], file: int) -> NoReturn:
    """In the child: nothing that it or compiled code prints may reach the answers."""
    signal.alarm(math.ceil(job["timeout"]))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    try:
        Child(job, file).run()
    except BaseException as error:
        os.write(file, json.dumps(("end", "failed", f"{type(error).__name__}: {error}")).encode() + b"\n")
    os._exit(1)


def _answer(data: bytes, status: int, seconds: float) -> dict[str, Any]:
    lines = [json.loads(line) for line in data.splitlines() if line.endswith(b"]")]
    events = [line[1:] for line in lines if line[0] == "event"]
    end = next((line[1:] for line in lines if line[0] == "end"), None)
    if end is None:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        name = signal.Signals(number).name if number else f"exit status {os.waitstatus_to_exitcode(status)}"
        place = "while it ran" if ["running"] in lines else "while it was lowered"
        end = ["timeout", place] if number == signal.SIGALRM else ["crashed", f"{name} {place}"]
    return {"events": events, "how": end[0], "why": end[1], "seconds": seconds}


def _do(job: dict[str, Any]) -> dict[str, Any]:
    source, sink = os.pipe()
    start = time.monotonic()
    child = os.fork()
    if not child:
        os.close(source)
        _child(job, sink)
    os.close(sink)
    with open(source, "rb") as file:
        data = file.read()
    _, status = os.waitpid(child, 0)
    return _answer(data, status, time.monotonic() - start)


def serve() -> None:
    Engine().close()  # what is set up once is set up before the forks
    for line in sys.stdin.buffer:
        answer = _do(json.loads(line))
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve()
