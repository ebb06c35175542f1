"""Draw hooks of ABIs: hook modules that change the lowering of a coroutine, and preserve its behavior.

Each hook updates the ABI's header in the frame. A hook call at a wrong place, with a wrong address, or in a frame with
overlapping fields therefore corrupts a reported value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pycoro.abi import ABI, RetconABI, SwitchABI
from pycoro.strategies.choices import Choices, Seeded
from pycoro.strategies.plain import Plain

__all__ = ["Hooks", "hooks", "sample_hooks"]

NOTED = {
    "begin": "ptr %frame",
    "save": "ptr %frame, i32 %index, ptr %clone",
    "suspend": "ptr %frame, i32 %index, i1 %final",
    "resumed": "ptr %frame, i32 %index, i1 %destroyed",
    "end": "ptr %frame, i32 %clone",
}
"""Optional notification hooks, and their parameters before the header."""
HEADERED = ("begin", "save", "resumed")
"""The hooks that may access the frame; it may be freed when the others run."""
GIVEN = {"i8": "5", "i64": "6", "ptr": "zeroinitializer", "{ i32, ptr }": "zeroinitializer"}
"""Value that a clone returns, by type."""
RESULTS = ("", *GIVEN)
"""Return types of clones; empty: LLVM's convention."""
PASSED = ("", ", ptr", ", i64, double")
FIELDS = ("i8", "i64", "[3 x i8]", "double", "<4 x i32>", "ptr")

ALLOCATING = """
declare ptr @malloc(i64)
declare void @free(ptr)
define ptr @abi.alloc(i64 %size, i64 %align) {
  %memory = call ptr @malloc(i64 %size)
  ret ptr %memory
}
define void @abi.free(ptr %memory, i64 %size) {
  call void @free(ptr %memory)
  ret void
}
"""

CHECK = """
@suspended = internal global ptr null
declare void @llvm.trap()
define internal void @right(i1 %holds) nounwind {
  br i1 %holds, label %yes, label %no
yes:
  ret void
no:
  call void @llvm.trap()
  unreachable
}
"""
SIZED = """
declare ptr @malloc(i64)
declare void @free(ptr)
define ptr @abi.alloc(i64 %size, i64 %align) {
  %more = add i64 %size, 16
  %memory = call ptr @malloc(i64 %more)
  store i64 %size, ptr %memory
  %frame = getelementptr i8, ptr %memory, i64 16
  ret ptr %frame
}
define void @abi.free(ptr %memory, i64 %size, i64 %align, ptr %header) {
  %start = getelementptr i8, ptr %memory, i64 -16
  %given = load i64, ptr %start
  %sized = icmp eq i64 %given, %size
  call void @right(i1 %sized)
  %place = getelementptr HEADER, ptr %header, i32 0, i32 4
  %frame = load ptr, ptr %place
  %own = icmp eq ptr %frame, %memory
  call void @right(i1 %own)
  call void @free(ptr %start)
  ret void
}
"""
"""The version of `ALLOCATING` with checks: abi.free traps on memory that abi.alloc did not allocate with the same size."""
FRESH, BEGUN, GONE = 17, 29, 43
"""Values of header field 3 with checks: before abi.begin, after it, and once the frame is destroyed."""
SUSPENDS = "  store ptr %frame, ptr @suspended\n"
GOES_ON = """\
  %last = load ptr, ptr @suspended
  %before = icmp eq ptr %last, %frame
  %none = select i1 %before, ptr null, ptr %last
  store ptr %none, ptr @suspended
"""
ENDS = """\
  %last = load ptr, ptr @suspended
  %ends = icmp ne ptr %last, %frame
  call void @right(i1 %ends)
"""
"""Traps if the last hook before the end of a coroutine was its own abi.suspend."""

# %kept is header field 0; notes increment its bytes up to seven, then wrap around.
NOTE = """\
  %kept = getelementptr HEADER, ptr %header, i32 0, i32 0
  %old = load i8, ptr %kept
  %full = icmp uge i8 %old, 7
  br i1 %full, label %again, label %more
again:
  store i8 0, ptr %kept
  br label %over
more:
  %new = add i8 %old, 1
  store i8 %new, ptr %kept
  br label %over
over:
"""


@dataclass(frozen=True, slots=True, repr=False)
class Hooks(Plain):
    """Hooks of one ABI.

    >>> from pycoro import strategies
    >>> drawn = strategies.decisions.DrawnABI(hooks=strategies.hooks.Hooks(each=True))
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", pycoro.CoroSplit(abis=drawn.abis), "coro-cleanup"])
    >>> report.coroutines["counter"].clones
    ('counter.resume', 'counter.destroy', 'counter.cleanup', 'counter.resume.0')
    """

    noted: tuple[str, ...] = ()
    """Subset of `NOTED`."""
    fields: tuple[str, ...] = ()
    """Fields of the header after those that the hooks need."""
    allocates: bool = False
    dispatches: bool = False
    """True if the hooks store the suspend index."""
    result: str = ""
    """Return type of a clone; empty: LLVM's convention."""
    passed: str = ""
    """Parameters after the frame, for clones with a result."""
    each: bool = False
    """True if there is a clone for each suspend."""
    checks: bool = False
    """True if the hooks check their arguments against earlier calls, and trap on a mismatch."""
    from_method: bool = False
    """True if the ABI's ``header`` supplies the initial values, instead of the hook module."""

    @property
    def values(self) -> dict[int, int]:
        """Return the values that the ABI's ``header`` supplies; empty without one."""
        return {3: FRESH} if self.checks and self.from_method else {}

    def ir_for_abi(self, kind: type[ABI]) -> str:
        """Return the hooks that the class of ABIs supports, as IR."""
        if kind is SwitchABI:
            return self.switch_hooks_ir
        own = replace(self, result="", passed="", dispatches=False, each=False, allocates=self.allocates and kind is RetconABI)
        return own.switch_hooks_ir

    @property
    def switch_hooks_ir(self) -> str:
        """Return the hooks of the switched-resume ABI, as IR."""
        first = ("i8", "i32", "ptr", "i32", "ptr") if self.checks else ("i8", "i32", "ptr")
        header = "{ " + ", ".join((*first, *self.fields)) + " }"
        texts = [f"@abi.header = constant {header} {self._initial_header() if self.checks else 'zeroinitializer'}\n"]
        if self.checks:
            texts.append(CHECK)
        if self.allocates:
            texts.append(SIZED.replace("HEADER", header) if self.checks else ALLOCATING)
        if self.result:
            texts.append(f"declare {self.result} @abi.clone.go(ptr{self.passed})\n")
        if self.result and self.each:
            texts.append(self._resume_hook_calling_stored_clone(header))
        if self.dispatches:
            texts.append(
                _hook_definition(
                    "i32", "dispatch", "ptr %frame, ptr %header", _load_header_field(header, 1, "i32", "index"), "i32 %index"
                )
            )
        texts.extend(self._hook_text(name, header) for name in NOTED if self._is_hook_needed(name))
        return "".join(texts)

    def _is_hook_needed(self, name: str) -> bool:
        keeps = name == "save" and (self.dispatches or (self.each and bool(self.result)))
        return name in self.noted or keeps or self.checks or (name in ("suspend", "end") and bool(self.result))

    def _hook_text(self, name: str, header: str) -> str:
        body = NOTE.replace("HEADER", header) if name in self.noted and name in HEADERED else ""
        if self.checks:
            body += self._header_check_and_update_ir(name, header)
        if name == "save" and self.dispatches:
            body += _store_header_field(header, 1, "i32 %index", "place")
        if name == "save" and self.each and self.result:
            body += _store_header_field(header, 2, "ptr %clone", "slot")
        result = self.result if name in ("suspend", "end") else ""
        parameters = NOTED[name] + (", ptr %header" if name in HEADERED and name != "begin" else "")
        parameters = "ptr %frame, ptr %header" if name == "begin" else parameters
        return _hook_definition(result or "void", name, parameters, body, f"{result} {GIVEN[result]}" if result else "void")

    def _initial_header(self) -> str:
        """Return the initial header."""
        state = 0 if self.from_method else FRESH
        return (
            "{ " + f"i8 0, i32 -1, ptr null, i32 {state}, ptr null" + "".join(f", {f} zeroinitializer" for f in self.fields) + " }"
        )

    def _header_check_and_update_ir(self, name: str, header: str) -> str:
        """Return code that checks the header against the state that the previous hook stored."""
        if name == "begin":
            stored = _store_header_field(header, 3, f"i32 {BEGUN}", "begun") + _store_header_field(header, 4, "ptr %frame", "own")
            return GOES_ON + _trap_unless_equal(header, 3, "i32", str(FRESH)) + stored
        if name == "save":
            same = _trap_unless_equal(header, 3, "i32", str(BEGUN)) + _trap_unless_equal(header, 4, "ptr", "%frame")
            return same + _store_header_field(header, 1, "i32 %index", "saved")
        if name == "resumed":
            same = _trap_unless_equal(header, 3, "i32", str(BEGUN)) + _trap_unless_equal(header, 4, "ptr", "%frame")
            state = f"  %state = select i1 %destroyed, i32 {GONE}, i32 {BEGUN}\n" + _store_header_field(
                header, 3, "i32 %state", "now"
            )
            return GOES_ON + same + _trap_unless_equal(header, 1, "i32", "%index", or_condition="%destroyed") + state
        return SUSPENDS if name == "suspend" else ENDS

    def _resume_hook_calling_stored_clone(self, header: str) -> str:
        zeros = "".join(f", {kind} zeroinitializer" for kind in self.passed.strip(", ").split(", ") if kind)
        call = f"  %given = call {self.result} %clone(ptr %frame{zeros})\n"
        if self.checks and GIVEN[self.result] != "zeroinitializer":
            call += f"  %told = icmp eq {self.result} %given, {GIVEN[self.result]}\n  call void @right(i1 %told)\n"
        return _hook_definition(
            "void", "resume", "ptr %frame, ptr %header", _load_header_field(header, 2, "ptr", "clone") + call, "void"
        )


def _hook_definition(result: str, name: str, parameters: str, body: str, returned: str) -> str:
    return f"define {result} @abi.{name}({parameters}) {{\n{body}  ret {returned}\n}}\n"


def _load_header_field(header_type: str, field_index: int, field_type: str, name: str) -> str:
    address = f"  %at = getelementptr {header_type}, ptr %header, i32 0, i32 {field_index}\n"
    return f"{address}  %{name} = load {field_type}, ptr %at\n"


def _store_header_field(header_type: str, field_index: int, typed_value: str, address_name: str) -> str:
    address = f"  %{address_name} = getelementptr {header_type}, ptr %header, i32 0, i32 {field_index}\n"
    return f"{address}  store {typed_value}, ptr %{address_name}\n"


def _trap_unless_equal(header_type: str, field_index: int, field_type: str, value: str, or_condition: str = "") -> str:
    """Return code that traps unless the header field holds the value or the i1 `or_condition` is true."""
    n = field_index
    load = f"  %at{n} = getelementptr {header_type}, ptr %header, i32 0, i32 {n}\n  %is{n} = load {field_type}, ptr %at{n}\n"
    test = f"  %same{n} = icmp eq {field_type} %is{n}, {value}\n"
    if or_condition:
        return f"{load}{test}  %good{n} = or i1 %same{n}, {or_condition}\n  call void @right(i1 %good{n})\n"
    return f"{load}{test}  call void @right(i1 %same{n})\n"


def hooks(choices: Choices) -> Hooks:
    """Draw hooks of one ABI.

    >>> from pycoro import strategies
    >>> strategies.hooks.hooks(strategies.choices.Recorded([]))
    Hooks()
    """
    noted = tuple(name for name in NOTED if choices.chance(1, 2))
    fields = tuple(choices.pick(FIELDS) for _ in range(choices.integer(0, 3)))
    result = choices.pick(RESULTS)
    return Hooks(
        noted,
        fields,
        allocates=choices.chance(1, 2),
        dispatches=choices.chance(1, 3),
        result=result,
        passed=choices.pick(PASSED) if result else "",
        each=choices.chance(1, 2),
        checks=choices.chance(1, 2),
        from_method=choices.chance(1, 2),
    )


def sample_hooks(seed: int | str) -> Hooks:
    """Return hooks drawn from the seed, reproducibly.

    >>> from pycoro import strategies
    >>> strategies.hooks.sample_hooks("a seed") == strategies.hooks.hooks(strategies.choices.Seeded("a seed"))
    True
    """
    return hooks(Seeded(seed))
