"""Faults planted in a copy of csrc/: the table faults.toml lists the replaced code and the replacement.

One copy has all faults; the number `coro_fault`, which its extension exports, enables one of them, 0 none.
An entry that does not match exactly once is an error: the code has changed, and the tests would not be tested there.

    python tests/faults/planted.py          checks that every entry matches in csrc/, and suggests corrections
    python tests/faults/planted.py --mend   corrects entries for moved code
"""

from __future__ import annotations

import dataclasses
import functools
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("faults.toml")
NUMBER = "coro_fault"
DEFINED = f"""/* The number of the enabled fault; 0: none.
   Requires: nothing. */
__attribute__((visibility("default"))) unsigned {NUMBER} = 0;
"""
MAP, EXPORTED = "cmake/core.map", "PyInit__core;"
TOKEN = re.compile(
    r"(?P<skip>\s+|/\*.*?\*/|//[^\n]*|^#(?:\\\n|[^\n])*)"
    r"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\w+|->|\+\+|--|<<=?|>>=?|&&|\|\||[-+*/%&|^=!<>]=|.""",
    re.DOTALL | re.MULTILINE,
)


class PlantError(Exception):
    """The table has faults that match no code."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """An entry of the table; see the comment at the table's start."""

    name: str
    what: str
    file: str
    function: str
    old: str
    new: str


@dataclasses.dataclass(frozen=True)
class Token:
    """A token of C and its range in the text."""

    text: str
    start: int
    end: int


Span = tuple[int, int]


def table(path: Path = TABLE) -> dict[str, Fault]:
    """Return the faults by name, in the order of their numbers from 1."""
    rows = tomllib.loads(path.read_text())
    return {name: Fault(name, r["what"], *r["in"].split(":"), r["old"], r["new"]) for name, r in rows.items()}


@functools.lru_cache(512)
def tokens(text: str) -> list[Token]:
    """Return the tokens of the text without directives."""
    return [Token(match[0], *match.span()) for match in TOKEN.finditer(text) if match["skip"] is None]


def closing(words: Sequence[Token], at: int) -> int:
    """Return the token that closes the bracket around this one, or the end."""
    depth = 0
    for n in range(at, len(words)):
        depth += (words[n].text in "([{") - (words[n].text in ")]}")
        if depth < 0:
            return n
    return len(words)


def functions(words: Sequence[Token]) -> Iterator[tuple[str, Sequence[Token]]]:
    """Yield the defined functions: name, and the tokens of the body."""
    at, name, words = 0, "", list(words)
    while at < len(words):
        end = closing(words, at + 1) if words[at].text in "({" else at
        if words[at].text == "(":
            name = words[at - 1].text
        elif words[at].text == "{" and at and words[at - 1].text == ")":
            yield name, words[at + 1 : end]
        at = end + 1


def span(words: Sequence[Token], at: int, pattern: Sequence[Token]) -> Span | None:
    """Return the range to replace if the pattern matches at this token, otherwise None."""
    first, last = at, 0
    for want in pattern:
        if want.text == "«":
            first = at
        elif want.text == "»":
            last = at
        elif want.text == "…":
            at = closing(words, at)
        elif at < len(words) and words[at].text == want.text:
            at += 1
        else:
            return None
    return words[first].start, words[(last or at) - 1].end


def places(source: str, old: str, function: str = "") -> list[tuple[str, Span]]:
    """Return the ranges of the expression in the source, by function, or in one function."""
    return [
        (name, found)
        for name, body in functions(tokens(source))
        if function in ("", name)
        for at in range(len(body))
        if (found := span(body, at, tokens(old)))
    ]


def describe_mismatch(fault: Fault, found: int, sources: Mapping[str, str]) -> str:
    """Describe an entry that does not match exactly once."""
    text = f"{fault.name}: `{fault.old}` was found {found} times in {fault.file}, function {fault.function}, instead of once"
    others = other_places(fault, sources)
    hint = f"it is in {', '.join(others)}: write that behind `in`" if others and not found else "say what stands there now"
    return f"{text}; {hint}, in {TABLE.relative_to(ROOT)}"


def other_places(fault: Fault, sources: Mapping[str, str]) -> list[str]:
    """Return other places of the expression, in the format of the table."""
    here = f"{fault.file}:{fault.function}"
    found = [f"{file}:{name}" for file, text in sources.items() for name, _ in places(text, fault.old)]
    return [place for place in dict.fromkeys(found) if place != here]


def plant_faults(sources: Mapping[str, str], faults: Mapping[str, Fault]) -> dict[str, str]:
    """Return the sources by name with all faults. Raise PlantError if one does not match exactly once."""
    changes: dict[str, list[tuple[Span, str]]] = {}
    wrong = []
    for number, fault in enumerate(faults.values(), 1):
        source = sources.get(fault.file, "")
        found = places(source, fault.old, fault.function)
        if len(found) == 1:
            first, last = found[0][1]
            old = f"({source[first:last]})"
            new = f"({NUMBER} == {number} ? ({fault.new.replace('$', old)}) : {old})"
            changes.setdefault(fault.file, []).append(((first, last), new))
        else:
            wrong.append(describe_mismatch(fault, len(found), sources))
    if wrong:
        raise PlantError("\n".join(wrong))
    return dict(sources) | {file: replace_spans(sources[file], some) for file, some in changes.items()}


def replace_spans(source: str, changes: Sequence[tuple[Span, str]]) -> str:
    """Return the source with the disjoint spans replaced."""
    behind = len(source)
    for (first, last), new in sorted(changes, reverse=True):
        if last > behind:
            raise PlantError(f"two faults want the same place: {source[first:last]}")
        source, behind = source[:first] + new + source[last:], first
    return f'_Pragma("GCC diagnostic ignored \\"-Wpedantic\\"") extern unsigned {NUMBER}; {source}'  # of `? (void)0 : f()`


def engine_sources(root: Path = ROOT) -> dict[str, str]:
    """Return the engine's sources by path."""
    files = [root / "CMakeLists.txt", *(root / "cmake").iterdir(), *(root / "csrc").rglob("*.*")]
    return {str(file.relative_to(root)): file.read_text() for file in files if file.is_file()}


def write(folder: Path) -> None:
    """Write the faulty copy to a directory. Unchanged files are not rewritten, so that they are not rebuilt."""
    sources = plant_faults(engine_sources(), table()) | {"csrc/base/fault.c": DEFINED}
    if sources[MAP].count(EXPORTED) != 1:
        raise PlantError(f"{MAP} does not say {EXPORTED}")
    sources[MAP] = sources[MAP].replace(EXPORTED, f"{EXPORTED} {NUMBER};")
    for file in (*(folder / "cmake").rglob("*.*"), *(folder / "csrc").rglob("*.*")):
        if file.is_file() and str(file.relative_to(folder)) not in sources:
            file.unlink()
    for name, text in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def correct_moved_entries() -> None:
    """Correct the entries for code that is in one other place."""
    sources, text = engine_sources(), TABLE.read_text()
    for fault in table().values():
        if not places(sources.get(fault.file, ""), fault.old, fault.function) and len(found := other_places(fault, sources)) == 1:
            head = re.compile(rf'^(\[{fault.name}\]\nwhat = .*\nin = )".*"$', re.MULTILINE)
            text = head.sub(rf'\1"{found[0]}"', text)
            print(f"{fault.name}: now in {found[0]}")
    TABLE.write_text(text)


def main() -> int:
    if sys.argv[1:] == ["--mend"]:
        correct_moved_entries()
    try:
        plant_faults(engine_sources(), table())
    except PlantError as error:
        print(error, "or see whether `python tests/faults/planted.py --mend` does it", sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
