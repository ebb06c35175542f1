"""Group statements into functions; add missing heads and braces."""

from __future__ import annotations

import re
from collections.abc import Iterable

from documents.body import RECORD, Block, Function, defined
from documents.spelling import respelt
from pycoro.upgrade.calls import Reporter
from pycoro.upgrade.statements import Statement

__all__ = ["Listing"]


class Listing:
    """Functions of a listing in order, and the statements around them."""

    def __init__(self, statements: Iterable[Statement], report: Reporter) -> None:
        self.targets: list[str] = []
        """Target statements, which come first in the module."""
        self.globals: list[str] = []
        self.functions: list[Function] = []
        self._report = report
        self._open: Function | None = None
        self._braced = False
        self._fragments = 0
        self._names: dict[str, int] = {}
        self._numbered = False
        for statement in statements:
            self._read_statement(statement)
        self._close_function()

    def text(self) -> str:
        """Return the text for LLVM, with markers for omitted parts."""
        return "\n".join([*self.targets, *self.globals, *(function.text(marked=True) for function in self.functions)]) + "\n"

    # ---- Statements ----

    def _report_once(self, step: str, message: str) -> None:
        if step == "numbers" and self._numbered:
            return
        self._numbered = self._numbered or step == "numbers"
        self._report(step, self._open.name if self._open else "", message)

    def _read_statement(self, statement: Statement) -> None:
        kind, text = statement
        if kind == "set" and re.match(r"%\S+ = (?:type|opaque)\b", text):
            self._close_function()
            self.globals.append(text)
        elif kind == "target":
            self._close_function()
            self.targets.append(text)
        elif kind in ("global", "attributes", "declaration"):
            self._close_function()
            self.globals.append(respelt(kind, text, self._report_once))
        elif kind == "head":
            self._close_function()
            self._start_function(respelt(kind, text, self._report_once))
        elif kind == "open":
            self._braced = True
        elif kind == "close":
            if self._braced:
                self._braced = False
                self._close_function()
        elif kind == "prose":
            self._report("prose", self._open.name if self._open else "", f"text that is not IR is removed: {_shorten(text)}")
        elif kind == "left":
            function = self._open_function()
            if not (function.blocks and function.blocks[-1].ended):
                self._open_block().left = True
            self._report("left-out", function.name, "an ellipsis marks omitted code")
        elif kind == "label":
            self._start_block(respelt(kind, text, self._report_once)[:-1])
        else:
            self._open_function()
            self._add_line(respelt(kind, text, self._report_once))

    def _start_function(self, text: str) -> None:
        text = re.sub(r"(%[-\w$]+)\.\.\.", r"\1", text)
        if re.match(r"define @", text):
            text = f"define ? {text.removeprefix('define ')}"
        self._open = Function(text, [])
        self._names = dict.fromkeys(self._open.parameters, 1)
        if not re.search(r"\)[^()]*$", text):
            self._open.head += ")"
        self.functions.append(self._open)

    def _open_function(self) -> Function:
        """Return the open function, or create one for a fragment."""
        if self._open is None:
            name = f"listing.{self._fragments}" if self._fragments else "listing"
            self._fragments += 1
            self._open = Function(f"define ? @{name}()", [], fragment=True)
            self.functions.append(self._open)
            self._report("fragment", name, "instructions outside of a function become a function")
        return self._open

    def _open_block(self) -> Block:
        function = self._open_function()
        if not function.blocks:
            function.blocks.append(Block("%start" if function.fragment else "%entry"))
        elif function.blocks[-1].ended:
            function.blocks.append(Block(f"%behind.{len(function.blocks)}"))
        return function.blocks[-1]

    def _start_block(self, name: str) -> None:
        function = self._open_function()
        if f"%{name}" in [block.name for block in function.blocks]:
            if function.fragment:
                self._close_function()
                function = self._open_function()
            else:
                self._report_once("renamed", f"two blocks are named %{name}: the second becomes %{name}.again")
                name += ".again"
        function.blocks.append(Block(f"%{name}"))

    def _add_line(self, text: str) -> None:
        function, block = self._open_function(), self._open_block()
        name = defined(text)
        before = next((line for line in reversed(block.lines) if not RECORD.match(line)), "= phi")
        if re.search(r"= phi\b", text) and not re.search(r"= phi\b", before):
            self._report_once("block", f"{name} starts a block, because it is a phi")
            block = Block(f"%behind.{len(function.blocks)}")
            function.blocks.append(block)
        text = function.meant(text)
        if name and name in self._names:
            quote = '"' if name.endswith('"') else ""
            again = f"{name.removesuffix(quote)}.again{self._names[name]}{quote}"
            self._report_once("renamed", f"two values are named {name}: later uses refer to the second")
            text = again + text[len(name) :]
            function.renamed[name] = again
        if name:
            self._names[name] = self._names.get(name, 0) + 1
        block.lines.append(text)

    def _close_function(self) -> None:
        function, self._open = self._open, None
        self._names = {}
        if function is None:
            return
        if self._braced:
            self._report("brace", function.name, "the function ends at the next function or at the end of the listing")
        self._braced = False
        if not function.blocks:
            function.blocks.append(Block("%entry", left=True))


def _shorten(text: str) -> str:
    return text if len(text) < 60 else f"{text[:57]}..."
