"""gdb on lowered coroutines: variables, parameters, the promise, the frame and the backtrace after a resume and in a
destroy."""

import pathlib
import re
import shutil

import coroharness as harness
import pytest
from gdb_batch import run_gdb

PROGRAM = pathlib.Path(__file__).parent / "debugged" / "countdown.cpp"
CHANGING = PROGRAM.with_name("tally.cpp")


def lines(program: pathlib.Path) -> dict[str, int]:
    """Return line numbers by the comments at the ends of lines."""
    commented = ((line.partition("// ")[2], number) for number, line in enumerate(program.read_text().splitlines(), 1))
    return {comment: number for comment, number in commented if comment}


LINES = lines(PROGRAM)
AFTER = LINES["after the suspend"]

pytestmark = [
    pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}"),
    pytest.mark.skipif(shutil.which("gdb") is None, reason="not installed: gdb"),
]


@pytest.fixture(scope="session")
def debugged(tmp_path_factory):
    """Build a program with debug information, once per session and level."""
    folder, done = tmp_path_factory.mktemp("gdb"), {}

    def build(level: str, program: pathlib.Path = PROGRAM) -> pathlib.Path:
        if (level, program) not in done:
            made = harness.lowered_object(program, folder, level, flags=("-std=c++20", "-g"))
            done[level, program] = harness.link([made], folder / f"{program.stem}{level}")
        return done[level, program]

    return build


def gdb(program: pathlib.Path, *commands: str) -> list[str]:
    """Return gdb's output for each command, after the first ones ran the program to a stop."""
    done = run_gdb([word for command in commands for word in (r"echo \n==>\n", command)], program)
    answers = [answer.strip() for answer in done.stdout.split("\n==>\n")[1:]]
    assert len(answers) == len(commands), done.stdout + done.stderr
    return answers


def after_second_suspend(program: pathlib.Path, *commands: str) -> list[str]:
    stop = (f"break countdown.cpp:{AFTER}", "run", "continue")
    return gdb(program, *stop, *commands)[len(stop) :]


def value(answer: str) -> str:
    """Return VALUE of "$1 = VALUE"."""
    return answer.partition(" = ")[2]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("step", "8"), ("left", "4"), ("sum", "10"), ("from", "5"), ("__promise", "{last = 8}"), ("kept.name", '"five"'),
     ("label", '"five"'), ("__promise.last + from", "13")],
)  # fmt: skip
def test_variables_after_a_suspend(debugged, expression, expected):
    (answer,) = after_second_suspend(debugged("-O0"), f"print {expression}")
    assert re.sub(r"^0x[0-9a-f]+ ", "", value(answer)) == expected


def test_parameters_and_variables_are_listed_where_they_belong(debugged):
    arguments, variables = after_second_suspend(debugged("-O0"), "info args", "info locals")
    assert [line.split(" = ")[0] for line in arguments.splitlines()] == ["from", "label"]
    names = [line.split(" = ")[0] for line in variables.splitlines()]
    assert {"step", "left", "sum", "kept", "__promise", "__coro_frame"} <= set(names)
    assert len(names) == len(set(names)), "each of them once"


def test_a_variable_can_be_set(debugged):
    _, answer = after_second_suspend(debugged("-O0"), "set variable sum = 1000", "print *(int*)&sum + step")
    assert value(answer) == "1008"
    printed = after_second_suspend(debugged("-O0"), "set variable sum = 1000", "delete", "continue")[-1]
    assert "five 1008" in printed


def test_backtrace_names_lines(debugged):
    (trace,) = after_second_suspend(debugged("-O0"), "backtrace")
    frames = trace.splitlines()
    assert re.match(rf'#0 +countdown\(.*\(from=5, label=0x[0-9a-f]+ "five"\) at .*countdown\.cpp:{AFTER}$', frames[0])
    assert "coroutine_handle" in frames[1]
    assert re.search(rf"resume \(handle=.*\) at .*countdown\.cpp:{LINES['resumes']}$", frames[2])
    assert re.search(rf"main \(\) at .*countdown\.cpp:{LINES['in turn']}$", frames[3])


def test_the_frame_is_a_variable(debugged):
    frame, *offsets = after_second_suspend(
        debugged("-O0"), "print __coro_frame",
        *(f"print (long)&__coro_frame.{field} - (long)&__coro_frame" for field in ("__resume_fn", "__destroy_fn", "__promise")),
        *(f"print &__coro_frame.{name} == &{name}" for name in ("from", "sum", "left", "step", "kept")),
    )  # fmt: skip
    fields = value(frame)
    for field in ["__promise = {last = 8}", "from = 5", "sum = 10", "left = 4", "step = 8", "kept = {name = 0x"]:
        assert field in fields
    assert re.search(r"__resume_fn = 0x[0-9a-f]+ <countdown.*resume\]>", fields)
    assert re.search(r"__destroy_fn = 0x[0-9a-f]+ <countdown.*destroy\]>", fields)
    assert "__coro_index = 1" in fields
    assert [value(offset) for offset in offsets] == ["0", "8", "16"] + ["true"] * 5


def test_the_ramp_sees_the_frame(debugged):
    stop = ("break task::promise_type::get_return_object", "run", "up")
    *_, promise, argument, where = gdb(debugged("-O0"), *stop, "print __promise", "print from", "backtrace")
    assert value(promise) == "{last = 1}"
    assert value(argument) == "5"
    assert re.search(rf"main \(\) at .*countdown\.cpp:{LINES['starts']}$", where.splitlines()[-1])


def test_a_coroutine_that_is_destroyed(debugged):
    stop = (f"break countdown.cpp:{LINES['in destructor']}", "run", "up")
    *_, promise, argument, trace = gdb(debugged("-O0"), *stop, "print __promise", "print from", "backtrace")
    assert value(promise) == "{last = 4}"
    assert value(argument) == "5"
    assert re.search(r"#1 .* countdown\(.*at .*countdown\.cpp:\d+$", trace, re.M)
    assert re.search(rf"main \(\) at .*countdown\.cpp:{LINES['destroys']}$", trace.splitlines()[-1])


def test_a_breakpoint_on_the_coroutine_stops_in_its_clones(debugged):
    stop = ("break countdown", "run", "continue", "continue")
    first, _, second = gdb(debugged("-O0"), *stop)[1:]
    assert re.search(r"^Breakpoint .*countdown.*\(from=5, .*countdown\.cpp:\d+", first, re.M)
    assert re.search(r"^Breakpoint .*countdown.*resume.*\(from=5, .*countdown\.cpp:\d+", second, re.M)


def test_stepping_goes_from_line_to_line(debugged):
    steps = after_second_suspend(debugged("-O0"), *["next"] * 5)
    assert [int(re.search(r"^(\d+)\t", step, re.M)[1]) - AFTER for step in steps] == [1, 2, -3, -2, -1]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("__promise", {"{last = 8}"}), ("label", {'"five"'}), ("kept.name", {'"five"'}),
     ("from", {"5", "<optimized out>"})],
)  # fmt: skip
def test_optimized_code_shows_no_wrong_values(debugged, expression, expected):
    """A dead value may be unavailable: another one occupies its field then."""
    (answer,) = after_second_suspend(debugged("-O2"), f"print {expression}")
    assert re.sub(r"^0x[0-9a-f]+ ", "", value(answer)) in expected


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize(("variable", "values"), [("round", [0, 1, 2]), ("total", [5, 6, 17]), ("outside", [101, 202, 303])])
def test_changed_variables_are_correct_after_a_resume(debugged, level, variable, values):
    """Variables are correct between a suspend and their next debug record, also where fields share bytes."""
    stop = [f"break tally.cpp:{lines(CHANGING)['looks']} if value == -1", "run"]
    rounds = [command for _ in values for command in ("up", f"print {variable}", "continue")]
    answers = gdb(debugged(level, CHANGING), *stop, *rounds)[len(stop) :]
    assert f"tally.cpp:{lines(CHANGING)['after the suspend']}" in answers[0]
    assert [value(answer) for answer in answers[1::3]] == [str(number) for number in values]
