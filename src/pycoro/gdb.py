"""Coroutines in gdb: ``coro frame``, ``coro list``, ``coro bt``, in programs lowered by pycoro or by clang.

``gdb -x "$(python -m pycoro.gdb)" program`` starts gdb with the commands; ``source`` in a gdb that runs takes the same file. gdb's
own Python reads it, which need not have pycoro. It goes by what both lowerings leave in the program: the two functions that a frame
begins with, and the debug information of ``__coro_frame`` and of the labels where control comes back.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["main"]

WORD = 8
WINDOW = 512
"""Bytes that are searched behind a pointer whose type does not tell."""
STEPS = 3
"""Pointers that are followed from a variable to a coroutine."""
MOST = 4096
"""Places that are searched in all."""
HEADER = ("__resume_fn", "__destroy_fn", "__coro_index")

gdb: Any = sys.modules.get("gdb")  # there in gdb, and nowhere else


class Part(NamedTuple):
    """A function that a coroutine was split into."""

    base: str
    """The linkage name of the coroutine."""
    what: str
    """``resume``, ``destroy`` or ``cleanup``."""
    name: str
    """As people call it."""
    block: Any
    """gdb's block of it; None without debug information."""


class Frame(NamedTuple):
    """A coroutine's frame in memory."""

    address: int
    part: Part
    """That its second word names."""
    done: bool


_parts: dict[int, Part | None] = {}


def word_at(address: int) -> int | None:
    """None where no memory is."""
    try:
        return int.from_bytes(gdb.selected_inferior().read_memory(address, WORD).tobytes(), "little")
    except (gdb.MemoryError, gdb.error, OverflowError):
        return None


def _symbol(address: int) -> tuple[str, Any]:
    """The linkage name of the function that begins there, and its block; the name is empty where none does."""
    block = gdb.block_for_pc(address)
    while block is not None and block.function is None:
        block = block.superblock
    if block is not None and block.start == address:
        return block.function.linkage_name or "", block
    with gdb.with_parameter("print demangle", False):
        said = re.match(r"(\S+) in section ", gdb.execute(f"info symbol {address:#x}", to_string=True))
    return (said[1] if said else ""), None


def part_at(address: int) -> Part | None:
    """The part of a coroutine whose code begins there."""
    if address not in _parts:
        name, block = _symbol(address) if address else ("", None)
        found = re.fullmatch(r"(.+)\.(resume|destroy|cleanup)", name)
        _parts[address] = Part(found[1], found[2], _readable(found[1], block), block) if found else None
    return _parts[address]


def _readable(base: str, block: Any) -> str:
    name = str(block.function.name if block is not None else _demangled(base))
    return re.sub(r" \[clone [^\]]*\]$|\.(resume|destroy|cleanup)$", "", name)


def _demangled(name: str) -> str:
    try:
        return str(gdb.execute(f"demangle {name}", to_string=True)).strip() or name
    except gdb.error:
        return name


def frame_at(address: int) -> Frame | None:
    """The frame there: two words that name parts of one coroutine, of which the first is null where it is done."""
    if not address or address % WORD:
        return None
    destroy = word_at(address + WORD)
    part = part_at(destroy) if destroy else None
    if part is None or part.what == "resume":
        return None
    resume = word_at(address)
    other = part_at(resume) if resume else None
    if resume and (other is None or other.base != part.base or other.what != "resume"):
        return None
    return Frame(address, part, not resume)


# ---- what debug information tells ----


def _block_of(frame: Frame) -> Any:
    resume = word_at(frame.address)
    part = part_at(resume) if resume else None
    return part.block if part is not None and part.block is not None else frame.part.block


def layout_of(frame: Frame) -> Any:
    """The type of ``__coro_frame``; None without debug information."""
    block = _block_of(frame)
    symbol = gdb.lookup_symbol("__coro_frame", block)[0] if block is not None else None
    return symbol.type.strip_typedefs() if symbol is not None else None


def _blocks(function: Any) -> Iterator[Any]:
    """The block of a function, and those in it that code is of."""
    seen: set[tuple[int, int]] = set()
    yield function
    for line in function.function.symtab.linetable():
        if function.start <= line.pc < function.end:
            block = gdb.block_for_pc(line.pc)
            if block is not None and (block.start, block.end) not in seen:
                seen.add((block.start, block.end))
                yield block


def place_of(frame: Frame, index: int) -> str:
    """Where the suspend of this index is in the source, as ``a.cpp:12``; empty where debug information does not say."""
    function = _block_of(frame)
    if function is None:
        return ""
    for block in _blocks(function):
        label = gdb.lookup_symbol(f"__coro_resume_{index}", block, gdb.SYMBOL_LABEL_DOMAIN)[0]
        if label is not None and label.line:
            return f"{label.symtab.filename.rpartition('/')[2]}:{label.line}"
    return ""


def value_of(frame: Frame) -> Any:
    """The frame as a value of gdb's; None without debug information."""
    layout = layout_of(frame)
    return gdb.Value(frame.address).cast(layout.pointer()).dereference() if layout is not None else None


def state_of(frame: Frame, running: Any = None) -> str:
    """ "suspended at a.cpp:12 (suspend 1)"."""
    if running is not None:
        return f"running, at {running}"
    if frame.done:
        return "done, at its final suspend"
    value = value_of(frame)
    if value is None:
        return "suspended; no debug information tells where"
    names = [field.name for field in value.type.fields()]
    index = int(value["__coro_index"]) if "__coro_index" in names else 0
    place = place_of(frame, index)
    return f"suspended at {place} (suspend {index})" if place else f"suspended at suspend {index}"


# ---- what is meant ----


def _stands_in(selected: Any) -> Frame | None:
    """The coroutine that a stack frame is of."""
    try:
        value = selected.read_var("__coro_frame")
        return frame_at(int(value.address)) if value.address is not None else None
    except (ValueError, gdb.error):
        return None


def _running() -> dict[int, Any]:
    """Where those are that are on the stack, by address: the innermost stack frame of each."""
    found: dict[int, Any] = {}
    stack = gdb.newest_frame()
    while stack is not None:
        frame = _stands_in(stack)
        function = stack.function()
        if frame is not None and function is not None and re.search(r"resume|destroy|cleanup", function.linkage_name or ""):
            line = stack.find_sal()
            place = f"{line.symtab.filename.rpartition('/')[2]}:{line.line}" if line.symtab else f"{stack.pc():#x}"
            found.setdefault(frame.address, place)
        stack = stack.older()
    return found


def _words(data: bytes) -> Iterator[int]:
    for at in range(0, len(data) - WORD + 1, WORD):
        yield int.from_bytes(data[at : at + WORD], "little")


def _bytes(value: Any) -> bytes:
    """Of a value, in memory or in registers; of a struct that the optimiser has taken apart, of its members."""
    try:
        if value.address is not None:
            return bytes(gdb.selected_inferior().read_memory(int(value.address), min(value.type.sizeof, WINDOW)).tobytes())
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
            return b"".join(_bytes(value[field]) for field in value.type.strip_typedefs().fields() if hasattr(field, "bitpos"))
        return int(value).to_bytes(WORD, "little", signed=int(value) < 0)
    except (gdb.MemoryError, gdb.error, OverflowError, TypeError, ValueError):
        return b""


def meant(text: str) -> Frame:
    """The coroutine that an expression names: its address, its handle, or what holds its handle. Without one, where gdb stands."""
    if not text:
        stack = gdb.selected_frame()
        while stack is not None:
            frame = _stands_in(stack)
            if frame is not None:
                return frame
            stack = stack.older()
        raise gdb.GdbError("no coroutine is on the stack: name one, as in 'coro frame handle'")
    value = gdb.parse_and_eval(text)
    if value.is_optimized_out:
        raise gdb.GdbError(f"{text} was optimised out here: give the address, which 'coro list' prints")
    kind = value.type.strip_typedefs().code
    candidates = [int(value)] if kind in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR) else []
    found = next(filter(None, map(frame_at, [*candidates, *_words(_bytes(value))])), None)
    if found is None and kind == gdb.TYPE_CODE_PTR:
        found = next(filter(None, map(frame_at, _words(_window(int(value))))), None)
    if found is None:
        raise gdb.GdbError(f"{text} is no handle of a coroutine, and holds none")
    return found


def _window(address: int) -> bytes:
    """What is behind a pointer, as far as there is memory."""
    for size in (WINDOW, WORD * 4, WORD):
        try:
            return bytes(gdb.selected_inferior().read_memory(address, size).tobytes())
        except (gdb.MemoryError, gdb.error, OverflowError):
            continue
    return b""


def _variables() -> Iterator[Any]:
    """Those of all stack frames, then those of the files that these are in."""
    outer: dict[int, Any] = {}
    stack = gdb.newest_frame()
    while stack is not None:
        try:
            block = stack.block()
        except RuntimeError:
            block = None
        while block is not None and not block.is_global:
            for symbol in block:
                if (symbol.is_variable or symbol.is_argument) and not block.is_static:
                    yield _read(lambda symbol=symbol, stack=stack: symbol.value(stack))
            if block.is_static:
                outer[block.start] = block
                outer[block.global_block.start + 1] = block.global_block
            block = block.superblock
        stack = stack.older()
    for block in outer.values():
        for symbol in block:
            if symbol.is_variable:
                yield _read(symbol.value)


def _read(read: Any) -> Any:
    try:
        return read()
    except (gdb.error, ValueError, TypeError):
        return None


def reachable() -> list[Frame]:
    """The coroutines whose handles are found behind the variables, pointer by pointer."""
    found: dict[int, Frame] = {}
    seen: set[int] = set()
    todo = [(word, STEPS) for value in _variables() if value is not None for word in _words(_bytes(value))]
    while todo and len(seen) < MOST:
        word, steps = todo.pop(0)
        if word in seen or word < WINDOW:
            continue
        seen.add(word)
        frame = frame_at(word)
        if frame is not None:
            found[word] = frame
            layout = layout_of(frame)
            size = layout.sizeof if layout is not None else WINDOW
            data = _read(lambda word=word, size=size: gdb.selected_inferior().read_memory(word, size).tobytes()) or b""
            todo += [(other, STEPS) for other in _words(data)]
        elif steps and word_at(word) is not None and part_at(word) is None:
            todo += [(other, steps - 1) for other in _words(_window(word))]
    return list(found.values())


def _promise(layout: Any) -> str | None:
    """The member that is the promise: optimised code names it after its type, but it stands right behind the two functions."""
    fields = layout.fields()
    if any(field.name == "__promise" for field in fields):
        return "__promise"
    behind = [field for field in fields if field.name not in HEADER[:2]]
    first = min(behind, key=lambda field: field.bitpos, default=None)
    return None if first is None or first.name in HEADER else str(first.name)


def awaiting(frame: Frame) -> Frame | None:
    """Who waits for it: the first other coroutine whose handle its promise holds."""
    value, data = value_of(frame), b""
    if value is None:
        data = _window(frame.address + 2 * WORD)[: 8 * WORD]
    elif (name := _promise(value.type)) is not None:
        data = _bytes(value[name])
    others = (frame_at(word) for word in _words(data) if word != frame.address)
    return next(filter(None, others), None)


# ---- commands ----


def _line(frame: Frame, running: dict[int, Any]) -> str:
    return f"{frame.part.name} at {frame.address:#x}, {state_of(frame, running.get(frame.address))}"


def show_frame(text: str) -> None:
    frame = meant(text)
    print(_line(frame, _running()))
    value = value_of(frame)
    if value is None:
        print("  no debug information tells what is in its frame")
        return
    for field in value.type.fields():
        if field.name not in HEADER:
            print(f"  {field.name} = {_read(value[field.name].format_string)}")


def show_list(text: str) -> None:
    if text:
        raise gdb.GdbError("coro list takes no arguments")
    running = _running()
    frames = {frame.address: frame for frame in [*(frame_at(address) for address in running), *reachable()] if frame is not None}
    for frame in frames.values():
        print(_line(frame, running))
    if not frames:
        print("no coroutine is found behind the variables of the stack")


def show_chain(text: str) -> None:
    running = _running()
    frame: Frame | None = meant(text)
    seen: set[int] = set()
    while frame is not None and frame.address not in seen:
        print(f"#{len(seen)}  {_line(frame, running)}")
        seen.add(frame.address)
        frame = awaiting(frame)
    if frame is not None:
        print(f"#{len(seen)}  {frame.part.name} again: they wait for each other")


COMMANDS = {
    "coro frame": (
        show_frame,
        "The frame of a coroutine, field by field: coro frame [HANDLE]. Without a handle, of where gdb stands.",
    ),
    "coro list": (show_list, "The coroutines that run, and those whose handles are found behind the variables of the stack."),
    "coro bt": (show_chain, "A coroutine, and who waits for it, and so on, by the handles in their promises: coro bt [HANDLE]."),
}


def _define(name: str, run: Any, doc: str, prefix: bool) -> None:
    def invoke(_: Any, text: str, from_tty: bool) -> None:
        _parts.clear()  # a program that was built anew has its code elsewhere
        if run is None:
            gdb.execute("help coro")
            return
        try:
            run(text.strip())
        except gdb.error as error:
            raise gdb.GdbError(str(error)) from None

    kind = gdb.COMMAND_STACK
    type("Command", (gdb.Command,), {"__doc__": doc, "invoke": invoke})(name, kind, gdb.COMPLETE_EXPRESSION, prefix)


def main() -> None:
    """In gdb, defines the commands; elsewhere, prints where the script is that gdb reads.

    >>> from pycoro import gdb
    >>> gdb.main()
    /...gdb.py
    """
    if gdb is None:
        print(__file__)
        return
    _define("coro", None, "Coroutines: coro frame, coro list, coro bt.", prefix=True)
    for name, (run, doc) in COMMANDS.items():
        _define(name, run, doc, prefix=False)


if __name__ == "__main__":
    gdb = gdb or (importlib.import_module("gdb") if "gdb" in sys.builtin_module_names else None)
    main()
