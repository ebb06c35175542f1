"""What LLVM's reader does not survive is a ParseError: a child process reads first."""

from __future__ import annotations

import faulthandler
import gc
import os
import pathlib
import random
import subprocess
import sys
import threading

import pytest
from samples import COUNTER

import pycoro

TRAP = """
declare token @llvm.coro.suspend.retcon.token(...)
define void @f() {
  %t = call token (...) @llvm.coro.suspend.retcon.token()
  ret void
}
"""
ENDLESS = """
define void @f() !dbg !4 {
  ret void, !dbg !7
}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.c", directory: "/")
!4 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 1, type: !5, unit: !1)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 1, scope: !8)
!8 = distinct !DILexicalBlock(scope: !8, file: !2, line: 1)
"""


def damaged(seed: int) -> bytes:
    data = bytearray(pycoro.Module(COUNTER).bitcode())
    chance = random.Random(seed)
    for _ in range(2):
        data[chance.randrange(4, len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def refusal(source: str | bytes) -> pycoro.Diagnostic | None:
    try:
        pycoro.Module(source).close()
    except pycoro.Error as error:
        return error.diagnostics[0]
    return None


def test_a_reader_that_traps_is_told_with_its_signal() -> None:
    told = refusal(TRAP)
    assert told is not None and told.rule == "reader" and "signal" in told.message and told.hint


def test_a_reader_without_end_is_told() -> None:
    told = refusal(ENDLESS)
    assert told is not None and told.rule == "reader" and "come to an end" in told.message


def test_bits_turned_over_in_bitcode_never_end_the_process() -> None:
    told = [refusal(damaged(seed)) for seed in range(400)]
    assert any(one and one.rule == "reader" for one in told), "none that LLVM's reader does not survive: the test tests nothing"
    assert any(one and one.rule == "parse" for one in told) and None in told


def test_trusted_input_is_read_at_once() -> None:
    with pycoro.Module(COUNTER, trusted=True) as module, pycoro.Module.parse(COUNTER, trusted=True) as other:
        assert str(module) == str(other)
    command = [sys.executable, "-c", "import pycoro, sys; pycoro.Module(sys.argv[1], trusted=True)", TRAP]
    assert subprocess.run(command, check=False, capture_output=True).returncode < 0


def test_the_hosts_handlers_stay_silent(capfd: pytest.CaptureFixture[str]) -> None:
    """A host that reports its own crashes reports none of the child's."""
    was = faulthandler.is_enabled()
    faulthandler.enable(file=2)
    refusal(TRAP)
    if not was:
        faulthandler.disable()
    assert capfd.readouterr().err == ""


def left() -> tuple[list[str], list[str]]:
    """Open files and children, dead ones too."""
    children = [path.read_text() for path in pathlib.Path("/proc/self/task").glob("*/children")]
    return sorted(os.listdir("/proc/self/fd")), " ".join(children).split()


def test_no_file_and_no_child_is_left() -> None:
    gc.collect()
    before = left()
    for source in (TRAP, COUNTER, "nonsense"):
        refusal(source)
    assert left() == before


def test_threads_read_at_the_same_time() -> None:
    told: list[object] = []
    threads = [threading.Thread(target=lambda: told.extend(refusal(source) for source in (TRAP, COUNTER) * 5)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 40 and sum(one is None for one in told) == 20
