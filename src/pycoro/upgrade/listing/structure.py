"""Statements as functions: what has no head gets one, and what is not closed is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pycoro.upgrade.listing.body import RECORD, Block, Function, defined
from pycoro.upgrade.listing.spelling import respelt
from pycoro.upgrade.statements import Statement
from pycoro.upgrade.steps import Tell

__all__ = ["Listing"]


class Listing:
    """A listing's functions, in their order, and what stands beside them."""

    def __init__(self, said: Iterable[Statement], tell: Tell) -> None:
        self.targets: list[str] = []
        """What the module is for, which stands before all else."""
        self.globals: list[str] = []
        self.functions: list[Function] = []
        self._tell = tell
        self._open: Function | None = None
        self._braced = False
        self._fragments = 0
        self._names: dict[str, int] = {}
        self._numbered = False
        for statement in said:
            self._take(statement)
        self._close()

    def text(self) -> str:
        """As LLVM reads it, but for what is not there, which is marked."""
        return "\n".join([*self.targets, *self.globals, *(function.text(marked=True) for function in self.functions)]) + "\n"

    # ---- Statements ----

    def _told(self, step: str, message: str) -> None:
        if step == "numbers" and self._numbered:
            return
        self._numbered = self._numbered or step == "numbers"
        self._tell(step, self._open.name if self._open else "", message)

    def _take(self, said: Statement) -> None:
        kind, text = said
        if kind == "set" and re.match(r"%\S+ = (?:type|opaque)\b", text):
            self._close()
            self.globals.append(text)
        elif kind == "target":
            self._close()
            self.targets.append(text)
        elif kind in ("global", "attributes", "declaration"):
            self._close()
            self.globals.append(respelt(kind, text, self._told))
        elif kind == "head":
            self._close()
            self._head(respelt(kind, text, self._told))
        elif kind == "open":
            self._braced = True
        elif kind == "close":
            if self._braced:
                self._braced = False
                self._close()
        elif kind == "prose":
            self._tell("prose", self._open.name if self._open else "", f"what is no IR is left out: {_short(text)}")
        elif kind == "left":
            function = self._body()
            if not (function.blocks and function.blocks[-1].ended):
                self._block().left = True
            self._tell("left-out", function.name, "an ellipsis leaves something out")
        elif kind == "label":
            self._label(respelt(kind, text, self._told)[:-1])
        else:
            self._body()
            self._line(respelt(kind, text, self._told))

    def _head(self, text: str) -> None:
        text = re.sub(r"(%[-\w$]+)\.\.\.", r"\1", text)
        if re.match(r"define @", text):
            text = f"define ? {text.removeprefix('define ')}"
        self._open = Function(text, [])
        self._names = dict.fromkeys(self._open.parameters, 1)
        if not re.search(r"\)[^()]*$", text):
            self._open.head += ")"
        self.functions.append(self._open)

    def _body(self) -> Function:
        """The function that stands open; a fragment has none, and gets one."""
        if self._open is None:
            name = f"listing.{self._fragments}" if self._fragments else "listing"
            self._fragments += 1
            self._open = Function(f"define ? @{name}()", [], fragment=True)
            self.functions.append(self._open)
            self._tell("fragment", name, "what is in no function is one of its own")
        return self._open

    def _block(self) -> Block:
        function = self._body()
        if not function.blocks:
            function.blocks.append(Block("%start" if function.fragment else "%entry"))
        elif function.blocks[-1].ended:
            function.blocks.append(Block(f"%behind.{len(function.blocks)}"))
        return function.blocks[-1]

    def _label(self, name: str) -> None:
        function = self._body()
        if f"%{name}" in [block.name for block in function.blocks]:
            if function.fragment:
                self._close()
                function = self._body()
            else:
                self._told("renamed", f"%{name} is the name of two blocks: the second is %{name}.again")
                name += ".again"
        function.blocks.append(Block(f"%{name}"))

    def _line(self, text: str) -> None:
        function, block = self._body(), self._block()
        name = defined(text)
        before = next((line for line in reversed(block.lines) if not RECORD.match(line)), "= phi")
        if re.search(r"= phi\b", text) and not re.search(r"= phi\b", before):
            self._told("block", f"{name} begins a block, since it is a phi")
            block = Block(f"%behind.{len(function.blocks)}")
            function.blocks.append(block)
        text = function.meant(text)
        if name and name in self._names:
            quote = '"' if name.endswith('"') else ""
            again = f"{name.removesuffix(quote)}.again{self._names[name]}{quote}"
            self._told("renamed", f"{name} is the name of two values: what is behind the second means that one")
            text = again + text[len(name) :]
            function.renamed[name] = again
        if name:
            self._names[name] = self._names.get(name, 0) + 1
        block.lines.append(text)

    def _close(self) -> None:
        function, self._open = self._open, None
        self._names = {}
        if function is None:
            return
        if self._braced:
            self._tell("brace", function.name, "the function is closed where another begins, or the listing ends")
        self._braced = False
        if not function.blocks:
            function.blocks.append(Block("%entry", left=True))


def _short(text: str) -> str:
    return text if len(text) < 60 else f"{text[:57]}..."
