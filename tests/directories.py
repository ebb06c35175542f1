"""Checks a checkout against the table of directories in docs/explanation/architecture.md, for `./dev lint`.

`python tests/directories.py [CHECKOUT]` prints a line for each violation, and exits 1 if there is one:

- an include that the table does not allow, including LLVM's and Python's headers; a directory without a row, a row without one;
- a cycle of files in a directory, through included headers or named functions.

`lint-imports` checks the Python packages (`[tool.importlinter]` in pyproject.toml).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

Graph = Mapping[str, Iterable[str]]


class Row(NamedTuple):
    """A row of the table."""

    may: frozenset[str]
    """The directories that it may depend on."""
    llvm: bool
    """True if it may include LLVM's headers."""


def table(text: str) -> dict[str, Row]:
    """Parse the directories of csrc, by name, in the table's order."""
    rows: dict[str, Row] = {}
    for row in re.finditer(r"^\| *`csrc/(\w+)/?` *\|[^|\n]*\|([^|\n]*)\|", text, re.MULTILINE):
        words = set(re.findall(r"[\w.-]+", row[2]))
        may = set(rows) if "all above" in row[2] else words & rows.keys()
        if row[2].strip().startswith("and "):
            may |= {directory for known in may for directory in rows[known].may}
        if "pycoro.h" in words or any("include" in rows[known].may for known in may):
            may.add("include")
        llvm = "LLVM-C" in words or any(rows[known].llvm for known in may - {"include"})
        rows[row[1]] = Row(frozenset(may), llvm)
    return rows


def strongly_connected_components(graph: Graph) -> list[frozenset[str]]:
    """Return the strongly connected components of several nodes, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in graph.get(node, ()):
            if target not in index:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == index[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(frozenset(component))

    for node in graph:
        if node not in index:
            visit(node)
    return found


_COMMENTS_AND_STRINGS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
_DEFINED = re.compile(r"^(?!static\b|typedef\b|#)[A-Za-z_][\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
_OWN = re.compile(r"^static\b[^;{}()=]*?\b(\w+)\(", re.MULTILINE)
_NAMED = re.compile(r"(?<![\w.>])(\w+)\b")


def includes(csrc: Path, file: Path) -> Iterator[tuple[str, Path | None]]:
    """Yield each include of a file, as written, and its file if that is in csrc."""
    for how, name in _INCLUDE.findall(file.read_text()):
        places = [folder / name for folder in (file.parent, csrc, csrc / "include", *csrc.glob("facts/*"))] if how == '"' else []
        yield name, next((place.resolve() for place in places if place.exists()), None)


def unlisted_directories(csrc: Path, rows: Mapping[str, Row]) -> Iterator[str]:
    """Describe directories without a row and rows without a directory."""
    there = {folder.name for folder in csrc.iterdir() if folder.is_dir()}
    yield from (f"csrc/{name}: not in the table of directories" for name in sorted(there - rows.keys()))
    yield from (f"csrc/{name}: in the table of directories, but missing" for name in rows if name not in there)


def wrong_includes(csrc: Path, rows: Mapping[str, Row]) -> Iterator[str]:
    """Describe includes that the table does not allow."""
    for file in sorted(csrc.rglob("*.*")):
        name = file.relative_to(csrc).parts[0]
        if name not in rows:
            continue
        for text, target in includes(csrc, file):
            to = target.relative_to(csrc.resolve()).parts[0] if target else ""
            if to and to != name and to not in rows[name].may:
                yield f"csrc/{name}/{file.name}: includes {text}: {name} may not depend on {to}"
            elif text.startswith(("llvm-c/", "llvm/")) and not rows[name].llvm:
                yield f"csrc/{name}/{file.name}: includes {text}: {name} may not depend on LLVM"
            elif text == "Python.h" and name != "py":
                yield f"csrc/{name}/{file.name}: includes Python.h: only py may depend on Python"


def dependencies(csrc: Path, directory: Path) -> dict[str, set[str]]:
    """Map each C file of a directory to the files in the directory that it includes a header or names a function of."""
    code = {file: _COMMENTS_AND_STRINGS.sub(" ", file.read_text()) for file in sorted(directory.glob("*.c"))}
    owner = {name: file for file, text in code.items() for name in _DEFINED.findall(text)}
    graph: dict[str, set[str]] = {}
    for file, text in code.items():
        headers = {target.with_suffix(".c") for _, target in includes(csrc, file) if target and target.suffix == ".h"}
        named = {owner[name] for name in {*_NAMED.findall(text)} - {*_OWN.findall(text)} if name in owner}
        graph[path_in_checkout(csrc, file)] = {
            path_in_checkout(csrc, other) for other in code if other != file and other in headers | named
        }
    return graph


def path_in_checkout(csrc: Path, file: Path) -> str:
    return str(file.relative_to(csrc.parent))


def violations(root: Path) -> Iterator[str]:
    """Describe all violations of a checkout, one line each."""
    csrc = root / "csrc"
    rows = table((root / "docs" / "explanation" / "architecture.md").read_text())
    yield from unlisted_directories(csrc, rows)
    yield from wrong_includes(csrc, rows)
    for directory in rows:
        for component in strongly_connected_components(dependencies(csrc, csrc / directory)):
            yield f"{', '.join(sorted(component))}: depend on each other in a cycle"


def main() -> int:
    lines = list(violations(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
