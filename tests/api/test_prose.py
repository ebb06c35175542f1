"""Checks of tests/prose.py on small trees: discouraged phrases, exempt code, and docstrings that open with a question word."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLAIN = "Computes the liveness of each value at each suspend. " * 40
DISCOURAGED = "Values behind a suspend are made anew. " * 5


@pytest.fixture
def prose(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Return a function that writes files to a tree and runs the check on it."""

    def run(**files: str) -> tuple[int, str]:
        for name, text in files.items():
            path = tmp_path / name.replace("_in_", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        subprocess.run(["git", "-C", tmp_path, "add", "."], check=True)
        program = [sys.executable, ROOT / "tests/prose.py", tmp_path]
        done = subprocess.run(program, capture_output=True, text=True, check=False)
        assert done.stderr == ""
        return done.returncode, done.stdout

    return run


def test_plain_prose_passes(prose: Callable[..., tuple[int, str]]) -> None:
    assert prose(csrc_in_a_dot_c=f"/* {PLAIN}*/\nint behind;\n") == (0, "")


@pytest.mark.parametrize(
    "name, text",
    [
        ("csrc_in_a_dot_c", f"/* {PLAIN}{DISCOURAGED}*/\n"),
        ("csrc_in_a_dot_py", f'"""{PLAIN}{DISCOURAGED}"""\n'),
        ("csrc_in_a_dot_md", PLAIN + DISCOURAGED),
    ],
)
def test_discouraged_phrases_fail(prose: Callable[..., tuple[int, str]], name: str, text: str) -> None:
    status, output = prose(**{name: text})
    assert status == 1
    assert [line.partition(" discouraged")[0] for line in output.splitlines()] == ["csrc: 10", "the tree: 10"]


def test_code_is_not_prose(prose: Callable[..., tuple[int, str]]) -> None:
    sample = ">>> behind = 'anew'\n" * 10
    assert prose(src_in_a_dot_py=f'"""{PLAIN}\n\n{sample}"""\n', docs_in_a_dot_md=f"{PLAIN}`behind` `anew`") == (0, "")


def test_a_small_directory_is_not_checked(prose: Callable[..., tuple[int, str]]) -> None:
    assert prose(small_in_a_dot_md=DISCOURAGED, large_in_a_dot_md=PLAIN * 20) == (0, "")


def test_a_docstring_that_opens_with_a_question_word_fails(prose: Callable[..., tuple[int, str]]) -> None:
    status, output = prose(src_in_pycoro_in_a_dot_py='"""What it is."""\n')
    assert (status, output) == (1, "src/pycoro/a.py:1: docstring opens with 'What'\n")
