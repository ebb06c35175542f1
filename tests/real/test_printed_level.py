"""What opt prints of `default<O2>`, handed to pycoro as a pass string, gives the code that `default<O2>` gives; so does what
pycoro prints of it."""

import subprocess

import coroharness as harness
import pytest

from pycoro import Module, Pipeline

PROGRAMS = [harness.PROGRAMS / f"{name}.cpp" for name in ("event_queue", "nested_generators")]

pytestmark = pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}")


@pytest.fixture(scope="module")
def printed():
    command = ["opt-22", "-passes=default<O2>", "-print-pipeline-passes", "-disable-output", "-"]
    return subprocess.run(command, input="", capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def functions_and_instructions(ir: str, passes: str) -> tuple[int, int]:
    module = Module.parse(ir)
    module.run(passes)
    sizes = [sum(len(list(block.instructions)) for block in function.blocks) for function in module.functions if function.blocks]
    return len(sizes), sum(sizes)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_the_string_is_as_good_as_the_name(program, printed, tmp_path):
    ir = harness.emit_ir(program, tmp_path / "presplit.ll", "-O2").read_text()
    named = functions_and_instructions(ir, "default<O2>")
    assert functions_and_instructions(ir, printed) == named
    assert functions_and_instructions(ir, Pipeline.O2().expanded) == named


def test_a_level_is_printed_as_opt_prints_it(printed):
    ours = Pipeline.O2().expanded.replace("coro-split<reuse-storage>", "coro-split")
    assert [name for name in printed.split(",") if name not in ours.split(",")] == []
