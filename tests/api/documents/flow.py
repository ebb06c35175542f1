"""Complete control flow: missing blocks, terminators, labels and phi operands."""

from __future__ import annotations

import re
from collections import deque

from documents.body import TYPE, Block, Function, uses
from documents.coroutine import exit_lines, exits_of
from pycoro.upgrade.calls import Reporter
from pycoro.upgrade.statements import NAME

__all__ = ["complete_control_flow", "zero"]


def zero(kind: str) -> str:
    """Return the zero value of a type."""
    if kind.startswith("i"):
        return "0"
    return {"ptr": "null", "float": "0.0", "double": "0.0"}.get(kind, "zeroinitializer")


class _MissingBlocks:
    def __init__(self, function: Function, report: Reporter) -> None:
        self.function = function
        self.report = report
        self.way_out = ""
        self.cleanup = ""
        self.phied = dict[str, str]()
        """Blocks that phis name, and the first block of such a phi."""
        self.unwound = set[str]()
        """Unwind destinations of invokes."""
        self.left_pads = set[str]()
        """Unwind destinations of cleanuprets."""
        for block in function.blocks:
            for line in block.lines:
                if "= phi " in line:
                    for name in re.findall(rf", ({NAME}) \]", line):
                        self.phied.setdefault(name, block.name)
                elif found := re.search(rf"\b(invoke|cleanupret) .* unwind label ({NAME})$", line):
                    (self.unwound if found[1] == "invoke" else self.left_pads).add(found[2])

    # ---- Ends ----

    def return_line(self) -> str:
        gives = self.function.gives
        if gives == "void":
            return "ret void"
        handle = next((name for name in re.findall(rf"({NAME}) = [^\n]*@llvm\.coro\.begin", self.function.text())), "")
        if gives == "ptr" and handle:
            return f"ret ptr {handle}"
        self.report("left-out", self.function.name, f"its return value is not printed: {zero(gives)}")
        return f"ret {gives} {zero(gives)}"

    def find_exit_blocks(self) -> None:
        """Find the suspend and cleanup destinations of suspends."""
        if self.function.calls(r"llvm\.coro\.suspend"):
            self.way_out, self.cleanup = exits_of(self.function)

    def make_missing_block(self, name: str) -> Block:
        """Create a block that is named and not printed."""
        ends = exit_lines(self.function, "suspend")
        if name == self.way_out and ends is not None:
            self.report("block", self.function.name, f"{name} is not printed: it returns to the caller after llvm.coro.end")
            return Block(name, ends if ends[-1] == "unreachable" else [*ends, self.return_line()])
        if name == self.cleanup and (frees := exit_lines(self.function, "cleanup")) is not None:
            self.report("block", self.function.name, f"{name} is not printed: it frees the frame, and goes to {self.way_out}")
            return Block(name, [*frees, f"br label {self.way_out}"])
        if name in self.phied and not self.has_predecessor(name):
            self.report("block", self.function.name, f"{name} is not printed: it goes to {self.phied[name]}, whose phi names it")
            return Block(name, [f"br label {self.phied[name]}"])
        if name in self.left_pads:
            self.report("block", self.function.name, f"{name} is not printed: it is an empty cleanup that unwinds to the caller")
            pad = f"{name}.pad"
            return Block(name, [f"{pad} = cleanuppad within none []", f"cleanupret from {pad} unwind to caller"])
        if name in self.unwound:
            self.report("block", self.function.name, f"{name} is not printed: it is an empty cleanup that rethrows the exception")
            pad = f"{name}.pad"
            return Block(name, [f"{pad} = landingpad {{ ptr, i32 }} cleanup", f"resume {{ ptr, i32 }} {pad}"])
        if following := self.block_after_suspend(name):
            self.report(
                "block", self.function.name, f"{name} is not printed: it continues with the code printed after it, {following}"
            )
            return Block(name, [f"br label {following}"])
        if name == "%unreachable":
            self.report("block", self.function.name, "%unreachable is not printed: it is unreachable")
            return Block(name, ["unreachable"])
        if self.cleanup and self.cleanup not in self.blocks_that_reach(name):
            self.report("block", self.function.name, f"{name} is not printed: it goes to {self.cleanup}")
            return Block(name, [f"br label {self.cleanup}"])
        frees = exit_lines(self.function, "cleanup")
        if self.cleanup and frees is not None and not self.function.calls(r"llvm\.coro\.free"):
            self.report("block", self.function.name, f"{name} is not printed: it frees the frame, and goes to {self.way_out}")
            return Block(name, [*frees, f"br label {self.way_out}"])
        if self.cleanup:
            self.report("block", self.function.name, f"{name} is not printed: it goes to {self.way_out}")
            return Block(name, [f"br label {self.way_out}"])
        self.report("block", self.function.name, f"{name} is not printed: it returns")
        ended = re.search(r"@llvm\.coro\.end\([^)]*i1 false", self.function.text())
        return Block(name, [*(ends if ends is not None and not ended else []), self.return_line()])

    def block_after_suspend(self, name: str) -> str:
        """Return the block without a label that is printed after a suspend whose resume destination is not printed."""
        found = False
        for block in self.function.blocks:
            if found and block.name.startswith("%behind.") and not self.has_predecessor(block.name):
                return block.name
            found = found or (block.ended and f"i8 0, label {name} " in block.lines[-1])
        return ""

    def blocks_that_reach(self, name: str) -> set[str]:
        """Return the blocks that reach a block."""
        found, more = set[str](), {name}
        while more:
            found |= more
            more = {block.name for block in self.function.blocks if found & {*block.goes}} - found
        return found

    def has_predecessor(self, name: str) -> bool:
        return any(name in block.goes for block in self.function.blocks)

    def add_terminators(self) -> None:
        """Add terminators: branch to the next block, or exit."""
        blocks = self.function.blocks
        for block, following in zip(blocks, [*blocks[1:], None], strict=True):
            if block.ended:
                continue
            if following is not None:
                self.report("left-out", self.function.name, f"{block.name} has no terminator: it branches to {following.name}")
                block.lines.append(f"br label {following.name}")
                continue
            self.report("left-out", self.function.name, f"{block.name} has no terminator: it is the exit")
            ends = exit_lines(self.function, "suspend")
            if self.way_out and self.way_out != block.name:
                block.lines.append(f"br label {self.way_out}")
            elif ends is not None and not self.function.calls(r"llvm\.coro\.end(?:\.async)?"):
                block.lines += ends if ends[-1] == "unreachable" else [*ends, self.return_line()]
            else:
                block.lines.append(self.return_line())

    def add_missing_blocks(self) -> None:
        """Add missing blocks that are named."""
        there = {block.name for block in self.function.blocks}
        wanted = deque(name for block in self.function.blocks for name in block.goes)
        phis = deque(name for line in self.function.lines if "= phi " in line for name in re.findall(rf", ({NAME}) \]", line))
        while wanted or phis:
            name = (wanted or phis).popleft()
            if name not in there:
                there.add(name)
                self.function.blocks.append(self.make_missing_block(name))
                wanted += self.function.blocks[-1].goes

    # ---- Unreachable blocks ----

    def add_choice_switch(self) -> None:
        """Add a switch on a parameter to unreachable blocks: alternatives of a fragment, or code after an ellipsis."""
        blocks = self.function.blocks
        start = blocks[0]
        reached = {name for block in blocks for name in block.goes}
        lost = [block.name for block in blocks[1:] if block.name not in reached and not _is_pad(block)]
        left = [block for block in blocks if block.left and re.match(r"br label ", block.lines[-1])]
        if not lost or not (self.function.fragment or left):
            return
        at = start if self.function.fragment and re.match(r"br label ", start.lines[-1]) else left[0] if left else None
        if at is None:
            return
        first = at.goes[0]
        cases = " ".join(f"i32 {number}, label {name}" for number, name in enumerate(lost, 1))
        at.lines[-1] = f"switch i32 %choice, label {first} [ {cases} ]"
        self.report("choice", self.function.name, f"unreachable {', '.join(lost)}: %choice selects between them and {first}")

    def make_pad_reachable(self) -> None:
        """Make a leading landingpad or cleanuppad reachable by an invoke."""
        first = self.function.blocks[1] if len(self.function.blocks) > 1 else None
        block = self.function.blocks[0]
        if first is None or not _is_pad(first) or block.lines[-1] != f"br label {first.name}":
            return
        block.lines[-1] = f"invoke void @may_throw() to label %behind.throw unwind label {first.name}"
        self.function.blocks.insert(1, Block("%behind.throw", [f"br label {self.way_out or '%suspend'}"]))
        self.way_out = self.way_out or "%suspend"
        self.report("exception", self.function.name, f"{first.name} becomes the unwind destination of a call of @may_throw")

    # ---- Phis ----

    def complete_phis(self) -> None:
        """Give every phi one value per predecessor."""
        before: dict[str, list[str]] = {}
        for block in self.function.blocks:
            for name in dict.fromkeys(block.goes):
                before.setdefault(name, []).append(block.name)
        for block in self.function.blocks:
            for number, line in enumerate(block.lines):
                found = re.match(rf"({NAME} = phi ({TYPE})) (\[.*)$", line)
                if not found:
                    continue
                pairs = re.findall(rf"\[ *([^,\]]+?) *, *({NAME}) *\]", found[3])
                comes = before.get(block.name, [])
                valid = [pair for pair in pairs if pair[1] in comes]
                added = [(zero(found[2]), name) for name in comes if name not in [pair[1] for pair in pairs]]
                if valid == pairs and not added:
                    continue
                what = ", ".join([*(f"{name} is not a predecessor" for _, name in pairs if name not in comes)])
                what = ", ".join(filter(None, [what, *(f"from {name} it is {value}" for value, name in added)]))
                self.report("phi", self.function.name, f"the phi of {line.split()[0]}: {what}")
                block.lines[number] = f"{found[1]} " + ", ".join(f"[ {value}, {name} ]" for value, name in [*valid, *added])


def _is_pad(block: Block) -> bool:
    return any("= cleanuppad " in line or "= landingpad " in line for line in block.lines)


def complete_control_flow(function: Function, report: Reporter) -> None:
    """Complete the control flow of a function: terminators, missing blocks and phi operands."""
    flow = _MissingBlocks(function, report)
    flow.find_exit_blocks()
    flow.add_terminators()
    flow.make_pad_reachable()
    flow.add_missing_blocks()
    flow.add_choice_switch()
    flow.complete_phis()
    personality = "__CxxFrameHandler3" if "cleanuppad" in function.text() else "__gxx_personality_v0"
    if re.search(r"^  (?:resume \{|\S+ = cleanuppad)", function.text(), re.MULTILINE) and "personality" not in function.head:
        function.head += f" personality ptr @{personality}"
        report("exception", function.name, f"it gets the personality @{personality}, because it unwinds")


def result_of(function: Function, coroutine: bool) -> str:
    """Return the result type of a function without a head, from its returns or as a coroutine's handle."""
    for line in function.lines:
        if found := re.match(r"ret (void|\S+|\{[^}]*\}) ?", line):
            used = [use.type for use in uses(line)]
            return used[0] if used else found[1]
    return "ptr" if coroutine else "void"
