"""The tutorial's examples say what happens: its Python sessions as doctests, its shell sessions as commands."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pycoro
import pycoro.errors
from pycoro import strategies

DOCS = Path(__file__).parents[2] / "docs"
SESSIONS = sorted(p for p in (DOCS / "tutorial").glob("*.md") if ">>>" in p.read_text())


@pytest.mark.parametrize("page", SESSIONS, ids=lambda p: p.name)
def test_python_sessions(page, monkeypatch):
    monkeypatch.chdir(DOCS / "examples")
    found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL, encoding="utf-8")
    assert found.attempted > 0 and found.failed == 0


def commands(page):
    """(command, what it prints or None where the page does not show it), in order."""
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = session.partition("\n")
            yield command, shown or None


@pytest.mark.skipif(not (shutil.which("clang++-22") and shutil.which("llc-22")), reason="clang-22 is not installed")
def test_shell_session_from_cpp_to_a_program(tmp_path):
    shutil.copy(DOCS / "examples" / "generator.cpp", tmp_path)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    shown = 0
    for command, expected in commands(DOCS / "tutorial" / "cpp.md"):
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        if expected is not None:
            assert done.stdout == expected
            shown += 1
    assert shown == 1


def test_every_rule_is_in_the_reference(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(DOCS / "_ext")
    import from_sources

    page = DOCS / "reference" / "rules.md"
    files = [page.parent / path for line in re.findall(r"\.\. rules:: (.*)", page.read_text()) for path in line.split()]
    listed = {rule for file in files for rule, _, _ in from_sources.refusals(file.read_text())}
    sources = [path.read_text() for room in ("coro", "abi") for path in (DOCS.parent / "csrc" / room).glob("*.c")]
    named = {rule for text in sources for rule in re.findall(r'coro_reject\(\s*low, "([a-z-]+)"', text)}
    assert len(named) > 40
    assert named | set(strategies.RULES) <= listed


def test_every_public_name_is_in_the_reference():
    page = (DOCS / "reference" / "python.md").read_text()
    listed = set(re.findall(r"auto\w+:: pycoro\.(\w+)", page))
    if "automodule:: pycoro.errors" in page:
        listed |= set(pycoro.errors.__all__)
    assert {name for name in pycoro.__all__ if not name.isupper()} <= listed
