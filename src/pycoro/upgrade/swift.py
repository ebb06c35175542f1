"""Convert what Swift's LLVM adds to the coroutine intrinsics, and what LLVM after 22 takes over from it.

Type ids of allocations become operand bundles, memory for frames of callees becomes an attribute of the call, and the calling
convention ``swiftcorocc`` becomes ``swiftcc`` with a function attribute of the same name."""

from __future__ import annotations

import re

from pycoro._dialect import is_swift
from pycoro.upgrade.calls import Call, Reporter, attribute_position, rewrite_calls
from pycoro.upgrade.tokens import closing

__all__ = ["swift_dialect"]

_INTEGER = re.compile(r"i\d+ \S+")
_SUFFIX = re.compile(r'((?:\s+(?:#\d+|"[^"]*"(?:="[^"]*")?|[a-z_]\w*(?:\([^)]*\))?))*)(.*)', re.DOTALL)
_CC = re.compile(r'"[^"\n]*"|;[^\n]*|(?<![-\w$.@%"])swiftcorocc(?![-\w$."])')
_PARAMETER = re.compile(r'"[^"\n]*"|;[^\n]*|(?<![-\w$.@%"])swiftcoro(?![-\w$."])[ \t]*')
_DECLARED = re.compile(
    r"^declare\b[^@\n]*@llvm\.(?:ret\.popless\(|coro\.(?:alloca\.(?:alloc|free)|id\.retcon(?:\.once)?\([^\n]*\.\.\.\)))[^\n]*\n?",
    re.MULTILINE,
)
TYPE_ID = "coro-type-id"
CALLEE_FRAME = "coro-callee-frame"


def _with_bundle(suffix: str, operand: str) -> str:
    """Add the operand bundle of a type id after the attributes of a call."""
    found = _SUFFIX.match(suffix)
    assert found is not None
    return f'{found[1]} [ "{TYPE_ID}"({operand}) ]{found[2]}'


class _Dialect:
    """Conversion of one module."""

    def __init__(self, text: str, report: Reporter) -> None:
        self.text = text
        self.report = report

    def calls(self) -> None:
        self.text = rewrite_calls(self.text, r"llvm\.coro\.id\.retcon(?:\.once)?", self.identifier)
        self.text = rewrite_calls(self.text, r"llvm\.coro\.alloca\.alloc[.\w]*", self.allocation)
        self.text = rewrite_calls(self.text, r"llvm\.coro\.alloca\.free\.frame", self.release)
        self.text = rewrite_calls(self.text, r"llvm\.ret\.popless", self.popless)

    def identifier(self, call: Call) -> str | None:
        variadic = call.type.endswith("...)")
        typed = len(call.arguments) == 7 and _INTEGER.fullmatch(call.arguments[6])
        if not variadic and not typed:
            return None
        if len(call.arguments) > 6 and not typed:
            return None  # LLVM reports it
        suffix = call.suffix
        if typed:
            suffix = _with_bundle(suffix, call.arguments[6])
            self.report("retcon-type-id", call.function, f"the type id {call.arguments[6]} is passed in an operand bundle")
        if variadic:
            self.report("retcon-variadic", call.function, f"@{call.name} is called with its six operands")
        given = ", ".join(call.arguments[:6])
        return f"{call.indent}{call.result} = {call.how} token @{call.name}({given}){suffix}"

    def allocation(self, call: Call) -> str | None:
        frame = call.name.startswith("llvm.coro.alloca.alloc.frame")
        typed = len(call.arguments) == 3 and _INTEGER.fullmatch(call.arguments[2])
        if not frame and not typed:
            return None
        width = call.arguments[0].split(" ")[0] if call.arguments else ""
        suffix = call.suffix
        if frame:
            suffix = f' "{CALLEE_FRAME}"{suffix}'
            self.report("alloca-frame", call.function, f"{call.result} is memory for the frame of a callee")
        if typed:
            suffix = _with_bundle(suffix, call.arguments[2])
            self.report("alloca-type-id", call.function, f"the type id {call.arguments[2]} is passed in an operand bundle")
        given = ", ".join(call.arguments[:2])
        return f"{call.indent}{call.result} = {call.how} token @llvm.coro.alloca.alloc.{width}({given}){suffix}"

    def release(self, call: Call) -> str:
        self.report("alloca-frame", call.function, "llvm.coro.alloca.free.frame becomes llvm.coro.alloca.free")
        return f"{call.indent}call void @llvm.coro.alloca.free({', '.join(call.arguments)}){call.suffix}"

    def popless(self, call: Call) -> str:
        message = "llvm.ret.popless becomes a trap: LLVM 22 has no return that keeps the stack, and coroutines allocate with malloc"
        self.report("ret-popless", call.function, message)
        return f"{call.indent}call void @llvm.trap()"

    def declarations(self) -> None:
        self.text = _DECLARED.sub("", self.text)

    def conventions(self) -> None:
        """Make functions of ``swiftcorocc`` known by an attribute: they get memory from malloc for a null allocator."""
        pieces: list[str] = []
        done = count = 0
        for head in re.finditer(r'^define\b[^@\n]*\bswiftcorocc\b[^@\n]*@([-\w$.]+|"[^"]*")\(', self.text, re.MULTILINE):
            at = closing(self.text, head.end() - 1)
            if at < 0:
                continue
            at = attribute_position(self.text, at)
            pieces += [self.text[done:at], ' "swiftcorocc"']
            done = at
            message = 'swiftcorocc becomes swiftcc and the attribute "swiftcorocc": it cannot call code of Swift\'s own compiler'
            self.report("swiftcorocc", head[1].strip('"'), message)
        self.text = "".join([*pieces, self.text[done:]])

        def replaced(found: re.Match[str], by: str) -> str:
            nonlocal count
            if found[0][0] in '";':
                return found[0]
            count += 1
            return by

        self.text = _CC.sub(lambda found: replaced(found, "swiftcc"), self.text)
        if count and not done:
            self.report("swiftcorocc", "", "swiftcorocc becomes swiftcc in declarations and calls")
        count = 0
        self.text = _PARAMETER.sub(lambda found: replaced(found, ""), self.text)
        if count:
            self.report("swiftcoro", "", f"{count} swiftcoro attributes removed: the allocator is passed as any other argument")


def swift_dialect(text: str, report: Reporter) -> str:
    """Convert the calls, declarations and calling convention of Swift's LLVM."""
    if not is_swift(text.encode("utf-8", "surrogateescape")) and "@llvm.ret.popless" not in text:
        return text
    dialect = _Dialect(text, report)
    dialect.calls()
    dialect.declarations()
    dialect.conventions()
    return dialect.text
