"""The names that pycoro exports, what documents each, and whether the examples in that print what they say."""

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
    """A name in ``__all__`` of a module that the reference documents; or such a module itself."""

    name: str
    """``"pycoro.ir.Builder"``."""
    text: str
    """What documents it: the docstring; of a constant the string behind its assignment."""


def modules() -> list[ModuleType]:
    """Those that the reference documents something of."""
    named = {name for page in REFERENCE.rglob("*.md") for name in _DOCUMENTED.findall(page.read_text())}
    return [found for name in sorted(named) if isinstance(found := _found(name), ModuleType)]


def _found(name: str) -> object:
    """A function or a module; only what is no attribute of the package is imported, lest a module hides a function of its name."""
    room, _, last = name.rpartition(".")
    if not room:
        return sys.modules[name]
    within = _found(room)
    return getattr(within, last) if hasattr(within, last) else importlib.import_module(name)


def exported() -> Iterator[Exported]:
    """Each once, by the first module that exports it."""
    seen: set[int] = set()
    for module in modules():
        for name in module.__all__:
            value = getattr(module, name)
            if id(value) not in seen:
                seen.add(id(value))
                yield Exported(f"{module.__name__}.{name}", documentation(name, value))


def documentation(name: str, value: object) -> str:
    """Its own: what a class has of its base is not."""
    if isinstance(value, type):
        return vars(value).get("__doc__") or ""
    if inspect.isroutine(value) or hasattr(value, "_pytestfixturefunction") or "Fixture" in type(value).__name__:
        return inspect.getdoc(value) or ""
    return next(filter(None, (_behind_assignment(module, name, value) for module in list(sys.modules.values()))), "")


def _behind_assignment(module: ModuleType, name: str, value: object) -> str:
    """The string that stands behind where a module of pycoro's assigns the value."""
    file = Path(getattr(module, "__file__", None) or "")
    if module.__name__.partition(".")[0] != "pycoro" or file.suffix != ".py" or vars(module).get(name) is not value:
        return ""
    body = ast.parse(file.read_text()).body
    for statement, behind in itertools.pairwise(body):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets) and isinstance(behind, ast.Expr):
            return behind.value.value if isinstance(behind.value, ast.Constant) else ""
    return ""


def wrong(item: Exported) -> str:
    """What is wrong with the examples of what is exported: that there are none, or what else they print. They need nothing but
    ``import pycoro``."""
    test = doctest.DocTestParser().get_doctest(inspect.cleandoc(item.text), {"pycoro": pycoro}, item.name, None, 0)
    if not test.examples:
        return f"{item.name} has no example in its docstring"
    if not any(example.want for example in test.examples):
        return f"the example of {item.name} shows nothing"
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False).run(test, out=said.append)
    return "".join(said)
