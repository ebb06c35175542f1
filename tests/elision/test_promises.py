"""Promises of LLVM's language reference and the documents of tests/seeds: at `default<O2>` each `main` becomes straight-line
calls without allocation."""

from __future__ import annotations

import pathlib
import re
import shutil

import elisions
import pytest

import pycoro

SEEDS = pathlib.Path(__file__).resolve().parent.parent / "seeds"
RUNNING = SEEDS.parent.parent / "bench" / "running"
CALLS = {
    "counter": ["print(i32 4)", "print(i32 5)", "print(i32 6)"],
    "custom_allocation": ["print(i32 4)", "print(i32 5)", "print(i32 6)"],
    "final_suspend": [f"print(i32 {n})" for n in (4, 3, 2, 1, 0)],
    "gen_sequence": [f"print_float(float {n}.000000e+00)" for n in range(4)],
    "promise": ["print(i32 4)", "print(i32 5)", "print(i32 6)"],
    "promise_both_ways": ["print(i32 42)", "print(i32 43)"],
    "python_generator": [f"print(i32 {n})" for n in range(5)],
    "simple_gen": ["print(i32 12345)"],
    "two_suspends": [f"print(i32 {n})" for n in (4, -5, 5, -6, 6)],
    "worker": [f"puts(ptr nonnull dereferenceable(1) @step{n})" for n in (1, 2, 3)],
}


def body_of(name: str, passes: str, function: str = "main") -> str:
    module = pycoro.Module((SEEDS / f"{name}.ll").read_text())
    module.run(passes)
    text = str(module)
    found = re.search(rf"^define [^\n]*@{function}\(.*?^}}", text, re.DOTALL | re.MULTILINE)
    assert found
    return found[0]


@pytest.mark.parametrize("name", CALLS)
def test_main_is_straight_line_code(name):
    main = body_of(name, "default<O2>")
    assert re.findall(r" call [^@]*@([^\n]*\))", main) == CALLS[name]
    assert not re.search(r" (br|switch|alloca|load|store) ", main)


@pytest.mark.parametrize("level", ["O2", "O3"])
def test_a_loop_over_five_numbers_is_their_sum(level):
    """The loop around a switch over its five states is unrolled."""
    main = body_of("fib", f"default<{level}>")
    assert re.findall(r"(?: call [^@]*@| ret )([^\n]*)", main) == ["print(i32 10)", "i32 0"]
    assert not re.search(r" (br|switch|alloca|load|store) ", main)


def test_a_generator_in_a_loop_of_unknown_length_becomes_a_plain_loop():
    """The count is known only at run time: the loop has one branch, as a handwritten loop."""
    text = body_of("gen_sequence", "default<O2>", "Foo")
    assert not re.search(r"switch|malloc|coro|alloca|@\S*resume|load|store", text)
    loops = re.findall(r"^(\S+):(?:(?!^\S+:).)*? br [^\n]*label %\1\b", text, re.DOTALL | re.MULTILINE)
    assert len(loops) == 1
    assert text.count(" br ") == 2  # one skips an empty loop


@pytest.mark.skipif(not shutil.which(elisions.harness.CLANG), reason="needs clang")
def test_nested_generators_become_plain_loops(tmp_path):
    """No frames, resume slots or state branches remain. LLVM's passes process the module twice for any number of creators:
    the coroutines first, then the creators."""
    ir = elisions.harness.emit_ir(RUNNING / "generators.cpp", tmp_path / "generators.ll", "-O2", (*elisions.FLAGS, f"-I{RUNNING}"))
    module = pycoro.Module(elisions.with_handwritten_loops_marked(ir.read_text()))
    report = module.run("default<O2>")
    for name in ("one_yield", "two_yields", "filter", "map_and_take"):
        body, by_hand = (
            re.search(rf"^define [^\n]*@{name}_by_{by}\([^\n]*\n(.*?)^}}", str(module), re.DOTALL | re.MULTILINE)[1]
            for by in ("coroutines", "hand")
        )
        assert not re.search(r"\bptr\b|\bnull\b|switch|\bi8\b", body), name
        assert body.count("br i1 ") <= by_hand.count("br i1 ") + 1, name
    assert sum("devirt<4>(inline" in step.name for step in report.steps) == 2


def test_coroutines_without_coro_alloc_are_allocated():
    assert "@malloc" in body_of("save_apart", "default<O2>")
