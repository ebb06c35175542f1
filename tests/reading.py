"""Draws functions, file headers and comments for a reader without knowledge of the code, as a test of their clarity.

`python tests/reading.py [--seed N]` prints 60 function signatures of csrc/ and src/ with their files, the opening paragraphs of
40 C files, and 40 other C comments with their files and code. The code of a comment is the line that it is on, or the declaration
that follows it; members have the name of their struct, and methods that of their class. The reader writes down what each means;
the answers are compared with the code.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUNCTIONS, HEADERS, COMMENTS = 60, 40, 40


def tracked(*patterns: str) -> list[str]:
    return subprocess.run(["git", "-C", ROOT, "ls-files", *patterns], check=True, capture_output=True, text=True).stdout.split()


def one_line(text: str) -> str:
    return " ".join(text.split())


def python_signatures(node: ast.AST, prefix: str = "") -> list[str]:
    """Return the functions of a module with their parameters, and the classes and functions that contain them."""
    signatures = []
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{prefix}{child.name}."
            if not isinstance(child, ast.ClassDef) and not child.name.startswith("__"):
                result = f" -> {ast.unparse(child.returns)}" if child.returns else ""
                signatures.append(f"{prefix}{child.name}({ast.unparse(child.args)}){result}")
        signatures += python_signatures(child, inner)
    return signatures


def functions() -> list[str]:
    """Return the signatures of functions defined in C files and in Python modules, each with its file."""
    definition = re.compile(r"^((?:static )?[A-Za-z][\w ]*[ \*]\w+\([^;{]*\))\n\{", re.MULTILINE)
    return [
        f"{one_line(signature)}  ({file})"
        for file in tracked("csrc/*.c", "src/*.py")
        for text in [(ROOT / file).read_text()]
        for signature in (definition.findall(text) if file.endswith(".c") else python_signatures(ast.parse(text)))
    ]


def commented_code(text: str, start: int, end: int) -> str:
    """Return the line that a comment is on or, for a comment on lines of its own, the declaration that follows it."""
    before = text[text.rfind("\n", 0, start) + 1 : start].strip()
    opened = re.findall(r"^(?:\w+ )*((?:struct|union|enum) \w+) \{$|^(\})", text[:start], re.MULTILINE)
    owner = f"{opened[-1][0]}: " if opened and opened[-1][0] else ""
    if before:
        return owner + before
    following = re.match(r"\s*((?:[^;{}/]|/(?!\*))*[;{,]?)", text[end:])
    return owner + one_line(following[1] if following else "")


def comments() -> tuple[list[str], list[str]]:
    """Return the opening comment of every C file, and all other comments of 40 characters and more with their code."""
    first, others = [], []
    for file in tracked("csrc/*.[ch]"):
        text = (ROOT / file).read_text()
        found = [(one_line(match[1]), match) for match in re.finditer(r"/\*(.*?)\*/", text, re.DOTALL)]
        first += [f"{file}: {comment}" for comment, _ in found[:1]]
        others += [
            f"{file}: {comment}\n       code: {commented_code(text, match.start(), match.end())}"
            for comment, match in found[1:]
            if len(comment) >= 40
        ]
    return first, others


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    draw = random.Random(parser.parse_args().seed)
    headers, others = comments()
    for title, texts, count in (
        ("Functions", functions(), FUNCTIONS),
        ("File headers", headers, HEADERS),
        ("Comments", others, COMMENTS),
    ):
        print(f"\n{title}\n")
        for number, text in enumerate(draw.sample(texts, count), 1):
            print(f"{number}. {text}")


if __name__ == "__main__":
    main()
