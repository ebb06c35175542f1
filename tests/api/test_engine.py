"""The JIT's Python API: calls, handles, promises, callables as externals, lifetimes and errors."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from samples import CLEANUP, COUNTER

import pycoro
from pycoro.engine import Engine, Handle, LifecycleError
from pycoro.oracle import for_host
from pycoro.running.kinds import host_kinds

# A generator with a typed promise and no final suspend: its frame is freed at its end.
FREES_ITSELF = (
    """
define ptr @g(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %less, %more ]
  %done = icmp eq i32 %i, 0
  br i1 %done, label %cleanup, label %yield
yield:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  %less = sub i32 %i, 1
  br label %loop
"""
    + CLEANUP
    + """\
declare ptr @malloc(i64)
declare void @free(ptr)
"""
)

PROMISE = (
    """
define ptr @p() presplitcoroutine {
entry:
  %promise = alloca %kind, align %align
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @aligned_alloc(i64 64, i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store %kind %value, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
                             i8 1, label %cleanup ]
again:
  %now = load %kind, ptr %promise
  store %kind %now, ptr @seen
  %e = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %e, label %out [ i8 0, label %never
                             i8 1, label %cleanup ]
never:
  unreachable
"""
    + CLEANUP
    + """\
@seen = global %kind zeroinitializer
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
"""
)

MINUS = "define iN @minusN(iN %x) {\n  %y = sub iN 0, %x\n  ret iN %y\n}\n"

SCALARS = """
define i1 @not(i1 %x) {
  %y = xor i1 %x, true
  ret i1 %y
}
define float @half_of(float %x) {
  %y = fmul float %x, 5.0e-1
  ret float %y
}
define double @product(double %x, i32 %n) {
  %d = sitofp i32 %n to double
  %y = fmul double %x, %d
  ret double %y
}
define i32 @first(ptr %p) {
  %null = icmp eq ptr %p, null
  br i1 %null, label %none, label %some
none:
  ret i32 -1
some:
  %y = load i32, ptr %p
  ret i32 %y
}
define ptr @same(ptr %p) {
  ret ptr %p
}
define { i32, i64 } @pair() {
  ret { i32, i64 } { i32 1, i64 2 }
}
""" + "".join(MINUS.replace("N", str(bits)) for bits in (8, 16, 20, 64))

ASKS = """
declare i32 @ask(i32, ptr, i1, float)
define i32 @asks(i32 %x) {
  %p = alloca i32
  store i32 99, ptr %p
  %a = call i32 @ask(i32 %x, ptr %p, i1 true, float 2.5)
  %b = call i32 @ask(i32 %a, ptr null, i1 false, float -1.0)
  ret i32 %b
}
"""


def lowered(ir: str) -> pycoro.Report:
    return pycoro.lower(for_host(ir))


@pytest.fixture
def counting() -> Iterator[tuple[Engine, list[int]]]:
    printed: list[int] = []
    with Engine(lowered(COUNTER), externals={"print": printed.append}) as engine:
        yield engine, printed


def test_a_coroutine_is_started_resumed_and_destroyed(counting: tuple[Engine, list[int]]) -> None:
    engine, printed = counting
    handle = engine.start("counter", 97)
    assert isinstance(handle, Handle) and not handle.done and handle.promise == 97
    handle.resume()
    assert printed == [97, 98] and handle.promise == 98 and repr(handle).endswith("suspended>")
    handle.resume()
    handle.resume()
    assert printed == [97, 98, 99] and handle.done and repr(handle).endswith("done>") and not handle.destroyed
    handle.destroy()
    assert handle.destroyed and handle.done and repr(handle).endswith("destroyed>")


def test_a_done_or_destroyed_coroutine_is_not_resumed(counting: tuple[Engine, list[int]]) -> None:
    engine, printed = counting
    handle = engine["counter"](99)
    handle.resume()
    with pytest.raises(LifecycleError, match="@counter is done"):
        handle.resume()
    handle.destroy()
    uses: tuple[Callable[[], Any], ...] = (handle.resume, handle.destroy, lambda: handle.promise)
    for use in uses:
        with pytest.raises(LifecycleError, match="@counter was destroyed"):
            use()
    assert printed == [99]


def test_a_closed_engine_is_not_entered() -> None:
    engine = Engine(lowered(COUNTER), externals={"print": id})
    handle, function = engine.start("counter", 1), engine["counter"]
    engine.close()
    engine.close()
    uses: tuple[Callable[[], Any], ...] = (
        handle.resume,
        handle.destroy,
        lambda: handle.done,
        lambda: handle.promise,
        lambda: function(1),
        lambda: engine.add(lowered(SCALARS)),
        lambda: engine.address("counter"),
    )
    for use in uses:
        with pytest.raises(pycoro.ClosedError):
            use()
    assert "closed" in repr(handle) and "closed" in repr(engine)


def test_a_frame_freed_by_its_coroutine_is_invalid() -> None:
    with Engine(lowered(FREES_ITSELF)) as engine:
        handle = engine.start("g", 2)
        handle.resume()
        assert not handle.done
        handle.resume()
        assert handle.done and handle.destroyed
        with pytest.raises(LifecycleError, match="its frame is freed"):
            handle.resume()
        never = engine.start("g", 0)
        assert never.destroyed, "it ended before it was suspended"
        others = [engine.start("g", 3) for _ in range(50)]
        assert handle.destroyed and not any(other.destroyed for other in others)
        for other in others:
            other.destroy()


def test_with_and_iteration(counting: tuple[Engine, list[int]]) -> None:
    engine, printed = counting
    with engine.start("counter", 95) as handle:
        assert list(handle) == [95, 96, 97, 98, 99]
        assert list(handle) == []
    assert handle.destroyed and printed == [95, 96, 97, 98, 99]
    with engine.start("counter", 1) as handle:
        handle.destroy()


@pytest.mark.parametrize(
    ("kind", "align", "value", "first", "second"),
    [
        ("i32", 4, "-7", -7, 8),
        ("i1", 1, "true", True, False),
        ("i8", 1, "200", -56, 100),
        ("i64", 8, "-1", -1, 1 << 40),
        ("i128", 16, "-3", -3, 1 << 100),
        ("float", 4, "1.5", 1.5, -0.25),
        ("double", 8, "0.1", 0.1, 1e300),
        ("ptr", 8, "null", 0, 4096),
        ("i32", 64, "5", 5, 6),
        ("{ i32, i64 }", 8, "{ i32 1, i64 2 }", (1, 2), (3, -4)),
        ("<{ i8, i64 }>", 1, "<{ i8 1, i64 2 }>", (1, 2), (3, -4)),
        ("[3 x i16]", 2, "[i16 1, i16 2, i16 3]", (1, 2, 3), (4, 5, 6)),
        ("{ i8, { double, [2 x i1] } }", 8, "zeroinitializer", (0, (0.0, (False, False))), (1, (2.5, (True, False)))),
        ("<4 x i32>", 16, "<i32 1, i32 2, i32 3, i32 4>", (1, 2, 3, 4), (-1, 0, 1, 2)),
    ],
)
def test_promises_of_every_type(kind: str, align: int, value: str, first: object, second: object) -> None:
    ir = PROMISE.replace("%kind", kind).replace("%align", str(align)).replace("%value", value)
    report = lowered(ir)
    for known in (report, report.module):  # a module has no promise type, a report has
        spelled = None if known is report else f"{kind}, align {align}"
        with Engine(known) as engine, engine.start("p", promise=spelled) as handle:
            assert handle.promise == first
            handle.promise = second
            assert handle.promise == second
            handle.resume()
            assert engine.handle(handle.address).promise == second, "handles of one frame know the same"
            seen = host_kinds().kind(kind)
            assert seen.from_bytes(ctypes.string_at(engine.address("seen"), seen.size)) == second


def test_an_unknown_promise_type_must_be_given() -> None:
    ir = PROMISE.replace("%kind", "i32").replace("%align", "4").replace("%value", "1")
    with Engine(lowered(ir).module) as engine, engine.start("p") as handle:
        with pytest.raises(pycoro.UsageError, match="promise='i32'"):
            handle.promise  # noqa: B018
        assert next(handle, "stopped") == "stopped"
        with pytest.raises(pycoro.UsageError, match="not a type"):
            engine.start("p", promise="%struct.task")


def test_scalars_are_passed_and_returned() -> None:
    with Engine(pycoro.Module(SCALARS)) as engine:
        call = engine.call
        assert call("not", True) is False and call("not", 0) is True
        assert (call("minus8", 100), call("minus8", 128), call("minus8", 255)) == (-100, -128, 1)
        assert (call("minus16", -5), call("minus64", 1 << 62), call("minus20", 1 << 19)) == (5, -1 << 62, -1 << 19)
        assert call("half_of", 3) == 1.5 and call("product", 1.5, -4) == -6.0
        assert call("first", ctypes.c_int32(77)) == 77 and call("first", None) == -1 and call("same", 12345) == 12345
        assert len(engine) == 10 and "not" in engine and "nothing" not in engine and "pair" in list(engine)
        assert engine["not"].type == "i1 (i1)" and not engine["same"].is_ramp
        with pytest.raises(OverflowError, match="300 does not fit i8"):
            call("minus8", 300)
        with pytest.raises(TypeError, match="expected an int for i32, got float"):
            call("product", 1.0, 1.0)
        with pytest.raises(TypeError, match="expected a float for double, got str"):
            call("product", "1", 1)
        with pytest.raises(TypeError, match="takes 2 arguments"):
            call("product", 1.0)
        with pytest.raises(TypeError, match=r"takes 1 argument \("):
            call("minus8")
        with pytest.raises(pycoro.UsageError, match=r"@pair.*cannot be called from Python: its result"):
            call("pair")
        with pytest.raises(pycoro.UsageError, match="returns no handle"):
            engine.start("minus8", 1)
        with pytest.raises(KeyError):
            call("nothing")


def test_callables_get_and_give_typed_values() -> None:
    asked: list[tuple[object, ...]] = []

    def ask(x: int, p: int, flag: bool, f: float) -> int:
        asked.append((x, ctypes.c_int32.from_address(p).value if p else None, flag, f))
        return x - 100

    with Engine(pycoro.Module(ASKS), externals={"ask": ask}) as engine:
        assert engine.call("asks", 5) == -195
    assert asked == [(5, 99, True, 2.5), (-95, None, False, -1.0)]


def test_an_exception_in_a_callable_propagates_to_the_python_caller(counting: tuple[Engine, list[int]]) -> None:
    class Stop(BaseException):
        pass

    def ask(*_: object) -> int:
        raise Stop

    with Engine(pycoro.Module(ASKS), externals={"ask": ask}) as engine:
        with pytest.raises(Stop) as caught:
            engine.call("asks", 5)
        assert caught.value.__notes__ == ["compiled code went on, and its callbacks raised 1 more"]
    with Engine(pycoro.Module(ASKS), externals={"ask": lambda *_: "text"}) as engine, pytest.raises(TypeError) as wrong:
        engine.call("asks", 5)
    assert "@ask" in wrong.value.__notes__[0]


def test_an_exception_passes_through_nested_calls() -> None:
    handles: list[Handle] = []

    def nested(x: int) -> None:
        if x == 1:
            with pytest.raises(ZeroDivisionError):
                handles[0].resume()
            raise KeyError(x)
        raise ZeroDivisionError

    with Engine(lowered(COUNTER), externals={"print": lambda x: nested(x) if handles else None}) as engine:
        handles.append(engine.start("counter", 7))
        with pytest.raises(KeyError):
            engine.start("counter", 1)


def test_an_available_externally_definition() -> None:
    """An `available_externally` body is compiled once, if no other definition exists; earlier bindings take precedence."""
    ir = """
    @table = available_externally constant i32 4
    define available_externally i32 @copy(i32 %x) {
      %t = load i32, ptr @table
      %y = mul i32 %x, %t
      ret i32 %y
    }
    define i32 @NAME(i32 %x) {
      %y = call i32 @copy(i32 %x)
      ret i32 %y
    }
    """
    for trusted in (False, True):
        with Engine(pycoro.Module(ir.replace("NAME", "f")), trusted=trusted) as engine:
            engine.add(pycoro.Module("declare i32 @copy(i32)\n" + ir[ir.index("    define i32 @NAME") :].replace("NAME", "g")))
            engine.add(pycoro.Module(ir.replace("NAME", "h").replace("constant i32 4", "constant i32 5")))
            assert [engine.call(name, 10) for name in "fgh"] == [40, 40, 40]
        with Engine(pycoro.Module(ir.replace("NAME", "f")), externals={"copy": lambda x: x + 1}, trusted=trusted) as engine:
            assert engine.call("f", 10) == 11
        first = pycoro.Module("define i32 @copy(i32 %x) {\n  ret i32 77\n}\n")
        with Engine(first, pycoro.Module(ir.replace("NAME", "f")), trusted=trusted) as engine:
            assert engine.call("f", 10) == 77


def test_bindings_of_symbols() -> None:
    libc = ctypes.CDLL(None)
    address = ctypes.cast(libc.labs, ctypes.c_void_p).value
    ir = "declare i64 @size_of(i64)\ndefine i64 @f(i64 %x) {\n %y = call i64 @size_of(i64 %x)\n ret i64 %y\n}\n"
    assert address
    with Engine(pycoro.Module(ir), externals={"size_of": address}) as engine:
        assert engine.call("f", -5) == 5
    with Engine(pycoro.Module(ir), externals={"size_of": libc.labs}) as engine:
        assert engine.call("f", -5) == 5
    with pytest.raises(pycoro.JitError, match="@size_of is declared but not defined"):
        Engine(pycoro.Module(ir))
    with Engine(pycoro.Module(ir.replace("size_of", "labs"))) as engine:
        assert engine.call("f", -5) == 5, "found in the process"
    math = ir.replace("size_of", "floor").replace("i64", "double")
    with Engine(pycoro.Module(math), libraries=["libm.so.6"]) as engine:
        assert engine.call("f", 27.5) == 27.0
    definition = pycoro.Module("define i64 @size_of(i64 %x) {\n ret i64 8\n}\n")
    with Engine(definition, pycoro.Module(ir)) as engine:
        assert engine.call("f", -5) == 8, "defined by a module that was added before"
    variadic = "declare void @log(ptr, ...)\ndefine void @f() {\n call void (ptr, ...) @log(ptr null)\n ret void\n}\n"
    with pytest.raises(pycoro.UsageError, match=r"@log.*cannot be bound to a Python callable: it is variadic"):
        Engine(pycoro.Module(variadic), externals={"log": print})


def test_globals_can_be_bound() -> None:
    ir = "@place = external global i32\ndefine i32 @f() {\n %v = load i32, ptr @place\n ret i32 %v\n}\n"
    place = ctypes.c_int32(0)
    with Engine(pycoro.Module(ir), externals={"place": place}) as engine:
        assert engine.call("f") == 0
        place.value = 5
        assert engine.call("f") == 5
    with pytest.raises(pycoro.JitError, match="the variable @place is declared but not defined"):
        Engine(pycoro.Module(ir))
    with pytest.raises(TypeError, match="expected an address"):
        Engine(pycoro.Module(ir), externals={"place": "text"})
    cout = "@_ZSt4cout = external global i8\ndefine ptr @f() {\n ret ptr @_ZSt4cout\n}\n"
    with Engine(pycoro.Module(cout), libraries=["libstdc++.so.6"]) as engine:
        assert engine.call("f") == ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL("libstdc++.so.6"), "_ZSt4cout"))


def test_a_layout_dependent_module_without_a_layout_is_rejected() -> None:
    ir = "define i64 @f(ptr %p) {\n %v = load %kind, ptr %p\n %w = extractvalue %kind %v, 1\n ret i64 %w\n}\n"
    sizes = r"\{ i8, i64 \} takes 12 bytes in LLVM's default layout, but 16 on the machine"
    with pytest.raises(pycoro.JitError, match=sizes) as caught:
        Engine(pycoro.Module(ir.replace("%kind", "{ i8, i64 }")))
    assert "host=True" in caught.value.diagnostics[0].hint
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Engine(pycoro.Module(ir.replace("%kind", "{ i64, i64 }"))).close()
        Engine(pycoro.Module(for_host(ir.replace("%kind", "{ i8, i64 }")))).close()
        Engine(pycoro.Module(ir.replace("%kind", "{ i8, i64 }"), host=True)).close()


def test_unlowered_coroutines_are_rejected() -> None:
    with (
        pycoro.Module(COUNTER) as module,
        pytest.raises(pycoro.RejectedError, match=r"still contains a call of llvm\.coro") as caught,
    ):
        Engine(module, externals={"print": id})
    assert caught.value.diagnostics[0].function == "counter" and caught.value.diagnostics[0].hint
    with pytest.raises(TypeError, match="lowered Module or a Report"):
        Engine(COUNTER)  # type: ignore[arg-type]


def test_failed_compilation_raises_without_side_effects(capfd: pytest.CaptureFixture[str]) -> None:
    with Engine(pycoro.Module(SCALARS)) as engine:
        with pytest.raises(pycoro.JitError, match="@not is already defined or bound in the engine"):
            engine.add(pycoro.Module(SCALARS))
        assembly = 'define void @g() {\n call void asm sideeffect "bogus", ""()\n ret void\n}\n'
        with pytest.raises(pycoro.JitError, match="bogus"):
            engine.add(pycoro.Module(assembly))
        with pytest.raises(pycoro.JitError, match="for target .sparc"):
            engine.add(pycoro.Module('target triple = "sparc"\n'))
        assert engine.call("minus8", 1) == -1
    assert capfd.readouterr() == ("", "")


def test_the_engine_outlives_its_module() -> None:
    report = lowered(SCALARS)
    engine = Engine(report)
    report.module.close()
    assert engine.call("minus8", 1) == -1
    engine.close()


def test_any_order_of_deletion(capfd: pytest.CaptureFixture[str]) -> None:
    printed: list[int] = []
    engine = Engine(lowered(COUNTER), externals={"print": printed.append})
    handle, function = engine.start("counter", 1), engine["counter"]
    del engine
    gc.collect()
    handle.resume()
    del handle
    gc.collect()
    assert function.call(5) and printed == [1, 2, 5]
    del function
    gc.collect()

    def a_cycle_through_the_callable() -> None:
        engines: list[Engine] = []
        engines.append(Engine(lowered(COUNTER), externals={"print": lambda x: printed.append(len(engines))}))
        engines[0].start("counter", 1)

    a_cycle_through_the_callable()
    gc.collect()
    assert pycoro._core.live()["engines"] == 0 and capfd.readouterr() == ("", "")


def test_code_is_not_freed_while_it_runs() -> None:
    errors: list[BaseException] = []
    engines: list[Engine] = []

    def close(_: int) -> None:
        try:
            engines[0].close()
        except pycoro.BusyError as error:
            errors.append(error)

    engines.append(Engine(lowered(COUNTER), externals={"print": close}))
    handle = engines[0].start("counter", 1)
    handle.resume()
    assert len(errors) == 2
    handle.destroy()
    engines[0].close()


def test_constructors_and_destructors_run() -> None:
    said: list[int] = []
    ir = (
        "declare void @say(i32)\n"
        "define internal void @up() {\n call void @say(i32 1)\n ret void\n}\n"
        "define internal void @down() {\n call void @say(i32 2)\n ret void\n}\n"
        "%entry = type { i32, ptr, ptr }\n"
        "@llvm.global_ctors = appending global [1 x %entry] [%entry { i32 1, ptr @up, ptr null }]\n"
        "@llvm.global_dtors = appending global [1 x %entry] [%entry { i32 1, ptr @down, ptr null }]\n"
    )
    for trusted in (False, True):
        with Engine(pycoro.Module(ir), externals={"say": said.append}, trusted=trusted):
            pass
        assert said == [], "nothing of it was called"
    engine = Engine(pycoro.Module(ir), externals={"say": said.append})
    engine.run_constructors()
    engine.run_constructors()
    assert said == [1]
    engine.close()
    assert said == [1, 2]
    engine = Engine(pycoro.Module(ir), externals={"say": said.append})
    engine.run_constructors()
    del engine
    gc.collect()
    assert said == [1, 2, 1, 2]


CONSTRUCTED = (
    "declare void @say(i32)\n"
    "define internal void @up() {{\n  call void @say(i32 {0})\n  ret void\n}}\n"
    "define i32 @f{0}() {{\n  ret i32 {0}\n}}\n"
    "@llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}] [{{ i32, ptr, ptr }} {{ i32 1, ptr @up, ptr null }}]\n"
)


def test_constructors_run_once_at_the_first_call_in_the_order_of_their_modules() -> None:
    said: list[int] = []
    modules = [pycoro.Module(CONSTRUCTED.format(number)) for number in (1, 2)]
    with Engine(*modules, externals={"say": said.append}) as engine:
        function = engine["f2"]
        assert said == [] and engine.address("f1")
        assert function() == 2 and said == [1, 2]
        assert engine.call("f1") == 1 and said == [1, 2]
        engine.add(pycoro.Module(CONSTRUCTED.format(3)))
        assert said == [1, 2] and function() == 2 and said == [1, 2, 3]


def test_a_constructor_may_call_its_engine_and_raise() -> None:
    said: list[int] = []

    def say(number: int) -> None:
        said.append(engine.call("f1"))
        raise ZeroDivisionError

    with Engine(pycoro.Module(CONSTRUCTED.format(1)), externals={"say": say}) as engine:
        with pytest.raises(ZeroDivisionError):
            engine.call("f1")
        assert engine.call("f1") == 1 and said == [1]


def test_threads_wait_for_the_constructors() -> None:
    order: list[str] = []

    def say(number: int) -> None:
        time.sleep(0.2)
        order.append("constructed")

    def call() -> None:
        engine.call("f1")
        order.append("called")

    with Engine(pycoro.Module(CONSTRUCTED.format(1)), externals={"say": say}) as engine:
        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert order == ["constructed", *["called"] * 4]


def test_handles_of_other_engines_and_threads() -> None:
    printed: list[int] = []
    with (
        Engine(lowered(COUNTER), externals={"print": printed.append}) as one,
        Engine(lowered(COUNTER), externals={"print": printed.append}) as other,
    ):
        handle = one.start("counter", 1)
        assert other.handle(handle.address).address == handle.address
        results: list[int] = []

        def work(start: int) -> None:
            with one.start("counter", start) as mine:
                results.append(sum(mine))

        threads = [threading.Thread(target=work, args=(n,)) for n in (10, 20, 30, 40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == [sum(range(n, 100)) for n in (40, 30, 20, 10)]
        handle.destroy()
        with pytest.raises(LifecycleError, match="null pointer"):
            one.handle(0)


def test_llvm_s_lowering_runs() -> None:
    passes = ["opt-22", "-passes=coro-early,cgscc(coro-split),coro-cleanup", "-S"]
    ir = subprocess.run(passes, input=for_host(COUNTER), text=True, capture_output=True, check=True).stdout
    printed: list[int] = []
    with Engine(pycoro.Module(ir), externals={"print": printed.append}) as engine:
        assert engine["counter"].is_ramp
        with engine.start("counter", 97, promise="i32") as handle:
            assert list(handle) == [98, 99]
    assert printed == [97, 98, 99]


QUICK = """
@byte = global i8 -1
define linkonce_odr i32 @once() {
  ret i32 4
}
define i8 @f(i1 %c) {
  store i2 -2, ptr @byte
  br i1 false, label %never, label %end
never:
  call void @nobody.defines.this()
  br label %end
end:
  %b = load i8, ptr @byte
  ret i8 %b
}
define internal void @nobody.defines.this() {
  unreachable
}
"""


def test_a_quick_engine_gives_the_same_results() -> None:
    """Symbols stay accessible with any linkage; a two-bit constant occupies a byte in memory."""
    results = []
    for quick in (False, True):
        with Engine(pycoro.Module(QUICK), quick=quick) as engine:
            results.append((engine.call("once"), engine.call("f", True)))
    assert results == [(4, 2), (4, 2)]


PASSED_ON = """
define i32 @choose(i8 %n) {
entry:
  switch i8 %n, label %none [
    i8 1, label %one
    i8 -7, label %few
  ]
one:
  %odd = trunc i8 %n to i1
  %a = call swifttailcc i32 @told(ptr swiftasync null, i1 %odd, i1 true)
  ret i32 %a
few:
  %same = icmp eq i8 %n, 3
  %b = call swifttailcc i32 @told(ptr swiftasync null, i1 false, i1 %same)
  ret i32 %b
none:
  ret i32 9
}
define swifttailcc i32 @told(ptr swiftasync %context, i1 %a, i1 zeroext %b) {
  %wide.a = zext i1 %a to i32
  %wide.b = zext i1 %b to i32
  %twice = shl i32 %wide.a, 1
  %sum = or i32 %twice, %wide.b
  %null = icmp eq ptr %context, null
  %told = select i1 %null, i32 %sum, i32 -1
  ret i32 %told
}
"""


@pytest.mark.parametrize(("n", "told"), [(1, 3), (-7, 0), (2, 9)])
def test_switches_and_booleans_are_the_same_in_a_quick_engine(n: int, told: int) -> None:
    for quick in (False, True):
        with Engine(pycoro.Module(PASSED_ON), quick=quick) as engine:
            assert engine.call("choose", n) == told


NARROW = """
@kept = global i8 0
define i32 @choose(i8 %n) {
  %index = trunc i8 %n to i3
  %given = call i32 @of(i3 %index)
  store i3 %index, ptr @kept
  %kept = call i32 @of.kept()
  %ten = mul i32 %given, 10
  %both = add i32 %ten, %kept
  ret i32 %both
}
"""
OF = """
define internal i32 @{name} {{
entry:
  {read}
  switch i3 %index, label %other [
    i3 -4, label %least
    i3 3, label %most
  ]
least:
  br label %other
most:
  br label %other
other:
  %told = phi i32 [ 1, %least ], [ 2, %most ], [ 3, %entry ]
  ret i32 %told
}}
"""
NARROW += OF.format(name="of(i3 %index)", read="") + OF.format(name="of.kept()", read="%index = load i3, ptr @kept")


@pytest.mark.parametrize(("n", "told"), [(4, 11), (12, 11), (3, 22), (0, 33), (-1, 33)])
def test_switches_of_few_bits_are_the_same_in_a_quick_engine(n: int, told: int) -> None:
    for quick in (False, True):
        with Engine(pycoro.Module(NARROW), quick=quick) as engine:
            assert engine.call("choose", n) == told


HANDED_ON = """
define i64 @begin(i64 %n) {
  %context = alloca i64, align 16
  store i64 %n, ptr %context
  call swifttailcc void @first(ptr swiftasync %context, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7)
  %told = load i64, ptr %context
  ret i64 %told
}
define swifttailcc void @first(ptr swiftasync %context, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) {
  %n = load ptr, ptr @second.pointer
  musttail call swifttailcc void %n(ptr swiftasync %context, i64 %g, i64 %f, i64 %e, i64 %d, i64 %c, i64 %b, ptr swiftself %context)
  ret void
}
@second.pointer = constant ptr @second
declare swifttailcc void @second(ptr swiftasync, i64, i64, i64, i64, i64, i64, ptr swiftself)
"""
HANDED_OVER = """
define swifttailcc void @second(ptr swiftasync %context, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, ptr swiftself %same) {
  %n = load i64, ptr %context
  %ten = mul i64 %n, 10
  %told = add i64 %ten, %a
  musttail call swifttailcc void @third(ptr swiftasync %same, i64 %told)
  ret void
}
define internal swifttailcc void @third(ptr swiftasync %context, i64 %told) {
  store i64 %told, ptr %context
  ret void
}
"""
ASKED = """
declare ptr @llvm.swift.async.context.addr()
define i64 @begin(i64 %n) {
  %context = alloca i64
  store i64 %n, ptr %context
  %told = call swifttailcc i64 @first(ptr swiftasync %context)
  ret i64 %told
}
define swifttailcc i64 @first(ptr swiftasync %context) "frame-pointer"="all" {
  %at = call ptr @llvm.swift.async.context.addr()
  %kept = load ptr, ptr %at
  %n = load i64, ptr %kept
  ret i64 %n
}
"""


@pytest.mark.parametrize(("modules", "told"), [((HANDED_OVER, HANDED_ON), 57), ((ASKED,), 5)])
def test_contexts_are_passed_in_a_quick_engine(modules: tuple[str, ...], told: int) -> None:
    """Contexts pass between modules through tail calls, next to a swiftself, and to functions that store their address."""
    for quick in (False, True):
        with Engine(quick=quick) as engine:
            for ir in modules:
                engine.add(pycoro.Module(ir))
            assert engine.call("begin", 5) == told


def test_adding_a_module_closes_it() -> None:
    """The module is closed even if it cannot be compiled."""
    good, bad = (
        pycoro.Module(PASSED_ON)._core,
        pycoro.Module("define void @f() {\n  call void @nowhere()\n  ret void\n}\ndeclare void @nowhere()\n")._core,
    )
    engine = pycoro._core.Engine()
    assert engine.take(good) == () and good.is_closed
    with pytest.raises(pycoro.JitError, match="@nowhere"):
        engine.take(bad)
    with pytest.raises(pycoro.ClosedError):
        engine.take(bad)
    assert engine.lookup("choose")
    engine.close()


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("taken", ["@pycoro.parts.{0} = global i8 1", "define internal void @pycoro.init.{0}() {{\n  ret void\n}}"])
def test_names_reserved_by_the_engine(counter: str, taken: str, *, trusted: bool) -> None:
    module = pycoro.lower(counter).module
    text = str(module) + "".join(taken.format(number) + "\n" for number in range(3))
    with pycoro.Engine(pycoro.Module(text), externals={"print": lambda n: None}, trusted=trusted) as engine:
        handle = engine.start("counter", 4)
        assert engine.handle(handle.address)._frame.function == "counter"
        assert set(engine._frames.parts.values()) == {"counter"}
        assert 0 not in engine._frames.parts
        handle.destroy()


def test_missing_symbols_may_be_unnamed() -> None:
    engine = pycoro.Engine()
    with pytest.raises(pycoro.JitError, match="declared but not defined"):
        engine.add(pycoro.Module("@0 = external global i32\ndefine ptr @f() {\n  ret ptr @0\n}\n"))


@pytest.mark.parametrize("quick", [False, True])
def test_a_function_without_code_has_a_unique_address(*, quick: bool) -> None:
    """A function without code would share the next function's address, which then could not be unwound through."""
    text = "define i32 @first() { ret i32 1 }\ndefine void @never() { unreachable }\ndefine i32 @second() { ret i32 2 }\n"
    with pycoro.Engine(pycoro.Module(text, host=True), quick=quick) as engine:
        places = {name: engine.address(name) for name in ("first", "never", "second")}
        assert len(set(places.values())) == 3
        assert (engine["first"](), engine["second"]()) == (1, 2)
