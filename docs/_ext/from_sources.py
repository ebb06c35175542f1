"""Directives that generate reference pages from the sources, so that they match the compiled code.

.. c-header:: path       the public header: its sections, types and functions, with their comments
.. def-table:: path      a table of rows MACRO(a, b, ...) from a .def file
   :columns: names of the columns
   :macro: only the rows of this macro
.. rules:: path ...      the rules that C files check, with the error and the fix
.. lint-rules::          the linter's rules, with the reason for each
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

COMMENT = r"/\*.*?\*/"  # comments in a struct may contain braces
PART = re.compile(
    rf"\s*(?:/\*(.*?)\*/|(#define\s+(?:\\\n|[^\n])*)|(typedef[^;{{]*\{{(?:{COMMENT}|[^}}/])*\}}[^;]*;|[^;#/]+;))", re.DOTALL
)  # comment, macro, declaration
SECTION = re.compile(r"----\s*(.+?)\s*----(.*)", re.DOTALL)


@dataclass
class Item:
    """A declaration with its comments."""

    code: str
    comment: str = ""
    members: list[tuple[str, str]] = field(default_factory=list)


def plain(comment: str) -> str:
    """Join a comment's text to one line, without the decoration of C comments."""
    return " ".join(line.strip().lstrip("*").strip() for line in comment.strip().splitlines()).strip()


def marked(text: str) -> str:
    """Convert a C comment to reST: mark code in backticks and bare names of functions and constants as literals."""
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", text)
    return re.sub(r"(?<![`\w])(\*out|NULL|CORO_[A-Z]\w*|E[A-Z]{3,}|coro_\w+)(?![\w`])", r"``\1``", text)


def declarations(text: str) -> Iterator[str]:
    """Yield the constants of an enum, or the members of a struct with their types: `int a, b;` yields two."""
    for statement in text.split(";"):
        first, *others = [" ".join(piece.split()) for piece in re.split(r",(?![^()]*\))", statement)]
        shared = re.match(r"((?:\w+\s+)*)\**\w+", first)
        yield from filter(None, [first, *((shared[1] if shared else "") + other for other in others if other)])


def members(body: str) -> list[tuple[str, str]]:
    """Return (declaration, comment) for the members of a struct or the constants of an enum."""
    found: list[tuple[str, str]] = []
    pending, before = "", "\n"
    for part in re.split(r"(/\*.*?\*/)", body, flags=re.DOTALL):
        if not part.startswith("/*"):
            before = part
            for piece in declarations(re.sub(r"(?m)^\s*#.*$", "", part)):
                if not piece.startswith("CORO_STATUS"):
                    found.append((piece, pending))
                    pending = ""
        elif found and "\n" not in before[len(before.rstrip()) :]:
            found[-1] = (found[-1][0], plain(part[2:-2]))
        else:
            pending = plain(part[2:-2])
    return found


def read_items(text: str) -> Iterator[tuple[str, str] | Item]:
    """Yield ("section", title), ("text", paragraph) and items, in order."""
    text = text[text.index('extern "C" {') :].split("#endif", 1)[1].rsplit("#ifdef __cplusplus", 1)[0]
    text = re.sub(r"(?m)^#include .*$", "", text)
    at = 0
    comment = ""
    last: Item | None = None
    waiting: list[Item] = []
    while match := PART.match(text, at):
        note, define, code = match.groups()
        same_line = "\n" not in match[0].lstrip(" ")[: len(match[0]) - len(match[0].lstrip())]
        at = match.end()
        if note is not None:
            section = SECTION.match(note.strip())
            if section:
                yield from waiting
                waiting, comment, last = [], "", None
                yield "section", section[1]
                if section[2].strip():
                    yield "text", plain(section[2])
            elif last is not None and same_line:
                last.comment = plain(note)
            else:
                comment = plain(note)
            continue
        yield from waiting
        if define and "__attribute__" in define:
            waiting, last = [], None
            continue
        last = item(define or code)
        last.comment, comment = " ".join(filter(None, [comment, last.comment])), ""
        waiting = [last]
    yield from waiting
    rest = text[at:].strip()
    if rest:
        raise ValueError(f"cannot parse the header at {rest[:60]!r}")


def item(code: str) -> Item:
    if code.startswith("#define"):
        define = re.match(r"#define\s+(\w+(?:\([^)]*\))?)[^/]*(?:/\*(.*?)\*/)?", code)
        assert define is not None
        return Item("macro " + define[1], plain(define[2] or ""))
    compound = re.match(r"typedef (struct|enum) \w*\s*(\{.*\})\s*(\w+)\s*;", code, re.DOTALL)
    if compound:
        opening = re.match(r"\{[ \t]*/\*(.*?)\*/", compound[2], re.DOTALL)
        body = compound[2][opening.end() if opening else 1 : -1]
        return Item(f"{compound[1]} {compound[3]}", plain(opening[1]) if opening else "", members(body))
    opaque = re.match(r"typedef struct \w+ (\w+);", code)
    if opaque:
        return Item("type " + opaque[1])
    return Item("function " + " ".join(code.replace("CORO_API", "").rstrip(";").split()))


def rst(thing: Item) -> list[str]:
    kind, name = thing.code.split(" ", 1)
    lines = [f".. c:{kind}:: {name}", ""]
    if thing.comment:
        lines += [f"   {marked(thing.comment)}", ""]
    for declaration, comment in thing.members:
        what = "enumerator" if kind == "enum" else "member"
        lines += [f"   .. c:{what}:: {declaration}", ""]
        if comment:
            lines += [f"      {marked(comment)}", ""]
    return lines


class FromSource(SphinxDirective):
    required_arguments = 1

    def read(self, argument: str | None = None) -> str:
        path = (Path(self.env.doc2path(self.env.docname)).parent / (argument or self.arguments[0])).resolve()
        self.env.note_dependency(str(path))
        return path.read_text()

    def parse(self, lines: list[str], holder: nodes.Element | None = None) -> nodes.Element:
        holder = nodes.container() if holder is None else holder
        holder.document = self.state.document
        content = StringList(lines, items=[(self.arguments[0], n) for n in range(len(lines))])
        self.state.nested_parse(content, self.content_offset, holder)
        return holder


class Header(FromSource):
    def run(self) -> list[nodes.Node]:
        parts: list[tuple[str, list[str]]] = [("", [])]
        for found in read_items(self.read()):
            if isinstance(found, Item):
                parts[-1][1].extend(rst(found))
            elif found[0] == "section":
                parts.append((found[1], []))
            else:
                parts[-1][1].extend([marked(found[1]), ""])
        (_, general), *sections = parts
        return [*self.parse(general).children, *(self.section(title, lines) for title, lines in sections)]

    def section(self, title: str, lines: list[str]) -> nodes.section:
        section = nodes.section("", nodes.title(title, title))
        section["names"].append(nodes.fully_normalize_name(title))
        self.state.document.note_implicit_target(section, section)
        self.parse(lines, section)
        return section


def cells(row: str) -> list[str]:
    """Return the arguments of a macro; strings without their quotes."""
    return [cell.strip().strip('"') for cell in re.findall(r'"[^"]*"|[^,"\s][^,"]*', row)]


class DefTable(FromSource):
    option_spec: ClassVar = {"columns": directives.unchanged_required, "macro": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        heads = [h.strip() for h in self.options["columns"].split(",")]
        macro = self.options.get("macro", "[A-Z_]+")
        rows = [cells(m[1]) for m in re.finditer(rf"^{macro}\((.*)\)\s*$", self.read(), re.MULTILINE)]
        wrong = [row for row in rows if len(row) != len(heads)]
        if wrong or not rows:
            raise self.error(f"{self.arguments[0]}: {len(heads)} columns do not match {wrong[:1] or 'no rows'}")
        lines = [".. list-table::", "   :header-rows: 1", ""]
        for row in [heads, *([f"``{c}``" if " " not in c else c for c in row] for row in rows)]:
            lines += [f"   {'* -' if n == 0 else '  -'} {cell}" for n, cell in enumerate(row)]
        return self.parse([*lines, ""]).children


LLVM_NAME = "LLVM 22"
"""The macro of this name in ``llvm_version.h``."""
LITERAL = r'"(?:[^"\\]|\\.)*"'
REFUSAL = re.compile(
    r'\b(coro_reject|coro_check_intrinsics_absent|reject_id|pass_reject_instruction)\(|\{(?=[^{}();"]*"[a-z-]+",\s*")'
)  # a call or a table row
FORMATTED = "message = coro_arena_printf("
"""The message of the next call, if that has no literal."""


def literals(source: str, at: int) -> list[str]:
    """Return the string arguments from a position on; adjacent literals are concatenated."""
    found, depth = [""], 1
    for piece in re.finditer(rf"{LITERAL}|[(){{}},]|LLVM_NAME", source[at:]):
        if piece[0] == "LLVM_NAME":
            found[-1] += LLVM_NAME
        elif piece[0].startswith('"'):
            found[-1] += re.sub(r"\\(.)", r"\1", piece[0][1:-1])
        elif piece[0] == ",":
            found.append("")
        else:
            depth += 1 if piece[0] in "({" else -1
        if not depth:
            break
    return [text for text in found if text]


def refusals(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield (rule, error, fix), in the order of the checks in a file."""
    for match in REFUSAL.finditer(source):
        texts = literals(source, match.end())
        if len(texts) == 2 and (formatted := source.rfind(FORMATTED, 0, match.start())) >= 0:
            texts[1:1] = literals(source, formatted + len(FORMATTED))[:1]
        if len(texts) == 3 and re.fullmatch(r"[a-z-]+", texts[0]) and " " in texts[1]:
            yield texts[0], re.sub("%(?:s|llu)", "…", texts[1]), texts[2]


class Rules(FromSource):
    optional_arguments = 9

    def run(self) -> list[nodes.Node]:
        lines = [".. list-table::", "   :header-rows: 1", "   :widths: 22 40 38", ""]
        rows = [("rule", "error", "fix")]
        for path in self.arguments:
            rows += [(f"``{rule}``", *map(marked, texts)) for rule, *texts in refusals(self.read(path))]
        if len(rows) == 1:
            raise self.error(f"{self.arguments}: no rules")
        for row in rows:
            lines += [f"   {'* -' if n == 0 else '  -'} {cell}" for n, cell in enumerate(row)]
        return self.parse([*lines, ""]).children


class LintRules(FromSource):
    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        from pycoro.lint import RULES

        found: list[nodes.Node] = []
        for rule in RULES.values():
            self.arguments = [rule.name]
            section = nodes.section("", nodes.title(rule.name, rule.name), ids=[rule.name])
            section["names"].append(rule.name)
            self.state.document.note_explicit_target(section, section)
            self.parse([f"*{rule.severity}*: {rule.title}.", "", re.sub(r"`([^`]+)`", r"``\1``", rule.why), ""], section)
            found.append(section)
        return found


class CliHelp(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        command = [sys.executable, "-m", "pycoro", self.arguments[0], "--help"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "96"})
        return [nodes.literal_block(done.stdout, done.stdout, language="text")]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("c-header", Header)
    app.add_directive("def-table", DefTable)
    app.add_directive("rules", Rules)
    app.add_directive("lint-rules", LintRules)
    app.add_directive("cli-help", CliHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
