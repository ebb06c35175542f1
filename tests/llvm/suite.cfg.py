"""lit's configuration to run LLVM's coroutine tests unchanged, with pycoro as `opt`.

PYCORO_LOWERING=reference runs LLVM's opt: tests that fail then too fail because of this configuration.
"""

import os
import pathlib
import re
import shutil
import sys

import lit.formats

here = pathlib.Path(os.environ["PYCORO_LLVM_SUITE"])
config.name = "llvm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll"]
config.available_features = {"x86-registered-target", "webassembly-registered-target", "object-emission"}
for name in ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]


def word(name):
    return rf"(?<![\w%./=-]){re.escape(name)}(?![\w./=-])"


own = f'"{sys.executable}" "{here / "as_opt.py"}"'
reference = os.environ.get("PYCORO_LOWERING") == "reference"
config.substitutions.append((word("opt"), shutil.which("opt-22") if reference else own))
config.substitutions.append((r"%llc_dwarf", "llc-22"))
for tool in ("FileCheck", "not", "split-file", "llc", "llvm-dis", "llvm-as", "llvm-dwarfdump", "llvm-profdata"):
    path = shutil.which(f"{tool}-22") or shutil.which(tool, path="/usr/lib/llvm-22/bin")
    if path is not None:
        config.substitutions.append((word(tool), path))
