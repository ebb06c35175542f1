"""What LLVM's code generator, assembler or linker does not survive is a pycoro.Error: a child process compiles."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest
from hostile import HOSTILE

import pycoro

DEADLY = [
    "scalable: scalable result",
    "collector: gc foo",
    "processor: features -64bit",
    "processor: stack-probe-size",
    "type: ppc_fp128",
    "intrinsic: preallocated",
    "intrinsic: ptrauth constant",
]
TRUSTED = """
import pycoro, sys
pycoro.Engine(pycoro.Module(sys.argv[1]), trusted=True)
"""


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_compiled_or_refused(name: str) -> None:
    with warnings.catch_warnings(), pycoro.Module(HOSTILE[name]) as module:
        warnings.simplefilter("ignore")
        before = str(module)
        try:
            engine = pycoro.Engine(module)
        except pycoro.Error as error:
            assert isinstance(error, pycoro.JitError | pycoro.RejectedError | pycoro.VerifyError) and error.message
            assert not error.diagnostics or error.diagnostics[0].hint
        else:
            engine.close()
        assert str(module) == before


@pytest.mark.parametrize("name", DEADLY)
def test_it_ends_a_process_that_trusts_it(name: str) -> None:
    """Else the list tests nothing."""
    done = subprocess.run([sys.executable, "-c", TRUSTED, HOSTILE[name]], check=False, capture_output=True)
    assert done.returncode not in (0, 3)
    with pytest.raises(pycoro.JitError, match="LLVM's code generator") as caught:
        pycoro.Engine(pycoro.Module(HOSTILE[name]))
    assert caught.value.diagnostics[0].rule == "code-generator"


def test_limits_are_told() -> None:
    with pytest.raises(pycoro.JitError, match="MiB of memory"):
        pycoro.Engine(pycoro.Module(HOSTILE["assembly: endless repetition"]))
    with pytest.raises(pycoro.JitError, match="seconds of processor time"):
        pycoro.Engine(pycoro.Module(HOSTILE["assembly: macro without end"]))


def test_an_engine_goes_on_after_a_refusal() -> None:
    with pycoro.Engine(pycoro.Module("define i32 @one() {\n  ret i32 1\n}\n")) as engine:
        for name in DEADLY:
            with pytest.raises(pycoro.JitError):
                engine.add(pycoro.Module(HOSTILE[name]))
        engine.add(pycoro.Module("declare i32 @one()\ndefine i32 @f() {\n  %v = call i32 @one()\n  ret i32 %v\n}\n"))
        assert engine.call("f") == 1
