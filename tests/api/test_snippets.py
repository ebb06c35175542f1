"""Every snippet of README.md and docs runs unchanged: Python, shell, C. Sessions with ``>>>`` are doctests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import snippets
from snippets import DOCS, NEVER, PAGES, ROOT, blocks, commands, runs

from pycoro import oracle

pytestmark = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="not run in a checkout")
KNOWN = {"", "c", "console", "image", "llvm", "py", "python", "text", "toml", "yaml"}
"""Languages that are allowed; listings (text, and fragments of IR) do not run."""

PYTHON = sorted({block.page for block in blocks("python", "py") if ">>>" not in block.text})
SHELL = sorted({block.page for block in blocks("console")})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with the files that pages name."""
    for example in (*(DOCS / "examples").iterdir(), *(ROOT / "examples" / "mlir").iterdir()):
        if example.is_file():
            shutil.copy(example, tmp_path)
    shutil.copy(DOCS / "examples" / "squares.ll", tmp_path / "generator.ll")
    (tmp_path / "failures").mkdir()
    case = oracle.Case((DOCS / "examples" / "squares.ll").read_text(), (("resume", "destroy"),), "squares", (3,))
    oracle.write_reproducer(
        tmp_path / "failures" / "2fcc041ebc-f75ea16df2.ll", case, passes="coro-early,cgscc(coro-split),coro-cleanup"
    )
    return tmp_path


def environment() -> dict[str, str]:
    return os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


@pytest.mark.parametrize("page", PYTHON, ids=lambda page: page.name)
def test_python(page: Path, place: Path) -> None:
    pytest.importorskip("hypothesis")
    done = subprocess.run(
        [sys.executable, snippets.__file__, str(page)], cwd=place, env=environment(), capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    for block in blocks("python", "py"):
        if block.page == page:
            for told in re.findall(r"^print\(\w+\)  # prints: (.*)$", block.text, re.MULTILINE):
                assert told in done.stdout, "what it prints is not what the page says"


@pytest.mark.parametrize("page", SHELL, ids=lambda page: page.name)
def test_shell(page: Path, place: Path) -> None:
    said = [pair for block in blocks("console") if block.page == page for pair in commands(block.text) if runs(pair[0])]
    for command, expected in said:
        for tool in re.findall(r"(?:^|&& |\| )([\w+-][\w+.-]*)", command):
            if not (shutil.which(tool, path=environment()["PATH"]) or tool == "time"):
                pytest.skip(f"{tool} is not installed")
        done = subprocess.run(["bash", "-c", command], cwd=place, env=environment(), capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert expected is None or done.stdout == expected, command


GENERATED = re.compile(r"^\.\. (cli-help|lint-rules|rules|c-header|def-table)::|^python/lowering$", re.MULTILINE)


@pytest.mark.parametrize("page", sorted((DOCS / "reference").iterdir()), ids=lambda page: page.name)
def test_generated_pages_say_where_a_checkout_has_their_text(page: Path) -> None:
    text = page.read_text() if page.is_file() else ""
    assert not GENERATED.search(text) or "generated when the documentation is built" in text


@pytest.mark.parametrize("block", blocks("c"), ids=lambda block: block.page.name)
def test_c(block: snippets.Block, tmp_path: Path) -> None:
    """The block is a fragment; test_packaging.py runs the whole examples/lower.c."""
    heads = "".join(line + "\n" for line in block.text.splitlines() if line.startswith("#include"))
    body = block.text.replace(heads.strip(), "")
    source = tmp_path / "part.c"
    source.write_text(f"{heads}#include <stdio.h>\nvoid part(const char *data, size_t size);\n"
                      f"void part(const char *data, size_t size)\n{{\n{body}}}\n")  # fmt: skip
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    llvm = subprocess.run(["llvm-config-22", "--includedir"], capture_output=True, text=True).stdout.strip()
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{ROOT / 'csrc' / 'include'}", f"-I{llvm}"]
    done = subprocess.run([compiler, *flags, str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_snippet_is_forgotten() -> None:
    languages = {block.language for page in PAGES for block in snippets._blocks(page)}
    assert languages <= KNOWN, "a language that nothing runs"
    sessions = {block.page.parent.name for block in blocks("python", "py") if ">>>" in block.text}
    assert sessions == {"tutorial"}, "test_docs_examples.py runs those of the tutorial"
    every = [command for block in blocks("console") for command, _ in commands(block.text)]
    assert {start for start in NEVER if any(command.startswith(start) for command in every)} == set(NEVER)
    assert len(blocks("python", "py")) > 30 and len([command for command in every if runs(command)]) > 8
