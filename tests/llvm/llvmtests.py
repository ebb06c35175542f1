"""LLVM's coroutine tests as inputs: each is classified and lowered in a child process, and the code generator must accept
the result. As a command it prints the table of results, or writes it with --write FILE.

PYCORO_LLVM_TESTS names the directory with llvm/test/Transforms/Coroutines; PYCORO_LOWERING=reference lowers with
LLVM's passes instead, to identify failures caused by the inputs.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "real"))
import checklines
import coroharness as harness

PLAIN = "coro-early,cgscc(coro-split),coro-cleanup"
TIMEOUT = 600  # as in coroharness.py

# First match wins: an input of several kinds has the name of the one that is hardest to lower.
ABIS = (
    ("async", re.compile(r"call token .*@llvm\.coro\.id\.async\(")),
    ("retcon.once", re.compile(r"call token .*@llvm\.coro\.id\.retcon\.once\(")),
    ("retcon", re.compile(r"call token .*@llvm\.coro\.id\.retcon\(")),
    ("switch", re.compile(r"call token .*@llvm\.coro\.id\(")),
)
NEEDS = (
    (
        "exceptions",
        re.compile(
            r"^\s+(%\S+ = )?(invoke|landingpad|cleanuppad|catchswitch|catchpad|cleanupret|resume \{)"
            r"|= (invoke|landingpad) ",
            re.M,
        ),
    ),
    ("debug info", re.compile(r"^!llvm\.dbg\.cu|DISubprogram|#dbg_|llvm\.dbg\.", re.M)),
    ("swifterror", re.compile(r"\bswifterror\b")),
    ("byval", re.compile(r"\bbyval\(")),
)


# Inputs that LLVM's code generator rejects after any lowering, and its message.
NO_OBJECT = {
    "coro-async-declaration": "unsupported relocation with subtraction expression",  # a function pointer to another object
    "coro-async-remat": "invalid llvm.linker.options",  # those of another system
}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    path: pathlib.Path
    abi: str  # of its coro.id calls, or "none"
    needs: tuple[str, ...]  # beyond the needs of every lowering
    own_passes: str  # the pass string of its first RUN line that splits, or ""

    @property
    def plain(self) -> bool:
        return self.abi == "switch" and not self.needs


@dataclasses.dataclass(frozen=True)
class Result:
    case: Case
    plain: str  # "" if the plain pipeline passes, else the reason
    own: str  # the same for its own passes, "-" if it has none
    llvm_too: bool = False  # whether LLVM's passes fail as well

    @property
    def lowered(self) -> bool:
        return not self.plain or not self.own or self.no_object

    @property
    def no_object(self) -> bool:
        """Return whether only code generation fails, for any lowering."""
        return self.plain.startswith("llc: ") and NO_OBJECT.get(self.case.name, "\0") in self.plain


def root() -> pathlib.Path | None:
    given = os.environ.get("PYCORO_LLVM_TESTS")
    folder = pathlib.Path(given) / "llvm/test/Transforms/Coroutines" if given else None
    return folder if folder and folder.is_dir() else None


def code(text: str) -> str:
    """Return the IR without comments, which may mention absent intrinsics."""
    return re.sub(r"(?m)^\s*;.*$|\s;[^\"\n]*$", "", text)


def own_passes(text: str) -> str:
    """Return the passes of its first RUN line that splits, except LLVM's whole pipelines."""
    runs = re.sub(r"\\\n;\s*(RUN:)?", " ", text)
    for line in re.findall(r"RUN:(.*)", runs):
        found = re.search(r"-passes=(?:'([^']*)'|\"([^\"]*)\"|(\S+))", line)
        passes = next((g for g in found.groups() if g), "") if found else ""
        if "coro-split" in passes and "default<" not in passes and "-profile" not in line:
            return passes
    return ""


def read(path: pathlib.Path) -> Case:
    text = path.read_text()
    ir = code(text)
    abi = next((name for name, pattern in ABIS if pattern.search(ir)), "none")
    return Case(path.stem, path, abi, tuple(n for n, p in NEEDS if p.search(ir)), own_passes(text))


def cases() -> list[Case]:
    folder = root()
    return [read(path) for path in sorted(folder.glob("*.ll"))] if folder else []


def remaining_intrinsic(ir: str) -> str:
    """Return the first coroutine intrinsic still used, "" if none is; a bare declaration is harmless."""
    for line in code(ir).splitlines():
        found = re.search(r"@(llvm\.coro\.[\w.]+)", line)
        if found and not line.startswith("declare"):
            return found[1]
    return ""


def attempt(path: pathlib.Path, passes: str, folder: pathlib.Path, mode: str | None = None) -> str:
    """Lower, verify, look for remaining intrinsics, compile; return the failure, or ""."""
    out = folder / f"{path.stem}.out.ll"
    try:
        harness.call("lower", [*harness.opt_command(mode), str(path), f"-passes={passes}", "-S", "-o", str(out)], TIMEOUT)
        harness.call("verify", [harness.OPT, "-passes=verify", "-disable-output", str(out)], TIMEOUT)
        left = remaining_intrinsic(out.read_text())
        if left:
            return f"left over: {left}"
        harness.call("llc", [harness.LLC, "-O0", "-filetype=obj", str(out), "-o", os.devnull], TIMEOUT)
    except harness.StepFailed as failed:
        return f"{failed.step}: {reason(failed)}"
    return ""


def reason(failed: harness.StepFailed) -> str:
    """Return the failure in one line for the table."""
    if failed.status == "timeout":
        return "timeout"
    if isinstance(failed.status, int) and failed.status < 0:
        told = re.search(r"LLVM ERROR: (.*)", str(failed))
        return f"killed by signal {-failed.status}" + (f": {told[1]}"[:140] if told else "")
    lines = [line.strip() for line in str(failed).splitlines()[1:] if line.strip()]
    told = next((line for line in lines if "error" in line), lines[0] if lines else "no message")
    return re.sub(r"^\S*\.ll(:\d+:\d+)?: |^error: ", "", told)[:140]


def run_own_passes(case: Case, folder: pathlib.Path, mode: str | None = None) -> str:
    """Run the case by its own passes: some expect coro-early to have run, some not."""
    if not case.own_passes:
        return "-"
    first = attempt(case.path, f"{case.own_passes},coro-cleanup", folder, mode)
    return first and (attempt(case.path, f"coro-early,{case.own_passes},coro-cleanup", folder, mode) and first)


def examine(case: Case, folder: pathlib.Path) -> Result:
    result = Result(case, attempt(case.path, PLAIN, folder), run_own_passes(case, folder))
    if result.lowered and not result.no_object:
        return result
    theirs = attempt(case.path, PLAIN, folder, "reference") and run_own_passes(case, folder, "reference")
    return dataclasses.replace(result, llvm_too=bool(theirs))


def survey(jobs: int = 2) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda case: examine(case, pathlib.Path(folder)), cases()))


def verdict(result: Result) -> str:
    if result.lowered:
        return "lowered"
    return "not supported" if result.case.abi != "none" else "no coroutine id"


def table(results: list[Result], checked: dict[str, checklines.Checked]) -> str:
    plain = [r for r in results if r.case.plain]
    good = [r for r in results if r.lowered]
    lines = [
        "# LLVM's coroutine tests as inputs",
        "",
        "This page is for contributors. It lists which of LLVM's own coroutine tests pycoro lowers.",
        "",
        f"Each `.ll` of LLVM 22's `Transforms/Coroutines` runs through `{PLAIN}`. The result is",
        'verified, searched for remaining coroutine intrinsics, and compiled by `llc-22`. The column "its own passes" shows the',
        "same for the passes in the test's own RUN line, followed by `coro-cleanup` and, if necessary, preceded by `coro-early`.",
        "An input counts as lowered if one of the two pipelines succeeds, or only fails because the code generator does not",
        "support the input itself.",
        "`python tests/llvm/llvmtests.py --write docs/llvm-tests.md` writes this page. The inputs are LLVM's and not in this",
        "repository.",
        "",
        f"pycoro lowers {len(good)} of {len(results)} inputs. Of the {len(plain)} that use the switched-resume ABI",
        f"without exceptions, debug info, swifterror and byval, it lowers {sum(r.lowered for r in plain)}.",
        "If LLVM's own passes fail alike, the table says so.",
        "",
        f"With their own `RUN` and `CHECK` lines, {sum(c.passed for c in checked.values())} of the {len(checked)}"
        " tests with coroutines pass. The last",
        "column, which `python tests/llvm/checklines.py` prints separately, shows the first `CHECK` line that fails. Most of these",
        "expect LLVM's frame, a struct type; pycoro's frames are bytes at offsets. In LLVM's whole pipelines, such as",
        "`default<O2>`, LLVM's coroutine passes run inside the pipeline; pycoro's run before it.",
        "",
        "| input | ABI | uses | result | reason | its own passes | its CHECK lines |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for r in results:
        own = {"": "pass", "-": ""}.get(r.own, r.own)
        why = r.plain + (" (LLVM's passes fail, too)" if r.llvm_too else "")
        checks = checked[r.case.name].cell if r.case.name in checked else ""
        cells = (r.case.name, r.case.abi, ", ".join(r.case.needs), verdict(r), why, own, checks)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="LLVM's coroutine tests, lowered by pycoro: a table")
    parser.add_argument("--write", metavar="FILE", type=pathlib.Path, help="write the table there")
    arguments = parser.parse_args()
    if root() is None:
        print("PYCORO_LLVM_TESTS does not name a folder with llvm/test/Transforms/Coroutines in it", file=sys.stderr)
        return 2
    checked = checklines.run([case.path for case in cases() if case.abi != "none"])
    text = table(survey(), {one.name: one for one in checked})
    if arguments.write:
        arguments.write.write_text(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
