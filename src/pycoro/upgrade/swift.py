"""Convert the coroutine intrinsics of Swift's LLVM, which LLVM since 23 has in part, to those of LLVM 22.

Type ids of allocations become operand bundles, memory for frames of callees becomes an attribute of the call, and the calling
convention ``swiftcorocc`` becomes ``swiftcc`` with a function attribute of the same name."""

from __future__ import annotations

import re

from pycoro._dialect import KEYWORD_END, KEYWORD_START, is_text_of_swift_llvm
from pycoro._ir_syntax import WORD
from pycoro.upgrade.calls import Call, Reporter, position_of_first_function_attribute, replace_calls_inside_functions
from pycoro.upgrade.tokens import index_after_closing_bracket

__all__ = ["convert_swift_dialect", "describe_unexpected_operand"]

_INTEGER = re.compile(
    r"(?P<type>i\d+)\s+(?:(?:noundef|signext|zeroext|noext|inreg|range\s*\([^()]*\))\s+)*(?P<value>\S+|\w+\s+\(.*\))", re.DOTALL
)
"""Integer operand with its parameter attributes, which an operand bundle cannot have."""
_ATTRIBUTE = r'#\d+|"[^"]*"(?:="[^"]*")?|[a-z_]\w*(?:\([^)]*\))?'
_SUFFIX = re.compile(rf"(?P<attributes>(?:\s+(?:{_ATTRIBUTE}))*)(?P<bundles>\s*\[\s*)?(?P<rest>.*)", re.DOTALL)
_CONVENTION = re.compile(f"{KEYWORD_START}swiftcorocc{KEYWORD_END}")
_PARAMETER = re.compile(f"{KEYWORD_START}swiftcoro{KEYWORD_END}[ \\t]*")
_DECLARED = re.compile(
    r"^declare\b[^@\n]*@llvm\.(?:ret\.popless\s*\(|coro\.(?:alloca\.(?:alloc|free)|id\.retcon(?:\.once)?\s*\([^\n]*\.\.\.\s*\)))[^\n]*\n?",
    re.MULTILINE,
)
_ID, _ID_OPERANDS = r"llvm\.coro\.id\.retcon(?:\.once)?", 6
_ALLOCATION, _ALLOCATION_OPERANDS = r"llvm\.coro\.alloca\.alloc[.\w]*", 2
"""Pattern of an intrinsic, and the number of its operands in LLVM 22. Swift's LLVM may add a type id."""
TYPE_ID = "coro-type-id"
CALLEE_FRAME = "coro-callee-frame"


def _type_id_operand_or_empty(call: Call, count: int) -> str:
    """Return the integer after the operands that LLVM 22's intrinsic has, without attributes; empty if there is none."""
    added = call.arguments[count:]
    found = _INTEGER.fullmatch(added[0]) if len(added) == 1 else None
    return f"{found['type']} {found['value']}" if found else ""


def _describe_unexpected_operand(call: Call, count: int) -> str:
    """Return which operand is neither one of LLVM 22's intrinsic nor a type id, and the fix; empty if there is none."""
    added = call.arguments[count:]
    if not added or _type_id_operand_or_empty(call, count):
        return ""
    if _INTEGER.fullmatch(added[0]):
        return f"remove the operand {added[1]}: @{call.name} has one type id at most, and {added[0]} is one"
    return f"remove the operand {added[0]}, or pass a type id, which is an integer, as operand {count + 1} of @{call.name}"


def _add_type_id_bundle(suffix: str, operand: str) -> str:
    """Add the operand bundle of a type id after the attributes of a call, before its other bundles."""
    bundle = f'"{TYPE_ID}"({operand})'
    found = _SUFFIX.match(suffix)
    assert found is not None
    end = ", " if found["bundles"] else " ]"
    return f"{found['attributes']} [ {bundle}{end}{found['rest']}"


class _Dialect:
    """Conversion of one module."""

    def __init__(self, text: str, report: Reporter) -> None:
        self.text = text
        self.report = report

    def convert_calls(self) -> None:
        self.text = replace_calls_inside_functions(self.text, _ID, self.convert_id)
        self.text = replace_calls_inside_functions(self.text, _ALLOCATION, self.convert_allocation)
        self.text = replace_calls_inside_functions(self.text, r"llvm\.coro\.alloca\.free\.frame", self.convert_free_frame)
        self.text = replace_calls_inside_functions(self.text, r"llvm\.ret\.popless", self.replace_ret_popless_by_trap)

    def convert_id(self, call: Call) -> str | None:
        variadic = call.type.endswith("...)")
        type_id = _type_id_operand_or_empty(call, _ID_OPERANDS)
        if not (variadic or type_id) or _describe_unexpected_operand(call, _ID_OPERANDS):
            return None  # LLVM reports other operands
        suffix = call.suffix
        if type_id:
            suffix = _add_type_id_bundle(suffix, type_id)
            self.report("retcon-type-id", call.function, f"the type id {type_id} is passed in an operand bundle")
        if variadic:
            self.report("retcon-variadic", call.function, f"@{call.name} is called with its six operands")
        return call.text("token", call.name, call.arguments[:_ID_OPERANDS], suffix)

    def convert_allocation(self, call: Call) -> str | None:
        frame = call.name.startswith("llvm.coro.alloca.alloc.frame")
        type_id, variadic = _type_id_operand_or_empty(call, _ALLOCATION_OPERANDS), call.type.endswith("...)")
        if not (frame or type_id or variadic) or not call.arguments or _describe_unexpected_operand(call, _ALLOCATION_OPERANDS):
            return None  # LLVM reports other operands
        suffix = call.suffix
        if frame:
            suffix = f' "{CALLEE_FRAME}"{suffix}'
            self.report("alloca-frame", call.function, f"{call.result or call.name} is memory for the frame of a callee")
        if type_id:
            suffix = _add_type_id_bundle(suffix, type_id)
            self.report("alloca-type-id", call.function, f"the type id {type_id} is passed in an operand bundle")
        if variadic:
            self.report("alloca-variadic", call.function, f"@{call.name} is called with its two operands")
        size_type = next(iter(call.arguments)).split()[0]
        return call.text("token", f"llvm.coro.alloca.alloc.{size_type}", call.arguments[:_ALLOCATION_OPERANDS], suffix)

    def convert_free_frame(self, call: Call) -> str:
        self.report("alloca-frame", call.function, "llvm.coro.alloca.free.frame becomes llvm.coro.alloca.free")
        return call.text("void", "llvm.coro.alloca.free", call.arguments, call.suffix)

    def replace_ret_popless_by_trap(self, call: Call) -> str:
        message = "llvm.ret.popless becomes a trap: LLVM 22 has no return that keeps the stack, and coroutines allocate with malloc"
        self.report("ret-popless", call.function, message)
        return f"{call.indent}call void @llvm.trap()"

    def remove_declarations(self) -> None:
        self.text = _DECLARED.sub("", self.text)

    def convert_conventions(self) -> None:
        """Make functions of ``swiftcorocc`` known by an attribute: they get memory from malloc for a null allocator."""
        pieces: list[str] = []
        done = 0
        for head in re.finditer(rf"^define\b[^@\n]*\bswiftcorocc\b[^@\n]*@({WORD})\(", self.text, re.MULTILINE):
            at = index_after_closing_bracket(self.text, head.end() - 1)
            if at < 0:
                continue
            at = position_of_first_function_attribute(self.text, at)
            pieces += [self.text[done:at], ' "swiftcorocc"']
            done = at
            message = 'swiftcorocc becomes swiftcc and the attribute "swiftcorocc": it cannot call code of Swift\'s own compiler'
            self.report("swiftcorocc", head[1].strip('"'), message)
        self.text = "".join([*pieces, self.text[done:]])
        if self.replace_keyword(_CONVENTION, "swiftcc") and not done:
            self.report("swiftcorocc", "", "swiftcorocc becomes swiftcc in declarations and calls")
        if count := self.replace_keyword(_PARAMETER, ""):
            self.report("swiftcoro", "", f"{count} swiftcoro attributes removed: the allocator is passed as any other argument")

    def replace_keyword(self, keyword: re.Pattern[str], by: str) -> int:
        """Replace a keyword; return how often."""
        self.text, count = keyword.subn(by, self.text)
        return count


def convert_swift_dialect(text: str, report: Reporter) -> str:
    """Convert the calls, declarations and calling convention of Swift's LLVM."""
    if not is_text_of_swift_llvm(text.encode("utf-8", "surrogateescape")):
        return text
    dialect = _Dialect(text, report)
    dialect.convert_calls()
    dialect.remove_declarations()
    dialect.convert_conventions()
    return dialect.text


def describe_unexpected_operand(instruction: str) -> str:
    """Return why a call remained as it is: which operand is not a type id, and the fix. Empty if it has no such operand.

    >>> call = "%id = call token (...) @llvm.coro.id.retcon.once(i32 8, i32 8, ptr %b, ptr @p, ptr @a, ptr @d, i64 7, i64 9)"
    >>> pycoro.upgrade.swift.describe_unexpected_operand(call)
    'remove the operand i64 9: @llvm.coro.id.retcon.once has one type id at most, and i64 7 is one'
    """
    found: list[str] = []

    def record(call: Call) -> None:
        found.append(_describe_unexpected_operand(call, _ID_OPERANDS if re.fullmatch(_ID, call.name) else _ALLOCATION_OPERANDS))

    replace_calls_inside_functions(instruction, f"{_ID}|{_ALLOCATION}", record)
    return "".join(found)
