"""Running frames: the state of a suspended coroutine by its handle, compiled or interpreted."""

from __future__ import annotations

import ctypes
import pathlib
import re
import subprocess
import xml.etree.ElementTree as tree
from collections.abc import Callable
from typing import Any

import pytest
from samples import COUNTER

import pycoro
from pycoro.running.frames import LiveFrame

STEPS = (pathlib.Path(__file__).parents[2] / "docs/examples/steps.ll").read_text()

GENERATOR = """
#include <coroutine>
#include <cstdio>
struct gen {
  struct promise_type {
    int value = 0;
    gen get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};
"""

WALK = (
    GENERATOR
    + """struct point { int x; float y; const char *name; point *next; };
gen walk(int from, const char *label) {
  point p{from, 0.5f, label, nullptr};
  p.next = &p;
  char buffer[16] = "hello";
  alignas(64) int wide[4] = {1, 2, 3, 4};
  for (int i = 0; i < 3; i++) {
    p.x += i;
    wide[i] = 7;
    co_yield p.x; // the yield
    buffer[0] = 'j';
    std::printf("%s %d %d %p\\n", buffer, p.x, wide[i], (void *)p.next);
  }
}
"""
)


def fill(address: int) -> None:
    (ctypes.c_int64 * 4).from_address(address)[:] = [1, 2, 3, 5]


def read(address: int) -> int:
    return sum((ctypes.c_int64 * 4).from_address(address))


MACHINES = {
    "engine": lambda ir, **more: pycoro.Engine(pycoro.lower(ir, host=True), **more),
    "interpreter": lambda ir, **more: pycoro.Interpreter(ir, **more),
}


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return a function that runs a module: compiled or interpreted."""
    return MACHINES[request.param]


def steps(machine: Callable[..., Any]) -> pycoro.Handle:
    return machine(STEPS, externals={"fill": fill, "read": read}).start("steps", 10)


def values(frame: pycoro.RunningFrame) -> dict[str, Any]:
    return {item.name: item.value for item in frame.live}


def test_live_fields_have_values(machine):
    handle = steps(machine)
    first = handle.frame
    assert (handle.suspend.name, handle.suspend.index) == ("%s0", 0)
    assert {item.name for item in first.live} == {"%result", "%first", "%scale"}
    assert first["%scale"].value == 10
    assert first["first"].value[:4] == (1, 2, 3, 5)
    assert first["%second"].value is None
    assert first["%second"].text == ""
    assert not first["%second"].live
    handle.resume()
    second = handle.frame
    assert {item.name for item in second.live} == {"%result", "%second"}
    assert second["%second"].value == (1, 2, 3, 5)
    assert second["%result"].value[0] == 110
    handle.resume()
    assert handle.suspend.is_final
    assert values(handle.frame) == {"%result": (110, 11)}
    assert first["%scale"].value == 10, "a frame that was looked at stays as it was"
    handle.destroy()
    with pytest.raises(pycoro.LifecycleError, match="destroyed, and its frame is freed"):
        handle.frame  # noqa: B018
    with pytest.raises(pycoro.LifecycleError, match="destroyed"):
        handle.suspend  # noqa: B018


def test_changed_fields_are_marked(machine):
    handle = steps(machine)
    assert all(item.changed is None for item in handle.frame), "nobody has resumed it"
    handle.resume()
    assert {item.name for item in handle.frame.changed} == {"%result", "%second"}
    assert handle.frame["%first"].changed is False
    handle.destroy()


def test_the_interpreter_marks_undefined_fields():
    handle = steps(MACHINES["interpreter"])
    assert handle.frame["%result"].value == (None, None)
    assert handle.frame["%first"].text == "[1, 2, 3, 5, undef, undef]"
    handle.resume()
    assert handle.frame["%result"].value == (110, None)
    handle.destroy()


def test_unnamed_values_of_a_function_with_an_escaped_name_are_read(machine):
    ir = re.sub(r"%i\b", "%0", COUNTER).replace("@counter(", r'@"a\22b"(')
    handle = machine(ir, externals={"print": print}).start('a"b', 7)
    assert values(handle.frame)["%0"] == 7
    handle.destroy()


def test_a_value_can_be_set(machine):
    printed: list[int] = []
    handle = machine(COUNTER, externals={"print": printed.append}).start("counter", 1)
    handle.set("%i", 41)
    handle.resume()
    assert printed == [1, 42]
    handle.set("last", 7)
    assert values(handle.frame) == {"%last": 7, "%i": 42}
    handle.set("i", 98)
    handle.resume()
    handle.resume()
    assert handle.done
    with pytest.raises(pycoro.UsageError, match="%i of the coroutine @counter is not live"):
        handle.set("%i", 1)
    handle.destroy()


def test_unsafe_assignments_are_rejected(machine):
    handle = steps(machine)
    with pytest.raises(pycoro.UsageError, match="%second of the coroutine @steps is not live at this suspend"):
        handle.set("%second", (1, 2, 3, 4))
    with pytest.raises(KeyError, match="secnd"):
        handle.set("secnd", 1)
    with pytest.raises(TypeError):
        handle.set("%scale", "ten")
    with pytest.raises(OverflowError):
        handle.set("%scale", 1 << 64)
    with pytest.raises(TypeError, match="4 elements|6 elements"):
        handle.set("%first", (1, 2))
    handle.set("%scale", 2)
    handle.resume()
    assert handle.frame["%result"].value[0] == 22
    handle.destroy()
    with pytest.raises(pycoro.LifecycleError, match="destroyed"):
        handle.set("%result", (0, 0))


def test_header_fields_cannot_be_assigned():
    handle = steps(MACHINES["engine"])
    for name in ("resume", "index"):
        with pytest.raises(pycoro.UsageError, match=f"{name} of the coroutine @steps is a header slot"):
            handle.set(name, 0)
    handle.destroy()


def test_a_running_coroutine_s_frame_is_unavailable(machine):
    found: list[str] = []

    def look(_: int) -> None:
        for use in (lambda: handles[0].frame, lambda: handles[0].suspend, lambda: handles[0].set("%i", 1)):
            with pytest.raises(pycoro.LifecycleError, match="is running") as error:
                use()
            found.append(str(error.value))

    handles: list[pycoro.Handle] = []
    engine = machine(COUNTER, externals={"print": lambda n: look(n) if handles else None})
    handles.append(engine.start("counter", 1))
    handles[0].resume()
    assert len(found) == 3
    assert handles[0].frame["%i"].value == 2
    handles[0].destroy()


def test_frames_of_a_closed_engine_are_unavailable(machine):
    handle = steps(machine)
    handle._engine.close()
    with pytest.raises(pycoro.ClosedError):
        handle.frame  # noqa: B018


def test_a_frame_without_a_known_layout_is_an_error():
    engine = pycoro.Engine(pycoro.lower(COUNTER, host=True).module, externals={"print": print})
    handle = engine.start("counter", 1)
    with pytest.raises(pycoro.UsageError, match="add the report of its lowering to the engine"):
        handle.frame  # noqa: B018
    handle.destroy()
    with pytest.raises(pycoro.UsageError, match="add the report of its"):
        engine.trace("counter", [1])


def test_freed_frames_are_not_read():
    """The engine does not see the free; only the memory shows it."""
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    engine = pycoro.Engine(pycoro.lower(COUNTER, host=True), externals={"print": lambda _: None}, deallocators=())
    freed = engine.start("counter", 1)
    libc.free(freed.address)
    with pytest.raises(pycoro.LifecycleError, match=f"{freed.address:#x}"):
        freed.frame  # noqa: B018
    nowhere = pycoro.Handle(engine, 64, LiveFrame(1))
    nowhere._frame.function = "counter"
    with pytest.raises(pycoro.Error):
        engine._frame_snapshot(nowhere, engine._layout_of(freed))


# ---- Life cycle ----


def test_a_complete_life_cycle(machine):
    engine = machine(STEPS, externals={"fill": fill, "read": read})
    life = engine.trace("steps", [10])
    assert [(stop.act, stop.state) for stop in life] == [
        ("start", "suspended"), ("resume", "suspended"), ("resume", "done"), ("destroy", "destroyed"),
    ]  # fmt: skip
    assert life[1].frame["%second"].value == (1, 2, 3, 5)
    assert life[3].frame is None
    rows = life.rows()
    assert {row["name"] for row in rows if row["stop"] == 1 and row["live"]} - {"resume", "destroy", "index"} == {
        "%result",
        "%second",
    }
    assert len(life.to_dict()["stops"]) == 4
    lines = str(life).splitlines()
    assert lines[0].startswith("@steps: 4 stops, 4 fields live at some of them")
    assert lines[2].split()[-4:] == ["%result", "%first", "%second", "%scale"]
    assert [line.split()[1] for line in lines[4:8]] == ["start", "resume", "resume", "destroy"]
    assert "*[1, 2, 3, 5]" in lines[5]


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [(0, ["suspended", "destroyed"]), (1, ["suspended", "suspended", "destroyed"]), (["destroy"], ["suspended", "destroyed"]),
     (["resume", "destroy", "resume"], ["suspended", "suspended", "destroyed"]), ([], ["suspended", "destroyed"])],
)  # fmt: skip
def test_a_life_cycle_with_a_schedule(machine, schedule, expected):
    engine = machine(STEPS, externals={"fill": fill, "read": read})
    assert [stop.state for stop in engine.trace("steps", (10,), schedule)] == expected


@pytest.mark.parametrize("schedule", [-1, ["run"], "resume", 1.5])
def test_invalid_schedules_are_errors(machine, schedule):
    engine = machine(STEPS, externals={"fill": fill, "read": read})
    with pytest.raises((pycoro.UsageError, TypeError)):
        engine.trace("steps", (10,), schedule)


def test_a_callable_may_end_the_life_cycle(machine):
    class Stopped(Exception):
        pass

    def stop(n: int) -> None:
        if n == 3:
            raise Stopped

    with pytest.raises(Stopped):
        machine(COUNTER, externals={"print": stop}).trace("counter", [1])


# ---- Pictures ----


def pictures(thing: Any) -> list[str]:
    bundle = thing._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "image/svg+xml"}
    assert bundle["text/plain"] == str(thing)
    tree.fromstring(bundle["image/svg+xml"])
    tree.fromstring(bundle["text/html"])
    return list(bundle.values())


def test_frames_and_life_cycles_are_drawn(machine):
    engine = machine(STEPS, externals={"fill": fill, "read": read})
    handle = engine.start("steps", 10)
    assert handle.frame["%first"].live
    handle.resume()
    text, html, svg = pictures(handle.frame)
    assert "@steps is at suspend 1, %s1 in %again" in text
    assert "· not live" in text
    assert "[1, 2, 3, 5]" in svg
    assert "◆" in html
    for made in pictures(engine.trace("steps", [10])):
        assert "%second" in made
    handle.destroy()
    assert set(engine.trace("steps", [10])._repr_mimebundle_(include=["text/plain"])) == {"text/plain"}


# ---- C++ ----


@pytest.fixture(scope="module")
def generator_program(tmp_path_factory) -> tuple[str, int]:
    """Return the program from clang, and the line of its co_yield."""
    folder = tmp_path_factory.mktemp("walk")
    (folder / "walk.cpp").write_text(WALK)
    left = ["-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-O0-optnone"]
    command = ["clang++-22", "-std=c++20", "-g", "-O0", *left, "-S", "-emit-llvm", "-o", "-", "walk.cpp"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    line = next(number for number, line in enumerate(WALK.splitlines(), 1) if "// the yield" in line)
    return done.stdout, line


@pytest.mark.parametrize("how", MACHINES)
def test_variables_of_cpp_by_their_names(generator_program, how):
    ir, line = generator_program
    label = ctypes.create_string_buffer(b"label")
    more = {"libraries": ["libstdc++.so.6"]} if how == "engine" else {"externals": {"printf": lambda *_: 0}}
    engine = MACHINES[how](ir, **more)
    if how == "interpreter":
        engine.share(label)
    handle = engine.start("_Z4walkiPKc", 5, label)
    assert not handle.suspend.is_final
    handle.resume()
    assert (handle.suspend.location.file, handle.suspend.location.line) == ("walk.cpp", line)
    assert str(handle.frame.location).startswith(f"walk.cpp:{line}:")
    handle.resume()
    frame = handle.frame
    assert frame["from"].value == 5
    assert frame["label"].value == ctypes.addressof(label)
    assert frame["wide"].value == (7, 7, 3, 4), "aligned to more than the frame is"
    assert frame["buffer"].text == '"jello"'
    assert frame["p"].text == f"{{x = 6, y = 0.5, name = {ctypes.addressof(label):#x}, next = → p}}"
    assert frame["__promise"].value == (6,)
    assert frame["buffer"].changed
    assert not frame["from"].changed
    with pytest.raises(pycoro.UsageError, match="p of the coroutine @_Z4walkiPKc .* holds an address"):
        handle.set("p", (1, 2.0, 0, 0))
    handle.set("wide", (1, 1, 1, 1))
    assert handle.frame["wide"].value == (1, 1, 1, 1)
    assert f"walk.cpp:{line}:" in str(handle.frame)
    handle.destroy()
