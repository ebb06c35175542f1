"""The programs of the design documents print the documented output: in the JIT with output functions bound to Python, and
natively."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import pycoro
from pycoro import oracle
from pycoro.engine import Engine
from pycoro.oracle import for_host

SEEDS = Path(__file__).parent.parent / "seeds"
PASSES = "coro-early,cgscc(coro-split),coro-cleanup"

OUTPUT: dict[str, list[object]] = {
    "counter": [4, 5, 6],
    "two_suspends": [4, -5, 5, -6, 6],
    "save_apart": ["async_op1", "do_one", "async_op2", "do_two", "async_op1", "do_one", "async_op1"],
    "promise": [4, 5, 6],
    "promise_both_ways": [42, 43],
    "final_suspend": [4, 3, 2, 1, 0],
    "python_generator": [0, 1, 2, 3, 4],
    "custom_allocation": [4, 5, 6],
    "fib": [10],
    "simple_gen": [12345],
    "gen_sequence": [0.0, 1.0, 2.0, 3.0],
    "worker": ["step 1", "step 2", "step 3"],
}


def source(name: str) -> str:
    return for_host((SEEDS / f"{name}.ll").read_text())


def lowered_by_pycoro(name: str) -> pycoro.Report:
    return pycoro.lower(source(name))


def lowered_by_llvm(name: str) -> pycoro.Module:
    opt = ["opt-22", f"-passes={PASSES}", "-S"]
    return pycoro.Module(subprocess.run(opt, input=source(name), text=True, capture_output=True, check=True).stdout)


class Program(NamedTuple):
    engine: Engine
    said: list[object]


def loaded(lowered: pycoro.Report | pycoro.Module) -> Program:
    """Load a program into an engine, with its external functions bound to Python."""
    said: list[object] = []
    pending: list[int] = []
    answers = iter([1, 0, 1, 1])
    libc = ctypes.CDLL(None)

    def operation(name: str) -> Callable[[int], None]:
        return lambda handle: (said.append(name), pending.append(handle))[0]

    externals: dict[str, Any] = {
        "print": said.append,
        "print_float": said.append,
        "puts": lambda text: said.append(ctypes.string_at(text).decode()) or 1,
        "halt": lambda: said.append("halt"),
        "CustomAlloc": ctypes.cast(libc.malloc, ctypes.c_void_p).value,
        "CustomFree": ctypes.cast(libc.free, ctypes.c_void_p).value,
        "cond": lambda: next(answers),
        "async_op1": operation("async_op1"),
        "async_op2": operation("async_op2"),
        "do_one": lambda: said.append("do_one"),
        "do_two": lambda: said.append("do_two"),
        "complete": lambda: engine.call("resume", pending.pop()),
    }
    engine = Engine(lowered, externals=externals)
    return Program(engine, said)


@pytest.mark.parametrize("lower", [lowered_by_pycoro, lowered_by_llvm], ids=["pycoro", "llvm"])
@pytest.mark.parametrize("name", OUTPUT)
def test_jit(name: str, lower: Callable[[str], pycoro.Report | pycoro.Module]) -> None:
    program = loaded(lower(name))
    with program.engine:
        assert program.engine.call("main") == 0
    assert program.said == OUTPUT[name]


@pytest.mark.parametrize("name", OUTPUT)
def test_native(name: str, tmp_path: Path) -> None:
    """llc accepts the lowered code unchanged; unlike clang, it repairs nothing."""
    llc, cc = shutil.which("llc-22"), shutil.which("cc")
    if not llc or not cc:
        pytest.skip("llc-22 and cc are needed")
    lowered, built = tmp_path / "lowered.ll", tmp_path / "lowered.o"
    lowered.write_text(str(lowered_by_pycoro(name).module))
    subprocess.run([llc, "-filetype=obj", "-relocation-model=pic", lowered, "-o", built], check=True)
    subprocess.run([cc, built, SEEDS / "support.c", "-o", tmp_path / "program"], check=True)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=120)
    words = [f"{item:g}" if isinstance(item, float) else str(item) for item in OUTPUT[name]]
    assert (done.stdout.splitlines(), done.returncode, done.stderr) == (words, 0, "")


@pytest.mark.parametrize("name", OUTPUT)
def test_same_as_llvm(name: str) -> None:
    returns = {"cond": [1, 0, 1, 1]} if "@cond(" in source(name) else {}
    verdict = oracle.compare(source(name), ramp="main", returns=returns, passes=PASSES)
    assert verdict.equal and verdict.executed, f"{verdict}\n{verdict.ours}"


def test_every_seed_is_tested() -> None:
    assert {path.stem for path in SEEDS.glob("*.ll")} == set(OUTPUT)


# Statements of the documents about the coroutines, beyond the output of main.


def test_the_counters_by_hand() -> None:
    program = loaded(lowered_by_pycoro("two_suspends"))
    with program.engine, program.engine.start("f", 10) as handle:
        for _ in range(5):
            handle.resume()
        assert not handle.done
    assert program.said == [10, -11, 11, -12, 12, -13]


def test_an_operation_may_resume_before_it_returns() -> None:
    said: list[str] = []
    remaining = [3]

    def operation(name: str) -> Callable[[int], None]:
        def start(address: int) -> None:
            said.append(name)
            if remaining[0]:
                remaining[0] -= 1
                engine.handle(address).resume()

        return start

    answers = iter([1, 0, 0, 1])
    engine = Engine(
        lowered_by_pycoro("save_apart"),
        externals={
            "cond": lambda: next(answers),
            "async_op1": operation("op1"),
            "async_op2": operation("op2"),
            "do_one": lambda: said.append("one"),
            "do_two": lambda: said.append("two"),
            "complete": lambda: None,
        },
    )
    with engine, engine.start("g"):
        assert said == ["op1", "one", "op2", "two", "op2", "two", "op1"]


def test_the_generator_is_a_python_iterator() -> None:
    with loaded(lowered_by_pycoro("python_generator")).engine as engine, engine.start("coroutine", 5) as numbers:
        assert list(numbers) == [0, 1, 2, 3, 4]
        with pytest.raises(StopIteration):
            next(numbers)


def test_the_generator_of_floats() -> None:
    with Engine(lowered_by_pycoro("gen_sequence"), externals={"print_float": id}) as engine:
        for count in (0, 1, 7):
            with engine.start("GenSequence", count) as numbers:
                assert list(numbers) == [float(i) for i in range(count)]


def test_a_simple_generator_and_fib() -> None:
    with Engine(lowered_by_pycoro("simple_gen"), externals={"print": id, "halt": id}) as engine:
        assert list(engine["SimpleGen"]()) == [12345]
    with Engine(lowered_by_pycoro("fib"), externals={"print": id}) as engine:
        assert sum(engine["fib"]()) - 10 == 0


def test_the_counter_s_frame_matches_the_document() -> None:
    """{ resume, destroy, %inc }: one value lives across the suspend, and one suspend needs no index."""
    report = lowered_by_pycoro("counter")
    (frame,) = (coroutine.frame for coroutine in report.coroutines.values())
    assert frame.size == 24 and sum(field.kind == "spill" for field in frame) == 1


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_fib_from_cpp(level: str, tmp_path: Path) -> None:
    """The program compiled by clang, in the JIT and natively."""
    clang, llc, cc = (shutil.which(tool) for tool in ("clang++-22", "llc-22", "cc"))
    if not clang or not llc or not cc:
        pytest.skip("clang++-22, llc-22 and cc are needed")
    ir, lowered, built = tmp_path / "fib.ll", tmp_path / "lowered.ll", tmp_path / "lowered.o"
    flags = ["-std=c++20", "-fno-exceptions", level, "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"]
    subprocess.run([clang, *flags, SEEDS / "fib.cpp", "-o", ir], check=True)
    report = pycoro.lower(ir, PASSES)
    said: list[int] = []
    with Engine(report, externals={"print": said.append}, libraries=["libstdc++.so.6"]) as engine:
        assert engine.call("main") == 0 and said == [10]
    lowered.write_text(str(report.module))
    subprocess.run([llc, "-filetype=obj", "-relocation-model=pic", lowered, "-o", built], check=True)
    subprocess.run([cc, built, SEEDS / "support.c", "-lstdc++", "-o", tmp_path / "program"], check=True)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("10\n", 0)
