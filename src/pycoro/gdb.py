"""gdb commands for coroutines: ``coro frame``, ``coro list``, ``coro bt``, in programs lowered by pycoro or by clang.

``gdb -x "$(python -m pycoro.gdb)" program`` starts gdb with the commands; in a running gdb, use ``source`` with that file.
gdb's own Python runs the file and does not need pycoro. The commands rely on what both lowerings emit: the resume and destroy
pointers at the start of a frame, and the debug information of ``__coro_frame`` and of the resume labels.
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
"""Number of bytes searched after a pointer to an unknown type."""
STEPS = 3
"""Number of pointers followed from a variable to a coroutine."""
MOST = 4096
"""Maximum number of addresses searched."""
HEADER = ("__resume_fn", "__destroy_fn", "__coro_index")
LIMITED = re.compile(r"(.+)__(?:suspend_(\d+)|before_final)")
"""Name of a member that is the variable only at one suspend, or at all but the final one."""

gdb: Any = sys.modules.get("gdb")  # None outside gdb


class Clone(NamedTuple):
    """Clone of a coroutine."""

    base: str
    """Linkage name of the coroutine."""
    what: str
    """``resume``, ``destroy`` or ``cleanup``."""
    name: str
    """Demangled name."""
    block: Any
    """gdb's block of the function; None without debug information."""


class Frame(NamedTuple):
    """Coroutine frame in the program's memory."""

    address: int
    clone: Clone
    """Clone that the second word of the frame points to."""
    done: bool


_clones: dict[int, Clone | None] = {}


def word_at(address: int) -> int | None:
    """Read a word; None if the memory is not mapped."""
    try:
        return int.from_bytes(gdb.selected_inferior().read_memory(address, WORD).tobytes(), "little")
    except (gdb.MemoryError, gdb.error, OverflowError):
        return None


def _linkage_name_and_block_of_function_at(address: int) -> tuple[str, Any]:
    """Return the linkage name and block of the function that starts at an address; an empty name if none does."""
    inner, block = gdb.block_for_pc(address), None
    while inner is not None:  # the outermost function; the others are inlined, some at the same address
        block = inner if inner.function is not None else block
        inner = inner.superblock
    if block is not None and block.start == address:
        return block.function.linkage_name or "", block
    with gdb.with_parameter("print demangle", False):
        symbol = re.match(r"(\S+) in section ", gdb.execute(f"info symbol {address:#x}", to_string=True))
    return (symbol[1] if symbol else ""), None


def clone_at_address(address: int) -> Clone | None:
    """Return the clone at an address."""
    if address not in _clones:
        name, block = _linkage_name_and_block_of_function_at(address) if address else ("", None)
        found = re.fullmatch(r"(.+)\.(resume|destroy|cleanup)", name)
        _clones[address] = Clone(found[1], found[2], _readable_name(found[1], block), block) if found else None
    return _clones[address]


def _readable_name(base: str, block: Any) -> str:
    name = str(block.function.name if block is not None else _demangle_or_same(base))
    return re.sub(r" \[clone [^\]]*\]$|\.(resume|destroy|cleanup)$", "", name)


def _demangle_or_same(name: str) -> str:
    try:
        return str(gdb.execute(f"demangle {name}", to_string=True)).strip() or name
    except gdb.error:
        return name


def frame_at(address: int) -> Frame | None:
    """Return the frame at an address: its first two words point to clones of one coroutine; the first is null if it is done."""
    if not address or address % WORD:
        return None
    destroy = word_at(address + WORD)
    clone = clone_at_address(destroy) if destroy else None
    if clone is None or clone.what == "resume":
        return None
    resume = word_at(address)
    other = clone_at_address(resume) if resume else None
    if resume and (other is None or other.base != clone.base or other.what != "resume"):
        return None
    return Frame(address, clone, not resume)


# ---- Debug information ----


def _block_of_resume_or_destroy(frame: Frame) -> Any:
    resume = word_at(frame.address)
    clone = clone_at_address(resume) if resume else None
    return clone.block if clone is not None and clone.block is not None else frame.clone.block


def _block_of_destroy_by_name(frame: Frame) -> Any:
    """Return the block of ``f.destroy``: optimized code keeps no debug information in an empty ``f.cleanup``."""
    address = _result_or_none(lambda: int(gdb.parse_and_eval(f"(long)&'{frame.clone.base}.destroy'")))
    clone = clone_at_address(address) if address else None
    return clone.block if clone is not None else None


def frame_type_or_none(frame: Frame) -> Any:
    """Return the type of ``__coro_frame``; None without debug information."""
    for find in (_block_of_resume_or_destroy, _block_of_destroy_by_name):
        block = find(frame)
        symbol = gdb.lookup_symbol("__coro_frame", block)[0] if block is not None else None
        if symbol is not None:
            return symbol.type.strip_typedefs()
    return None


def _lexical_blocks_with_code(function: Any) -> Iterator[Any]:
    """Yield the block of a function and the nested blocks that contain code."""
    seen: set[tuple[int, int]] = set()
    yield function
    for line in function.function.symtab.linetable():
        if function.start <= line.pc < function.end:
            block = gdb.block_for_pc(line.pc)
            if block is not None and (block.start, block.end) not in seen:
                seen.add((block.start, block.end))
                yield block


def location_of_suspend_index(frame: Frame, index: int) -> str:
    """Return the source location of a suspend index as ``a.cpp:12``; empty if debug information does not have it."""
    function = _block_of_resume_or_destroy(frame)
    if function is None:
        return ""
    for block in _lexical_blocks_with_code(function):
        label = gdb.lookup_symbol(f"__coro_resume_{index}", block, gdb.SYMBOL_LABEL_DOMAIN)[0]
        if label is not None and label.line:
            return f"{label.symtab.filename.rpartition('/')[2]}:{label.line}"
    return ""


def value_of_frame_or_none(frame: Frame) -> Any:
    """Return the frame as a gdb value; None without debug information."""
    layout = frame_type_or_none(frame)
    return gdb.Value(frame.address).cast(layout.pointer()).dereference() if layout is not None else None


def suspend_index_or_zero_if_single(value: Any) -> int:
    """Return the suspend index in a frame; 0 if a single suspend needs none."""
    return int(value["__coro_index"]) if any(field.name == "__coro_index" for field in value.type.fields()) else 0


def valid_members_of_frame(frame: Frame, stack: Any = None) -> Iterator[tuple[str, Any]]:
    """Yield names and values of the members that are valid now. `stack` is the stack frame of a running coroutine: its local
    variables may have newer values than the frame."""
    value = value_of_frame_or_none(frame)
    index = None if frame.done or stack is not None else suspend_index_or_zero_if_single(value)
    for field in value.type.fields():
        limited = LIMITED.fullmatch(field.name)
        if field.name in HEADER or (limited and (index is None or int(limited[2] or index) != index)):
            continue
        name = limited[1] if limited else field.name
        current = None
        if stack is not None and not name.startswith("__"):
            symbol = gdb.lookup_symbol(name, stack.block())[0]
            if symbol is not None and symbol.needs_frame:  # the field of an elided child is named as its function
                current = _result_or_none(lambda symbol=symbol: symbol.value(stack))
        yield name, value[field.name] if current is None else current


def state_text_of(frame: Frame, running: Any = None) -> str:
    """Return the state in words, such as "suspended at a.cpp:12 (suspend 1)"; `running` is the coroutine's stack frame."""
    if running is not None:
        line = running.find_sal()
        place = f"{line.symtab.filename.rpartition('/')[2]}:{line.line}" if line.symtab else f"{running.pc():#x}"
        return f"running, at {place}"
    if frame.done:
        return "done, at its final suspend"
    value = value_of_frame_or_none(frame)
    if value is None:
        return "suspended at an unknown place (no debug information)"
    index = suspend_index_or_zero_if_single(value)
    place = location_of_suspend_index(frame, index)
    return f"suspended at {place} (suspend {index})" if place else f"suspended at suspend {index}"


# ---- Finding coroutines ----


def _coroutine_of_stack_frame(selected: Any) -> Frame | None:
    """Return the coroutine that a stack frame belongs to."""
    try:
        value = selected.read_var("__coro_frame")
        return frame_at(int(value.address)) if value.address is not None else None
    except (ValueError, gdb.error):
        return None


def _innermost_stack_frames_by_coroutine() -> dict[int, Any]:
    """Return the innermost stack frame of each running coroutine by frame address."""
    found: dict[int, Any] = {}
    stack = gdb.newest_frame()
    while stack is not None:
        frame = _coroutine_of_stack_frame(stack)
        function = stack.function()
        if frame is not None and function is not None and re.search(r"resume|destroy|cleanup", function.linkage_name or ""):
            found.setdefault(frame.address, stack)
        stack = stack.older()
    return found


def _pointer_words(data: bytes) -> Iterator[int]:
    for at in range(0, len(data) - WORD + 1, WORD):
        yield int.from_bytes(data[at : at + WORD], "little")


def _value_bytes(value: Any) -> bytes:
    """Return the bytes of a value in memory or registers; for a struct split by the optimizer, the bytes of its members."""
    try:
        if value.address is not None:
            return bytes(gdb.selected_inferior().read_memory(int(value.address), min(value.type.sizeof, WINDOW)).tobytes())
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
            return b"".join(
                _value_bytes(value[field]) for field in value.type.strip_typedefs().fields() if hasattr(field, "bitpos")
            )
        return int(value).to_bytes(WORD, "little", signed=int(value) < 0)
    except (gdb.MemoryError, gdb.error, OverflowError, TypeError, ValueError):
        return b""


def coroutine_of_expression_or_stack(text: str) -> Frame:
    """Return the coroutine for an expression: the address of a frame, a handle, or an object with a handle. An empty expression
    selects the innermost coroutine from the selected stack frame outwards."""
    if not text:
        stack = gdb.selected_frame()
        while stack is not None:
            frame = _coroutine_of_stack_frame(stack)
            if frame is not None:
                return frame
            stack = stack.older()
        raise gdb.GdbError("no coroutine is on the stack; name one, as in 'coro frame handle'")
    value = gdb.parse_and_eval(text)
    if value.is_optimized_out:
        raise gdb.GdbError(f"{text} is optimized out here; use the address that 'coro list' prints")
    kind = value.type.strip_typedefs().code
    candidates = [int(value)] if kind in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR) else []
    found = next(filter(None, map(frame_at, [*candidates, *_pointer_words(_value_bytes(value))])), None)
    if found is None and kind == gdb.TYPE_CODE_PTR:
        found = next(filter(None, map(frame_at, _pointer_words(_read_up_to_window_from(int(value))))), None)
    if found is None:
        raise gdb.GdbError(f"{text} is not a coroutine handle and contains none")
    return found


def _read_up_to_window_from(address: int) -> bytes:
    """Read the memory from an address on, as far as it is mapped."""
    for size in (WINDOW, WORD * 4, WORD):
        try:
            return bytes(gdb.selected_inferior().read_memory(address, size).tobytes())
        except (gdb.MemoryError, gdb.error, OverflowError):
            continue
    return b""


def _values_of_visible_variables() -> Iterator[Any]:
    """Yield the variables' values, None if unreadable: of all stack frames, then of the files that these are in."""
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
                    yield _result_or_none(lambda symbol=symbol, stack=stack: symbol.value(stack))
            if block.is_static:
                outer[block.start] = block
                outer[block.global_block.start + 1] = block.global_block
            block = block.superblock
        stack = stack.older()
    for block in outer.values():
        for symbol in block:
            if symbol.is_variable:
                yield _result_or_none(symbol.value)


def _result_or_none(read: Any) -> Any:
    try:
        return read()
    except (gdb.error, ValueError, TypeError):
        return None


def reachable_coroutines() -> list[Frame]:
    """Return the coroutines with handles reachable from variables through at most `STEPS` pointers."""
    found: dict[int, Frame] = {}
    seen: set[int] = set()
    todo = [
        (word, STEPS)
        for value in _values_of_visible_variables()
        if value is not None
        for word in _pointer_words(_value_bytes(value))
    ]
    while todo and len(seen) < MOST:
        word, steps = todo.pop(0)
        if word in seen or word < WINDOW:
            continue
        seen.add(word)
        frame = frame_at(word)
        if frame is not None:
            found[word] = frame
            layout = frame_type_or_none(frame)
            size = layout.sizeof if layout is not None else WINDOW
            data = _result_or_none(lambda word=word, size=size: gdb.selected_inferior().read_memory(word, size).tobytes()) or b""
            todo += [(other, STEPS) for other in _pointer_words(data)]
        elif steps and word_at(word) is not None and clone_at_address(word) is None:
            todo += [(other, steps - 1) for other in _pointer_words(_read_up_to_window_from(word))]
    return list(found.values())


def _promise_member(layout: Any) -> str | None:
    """Return the member that is the promise. Optimized code names it after its type, but it directly follows the two pointers."""
    fields = layout.fields()
    if any(field.name == "__promise" for field in fields):
        return "__promise"
    others = [field for field in fields if field.name not in HEADER[:2]]
    first = min(others, key=lambda field: field.bitpos, default=None)
    return None if first is None or first.name in HEADER else str(first.name)


def awaiter_of(frame: Frame) -> Frame | None:
    """Return the coroutine that awaits this one: the first other coroutine with a handle in its promise."""
    value, data = value_of_frame_or_none(frame), b""
    if value is None:
        data = _read_up_to_window_from(frame.address + 2 * WORD)[: 8 * WORD]
    elif (name := _promise_member(value.type)) is not None:
        data = _value_bytes(value[name])
    others = (frame_at(word) for word in _pointer_words(data) if word != frame.address)
    return next(filter(None, others), None)


# ---- commands ----


def _coroutine_frame_line(frame: Frame, stack_frames: dict[int, Any]) -> str:
    return f"{frame.clone.name} at {frame.address:#x}, {state_text_of(frame, stack_frames.get(frame.address))}"


def show_frame(text: str) -> None:
    frame, running = coroutine_of_expression_or_stack(text), _innermost_stack_frames_by_coroutine()
    print(_coroutine_frame_line(frame, running))
    if frame_type_or_none(frame) is None:
        print("  its fields are unknown (no debug information)")
        return
    for name, value in valid_members_of_frame(frame, running.get(frame.address)):
        print(f"  {name} = {_result_or_none(value.format_string)}")


def show_list(text: str) -> None:
    if text:
        raise gdb.GdbError("coro list takes no arguments")
    running = _innermost_stack_frames_by_coroutine()
    frames = {
        frame.address: frame
        for frame in [*(frame_at(address) for address in running), *reachable_coroutines()]
        if frame is not None
    }
    for frame in frames.values():
        print(_coroutine_frame_line(frame, running))
    if not frames:
        print("no coroutine is reachable from the variables on the stack")


def show_backtrace_of_awaiters(text: str) -> None:
    running = _innermost_stack_frames_by_coroutine()
    frame: Frame | None = coroutine_of_expression_or_stack(text)
    seen: set[int] = set()
    while frame is not None and frame.address not in seen:
        print(f"#{len(seen)}  {_coroutine_frame_line(frame, running)}")
        seen.add(frame.address)
        frame = awaiter_of(frame)
    if frame is not None:
        print(f"#{len(seen)}  {frame.clone.name} again: the coroutines await each other in a cycle")


COMMANDS = {
    "coro frame": (
        show_frame,
        "Print the fields of a coroutine frame: coro frame [HANDLE]. Without a handle, of the selected stack frame's coroutine.",
    ),
    "coro list": (show_list, "List the running coroutines and those whose handles are reachable from variables on the stack."),
    "coro bt": (
        show_backtrace_of_awaiters,
        "Print a coroutine and those that await it, by the handles in their promises: coro bt [HANDLE].",
    ),
}


def _define_command(name: str, run: Any, doc: str, prefix: bool) -> None:
    def invoke(_: Any, text: str, from_tty: bool) -> None:
        _clones.clear()  # a rebuilt program has other addresses
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
    """Define the commands in gdb; elsewhere, print the path of this script for gdb.

    >>> from pycoro import gdb
    >>> gdb.main()
    /...gdb.py
    """
    if gdb is None:
        print(__file__)
        return
    _define_command("coro", None, "Coroutines: coro frame, coro list, coro bt.", prefix=True)
    for name, (run, doc) in COMMANDS.items():
        _define_command(name, run, doc, prefix=False)


if __name__ == "__main__":
    gdb = gdb or (importlib.import_module("gdb") if "gdb" in sys.builtin_module_names else None)
    main()
