"""LLVM's coroutine tests, if available: PYCORO_LLVM_TESTS names their directory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pycoro._ir_syntax import function_text

LLVM_TESTS = Path(os.environ.get("PYCORO_LLVM_TESTS") or Path.home() / ".cache/pycoro/llvm-tests")
MISSING = "no tests of LLVM's at PYCORO_LLVM_TESTS"


def executable(files: str, begins: str) -> Iterator[tuple[Path, str, tuple[object, ...]]]:
    """Yield file, ramp and arguments of coroutines that begin with an intrinsic and take plain arguments."""
    for path in sorted(LLVM_TESTS.rglob(files)):
        ir = path.read_text()
        for ramp, parameters in re.findall(r"^define[^@\n]*@([\w.]+)\(([^)]*)\)[^{\n]*\{", ir, re.MULTILINE):
            kinds = [parameter.split()[0] for parameter in parameters.split(",") if parameter.strip()]
            if begins in function_text(ir, ramp) and set(kinds) <= {"ptr", "i32", "i64", "i8", "i1"}:
                yield path, ramp, tuple("memory" if kind == "ptr" else 1 if kind == "i1" else 5 for kind in kinds)
