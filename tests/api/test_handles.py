"""Uses of handles that would crash the process raise an error and leave the coroutine unchanged."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from collections.abc import Callable, Iterator

import pytest
from samples import CLEANUP, COUNTER

import pycoro
from pycoro.engine import Engine, Handle, LifecycleError
from pycoro.running.memory import copy_memory_or_none

HEAD = """
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
"""
MEMORY = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"

# Emits its handle before the first suspend and at each resume; has no final suspend.
SHOWS = (
    "define ptr @shows() presplitcoroutine {\nentry:\n"
    "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)"
    + HEAD
    + """
  br label %loop
loop:
  call void @show(ptr %hdl)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %loop
                             i8 1, label %cleaning ]
cleaning:
  call void @cleaning(ptr %hdl)
  br label %cleanup
"""
    + CLEANUP
    + "declare void @show(ptr)\ndeclare void @cleaning(ptr)\n"
    + MEMORY
)

# Saves its second suspend, then starts an operation with the handle.
SAVES = (
    "define ptr @saves() presplitcoroutine {\nentry:\n"
    "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)"
    + HEAD
    + """
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %out [ i8 0, label %running
                                 i8 1, label %cleaning ]
running:
  call void @show(ptr %hdl)
  %save = call token @llvm.coro.save(ptr %hdl)
  call void @begin(ptr %hdl)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %out [ i8 0, label %cleanup
                             i8 1, label %cleaning ]
cleaning:
  call void @cleaning(ptr %hdl)
  br label %cleanup
"""
    + CLEANUP
    + "declare void @show(ptr)\ndeclare void @begin(ptr)\ndeclare void @cleaning(ptr)\ndeclare token @llvm.coro.save(ptr)\n"
    + MEMORY
)

# Saves its only suspend %n times in a loop, and starts an operation after each save; emits its handle before, where no save is
# live.
AGAIN = (
    "define ptr @again(i32 %n) presplitcoroutine {\nentry:\n"
    "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)"
    + HEAD
    + """
  INITIAL
loop:
  %i = phi i32 [ 0, %start ], [ %next, %resumed ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %saving, label %ending
saving:
  call void @show(ptr %hdl)
  %save = call token @llvm.coro.save(ptr %hdl)
  call void @begin(ptr %hdl)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleaning ]
resumed:
  call void @show(ptr %hdl)
  %next = add i32 %i, 1
  br label %loop
ending:
  %last = call token @llvm.coro.save(ptr %hdl)
  call void @begin(ptr %hdl)
  %e = call i8 @llvm.coro.suspend(token %last, i1 true)
  switch i8 %e, label %out [ i8 0, label %cleaning
                             i8 1, label %cleaning ]
cleaning:
  call void @show(ptr %hdl)
  br label %cleanup
"""
    + CLEANUP
    + """
define void @drive(ptr %h) {
  call void @llvm.coro.resume(ptr %h)
  ret void
}
declare void @show(ptr)
declare void @begin(ptr)
declare token @llvm.coro.save(ptr)
declare void @llvm.coro.resume(ptr)
"""
    + MEMORY
)
SUSPENDS_FIRST = """%first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %out [ i8 0, label %start
                                 i8 1, label %cleaning ]
start:
  br label %loop"""

SUSPENDS_FIRST_BELOW_0 = "%below = icmp slt i32 %n, 0\n  br i1 %below, label %at, label %start\nat:\n  " + SUSPENDS_FIRST

# Yields 0 .. %n - 1 by %kind; EARLY and LATE surround an initial suspend.
UPTO = (
    """
%values = type { %number, [2 x i8] }
%number = type { i32 }
define RESULT @upto(PARAMETER) presplitcoroutine {
entry:
  %promise = alloca %values
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)"""
    + HEAD
    + """
  BEGIN
loop:
  %i = phi i32 [ 0, %start ], [ %next, %more ]
  %less = icmp slt i32 %i, %n
  br i1 %less, label %yield, label %last
yield:
  %place = getelementptr %values, ptr %promise, i32 0, i32 0, i32 0
  store i32 %i, ptr %place
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  %next = add i32 %i, 1
  br label %loop
last:
  %e = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %e, label %out [ i8 1, label %cleanup ]
"""
    + CLEANUP
    + MEMORY
)
EAGER = "br label %start\nstart:\n  br label %loop"
LAZY = """call void @construct(ptr %promise)
  %0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %0, label %out [ i8 0, label %start
                             i8 1, label %cleanup ]
start:
  br label %loop"""
INITIAL = "\ndefine void @construct(ptr %p) {\n  store i32 77, ptr %p\n  ret void\n}\n"


def upto_ir(begin: str = EAGER, result: str = "ptr", parameter: str = "i32 %n") -> str:
    return UPTO.replace("BEGIN", begin).replace("RESULT", result).replace("PARAMETER", parameter) + (
        INITIAL if begin == LAZY else ""
    )


def upto(begin: str = EAGER, result: str = "ptr", parameter: str = "i32 %n") -> pycoro.Report:
    return pycoro.lower(upto_ir(begin, result, parameter), host=True)


def shows(show: Callable[[int], object], cleaning: Callable[[int], object] = id) -> Engine:
    return Engine(pycoro.lower(SHOWS, host=True), externals={"show": show, "cleaning": cleaning})


@pytest.fixture
def counting() -> Iterator[Engine]:
    with Engine(pycoro.lower(COUNTER, host=True), externals={"print": id}) as engine:
        yield engine


# ---- One at a time ----


@pytest.mark.parametrize("use", [Handle.resume, Handle.destroy, next, lambda handle: handle.__exit__(None, None, None)])
def test_a_running_coroutine_cannot_be_resumed_or_destroyed(use: Callable[[Handle], object]) -> None:
    said: list[str] = []
    handles: list[Handle] = []

    def show(address: int) -> None:
        for handle in (*handles, engine.handle(address)):
            assert "running" in repr(handle) and not handle.done
            with pytest.raises(LifecycleError, match="is running; resume or destroy it after it has suspended"):
                use(handle)
            said.append(repr(handle))

    with shows(show, show) as engine:
        handles.append(engine.start("shows"))
        assert len(said) == 1, "the ramp runs it too"
        handles[0].resume()
        handles[0].resume()
        assert len(said) == 5 and repr(handles[0]).endswith("suspended>")
        handles.pop().destroy()


@pytest.mark.parametrize(("use", "state"), [(Handle.resume, "ended"), (Handle.destroy, "destroyed")])
def test_a_saved_suspend_may_be_resumed_before_it_suspends(use: Callable[[Handle], object], state: str) -> None:
    refused: list[str] = []

    def refuse(_: int) -> None:
        for again in (handle.resume, handle.destroy):
            with pytest.raises(LifecycleError, match="is running"):
                again()
            refused.append(again.__name__)

    externals = {"show": refuse, "cleaning": refuse, "begin": lambda address: use(engine.handle(address))}
    report = pycoro.lower(SAVES, host=True)
    assert [point.has_separate_save for point in report.coroutines["saves"].suspends] == [False, True]
    with Engine(report, externals=externals) as engine:
        handle = engine.start("saves")
        handle.resume()
        assert handle.destroyed and repr(handle).endswith(f"{state}>")
        assert len(refused) == (2 if use is Handle.resume else 4)
        with pytest.raises(LifecycleError, match="was destroyed"):
            handle.resume()


class Again:
    """Coroutines @again, with scripted operations; every use of a handle fails while they run."""

    def __init__(
        self, begin: Callable[[Handle], object], initial: str = SUSPENDS_FIRST, *, told: bool = True, passes: str = ""
    ) -> None:
        report = pycoro.lower(AGAIN.replace("INITIAL", initial), host=True)
        self.told = told
        if passes:
            report.module.run(passes)
        self.shown = self.begun = 0
        self._begin = begin
        self.engine = Engine(report, externals={"show": self._show, "begin": self._operate})

    def _show(self, address: int) -> None:
        self.shown += 1
        handle = self.engine.handle(address)
        assert "running" in repr(handle)
        for use in (handle.resume, handle.destroy):
            with pytest.raises(LifecycleError, match="is running"):
                use()

    def _operate(self, address: int) -> None:
        self.begun += 1
        handle = self.engine.handle(address)
        assert not self.told or "running" not in repr(handle)
        self._begin(handle)


@pytest.mark.parametrize("initial", [SUSPENDS_FIRST, SUSPENDS_FIRST_BELOW_0])
def test_a_suspend_saved_repeatedly_may_be_resumed_each_time(initial: str) -> None:
    """The frame's index is that of the last resumed suspend, before and after the save. In a ramp, the memory is
    uninitialized."""

    def go_on(handle: Handle) -> None:
        handle.destroy() if handle.done else handle.resume()

    again = Again(go_on, initial)
    with again.engine as engine:
        for _ in range(3):
            again.shown = again.begun = 0
            handle = engine.start("again", 9)
            assert initial == SUSPENDS_FIRST_BELOW_0 or (again.begun == 0 and not handle.resume())
            assert handle.destroyed and (again.shown, again.begun) == (19, 10)


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_a_suspend_saved_repeatedly_may_be_destroyed(rounds: int) -> None:
    again = Again(lambda handle: handle.destroy() if again.begun == rounds else handle.resume())
    with again.engine as engine:
        handle = engine.start("again", 9)
        handle.resume()
        assert handle.destroyed and again.begun == rounds


def test_a_coroutine_resumed_by_compiled_code_is_marked_running() -> None:
    again = Again(id)
    with again.engine as engine, engine.start("again", 2) as handle:
        engine.call("drive", handle)
        engine.call("drive", handle)
        assert (again.shown, again.begun) == (3, 2)
        handle.resume()
        assert (again.shown, again.begun) == (4, 3) and handle.done


def test_a_coroutine_without_an_index_counts_as_running_until_it_returns() -> None:
    """Such a coroutine counts as running until its resume returns, except at its end."""

    def go_on(handle: Handle) -> None:
        if handle.done:
            handle.destroy()
            return
        with pytest.raises(LifecycleError, match="is running"):
            handle.resume()

    again = Again(go_on, EAGER, told=False)
    with again.engine as engine:
        handle = engine.start("again", 2)
        handle.resume()
        handle.resume()
        assert handle.destroyed and (again.shown, again.begun) == (5, 3)


def test_undecidable_state_in_a_changed_module_is_an_error() -> None:
    """A pass may remove the store of an unchanged index, so an undecidable state is an error."""
    refused: list[int] = []

    def go_on(handle: Handle) -> None:
        if again.begun == 1:
            handle.resume()
            assert "suspended" in repr(handle), "who resumed it has come back"
            handle.resume()
        else:
            with pytest.raises(LifecycleError, match="is running"):
                handle.resume()
            refused.append(again.begun)

    again = Again(go_on, told=False, passes="function(instcombine)")
    with again.engine as engine, engine.start("again", 9) as handle:
        handle.resume()
        assert refused == [2, 3] and again.shown == 5
        assert "suspended" in repr(handle)


def test_a_cleanup_cannot_destroy_its_coroutine() -> None:
    errors: list[str] = []

    def cleaning(_: int) -> None:
        for use in (handle.destroy, handle.resume):
            with pytest.raises(LifecycleError) as caught:
                use()
            errors.append(str(caught.value))

    with shows(id, cleaning) as engine:
        handle = engine.start("shows")
        handle.destroy()
        assert len(errors) == 2 and all("is running" in error for error in errors)
        with pytest.raises(LifecycleError, match="was destroyed"):
            handle.destroy()


def test_a_callable_that_raises_leaves_the_handle_usable() -> None:
    def show(_: int) -> None:
        if raising:
            raise KeyError

    raising: list[int] = []
    with shows(show) as engine, engine.start("shows") as handle:
        raising.append(1)
        with pytest.raises(KeyError):
            handle.resume()
        raising.clear()
        handle.resume()


def test_concurrent_use_by_threads_is_serialized_or_an_error() -> None:
    inside, told, ran = threading.Barrier(2, timeout=120), [], []
    go_on = threading.Event()

    def show(_: int) -> None:
        if started:
            ran.append(threading.get_ident())
            inside.wait()
            assert go_on.wait(120)

    started: list[Handle] = []
    with shows(show) as engine:
        handle = engine.start("shows")
        started.append(handle)
        first = threading.Thread(target=handle.resume)
        first.start()
        inside.wait()

        def work() -> None:
            for use in (handle.resume, handle.destroy):
                try:
                    use()
                except LifecycleError as error:
                    told.append(str(error))

        others = [threading.Thread(target=work) for _ in range(3)]
        for thread in others:
            thread.start()
        for thread in others:
            thread.join()
        go_on.set()
        first.join()
        assert len(told) == 6 and len(ran) == 1
        started.clear()
        handle.resume()
        handle.destroy()


def test_a_handle_may_be_dropped_while_it_runs() -> None:
    handles: list[Handle] = []

    def show(_: int) -> None:
        handles.clear()
        gc.collect()

    with shows(show) as engine:
        handles.append(engine.start("shows"))
        address = handles[0].address
        handles.pop().resume()
        handles.append(engine.handle(address))
        with engine.handle(address) as handle:
            assert repr(handle).endswith("suspended>") and "@shows" in repr(handle)


# ---- Invalid handles ----


@pytest.mark.parametrize("address", [-5, 5, 16, 1 << 64, 1 << 80, -(1 << 63), 0xDEAD0000, (1 << 64) - 1, (1 << 64) - 8])
def test_a_null_or_invalid_address_is_no_handle(counting: Engine, address: int) -> None:
    with pytest.raises(LifecycleError, match="there is no frame of a coroutine at"):
        counting.handle(address)


def test_memory_that_holds_no_frame(counting: Engine) -> None:
    zeros, numbers = ctypes.create_string_buffer(64), (ctypes.c_uint64 * 4)(1, 2, 3, 4)
    for memory in (zeros, numbers):
        with pytest.raises(LifecycleError, match="there is no frame"):
            counting.handle(ctypes.addressof(memory))
    with pytest.raises(TypeError, match="expected an address"):
        counting.handle("text")  # type: ignore[arg-type]


def test_probing_memory_never_crashes() -> None:
    memory = ctypes.create_string_buffer(b"abcdefgh")
    descriptors = len(os.listdir("/proc/self/fd"))
    assert copy_memory_or_none(ctypes.addressof(memory), 8) == b"abcdefgh"
    assert all(copy_memory_or_none(address, 8) is None for address in (0, 8, -8, (1 << 64) - 4))
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_any_live_frame_is_recognized() -> None:
    """By its functions, regardless of its creator; after its end by the destroy function."""
    ir = COUNTER + "define ptr @made() {\n  %h = call ptr @counter(i32 98)\n  ret ptr %h\n}\n"
    with Engine(pycoro.lower(ir, host=True), externals={"print": id}) as engine:
        handle = engine.handle(engine.call("made"))
        assert "@counter" in repr(handle) and handle.promise == 98
        assert list(handle) == [99] and handle.done
        again = engine.handle(handle.address)
        assert "@counter" in repr(again) and again.done and again.promise == 99
        again.destroy()
        with pytest.raises(LifecycleError, match="was destroyed"):
            handle.resume()
        engine.add(upto())
        with engine.start("upto", 2) as other:
            assert "@upto" in repr(engine.handle(other.address))
    with pytest.raises(pycoro.ClosedError):
        engine.handle(handle.address)


def test_a_frame_of_another_engine_gives_that_engine_s_handle() -> None:
    """Otherwise closing that engine would leave this one with a handle of freed code."""
    with Engine(pycoro.lower(COUNTER), externals={"print": lambda i: None}) as other:
        owner = Engine(pycoro.lower(COUNTER), externals={"print": lambda i: None})
        theirs = owner.start("counter", 1)
        found = other.handle(theirs.address)
        found.resume()
        lent = other.handle(owner.start("counter", 1).address)
        owner.close()
        with pytest.raises(pycoro.ClosedError):
            found.resume()
        with pytest.raises((pycoro.ClosedError, LifecycleError)):
            other.handle(theirs.address)
        del owner, theirs, found
        gc.collect()
        with pytest.raises(pycoro.ClosedError):
            lent.destroy()


def test_clones_are_internal(counting: Engine) -> None:
    for name in ("counter.resume", "counter.destroy", "counter.cleanup"):
        assert name not in counting and name not in list(counting)
        with pytest.raises(KeyError, match=f"@{name} is internal to its module"):
            counting[name]
    assert list(counting) == ["counter"] and counting["counter"].is_ramp
    with pytest.raises(KeyError, match="no function '@counter'; did you mean 'counter'"):
        counting["@counter"]
    with pytest.raises(KeyError, match="did you mean 'counter'"):
        counting.start("conter", 1)
    with pytest.raises(KeyError, match="did you mean 'counter'"):
        counting.start_retcon("conter")
    assert all(counting[name] for name in counting)


# ---- Iteration ----


def test_a_ramp_suspended_at_its_first_value_yields_it() -> None:
    with Engine(upto()) as engine:
        for count in (0, 1, 4):
            with engine.start("upto", count) as handle:
                assert [number for (number,), _ in handle] == list(range(count))
        with engine.start("upto", 4) as handle:
            assert handle.promise[0] == (0,) and next(handle)[0] == (0,) and next(handle)[0] == (1,)
            handle.resume()
            assert handle.promise[0] == (2,) and next(handle)[0] == (3,)
            with pytest.raises(StopIteration):
                next(handle)
        with engine.start("upto", 3, lazy=True) as handle:
            assert [number for (number,), _ in handle] == [1, 2]
        with engine.start("upto", 3) as handle:
            handle.resume()
            assert [number for (number,), _ in handle] == [2], "what was resumed goes on behind where it is"


def test_a_ramp_with_an_initial_suspend_yields_nothing() -> None:
    """As in C++, where a constructor has written the promise."""
    report = upto(LAZY)
    assert not report.coroutines["upto"].suspends[0].is_first_value
    with Engine(report) as engine:
        with engine.start("upto", 3) as handle:
            assert [number for (number,), _ in handle] == [0, 1, 2]
        with engine.start("upto", 3, lazy=False) as handle:
            assert [number for (number,), _ in handle] == [77, 0, 1, 2]


def test_next_after_destroy_raises() -> None:
    with Engine(upto()) as engine:
        for steps in range(4):
            handle = engine.start("upto", 3)
            for _ in range(steps):
                next(handle)
            handle.destroy()
            with pytest.raises(LifecycleError, match="@upto was destroyed"):
                next(handle)
            with pytest.raises(LifecycleError, match="@upto was destroyed"):
                list(handle)


# ---- Promises and results ----


def test_a_promise_of_a_named_struct() -> None:
    report = upto()
    spelt = report.coroutines["upto"].frame[2].type
    assert spelt.startswith("%values")
    with Engine(report) as engine:
        with engine.start("upto", 2) as handle:
            assert handle.promise == ((0,), handle.promise[1])
            handle.promise = ((5,), (1, 2))
            assert handle.promise == ((5,), (1, 2))
        with engine.start("upto", 2, promise=spelt) as handle:
            assert handle.promise[0] == (0,)
        with pytest.raises(pycoro.UsageError, match="not a type"):
            engine.start("upto", 2, promise="%other")


@pytest.mark.parametrize("first", [0, 1])
def test_promise_types_of_one_name_in_two_modules(first: int) -> None:
    """Each module's promise has its own type; without one the type must be given."""
    wide = upto_ir().replace("@upto(", "@wide(").replace("%number = type { i32 }", "%number = type { i32, i64 }")
    third = pycoro.lower(upto_ir().replace("@upto(", "@plainly("), host=True).module
    reports = [upto(), pycoro.lower(wide, host=True)]
    printed = {report.coroutines[name].frame[2].type for report, name in zip(reports, ("upto", "wide"), strict=True)}
    assert len(printed) == 1
    with Engine(reports[first], reports[1 - first], third) as engine:
        for spelt in ("%values", *printed):
            for name, numbers in (("upto", 1), ("wide", 2)):
                with engine.start(name, 2, promise=spelt) as handle:
                    assert len(handle.promise[0]) == numbers
                    assert len(engine.handle(handle.address, promise=spelt).promise[0]) == numbers
            with pytest.raises(pycoro.UsageError, match=r"'%values.*' is defined differently in several modules"):
                engine.start("plainly", 2, promise=spelt)
        with engine.start("plainly", 2, promise="{ { i32 }, [2 x i8] }") as handle:
            assert handle.promise[0] == (0,)
    with Engine(upto(), third) as engine, engine.start("plainly", 2, promise="%values") as handle:
        assert handle.promise[0] == (0,)


def returning_ir(stores: str) -> str:
    ir = (
        UPTO.replace("RESULT", "void")
        .replace("PARAMETER", "ptr sret(%task) align 8 %result, i32 %n")
        .replace("BEGIN", stores + EAGER)
    )
    ir = ir.replace("  ret ptr %hdl\n", "  ret void\n")
    return "%task = type { i64, { i32, ptr }, ptr }\n" + ir


def returning(stores: str) -> pycoro.Report:
    return pycoro.lower(returning_ir(stores), host=True)


def test_a_ramp_that_returns_by_sret_gives_a_handle() -> None:
    """The handle may be anywhere in the result."""
    store = "%slot = getelementptr i8, ptr %result, i64 {}\n  store ptr %hdl, ptr %slot\n  "
    for at in (0, 16, 24):
        with Engine(returning("store [32 x i8] zeroinitializer, ptr %result\n  " + store.format(at))) as engine:
            assert engine["upto"].is_ramp
            with engine.start("upto", 3) as handle:
                assert [number for (number,), _ in handle] == [0, 1, 2]
            with engine["upto"](1) as other:
                assert "@upto" in repr(other)
            with pytest.raises(TypeError, match="takes 2 arguments"):
                engine.start("upto")
    nowhere = returning("store [32 x i8] zeroinitializer, ptr %result\n  ")
    with Engine(nowhere) as engine, pytest.raises(LifecycleError, match="@upto returned no handle in its result"):
        engine.start("upto", 3)


def test_a_ramp_that_returns_by_sret_gives_a_handle_when_it_is_interpreted() -> None:
    """The interpreted program's result memory lives as long as a handle."""
    store = (
        "store [32 x i8] zeroinitializer, ptr %result\n  {} = getelementptr i8, ptr %result, i64 {}\n  store ptr %hdl, ptr {}\n  "
    )
    for at in (0, 16, 24):
        with pycoro.Interpreter(returning_ir(store.format("%slot", at, "%slot"))) as run:
            assert run["upto"].is_ramp
            with run.start("upto", 3) as handle:
                assert "@upto" in repr(handle) and "@upto" in repr(run.handle(handle.address))
                assert len(run._shared) == 1
                for number in range(3):
                    assert ctypes.c_int32.from_address(handle.address + 16).value == number
                    handle.resume()
                assert handle.done
            del handle
            gc.collect()
            assert not run._shared
    with pycoro.Interpreter(returning_ir("store [32 x i8] zeroinitializer, ptr %result\n  ")) as run:
        with pytest.raises(LifecycleError, match="@upto returned no handle in its result"):
            run.start("upto", 3)
        assert not run._shared


@pytest.mark.parametrize("bytes_before", [(1, 40), (40, 1)])
def test_internal_coroutines_of_one_name_in_two_modules(bytes_before: tuple[int, int]) -> None:
    """Facts about one do not apply to the other: their promises and indices are at different offsets."""
    said: list[str] = []

    def show(address: int) -> None:
        for use in (Handle.resume, Handle.destroy):
            with pytest.raises(LifecycleError, match="is running"):
                use(engine.handle(address))
        said.append(repr(engine.handle(address)).rpartition(": ")[2])

    reports = []
    for number, size in enumerate(bytes_before):
        text = SAVES.replace("define ptr @saves", "define internal ptr @saves").replace("call void @begin(ptr %hdl)", "")
        text = text.replace("entry:\n", f"entry:\n  %p = alloca [{size} x i8]\n", 1).replace("i32 0, ptr null", "i32 0, ptr %p", 1)
        text += f"define ptr @start{number}() {{\n  %h = call ptr @saves()\n  ret ptr %h\n}}\n"
        reports.append(pycoro.lower(text, host=True))
    with Engine(*reports, externals={"show": show, "begin": None, "cleaning": lambda _: None}) as engine:
        for number, size in enumerate(bytes_before):
            handle = engine.handle(engine.call(f"start{number}"))
            assert len(handle.promise) == size
            handle.resume()
            handle.destroy()
    assert said == ["running>"] * 2


# Two clones and a ramp as lowering leaves them; @keep also stores the clones' addresses in the program's memory.
PARTS = """
declare ptr @malloc(i64)
define ptr @f() {
  %frame = call ptr @malloc(i64 32)
  store ptr @f.resume, ptr %frame
  %destroy = getelementptr i8, ptr %frame, i64 8
  store ptr @f.destroy, ptr %destroy
  ret ptr %frame
}
define void @keep(ptr %table) {
  store ptr @f.resume, ptr %table
  %second = getelementptr i8, ptr %table, i64 8
  store i64 7, ptr %second
  %third = getelementptr i8, ptr %table, i64 24
  store ptr @f.destroy, ptr %third
  ret void
}
define i8 @at(ptr %frame) {
  %place = getelementptr i8, ptr %frame, i64 16
  %index = load i8, ptr %place
  ret i8 %index
}
define fastcc void @f.resume(ptr %frame) {
  %place = getelementptr i8, ptr %frame, i64 16
  %index = load i8, ptr %place
  ret void
}
define fastcc void @f.destroy(ptr %frame) {
  %place = getelementptr i8, ptr %frame, i64 16
  %index = load i8, ptr %place
  %out = getelementptr i8, ptr %frame, i64 24
  store i8 %index, ptr %out
  ret void
}
"""


def test_the_program_may_store_clone_addresses_elsewhere() -> None:
    """Only where a ramp makes a frame is the memory after them a coroutine's; its clones do not see the mark."""
    with Engine() as engine:
        module = pycoro.Module(PARTS, host=True)
        assert engine._core.track_running(module._core, "f", 16, 1)
        engine.add(module)
        table = (ctypes.c_uint8 * 32)(*[5] * 32)
        engine.call("keep", table)
        assert bytes(table[16:24]) == bytes([5] * 8)
        frame = engine.call("f")
        assert engine.call("at", frame) == -128
        ctypes.c_uint8.from_address(frame + 16).value = 3
        handle = engine.handle(frame)
        engine._core.resume(handle.address)
        assert engine.call("at", frame) == 3 - 128
        engine._core.destroy(handle.address)
        assert ctypes.c_uint8.from_address(frame + 24).value == 3
        ctypes.CDLL(None).free(ctypes.c_void_p(frame))


# Throws on request after its first suspend, without llvm.coro.end; @catches catches that and destroys it.
THROWS = (
    "define ptr @throws() presplitcoroutine {\nentry:\n"
    "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)"
    + HEAD
    + """
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %out [ i8 0, label %go_on
                                 i8 1, label %cleaning1 ]
go_on:
  %told = call i1 @told()
  br i1 %told, label %throwing, label %second
second:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %cleanup
                             i8 1, label %cleaning2 ]
throwing:
  %exception = call ptr @__cxa_allocate_exception(i64 4)
  call void @__cxa_throw(ptr %exception, ptr @_ZTIi, ptr null)
  unreachable
cleaning1:
  call void @cleaning(i32 1)
  br label %cleanup
cleaning2:
  call void @cleaning(i32 2)
  br label %cleanup
"""
    + CLEANUP
    + """
define void @catches(ptr %h) personality ptr @__gxx_personality_v0 {
  invoke void @llvm.coro.resume(ptr %h) to label %out unwind label %caught
caught:
  %e = landingpad { ptr, i32 } catch ptr null
  %object = extractvalue { ptr, i32 } %e, 0
  %begun = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  call void @look(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  ret void
out:
  ret void
}
@_ZTIi = external constant ptr
declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare i1 @told()
declare void @look(ptr)
declare void @cleaning(i32)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
"""
    + MEMORY
)


def test_compiled_code_may_destroy_a_coroutine_ended_by_an_exception() -> None:
    """Destroying is valid without an engine too: at the suspend where it was resumed."""
    cleaned: list[int] = []

    def look(address: int) -> None:
        for use in (Handle.resume, Handle.destroy):
            with pytest.raises(LifecycleError, match="is running"):
                use(engine.handle(address))

    report = pycoro.lower(THROWS, host=True)
    externals = {"look": look, "cleaning": cleaned.append, "told": lambda: True}
    with Engine(report, externals=externals, libraries=["libstdc++.so.6"]) as engine:
        handle = engine.start("throws")
        engine.call("catches", handle)
        assert cleaned == [1] and handle.destroyed
