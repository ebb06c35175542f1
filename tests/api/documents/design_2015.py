"""Convert LLVM's first coroutine design of 2015: ``llvm.coro.init``, suspends with an awaiter and a function to call with it,
``llvm.coro.param``, and ``llvm.coro.done(null)`` at the start of the coroutine."""

from __future__ import annotations

import re
from collections.abc import Callable

from pycoro.upgrade.calls import Call, Reporter, function_ranges, replace_calls_inside_functions

__all__ = ["convert_design_2015"]

_NAME = r'%(?:[-\w$.]+|"[^"]*")'
_START = re.compile(
    rf"^(?P<indent>[ \t]*)(?P<result>{_NAME})[ \t]*=[ \t]*call i1 @llvm\.coro\.done\(ptr null\)[^\n]*\n"
    rf"(?P<between>(?:[ \t]*(?:;[^\n]*)?\n)*)[ \t]*br i1 (?P=result), label (?P<ret>{_NAME}), label (?P<start>{_NAME})[^\n]*$",
    re.MULTILINE,
)
_PARAMETER = re.compile(rf"^[ \t]*call void @llvm\.coro\.param\(ptr ({_NAME}), ptr ({_NAME})\)[^\n]*\n?", re.MULTILINE)
_BRANCH = re.compile(rf"br i1 ({_NAME}), label ({_NAME}), label ({_NAME})")
_FREES = r"free|_ZdlPv|_ZdlPvm|_ZdaPv"


def convert_design_2015(text: str, report: Reporter) -> str:
    """Convert each function with ``llvm.coro.init`` to today's intrinsics."""
    if "@llvm.coro.init(" not in text:
        return text
    pieces: list[str] = []
    done = 0
    for start, stop, name in function_ranges(text):
        body = text[start:stop]
        if "@llvm.coro.init(" in body:
            pieces += [text[done:start], _Design2015Coroutine(name, body, report).converted()]
            done = stop
    made = "".join([*pieces, text[done:]])
    return re.sub(r"^declare\b[^@\n]*@llvm\.coro\.(?:init|suspend|param)\([^\n]*\n?", "", made, flags=re.MULTILINE)


class _Design2015Coroutine:
    """Conversion of one function. New values have names that start with ``coro2015.``."""

    def __init__(self, name: str, body: str, report: Reporter) -> None:
        self.name = name
        self.body = body
        self.report = report
        self.handle = ""
        self.out = ""
        self.final = False

    def converted(self) -> str:
        start = _START.search(self.body)
        begins = self._calls_of(r"llvm\.coro\.init")
        if start is None or len(begins) != 1 or not begins[0].result:
            self.report("first-design", self.name, "not converted: no llvm.coro.done(null) marks its start")
            return self.body
        self.handle, self.out = begins[0].result, start["ret"]
        gone = f"{start['indent']}{start['result']} = freeze i1 poison, !pycoro.unused !{{}}\n" + start["between"]
        self.body = self.body[: start.start()] + gone + f"{start['indent']}br label {start['start']}" + self.body[start.end() :]
        self.report("first-start", self.name, f"llvm.coro.done(null) marked the start, and {self.out} as the exit")
        self._convert_begin()
        self._use_parameter_copies()
        self._convert_suspends()
        self._convert_frees()
        self._convert_end()
        return self.body

    def _calls_of(self, name: str) -> list[Call]:
        found: list[Call] = []
        replace_calls_inside_functions(self.body, name, lambda call: found.append(call))
        return found

    def _rewrite_calls(self, name: str, change: Callable[[Call], str | None]) -> None:
        self.body = replace_calls_inside_functions(self.body, name, change)

    def _convert_begin(self) -> None:
        promise = re.search(r"^[ \t]*(%__promise) = alloca\b", self.body, re.MULTILINE)
        given = promise[1] if promise else "null"

        def begin(call: Call) -> str:
            new = f"{call.indent}%coro2015.id = call token @llvm.coro.id(i32 0, ptr {given}, ptr null, ptr null)\n"
            return new + f"{call.indent}{call.result} = {call.how} ptr @llvm.coro.begin(token %coro2015.id, {call.arguments[0]})"

        self._rewrite_calls(r"llvm\.coro\.init", begin)
        self.report("first-begin", self.name, "llvm.coro.init becomes llvm.coro.id and llvm.coro.begin")

    def _use_parameter_copies(self) -> None:
        """Replace uses of a parameter after its copy by the copy."""
        pieces: list[str] = []
        copies: dict[str, str] = {}
        done = 0

        def copied(text: str) -> str:
            return re.sub(_NAME, lambda name: copies.get(name[0], name[0]), text) if copies else text

        for found in _PARAMETER.finditer(self.body):
            pieces.append(copied(self.body[done : found.start()]))
            copies[found[1]] = found[2]
            done = found.end()
            self.report("first-param", self.name, f"uses of {found[1]} after llvm.coro.param become uses of its copy {found[2]}")
        self.body = "".join([*pieces, copied(self.body[done:])])

    def _convert_suspends(self) -> None:
        branches = {found[1]: (found[2], found[3]) for found in _BRANCH.finditer(self.body)}
        numbers: dict[str, int] = {}

        def suspend(call: Call) -> str | None:
            if call.result not in branches or len(call.arguments) != 2 or call.arguments[0].startswith("token"):
                return None
            numbers[call.result] = len(numbers)
            return self._converted_suspend(call, numbers[call.result], branches[call.result][0] == self.out)

        def branch(found: re.Match[str]) -> str:
            if found[1] not in numbers:
                return found[0]
            goes = "%coro2015.never" if found[2] == self.out else found[2]
            self.final = self.final or found[2] == self.out
            result = f"%coro2015.suspend{numbers[found[1]]}"
            return f"switch i8 {result}, label {self.out} [ i8 0, label {goes} i8 1, label {found[3]} ]"

        self._rewrite_calls(r"llvm\.coro\.suspend", suspend)
        self.body = _BRANCH.sub(branch, self.body)

    def _converted_suspend(self, call: Call, number: int, final: bool) -> str:
        """Return a suspend with a save, followed by the call of the awaited function."""
        awaits = re.sub(r"^bitcast \(ptr (.*) to ptr\)$", r"\1", call.arguments[1].removeprefix("ptr "))
        lines = [f"%coro2015.save{number} = call token @llvm.coro.save(ptr {self.handle})"]
        if awaits != "null":
            lines.append(f"call void {awaits}({call.arguments[0]}, ptr {self.handle})")
        suspend = f"call i8 @llvm.coro.suspend(token %coro2015.save{number}, i1 {str(final).lower()})"
        lines += [f"%coro2015.suspend{number} = {suspend}", f"{call.result} = freeze i1 poison, !pycoro.unused !{{}}"]
        kind = "the final suspend" if final else "a suspend"
        self.report("first-suspend", self.name, f"{call.result} becomes {kind} after an llvm.coro.save and the awaited call")
        return "\n".join(call.indent + line for line in lines)

    def _convert_frees(self) -> None:
        """Free the result of ``llvm.coro.free``."""
        frames = {f"ptr {self.handle}"} | {f"ptr {call.result}" for call in self._calls_of(r"llvm\.coro\.frame")}
        count = iter(range(1 << 30))

        def free(call: Call) -> str | None:
            if not call.arguments or call.arguments[0] not in frames:
                return None
            memory = f"%coro2015.memory{next(count)}"
            made = f"{call.indent}{memory} = call ptr @llvm.coro.free(token %coro2015.id, ptr {self.handle})\n"
            self.report("first-free", self.name, f"@{call.name} frees the result of llvm.coro.free")
            return made + call.text(call.type, call.name, [f"ptr {memory}", *call.arguments[1:]], call.suffix)

        self._rewrite_calls(_FREES, free)

    def _convert_end(self) -> None:
        label = re.compile(rf"^{re.escape(self.out[1:])}:[^\n]*\n(?:[ \t]*{_NAME}[ \t]*=[ \t]*phi\b[^\n]*\n)*", re.MULTILINE)
        end = f"  call void @llvm.coro.end(ptr {self.handle}, i1 false, token none)\n"
        self.body = label.sub(lambda found: found[0] + end, self.body, count=1)
        if self.final:
            self.body = self.body.rstrip("\n") + "\n\ncoro2015.never:\n  unreachable"
        self.report("first-end", self.name, f"the exit {self.out} starts with llvm.coro.end")
