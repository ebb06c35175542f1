"""Adds generators to a frontend that emits IR with llvmlite: it emits the suspends, and pycoro lowers them.

python generators.py 10      prints a polynomial's values, from a generator, and their sum, from a function that consumes it
"""

# llvmlite has no type annotations:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUntypedBaseClass=false

from __future__ import annotations

import sys
from collections import abc
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from llvmlite import ir  # type: ignore[import-untyped]

import pycoro
from pycoro.ir import Builder

Llvmlite: TypeAlias = Any

I1, I8, I32, I64, POINTER, VOID = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.PointerType(), ir.VoidType()
NULL: Llvmlite = ir.Constant(POINTER, None)


class Token(ir.types.Type):  # type: ignore[misc]
    """LLVM's token type, which coroutine intrinsics use. llvmlite lacks it, but only needs its spelling."""

    def _to_string(self) -> str:
        return "token"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token)

    def __hash__(self) -> int:
        return hash(Token)

    def format_constant(self, value: object) -> str:
        return "none"


NONE: Llvmlite = ir.Constant(Token(), None)
FUNCTIONS: dict[str, tuple[Llvmlite, list[Llvmlite]]] = {
    "llvm.coro.id": (Token(), [I32, POINTER, POINTER, POINTER]),
    "llvm.coro.alloc": (I1, [Token()]),
    "llvm.coro.size.i64": (I64, []),
    "llvm.coro.begin": (POINTER, [Token(), POINTER]),
    "llvm.coro.suspend": (I8, [Token(), I1]),
    "llvm.coro.free": (POINTER, [Token(), POINTER]),
    "llvm.coro.end": (VOID, [POINTER, I1, Token()]),
    "llvm.coro.resume": (VOID, [POINTER]),
    "llvm.coro.destroy": (VOID, [POINTER]),
    "llvm.coro.done": (I1, [POINTER]),
    "llvm.coro.promise": (POINTER, [POINTER, I32, I1]),
    "malloc": (POINTER, [I64]),
    "free": (VOID, [POINTER]),
}


def call(build: Llvmlite, name: str, *arguments: Llvmlite) -> Llvmlite:
    """Emit a call of one of these functions, and declare it if necessary."""
    module, (result, kinds) = build.module, FUNCTIONS[name]
    known = module.globals.get(name) or ir.Function(module, ir.FunctionType(result, kinds), name=name)
    return build.call(known, arguments)


class Generator:
    """An llvmlite function that yields; ``build`` is the builder of its body."""

    def __init__(self, module: Llvmlite, name: str, parameters: Sequence[Llvmlite], yields: Llvmlite) -> None:
        self.function: Llvmlite = ir.Function(module, ir.FunctionType(POINTER, parameters), name=name)
        entry, allocate, begin, self._cleanup, self._out = (
            self.function.append_basic_block(block) for block in ("entry", "allocate", "begin", "cleanup", "out")
        )
        build = self.build = ir.IRBuilder(entry)
        self._promise = build.alloca(yields, name="promise")
        self._id = call(build, "llvm.coro.id", ir.Constant(I32, 0), self._promise, NULL, NULL)
        build.cbranch(call(build, "llvm.coro.alloc", self._id), allocate, begin)
        build.position_at_end(allocate)
        memory = call(build, "malloc", call(build, "llvm.coro.size.i64"))
        build.branch(begin)
        build.position_at_end(begin)
        place = build.phi(POINTER)
        place.add_incoming(NULL, entry)
        place.add_incoming(memory, allocate)
        self._handle = call(build, "llvm.coro.begin", self._id, place)

    def yield_(self, value: Llvmlite) -> None:
        """Emit a yield: store the value to the promise and suspend. The builder continues after the suspend."""
        self.build.store(value, self._promise)
        self._suspend(self.function.append_basic_block("resumed"), final=False)

    def _suspend(self, on: Llvmlite, *, final: bool) -> None:
        """Emit a suspend that continues in the block ``on``, which is unreachable after the final suspend."""
        what = self.build.switch(call(self.build, "llvm.coro.suspend", NONE, ir.Constant(I1, final)), self._out)
        what.add_case(ir.Constant(I8, 0), on)
        what.add_case(ir.Constant(I8, 1), self._cleanup)
        self.build.position_at_end(on)

    def end(self) -> None:
        """Emit the final suspend, the cleanup and the end of the coroutine."""
        build = self.build
        self._suspend(self.function.append_basic_block("never"), final=True)
        build.unreachable()
        build.position_at_end(self._cleanup)
        memory = call(build, "llvm.coro.free", self._id, self._handle)
        free = self.function.append_basic_block("free")
        build.cbranch(build.icmp_unsigned("==", memory, NULL), self._out, free)
        build.position_at_end(free)
        call(build, "free", memory)
        build.branch(self._out)
        build.position_at_end(self._out)
        call(build, "llvm.coro.end", self._handle, ir.Constant(I1, 0), NONE)
        build.ret(self._handle)


@contextmanager
def counted(build: Llvmlite, function: Llvmlite, count: Llvmlite) -> abc.Generator[Llvmlite, None, None]:
    """Emit a typical frontend's loop from 0 up to a count."""
    head, body, behind = (function.append_basic_block(name) for name in ("head", "body", "behind"))
    with build.goto_entry_block():
        place = build.alloca(I64, name="n")
    build.store(ir.Constant(I64, 0), place)
    build.branch(head)
    build.position_at_end(head)
    n = build.load(place, typ=I64)
    build.cbranch(build.icmp_signed("<", n, count), body, behind)
    build.position_at_end(body)
    yield n
    build.store(build.add(n, ir.Constant(I64, 1)), place)
    build.branch(head)
    build.position_at_end(behind)


def emit(coefficients: Sequence[int]) -> Llvmlite:
    """Build a module with a polynomial ``@at``, a generator ``@values`` of its values at 0, 1, 2 ..., and its consumer ``@sum``."""
    module = ir.Module(name="polynomial")
    at: Llvmlite = ir.Function(module, ir.FunctionType(I64, [I64]), name="at")
    build = ir.IRBuilder(at.append_basic_block("entry"))
    total: Llvmlite = ir.Constant(I64, 0)
    for coefficient in reversed(coefficients):
        total = build.add(build.mul(total, at.args[0]), ir.Constant(I64, coefficient))
    build.ret(total)

    values = Generator(module, "values", [I64], yields=I64)
    with counted(values.build, values.function, values.function.args[0]) as n:
        values.yield_(values.build.call(at, [n]))
    values.end()

    consume: Llvmlite = ir.Function(module, ir.FunctionType(I64, [I64]), name="sum")
    build = ir.IRBuilder(consume.append_basic_block("entry"))
    place = build.alloca(I64)
    build.store(ir.Constant(I64, 0), place)
    handle = build.call(values.function, [consume.args[0]])
    head, body, behind = (consume.append_basic_block(name) for name in ("head", "body", "behind"))
    build.branch(head)
    build.position_at_end(head)
    build.cbranch(call(build, "llvm.coro.done", handle), behind, body)
    build.position_at_end(body)
    promise = call(build, "llvm.coro.promise", handle, ir.Constant(I32, 8), ir.Constant(I1, 0))
    build.store(build.add(build.load(place, typ=I64), build.load(promise, typ=I64)), place)
    call(build, "llvm.coro.resume", handle)
    build.branch(head)
    build.position_at_end(behind)
    call(build, "llvm.coro.destroy", handle)
    build.ret(build.load(place, typ=I64))
    return module


def compiled(module: Llvmlite, *generators: str, passes: str = "default<O2>") -> pycoro.Report:
    """Lower llvmlite's module. Adds the attribute presplitcoroutine, which llvmlite does not support."""
    read = pycoro.Module(module, host=True)
    for name in generators:
        Builder(read).add_attribute(read.functions[name], "presplitcoroutine")
    return read.run(passes)


def main() -> None:
    count = int(sys.argv[1])
    report = compiled(emit([1, 0, 3]), "values")
    with pycoro.Engine(report) as engine:
        with engine.start("values", count) as values:
            print(*values)
        print(engine.call("sum", count))


if __name__ == "__main__":
    main()
