"""The interpreter's Python API: presplit coroutines driven as compiled ones are, and errors that end a call."""

from __future__ import annotations

import collections
import ctypes
import pathlib
import threading
from collections.abc import Callable
from typing import Any

import async_program
import pytest
from samples import CLEANUP, COUNTER

import pycoro
from pycoro.interpreter import Thrown
from pycoro.oracle import for_host

RETCON = pathlib.Path(__file__).parent.parent / "ir" / "retcon"

PROMISE = (
    """
define ptr @p(i32 %n) presplitcoroutine {
entry:
  %promise = alloca { i8, i32 }, align 32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @aligned_alloc(i64 32, i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %second = getelementptr inbounds { i8, i32 }, ptr %promise, i32 0, i32 1
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %out [ i8 0, label %one
    i8 1, label %cleanup ]
one:
  store i8 -1, ptr %promise
  store i32 %n, ptr %second
  %s1 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s1, label %out [ i8 0, label %never
    i8 1, label %cleanup ]
never:
  unreachable
"""
    + CLEANUP
    + """\
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
"""
)


def interpreter(body: str, **externals: Any) -> pycoro.Interpreter:
    return pycoro.Interpreter(body, externals=externals)


def function(body: str, rest: str = "") -> str:
    return f"define i32 @f(i32 %x) {{\n{body}\n}}\n{rest}"


def test_a_coroutine_is_driven_as_a_compiled_one_is() -> None:
    said: list[int] = []
    run = interpreter(COUNTER, print=said.append)
    ramp = next(name for name in run if run[name].is_ramp)
    assert repr(run[ramp]).endswith(", a ramp>")
    handle = run.start(ramp, 4)
    handle.resume()
    handle.resume()
    assert not handle.done
    handle.destroy()
    assert handle.destroyed
    assert said[:3] == [4, 5, 6]
    with pytest.raises(pycoro.LifecycleError, match="was destroyed"):
        handle.resume()
    assert run.steps > 10


def test_an_intrinsic_of_llvm_23_is_executed() -> None:
    dead = COUNTER.replace("  call void @free(ptr %used)", "  call void @free(ptr %used)\n  call void @llvm.coro.dead(ptr %frame)")
    shown: list[int] = []
    run = interpreter(dead + "declare void @llvm.coro.dead(ptr)\n", print=shown.append)
    run.start("counter", 4).destroy()
    assert shown == [4]


def test_the_promise_is_where_compiled_code_would_have_it() -> None:
    run = interpreter(PROMISE)
    handle = run.start("p", 7, promise="{ i8, i32 }, align 32")
    with pytest.raises(pycoro.UndefinedError, match="byte 0 of a value of type"):
        _ = handle.promise
    handle.resume()
    assert handle.promise == (-1, 7), "the padding between is written by nobody"
    assert ctypes.c_int32.from_address(handle.address + 36).value == 7
    handle.promise = (1, 2)
    assert handle.promise == (1, 2)
    assert handle.done
    with pytest.raises(pycoro.LifecycleError, match="is done"):
        handle.resume()
    handle.destroy()


def test_values_of_every_type_are_passed_and_returned() -> None:
    names = {"i1": True, "i8": -3, "i24": -70000, "i64": -(1 << 60), "float": 0.5, "double": 0.1, "ptr": 1 << 40}
    for kind, value in names.items():
        given: list[Any] = []

        def echo(arg: Any, given: list[Any] = given) -> Any:
            given.append(arg)
            return arg

        ir = "declare KIND @echo(KIND)\ndefine KIND @f(KIND %x) {\n %y = call KIND @echo(KIND %x)\n ret KIND %y\n}\n"
        run = interpreter(ir.replace("KIND", kind), echo=echo)
        assert run.call("f", value) == value
        assert given == [value]
        assert type(given[0]) is type(value)


def test_undefined_behaviour_is_an_error_with_its_place() -> None:
    run = interpreter(
        function("""
  %p = alloca i32
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, %x
  br i1 %c, label %a, label %a
a:
  ret i32 0""")
    )
    with pytest.raises(pycoro.UndefinedError) as caught:
        run.call("f", 1)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.rule == "undef"
    assert diagnostic.function == "f"
    assert diagnostic.instruction == "br i1 %c, label %a, label %a"
    with pytest.raises(pycoro.UndefinedError, match="the function's result is undefined"):
        interpreter(function("  ret i32 undef")).call("f", 1)


@pytest.mark.parametrize(
    ("externals", "hint"),
    [({}, "in `externals`, or .* native=True"), ({"strln": len}, "`externals` binds 'strln': did you mean 'strlen'")],
)
def test_missing_definitions_are_reported(externals: dict[str, Any], hint: str) -> None:
    run = interpreter(function("  %n = call i64 @strlen(ptr null)\n  ret i32 0", "declare i64 @strlen(ptr)"), **externals)
    with pytest.raises(pycoro.UnsupportedError, match=f"@strlen is not defined(?s:.*){hint}"):
        run.call("f", 1)


def test_unsupported_instructions_are_named() -> None:
    with pytest.raises(pycoro.UnsupportedError, match="@nowhere_to_be_found is not defined"):
        interpreter(function("  call void @nowhere_to_be_found()\n  ret i32 0", "declare void @nowhere_to_be_found()")).call("f", 1)
    scalable = "  %v = call <vscale x 2 x i64> @llvm.stepvector.nxv2i64()\n  ret i32 0"
    with pytest.raises(pycoro.UnsupportedError, match="stepvector"):
        interpreter(function(scalable)).call("f", 1)


def test_a_phi_of_an_unreachable_edge() -> None:
    ir = """
define i32 @f(i1 %x) {
entry:
  br i1 %x, label %a, label %b
dead:
  %p = add i32 4, 5
  br label %b
a:
  br label %b
b:
  %q = phi i32 [ %p, %dead ], [ 1, %a ], [ 2, %entry ]
  ret i32 %q
}
"""
    with pycoro.Interpreter(ir) as interpreter:
        assert [interpreter.call("f", x) for x in (True, False)] == [1, 2]


def test_limits() -> None:
    endless = function("  br label %l\nl:\n  br label %l")
    with pytest.raises(pycoro.LimitError, match="exceeded the limit of 1000 steps"):
        pycoro.Interpreter(endless, steps=1000).call("f", 1)
    deep = function("  %y = call i32 @f(i32 %x)\n  ret i32 %y")
    with pytest.raises(pycoro.LimitError, match="nest deeper than 50"):
        pycoro.Interpreter(deep, depth=50).call("f", 1)
    tail = "define void @f(i32 %x) {\n  musttail call void @f(i32 %x)\n  ret void\n}\n"
    with pytest.raises(pycoro.LimitError, match="steps"):
        pycoro.Interpreter(tail, depth=50, steps=1000).call("f", 1)


def test_an_exception_in_a_callable_ends_the_call() -> None:
    def fail(_: int) -> None:
        raise KeyError("mine")

    run = interpreter(function("  call void @say(i32 %x)\n  ret i32 %x", "declare void @say(i32)"), say=fail)
    with pytest.raises(KeyError, match="mine"):
        run.call("f", 1)
    run._defined["say"] = lambda _: None
    assert run.call("f", 2) == 2, "it can be used on"
    bad = interpreter(function("  %y = call i32 @ask()\n  ret i32 %y", "declare i32 @ask()"), ask=lambda: "no")
    with pytest.raises(TypeError, match="expected an int"):
        bad.call("f", 1)


def test_a_callable_may_throw_a_program_exception() -> None:
    body = """
  invoke void @risky() to label %fine unwind label %caught
fine:
  ret i32 0
caught:
  %pad = landingpad { ptr, i32 } catch ptr @_ZTIi catch ptr null
  %selector = extractvalue { ptr, i32 } %pad, 1
  %id = call i32 @llvm.eh.typeid.for.p0(ptr @_ZTIi)
  %is = icmp eq i32 %selector, %id
  %r = select i1 %is, i32 1, i32 2
  ret i32 %r"""
    ir = function(
        body,
        "declare void @risky()\ndeclare i32 @p(...)\ndeclare i32 @llvm.eh.typeid.for.p0(ptr)\n@_ZTIi = external constant ptr\n",
    )
    ir = ir.replace("@f(i32 %x) {", "@f(i32 %x) personality ptr @p {")

    def risky() -> None:
        raise Thrown(16, kind)

    run = interpreter(ir, risky=risky)
    kind = run.address("_ZTIi")
    assert run.call("f", 0) == 1
    kind = 0
    assert run.call("f", 0) == 2, "of no type: caught by the clause for all"


def test_a_callable_may_reenter_the_interpreter() -> None:
    run: pycoro.Interpreter

    def ask(n: int) -> int:
        answer: int = run.call("f", n - 1)
        return answer

    body = """
  %c = icmp eq i32 %x, 0
  br i1 %c, label %z, label %n
z:
  ret i32 100
n:
  %y = call i32 @ask(i32 %x)
  %r = add i32 %y, 1
  ret i32 %r"""
    run = interpreter(function(body, "declare i32 @ask(i32)"), ask=ask)
    assert run.call("f", 10) == 110
    with pytest.raises(pycoro.LimitError, match="nest deeper"):
        run.call("f", 10000)


def test_one_thread_at_a_time() -> None:
    inside, leave = threading.Event(), threading.Event()

    def wait() -> None:
        inside.set()
        leave.wait(120)

    run = interpreter(function("  call void @wait()\n  ret i32 %x", "declare void @wait()"), wait=wait)
    address = run.address("f")
    thread = threading.Thread(target=run.call, args=("f", 1))
    thread.start()
    inside.wait(120)
    with pytest.raises(pycoro.BusyError, match="another thread"):
        run.call("f", 1)
    with pytest.raises(pycoro.BusyError):
        run.close()
    core = run._core
    for query in (core.defined, core.owns, core.wrote):
        with pytest.raises(pycoro.BusyError):
            query(address, 8)
    for of_handle in (core.done, core.coroutine):
        with pytest.raises(pycoro.BusyError):
            of_handle(address)
    with pytest.raises(pycoro.BusyError):
        core.trust()
    leave.set()
    thread.join()
    run.close()
    run.close()
    with pytest.raises(pycoro.ClosedError):
        run.call("f", 1)


def test_globals_of_the_host() -> None:
    place = ctypes.c_int32(5)
    run = interpreter(
        function(
            "  %v = load i32, ptr @v\n  %s = add i32 %v, %x\n  store i32 %s, ptr @v\n  ret i32 %s", "@v = external global i32"
        ),
        v=place,
    )
    assert run.call("f", 2) == 7
    assert place.value == 7
    assert run.address("v") == ctypes.addressof(place)


def test_functions_of_the_process() -> None:
    body = "  %n = call i32 (ptr, i64, ptr, ...) @snprintf(ptr @room, i64 16, ptr @format, i32 %x, double 2.5)\n  ret i32 %n"
    rest = '@room = global [16 x i8] zeroinitializer\n@format = constant [6 x i8] c"%d %g\\00"\n'
    rest += "declare i32 @snprintf(ptr, i64, ptr, ...)\n"
    with pytest.raises(pycoro.UnsupportedError, match="@snprintf is not defined"):
        interpreter(function(body, rest)).call("f", -12)
    run = pycoro.Interpreter(function(body, rest), native=True)
    assert run.call("f", -12) == 7
    assert ctypes.string_at(run.address("room")) == b"-12 2.5"


def test_natives_by_address() -> None:
    called: list[int] = []
    natives: dict[int, Callable[..., Any]] = {64: called.append}
    ir = "define void @f(ptr %p) {\n  call void %p(i32 9)\n  ret void\n}\n"
    run = pycoro.Interpreter(ir, natives=natives)
    run.call("f", 64)
    assert called == [9]
    with pytest.raises(pycoro.UndefinedError, match="is not a function"):
        run.call("f", 65)


def test_an_interpreter_runs_one_module() -> None:
    run = interpreter(function("  ret i32 %x"))
    with pytest.raises(pycoro.UsageError, match="one module"):
        run.add(pycoro.Module(""))
    assert (run.triple, run.data_layout) == ("", "")
    assert repr(run) == "<Interpreter: 1 functions>"


@pytest.mark.parametrize("name", ["generator-in-buffer", "once-with-results", "never-suspends"])
def test_returned_continuations(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    ir = (RETCON / f"{name}.ll").read_text()
    expected = next(line for line in ir.splitlines() if line.startswith("; OUT:"))
    assert pycoro.Interpreter(ir, native=True).call("main") == 0
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr().out.strip() == expected.removeprefix("; OUT:").strip()


def test_destroying_a_coroutine_ended_by_an_exception(capfd: pytest.CaptureFixture[str]) -> None:
    """Destroying it ends it as the ramp would, if the program defines that; otherwise it is an error."""
    ir = (RETCON.parent / "switch" / "destroyed-by-either-end.ll").read_text()
    with pytest.raises(pycoro.UndefinedError, match="no final suspend to destroy it from"):
        pycoro.Interpreter(ir, native=True).call("main")
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr().out.split() == ["1", "-1", "10", "5", "8", "1", "-1", "20", "6", "8", "20", "5", "8", "1", "-1"]


class Executor(async_program.Executor):
    """Interprets the presplit program."""

    def __init__(self, text: str) -> None:
        self.queue = collections.deque()
        self.live, self.results, self.overrun = {}, [], []
        self.most = self.made = 0
        externals: dict[str, Callable[..., Any]] = {
            "task_alloc": self.alloc,
            "task_dealloc": self.dealloc,
            "enqueue": lambda function, context: self.queue.append((function, context)),
            "finished": self.results.append,
        }
        self.engine = pycoro.Interpreter(for_host(text), externals=externals)

    def alloc(self, size: int) -> int:
        return self.engine.share(super().alloc(size), size)

    def dealloc(self, address: int) -> None:
        super().dealloc(address)
        self.engine.unshare(address)


@pytest.mark.parametrize("depth", [1, 2, 10])
def test_async_coroutines_await_each_other(depth: int) -> None:
    executor = Executor(async_program.chain(depth))
    assert executor.start("f1", 7) == async_program.chain_result(depth, 7)
    assert not executor.live and not executor.overrun


def test_a_continuation_without_a_waiter() -> None:
    executor = Executor(async_program.chain(1))
    executor.enter("f1", 3)
    again = executor.queue[0]
    executor.drain()
    with pytest.raises(pycoro.UndefinedError, match="no coroutine with this buffer or context is suspended"):
        executor.engine.call("run", *again)


@pytest.mark.parametrize("word", ["no_cfi", "dso_local_equivalent"])
def test_unsupported_constants_with_function_addresses(word: str) -> None:
    text = "define void @g() {\n  ret void\n}\ndefine void @f() {\n  %p = alloca ptr\n"
    text += f"  store ptr {word} @g, ptr %p\n  ret void\n}}\n"
    with pycoro.Interpreter(for_host(text)) as run, pytest.raises(pycoro.Error, match="does not support"):
        run.call("f")


@pytest.mark.parametrize(("label", "block"), [("2", "%2"), ("b" * 200, "%" + "b" * 200)])
def test_an_error_names_its_block(label: str, block: str) -> None:
    run = interpreter(f"""
define i32 @f(i32) {{
  br label %{label}
{label}:
  %r = udiv i32 1, %0
  ret i32 %r
}}
""")
    with pytest.raises(pycoro.UndefinedError) as caught:
        run.call("f", 0)
    assert caught.value.diagnostics[0].block == block


def transfer_to_noop(of_noop: str) -> str:
    """A coroutine that transfers control as the final awaiter of a C++ task does, to a no-op coroutine like libstdc++'s."""
    return (
        """
@noop = internal global { ptr, ptr } { ptr @ignore, ptr @ignore }
define ptr @task() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %save = call token @llvm.coro.save(ptr %hdl)
  call void @llvm.coro.await.suspend.handle(ptr null, ptr %hdl, ptr @await.suspend)
  %s = call i8 @llvm.coro.suspend(token %save, i1 true)
  switch i8 %s, label %out [ i8 0, label %never
    i8 1, label %cleanup ]
never:
  unreachable
"""
        + CLEANUP
        + f"""\
define internal ptr @await.suspend(ptr %awaiter, ptr %handle) {{
  ret ptr @noop
}}
define internal {of_noop} {{
  ret void
}}
define void @resume(ptr %p) {{
  call void %p(ptr null)
  ret void
}}
define void @resume.ignore() {{
  call void @resume(ptr @ignore)
  ret void
}}
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.coro.await.suspend.handle(ptr, ptr, ptr)
"""
    )


def test_a_resume_function_without_parameters_ignores_the_handle() -> None:
    run = pycoro.Interpreter(transfer_to_noop("void @ignore()"), native=True)
    assert [stop.state for stop in run.trace("task")] == ["done", "destroyed"]
    with pytest.raises(pycoro.UndefinedError, match="the number of arguments differs"):
        run.call("resume.ignore")


@pytest.mark.parametrize("of_noop", ["fastcc void @ignore()", "void @ignore(ptr %handle, ptr %more)"])
def test_a_resume_function_with_other_parameters_is_an_error(of_noop: str) -> None:
    ir = transfer_to_noop(of_noop)
    with pytest.raises(pycoro.UndefinedError, match="the number of arguments differs"):
        pycoro.Interpreter(ir, native=True).call("task")
