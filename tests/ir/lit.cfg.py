"""lit's configuration of the IR tests: `lit tests/ir` runs the RUN lines of every .ll file below.

In RUN lines `pycoro` is this Python's pycoro, run by a server (tests/command_server.py); `--param pycoro=COMMAND` chooses
another. `llc` or `llc-22` and the other tools are LLVM 22's. `FileCheck` comes from pip if LLVM's is missing.
PYCORO_LOWERING=reference replaces `pycoro opt` by LLVM's opt, so that a test checks LLVM's lowering.
"""

import atexit
import os
import pathlib
import re
import shutil
import sys

import lit.formats

config.name = "pycoro"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll"]
config.excludes = ["Inputs"]
config.test_source_root = str(pathlib.Path(__file__).parent)
config.test_exec_root = str(pathlib.Path(__file__).parents[2] / "build" / "lit")
os.makedirs(config.test_exec_root, exist_ok=True)


def find(name):
    """Find LLVM 22's tool of that name: under its versioned name, or in LLVM 22's directory."""
    return shutil.which(f"{name}-22") or shutil.which(name, path="/usr/lib/llvm-22/bin")


def word(name):
    """Match the name of a program as a shell command: not the `opt` of `pycoro opt`."""
    return rf"(?<!pycoro )(?<![\w%./=-]){name}(?![\w./=-])"


def served_pycoro():
    """Start a server of the command for this process, and return the shell command of its client."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    import command_server

    server = command_server.Server()
    atexit.register(server.close)
    return " ".join(f'"{word}"' for word in (sys.executable, "-I", "-S", command_server.__file__, server.path))


own = lit_config.params.get("pycoro") or served_pycoro()
reference = find("opt")
if os.environ.get("PYCORO_LOWERING") == "reference" and reference:
    config.substitutions.append((word("pycoro opt"), reference))
    config.available_features.add("reference")

for tool in ("FileCheck", "not", "count", "split-file"):
    path = find(tool) or (shutil.which("filecheck") if tool == "FileCheck" else None)
    if path is not None:
        config.substitutions += [(word(f"{tool}-22"), path), (word(tool), path)]
for tool in ("opt", "llc", "lli", "llvm-as", "llvm-dis", "llvm-dwarfdump", "clang", "clang++"):
    path = find(tool)
    if path is not None:
        config.available_features.add(tool)  # for REQUIRES lines
        config.substitutions += [(word(re.escape(f"{tool}-22")), path), (word(re.escape(tool)), path)]
config.substitutions += [("%pycoro", own), (word("pycoro"), own)]  # last, since `opt` above is not the one of `pycoro opt`

for name in ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
