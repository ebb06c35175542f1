"""Listings extracted unchanged from the design documents of pycoro, and the result of running each."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from documents import complete

import pycoro
from pycoro import oracle

ROOT = Path(__file__).resolve().parents[2]
SEEDS = next((path for path in (ROOT.parent / "shared" / "seeds", Path("/work/shared/seeds")) if path.is_dir()), None)
PASSES = "coro-early,cgscc(coro-split),coro-cleanup"

IR = re.compile(
    r'^\s*(?:%[-\w.$"]+ ?= |call |define |declare |switch |ret |br |store |cleanupret |entry: |[!@]\S+ =|'
    r"(?!public|private)[-\w.]+:(?: *;.*| *)$)",
    re.MULTILINE,
)
"""Patterns that identify a listing as IR."""
TABLES = {"000": range(955, 975)}
"""Lines that are no listing, but a table of the lowering of a call."""


class Listing(NamedTuple):
    """A listing as its document prints it."""

    seed: str
    line: int
    text: str

    @property
    def is_ir(self) -> bool:
        return IR.search(self.text) is not None


# ---- Extraction ----


def _runs(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield runs of consecutive ASCII lines, from a document in a non-Latin script."""
    begin = 0
    for end, line in enumerate([*lines, "…"]):
        if line.isascii():
            continue
        run = lines[begin:end]
        while run and not run[0].strip():
            run, begin = run[1:], begin + 1
        text = "\n".join(run).rstrip()
        if re.search(r"[(){}=:;%]", text):  # the rest are headings
            yield begin + 1, text
        begin = end + 1


def _fences(lines: list[str]) -> Iterator[tuple[int, str]]:
    fences = [number for number, line in enumerate(lines) if line.startswith("```")]
    for begin, end in zip(fences[::2], fences[1::2], strict=True):
        yield begin + 2, "\n".join(lines[begin + 1 : end])


def _blocks(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the code blocks of reStructuredText, and declarations that are terms."""
    for number, line in enumerate(lines):
        if line.startswith(":declare"):
            yield number + 1, line.strip(":")
        if line.startswith(".. code-block"):
            begin = end = number + 1
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith("  ")):
                end += 1
            while not lines[begin].strip():
                begin += 1
            yield begin + 1, "\n".join(lines[begin:end]).rstrip()


def _lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield listings that fill one line."""
    return ((number, line) for number, line in enumerate(lines, 1) if re.match(r"(?:entry:|define) ", line))


CUTS = {"000": _runs, "001": _blocks, "002": _lines, "003": _runs, "004": _fences}


def listings() -> list[Listing]:
    """Return the listings of all documents in order."""
    assert SEEDS is not None
    found: list[Listing] = []
    for seed, cut in CUTS.items():
        (path,) = SEEDS.glob(f"{seed}_*.txt")
        lines = path.read_text().split("\n")
        found += [Listing(seed, line, text) for line, text in cut(lines) if line not in TABLES.get(seed, ())]
    return found


# ---- Running ----


@dataclass(frozen=True)
class Plan:
    """The code that a listing needs to run: other listings of its document, or a driver of ours."""

    beside: tuple[int, ...] = ()
    """Line numbers of listings of the same document that complete this one."""
    driver: str = ""
    """Additional IR that defines what the document only names."""
    ramp: str = ""
    """The function to call; by default the listing's first function."""
    args: tuple[Any, ...] | None = None
    """Arguments of the call; by default 1 for each number and memory for each pointer."""
    told: str = ""
    """A short description for the table."""
    why_not: str = ""
    """Reason not to run the listing."""


def _final_suspend_coroutine() -> str:
    """Return a coroutine with a final suspend, for listings of a caller that waits for one."""
    text = (ROOT / "tests" / "seeds" / "final_suspend.ll").read_text()
    return text[text.index("define ptr @f") : text.index("define i32 @main")]


def _caller_without_handle(name: str, kind: str) -> str:
    """Return a caller of a coroutine that returns no handle."""
    result = "" if kind == "void" else "%given = "
    return f"define void @drive() {{\n  {result}call {kind} @{name}()\n  ret void\n}}"


_STEP = """
define i32 @drive() {
  %handle = call ptr @worker()
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}
"""
_THIRD = """
define void @drive() {
  %frame = alloca %f.frame
  %index = getelementptr %f.frame, ptr %frame, i32 0, i32 2
  store i8 0, ptr %index
  %n = getelementptr %f.frame, ptr %frame, i32 0, i32 3
  store i32 4, ptr %n
  call fastcc void @f.Resume(ptr %frame)
  call fastcc void @f.Resume(ptr %frame)
  call fastcc void @f.Resume(ptr %frame)
  ret void
}
"""
_FIB = """
@last = global ptr null
define ptr @_Znwm(i64 %size) {
  %memory = call ptr @malloc(i64 %size)
  store ptr %memory, ptr @last
  ret ptr %memory
}
define void @_ZdlPv(ptr %memory) {
  call void @free(ptr %memory)
  ret void
}
define i32 @drive() {
  %result = alloca %struct.minig
  call void @fib(ptr sret(%struct.minig) %result)
  %handle = load ptr, ptr @last
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}
"""
_SPLIT = Plan(
    (13, 182, 186, 206, 218), ramp="main", told="with 13; the coroutine of 143 prints 5 where these handwritten clones print 6"
)
_PARTS = Plan((217, 230, 260, 276, 294), _FIB, "drive", told="with our own caller")
_LOWERED = Plan((161, 190, 234), _STEP, "drive", told="with our own caller")
PLANS: dict[tuple[str, int], Plan] = {
    ("000", 13): Plan((143,), ramp="main", told="with 143"),
    ("000", 143): Plan((13,), ramp="main", told="with 13"),
    **{("000", line): _SPLIT for line in (186, 206, 218)},
    ("000", 299): Plan((295,), _THIRD, "drive", told="with our own caller"),
    ("000", 354): Plan(args=(1,)),
    ("000", 373): Plan((405,), ramp="main", told="with 405"),
    ("000", 405): Plan((373,), ramp="main", told="with 373"),
    ("000", 443): Plan(driver=_final_suspend_coroutine(), told="with a coroutine that has a final suspend"),
    ("000", 511): Plan((13,), ramp="main", told="with 13, and our own ABI with index 0"),
    ("000", 620): Plan(ramp="main"),
    ("000", 725): Plan(driver=_caller_without_handle("listing", "void"), ramp="drive"),
    ("000", 735): Plan(driver=_caller_without_handle("listing", "void"), ramp="drive"),
    ("000", 926): Plan(why_not="the exception that it propagates is not printed"),
    **{("001", line): _PARTS for line in (230, 260, 276, 294)},
    ("002", 20): Plan(driver=_caller_without_handle("foo", "void").replace("()\n  ret", "(i32 5)\n  ret"), ramp="drive"),
    ("003", 719): Plan(args=(4,)),
    ("004", 18): Plan(driver=_caller_without_handle("worker", "i64"), ramp="drive"),
    ("004", 119): Plan(args=(0, (None, 1))),
    **{("004", line): _LOWERED for line in (161, 190, 234)},
    ("004", 266): Plan(told="incorrect, as the notes say: `pycoro lint` reports and fixes both bugs"),
    ("004", 336): Plan(
        driver=_caller_without_handle("listing", "i64")
        .replace("()\n  ret", "(ptr %scratch)\n  ret")
        .replace("{\n", "{\n  %scratch = alloca ptr\n  store ptr null, ptr %scratch\n"),
        ramp="drive",
    ),
}

_VALUES = {"ptr": "memory", "i1": True, "float": 1.0}
_SCHEDULES = (("resume", "resume", "destroy"), ("resume", "destroy"), ("resume",), ())


class Plain(pycoro.SwitchABI):
    """A numbered ABI that derives from the switched-resume ABI and changes nothing, as in the document."""


def lowered(text: str) -> str:
    """Return the module, with this ABI for coroutines that name one by number."""
    module = pycoro.Module(text)
    module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Plain()]), "coro-cleanup"))
    module.verify()
    return str(module)


def program(listing: Listing, found: list[Listing], plan: Plan) -> str:
    """Complete a listing to a program."""
    others = [other.text for other in found if other.seed == listing.seed and other.line in plan.beside and other != listing]
    return "\n\n".join([listing.text, *others, plan.driver])


def _event(event: tuple[Any, ...]) -> str:
    kind, *rest = event
    if kind == "call":
        given = [str(value) if isinstance(value, int | float) else "a pointer" for value in rest[1:]]
        return f"`{rest[0]}({', '.join(given)})`"
    if kind == "returned" and isinstance(rest[0], int):
        return f"returns {rest[0]}"
    return {"free": "frees", "resume": "resumed", "destroy": "destroyed", "allocate": "allocates"}.get(kind, "")


def run_listing(listing: Listing, found: list[Listing]) -> str:
    """Return the output of a program, which the interpreter and lowered code must agree on; otherwise raise
    `AssertionError`."""
    plan = PLANS.get((listing.seed, listing.line), Plan())
    module = pycoro.Module(complete(program(listing, found, plan)).text, upgrade=True, host=True)
    text = str(module)
    bodies = [function for function in module.functions.values() if not function.is_declaration]
    if not bodies or plan.why_not:
        return plan.why_not and f"not run: {plan.why_not}"
    function = module.functions[plan.ramp] if plan.ramp else bodies[0]
    args = plan.args
    if args is None:
        args = tuple(_VALUES.get(str(argument.type), 1) for argument in function.arguments)
    said: list[str] = []
    for schedule in _SCHEDULES if function.is_presplit else ((),):
        try:
            verdict = oracle.compare(text, schedule, ramp=function.name, args=args, reference="interpreter", lowering=lowered)
        except pycoro.UsageError as error:  # such coroutines take other steps
            said.append(str(error))
            continue
        if verdict and verdict.executed:
            events = [told for told in map(_event, verdict.ours.events) if told]
            return ", ".join(events) or "returns"
        said.append(str(verdict))
    raise AssertionError(f"{listing.seed}:{listing.line}: {said}")


# ---- The table ----


def functions(listing: Listing) -> str:
    """Return the functions of a listing, by name."""
    named = re.findall(r"^ *define\b[^@\n]*(@[-\w$.]+)", listing.text, re.MULTILINE)
    if named:
        return ", ".join(f"`{name}`" for name in named[:2]) + (f" and {len(named) - 2} more" if len(named) > 2 else "")
    if declared := re.findall(r"^:?declare\b[^@\n]*(@[-\w$.]+)", listing.text, re.MULTILINE):
        return f"declares `{declared[0]}`"
    if kind := re.match(r"\s*(%[-\w$.]+) = type", listing.text):
        return f"the type `{kind[1]}`"
    if block := re.match(r"\s*([-\w$.]+):", listing.text):
        return f"code from the block `{block[1]}`"
    return "instructions"


def row(listing: Listing, found: list[Listing]) -> str:
    """Return a listing's row: whether it is parsed, valid and lowered, and its output."""
    made = complete(listing.text)
    lowered(str(pycoro.Module(made.text, upgrade=True)))
    steps: dict[str, int] = {}
    for remark in made.remarks:
        steps[remark.name] = steps.get(remark.name, 0) + 1
    told = ", ".join(f"{name} {count}" if count > 1 else name for name, count in steps.items())
    does = run_listing(listing, found)
    plan = PLANS.get((listing.seed, listing.line), Plan())
    with_what = f" ({plan.told})" if plan.told else ""
    return f"| {listing.line} | {functions(listing)} | {told or 'none'} | {does or 'not executable'}{with_what} |"


class Other(NamedTuple):
    """Listings in other languages, by their first and last line."""

    seed: str
    first: int
    last: int
    what: str
    """The language and the content."""


_PSEUDO = "pseudocode with `<suspend>`: its IR is the listing at line"
OTHERS = (
    Other("000", 107, 107, "C: the async function pointer of a coroutine; `complete` adds one to a listing without it"),
    Other("000", 132, 132, f"{_PSEUDO} 143"),
    Other("000", 268, 268, f"{_PSEUDO} 279"),
    Other("000", 337, 337, f"{_PSEUDO} 354"),
    Other("000", 458, 476, "Python, and pseudocode: `tests/seeds/python_generator.ll` is its IR, and prints 0 1 2 3 4"),
    Other("000", 494, 502, "C++ with LLVM's own classes: `pycoro.SwitchABI` and `CoroSplit(abis=...)` replace it"),
    Other("001", 63, 63, "C++ without its library: `tests/seeds/fib.cpp` is the C++20 version, compiled by clang, and returns 0"),
    Other("001", 89, 89, "pseudocode of a frontend's output for line 63: clang compiles `tests/seeds/fib.cpp` to it"),
    Other("001", 141, 141, "C++: a template that a frontend of 2015 instantiated; pycoro declares it if a suspend names it"),
    Other("001", 181, 181, "C++, the function of line 63"),
    Other("003", 85, 177, "Ü, fragments of its grammar; `examples/u` compiles the subset that the IR uses"),
    Other("003", 218, 235, "Ü: `examples/u/listings.u`, compiled and run by `tests/api/test_example_u.py`, prints 12345"),
    Other("003", 690, 690, "Ü: `examples/u/listings.u`, compiled and run, prints 0.0 1.0 2.0 3.0 for 4"),
    Other("003", 765, 765, "Ü with virtual methods, which `examples/u` does not support"),
)


def other(listing: Listing) -> Other:
    """Describe a listing that is not IR."""
    return next(o for o in OTHERS if o.seed == listing.seed and o.first <= listing.line <= o.last)


HEAD = """\
# Tests with the documents' listings

This page is for contributors. It shows that pycoro can upgrade, complete, lower and run the IR of five documents on coroutines in
LLVM: LLVM's reference in Chinese (000), the design of 2015 (001), a proposal to split after the parameters (002), an article on
generators in the language Ü (003), and notes of llgo's authors (004).

`complete` of `tests/api/documents` processes each listing exactly as printed. It assumes the [missing parts](#assumptions), with
a remark for each assumption. All results are valid and are lowered. Executable ones behave the same when lowered and in
[the presplit interpreter](explanation/interpreter.md). pycoro rejects none.

`python tests/api/listings.py --write docs/listings-tests.md` writes this page; `tests/api/test_listings.py` checks it if the
documents are available.

""" + (Path(__file__).parent / "documents" / "assumptions.md").read_text()


def table() -> str:
    """Return the page with a table for each document."""
    found = listings()
    parts = [HEAD]
    for seed in CUTS:
        parts += [f"## Document {seed}\n", "| line | listing | remarks | behavior |", "| --- | --- | --- | --- |"]
        parts += [row(listing, found) for listing in found if listing.seed == seed and listing.is_ir]
        said = [f"| {_range(o)} | {o.what} |" for o in OTHERS if o.seed == seed]
        if said:
            parts += ["\nListings that are not IR:\n", "| line | listing |", "| --- | --- |", *said]
        parts.append("")
    return "\n".join(parts)


def _range(o: Other) -> str:
    return str(o.first) if o.first == o.last else f"{o.first} to {o.last}"


def main() -> None:
    """Write the page."""
    if SEEDS is None:
        raise SystemExit("error: the documents are not here: ../shared/seeds")
    if len(sys.argv) != 3 or sys.argv[1] != "--write":
        raise SystemExit("usage: listings.py --write FILE")
    Path(sys.argv[2]).write_text(table())


if __name__ == "__main__":
    main()
