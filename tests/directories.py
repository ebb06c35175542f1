"""Checks a checkout against the table of directories in docs/explanation/architecture.md, for `./dev lint`.

`python tests/directories.py [CHECKOUT]` prints a line for each violation, and exits 1 if there is one:

- an include that the table does not allow, including LLVM's and Python's headers; a directory without a row, a row without one;
- a cycle of files in a directory, through included headers or named functions;
- an import cycle of modules of src/pycoro, including imports in functions; an import of a package below the importing one;
- an entry of KNOWN that is no longer a cycle.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

Graph = Mapping[str, Iterable[str]]
Known = Mapping[frozenset[str], str]


def files(directory: str, names: str) -> frozenset[str]:
    """Return C files of a directory."""
    return frozenset(f"csrc/{directory}/{name}.c" for name in names.split())


KNOWN: Known = {}
"""The files of existing cycles, with the reason."""


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


# ---- C ----

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


# ---- Python ----


def imported(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports of a module and of its functions: none for type checkers only."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            todo += node.orelse
        else:
            todo += ast.iter_child_nodes(node)


def origin(package: str, node: ast.ImportFrom) -> str:
    """Return the origin of an import in a module of that package."""
    above = package.rsplit(".", node.level - 1)[0] if node.level else ""
    return ".".join(filter(None, (above, node.module)))


def imports(package: Path) -> dict[str, set[str]]:
    """Map each module of a package, by its file, to the modules of the package that it imports."""
    files = sorted(package.rglob("*.py"))
    modules = {".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__"): file for file in files}
    graph: dict[str, set[str]] = {}
    for name, file in modules.items():
        wanted: set[str] = set()
        for node in imported(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
                continue
            base = origin(name if file.stem == "__init__" else name.rpartition(".")[0], node)
            for alias in node.names:
                if not (package.parent / base.replace(".", "/") / f"{alias.name}.pyi").exists():  # an extension imports nothing
                    wanted.add(f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules else base)
        graph[module_path(package, file)] = {
            module_path(package, modules[other]) for other in wanted if other in modules and other != name
        }
    return graph


def module_path(package: Path, file: Path) -> str:
    return str(file.relative_to(package.parent.parent))


def wrong_imports(graph: Graph, text: str) -> Iterator[str]:
    """Describe imports down the table of packages."""
    order = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    for file, wanted in graph.items():
        own = Path(file).parent.name
        for other in sorted(wanted):
            name = Path(other).parent.name
            if own in order and name in order[order.index(own) + 1 :]:
                yield f"{file}: imports {other}: {own} may not depend on {name}"


# ---- Both ----


def unknown_cycles(graph: Graph, known: Known) -> Iterator[str]:
    """Describe unknown cycles, and listed files that are in no cycle."""
    found = strongly_connected_components(graph)
    for component in found:
        if not any(component <= listed for listed in known):
            yield f"{', '.join(sorted(component))}: depend on each other in a cycle"
    for listed, why in known.items():
        idle = listed.difference(*(component for component in found if component <= listed))
        if idle:
            yield f"{', '.join(sorted(idle))}: no longer in a cycle ({why}): remove them from KNOWN in tests/directories.py"


def violations(root: Path, known: Known = KNOWN) -> Iterator[str]:
    """Describe all violations of a checkout, one line each."""
    csrc = root / "csrc"
    text = (root / "docs" / "explanation" / "architecture.md").read_text()
    rows = table(text)
    yield from unlisted_directories(csrc, rows)
    yield from wrong_includes(csrc, rows)
    graph: dict[str, set[str]] = defaultdict(set)
    for directory in rows:
        graph |= dependencies(csrc, csrc / directory)
    modules = imports(root / "src" / "pycoro")
    yield from wrong_imports(modules, text)
    yield from unknown_cycles(graph | modules, known)


def main() -> int:
    lines = list(violations(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
