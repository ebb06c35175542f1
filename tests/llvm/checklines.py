"""LLVM's coroutine tests with their own RUN and CHECK lines as they stand, `opt` being pycoro. As a command it prints how
many files pass and, of the others, the first line that does not; with names, only those files.
"""
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
SECONDS = 1200


@dataclasses.dataclass(frozen=True)
class Checked:
    name: str
    outcome: str  # "pass", "fail" or "not run"
    line: str  # of the test: the first that does not hold; or why it was not run

    @property
    def passed(self) -> bool:
        return self.outcome == "pass"


def first_failure(text: str, path: pathlib.Path) -> str:
    """The CHECK line that FileCheck stopped at, or what stopped opt before it."""
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
    """Each of the files, by name."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for path in paths:
            shutil.copy(path, folder)
        for inputs in {path.parent / "Inputs" for path in paths}:
            if inputs.is_dir():
                shutil.copytree(inputs, folder / "Inputs", dirs_exist_ok=True)
        shutil.copy(HERE / "suite.cfg.py", folder / "lit.cfg.py")
        report = folder / "report.xml"
        subprocess.run([sys.executable, "-c", "import lit.main; lit.main.main()", "-q", f"-j{jobs}", "--xunit-xml-output", str(report), str(folder)],
                       env={**os.environ, "PYCORO_LLVM_SUITE": str(HERE)}, stdout=subprocess.DEVNULL, check=False,
                       timeout=SECONDS)
        cases = tree.parse(report).getroot().iter("testcase")
        return sorted((outcome(case, folder) for case in cases), key=lambda checked: checked.name)


def main() -> int:
    import llvmtests

    parser = argparse.ArgumentParser(description="LLVM's coroutine tests under their own CHECK lines, lowered by pycoro")
    parser.add_argument("names", nargs="*", help="of these only")
    arguments = parser.parse_args()
    cases = [case for case in llvmtests.cases() if case.abi == "switch" and (not arguments.names or case.name in arguments.names)]
    if not cases:
        print("PYCORO_LLVM_TESTS names no folder with such tests", file=sys.stderr)
        return 2
    results = run([case.path for case in cases])
    for result in results:
        if not result.passed:
            print(f"{result.name}: {result.outcome}: {result.line}")
    ran = [result for result in results if result.outcome != "not run"]
    print(f"{sum(result.passed for result in results)} of {len(ran)} pass as they stand")
    return 0


if __name__ == "__main__":
    sys.exit(main())
