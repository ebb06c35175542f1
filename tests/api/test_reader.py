"""Input that crashes LLVM's reader raises ParseError, because a child process parses it first."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import itertools
import os
import pathlib
import random
import resource
import subprocess
import sys
import threading
import time

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


def test_a_crash_of_the_reader_is_reported_with_its_signal() -> None:
    told = refusal(TRAP)
    assert told is not None and told.rule == "reader" and "signal" in told.message and told.hint


def test_an_endless_parse_is_reported() -> None:
    told = refusal(ENDLESS)
    assert told is not None and told.rule == "reader" and "does not terminate" in told.message


def test_flipped_bits_in_bitcode_never_crash_the_process() -> None:
    told = [refusal(damaged(seed)) for seed in range(400)]
    assert any(one and one.rule == "reader" for one in told), "none that LLVM's reader does not survive: the test tests nothing"
    assert any(one and one.rule == "parse" for one in told) and None in told


def test_trusted_input_is_parsed_without_a_child() -> None:
    with pycoro.Module(COUNTER, trusted=True) as module, pycoro.Module.parse(COUNTER, trusted=True) as other:
        assert str(module) == str(other)
    command = [sys.executable, "-c", "import pycoro, sys; pycoro.Module(sys.argv[1], trusted=True)", TRAP]
    assert subprocess.run(command, check=False, capture_output=True).returncode < 0


def test_the_hosts_handlers_stay_silent(capfd: pytest.CaptureFixture[str]) -> None:
    """The host's crash handlers do not run in the child."""
    was = faulthandler.is_enabled()
    faulthandler.enable(file=2)
    refusal(TRAP)
    if not was:
        faulthandler.disable()
    assert capfd.readouterr().err == ""


def open_files_and_children() -> tuple[list[str], list[str]]:
    """Return open files and children, including zombies."""
    children = [path.read_text() for path in pathlib.Path("/proc/self/task").glob("*/children")]
    return sorted(os.listdir("/proc/self/fd")), " ".join(children).split()


def read_new_texts(count: int) -> None:
    for _ in range(count):
        assert len(pycoro.Module(f"declare void @f{next(NUMBERS)}()\n").functions) == 1


NUMBERS = itertools.count()
FORKS = 8
"""The number of texts that a single-threaded process reads in forked children before it starts a process to read them."""


def test_no_file_descriptor_or_child_leaks() -> None:
    gc.collect()
    read_new_texts(FORKS + 1)
    before = open_files_and_children()
    for source in (TRAP, COUNTER, "nonsense"):
        refusal(source)
    read_new_texts(1)  # the process for texts has crashed, and another is started
    files, children = open_files_and_children()
    assert (len(files), children) == (len(before[0]), before[1])


def test_texts_are_read_without_a_fork() -> None:
    """A process that is started once reads them: a fork of a host with a large heap takes milliseconds."""
    read_new_texts(FORKS + 1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    read_new_texts(100)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt == before.ru_minflt


def test_a_forked_host_has_a_process_of_its_own() -> None:
    read_new_texts(FORKS + 1)
    child = os.fork()
    if not child:
        try:
            read_new_texts(5)
        finally:
            os._exit(sys.exc_info()[0] is not None)
    read_new_texts(5)
    assert os.waitpid(child, 0)[1] == 0


def processes_with(variable: bytes) -> list[int]:
    """Return the processes with this variable in their environment."""
    found: list[int] = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if variable in pathlib.Path("/proc", process, "environ").read_bytes().split(b"\0"):
                found.append(int(process))
    return found


def test_the_process_ends_with_its_host(tmp_path: pathlib.Path) -> None:
    environment = {**os.environ, "PYCORO_TEST": str(tmp_path)}
    code = f"import pycoro\nfor n in range({FORKS + 2}):\n  pycoro.Module(f'declare void @f{{n}}()')\nprint(flush=True)\ninput()\n"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        assert host.stdout and host.stdout.readline() == b"\n"
        variable = b"PYCORO_TEST=" + os.fsencode(tmp_path)
        assert len(processes_with(variable)) == 2
    while processes_with(variable):
        time.sleep(0.01)


def test_threads_parse_concurrently() -> None:
    told: list[object] = []
    threads = [threading.Thread(target=lambda: told.extend(refusal(source) for source in (TRAP, COUNTER) * 5)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 40 and sum(one is None for one in told) == 20


HUNGRY = "define <2 x i8> @f(<2 x i8> %a) {{ %s = shufflevector <2 x i8> %a, <2 x i8> %a, <{0} x i32> poison ret <2 x i8> %a }}"


def test_the_memory_limit_is_reported() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    told = refusal(HUNGRY.format(500_000_000))
    assert told is not None and told.rule == "reader" and "MiB of memory" in told.message
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, 900 << 10), "as much as it wanted"
    assert refusal(HUNGRY.format(2)) is None


CLOSED = """
import os, sys, pycoro
for file in {closed}:
    os.close(file)
for source in sys.argv[1:]:
    try:
        pycoro.Module(source).close()
        told = "read"
    except pycoro.ParseError as error:
        told = error.diagnostics[0].message
    os.write({sink}, told.encode() + b"\\n")
"""


@pytest.mark.parametrize("closed", [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_any_standard_stream_may_be_closed(closed: tuple[int, ...]) -> None:
    source, sink = os.pipe()
    command = [sys.executable, "-c", CLOSED.format(closed=closed, sink=sink), COUNTER, TRAP, "nonsense"]
    with open(source) as answers:
        subprocess.run(command, pass_fds=[sink], check=True)
        os.close(sink)
        told = answers.read().splitlines()
    assert told[0] == "read" and "signal" in told[1] and "expected" in told[2] and len(told) == 3


def test_a_host_that_ignores_its_children_or_reaps_them_itself() -> None:
    program = (
        "import os, signal, sys, pycoro\n"
        "def reap(*_):\n"
        "    try:\n"
        "        while os.waitpid(-1, os.WNOHANG)[0]: pass\n"
        "    except ChildProcessError: pass\n"
        "for handler in (signal.SIG_IGN, reap):\n"
        "    signal.signal(signal.SIGCHLD, handler)\n"
        "    for source in sys.argv[1:]:\n"
        "        try:\n"
        "            pycoro.Module(source).close(); print('read')\n"
        "        except pycoro.ParseError as error:\n"
        "            print(error.diagnostics[0].message)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, COUNTER, TRAP], check=True, capture_output=True, text=True)
    read, trapped, *again = done.stdout.splitlines()
    assert read == "read" and "signal" in trapped and again == [read, trapped]


def test_untrusted_input_needs_a_child_process() -> None:
    program = (
        "import resource, sys, pycoro.module\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))\n"
        "try:\n"
        "    pycoro.Module(sys.argv[1])\n"
        "except pycoro.ParseError as error:\n"
        "    print(error.diagnostics[0].message, error.diagnostics[0].hint)\n"
        "print(len(str(pycoro.Module(sys.argv[1], trusted=True))) > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, COUNTER], check=True, capture_output=True, text=True)
    assert "could not be created" in done.stdout and "trusted" in done.stdout and done.stdout.endswith("True\n")


@pytest.mark.parametrize(
    "text",
    [
        '@v = global i32 0 #0\nattributes #0 = { "a\\00b" }\n',
        'define void @f() #0 { ret void }\nattributes #0 = { "a"="b\\00" }\n',
        'define void @f() "a\\00"="b" { ret void }\n',
        '@v = global i32 0, section "a\\00b"\n',
    ],
)
def test_texts_with_nul_are_rejected(text: str) -> None:
    """LLVM prints the text up to a NUL, and cannot read the bitcode that it writes."""
    with pytest.raises(pycoro.ParseError, match="line [12]: a string, such as an attribute's, contains a NUL"):
        pycoro.Module(text)


NO_VALUES = """
define void @f() !dbg !4 {
    #dbg_value(!DIArgList(), !6, !DIExpression(), !7)
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !DILocalVariable(name: "n", scope: !4, file: !1, line: 1, type: !5)
!7 = !DILocation(line: 1, scope: !4)
"""


@pytest.mark.parametrize("spelling", ["!DIArgList()", "!DIArgList ( )", "!\\44IArgList()", "!DIArgList /* */ (/* c */)"])
def test_a_debug_record_of_no_values(spelling: str) -> None:
    """LLVM's verifier accepts it, and LLVM-C dereferences the first value."""
    with pytest.raises(pycoro.ParseError, match="line 3: a debug record has an empty DIArgList"):
        pycoro.Module(NO_VALUES.replace("!DIArgList()", spelling))
    pycoro.Module(NO_VALUES.replace("!DIArgList()", "!DIArgList(i32 poison)"))
    pycoro.Module(NO_VALUES.replace("!DIArgList()", "i32 poison") + '!named = !{!8}\n!8 = !{!"!DIArgList()"}\n')


def test_a_debug_record_of_no_values_in_bitcode() -> None:
    made = subprocess.run(["llvm-as-22", "-", "-o", "-"], input=NO_VALUES.encode(), capture_output=True, check=True).stdout
    told = refusal(made)
    assert told is not None and told.rule == "reader" and "signal" in told.message


def test_nuls_in_data_are_accepted() -> None:
    module = pycoro.Module(
        '@v = constant [2 x i8] c"a\\00"\n!named = !{!0}\n!0 = !{!"a\\00b"}\n!1 = !DIFile(filename: "a\\00", directory: "")\n'
    )
    assert str(pycoro.Module(module.bitcode())).count("\\00") == 2
