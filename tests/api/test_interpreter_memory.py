"""The interpreter's memory: accesses outside the program's memory are errors that name the address."""

from __future__ import annotations

import ctypes
import pathlib
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from growth import assert_nearly_linear
from samples import COUNTER

import pycoro
from pycoro import _core

DECLARED = """
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
declare ptr @_Znwm(i64)
declare void @_ZdlPvm(ptr, i64)
declare void @_ZdaPv(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@global = global i64 7
"""


def interpreter(body: str, rest: str = "", **how: Any) -> pycoro.Interpreter:
    return pycoro.Interpreter(f"define i64 @f(ptr %p) {{\n{body}\n}}\n{DECLARED}{rest}", **how)


WRONG = {
    "load through -1": ("%v = load i64, ptr inttoptr (i64 -1 to ptr), align 1", "where the program has no memory"),
    "a vector at the end": ("%v = load <4 x i64>, ptr inttoptr (i64 -16 to ptr), align 1", "where the program has no memory"),
    "double free": (
        "%m = call ptr @malloc(i64 8)\n call void @free(ptr %m)\n call void @free(ptr %m)",
        "@free is called with %m, memory of 8 bytes allocated by @malloc in @f, which was already freed",
    ),
    "free of a local": (
        "%m = alloca i64\n call void @free(ptr %m)",
        "@free is called with byte 0 of %m, an alloca of 8 bytes in @f",
    ),
    "free of a global": ("call void @free(ptr @global)", "@free is called with byte 0 of @global, a global variable of 8 bytes"),
    "free inside": (
        "%m = call ptr @malloc(i64 8)\n %i = getelementptr i8, ptr %m, i64 4\n call void @free(ptr %i)",
        "@free is called with byte 4 of %m",
    ),
    "free of anything": (
        "call void @free(ptr inttoptr (i64 64 to ptr))",
        "@free is called with 0x40, which is not memory of the program",
    ),
    "free of what new gave": (
        "%m = call ptr @_Znwm(i64 8)\n call void @free(ptr %m)",
        "@free with size 8 does not match the allocation of %m, memory of 8 bytes allocated by @_Znwm",
    ),
    "delete[] of what new gave": (
        "%m = call ptr @_Znwm(i64 8)\n call void @_ZdaPv(ptr %m)",
        "@_ZdaPv with size 8 does not match the allocation of %m",
    ),
    "delete of another size": (
        "%m = call ptr @_Znwm(i64 8)\n call void @_ZdlPvm(ptr %m, i64 9)",
        "@_ZdlPvm with size 9 does not match",
    ),
    "use after free": (
        "%m = call ptr @malloc(i64 8)\n call void @free(ptr %m)\n store i64 1, ptr %m",
        "are written after the lifetime of %m, memory of 8 bytes allocated by @malloc in @f has ended",
    ),
    "use after realloc": (
        "%m = call ptr @malloc(i64 8)\n %n = call ptr @realloc(ptr %m, i64 8)\n store i64 1, ptr %m",
        "has ended",
    ),
    "one too far": (
        "%m = call ptr @malloc(i64 8)\n %i = getelementptr i8, ptr %m, i64 4\n store i64 1, ptr %i, align 1",
        "8 bytes are written at byte 4 of %m, memory of 8 bytes",
    ),
    "behind": (
        "%m = alloca i64\n %i = getelementptr i64, ptr %m, i64 2\n %v = load i64, ptr %i",
        "8 bytes after %m, an alloca of 8 bytes in @f",
    ),
    "before": (
        "%m = call ptr @malloc(i64 8)\n %i = getelementptr i64, ptr %m, i64 -1\n %v = load i64, ptr %i",
        "8 bytes before %m",
    ),
    "wild memset": (
        "%m = alloca i64\n call void @llvm.memset.p0.i64(ptr %m, i8 0, i64 1000000, i1 false)",
        "1000000 bytes are written at byte 0 of %m, an alloca of 8 bytes",
    ),
    "memset of all": (
        "%m = alloca i64\n call void @llvm.memset.p0.i64(ptr %m, i8 0, i64 -1, i1 false)",
        "at byte 0 of %m",
    ),
    "wild memcpy": (
        "%m = alloca i64\n call void @llvm.memcpy.p0.p0.i64(ptr %m, ptr @global, i64 9, i1 false)",
        "9 bytes are read at byte 0 of @global",
    ),
    "code is no memory": ("%v = load i64, ptr @f, align 1", "where the program has no memory"),
    "null": ("%v = load i64, ptr null", "a null pointer is used as an address"),
}


@pytest.mark.parametrize("what", WRONG)
def test_invalid_accesses_are_reported_with_location_and_object(what: str) -> None:
    body, message = WRONG[what]
    with pytest.raises(pycoro.UndefinedError) as caught:
        interpreter(f" {body}\n ret i64 0").call("f", None)
    assert message in str(caught.value)
    assert caught.value.diagnostics[0].function == "f"
    assert caught.value.diagnostics[0].instruction.startswith(body.splitlines()[-1].strip())


def test_stack_memory_ends_with_its_function() -> None:
    gone = "define ptr @g() {\n %local = alloca i64\n ret ptr %local\n}\n"
    with pytest.raises(pycoro.UndefinedError, match="%local, an alloca of 8 bytes in @g has ended"):
        interpreter(" %m = call ptr @g()\n %v = load i64, ptr %m\n ret i64 0", gone).call("f", None)


def test_programs_have_separate_memory() -> None:
    body = """
  %m = call ptr @calloc(i64 3, i64 8)
  %last = getelementptr i64, ptr %m, i64 2
  store i64 5, ptr %last
  %more = call ptr @realloc(ptr %m, i64 4096)
  %again = getelementptr i64, ptr %more, i64 2
  %v = load i64, ptr %again
  call void @free(ptr %more)
  call void @free(ptr null)
  ret i64 %v"""
    assert interpreter(body).call("f", None) == 5


@pytest.mark.parametrize("how", ["call", "through a pointer", "as a resume function"])
def test_functions_of_the_process_are_inaccessible(how: str, tmp_path: pathlib.Path) -> None:
    """The program cannot reach them by name or address unless they are bound."""
    mark = tmp_path / "mark"
    text = f"touch {mark}"
    rest = f'@command = constant [{len(text) + 1} x i8] c"{text}\\00"\ndeclare i32 @system(ptr)\n'
    system = ctypes.cast(ctypes.CDLL(None).system, ctypes.c_void_p).value
    body = {
        "call": " %r = call i32 @system(ptr @command)\n ret i64 0",
        "through a pointer": f" %r = call i32 inttoptr (i64 {system} to ptr)(ptr @command)\n ret i64 0",
        "as a resume function": f" store i64 {system}, ptr @global\n call void @llvm.coro.resume(ptr @global)\n ret i64 0",
    }[how]
    with pytest.raises((pycoro.UnsupportedError, pycoro.UndefinedError)):
        interpreter(body, rest + "declare void @llvm.coro.resume(ptr)\n").call("f", None)
    assert not mark.exists()
    if how == "call":
        interpreter(body, rest, native=True).call("f", None)
        assert mark.exists()


def test_memory_of_the_process_and_addresses_without_memory() -> None:
    """An interpreter of a trusted program accesses mapped memory only, also for the host."""
    core = interpreter(" ret i64 0", native=True)._core
    place = ctypes.create_string_buffer(16)
    assert core.owns(ctypes.addressof(place), 16)
    assert core.defined(ctypes.addressof(place), 16)
    for address in (8, 0x123456789000, -4096 % 2**64):
        assert not core.owns(address, 8)
        assert not core.defined(address, 8)
        with pytest.raises(pycoro.UndefinedError, match="not that of a coroutine"):
            core.done(address)


def test_memory_shared_by_the_host() -> None:
    body = " %v = load i64, ptr %p\n store i64 8, ptr %p\n ret i64 %v"
    place = ctypes.c_int64(5)
    run = interpreter(body)
    assert run.call("f", place) == 5, "an object that is passed"
    assert place.value == 8
    other = ctypes.create_string_buffer(24)
    with pytest.raises(pycoro.UndefinedError, match="no memory"):
        run.call("f", ctypes.addressof(other))
    address = run.share(ctypes.addressof(other), 8)
    assert run.call("f", address) == 0
    with pytest.raises(pycoro.UndefinedError, match="of 8 bytes shared by the host"):
        run.call("f", address + 8)
    run.share(address + 4, 20)
    assert run.call("f", address + 8) == 0, "what overlaps is one"
    run.unshare(address)
    with pytest.raises(pycoro.UndefinedError, match="no memory"):
        run.call("f", address)
    with pytest.raises(pycoro.UsageError, match="an address and a size"):
        run.share(0, 8)


def test_pointers_returned_by_callables() -> None:
    rest = "declare ptr @get()\n"
    body = " %m = call ptr @get()\n %v = load i64, ptr %m\n ret i64 %v"
    place = ctypes.c_int64(6)
    assert interpreter(body, rest, externals={"get": lambda: place}).call("f", None) == 6
    with pytest.raises(pycoro.UndefinedError, match="no memory"):
        interpreter(body, rest, externals={"get": lambda: ctypes.addressof(place)}).call("f", None)


@pytest.mark.parametrize(("name", "shown"), [("a b", '"a b"'), ('a="b', r'"a=\22b"'), ("é", r'"\C3\A9"'), ("plain", "plain")])
def test_variables_with_any_name_are_bound(name: str, shown: str) -> None:
    body, rest = f"%v = load i64, ptr @{shown}\nret i64 %v", f"@{shown} = external global i64\n"
    run = interpreter(body, rest, externals={name: ctypes.c_int64(5)})
    assert run.call("f", None) == 5


def test_allocators_of_the_hosts() -> None:
    """Blocks of host allocators have the requested size and end when they are freed."""
    kept: list[Any] = []
    freed: list[int] = []

    def malloc(size: int) -> int:
        kept.append(ctypes.create_string_buffer(4 * size))
        return ctypes.addressof(kept[-1])

    body = " %m = call ptr @malloc(i64 8)\n store i64 5, ptr %m\n %v = load i64, ptr %m\n call void @free(ptr %m)\n BODY ret i64 %v"
    how = {"externals": {"malloc": malloc, "free": freed.append}}
    assert interpreter(body.replace("BODY", ""), **how).call("f", None) == 5
    assert freed == [ctypes.addressof(kept[0])]
    with pytest.raises(pycoro.UndefinedError, match="has ended"):
        interpreter(body.replace("BODY", "store i64 5, ptr %m\n"), **how).call("f", None)
    with pytest.raises(pycoro.UndefinedError, match="already freed"):
        interpreter(body.replace("BODY", "call void @free(ptr %m)\n"), **how).call("f", None)
    assert len(freed) == 3, "the second time nobody is asked"


def test_an_invalid_handle_is_an_error() -> None:
    run = pycoro.Interpreter(COUNTER, externals={"print": print})
    for address in (8, 1 << 46, ctypes.addressof(ctypes.create_string_buffer(64))):
        handle = run.handle(address, promise="i32")
        for use in (lambda h: h.done, lambda h: h.promise, lambda h: h.resume(), lambda h: h.destroy()):
            with pytest.raises(pycoro.UndefinedError):
                use(handle)


def test_a_promise_is_set_where_the_program_has_memory() -> None:
    run = pycoro.Interpreter(COUNTER, externals={"print": print})
    outside = ctypes.create_string_buffer(64)
    for address in (8, 1 << 46, ctypes.addressof(outside)):
        with pytest.raises(pycoro.UndefinedError, match="where the program has no memory"):
            run.handle(address, promise="i32").promise = 5
    assert outside.raw == bytes(64)


@pytest.mark.parametrize("pattern", [0, -0x56565657])
def test_an_assigned_promise_is_defined(pattern: int) -> None:
    run = pycoro.Interpreter(
        "define i32 @f(ptr %p) {\n  %v = load i32, ptr %p\n  ret i32 %v\n}\ndefine ptr @new() {\n"
        "  %m = call ptr @malloc(i64 32)\n  ret ptr %m\n}\n"
        "declare ptr @malloc(i64)\n"
    )
    address = run.call("new")
    run.handle(address, promise="i32").promise = pattern
    assert run.call("f", address + 16) == pattern


NULL = """
declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
define i1 @none() {
  %m = call ptr @malloc(i64 8)
  %none = icmp eq ptr %m, null
  ret i1 %none
}
define i64 @keeps() {
  %m = call ptr @malloc(i64 8)
  store i64 7, ptr %m
  %more = call ptr @realloc(ptr %m, i64 1000)
  %none = icmp eq ptr %more, null
  br i1 %none, label %old, label %new
old:
  %v = load i64, ptr %m
  ret i64 %v
new:
  ret i64 0
}
"""


def test_a_host_without_memory_gives_null() -> None:
    run = pycoro.Interpreter(NULL, externals={"malloc": lambda size: 0})
    assert run.call("none") in (1, -1)
    memory = ctypes.create_string_buffer(8)
    run = pycoro.Interpreter(NULL, externals={"malloc": lambda size: ctypes.addressof(memory), "realloc": lambda old, size: None})
    assert run.call("keeps") == 7, "what could not be made larger stays"


# ---- Contents of a module ----


def test_a_final_flag_that_is_poison() -> None:
    for flag in ("poison", "undef"):
        run = pycoro.Interpreter(COUNTER.replace("(token none, i1 false)", f"(token none, i1 {flag})"), externals={"print": print})
        handle = run.start(next(name for name in run if run[name].is_ramp), 4)
        assert not handle.done
        handle.destroy()


@pytest.mark.parametrize("empty", ["{}", "[4294967296 x {}]", "<vscale x 2 x i8>"])
def test_types_with_exponential_size(empty: str) -> None:
    """Each type is visited once; visits of pairs of pairs of empty types took exponential time."""
    types = [f"%t0 = type {{ {empty}, {empty} }}"] + [f"%t{n} = type {{ %t{n - 1}, %t{n - 1} }}" for n in range(1, 60)]
    begin = time.process_time()
    text = "\n".join(
        [*types, "define i64 @f() {", " %p = alloca i64", " %q = getelementptr %t59, ptr %p, i64 0", " ret i64 4", "}"]
    )
    if "vscale" in empty:
        with pytest.raises(pycoro.Error):
            pycoro.Interpreter(pycoro.Module(text)).call("f")
    else:
        assert pycoro.Interpreter(text).call("f") == 4
    assert time.process_time() - begin < 5


def test_deeply_nested_types_and_aliases() -> None:
    depth = 5000
    types = ["%t0 = type { i8 }"] + [f"%t{n} = type {{ %t{n - 1} }}" for n in range(1, depth)]
    use = f"define i64 @f() {{\n %p = alloca %t{depth - 1}\n ret i64 4\n}}\n"
    with pytest.raises(pycoro.UnsupportedError):
        pycoro.Interpreter("\n".join([*types, use])).call("f")
    chain = ["@a0 = global i64 5"]
    chain += [f"@a{n} = alias i8, getelementptr (i8, ptr @a{n - 1}, i64 1)" for n in range(1, depth)]
    use = f"define i64 @f() {{\n %v = load i8, ptr @a{depth - 1}\n ret i64 4\n}}\n"
    with pytest.raises(pycoro.UnsupportedError):
        pycoro.Interpreter("\n".join([*chain, use])).call("f")


def test_large_allocations_are_limit_errors() -> None:
    many = "\n".join(f"  %v{n} = freeze [65536 x i8] poison" for n in range(70))
    with pytest.raises(pycoro.LimitError, match="@f has values of more than"):
        interpreter(f"{many}\n  ret i64 0").call("f", None)
    loop = " br label %l\nl:\n %m = alloca [67108864 x i8]\n br label %l"
    with pytest.raises(pycoro.LimitError, match="uses more than 536870912 bytes"):
        interpreter(loop).call("f", None)


@pytest.mark.slow
def test_values_of_deep_calls_are_limit_errors() -> None:
    large = "\n".join(f"  %v{n} = freeze [65536 x i8] poison" for n in range(60))
    with pytest.raises(pycoro.LimitError, match="values of active calls and suspended coroutines"):
        interpreter(f"{large}\n  %r = call i64 @f(ptr null)\n  ret i64 %r").call("f", None)
    small = interpreter(" br label %l\nl:\n %m = call ptr @malloc(i64 0)\n br label %l")
    with pytest.raises(pycoro.LimitError, match="uses more than 536870912 bytes"):
        small.call("f", None)


def test_allocas_freed_in_allocation_order() -> None:
    """Lookup by address is fast for any number of allocas."""
    ir = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
define i64 @f() {
BODY
  ret i64 4
}
"""

    def prepare(count: int) -> Callable[[], object]:
        lines = [f"  %t{n} = call token @llvm.coro.alloca.alloc.i64(i64 8, i32 8)" for n in range(count)]
        lines += [f"  call void @llvm.coro.alloca.free(token %t{n})" for n in range(count)]
        run = pycoro.Interpreter(ir.replace("BODY", "\n".join(lines)))
        return lambda: run.call("f")

    assert_nearly_linear(prepare, 10_000, slack=0.1)
    assert prepare(4)() == 4
    twice = "  %t = call token @llvm.coro.alloca.alloc.i64(i64 8, i32 8)\n" + "  call void @llvm.coro.alloca.free(token %t)\n" * 2
    with pytest.raises(pycoro.UndefinedError, match="already freed"):
        pycoro.Interpreter(ir.replace("BODY", twice)).call("f")


def test_copied_bytes_count_as_steps() -> None:
    body = " %m = call ptr @malloc(i64 268435456)\n br label %l\nl:\n BODY\n br label %l"
    fill = "call void @llvm.memset.p0.i64(ptr %m, i8 0, i64 268435456, i1 false)"
    with pytest.raises(pycoro.LimitError, match="100000 steps"):
        interpreter(body.replace("BODY", fill), steps=100_000).call("f", None)


def test_it_can_be_interrupted_between_large_steps() -> None:
    body = " %m = call ptr @malloc(i64 67108864)\n br label %l\nl:\n BODY\n br label %l"
    fill = "call void @llvm.memset.p0.i64(ptr %m, i8 0, i64 67108864, i1 false)"
    run = interpreter(body.replace("BODY", fill), steps=200_000_000)
    found = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores SIGINT
    timer = threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,))
    begin = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            run.call("f", None)
    finally:
        signal.signal(signal.SIGINT, found)
    assert time.process_time() - begin < 10


def test_posix_memalign_rejects_alignments_as_libc_does() -> None:
    rest = "declare i32 @posix_memalign(ptr, i64, i64)"
    body = "  %a = ptrtoint ptr %p to i64\n  %m = alloca ptr\n  %r = call i32 @posix_memalign(ptr %m, i64 %a, i64 8)\n"
    run = interpreter(f"{body}  %w = zext i32 %r to i64\n  ret i64 %w", rest)
    libc = ctypes.CDLL(None).posix_memalign
    for align in (1, 4, 8, 24, 64):
        assert run.call("f", align) == libc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(align), ctypes.c_size_t(8))


def test_a_variable_of_the_host_must_not_overlap_memory_of_the_program() -> None:
    with pytest.raises(pycoro.UsageError, match="the 8 bytes at address .* cannot be shared") as raised:
        core = _core.Interpreter(pycoro.Module("@x = external global i64\n@y = global i32 7\n")._core, lambda *_: NotImplemented)
        core.define("x", core.lookup("y"))
    assert raised.value.diagnostics


def test_recomputed_values() -> None:
    """A failed recomputation does not make later ones fail, and no recomputation writes to memory."""
    run = pycoro.Interpreter(
        """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
define ptr @f(i32 %n, ptr %p, ptr %memory) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %q = udiv i32 100, %n
  %old = atomicrmw add ptr %p, i32 1 seq_cst
  %pair = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}
"""
    )
    core, cells, memory = run._core, (ctypes.c_uint32 * 2)(), ctypes.create_string_buffer(64)
    first = ctypes.addressof(cells)
    core.share(first, 8)
    core.share(ctypes.addressof(memory), 64)
    (handle,) = core.call(run.address("f"), (5, first, ctypes.addressof(memory)))
    place = {name: index for index, name in enumerate(core.names(handle))}

    def change(name: str, bits: int, *values: str) -> bool:
        done = core.set_saved_value(handle, place[name], (bits,))
        assert done
        return bool(core.recompute(handle, place[name], tuple(place[value] for value in values)))

    assert not change("n", 0, "q")
    assert change("n", 10, "q") and core.saved_value(handle, place["q"]) == (10,)
    cells[1] = 1
    change("p", first + 4, "old", "pair")
    assert list(cells) == [2, 1]
