"""Random valid and invalid calls of Builder methods, with arguments drawn from all existing objects.

`python tests/api/builder_attack.py SEED CALLS` makes one run. A call may raise only pycoro.Error, TypeError or OverflowError.
Whatever was built must print, and a module that verifies must survive a round trip through text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pycoro
from pycoro.ir import Builder

SEEDS = """
%pair = type { i8, i64 }
%opaque = type opaque
@g = global i32 7
@table = constant [2 x ptr] [ptr @g, ptr @f]
@elsewhere = external global %opaque
@a = alias i32, ptr @g

declare void @sink(i32)
declare i32 @variadic(ptr, ...)
declare i32 @__gxx_personality_v0(...)

define i32 @f(i32 %x, ptr %p, double %d, <4 x i32> %v, { i32, [2 x i64] } %s) {
entry:
  %c = icmp eq i32 %x, 0
  br i1 %c, label %one, label %two
one:
  %y = add i32 %x, 1
  br label %join
two:
  %z = load i32, ptr %p
  call void @sink(i32 %z)
  br label %join
join:
  %m = phi i32 [ %y, %one ], [ %z, %two ]
  switch i32 %m, label %entered [ i32 1, label %other ]
other:
  br label %entered
entered:
  ret i32 %m
}

define void @h(i1 %b, ptr %q) personality ptr @__gxx_personality_v0 {
  invoke void @sink(i32 1) to label %fine unwind label %thrown
fine:
  ret void
thrown:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}

define ptr @coroutine(i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %h = call ptr @llvm.coro.begin(token %id, ptr null)
  ret ptr %h
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
"""

# fmt: off
TYPES = [
    "i1", "i8", "i32", "i64", "i128", "i65537", "i8388608", "half", "double", "x86_fp80", "ppc_fp128", "ptr",
    "ptr addrspace(3)", "{ i32, [2 x i64] }", "<4 x i32>", "<4 x i1>", "<4 x ptr>", "<vscale x 4 x i32>", "[2 x i8]", "{}",
    "%pair", "%opaque", "<65537 x i8>", "[18446744073709551615 x i8]", "void", "token", "label", "metadata", "x86_amx",
    "void ()", "i32 (i32)", "i32 (ptr, ...)",
]
INTRINSICS = [
    "llvm.umax.i32", "llvm.umax", "llvm.coro.size.i64", "llvm.coro.size", "llvm.coro.id", "llvm.coro.suspend",
    "llvm.coro.begin", "llvm.coro.end", "llvm.coro.suspend.async",
    "llvm.coro.end.results", "llvm.coro.suspend.retcon.i1", "llvm.coro.suspend.retcon", "llvm.memcpy.p0.p0.i64",
    "llvm.memset.p0.i64", "llvm.sadd.with.overflow.i32", "llvm.ctpop", "llvm.trap", "llvm.va_start.p0",
    "llvm.experimental.gc.statepoint.p0", "llvm.none", "llvm.vector.reduce.add.v4i32", "llvm.masked.load.v4i32.p0",
    "llvm.assume", "llvm.read_register.i64", "llvm.ssa.copy.i32", "llvm.dbg.value", "llvm.lifetime.start.p0",
    "llvm.launder.invariant.group.p0", "llvm.objectsize.i64.p0", "llvm.is.constant.i32",
]
OPCODES = [
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor", "fadd", "fsub", "fmul",
    "fdiv", "frem",
]
CASTS = [
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint", "inttoptr", "bitcast",
    "addrspacecast",
]
ATTRIBUTES = [
    "noundef", "align 8", "align 3", "nounwind", "presplitcoroutine", '"k"="v"', "byval(i32)", "byval(%pair)", "nothing", "}",
    "", "dereferenceable(8)", "memory(none)", "range(i32 0, 5)", "signext", 'section "x"', "nofpclass(nan)",
    "initializes((0, 4))",
]
# fmt: on


class Attack:
    """One module, with every object that a call has returned."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.module = pycoro.Module(SEEDS, trusted=True)
        self.other = pycoro.Module(SEEDS, trusted=True)
        self.build = Builder(self.module)
        self.values: list[Any] = []
        self.blocks: list[Any] = []
        self.functions: list[Any] = []
        self.gather()
        foreign = self.other.functions["f"]
        self.foreign = [foreign, foreign.blocks[0], foreign.arguments[0], *foreign.walk()]
        self.done: list[str] = []

    def gather(self) -> None:
        self.functions = list(self.module.functions.values())
        for function in self.functions:
            self.blocks += function.blocks
            self.values += [function, *function.arguments, *function.walk()]
        for user in list(self.values)[:40]:
            self.values += [operand for operand in user.operands if not isinstance(operand, pycoro.ir.Block)]

    # ---- Arguments ----

    def a_type(self) -> Any:
        text = self.draw.choice(TYPES)
        if self.draw.random() < 0.5:
            return text
        with suppress(pycoro.UsageError):
            return self.module.types.parse(text)
        return self.other.types.i8

    def a_value(self, type: str = "") -> Any:
        odd = self.draw.random()
        if odd < 0.03:
            return self.draw.choice([3, None, "x", 1.5, b"ab", (1, 2), 1 << 70, -1, True, [None, 4]])
        if odd < 0.05:
            return self.draw.choice(self.foreign)
        if odd < 0.07:
            return self.draw.choice(self.blocks)
        if type and odd < 0.9:
            for _ in range(20):
                found = self.draw.choice(self.values)
                if not found.is_stale and str(found.type) == type:
                    return found
        return self.draw.choice(self.values)

    def a_block(self) -> Any:
        return self.a_value() if self.draw.random() < 0.03 else self.draw.choice(self.blocks)

    def a_function(self) -> Any:
        return self.a_value() if self.draw.random() < 0.03 else self.draw.choice(self.functions)

    def a_number(self) -> Any:
        return self.draw.choice([0, 0, 1, 1, 2, 3, 7, 8, 16, 64, 4096, -1, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 65536])

    def a_name(self) -> str:
        return self.draw.choice(["", "", "", "x", "entry", "g", "f", "llvm.x", "\0", "\ud800", "a b", "é", "x" * 5000])

    def several(self, make: Callable[[], Any], most: int = 4) -> list[Any]:
        return [make() for _ in range(self.draw.randint(0, most))]

    def like(self, value: Any) -> Any:
        """Return another value of the same type, usually."""
        try:
            return self.a_value(str(value.type))
        except Exception:
            return self.a_value()

    # ---- Calls ----

    def step(self) -> None:
        if self.draw.random() < 0.12 or self.build._where is None:
            self.move()
        names = [name for name in dir(self) if name.startswith("do_")]
        name = self.draw.choice(names)
        made = getattr(self, name)()
        if isinstance(made, pycoro.ir.Block):
            self.blocks.append(made)
        elif isinstance(made, pycoro.ir.Function):
            self.functions.append(made)
            self.values.append(made)
        elif isinstance(made, pycoro.ir.Value):
            self.values.append(made)
        self.done.append(name)

    def move(self) -> None:
        block = self.a_block()
        way = self.draw.randrange(5)
        if way == 0:
            self.build.at_end(block)
        elif way == 1:
            self.build.at_start(block)
        elif way == 2:
            self.build.before(self.a_value())
        elif way == 3:
            self.build.after(self.a_value())
        else:
            self.build.debug = self.draw.choice([None, (3, 4), self.a_value(), (1, 2, 3), "x", (-1, 0)])

    def do_binary(self) -> Any:
        left = self.a_value()
        flags = {flag: self.draw.random() < 0.05 for flag in ("nuw", "nsw", "exact", "disjoint", "fast")}
        return self.build.binary(self.draw.choice(OPCODES), left, self.like(left), name=self.a_name(), **flags)

    def do_unary(self) -> Any:
        return self.draw.choice([self.build.fneg, self.build.freeze, self.build.neg, self.build.not_])(self.a_value())

    def do_icmp(self) -> Any:
        left = self.a_value()
        return self.build.icmp(self.draw.choice(["eq", "ult", "sge", "oeq"]), left, self.like(left))  # type: ignore[arg-type]

    def do_fcmp(self) -> Any:
        left = self.a_value("double")
        return self.build.fcmp(self.draw.choice(["oeq", "ult", "true", "sge"]), left, self.like(left), fast=True)  # type: ignore[arg-type]

    def do_select(self) -> Any:
        first = self.a_value()
        return self.build.select(self.a_value("i1"), first, self.like(first))

    def do_cast(self) -> Any:
        return self.build.cast(self.draw.choice(CASTS), self.a_value(), self.a_type(), name=self.a_name())

    def do_alloca(self) -> Any:
        return self.build.alloca(
            self.a_type(), self.draw.choice([None, None, self.a_number(), self.a_value()]), align=self.a_number()
        )

    def do_load(self) -> Any:
        return self.build.load(self.a_type(), self.a_value("ptr"), align=self.a_number(), volatile=self.draw.random() < 0.1)

    def do_store(self) -> Any:
        return self.build.store(self.a_value(), self.a_value("ptr"), align=self.a_number())

    def do_gep(self) -> Any:
        indices = self.several(lambda: self.draw.choice([0, 1, self.a_value("i32"), self.a_number()]))
        return self.build.gep(self.a_type(), self.a_value("ptr"), indices, inbounds=self.draw.random() < 0.5)

    def do_extract_value(self) -> Any:
        return self.build.extract_value(self.a_value("{ i32, [2 x i64] }"), *self.several(self.a_number, 3))

    def do_insert_value(self) -> Any:
        aggregate = self.a_value("{ i32, [2 x i64] }")
        return self.build.insert_value(aggregate, self.draw.choice([self.a_value("i64"), 4]), *self.several(self.a_number, 3))

    def do_extract_element(self) -> Any:
        return self.build.extract_element(self.a_value("<4 x i32>"), self.draw.choice([0, 9, self.a_value("i32")]))

    def do_insert_element(self) -> Any:
        return self.build.insert_element(
            self.a_value("<4 x i32>"), self.a_value("i32"), self.draw.choice([0, 9, self.a_value("i32")])
        )

    def do_shuffle(self) -> Any:
        left = self.a_value("<4 x i32>")
        return self.build.shuffle(left, self.like(left), self.several(lambda: self.draw.choice([0, 3, 7, 8, -1, -2]), 6))

    def do_phi(self) -> Any:
        return self.build.phi(self.a_type(), [(self.a_value(), self.a_block()) for _ in range(self.draw.randint(0, 2))])

    def do_add_incoming(self) -> Any:
        phi = self.a_value()
        self.build.add_incoming(phi, self.like(phi), self.a_block())

    def do_call(self) -> Any:
        callee = self.draw.choice([self.a_function(), self.a_value("ptr")])
        wanted: list[Any] = []
        with suppress(Exception):
            wanted = [self.a_value(str(argument.type)) for argument in callee.arguments]
        if self.draw.random() < 0.2:
            wanted = self.several(self.a_value)
        type = self.a_type() if self.draw.random() < 0.2 else None
        tail = self.draw.choice(["", "tail", "musttail", "notail", "odd"])
        return self.build.call(callee, wanted, type=type, tail=tail, name=self.a_name(), fast=self.draw.random() < 0.1)  # type: ignore[arg-type]

    def do_invoke(self) -> Any:
        callee = self.a_function()
        wanted = []
        with suppress(Exception):
            wanted = [self.a_value(str(argument.type)) for argument in callee.arguments]
        return self.build.invoke(callee, wanted, self.a_block(), self.a_block())

    def do_landingpad(self) -> Any:
        return self.build.landingpad(self.a_type(), catch=self.several(lambda: self.a_value("ptr"), 2), cleanup=True)

    def an_ordering(self) -> Any:
        words = ["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst", "odd", ""]
        return self.draw.choice(["seq_cst", "monotonic", self.draw.choice(words)])

    def do_load_atomic(self) -> Any:
        return self.build.load_atomic(self.a_type(), self.a_value("ptr"), self.an_ordering(), align=self.a_number())

    def do_store_atomic(self) -> Any:
        return self.build.store_atomic(self.a_value(), self.a_value("ptr"), self.an_ordering(), align=self.a_number())

    def do_cmpxchg(self) -> Any:
        value = self.a_value()
        orders = self.an_ordering(), self.an_ordering()
        return self.build.cmpxchg(self.a_value("ptr"), value, self.like(value), *orders, align=self.a_number(), name=self.a_name())

    def do_atomicrmw(self) -> Any:
        word = self.draw.choice(["xchg", "add", "fadd", "nand", "umin", "uinc_wrap", "usub_sat", "fmaximum", "odd"])
        value = self.a_value(self.draw.choice(["i32", "double", ""]))
        return self.build.atomicrmw(word, self.a_value("ptr"), value, self.an_ordering(), align=self.a_number(), name=self.a_name())  # type: ignore[arg-type]

    def do_fence(self) -> Any:
        return self.build.fence(self.an_ordering(), single_thread=self.draw.random() < 0.5)

    def a_pad(self) -> Any:
        pads = [
            value
            for value in self.values
            if not value.is_stale and str(getattr(value, "opcode", "")).endswith(("pad", "catchswitch"))
        ]
        return self.draw.choice(pads) if pads and self.draw.random() < 0.9 else self.draw.choice([None, self.a_value()])

    def do_cleanuppad(self) -> Any:
        return self.build.cleanuppad(self.several(self.a_value, 2), parent=self.a_pad(), name=self.a_name())

    def do_catchswitch(self) -> Any:
        return self.build.catchswitch(
            self.several(self.a_block, 3), unwind=self.draw.choice([None, self.a_block()]), parent=self.a_pad(), name=self.a_name()
        )

    def do_catchpad(self) -> Any:
        return self.build.catchpad(self.a_pad(), self.several(self.a_value, 2))

    def do_cleanupret(self) -> Any:
        return self.build.cleanupret(self.a_pad(), self.draw.choice([None, self.a_block()]))

    def do_catchret(self) -> Any:
        return self.build.catchret(self.a_pad(), self.a_block())

    def do_call_with_bundles(self) -> Any:
        tags = ["deopt", "funclet", "odd", "\0", "", "assume", "clang.arc.attachedcall"]
        bundles = {
            self.draw.choice(tags): self.several(lambda: self.draw.choice([self.a_pad(), self.a_value()]), 2) for _ in range(2)
        }
        return self.build.call(self.a_function(), self.several(self.a_value, 1), bundles=bundles)

    def do_gep_of_vectors(self) -> Any:
        vectors = [value for value in self.values if not value.is_stale and str(value.type).startswith("<")]
        pick = lambda: self.draw.choice([0, 1, self.draw.choice(vectors or self.values)])  # noqa: E731
        base = self.draw.choice([self.a_value("ptr"), self.draw.choice(vectors or self.values)])
        return self.build.gep(self.a_type(), base, self.several(pick, 3))

    def do_resume(self) -> Any:
        return self.build.resume(self.a_value("{ ptr, i32 }"))

    def do_intrinsic(self) -> Any:
        name = self.draw.choice(INTRINSICS)
        make = lambda: self.draw.choice([self.a_value("i32"), self.a_value("ptr"), self.a_value()])  # noqa: E731
        result = self.a_type() if self.draw.random() < 0.3 else None
        return self.build.intrinsic(name, self.several(make), result=result, named=self.a_name())

    def do_branch(self) -> Any:
        return self.build.branch(self.a_block())

    def do_branch_if(self) -> Any:
        return self.build.branch_if(self.a_value("i1"), self.a_block(), self.a_block())

    def do_switch(self) -> Any:
        return self.build.switch(self.a_value("i32"), self.a_block(), [(self.a_value("i32"), self.a_block()) for _ in range(2)])

    def do_ret(self) -> Any:
        return self.build.ret(self.draw.choice([None, self.a_value("i32"), self.a_value()]))

    def do_unreachable(self) -> Any:
        return self.build.unreachable()

    def do_constant(self) -> Any:
        value = self.draw.choice([0, 1, -5, 1.5, None, b"ab", (1, 2), [1, [2, 3]], 1 << 100, [1, 2, 3, 4], self.a_value(), True])
        return self.build.constant(self.a_type(), value)

    def do_nothing_known(self) -> Any:
        return self.draw.choice([self.build.poison, self.build.undef])(self.a_type())

    def do_add_function(self) -> Any:
        linkage = self.draw.choice(["external", "internal", "extern_weak", "odd"])
        return self.build.add_function(self.a_name(), self.a_type(), linkage=linkage)  # type: ignore[arg-type]

    def do_declare(self) -> Any:
        return self.build.declare(self.draw.choice(["sink", "new", self.a_name()]), self.a_type())

    def do_add_variable(self) -> Any:
        initial = self.draw.choice([None, 0, "external", self.a_value(), b"ab", 1.5])
        return self.build.add_variable(self.a_name(), self.a_type(), initial, align=self.a_number())

    def do_add_string(self) -> Any:
        return self.build.add_string(self.draw.choice(["", "text", "\ud800", b"\xff\0"]), self.a_name())

    def do_add_block(self) -> Any:
        return self.build.add_block(self.a_name(), function=self.a_function())

    def do_add_block_before(self) -> Any:
        return self.build.add_block(self.a_name(), before=self.a_block())

    def do_describe_function(self) -> Any:
        line = self.a_number()
        self.build.describe_function(self.a_function(), self.a_name(), line, directory=self.a_name(), name=self.a_name())

    def do_describe_variable(self) -> Any:
        allocas = [value for value in self.values if not value.is_stale and getattr(value, "opcode", "") == "alloca"]
        storage = self.draw.choice([*allocas, self.a_value(), self.a_value("ptr")])
        self.build.describe_variable(storage, self.a_name(), self.a_number(), type=self.a_name())

    def do_split(self) -> Any:
        return self.build.split(self.a_value(), self.a_name())

    def do_replace(self) -> Any:
        old = self.a_value()
        self.build.replace(old, self.like(old))

    def do_erase(self) -> Any:
        self.build.erase(self.draw.choice([self.a_value(), self.a_value(), self.a_value(), self.a_block(), self.a_function()]))

    def do_rename(self) -> Any:
        self.build.rename(self.draw.choice([self.a_value(), self.a_block()]), self.a_name())

    def do_attribute(self) -> Any:
        what = self.draw.choice([*ATTRIBUTES, ("byval", self.a_type()), ("odd", self.a_type())])
        parameter = self.draw.choice([None, 0, 1, 5, -1])
        self.build.add_attribute(
            self.draw.choice([self.a_function(), self.a_value()]), what, parameter=parameter, result=self.draw.random() < 0.1
        )

    def do_remove_attribute(self) -> Any:
        self.build.remove_attribute(
            self.draw.choice([self.a_function(), self.a_value()]),
            self.draw.choice(ATTRIBUTES),
            parameter=self.draw.choice([None, 0]),
        )

    def do_personality(self) -> Any:
        self.build.set_personality(self.a_function(), self.a_function())

    def do_convention(self) -> Any:
        self.build.set_calling_convention(self.a_value(), self.draw.choice([0, 8, 20, 1023, 1024, -1]))

    # ---- Invariants ----

    def check(self) -> bool:
        """Return whether the module verifies; valid or not, it must print, be inspected and be freed."""
        assert str(self.module)
        for value in self.values:
            assert repr(value)
        for function in self.module.functions.values():
            for instruction in function.walk():
                assert instruction.function is function and instruction.opcode and len(instruction.operands) >= 0
        try:
            self.module.verify()
        except pycoro.VerifyError as error:
            assert error.diagnostics
            return False
        again = pycoro.Module(self.module.bitcode(), trusted=True)
        again.close()
        return True


def run(draw: Random, calls: int) -> tuple[int, int, int]:
    """Count the calls that built something, the checks that verified and those that did not. Some runs continue with an
    invalid module."""
    attack = Attack(draw)
    built = fine = broken = 0
    every = 5
    for number in range(calls):
        try:
            attack.step()
            built += 1
        except (pycoro.Error, TypeError, OverflowError):
            pass
        if number % every == 0:
            if attack.check():
                fine += 1
            else:
                broken += 1
            if len(attack.done) > 150 or (broken and draw.random() < 0.2):
                attack, every = Attack(draw), draw.choice([3, 10, 50])
    return built, fine, broken


if __name__ == "__main__":
    print(run(Random(int(sys.argv[1])), int(sys.argv[2])))
