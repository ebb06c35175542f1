"""gdb's commands for coroutines, in one program as lowered by pycoro and by clang."""

import pathlib
import re
import subprocess
import sys

import coroharness as harness
import pytest
from gdb_batch import run_gdb
from test_gdb import gdb, lines, pytestmark  # noqa: F401

import pycoro.gdb

PROGRAM = pathlib.Path(__file__).parent / "debugged" / "chain.cpp"
LINES = lines(PROGRAM)
COMPILERS = {
    "pycoro": harness.lowered_object,
    "clang": lambda source, folder, level, flags: harness.clang_object(source, level, flags),
}
LOAD = f"source {pycoro.gdb.__file__}"
STOP = (LOAD, "break look", "run")


@pytest.fixture(scope="module", params=COMPILERS)
def chain(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("chain")
    made = COMPILERS[request.param](PROGRAM, folder, "-O0", flags=("-std=c++20", "-g"))
    return harness.link([made], folder / "chain")


def gdb_output(program: pathlib.Path, *commands: str) -> list[list[str]]:
    """Return the lines of gdb's output for each command, after the program stopped."""
    answers = gdb(program, *STOP, *commands)[len(STOP) :]
    return [re.sub(r"0x[0-9a-f]+", "0x", answer).splitlines() for answer in answers]


def waiting_line(name: str) -> str:
    return f"{name}(int) at 0x, suspended at chain.cpp:{LINES[f'{name} waits']} (suspend 1)"


def test_the_waiting_relation(chain):
    _, found, waiting, of_root = gdb_output(chain, "up", "coro list", "coro bt outside", "coro bt started")
    assert sorted(found) == sorted([waiting_line("root"), waiting_line("middle"), waiting_line("leaf")])
    assert waiting == [f"#0  {waiting_line('leaf')}", f"#1  {waiting_line('middle')}", f"#2  {waiting_line('root')}"]
    assert of_root == [f"#0  {waiting_line('root')}"]


def test_the_frame_of_a_handle(chain):
    _, frame, by_pointer = gdb_output(chain, "up", "coro frame started", "coro frame outside._M_fr_ptr")
    assert frame[0] == waiting_line("root")
    assert "  depth = 40" in frame
    assert by_pointer[0] == waiting_line("leaf")
    assert {"  depth = 42", "  doubled = 84"} <= set(by_pointer)
    assert not any("__resume_fn" in line for line in frame)


def test_a_running_coroutine(chain):
    _, frame, chained, found = gdb_output(chain, "continue", "coro frame", "coro bt", "coro list")
    running = f"leaf(int) at 0x, running, at chain.cpp:{LINES['leaf runs']}"
    assert frame[0] == running
    assert "  doubled = 84" in frame
    assert chained == [f"#0  {running}", f"#1  {waiting_line('middle')}", f"#2  {waiting_line('root')}"]
    assert running in found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_optimised_programs(compiler, tmp_path):
    """Clang's members have the names of their types, and optimized-out ones are absent; the waiting relation is complete."""
    made = COMPILERS[compiler](PROGRAM, tmp_path, "-O2", flags=("-std=c++20", "-g"))
    program = harness.link([made], tmp_path / "chain")
    _, found, waiting, frame, _, runs = gdb_output(
        program, "up", "coro list", "coro bt outside", "coro frame outside", "continue", "coro bt"
    )
    assert sorted(line.split("(")[0] for line in found) == ["leaf", "middle", "root"]
    assert [re.match(r"#\d  (\w+)\(int\) at 0x, suspended at ", line)[1] for line in waiting] == ["leaf", "middle", "root"]
    assert any(line.endswith(" = 42") for line in frame)
    assert re.match(rf"#0  leaf\(int\) at 0x, running, at chain.cpp:{LINES['leaf runs']}$", runs[0])
    assert [line.split("(")[0] for line in runs[1:]] == ["#1  middle", "#2  root"]
    _, of_root = gdb_output(program, "up", "coro frame started")
    assert of_root[0].startswith("root(int) at 0x, suspended at "), "a handle that is nowhere in memory"


WAITING = PROGRAM.with_name("waiting.cpp")
VALUES = [
    {"until": "2"},
    {"until": "2", "sum": "40", "round": "0"},
    {"until": "2", "sum": "40", "round": "1"},
    {"until": "2"},  # done
    {"from": "5"},
    {"changed": "6", "both.first": "3", "both.second": "4"},
    {"changed": "7", "old": "6", "both.first": "3", "both.second": "4"},
    {"changed": "7", "old": "6", "local": "100"},
    {"from": "5"},
]
"""The variables in scope at each suspend of waiting.cpp."""
DEAD = {("old", 7), ("changed", 7), ("until", 3), ("from", 8)}
"""Variables that are not used after the suspend: if they are shown, their values are correct."""


@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3"])
def test_variables_of_optimized_frames(level, tmp_path):
    """Members are called like the variables; a variable with several fields has the one of the current suspend."""
    program = harness.link([harness.lowered_object(WAITING, tmp_path, level, flags=("-std=c++20", "-g"))], tmp_path / "waiting")
    stops = [command for _ in VALUES for command in ("up", "coro frame t.handle", "continue")]
    answers = gdb(program, LOAD, "break stop", "run", *stops)[3:]
    for number, (values, shown) in enumerate(zip(VALUES, answers[1::3], strict=True)):
        found = dict(line.strip().split(" = ", 1) for line in shown.splitlines() if " = " in line)
        assert {name: found.get(name, value if (name, number) in DEAD else None) for name, value in values.items()} == values


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_members_while_running(level, tmp_path):
    """While a coroutine runs, its variables may have newer values than its frame."""
    program = harness.link([harness.lowered_object(WAITING, tmp_path, level, flags=("-std=c++20", "-g"))], tmp_path / "waiting")
    stops = ("break look", "run", "up", "coro frame")
    *_, frame = gdb(program, LOAD, *stops)
    found = dict(line.strip().split(" = ", 1) for line in frame.splitlines() if " = " in line)
    assert found["sum"] in {"40", "<optimized out>"}
    assert found["until"] in {"2", "<optimized out>"}


CHILDREN = PROGRAM.with_name("two_children.cpp")


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_a_frame_with_elided_children(level, tmp_path):
    """The promise is found wherever the frame's address is. A field has its own value if a function is named as the field."""
    program = harness.link([harness.lowered_object(CHILDREN, tmp_path, level, flags=("-std=c++20", "-g"))], tmp_path / "program")
    stop = next(n for n, text in enumerate(CHILDREN.read_text().splitlines(), 1) if "both awaited" in text)
    *_, promise, in_frame, shown = gdb(
        program, LOAD, f"break two_children.cpp:{stop}", "run", "print __promise", "print __coro_frame.__promise", "coro frame"
    )
    assert "value = 5, continuation = " in promise
    assert promise.partition(" = ")[2] == in_frame.partition(" = ")[2]
    assert "leaf = {__resume_fn" in shown or level == "-O0"
    assert " = {Task (int)}" not in shown


DRIVEN = """
struct frame { void (*resume)(void *); void (*destroy)(void *); };
extern "C" frame *squares(int);
int main()
{
  frame *handle = squares(2);
  while (handle->resume)
    handle->resume(handle);
  handle->destroy(handle);
}
"""


@pytest.mark.parametrize("level", ["O0", "O2"])
def test_another_language(level, tmp_path):
    """`pycoro.build` describes its functions as C. The breakpoint in the body stops after the first suspend, not in the ramp."""
    module = pycoro.Module("")
    source = pycoro.build.Source("squares.toy", 1, str(tmp_path))
    with pycoro.build.coroutine(module, "squares", {"to": "i32"}, promise="i32", source=source, lazy=True) as c:
        c.at(2)
        n = c.variable("i32", 0, name="n")
        with c.loop() as loop:
            c.at(3)
            loop.while_(c.icmp("slt", c.load("i32", n), c["to"]))
            c.at(4)
            c.yield_(c.mul(c.load("i32", n), c.load("i32", n)))
            c.at(5)
            c.store(c.add(c.load("i32", n), 1), n)
    lowered = pycoro.lower(module, f"default<{level}>", host=True).module
    (tmp_path / "squares.o").write_bytes(lowered.emit(level=0))
    (tmp_path / "main.cpp").write_text(DRIVEN)
    program = harness.link([tmp_path / "main.cpp", tmp_path / "squares.o"], tmp_path / "program", ("-g",))
    stops = (
        "break squares.toy:4",
        "run",
        "coro frame",
        "coro list",
        "backtrace 1",
        "break main.cpp:8",
        "continue",
        "coro frame handle",
    )
    _, _, stopped, running, found, stack, _, _, suspended = gdb(program, LOAD, *stops)
    assert "squares.resume" in stopped and "squares.toy:4" in stopped
    assert running.startswith("squares at 0x") and "running, at squares.toy:4\n  __promise = 0" in running
    assert found.startswith("squares at 0x") and stack.startswith("#0  squares.resume")
    assert "suspended at squares.toy:4 (suspend 1)" in suspended and "n = 0" in suspended


WRONG = {
    "coro frame 17": "17 is not a coroutine handle and contains none",
    "coro frame": "no coroutine is on the stack; name one",
    "coro list 1": "coro list takes no arguments",
    "coro frame nobody": 'No symbol "nobody" in current context',
}


def test_invalid_commands(chain):
    done = run_gdb([*STOP, *WRONG], chain)
    assert [answer for answer in WRONG.values() if answer not in done.stderr] == []
    assert "Traceback" not in done.stderr + done.stdout


def test_the_location_of_the_script():
    said = subprocess.run([sys.executable, "-m", "pycoro.gdb"], capture_output=True, text=True, check=True).stdout.strip()
    assert pathlib.Path(said).samefile(pycoro.gdb.__file__)
