"""The linter: mistakes that frontends make in coroutines, and that nothing refuses.

>>> for finding in module.lint():
...     print(finding)
"""

from pycoro.lint.finding import Finding, Findings, Severity
from pycoro.lint.rule import Rule
from pycoro.lint.rules import REFUSED, RULES
from pycoro.lint.run import IGNORE, lint

__all__ = ["IGNORE", "REFUSED", "RULES", "Finding", "Findings", "Rule", "Severity", "lint"]
