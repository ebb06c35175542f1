"""LLVM's coroutine tests with their RUN and CHECK lines unchanged, and pycoro as `opt`. As a command it prints the number of
passing files and the first failing line of the rest, or of the named files. `--passing FILE` writes the names of the
passing files, which the tests then require to pass."""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

HERE = pathlib.Path(__file__).resolve().parent
PASSING = HERE / "check_lines.txt"
SECONDS = 1200

# Reasons why a line does not match. Lines without a reason here are self-explanatory.
NAMED = {
    "coro-debug": "size of the frame; debug info then describes a folded constant and a value in a register",
    "coro-debug-coro-frame": "the call of coro.begin gets no attributes; an array type has no alignment",
    "coro-debug-dbg.values": "LLVM-C cannot create #dbg_assign: a #dbg_value is equivalent; all other lines match",
    "coro-debug-frame-variable": "variables follow the frame's variable in program order, each with its own source location",
    "coro-debug-spill-dbg.declare": "a value that is not live across the suspend is not in the frame",
    "coro-elide": "a frame whose handle does not escape is elided, although one exit does not destroy it",
    "coro-elide-musttail": "the destroy function is read but never called, so no lifetime.end marks the elided frame",
    "coro-elide-safe": "the call with the caller's frame remains for LLVM's inliner, which must inline it",
    "coro-heap-elide": "every call that may access the elided frame loses its `tail` marker, even without arguments",
    "coro-split-dbg-labels": "number of a metadata node; all other lines match",
    "coro-split-dbg-labels-inlined": "order of metadata nodes; all other lines match",
    "coro-split-final-suspend": "the suspend's index is an i8",
    "declare-value": "no list contains its compile unit: the reader drops such debug information, unlike `opt`",
    "no-suspend": "only a call in the block of the save is recognized as ending the suspend, not an invoke or another block",
    "remarks": "size of the frame; no hotness",
    "swift-async-dbg": "LLVM-C appends new functions at the end, and cannot create a `DIArgList`",
}
KINDS = (
    (re.compile(r"#dbg_|!dbg|!DI[A-Z]|\bDI[A-Z]\w+\(|\.debug\b"), "debug info"),
    (re.compile(r"Frame = type|[Ff]rame, ptr|FRAME:%|FRAME\]\]?, ptr"), "the frame as a struct type"),
    (re.compile(r"call ptr @\w+\(i\d+ \d+|dereferenceable\(\d+\)|frame_size|alloca \[\d+ x i8\]"), "size of the frame"),
    (re.compile(r"reload|spill|\.addr\b|AfterCoro|CoroEnd|corodispatch|^\d+: ; CHECK: [\w.]+:$"), "names of values and blocks"),
    (re.compile(r"CHECK-NEXT"), "order of instructions"),
)


@dataclasses.dataclass(frozen=True)
class Checked:
    name: str
    outcome: str  # "pass", "fail" or "not run"
    line: str  # the first failing line of the test; or the reason not to run it

    @property
    def passed(self) -> bool:
        return self.outcome == "pass"

    @property
    def why(self) -> str:
        """Return the known kind of the difference."""
        kind = next((kind for pattern, kind in KINDS if pattern.search(self.line)), "")
        return "" if self.outcome != "fail" else NAMED.get(self.name, kind)

    @property
    def cell(self) -> str:
        """Return the table's cell: pass, or the line as code, and the reason."""
        if self.passed:
            return "pass"
        line = re.sub(r"; (CHECK\S*):\s*", r"\1: ", self.line)
        return f"{self.outcome}: `{line}`" + (f" ({self.why})" if self.why else "")

    def __str__(self) -> str:
        return self.cell.replace("`", "")


def first_failure(text: str, path: pathlib.Path) -> str:
    """Return the CHECK line where FileCheck stopped, or the error of opt."""
    stopped = re.search(r"as_opt: (.*)", text)
    if stopped:
        return stopped[1]
    refused = re.search(r"(?m)^# \| error: (.*)", text)
    if refused:
        return "refused: " + refused[1]
    found = re.search(rf"{re.escape(path.name)}:(\d+):\d+: error: (\S+?):? (.*)", text)
    if found:
        line = path.read_text().splitlines()[int(found[1]) - 1].strip()
        return f"{found[1]}: {line}" + (f" ({found[3]})" if "not found" not in found[3] else "")
    told = re.search(r"(?m)^# \| (.*(?:error|ERROR).*)", text)
    return told[1] if told else "no message"


def outcome(case: tree.Element, folder: pathlib.Path) -> Checked:
    path = folder / f"{case.get('name', '')}"
    skipped, failed = case.find("skipped"), case.find("failure")
    if skipped is not None:
        return Checked(path.stem, "not run", skipped.get("message", ""))
    if failed is not None:
        return Checked(path.stem, "fail", first_failure(failed.text or "", path))
    return Checked(path.stem, "pass", "")


def run(paths: list[pathlib.Path], jobs: int = 2) -> list[Checked]:
    """Run each of the files; return the results by name."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for path in paths:
            shutil.copy(path, folder)
        for inputs in {path.parent / "Inputs" for path in paths}:
            if inputs.is_dir():
                shutil.copytree(inputs, folder / "Inputs", dirs_exist_ok=True)
        shutil.copy(HERE / "suite.cfg.py", folder / "lit.cfg.py")
        report = folder / "report.xml"
        command = [sys.executable, "-c", "import lit.main; lit.main.main()", "-q", f"-j{jobs}"]
        subprocess.run(
            [*command, "--xunit-xml-output", str(report), str(folder)],
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYCORO_LLVM_SUITE": str(HERE)},
            check=False,
            timeout=SECONDS,
        )
        cases = tree.parse(report).getroot().iter("testcase")
        return sorted((outcome(case, folder) for case in cases), key=lambda checked: checked.name)


def main() -> int:
    import llvmtests

    parser = argparse.ArgumentParser(description="LLVM's coroutine tests under their own CHECK lines, lowered by pycoro")
    parser.add_argument("names", nargs="*", help="of these only")
    parser.add_argument("--passing", metavar="FILE", type=pathlib.Path, help="write the names of those that pass there")
    arguments = parser.parse_args()
    cases = [case for case in llvmtests.cases() if case.abi != "none" and (not arguments.names or case.name in arguments.names)]
    if not cases:
        print("PYCORO_LLVM_TESTS names no folder with such tests", file=sys.stderr)
        return 2
    results = run([case.path for case in cases])
    for result in results:
        if not result.passed:
            print(f"{result.name}: {result}")
    ran = [result for result in results if result.outcome != "not run"]
    if arguments.passing:
        arguments.passing.write_text("".join(f"{result.name}\n" for result in results if result.passed))
    print(f"{sum(result.passed for result in results)} of {len(ran)} pass as they stand")
    return 0


if __name__ == "__main__":
    sys.exit(main())
