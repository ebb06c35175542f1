"""The compiler for a subset of Ü in examples/u: interpreted, compiled and linked programs, the cost of generators at O2,
debugging, and diagnostics with lines."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gdb_batch import run_gdb

import pycoro

pytest.importorskip("lark")
FOLDER = Path(__file__).parents[2] / "examples" / "u"
LISTINGS, TASKS = FOLDER / "listings.u", FOLDER / "tasks.u"
SUPPORT = """
#include <stdio.h>
void PrintInt(int x) { printf("%d\\n", x); }
void PrintFloat(float x) { printf("%g\\n", x); }
void Foo(void);
void FooSequence(unsigned);
int main(void) { Foo(); FooSequence(3); return 0; }
"""


@pytest.fixture(scope="module")
def u() -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        import u

        return u
    finally:
        sys.path.remove(str(FOLDER))


def printed(u: ModuleType, file: Path, *calls: tuple[Any, ...], passes: str = "") -> list[float]:
    """Return the program's output; interpret it if there are no passes."""
    module, shown = u.compile(file.read_text()), list[float]()
    externals = {"PrintInt": shown.append, "PrintFloat": shown.append}
    machine = pycoro.Engine(module.run(passes), externals=externals) if passes else pycoro.Interpreter(module, externals=externals)
    with machine:
        for name, *arguments in calls:
            machine.call(name, *arguments)
    return shown


WAYS = ["", "default<O0>", "default<O2>"]


@pytest.mark.parametrize("passes", WAYS)
def test_the_listings(u: ModuleType, passes: str) -> None:
    assert printed(u, LISTINGS, ("Foo",), passes=passes) == [12345]
    assert printed(u, LISTINGS, ("FooSequence", 4), ("FooSequence", 0), ("ByHand", 2), passes=passes) == [0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize("passes", WAYS)
def test_destructors_and_tasks(u: ModuleType, passes: str) -> None:
    assert printed(u, TASKS, ("Take", 0), passes=passes) == [], "what has not begun has no variables"
    assert printed(u, TASKS, ("Take", 2), passes=passes) == [1, -1, 2, -2, -100], "it is destroyed where it stands"
    assert printed(u, TASKS, ("Take", 4), passes=passes) == [1, -1, 2, -2, -3, -100, 0, 0], "it has returned"
    assert printed(u, TASKS, ("Run", 3, 10), passes=passes) == [-1, -2, -3, 14]
    assert printed(u, TASKS, ("Run", 3, 2), passes=passes) == [-1, 0, -2], "who waits goes, and what it waits for first"


def body(text: str, name: str) -> str:
    found = re.search(rf"^define [^\n]*@{name}\(.*?^}}", text, re.DOTALL | re.MULTILINE)
    assert found
    return found[0]


def operations(text: str) -> list[str]:
    """Return the opcodes of the lines in order, with the callees of calls."""
    found = re.findall(r"^  (?:%\S+ = )?(?:tail )?(?:call [^(\n]*?([@%]\S+)\(|(\w+))", text, re.MULTILINE)
    return [callee or opcode for callee, opcode in found]


def loop_of(text: str) -> list[str]:
    """Return the opcodes of the only loop."""
    (block,) = (part for part in re.split(r"\n(?=\S+:)", text) if re.search(r"br i1 .*%(\S+)(,|$)", part) and is_loop(part))
    return sorted(word for word in operations(block) if word != "phi")


def is_loop(block: str) -> bool:
    name = block.partition(":")[0].strip()
    return bool(re.search(rf"br .*label %{re.escape(name)}(,|$)", block, re.MULTILINE))


def test_a_generator_costs_as_much_as_a_handwritten_loop(u: ModuleType) -> None:
    module = u.compile(LISTINGS.read_text())
    module.run("default<O2>")
    sequence, by_hand = (body(str(module), name) for name in ("FooSequence", "ByHand"))
    assert loop_of(sequence) == loop_of(by_hand) == ["@PrintFloat", "add", "br", "icmp", "uitofp"]
    assert set(operations(sequence)) == {"@PrintFloat", "add", "br", "icmp", "phi", "ret", "uitofp"}
    assert re.findall(r"call .*", body(str(module), "Foo")) == ["call void @PrintInt(i32 12345)"]


def test_tasks_are_optimized_away(u: ModuleType) -> None:
    module = u.compile(TASKS.read_text())
    module.run("default<O2>")
    left = {"@PrintInt", "add", "br", "icmp", "mul", "phi", "ret", "select", "sub", "xor"}
    assert set(operations(body(str(module), "Run"))) == left


# ---- Linking and debugging ----


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("not installed: cc")
    folder = tmp_path_factory.mktemp("u")
    (folder / "support.c").write_text(SUPPORT)
    made = [sys.executable, str(FOLDER / "u.py"), str(LISTINGS), "-g", "-o", str(folder / "listings.o")]
    subprocess.run(made, check=True, timeout=120)
    subprocess.run(["cc", "-o", "program", "support.c", "listings.o"], cwd=folder, check=True, timeout=120)
    return folder / "program"


def test_it_is_linked(program: Path) -> None:
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["12345", "0", "1", "2"]


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(LISTINGS.read_text().splitlines(), 1) if text in line)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="not installed: gdb")
def test_a_debugger_shows_its_lines(program: Path) -> None:
    at = line_of("yield f32(i)")
    commands = [f"break listings.u:{at}", "run", "continue", "info locals", "backtrace", "up", "info locals"]
    done = run_gdb(commands, program)
    assert f"listings.u:{at}\n{at}\t        yield f32(i);" in done.stdout
    second = done.stdout.rpartition("Breakpoint 1, ")[2]
    assert "num = 3\ni = 1\n" in second
    assert re.search(r"#1 .* in FooSequence \(\) at listings\.u:\d+", second)
    assert re.search(r"gen = 0x\w+\nx = 0\n", second), "what its caller has"


# ---- Diagnostics ----

WRONG = [
    (
        "fn generator G() : i32 { } fn F() { if_coro_advance( x : G() ) { } }",
        "line 1: only a coroutine in a variable can be advanced",
    ),
    ("fn F() { auto x = 1.5u; }", "line 1: 1.5u is not a valid number"),
    ("fn F() {\n auto x = 99999999999; }", "line 2: 99999999999 does not fit i32"),
    ("fn F() { }\nfn F() { }", "line 2: function F is already defined"),
    ("struct S { i32 x; } fn F() { var S s{ .x = 1 }; auto y = -s; }", "line 1: S is not an arithmetic type"),
    ("fn generator G() : i32 { } fn F() { auto x = i32(G()); }", "line 1: cannot convert generator: i32 to i32"),
    ("fn async A() : i32 { yield; }", "line 1: A may end without a result"),
    ("fn F() { x = 1; }", "line 1: unknown variable x"),
    ("fn F()\n{\n  auto x = 1;\n  x = 2;\n}", "line 4: x is immutable: declare it mut"),
    ("fn F() { auto x = 1 + 1u; }", "line 1: expected i32, got u32"),
    ("fn F() { auto x = true + true; }", "line 1: bool is not an arithmetic type"),
    ("fn F() { auto x = true < false; }", "line 1: bool does not support <"),
    ("fn F() { G(); }", "line 1: unknown function G"),
    ("fn F(i32 x) { F(); }", "line 1: F takes 1 arguments, got 0"),
    ("fn F(Nothing x);", "line 1: unknown type Nothing"),
    ("fn F() { yield 1; }", "line 1: only generators yield values, and only async functions yield without a value"),
    ("fn generator F() : i32 { yield; }", "line 1: only generators yield values"),
    ("fn async F() : i32 { yield 1; }", "only generators yield values, and only async functions yield without a value"),
    ("fn F() : i32 { }", "line 1: F may end without a result"),
    ("fn F() : i32 { return; }", "line 1: return needs a value of type i32"),
    ("fn async A() { } fn F() { await A(); }", "line 1: only an async function can await, and only another async function"),
    ("fn F() { break; }", "line 1: break is outside of a loop"),
    ("fn F() { auto x = 1; if_coro_advance( y : x ) { } }", "line 1: i32 is not a coroutine and cannot be advanced"),
    ("fn generator G() : i32 { } fn F() { auto a = G(); auto b = a; }", "line 1: generator: i32 cannot be copied"),
    ("struct S { i32 x; } fn F() { var S s{ }; }", "line 1: initialize each field of S exactly once: x"),
    ("struct S { i32 x; } fn F(bool b) { var S s{ .x = 1 }; F( s.y ); }", "line 1: S has no field y"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[message for _, message in WRONG])
def test_errors_have_lines(u: ModuleType, text: str, message: str) -> None:
    with pytest.raises(u.Wrong, match=re.escape(message)):
        u.compile(text)


def test_both_branches_of_an_advance_may_return(u: ModuleType) -> None:
    text = """fn generator G() : i32 { yield 7; }
    fn F() : i32 { auto mut g = G(); if_coro_advance( x : g ) { return x; } else { return 0; } }"""
    with pycoro.Interpreter(u.compile(text)) as machine:
        assert machine.call("F") == 7


def test_the_command_line(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(FOLDER / "u.py"), *words], capture_output=True, text=True, timeout=120, check=False
        )

    assert run(str(TASKS), "--run", "Run", "3", "10").stdout.split() == ["-1", "-2", "-3", "14"]
    wrong = tmp_path / "wrong.u"
    wrong.write_text("fn F() {\n  auto = 1;\n}\n")
    done = run(str(wrong))
    assert done.returncode == 1 and "line 2" in done.stderr
    wrong.write_text("fn F() {\n  G();\n}\n")
    assert run(str(wrong)).stderr == f"{wrong}: line 2: unknown function G\n"


def test_the_source_is_short() -> None:
    assert sum(len((FOLDER / name).read_text().splitlines()) for name in ("u.py", "u.lark", "README.md")) < 600


def test_every_statement_of_the_grammar() -> None:
    """The compiler has a method for every statement."""
    grammar, compiler = (FOLDER / "u.lark").read_text(), (FOLDER / "u.py").read_text()
    for word in re.findall(r"-> (\w+)", grammar):
        assert f"def do_{word}(" in compiler or f"def get_{word}(" in compiler
