"""The command line as a process: its output streams and exit status."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from samples import COUNTER, TWO_FINALS

PHASE = """\
  %got.{name} = call i32 @next()
  %{name} = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %{name}, label %out [i8 0, label %after.{name}
                                 i8 1, label %cleanup]
after.{name}:
  call void @print(i32 %got.{name})
"""
PHASES = COUNTER.replace("resumed:\n", "resumed:\n" + PHASE.format(name="p1") + PHASE.format(name="p2")).replace(
    "%next, %resumed", "%next, %after.p2"
)
LOWER = "coro-early,cgscc(coro-split),coro-cleanup"


@pytest.fixture
def run(tmp_path: pathlib.Path):
    def call(*arguments: str, stdin: str | bytes = b"") -> subprocess.CompletedProcess[bytes]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        return subprocess.run(
            [sys.executable, "-m", "pycoro", *arguments], input=data, capture_output=True, cwd=tmp_path, timeout=120, check=False
        )

    return call


@pytest.fixture
def counter(tmp_path: pathlib.Path) -> str:
    (tmp_path / "counter.ll").write_text(COUNTER)
    return "counter.ll"


NO_LAYOUT = b"note: counter.ll has no data layout: sizes and offsets are those of LLVM's default\n"


@pytest.mark.parametrize(
    "form", [["-passes=" + LOWER], ["--passes=" + LOWER], ["-passes", LOWER], ["--passes", LOWER], ["-p", LOWER]]
)
def test_opt_takes_passes_in_every_form_of_llvm(run, counter, form):
    done = run("opt", counter, "-S", *form)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"define internal fastcc void @counter.resume(" in done.stdout
    assert b"llvm.coro" not in done.stdout


def test_opt_options_may_stand_before_and_after_the_input(run, counter, tmp_path):
    assert run("opt", "-S", "-passes=" + LOWER, counter, "-o", "a.ll").returncode == 0
    assert run("opt", counter, "-o", "b.ll", "-passes=" + LOWER, "-S").returncode == 0
    assert (tmp_path / "a.ll").read_text() == (tmp_path / "b.ll").read_text()


@pytest.mark.parametrize("name", [[], ["-"]])
def test_opt_reads_stdin_and_writes_bitcode_that_it_reads_again(run, name):
    bitcode = run("opt", *name, stdin=COUNTER)
    assert bitcode.returncode == 0
    assert bitcode.stdout[:2] == b"BC"
    text = run("opt", *name, "-S", stdin=bitcode.stdout)
    assert b"define ptr @counter(i32 %n)" in text.stdout


def test_opt_writes_no_bitcode_to_a_terminal(counter, tmp_path):
    pty = pytest.importorskip("pty")
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        pytest.skip(f"no terminal can be made here: {error}")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pycoro", "opt", counter],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            timeout=120,
            check=False,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 2
    assert b"error: bitcode is not written to a terminal" in done.stderr


def test_opt_preserves_the_output_file_when_it_rejects_the_input(run, tmp_path):
    (tmp_path / "bad.ll").write_text(TWO_FINALS)
    (tmp_path / "out.ll").write_text("as it was")
    done = run("opt", "bad.ll", "-S", "-o", "out.ll", "-passes=" + LOWER)
    assert done.returncode == 1
    assert (tmp_path / "out.ll").read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.ll", "out.ll"]


def test_opt_keeps_the_permissions_that_an_ordinary_write_would_leave(run, counter, tmp_path):
    (tmp_path / "plain").write_text("")
    run("opt", counter, "-S", "-o", "out.ll")
    assert (tmp_path / "out.ll").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_opt_prints_after_every_pass_in_llvms_form(run, counter):
    done = run("opt", counter, "-S", "-o", os.devnull, "-passes=coro-early,instcombine,cgscc(coro-split)", "-print-after-all")
    headers = [line for line in done.stderr.decode().splitlines() if line.startswith("; ***")]
    assert headers[0] == "; *** IR Dump After CoroEarlyPass on [module] ***"
    assert (
        "; *** IR Dump After instcombine on [module] ***" in headers or "; *** IR Dump After instcombine on counter ***" in headers
    )
    assert headers[-1] == "; *** IR Dump After CoroSplitPass on counter ***"
    assert done.stderr.decode().rpartition(headers[-1])[2].count("@counter.resume(") > 0
    assert done.stdout == b""


def test_opt_prints_after_the_passes_that_were_named(run, counter):
    done = run("opt", counter, "-S", "-o", os.devnull, "-passes=" + LOWER, "-print-after=coro-split")
    headers = [line for line in done.stderr.decode().splitlines() if line.startswith("; ***")]
    assert headers == ["; *** IR Dump After CoroSplitPass on counter ***"]


@pytest.mark.parametrize("target", ["file", "stdout"])
def test_opt_writes_json_to_a_different_stream_than_ir(run, counter, target):
    done = run("opt", counter, "-S", "-passes=" + LOWER, "--json", *(["-o", "out.ll"] if target == "file" else []))
    report = json.loads(done.stdout if target == "file" else done.stderr)
    assert report["status"] == "OK"
    assert report["steps"][0]["name"] == "coro-early"
    (coroutine,) = report["coroutines"]
    assert coroutine["function"] == "counter"
    assert coroutine["clones"] == ["counter.resume", "counter.destroy", "counter.cleanup"]
    assert all(field["offset"] + field["size"] <= coroutine["frame_size"] for field in coroutine["fields"])


def test_opt_verify_each_passes_on_good_ir(run, counter):
    assert run("opt", counter, "-S", "-verify-each", "-passes=" + LOWER + ",default<O2>").returncode == 0


@pytest.mark.parametrize("text", ["", "; nothing\n", "define i32 @f() {\n  ret i32 1\n}\n"])
def test_opt_does_not_change_a_module_without_coroutines(run, text):
    plain, lowered = (run("opt", "-S", *passes, stdin=text) for passes in ([], ["-passes=" + LOWER]))
    assert (lowered.returncode, lowered.stdout, lowered.stderr) == (0, plain.stdout, b"")


def test_a_malformed_coroutine_is_rejected_with_its_place(run):
    done = run("opt", "-S", "-passes=" + LOWER, "--json", stdin=TWO_FINALS)
    assert done.returncode == 1
    assert done.stdout == b""
    text, _, document = done.stderr.decode().partition("{")
    first, where, mend = text.splitlines()[:3]
    assert first.startswith("error: ")
    assert where.startswith("  --> @twice, %") and "@llvm.coro.suspend(token none, i1 true)" in where
    assert mend.startswith("  help: ")
    failure = json.loads("{" + document)
    assert failure["status"] == "EREJECTED"
    assert failure["diagnostics"][0]["function"] == "twice"


@pytest.mark.parametrize("data", [b"this is no IR", b"BC\xc0\xde and then nothing", b"\x00\xff" * 100])
def test_input_that_is_no_ir_is_rejected(run, data):
    done = run("opt", "-S", stdin=data)
    assert done.returncode == 1
    assert re.match(rb"(<stdin>:\d+:\d+: )?error: ", done.stderr)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("command", [["opt", "-S"], ["opt", "-S", "--json"], ["explain"], ["lint"]])
def test_errors_in_textual_ir_have_a_place(run, tmp_path, command):
    """A place is FILE:LINE:COLUMN at the start of a line, where editors and terminals find it."""
    file = tmp_path / "wrong.ll"
    file.write_text("define i32 @f() {\n  %x = add i32 1, 2\n  ret i64 %x\n}\n")
    assert run(*command, file).stderr.startswith(f"{file}:3:11: error: '%x' defined with type".encode())
    file.write_text("define i32 @f(i32 %n) {\n  %x = add i32 %y, 1\n  %y  = add i32 %x, 1\n  ret i32 %x\n}\n")
    assert run(*command, file).stderr.startswith(f"{file}:3:3: error: Instruction does not dominate all uses!".encode())


def test_rejections_have_a_place(run, tmp_path):
    """Debug information has the place in the source, here in column 1; without it, the place is in the IR."""
    file = tmp_path / "twice.ll"
    file.write_text(TWO_FINALS)
    passes = "-passes=" + LOWER
    line = ["i1 true" in line for line in TWO_FINALS.splitlines()][::-1].index(True)
    number = len(TWO_FINALS.splitlines()) - line
    assert run("opt", passes, file, "-S").stderr.startswith(f"{file}:{number}:3: error: ".encode())
    debugified = run("opt", "-S", "-passes=debugify", file).stdout
    file.write_bytes(debugified)
    assert re.match(rb"\S+:\d+:1: error: ", run("opt", passes, file, "-S").stderr)


def test_the_place_does_not_depend_on_the_spelling_of_the_ir(run, tmp_path):
    """The spelling of llvmlite differs from LLVM's in names, constants and line breaks."""
    text = re.sub(r"([%@])([-\w$.]+)(?!\w)", r'\1"\2"', TWO_FINALS).replace("token none", "token zeroinitializer")
    text = text.replace("i1 true", "i1 1").replace("i1 false", "i1 0").replace("]\n", "] ; a switch\n")
    text = text.replace("define ", "declare void @llvm.dbg.value(metadata, metadata, metadata)\n\ndefine ").replace(
        ") presplit", ")\n  presplit"
    )
    file = tmp_path / "twice.ll"
    file.write_text(text)
    number = max(number for number, line in enumerate(text.splitlines(), 1) if "i1 1" in line)
    stderr = run("opt", "-passes=" + LOWER, file, "-S").stderr
    assert stderr.startswith(f"{file}:{number}:3: error: ".encode())


@pytest.mark.parametrize(("variable", "is_colored"), [("NO_COLOR", False), ("UNRELATED", True)])
def test_errors_have_colors_on_a_terminal(tmp_path, variable, is_colored):
    file = tmp_path / "wrong.ll"
    file.write_text("define i32 @f() { ret 0 }")
    reader, terminal = os.openpty()
    environment = {**os.environ, "TERM": "xterm", variable: "1"}
    subprocess.run([sys.executable, "-m", "pycoro", "opt", "-S", file], stderr=terminal, env=environment, timeout=120, check=False)
    os.close(terminal)
    assert (b": \x1b[1;31merror:\x1b[0m expected type" in os.read(reader, 4096)) == is_colored


@pytest.mark.parametrize("passes", ["nothing-of-that-name", "coro-early,", "cgscc(coro-split", "coro-early)", "coro-split<bogus>"])
def test_a_wrong_pass_string_is_a_usage_error(run, passes):
    done = run("opt", "-S", "-passes=" + passes, stdin=COUNTER)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: ")


@pytest.mark.parametrize("arguments", [["no-such-command"], ["opt", "-bogus"], ["opt", "a.ll", "b.ll"], ["explain", "--bogus"]])
def test_a_wrong_command_line_is_a_usage_error(run, arguments):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"usage: pycoro" in done.stderr


@pytest.mark.parametrize("command", ["opt", "explain"])
def test_a_missing_file_is_named(run, command):
    done = run(command, "nowhere.ll")
    assert done.returncode == 1
    assert done.stderr == b"error: nowhere.ll: No such file or directory\n"


def test_a_missing_output_directory_is_named(run, counter):
    done = run("opt", counter, "-S", "-o", "nowhere/out.ll")
    assert done.returncode == 1
    assert done.stderr == b"error: nowhere/out.ll: No such file or directory\n"


def test_explain_shows_the_frame_and_changes_nothing(run, counter, tmp_path):
    done = run("explain", counter)
    assert (done.returncode, done.stderr) == (0, NO_LAYOUT)
    text = done.stdout.decode()
    for part in ("counter", "resume", "destroy", "%i", "i32", "%s"):
        assert part in text
    assert (tmp_path / counter).read_text() == COUNTER


def test_explain_writes_json_and_a_picture(run, counter, tmp_path):
    done = run("explain", counter, "--json", "--svg", "frame.svg", "--function", "@counter")
    (coroutine,) = json.loads(done.stdout)
    assert coroutine["function"] == "counter"
    assert {field["kind"] for field in coroutine["fields"]} >= {"resume", "destroy", "spill"}
    assert (tmp_path / "frame.svg").read_text().startswith("<svg")


def test_explain_with_reused_storage(run):
    def offsets(*flags: str) -> set[int]:
        (coroutine,) = json.loads(run("explain", "--json", *flags, stdin=PHASES + "declare i32 @next()\n").stdout)
        return {field["offset"] for field in coroutine["fields"] if field["name"].startswith("got.")}

    assert (len(offsets()), len(offsets("--reuse-storage"))) == (2, 1)


def test_explain_rejects_a_plain_function(run, counter):
    done = run("explain", counter, "--function", "print")
    assert done.returncode == 2
    assert b"no coroutine 'print'; there is 'counter'" in done.stderr


@pytest.mark.parametrize("name", ["count", "n::count", "count(int)", "_ZN1n5countEi"])
def test_explain_finds_a_source_name(run, name):
    source = COUNTER.replace("@counter(", "@_ZN1n5countEi(")
    done = run("explain", "--function", name, stdin='target datalayout = "e-i64:64"\n' + source)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"coroutine n::count(int): " in done.stdout
    done = run("explain", "--function", "other", stdin=source)
    assert b"no coroutine 'other'; there is 'n::count(int)'" in done.stderr


def test_explain_shows_the_other_coroutines_beside_a_malformed_one(run):
    body = COUNTER.partition("define")[2]
    bad = body.replace("@counter", "@bad").replace(
        "call i8 @llvm.coro.suspend(token none, i1 false)",
        "call i8 @llvm.coro.suspend(token none, i1 true)\n  %t = call i8 @llvm.coro.suspend(token none, i1 true)",
    )
    done = run("explain", stdin=COUNTER + "define" + bad)
    assert done.returncode == 1
    assert b"counter" in done.stdout
    assert b"--> @bad" in done.stderr


def test_explain_without_coroutines(run):
    done = run("explain", stdin="define void @f() {\n  ret void\n}\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"<stdin>: no coroutines\n")


def test_a_closed_pipe_is_not_an_error(counter, tmp_path):
    first = subprocess.Popen(
        [sys.executable, "-m", "pycoro", "explain", counter], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    first.stdout.close()
    errors = first.stderr.read()
    first.stderr.close()
    assert (first.wait(120), errors) == (0, b"")


def test_doctor_accepts_this_installation(run):
    done = run("doctor", "--json")
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 0
    assert findings["lowering"]["ok"] and findings["libLLVM"]["detail"].startswith("22.")
    text = run("doctor")
    assert text.returncode == 0
    assert all(line.startswith(("ok", "--", "   ")) for line in text.stdout.decode().splitlines())


def test_doctor_looks_for_clang_where_the_compiler_does(tmp_path):
    """The places are the path, LLVM's directory on Debian, and the environment variable."""
    for environment in ({"PATH": str(tmp_path)}, {"PYCORO_CLANGXX": "clang++-none"}):
        commands = (("doctor",), ("c++", "-std=c++20", "--version"))
        doctor, compiler = (
            subprocess.run(
                [sys.executable, "-m", "pycoro", *command],
                capture_output=True,
                text=True,
                env={**os.environ, **environment},
                timeout=120,
                check=False,
            )
            for command in commands
        )
        assert doctor.returncode == 0
        found = re.search(r"^(ok|--) +clang\+\+-22 +(.*)(?:\n +(.*))?", doctor.stdout, re.MULTILINE)
        assert found and (found[1] == "ok") == (compiler.returncode == 0), doctor.stdout
        if compiler.returncode:
            assert found[2] in compiler.stderr and "apt-get install clang-22" in found[3]


def test_version(run):
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith(b"pycoro ") and b"LLVM 22." in done.stdout


def test_opt_prints_the_requested_remarks(run, tmp_path):
    caller = "define void @caller(ptr %to) {\n  %handle = call ptr @counter(i32 0)\n  store ptr %handle, ptr %to\n  ret void\n}\n"
    (tmp_path / "in.ll").write_text(COUNTER + caller)
    passes = "coro-early,cgscc(coro-split),cgscc(inline),function(coro-elide)"
    quiet = run("opt", "in.ll", "-disable-output", "-passes=" + passes)
    assert (quiet.returncode, quiet.stderr) == (0, b"")
    done = run("opt", "in.ll", "-disable-output", "-passes=" + passes, "-pass-remarks=coro-(split|elide)")
    assert [line.startswith("remark: Split 'counter' (frame_size=") for line in done.stderr.decode().splitlines()] == [True]
    missed = run("opt", "in.ll", "-disable-output", "-passes=" + passes, "--pass-remarks-missed=coro-elide")
    assert missed.stderr.decode().startswith("remark: 'counter' not elided in 'caller': ")
    allocates = COUNTER.replace("call i1 @llvm.coro.alloc(token %id)", "icmp eq i32 0, 0")
    (tmp_path / "in.ll").write_text(allocates + caller)
    missed = run("opt", "in.ll", "-disable-output", "-passes=" + passes, "--pass-remarks-missed=coro-elide")
    assert "its ramp does not call llvm.coro.alloc: allocate the frame only if that returns true" in missed.stderr.decode()


def test_opt_rejects_an_invalid_pattern(run, counter):
    done = run("opt", counter, "-passes=" + LOWER, "-pass-remarks=(")
    assert done.returncode == 2
    assert b"not a regular expression" in done.stderr


def shell(tmp_path: pathlib.Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run `command` in a shell, with `pycoro` and in.ll substituted, and capture its stderr."""
    (tmp_path / "in.ll").write_text(COUNTER)
    line = command.replace("pycoro", f"{sys.executable} -m pycoro", 1)
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("pycoro opt -S <&-", 1, "error: input or output: Bad file descriptor"),
        ("pycoro opt -S in.ll >&-", 1, "error: input or output: Bad file descriptor"),
        ("pycoro explain in.ll >&-", 1, "error: input or output: Bad file descriptor"),
        ("pycoro opt -S in.ll >/dev/full", 1, "error: input or output: No space left on device"),
        ("pycoro explain in.ll >/dev/full", 1, "error: input or output: No space left on device"),
        ("pycoro opt in.ll -disable-output --json >/dev/full", 1, "error: input or output: No space left on device"),
        ("pycoro doctor >/dev/full", 1, "error: input or output: No space left on device"),
        ("pycoro opt in.ll -o /dev/full", 1, "error: input or output: No space left on device"),
        ("pycoro opt in.ll -o no/", 1, "error: no/: Is a directory"),
        ("pycoro opt in.ll -o .", 1, "error: .: Is a directory"),
        ("pycoro opt in.ll -o no/out.ll", 1, "error: no/out.ll: No such file or directory"),
        ("pycoro opt ''", 1, "error: '': No such file or directory"),
        ("pycoro opt in.ll -passes=nonsense 2>&-", 2, ""),
        ("pycoro opt in.ll -passes=nonsense 2>/dev/full", 1, ""),
    ],
)
def test_unusable_streams_and_outputs_are_errors(tmp_path: pathlib.Path, command: str, status: int, said: str) -> None:
    done = shell(tmp_path, command)
    assert (done.returncode, done.stdout, done.stderr.rstrip()) == (status, "", said)
    assert os.listdir(tmp_path) == ["in.ll"]


def test_a_closed_standard_stream_is_not_reused_for_a_file(tmp_path: pathlib.Path) -> None:
    done = shell(tmp_path, "pycoro opt -S in.ll -o out.ll -print-after-all -passes=coro-early <&- >&- 2>&-")
    assert done.returncode == 0
    assert (tmp_path / "out.ll").read_text().count("define ptr @counter") == 1


def test_an_empty_output_is_stdout(tmp_path: pathlib.Path) -> None:
    assert shell(tmp_path, "pycoro opt -S in.ll -o ''").stdout == shell(tmp_path, "pycoro opt -S in.ll").stdout != ""


def test_an_output_that_is_open_already_is_written_to(tmp_path: pathlib.Path) -> None:
    shell(tmp_path, "{ echo head; pycoro opt -S in.ll -o /proc/self/fd/1; echo tail; } >>log")
    text = (tmp_path / "log").read_text()
    assert text.startswith("head\n") and text.endswith("tail\n") and "define ptr @counter" in text


def test_without_arguments_it_lists_the_commands(run) -> None:
    done = run()
    assert done.returncode == 0 and not done.stderr
    assert {"opt", "explain", "fuzz", "c++"} <= {line.split()[0].decode() for line in done.stdout.splitlines() if line.strip()}
