"""The code blocks of README.md and docs, and the setup that they need."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# these are generated
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
_BLOCK = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)

NEVER = {
    "./dev demo": "it installs packages; the tutorial's shell session does the same",
    "./dev test": "it runs these tests",
    "cmake -S . -B build/c -G Ninja": "it installs into /usr/local; tests/api/test_packaging.py does it elsewhere",
    "cmake -S . -B build-clang": "the same project with clang",
    "cmake -S . -B build -DCMAKE": "the reader's project; tests/api/test_cxx_project.py builds examples/project by it",
    "gdb -x": "addresses differ from run to run; tests/real/test_gdb_coro.py runs gdb so",
    "make CXX=": "the reader's project, which has a makefile",
    "CXX=pycoro-c++ meson": "the reader's project, which is Meson's",
    "pip install": "it changes the environment of the tests; `./dev setup` installs the checkout so, `./dev wheel` the wheel",
    "cc examples/generator.c": "it needs what is installed there; tests/api/test_packaging.py compiles and runs it",
    "./generator": "the program of the command before it",
    "cc examples/downloads.c": "it needs what is installed there; tests/api/test_packaging.py compiles and runs it",
    "./downloads": "the program of the command before it",
    "cc examples/lower.c": "it needs what is installed there; tests/api/test_packaging.py compiles and runs it",
}
"""Prefixes of commands that no test runs unchanged, with the reason."""


class Block(NamedTuple):
    page: Path
    line: int
    language: str
    text: str


def blocks(*languages: str) -> list[Block]:
    """Return all blocks in these languages."""
    return [block for page in PAGES for block in _blocks(page) if block.language in languages]


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text()
    for found in _BLOCK.finditer(text):
        yield Block(page, text[: found.start()].count("\n") + 2, found[2], textwrap.dedent(found[3]))


def commands(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield (command, expected output or None where the page shows none) in order. Commands continue after a backslash or bar."""
    for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = session.partition("\n")
        while command.endswith(("\\", "|")):
            more, _, shown = shown.partition("\n")
            command += f"\n{more}"
        yield command, shown or None


def runs(command: str) -> bool:
    return not any(command.startswith(start) for start in NEVER)


def fuzzer() -> types.ModuleType:
    """Replace Atheris where it is not installed: run the fuzz target on two inputs."""
    atheris = types.ModuleType("atheris")
    asked = []
    atheris.Setup = lambda arguments, function: asked.append(function)  # type: ignore[attr-defined]
    atheris.Fuzz = lambda: [function(data) for function in asked for data in (b"", b"\x05\x01")]  # type: ignore[attr-defined]
    return atheris


def executed(block: Block, names: dict[str, object]) -> None:
    """Run a block unchanged, with the tests that it defines, in the namespace of its page. Tests with fixtures run in pytest."""
    before = set(names)
    exec(compile("\n" * (block.line - 1) + block.text, str(block.page), "exec"), names)
    tests = [names[name] for name in sorted(set(names) - before) if name.startswith("test_")]
    if any(inspect.signature(test).parameters for test in tests):  # type: ignore[arg-type]
        Path("test_of_page.py").write_text(block.text)
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_of_page.py"], check=True)
        return
    for test in tests:
        test()  # type: ignore[operator]


def main() -> None:
    """``python snippets.py PAGE``: run the Python of a page in a separate process, since pages change global state."""
    import hypothesis

    hypothesis.settings.register_profile("few", max_examples=5, database=None, derandomize=True)
    hypothesis.settings.load_profile("few")
    try:
        import atheris  # noqa: F401
    except ImportError:
        sys.modules["atheris"] = fuzzer()
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks("python", "py"):
        if block.page == Path(sys.argv[1]) and ">>>" not in block.text:
            executed(block, names)


if __name__ == "__main__":
    main()
