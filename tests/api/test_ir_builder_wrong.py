"""Invalid arguments raise before they reach LLVM, and no call crashes the process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from building import function_to_build

import pycoro
from pycoro.ir import Builder, Function

HERE = Path(__file__).parent

Wrong = Callable[[Builder, Function], object]


WRONG: list[tuple[str, Wrong, str]] = [
    ("types that differ", lambda b, f: b.add(f.arguments[0], b.constant("i64", 1)), "type i64; it must have type i32"),
    ("floats for integers", lambda b, f: b.add(f.arguments[2], f.arguments[2]), "add takes integers"),
    ("integers for floats", lambda b, f: b.fadd(f.arguments[0], f.arguments[0]), "fadd takes floats"),
    ("no such operation", lambda b, f: b.binary("plus", f.arguments[0], 1), "plus is not a binary operation"),
    ("a number too large", lambda b, f: b.add(f.arguments[0], 1 << 32), "does not fit i32"),
    ("another function's", lambda b, f: b.add(module_of(b).functions["other"].arguments[0], 1), "of another function"),
    (
        "the type belongs to another module: parse its text in this",
        lambda b, f: b.add(function_to_build()[2].arguments[0], 1),
        "another module",
    ),
    ("a block", lambda b, f: b.freeze(f.blocks[0]), "cannot be a block"),
    ("a void value", lambda b, f: b.freeze(b.call(module_of(b).functions["nothing"])), "of type void cannot be frozen"),
    (
        "a name for nothing",
        lambda b, f: b.call(module_of(b).functions["nothing"], name="x"),
        "a call without a result cannot have a name",
    ),
    ("too few arguments", lambda b, f: b.call(module_of(b).functions["other"]), "takes 1 arguments, not 0"),
    (
        "a wrong argument",
        lambda b, f: b.call(module_of(b).functions["other"], [f.arguments[1]]),
        "argument 1 has type ptr; it must have type i32",
    ),
    (
        "a call of no function",
        lambda b, f: b.call(f.arguments[1], []),
        "the callee is not a function: pass the function type of the",
    ),
    (
        "a call of a number",
        lambda b, f: b.call(f.arguments[0], [], type="void ()"),
        "the callee must be a pointer, not a value of type i32",
    ),
    (
        "a call by no function's type",
        lambda b, f: b.call(f.arguments[1], [], type="i32"),
        "the type of a callee must be a function type, not i32",
    ),
    ("an unknown tail", lambda b, f: b.call(module_of(b).functions["nothing"], tail="last"), "not 'last'"),  # type: ignore[arg-type]
    ("icmp of floats", lambda b, f: b.icmp("eq", f.arguments[2], f.arguments[2]), "compares integers or pointers"),
    ("an odd predicate", lambda b, f: b.icmp("oeq", f.arguments[0], 1), "icmp does not have the predicate oeq"),  # type: ignore[arg-type]
    (
        "a wide condition",
        lambda b, f: b.select(f.arguments[0], 1, f.arguments[0]),
        "the condition of a select must be an i1 or a vector of i1,",
    ),
    (
        "a wide branch",
        lambda b, f: b.branch_if(f.arguments[0], b.block, b.block),
        "the condition of a branch has type i32; it must have type i1",
    ),
    ("a branch into another function", lambda b, f: b.branch(module_of(b).functions["other"].blocks[0]), "of another function"),
    ("a branch to a value", lambda b, f: b.branch(f.arguments[0]), "must be a block"),  # type: ignore[arg-type]
    (
        "a switch by a pointer",
        lambda b, f: b.switch(f.arguments[1], b.block),
        "the operand of a switch must be an integer, not a value of",
    ),
    ("a case that is no constant", lambda b, f: b.switch(f.arguments[0], b.block, [(f.arguments[0], b.block)]), "constant integer"),
    ("a wider narrowing", lambda b, f: b.trunc(f.arguments[0], "i64"), "trunc cannot convert i32 to i64"),
    ("a cast of a pointer", lambda b, f: b.bitcast(f.arguments[1], "i64"), "bitcast cannot convert ptr to i64"),
    ("a cast of other shape", lambda b, f: b.zext(f.arguments[0], "<4 x i64>"), "zext cannot convert i32 to"),
    ("half to bfloat", lambda b, f: b.fptrunc(b.constant("half", 1), "bfloat"), "fptrunc cannot convert half to bfloat"),
    ("a variable of no size", lambda b, f: b.alloca("%opaque"), "no size in memory"),
    ("a load of nothing", lambda b, f: b.load("void", f.arguments[1]), "no size in memory"),
    (
        "a load of a tile",
        lambda b, f: b.load("x86_amx", f.arguments[1]),
        "the loaded value has type x86_amx; use the intrinsics that",
    ),
    ("a load from a number", lambda b, f: b.load("i32", f.arguments[0]), "expected a pointer, not a value of type i32"),
    (
        "an odd alignment",
        lambda b, f: b.load("i32", f.arguments[1], align=3),
        "an alignment must be a power of two",
    ),
    ("a vast alignment", lambda b, f: b.alloca("i32", align=1 << 32), "an alignment must be a power of two"),
    ("a negative alignment", lambda b, f: b.alloca("i32", align=-1), "an alignment must be a power of two"),
    ("a gep beyond a struct", lambda b, f: b.gep("{ i8, i64 }", f.arguments[1], [0, 2]), "has no element 2"),
    (
        "a gep by a variable",
        lambda b, f: b.gep("{ i8, i64 }", f.arguments[1], [0, f.arguments[0]]),
        "the index of a struct element must be a constant of type i32",
    ),
    ("a gep into a number", lambda b, f: b.gep("i32", f.arguments[1], [0, 0]), "i32 has no elements that an index can select"),
    ("a gep by nothing", lambda b, f: b.gep("i32", f.arguments[1], []), "a getelementptr needs at least one index"),
    ("an element beyond", lambda b, f: b.extract_value(b.poison("{ i8, i64 }"), 2), "has no element 2"),
    ("an element of a number", lambda b, f: b.extract_value(f.arguments[0], 0), "is not an aggregate"),
    (
        "an element of no index",
        lambda b, f: b.extract_value(b.poison("{ i8 }")),
        "an element of an aggregate needs at least one index",
    ),
    ("a negative index", lambda b, f: b.extract_value(b.poison("{ i8 }"), -1), "from 0"),
    ("an element of another type", lambda b, f: b.insert_value(b.poison("{ i8 }"), f.arguments[0], 0), "the element has type i8"),
    (
        "a constant of all too many",
        lambda b, f: b.insert_value(b.constant("[1000000000000 x i8]", None), 1, 3),
        "all operands are constants, and folding constants of this",
    ),
    (
        "a product of all too many bits",
        lambda b, f: b.mul(b.constant("i8388608", 3), 5),
        "all operands are constants, and folding constants of this",
    ),
    ("a shuffle beyond", lambda b, f: b.shuffle(b.poison("<2 x i8>"), None, [4]), "from 0 to 3"),
    ("a phi of nothing", lambda b, f: b.phi("void"), "a phi cannot have type void"),
    ("a value for no phi", lambda b, f: b.add_incoming(b.add(f.arguments[0], 1), 1, b.block), "only a phi has incoming values"),  # type: ignore[arg-type]
    (
        "a value of another type",
        lambda b, f: b.phi("i32", [(b.constant("i8", 1), b.block)]),
        "an incoming value has type i8; it must have type i32",
    ),
    ("a return of nothing", lambda b, f: b.ret(), "the function must return i32"),
    ("a return of another type", lambda b, f: b.ret(f.arguments[1]), "the returned value has type ptr; it must have type i32"),
    (
        "a function of no function's type",
        lambda b, f: b.add_function("x", "i32"),
        "the type of a function must be a function type, such as i32",
    ),
    ("a name that is taken", lambda b, f: b.add_function("other", "void ()"), "the module already has a global @other"),
    (
        "LLVM's own name",
        lambda b, f: b.add_function("llvm.coro.done", "i1 (ptr)"),
        r"names that start with llvm\. are reserved: declare an",
    ),
    ("a name with a NUL", lambda b, f: b.add_function("a\0b", "void ()"), "a NUL"),
    ("an unknown linkage", lambda b, f: b.add_function("x", "void ()", linkage="hidden"), "hidden is not a linkage"),  # type: ignore[arg-type]
    ("another type for a function", lambda b, f: b.declare("other", "void ()"), "not void \\(\\)"),
    (
        "a block of an intrinsic",
        lambda b, f: b.add_block(function=b.intrinsic_function("llvm.trap")),
        "an intrinsic cannot have a body",
    ),
    ("an initializer of another type", lambda b, f: b.add_variable("v", "i32", b.constant("i8", 1)), "expected a constant of type"),
    ("an initializer that is none", lambda b, f: b.add_variable("v", "i32", f.arguments[0]), "is not a constant|another function"),
    ("a name of a constant", lambda b, f: b.rename(b.constant("i32", 1), "x"), "a constant cannot have a name"),
    ("no name of a function", lambda b, f: b.rename(f, ""), "a global must have a name"),
    ("a convention beyond", lambda b, f: b.set_calling_convention(f, 1024), "0 to 1023"),
    ("a personality of a value", lambda b, f: b.set_personality(f, f.arguments[1]), "a personality must be a function"),  # type: ignore[arg-type]
    (
        "an odd ordering",
        lambda b, f: b.load_atomic("i32", f.arguments[1], "release"),
        "'release' is not a valid ordering of a load",
    ),  # type: ignore[arg-type]
    ("a fence of nothing", lambda b, f: b.fence("monotonic"), "'monotonic' is not a valid ordering of a fence"),  # type: ignore[arg-type]
    (
        "an atomic bit",
        lambda b, f: b.load_atomic("i1", f.arguments[1], "seq_cst"),
        "the loaded value has type i1; it must be an integer, a",
    ),
    (
        "an atomic struct",
        lambda b, f: b.load_atomic("{ i8 }", f.arguments[1], "seq_cst"),
        r"the loaded value has type \{ i8 \}; it must be an integer, a",
    ),
    ("an atomic vector", lambda b, f: b.load_atomic("<2 x float>", f.arguments[1], "seq_cst"), "the loaded value has type"),
    (
        "an odd size",
        lambda b, f: b.atomicrmw("add", f.arguments[1], b.constant("i24", 1), "seq_cst"),
        "the operand has type i24; it must be an integer of a",
    ),
    (
        "a float added",
        lambda b, f: b.atomicrmw("add", f.arguments[1], f.arguments[2], "seq_cst"),
        "the operand has type double; it must be an integer of a",
    ),
    (
        "an integer of floats",
        lambda b, f: b.atomicrmw("fadd", f.arguments[1], f.arguments[0], "seq_cst"),
        "the operand has type i32; it must be a float of a",
    ),
    (
        "no such change",
        lambda b, f: b.atomicrmw("mul", f.arguments[1], f.arguments[0], "seq_cst"),
        "'mul' is not an operation of atomicrmw",
    ),  # type: ignore[arg-type]
    (
        "an exchange of floats",
        lambda b, f: b.cmpxchg(f.arguments[1], f.arguments[2], 1, "seq_cst", "seq_cst"),
        "the new value has type double; it must be an integer, or a",
    ),
    ("a failure that releases", lambda b, f: b.cmpxchg(f.arguments[1], f.arguments[0], 1, "seq_cst", "release"), "that fails"),  # type: ignore[arg-type]
    (
        "an exchange at a number",
        lambda b, f: b.cmpxchg(f.arguments[0], f.arguments[0], 1, "seq_cst", "seq_cst"),
        "expected a pointer, not a value of type i32",
    ),
    (
        "a pad in a value",
        lambda b, f: b.cleanuppad(parent=f.arguments[1]),
        "the parent of a pad must be a catchpad, a cleanuppad or none",
    ),
    (
        "a pad behind others",
        lambda b, f: (b.freeze(f.arguments[0]), b.cleanuppad()),
        "a pad must be the first instruction of its block after the",
    ),
    ("a catchpad of a value", lambda b, f: b.catchpad(f.arguments[1]), "the parent of a catchpad must be a catchswitch"),
    (
        "a catchpad of a cleanup",
        lambda b, f: b.catchpad(b.cleanuppad()),
        "a pad must be the first instruction of its block after the",
    ),
    ("no handlers", lambda b, f: b.catchswitch([]), "a catchswitch needs at least one handler"),
    ("a cleanupret of a value", lambda b, f: b.cleanupret(f.arguments[1]), "the operand of a cleanupret must be a cleanuppad"),
    (
        "a catchret of a cleanup",
        lambda b, f: b.catchret(b.cleanuppad(), f.blocks[0]),
        "the operand of a catchret must be a catchpad",
    ),
    (
        "a bundle of a block",
        lambda b, f: b.call(module_of(b).functions["nothing"], bundles={"x": [f.blocks[0]]}),
        "cannot be a block",
    ),  # type: ignore[list-item]
    (
        "geps of two lengths",
        lambda b, f: b.gep("i8", b.poison("<2 x ptr>"), [b.poison("<3 x i64>")]),
        "the vectors of a getelementptr must have one length;",
    ),
    (
        "a gep of numbers",
        lambda b, f: b.gep("i8", b.poison("<2 x i64>"), [0]),
        "expected a pointer or a vector of pointers, not a value of",
    ),
    ("a poison of nothing", lambda b, f: b.poison("void"), "type void does not have such a constant"),
    ("a zero of what has none", lambda b, f: b.constant("%opaque", None), "type %opaque does not have such a constant"),
    ("too few elements", lambda b, f: b.constant("[2 x i8]", [1]), "needs 2 elements, not 1"),
]


def module_of(build: Builder) -> Any:
    """Return an object with `functions` by name, as a module has."""
    return SimpleNamespace(functions={function.name: function for function in pycoro._core.ir_functions(build._core)})


OTHERS = """
%opaque = type opaque
@o = external global %opaque
declare void @nothing()
define i32 @other(i32 %x) {
entry:
  ret i32 %x
}
"""


@pytest.mark.parametrize(("wrong", "why"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_mismatched_types_are_errors(wrong: Wrong, why: str) -> None:
    module, build, f = function_to_build("i32 (i32, ptr, double)", OTHERS)
    build.at_end(f.blocks[0])
    with pytest.raises(pycoro.UsageError, match=why):
        wrong(build, f)
    assert str(module)


@pytest.mark.parametrize("wrong", ["x", 1.5, b"a", object(), [1, 2]])
def test_non_operands_are_errors(wrong: Any) -> None:
    _, build, f = function_to_build()
    x = f.arguments[0]
    for use in (
        lambda: build.add(x, wrong),
        lambda: build.freeze(wrong),
        lambda: build.ret(wrong),
        lambda: build.select(wrong, x, x),
    ):
        with pytest.raises((TypeError, pycoro.UsageError)):
            use()


def test_verification_names_the_function() -> None:
    module, build, f = function_to_build()
    other = build.add_block("other")
    late = build.at_end(other).add(f.arguments[0], 1)
    build.unreachable()
    build.at_end(f.blocks[0]).ret(late)
    with pytest.raises(pycoro.VerifyError, match="does not dominate") as caught:
        module.verify()
    assert caught.value.diagnostics[0].function == "f"
    module, build, f = function_to_build()
    with pytest.raises(pycoro.VerifyError) as caught:
        module.verify()
    assert caught.value.diagnostics[0].function == "f"


def test_builders_cannot_be_used_during_a_run() -> None:
    module, build, f = function_to_build()
    build.ret(0)
    seen: list[BaseException] = []

    def look(*_: str) -> None:
        for use in (lambda: build.add_function("g", "void ()"), lambda: build.erase(f), lambda: build.constant("i32", 1)):
            try:
                use()
            except pycoro.BusyError as error:
                seen.append(error)

    module.run("instcombine", after_pass=look)
    assert len(seen) == 3


# ---- Random calls ----


def test_random_calls() -> None:
    from builder_attack import run
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.randoms(use_true_random=False))
    def attack(draw: Any) -> None:
        run(draw, 60)

    attack()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_thousands_of_random_calls(seed: int) -> None:
    """They run in a separate process, which they must not crash."""
    done = subprocess.run(
        [sys.executable, str(HERE / "builder_attack.py"), str(seed), "2000"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
    built, fine, broken = (int(number) for number in done.stdout.strip(" ()\n").split(","))
    assert built > 200 and fine > 5 and broken > 5
