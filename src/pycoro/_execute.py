"""The oracle's other side: a process that forks a child for each job, which lowers and compiles a module, and forks
again for each schedule to run.

Jobs come as lines of JSON on stdin; for each there is one line to stdout, a list with an answer for every schedule.
Whatever a child does (crash, abort, loop), its answer says so: who forks it never touches what it touches.
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
import zlib
from collections.abc import Callable, Sequence
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

    def __init__(self, log: Callable[..., None], alignment: int) -> None:
        self._log = log
        self._alignment = alignment
        self._map = mmap.mmap(-1, _ARENA, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
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
        align = max(align, self._alignment)
        offset = self._take(size + align, 2 * align) + align  # aligned to what is promised, and to no more
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
        self._memory = Memory(self.log, job["alignment"])
        self._counts: dict[str, int] = {}

    def log(self, *event: object) -> None:
        self._events += 1
        _write(self._file, "event", *event)
        if self._events >= self._job["events"]:
            self.finish("stopped", f"after {self._events} events")

    def finish(self, how: str, why: str = "") -> NoReturn:
        _write(self._file, "end", how, why)
        os._exit(0)

    def redirect(self, file: int) -> None:
        self._file = file

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
            address = memory.allocate(name, size, (sizes[0] if first else sizes[-1]) if aligned else 1)
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

    def compile(self) -> Callable[[Sequence[str]], NoReturn]:
        """What runs a schedule. It may be called once, so each schedule needs a fork; it never returns."""
        module = self._lower()
        engine = self._engine(module)
        try:
            function = engine[self._job["ramp"]]
        except (Error, KeyError) as error:
            self.finish("unsupported", f"@{self._job['ramp']}: {error}")

        def run(schedule: Sequence[str]) -> NoReturn:
            args = [args if not isinstance(args, str) else self._memory.scratch() for args in self._job["args"]]
            if schedule:
                handle = function.start(*args, promise=self._job["promise"])
                self.log("started", self._memory.name(handle.address))
                for step in schedule:
                    self._step(handle, step)
            else:
                result = function.call(*args)
                pointer = function.type.startswith("ptr")
                self.log("returned", self._memory.name(result) if pointer else self._value(None, result))
            self._memory.check()
            engine.close()
            self.log("left", *self._memory.leaked())
            self.finish("finished")

        return run


def _write(file: int, *item: object) -> None:
    os.write(file, json.dumps(item).encode() + b"\n")


def _forked(work: Callable[[int], object], timeout: float, where: str) -> dict[str, Any]:
    """What the work writes to the file it is given, in a child. What it leaves open is how the child ended."""
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        signal.alarm(math.ceil(timeout))
        try:
            work(sink)
        except BaseException as error:
            _write(sink, "end", "failed", f"{type(error).__name__}: {error}")
        os._exit(1)
    os.close(sink)
    with open(source, "rb") as file:
        lines = [json.loads(line) for line in file.read().splitlines() if line.endswith(b"]")]
    status = os.waitpid(child, 0)[1]
    end = next((line[1:] for line in lines if line[0] == "end"), None)
    if end is None:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        name = signal.Signals(number).name if number else f"exit status {os.waitstatus_to_exitcode(status)}"
        end = ["timeout", where] if number == signal.SIGALRM else ["crashed", f"{name} {where}"]
    return {
        "events": [line[1:] for line in lines if line[0] == "event"],
        "answers": [line[1] for line in lines if line[0] == "answer"],
        "how": end[0],
        "why": end[1],
    }


def _do(job: dict[str, Any]) -> list[dict[str, Any]]:
    """An answer for each schedule. Where lowering or compiling failed, that is the answer to all of them."""

    def compile_and_run(file: int) -> None:
        null = os.open(os.devnull, os.O_RDWR)  # what compiled code prints must not reach the answers
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        child = Child(job, file)
        run = child.compile()
        for schedule in job["schedules"]:

            def work(sink: int, schedule: Sequence[str] = schedule) -> None:
                child.redirect(sink)
                run(schedule)

            signal.alarm(0)  # each run has an alarm of its own
            _write(file, "answer", _forked(work, job["timeout"], "while it ran"))
        child.finish("finished")

    done = _forked(compile_and_run, job["timeout"], "while it was lowered")
    answers: list[dict[str, Any]] = done["answers"]
    if done["how"] != "finished":
        answers += [done] * (len(job["schedules"]) - len(answers))
    for answer in answers:
        answer["events"] = done["events"] + answer["events"] if answer is not done else done["events"]
        answer.pop("answers", None)
    return answers


def serve() -> None:
    Engine().close()  # what is set up once is set up before the forks
    for line in sys.stdin.buffer:
        answer = _do(json.loads(line))
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve()
