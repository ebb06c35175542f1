"""Running async coroutines: an executor allocates contexts between canaries and checks that each is freed."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from functools import partial

import pytest
from async_program import AWAIT, BEGIN, END, GIVE_WAY, LEAF, PASSES, SUPPORT, Executor, chain, chain_result, lower

import pycoro
from pycoro.oracle import for_host

LOWERINGS = {
    "plain": lower,
    "shared": partial(lower, passes="coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup"),
    "optimised": partial(lower, passes="coro-early,cgscc(coro-split),coro-cleanup,default<O2>"),
    "optimised before": partial(lower, passes="coro-early,function(sroa,instcombine),cgscc(coro-split),coro-cleanup"),
}

every_lowering = pytest.mark.parametrize("how", LOWERINGS)


def run(text: str, name: str, argument: int, how: str = "plain", **externals: object) -> tuple[int, Executor]:
    executor = Executor(text, LOWERINGS[how], externals)
    result = executor.start(name, argument)
    assert not executor.live
    assert not executor.overrun
    return result, executor


@every_lowering
def test_a_chain_ten_deep(how: str) -> None:
    result, executor = run(chain(10), "f1", 4, how)
    assert result == chain_result(10, 4)
    assert executor.made == executor.most == 10


@every_lowering
def test_tasks_alternate(how: str) -> None:
    executor = Executor(chain(4), LOWERINGS[how])
    contexts = {n: executor.enter("f1", n) for n in range(5, 9)}
    assert len(executor.queue) == 4  # each has reached its leaf, which suspends
    executor.drain()
    assert sorted(executor.results) == sorted(chain_result(4, n) for n in contexts)
    for context in contexts.values():
        executor.dealloc(context)
    assert not executor.live
    assert not executor.overrun


def test_a_leaf_runs_without_a_caller() -> None:
    assert run(chain(1), "f1", 7)[0] == sum(range(7))


SUM = (
    BEGIN
    + """
  br label %loop
loop:
  %more = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %all, %loop ]
"""
    + AWAIT
    + """
  %all = add i64 %sum, %given
  %next = add i64 %more, 1
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %out
out:
"""
    + END
)

AT_ONCE = BEGIN + "  %all = add i64 %n, 1\n" + END


def test_stack_use_does_not_grow_with_awaits() -> None:
    """Each awaits by a tail call; an ordinary call would use about a hundred bytes of the eight megabytes of stack."""
    library = {"task_alloc": ctypes.CDLL(None).malloc, "task_dealloc": ctypes.CDLL(None).free}
    addresses = {name: ctypes.cast(function, ctypes.c_void_p).value for name, function in library.items()}
    text = SUPPORT + SUM.replace("$f", "sum").replace("$callee", "next") + AT_ONCE.replace("$f", "next")
    count = 300_000
    assert run(text, "sum", count, **addresses)[0] == count * (count + 1) // 2


# A vector with a larger alignment than contexts, and an alloca with the same alignment.
WIDE = (
    BEGIN
    + """
  %room = alloca i64, align 64
  %small = alloca i8
  store i64 %n, ptr %room
  store i8 17, ptr %small
  %one = insertelement <4 x i64> zeroinitializer, i64 %n, i64 0
  %vector = insertelement <4 x i64> %one, i64 3, i64 3
"""
    + GIVE_WAY
    + """
  %where = ptrtoint ptr %room to i64
  %off = and i64 %where, 63
  call void @see(ptr %room)
  %kept = load i64, ptr %room
  %byte = load i8, ptr %small
  %byte.wide = zext i8 %byte to i64
  %first = extractelement <4 x i64> %vector, i64 0
  %last = extractelement <4 x i64> %vector, i64 3
  %1 = add i64 %kept, %byte.wide
  %2 = add i64 %1, %first
  %3 = add i64 %2, %last
  %all = add i64 %3, %off
"""
    + END
)


@every_lowering
def test_over_aligned_values(how: str) -> None:
    text = SUPPORT + "declare void @see(ptr)\n" + WIDE.replace("$f", "wide")
    seen: list[int] = []
    result, executor = run(text, "wide", 5, how, see=seen.append)
    assert result == 5 + 17 + 5 + 3
    assert [address % 64 for address in seen] == [0]
    assert executor.context_size("wide") <= 24 + 8 + 64 - 16 + 8 + 8 + 32 + 8 + 16


# Resumed with a value in a register and with self; the projection and the callee are in another module.
PARAMETERS = (
    """
declare swifttailcc void @ask(ptr swiftasync, ptr)
declare ptr @given_back(ptr)
declare { ptr, i64, ptr, double } @llvm.coro.suspend.async.sl_p0i64p0f64s(i32, ptr, ptr, ...)
"""
    + BEGIN.replace("entry:", "entry:\n  %twice = alloca i64\n")
    + """
  store i64 %n, ptr %twice
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr, i64, ptr, double } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0i64p0f64s(
      i32 512, ptr %back, ptr @given_back, ptr @ask, ptr %context, ptr %back)
  %word = extractvalue { ptr, i64, ptr, double } %came, 1
  %self = extractvalue { ptr, i64, ptr, double } %came, 2
  %number = extractvalue { ptr, i64, ptr, double } %came, 3
"""
    + GIVE_WAY
    + """
  %self.word = load i64, ptr %self
  %number.word = fptosi double %number to i64
  %kept = load i64, ptr %twice
  %1 = add i64 %word, %self.word
  %2 = add i64 %1, %number.word
  %all = add i64 %2, %kept
"""
    + END
)

ELSEWHERE = """
@self = global i64 1000
define swifttailcc void @ask(ptr swiftasync %context, ptr %back) {
  tail call swifttailcc void %back(ptr swiftasync %context, i64 20, ptr swiftself @self, double 3.5)
  ret void
}
define ptr @given_back(ptr %context) {
  ret ptr %context
}
"""


def test_values_come_back_in_registers() -> None:
    here = [line for line in PARAMETERS.splitlines() if not line.startswith(("declare swifttailcc", "declare ptr"))]
    text = SUPPORT + "\n".join(here).replace("$f", "f") + ELSEWHERE.replace("define", "define internal")
    assert run(text, "f", 7)[0] == 1000 + 20 + 3 + 7


def test_functions_of_another_module_are_called() -> None:
    module = lower(SUPPORT + PARAMETERS.replace("$f", "f"))
    functions = module.functions
    assert {"f.resume.0", "f.resume.1"} <= set(functions)
    text = str(module)
    assert "musttail call swifttailcc void @ask(ptr swiftasync %context, ptr @f.resume.0)" in text
    assert "call ptr @given_back(ptr %0)" in text
    executor = Executor(SUPPORT + PARAMETERS.replace("$f", "f"), before=ELSEWHERE)
    assert executor.start("f", 7) == 1000 + 20 + 3 + 7


def test_self_is_a_parameter_of_the_continuation() -> None:
    text = str(lower(SUPPORT + PARAMETERS.replace("$f", "f")))
    assert "@f.resume.0(ptr swiftasync %0, i64 %1, ptr swiftself %2, double %3)" in text


NEVER = BEGIN + "  %all = mul i64 %n, 3\n" + END


def test_a_coroutine_that_never_suspends() -> None:
    text = SUPPORT + NEVER.replace("$f", "f")
    result, executor = run(text, "f", 14)
    assert result == 42
    assert executor.context_size("f") == 32  # no frame; context sizes are multiples of the alignment


# As many bytes as the argument says, written before the suspend and read after it.
DYNAMIC = (
    BEGIN
    + """
  %bytes = alloca i8, i64 %n, align 1
  %last = sub i64 %n, 1
  %end = getelementptr i8, ptr %bytes, i64 %last
  store i8 77, ptr %end
"""
    + GIVE_WAY
    + """
  %read = load i8, ptr %end
  %all = zext i8 %read to i64
"""
    + END
)


def test_a_dynamic_alloca_is_freed_at_the_end() -> None:
    blocks: list[ctypes.Array[ctypes.c_char]] = []
    freed: list[int] = []

    def malloc(size: int) -> int:
        blocks.append(ctypes.create_string_buffer(size + 16))
        return -(-ctypes.addressof(blocks[-1]) // 16) * 16

    text = SUPPORT + "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n" + DYNAMIC.replace("$f", "f")
    assert run(text, "f", 100, malloc=malloc, free=freed.append)[0] == 77
    assert len(blocks) == len(freed) == 1


def test_context_intrinsics_use_malloc() -> None:
    text = (SUPPORT + SUM.replace("$f", "sum").replace("$callee", "next") + AT_ONCE.replace("$f", "next")).replace(
        "call ptr @task_alloc(i64 %size)", "call ptr @llvm.coro.async.context.alloc(ptr null, ptr @next.fp)"
    )
    text = text.replace("call void @task_dealloc", "call void @llvm.coro.async.context.dealloc")
    text += "declare ptr @llvm.coro.async.context.alloc(ptr, ptr)\ndeclare void @llvm.coro.async.context.dealloc(ptr)\n"
    assert run(text, "sum", 10)[0] == 55


def test_prepare_calls_are_removed() -> None:
    text = (
        chain(2)
        + """
declare ptr @llvm.coro.prepare.async(ptr)
define ptr @which() {
  %f = call ptr @llvm.coro.prepare.async(ptr @f1)
  ret ptr %f
}
"""
    )
    executor = Executor(text)
    assert executor.engine.call("which") == executor.engine.address("f1")


OPT = shutil.which("opt-22")


def by_llvm(text: str) -> pycoro.Module:
    assert OPT
    command = [OPT, "-S", f"-passes={PASSES}"]
    return pycoro.Module(subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=60).stdout)


@pytest.mark.skipif(not OPT, reason="LLVM 22's opt is not installed")
@pytest.mark.parametrize(("name", "argument"), [("chain", 4), ("leaf", 6), ("sum", 9), ("never", 5)])
def test_llvm_lowers_it_equally(name: str, argument: int) -> None:
    texts = {
        "chain": chain(6).replace("@f1", "@chain"),
        "leaf": SUPPORT + LEAF.replace("$f", "leaf"),
        "sum": SUPPORT + SUM.replace("$f", "sum").replace("$callee", "next") + AT_ONCE.replace("$f", "next"),
        "never": SUPPORT + NEVER.replace("$f", "never"),
    }
    seen = []
    for how in (lower, by_llvm):
        executor = Executor(texts[name], how)
        seen.append((executor.start(name, argument), executor.made, executor.most, executor.live, executor.overrun))
    assert seen[0] == seen[1]


def test_a_split_coroutine_is_not_split_again() -> None:
    module = pycoro.Module(chain(2))
    module.run("coro-early,cgscc(coro-split)")
    before = str(module)
    module.run("coro-early,cgscc(coro-split)")
    assert str(module) == before


def test_the_coroutine_s_description() -> None:
    module = pycoro.Module(for_host(chain(2)))
    module.run("coro-early")
    shape = module.coroutines["f1"].shape
    assert isinstance(shape, pycoro.AsyncShape)
    assert (shape.abi, shape.context_argument, shape.context_align, shape.frame_offset) == ("async", 0, 16, 24)
    assert shape.function_pointer == "f1.fp"
    assert shape.ramp_type == "cc 20 void (ptr swiftasync)"
    assert shape.context_size == Executor(chain(2)).context_size("f1")
    assert shape.context_size == -(-(shape.frame_offset + module.coroutines["f1"].frame.size) // 16) * 16
    report = module.run("cgscc(coro-split)")
    assert report.coroutines["f1"].clones == ("f1.resume.0", "f1.resume.1")
    assert str(report.coroutines["f1"].shape) and report.coroutines["f1"].frame._repr_mimebundle_()


@pytest.mark.parametrize(
    "body",
    [
        "  unreachable",
        "  br label %a\na:\n  br label %a",
        "  %b = alloca i64, i32 3\n  store i64 1, ptr %b\n  %q = load volatile i64, ptr %b\n  ret ptr %context",
        "  %none = icmp eq ptr %context, null\n  br i1 %none, label %a, label %b\na:\n  ret ptr null\nb:\n  ret ptr %context",
        "  %here = alloca i8\n  %again = call ptr @the_same(ptr %context)\n  ret ptr %again",
    ],
    ids=["never", "forever", "variable", "two ways", "recursive"],
)
def test_projections_of_any_form(body: str) -> None:
    """Those that end pass the context unchanged."""
    text = chain(2).replace("define ptr @the_same(ptr %context) alwaysinline {\n  ret ptr %context\n}", "$whole")
    assert "$whole" in text
    text = text.replace("$whole", "define ptr @the_same(ptr %context) alwaysinline {\n" + body + "\n}")
    executor = Executor(text)
    if "ret ptr %context" in body:
        assert executor.start("f1", 4) == chain_result(2, 4)


def test_a_leaf_in_a_loop_spills_live_values() -> None:
    report = pycoro.lower(SUPPORT + LEAF.replace("$f", "leaf"), "coro-early,cgscc(coro-split)")
    kept = {field.name for field in report.coroutines["leaf"].frame if field.kind == "spill"}
    assert {"i", "sum", "n"} <= kept
    assert not kept & {"again", "hdl", "place", "later"}


class FromScratch(pycoro.AsyncABI):
    """Rematerializes a remainder instead of spilling it, and reverses the frame's fields."""

    def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
        return default or value.opcode == "frem"

    def order(self, fields: Sequence[pycoro.FrameField]) -> list[pycoro.FrameField]:
        return list(reversed(fields))


def test_custom_abi_decisions() -> None:
    custom = "@llvm.coro.begin.custom.abi(token %id, ptr null, i32 0)"
    text = for_host(chain(3)).replace("@llvm.coro.begin(token %id, ptr null)", custom)
    text += "declare ptr @llvm.coro.begin.custom.abi(token, ptr, i32)\n"
    pipeline = pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[FromScratch()]), "coro-cleanup")
    report = pipeline.run(pycoro.Module(text))
    names = [field.name for field in report.coroutines["f1"].frame]
    assert "wide" in names
    assert "rest" not in names
    executor = Executor(chain(3), lambda _: report.module)
    assert executor.start("f1", 4) == chain_result(3, 4)
    assert not executor.live
    assert not executor.overrun


# The errno of a call before the suspend is read after it, where another call may have changed it.
ERROR = (
    BEGIN.replace("entry:", "entry:\n  %error = alloca swifterror ptr")
    + """
  store ptr null, ptr %error
  %first = call swiftcc i64 @may_fail(i64 %n, ptr swifterror %error)
"""
    + GIVE_WAY
    + """
  %found = load ptr, ptr %error
  %number = ptrtoint ptr %found to i64
  %second = call swiftcc i64 @may_fail(i64 1, ptr swifterror %error)
  %found.too = load ptr, ptr %error
  %number.too = ptrtoint ptr %found.too to i64
  %1 = add i64 %first, %number
  %2 = add i64 %1, %second
  %all = add i64 %2, %number.too
"""
    + END
)

MAY_FAIL = """
define internal swiftcc i64 @may_fail(i64 %n, ptr swifterror %error) noinline {
  %scaled = mul i64 %n, 1000
  %made = inttoptr i64 %scaled to ptr
  store ptr %made, ptr %error
  ret i64 %n
}
"""


@every_lowering
def test_errno_is_preserved_across_a_suspend(how: str) -> None:
    assert run(SUPPORT + MAY_FAIL + ERROR.replace("$f", "f"), "f", 7, how)[0] == 7 + 7000 + 1 + 1000


def test_a_plain_return_frees_the_context() -> None:
    """A coroutine that ends without llvm.coro.end.async frees its context."""
    freed: list[int] = []
    block = ctypes.create_string_buffer(200)
    text = SUPPORT + "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n" + DYNAMIC.replace("$f", "f")
    start, end = text.rindex("  call void (ptr, i1, ...) @llvm.coro.end.async"), text.rindex("  unreachable")
    text = (
        text[:start]
        + "  call swifttailcc void @transfer(ptr %caller, ptr %context)\n  ret void"
        + text[end + len("  unreachable") :]
    )
    malloc = -(-ctypes.addressof(block) // 16) * 16
    assert run(text, "f", 100, malloc=lambda _: malloc, free=freed.append)[0] == 77
    assert freed == [malloc]
