"""The tutorial's Python sessions are doctests; the reference is complete."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import pycoro
import pycoro.build
import pycoro.errors
import pycoro.examples
import pycoro.explore
import pycoro.ir
from pycoro import strategies

DOCS = Path(__file__).parents[2] / "docs"
SESSIONS = sorted(p for p in (DOCS / "tutorial").glob("*.md") if ">>>" in p.read_text())


@pytest.mark.parametrize("page", SESSIONS, ids=lambda p: p.name)
def test_python_sessions(page, monkeypatch):
    monkeypatch.chdir(DOCS / "examples")
    found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL, encoding="utf-8")
    assert found.attempted > 0 and found.failed == 0


def test_every_rule_is_in_the_reference(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(DOCS / "_ext")
    import from_sources

    page = DOCS / "reference" / "rules.md"
    files = [page.parent / path for line in re.findall(r"\.\. rules:: (.*)", page.read_text()) for path in line.split()]
    listed = {rule for file in files for rule, _, _ in from_sources.refusals(file.read_text())}
    sources = [path.read_text() for room in ("lowering", "abi") for path in (DOCS.parent / "csrc" / room).glob("*.c")]
    named = {rule for text in sources for rule in re.findall(r'coro_reject\(\s*low, "([a-z-]+)"', text)}
    assert len(named) > 40
    assert named | set(strategies.broken.RULES) <= listed


def test_every_named_file_exists():
    root = DOCS.parent
    pages = [root / "README.md", root / "CONTRIBUTING.md", *DOCS.rglob("*.md"), *root.glob("csrc/*/*.*"), *root.glob("src/**/*.py")]
    named = re.compile(r"(?<![\w/.-])(?:csrc|src|tests|docs|bench|cmake|examples|notebooks)/[\w./-]*\w")
    fence = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
    found = {(page.name, path) for page in pages for path in named.findall(fence.sub("", page.read_text()))}
    assert len(found) > 80
    assert [name for name in sorted(found) if not (root / name[1]).exists()] == []


def test_every_public_name_is_in_the_reference():
    pages = [DOCS / "reference" / "python.md", *(DOCS / "reference" / "python").glob("*.md")]
    page = "\n".join(path.read_text() for path in pages)
    listed = set(re.findall(r"auto\w+:: pycoro\.(?:ir\.)?(\w+)", page))  # pycoro.Function is pycoro.ir.Function
    if "automodule:: pycoro.errors" in page:
        listed |= set(pycoro.errors.__all__)
    assert set(pycoro.__all__) <= listed
    for package in (pycoro.ir, pycoro.build, pycoro.examples, pycoro.explore):
        assert set(package.__all__) <= set(re.findall(rf"auto\w+:: {re.escape(package.__name__)}\.(\w+)", page))
