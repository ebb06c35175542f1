"""Checks that comments, docstrings and documentation are plain technical English: what `./dev lint` runs.

`python tests/prose.py [ROOT]` counts the phrases of tests/prose.toml in every 1,000 words of prose, by directory, and exits 1
if the tree or a directory of 300 words and more has more than the file allows, or if a docstring opens with a question word.
`python tests/prose.py --show FILE...` prints each phrase with its place and what to write instead.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
PHRASES = [(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), instead) for pattern, instead in SETTINGS["phrases"].items()]
OPENING = re.compile(r"(?:What|Whether|Of|Where|Who|How|Why)\b")
SMALLEST_DIRECTORY = 300

Prose = Iterator[tuple[int, str]]
"""Pieces of prose, each with the number of its first line."""


def prose_of_c(text: str) -> Prose:
    for comment in re.finditer(r"/\*(.*?)\*/|//([^\n]*)", text, re.DOTALL):
        yield text.count("\n", 0, comment.start()) + 1, comment[1] or comment[2] or ""


def docstrings(text: str) -> Prose:
    """Yield string statements, which includes the text below an attribute."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def prose_of_python(text: str) -> Prose:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
    for line, string in docstrings(text):
        yield line, re.sub(r"^\s*(?:>>>|\.\.\.).*$", "", string, flags=re.MULTILINE)


def prose_of_markdown(text: str) -> Prose:
    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n") or " "

    yield 1, re.sub(r"```.*?```|`[^`\n]*`|\{[a-z:-]+\}", blank, text, flags=re.DOTALL)


READERS = {
    **dict.fromkeys((".c", ".h", ".def", ".cpp", ".cc"), prose_of_c),
    **dict.fromkeys((".py", ".pyi"), prose_of_python),
    **dict.fromkeys((".md", ".rst"), prose_of_markdown),
}


def tracked(root: Path) -> list[Path]:
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    return [path for name in listed.split("\0") if name and (path := root / name).suffix in READERS and path.exists()]


def found(path: Path) -> tuple[int, list[tuple[int, str, str]]]:
    """Count the words of a file, and list its phrases: line, phrase, replacement."""
    words, hits = 0, []
    for first, text in READERS[path.suffix](path.read_text()):
        words += len(re.findall(r"[A-Za-z']+", text))
        for pattern, instead in PHRASES:
            hits += [
                (first + text.count("\n", 0, hit.start()), " ".join(hit[0].split()), instead) for hit in pattern.finditer(text)
            ]
    return words, sorted(hits)


def opening_questions(path: Path, name: str) -> list[str]:
    """Return docstrings that open with a question word instead of a verb or a noun phrase."""
    opened = [(line, text.split()[0]) for line, text in docstrings(path.read_text()) if OPENING.match(text)]
    return [f"{name}:{line}: docstring opens with {word!r}" for line, word in opened]


def show(paths: list[Path]) -> None:
    for path in paths:
        for line, phrase, instead in found(path.resolve())[1]:
            print(f"{path}:{line}: {phrase!r}: {instead}")


def check(root: Path) -> list[str]:
    """Describe each directory, and the tree, with too many phrases; and docstrings that open with a question word."""
    words: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    problems = []
    for path in tracked(root):
        file = path.relative_to(root)
        directory = str(file.parent)
        count, listed = found(path)
        for name in (directory, "the tree"):
            words[name] += count
            hits[name] += len(listed)
        if path.suffix == ".py" and directory.startswith(("src/", "tests")):
            problems += opening_questions(path, str(file))
    for name, count in sorted(words.items()):
        limit = SETTINGS["most"]["tree" if name == "the tree" else "directory"]
        if count >= SMALLEST_DIRECTORY and hits[name] * 1000 > limit * count:
            problems.append(f"{name}: {hits[name]} discouraged phrases in {count} words; at most {limit} in 1,000")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, metavar="ROOT", help="a checkout; default: this one")
    parser.add_argument(
        "--show", nargs="+", type=Path, metavar="FILE", help="print the phrases of files, and what to write instead"
    )
    options = parser.parse_args()
    if options.show:
        show(options.show)
        return 0
    problems = check(options.root.resolve())
    print("\n".join(problems), end="\n" if problems else "")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
