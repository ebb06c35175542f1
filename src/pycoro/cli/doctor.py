"""``pycoro doctor``: check the installation and the tools on this machine, and say how to get missing ones."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from pycoro import _core
from pycoro.cli.streams import write_json
from pycoro.errors import Error
from pycoro.module import lower

__all__ = ["Finding", "add_command", "examine_installation"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check."""

    what: str
    """Checked item: ``"libLLVM"``, ``"llc-22"``, ..."""
    ok: bool
    """True if it exists and has the right version."""
    required: bool
    """True if pycoro requires it; the rest is for tests and for compiling lowered IR."""
    detail: str
    """Version and path, or the problem."""
    fix: str = ""
    """Fix if not ok."""


_TOOLS = (
    ("clang++-22", "clang-22", "compiles C++ coroutines to IR"),
    ("llc-22", "llvm-22", "compiles lowered IR"),
    ("opt-22", "llvm-22", "LLVM's own lowering, to compare with"),
    ("FileCheck-22", "llvm-22-tools", "runs the tests in tests/ir"),
)
_MODULES = (
    ("IPython", "shows frames as pictures in notebooks"),
    ("hypothesis", "runs the property tests"),
)
_SAMPLE = """\
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @seen(i32)
define ptr @sample(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [i8 0, label %resume
                                i8 1, label %cleanup]
resume:
  call void @seen(i32 %n)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
"""


def _path_of_loaded_llvm() -> str:
    """Return the path of the loaded libLLVM; wheels contain LLVM in the extension."""
    paths: set[str] = set()
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split()[-1] for line in maps if "libLLVM" in line}
    except OSError:
        pass
    return ", ".join(sorted(paths)) or "linked into pycoro"


def _check_tool(name: str, package: str, purpose: str) -> Finding:
    find = import_module("pycoro_driver.find")
    fix = f"{purpose}; Debian: apt-get install {package}"
    try:
        program = name.removesuffix("-22")
        path: str = (
            find.find_installed_clang(program)
            if program == "clang++"
            else find.find_tool(program, os.environ.get("PATH") or os.defpath)
        )
    except find.ClangError as error:
        return Finding(name, False, False, str(error), fix)
    if not path:
        return Finding(name, False, False, "not found", fix)
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(name, False, False, f"{path} does not run: {error}", fix)
    version = re.search(r"version (\d+)(\.\d+)*", answer)
    if version is None or version[1] != "22":
        return Finding(name, False, False, f"{path} is {version[0] if version else 'of an unknown version'}, not 22", fix)
    return Finding(name, True, False, f"{version[0].removeprefix('version ')}  {path}")


def _check_python_module(name: str, purpose: str) -> Finding:
    there = importlib.util.find_spec(name) is not None
    return Finding(name, there, False, "found" if there else "not found", "" if there else f"{purpose}; pip install {name.lower()}")


def _check_lowering() -> Finding:
    what = "lowering"
    try:
        report = lower(_SAMPLE, verify_each=True)
    except Error as error:
        return Finding(what, False, True, f"lowering a sample coroutine failed: {error.message}", "reinstall pycoro")
    left = [name for name in report.module.functions if name.startswith("llvm.coro.")]
    if left or "sample.resume" not in report.module.functions:
        return Finding(what, False, True, "lowering a sample coroutine gave an unexpected result", "reinstall pycoro")
    return Finding(what, True, True, f"sample coroutine lowered, frame of {report.coroutines['sample'].frame.size} bytes")


def examine_installation() -> list[Finding]:
    """Run all checks, most important first."""
    matches = _core.LLVM_VERSION.partition(".")[0] == "22"
    return [
        Finding("pycoro", True, True, f"{_core.VERSION}  {_core.__file__}"),
        Finding("Python", True, True, f"{platform.python_version()}  {sys.executable}"),
        Finding(
            "libLLVM",
            matches,
            True,
            f"{_core.LLVM_VERSION}  {_path_of_loaded_llvm()}",
            "" if matches else "pycoro needs LLVM 22; Debian: apt-get install libllvm22",
        ),
        _check_lowering(),
        *(_check_tool(*tool) for tool in _TOOLS),
        *(_check_python_module(*module) for module in _MODULES),
    ]


def add_command(commands: Any) -> None:
    """Add the command ``doctor``."""
    doctor = commands.add_parser("doctor", help="check the installation and list missing tools")
    doctor.add_argument("--json", action="store_true", help="print JSON instead of text")
    doctor.set_defaults(run=_run_doctor)


def _run_doctor(options: argparse.Namespace) -> int:
    """Run the command; the exit status is 1 if a required item is missing."""
    findings = examine_installation()
    status = 0 if all(finding.ok for finding in findings if finding.required) else 1
    if options.json:
        write_json([asdict(finding) for finding in findings])
        return status
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        mark = "ok" if finding.ok else "BAD" if finding.required else "--"
        print(f"{mark:3}  {finding.what:{width}}  {finding.detail}")
        if finding.fix:
            print(f"{'':3}  {'':{width}}  {finding.fix}")
    return status
