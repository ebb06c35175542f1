"""The names that pycoro exports, their documentation, and a check of the examples in it."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pycoro

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
_DOCUMENTED = re.compile(r"auto(?:module|class|function|data):: (pycoro(?:\.[a-z]\w*)*)")


class Exported(NamedTuple):
    """A documented name in a module's ``__all__``, or a documented module."""

    name: str
    """``"pycoro.ir.Builder"``."""
    text: str
    """The docstring, or for a constant the string after its assignment."""


def modules() -> list[ModuleType]:
    """Return the modules that the reference documents."""
    named = {name for page in REFERENCE.rglob("*.md") for name in _DOCUMENTED.findall(page.read_text())}
    return [found for name in sorted(named) if isinstance(found := _found(name), ModuleType)]


def _found(name: str) -> object:
    """Return a function or module by name; import only names that are not attributes, so that no module hides a function."""
    room, _, last = name.rpartition(".")
    if not room:
        return sys.modules[name]
    within = _found(room)
    return getattr(within, last) if hasattr(within, last) else importlib.import_module(name)


def exported() -> Iterator[Exported]:
    """Yield each exported name once, from the first module that exports it."""
    seen: set[int] = set()
    for module in modules():
        for name in module.__all__:
            value = getattr(module, name)
            if id(value) not in seen:
                seen.add(id(value))
                yield Exported(f"{module.__name__}.{name}", documentation(name, value))


def documentation(name: str, value: object) -> str:
    """Return the documentation of a name, without what a class inherits from its base."""
    if isinstance(value, type):
        return vars(value).get("__doc__") or ""
    if inspect.isroutine(value) or hasattr(value, "_pytestfixturefunction") or "Fixture" in type(value).__name__:
        return inspect.getdoc(value) or ""
    return next(filter(None, (_string_after_assignment(module, name, value) for module in list(sys.modules.values()))), "")


def _string_after_assignment(module: ModuleType, name: str, value: object) -> str:
    """Return the string after the assignment of the value in a module of pycoro."""
    file = Path(getattr(module, "__file__", None) or "")
    if module.__name__.partition(".")[0] != "pycoro" or file.suffix != ".py" or vars(module).get(name) is not value:
        return ""
    body = ast.parse(file.read_text()).body
    for statement, behind in itertools.pairwise(body):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets) and isinstance(behind, ast.Expr):
            return behind.value.value if isinstance(behind.value, ast.Constant) else ""
    return ""


def example_problem(item: Exported) -> str:
    """Describe the problem with the examples of a name: missing, or different output. They may use only ``import pycoro``."""
    test = doctest.DocTestParser().get_doctest(inspect.cleandoc(item.text), {"pycoro": pycoro}, item.name, None, 0)
    if not test.examples:
        return f"{item.name} has no example in its docstring"
    if not any(example.want for example in test.examples):
        return f"the example of {item.name} shows nothing"
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False).run(test, out=said.append)
    return "".join(said)
