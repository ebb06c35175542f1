"""The printed passes of `default<O2>`, as a pass string, generate the same code as `default<O2>`. The passes that opt prints
do too, except for pycoro's additions, and the warning about that suggests the replacement."""

import subprocess

import coroharness as harness
import pytest

from pycoro import Module, Pipeline

PROGRAMS = [harness.PROGRAMS / f"{name}.cpp" for name in ("event_queue", "nested_generators")]
NOTHING = "define void @f() {\n  ret void\n}\n"

pytestmark = pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}")


def printed(level: str) -> str:
    """Return the level as opt prints it, with a verifier at the end."""
    command = ["opt-22", f"-passes=default<{level}>", "-print-pipeline-passes", "-disable-output", "-disable-verify", "-"]
    return subprocess.run(command, input="", capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def functions_and_instructions(ir: str, passes: str) -> tuple[int, int]:
    module = Module.parse(ir)
    module.run(passes)
    bodies = [function.blocks for function in module.functions.values() if function.blocks]
    sizes = [sum(len(list(block.instructions)) for block in body) for body in bodies]
    return len(sizes), sum(sizes)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_the_printed_passes_give_the_level_s_code(program, tmp_path):
    ir = harness.emit_ir(program, tmp_path / "presplit.ll", "-O2").read_text()
    whole, by_opt = Pipeline.O2().expanded, printed("O2")
    expected = functions_and_instructions(ir, "default<O2>")
    (warning,) = Module.parse(ir).run(by_opt).warnings
    assert functions_and_instructions(ir, whole) == expected
    assert functions_and_instructions(ir, warning.hint.removeprefix("write ")) == expected
    unthreaded = functions_and_instructions(ir, whole.replace("dfa-jump-threading,", ""))
    assert min(unthreaded[0] - expected[0], unthreaded[1] - expected[1]) >= 0
    functions, instructions = functions_and_instructions(ir, by_opt)  # frames do not share storage either
    assert functions == unthreaded[0]
    assert instructions == pytest.approx(unthreaded[1], rel=0.02)


@pytest.mark.parametrize("family", ["default", "thinlto-pre-link", "lto-pre-link", "thinlto", "lto"])
@pytest.mark.parametrize("level", ["O0", "O2", "Oz"])
def test_a_warning_suggests_the_replacement(family, level):
    name = f"{family}<{level}>"
    command = ["opt-22", f"-passes={name}", "-print-pipeline-passes", "-disable-output", "-disable-verify", "-"]
    text = subprocess.run(command, input="", capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    whole = Pipeline.level(level, family).expanded
    for passes in (text, f"{text},verify", Pipeline(text)):
        said = [warning.hint.removeprefix("write ") for warning in Module.parse(NOTHING).run(passes).warnings]
        assert [Pipeline(hint).expanded for hint in said] == [whole] * (whole != text)
    assert not Module.parse(NOTHING).run(whole).warnings


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "Os", "Oz"])
def test_a_level_is_printed_as_opt_prints_it(level):
    """The difference is pycoro's additions: shared storage, and jump threading by the state of an elided coroutine."""
    ours = Pipeline.level(level).expanded
    sharing = "reuse-storage-unless-debug" if level == "O0" else "reuse-storage"
    assert ours.count(f"coro-split<{sharing}>") == ours.count("coro-split") == 1
    assert ours.replace(f"coro-split<{sharing}>", "coro-split").replace("dfa-jump-threading,", "") == printed(level)
