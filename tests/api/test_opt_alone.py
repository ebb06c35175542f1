"""``pycoro opt`` as a process: it imports little, parses once in a child, and exits with the child's status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import pytest
from samples import COUNTER
from test_reader import ENDLESS, TRAP

import pycoro
from pycoro.cli.opt import LEVELS
from pycoro.pipeline import Level

DEFAULT = "coro-early,cgscc(coro-split),coro-cleanup"
OPT = [sys.executable, "-m", "pycoro", "opt"]


def opt(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*OPT, *arguments], input=given, capture_output=True, text=True, timeout=120, check=False)


def test_levels_are_those_of_pipelines() -> None:
    assert get_args(Level) == LEVELS


def test_output_equals_the_library_s() -> None:
    for passes in (DEFAULT, "default<O2>"):
        ran = opt("-S", f"-passes={passes}", given=COUNTER)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout == str(pycoro.lower(pycoro.Module(COUNTER, name="<stdin>"), passes).module)


def test_imports_are_minimal(tmp_path: Path) -> None:
    (tmp_path / "in.ll").write_text(COUNTER)
    heavy = {"pycoro.module", "pycoro.errors", "dataclasses", "inspect", "json", "tempfile"}
    program = (
        "import sys; from pycoro.cli import main\n"
        "status = main(['opt', sys.argv[1], '-passes=" + DEFAULT + "', '-o', sys.argv[2]])\n"
        f"print(status, sorted({heavy!r} & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "in.ll"), str(tmp_path / "out.bc")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "0 []\n"
    assert "presplitcoroutine" not in str(pycoro.Module.from_file(tmp_path / "out.bc"))


def test_input_that_crashes_the_reader_is_an_error() -> None:
    ran = opt("-S", f"-passes={DEFAULT}", given=TRAP)
    assert ran.returncode == 1 and ran.stdout == ""
    assert ran.stderr.startswith("error: LLVM's reader crashed on this input"), ran.stderr


def test_debug_info_errors_have_locations() -> None:
    broken = COUNTER + '!llvm.module.flags = !{!0}\n!0 = !{i32 2, !"Debug Info Version", i32 3}\n'
    broken = broken.replace("ret ptr %frame", "%x = add i32 %n, %late\n  %late = add i32 1, 1\n  ret ptr %frame")
    ran = opt("-S", f"-passes={DEFAULT}", given=broken)
    assert ran.returncode == 1 and ran.stdout == "" and "--> @counter" in ran.stderr, ran.stderr


def test_killing_the_command_kills_its_child() -> None:
    running = subprocess.Popen(OPT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert running.stdin is not None and running.stdout is not None
    running.stdin.write(ENDLESS)
    running.stdin.close()
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    while not (child := children.read_text().strip()):
        time.sleep(0.01)
    running.terminate()
    while processor_time(child) is not None:  # ends with the child, which needs more than five seconds to parse
        assert (processor_time(child) or 0) < 4
        time.sleep(0.01)
    assert running.stdout.read() == ""  # no process holds the pipe
    assert running.wait() == -signal.SIGTERM


def processor_time(process: str) -> float | None:
    """Return the seconds of processor time of a process; None if it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return None
    return None if fields[0] in "ZX" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_disable_verify_gives_the_same_output() -> None:
    for passes in (DEFAULT, "default<O2>"):
        for more in ([], ["-print-after=coro-cleanup"]):  # by the engine only, and by the package
            ran = opt("-S", f"-passes={passes}", "-disable-verify", *more, given=COUNTER)
            assert (ran.returncode, ran.stdout) == (0, opt("-S", f"-passes={passes}", given=COUNTER).stdout)


@pytest.mark.parametrize("option", ["--json", "-print-after-all", "-verify-each", "-pass-remarks=."])
def test_options_with_extra_output_still_print_the_module(option: str) -> None:
    ran = opt("-S", f"-passes={DEFAULT}", option, given=COUNTER)
    assert ran.returncode == 0 and ran.stdout.startswith("; ModuleID")
