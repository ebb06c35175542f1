"""Input that crashes LLVM's code generator, assembler or linker raises pycoro.Error, because a child process compiles it."""

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
LIMITS = {"assembly: endless repetition": "MiB of memory", "assembly: macro without end": "seconds of processor time"}
"""Input that exceeds a limit of the child process, and what the message says of it."""
TRUSTED = """
import pycoro, sys
pycoro.Engine(pycoro.Module(sys.argv[1]), trusted=True)
"""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_is_compiled_or_rejected(name: str) -> None:
    with warnings.catch_warnings(), pycoro.Module(HOSTILE[name]) as module:
        warnings.simplefilter("ignore")
        before = str(module)
        try:
            engine = pycoro.Engine(module)
        except pycoro.Error as error:
            assert isinstance(error, pycoro.JitError | pycoro.RejectedError | pycoro.VerifyError) and error.message
            assert not error.diagnostics or error.diagnostics[0].hint
            assert name not in LIMITS or (isinstance(error, pycoro.JitError) and LIMITS[name] in str(error))
        else:
            assert name not in LIMITS
            engine.close()
        assert str(module) == before


@pytest.mark.parametrize("name", DEADLY)
def test_hostile_input_crashes_a_trusting_process(name: str) -> None:
    """The input does crash a process that compiles it directly; otherwise the list tests nothing."""
    done = subprocess.run([sys.executable, "-c", TRUSTED, HOSTILE[name]], check=False, capture_output=True)
    assert done.returncode not in (0, 3)
    with pytest.raises(pycoro.JitError, match="LLVM's code generator") as caught:
        pycoro.Engine(pycoro.Module(HOSTILE[name]))
    assert caught.value.diagnostics[0].rule == "code-generator"


def test_an_engine_is_usable_after_a_rejection() -> None:
    with pycoro.Engine(pycoro.Module("define i32 @one() {\n  ret i32 1\n}\n")) as engine:
        for name in DEADLY:
            with pytest.raises(pycoro.JitError):
                engine.add(pycoro.Module(HOSTILE[name]))
        engine.add(pycoro.Module("declare i32 @one()\ndefine i32 @f() {\n  %v = call i32 @one()\n  ret i32 %v\n}\n"))
        assert engine.call("f") == 1


ASSEMBLY = """
import sys, pycoro
text = 'module asm "' + sys.argv[1] + '"\\ndefine i32 @f() {\\n  ret i32 7\\n}\\n'
pycoro.Engine(pycoro.Module("define void @g() {\\n  ret void\\n}\\n")).close()  # from here on LLVM knows the machine
module = pycoro.Module(text, host=True)
print(pycoro.Interpreter(module).call("f"), f"{module}".count("module asm ") > 0)
module.run("default<O1>")
try:
    print(pycoro.Module(module.bitcode()).functions["f"].name)
except pycoro.JitError as error:
    print(str(error).splitlines()[0])
try:
    print(pycoro.Engine(module).call("f"))
except pycoro.JitError as error:
    print("refused")
"""
NO_END = "LLVM's assembler does not terminate on the module's assembly, whose symbols bitcode lists"


@pytest.mark.parametrize(
    ("assembly", "bitcode", "engine"),
    [
        (r".incbin \22/dev/zero\22", NO_END, "refused"),
        (r".rept 2000000000\0A.byte 1\0A.endr", NO_END, "refused"),
        (r".globl other\0Aother: ret", "f", "7"),
    ],
)
def test_a_modules_assembly_is_assembled_in_no_process_but_a_child(assembly: str, bitcode: str, engine: str) -> None:
    """Bitcode lists the assembly's symbols, and modules are copied through bitcode."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
    command = [sys.executable, "-c", limit + ASSEMBLY, assembly]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, f"7 True\n{bitcode}\n{engine}\n"), done.stderr[-2000:]
