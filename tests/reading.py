"""Draws identifiers, file headers and comments for a reader without knowledge of the code, as a test of their clarity.

`python tests/reading.py [--seed N]` prints 60 function names of csrc/ and src/ with their files, the opening paragraphs of
40 C files and 40 other C comments with their files. Methods have the name of their class, as in a traceback. The reader writes
down their meaning; the answers are compared with the code.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IDENTIFIERS, HEADERS, COMMENTS = 60, 40, 40


def tracked(*patterns: str) -> list[str]:
    return subprocess.run(["git", "-C", ROOT, "ls-files", *patterns], check=True, capture_output=True, text=True).stdout.split()


def qualified_names(node: ast.AST, prefix: str = "") -> list[str]:
    """Return the functions of a module, with the classes and functions that contain them."""
    names = []
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{prefix}{child.name}."
            if not isinstance(child, ast.ClassDef) and not child.name.startswith("__"):
                names.append(prefix + child.name)
        names += qualified_names(child, inner)
    return names


def identifiers() -> list[str]:
    """Return functions defined in C files and in Python modules, each with its file."""
    definition = re.compile(r"^(?:static )?[a-z][\w ]*[ \*](\w+)\([^;{]*\)\n\{", re.MULTILINE)
    return [
        f"{name}  ({file})"
        for file in tracked("csrc/*.c", "src/*.py")
        for text in [(ROOT / file).read_text()]
        for name in (definition.findall(text) if file.endswith(".c") else qualified_names(ast.parse(text)))
    ]


def comments() -> tuple[list[str], list[str]]:
    """Return the opening comment of every C file, and all other comments of 40 characters and more."""
    first, others = [], []
    for file in tracked("csrc/*.[ch]"):
        found = [" ".join(text.split()) for text in re.findall(r"/\*(.*?)\*/", (ROOT / file).read_text(), re.DOTALL)]
        first += [f"{file}: {text}" for text in found[:1]]
        others += [f"{file}: {text}" for text in found[1:] if len(text) >= 40]
    return first, others


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    draw = random.Random(parser.parse_args().seed)
    headers, others = comments()
    for title, texts, count in (
        ("Identifiers", identifiers(), IDENTIFIERS),
        ("File headers", headers, HEADERS),
        ("Comments", others, COMMENTS),
    ):
        print(f"\n{title}\n")
        for number, text in enumerate(draw.sample(texts, count), 1):
            print(f"{number}. {text}")


if __name__ == "__main__":
    main()
