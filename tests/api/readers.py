"""Releases of llvmlite as readers of textual IR, each in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build" / "readers"
RELEASES = {20: "0.47.0", 22: "0.50.0"}
"""Release of llvmlite with each LLVM version. No release has LLVM 19 or 21."""

_READ = """
import json, sys
import llvmlite.binding as llvm

request = json.load(sys.stdin)
assert llvm.llvm_version_info[0] == request["llvm"], llvm.llvm_version_info
failed = {}
for name, text in request["texts"].items():
    try:
        llvm.parse_assembly(text, context=llvm.create_context()).verify()
    except RuntimeError as error:
        failed[name] = str(error)
json.dump(failed, sys.stdout)
"""
_RUN = """
import ctypes, json, sys
import llvmlite.binding as llvm

request = json.load(sys.stdin)
assert llvm.llvm_version_info[0] == request["llvm"], llvm.llvm_version_info
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
machine = llvm.Target.from_default_triple().create_target_machine()
engine = llvm.create_mcjit_compiler(llvm.parse_assembly(request["text"]), machine)
engine.finalize_object()
function = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int32] * len(request["arguments"]))
json.dump(function(engine.get_function_address(request["function"]))(*request["arguments"]), sys.stdout)
"""


@cache
def missing(llvm: int) -> str:
    """Install the release, unless it is installed; return the reason if that fails."""
    release = RELEASES[llvm]
    if _is_installed(release) or _directory(llvm).is_dir():
        return ""
    made = BUILD / f"{release}.{os.getpid()}"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--only-binary=:all:", "--target", str(made)]
    done = subprocess.run([*command, f"llvmlite=={release}"], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        shutil.rmtree(made, ignore_errors=True)
        return f"llvmlite {release} with LLVM {llvm} cannot be installed: {done.stderr.strip().splitlines()[-1:]}"
    try:
        made.rename(_directory(llvm))
    except OSError:  # another process was faster
        shutil.rmtree(made)
    return ""


def _is_installed(release: str) -> bool:
    try:
        return metadata.version("llvmlite") == release
    except metadata.PackageNotFoundError:
        return False


def _directory(llvm: int) -> Path:
    return BUILD / RELEASES[llvm]


def _process(llvm: int, program: str, request: dict[str, object]) -> object:
    path = [] if _is_installed(RELEASES[llvm]) else [str(_directory(llvm))]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    given = json.dumps({"llvm": llvm, **request})
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=given, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def rejected(llvm: int, texts: dict[str, str]) -> object:
    """Return the error of each text that the release does not parse and verify."""
    return _process(llvm, _READ, {"texts": texts})


def run(llvm: int, text: str, function: str, *arguments: int) -> object:
    """Return the result of a function that the release compiles."""
    return _process(llvm, _RUN, {"text": text, "function": function, "arguments": arguments})
