"""Linter for coroutine bugs that verify and lower without an error.

>>> print(pycoro.Module(pycoro.examples.COUNTER.replace("(ptr %handle, i32 4,", "(ptr %handle, i32 64,")).lint())
error[promise-align]: llvm.coro.promise assumes an alignment of 64, but the coroutine's promise is aligned to 4
  --> in @sum, block %entry: %promise = call ptr @llvm.coro.promise(ptr %handle, i32 64, i1 false)
  help: pass i32 4 (fixed by --fix)
<string>: 1 finding
"""

from pycoro.lint.finding import Finding, Findings, Severity
from pycoro.lint.rule import Rule
from pycoro.lint.rules import REJECTED, RULES
from pycoro.lint.run import IGNORE, lint

__all__ = ["IGNORE", "REJECTED", "RULES", "Finding", "Findings", "Rule", "Severity", "lint"]
