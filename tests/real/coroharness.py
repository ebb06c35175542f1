"""Builds C++ coroutine programs three times and runs them: by clang alone, lowered by pycoro, and lowered by LLVM's passes
in the same steps (the reference, which separates errors of the steps from errors of pycoro).

PYCORO_LOWERING=reference uses opt-22 instead of pycoro in every "lowered" build.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CLANG = os.environ.get("PYCORO_CLANGXX", "clang++-22")
OPT = os.environ.get("PYCORO_OPT", "opt-22")
LLC = os.environ.get("PYCORO_LLC", "llc-22")
TOOLS = (CLANG, OPT, LLC)

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
GUARD = HERE / "support" / "heap_guard.cpp"

LANGUAGE = ("-std=c++20", "-fno-exceptions")
LEVELS = ("-O0", "-O2")

# Before the split LLVM's simplifications decide which values live across a suspend; from -O1 on fields share storage, as in
# LLVM.
SIMPLIFY = "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>)"
PIPELINES = {f"-{level}": f"default<{level}>" for level in ("O0", "O1", "O2", "O3")}
APART = "// Lowered before it is optimised"  # in a program whose output an optimizer may change


TOLD = frozenset({"alloc-02-fail-new-grooaf-check", "pr95615-05"})  # GCC programs whose output depends on the calls of operator new


def pipeline_for(source: pathlib.Path, level: str) -> str:
    if level == "-O0" or (source.stem not in TOLD and APART not in source.read_text(errors="replace")):
        return PIPELINES[level]
    return f"coro-early,cgscc(inline,{SIMPLIFY},coro-split<reuse-storage>),coro-cleanup,{PIPELINES[level]}"


SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
TIMEOUT = 120


class StepFailed(Exception):
    """A tool failed, crashed or timed out; the message has the command and the end of its output."""

    def __init__(self, step: str, command: list[str], status: int | str, text: str):
        self.step, self.status = step, status
        tail = "\n".join(text.strip().splitlines()[-25:])
        super().__init__(f"{step} failed ({status}): {' '.join(command)}\n{tail}")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of a run: two builds of one program must have equal outcomes."""

    status: int
    output: str
    errors: str


def missing_tools() -> list[str]:
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def llvm_version() -> str:
    """Return the version of opt; empty without the tools."""
    if missing_tools():
        return ""
    told = subprocess.run([OPT, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    found = re.search(r"version (\d+\.\d+\.\d+)", told)
    return found[1] if found else ""


@functools.cache
def sanitizers_link() -> bool:
    """Return whether the sanitizers' libraries, a separate package, are installed."""
    if missing_tools():
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "empty.cpp")
        source.write_text("int main() {}\n")
        try:
            call("link", [CLANG, *SANITIZE, str(source), "-o", str(source.with_suffix(""))])
        except StepFailed:
            return False
        return True


def lowering() -> str:
    mode = os.environ.get("PYCORO_LOWERING", "pycoro")
    if mode not in ("pycoro", "reference"):
        raise ValueError(f"PYCORO_LOWERING is {mode!r}; it is 'pycoro' or 'reference'")
    return mode


def opt_command(mode: str | None = None) -> list[str]:
    """Return the lowering command without its arguments, which both tools accept."""
    if (mode or lowering()) == "reference":
        return [OPT]
    if importlib.util.find_spec("pycoro") is None:
        raise RuntimeError("pycoro is not importable: install it, or set PYCORO_LOWERING=reference")
    return [sys.executable, "-m", "pycoro", "opt"]


def call(step: str, command: list[str], timeout: float = TIMEOUT, **kwargs) -> str:
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
            **kwargs,
        )
    except subprocess.TimeoutExpired as late:
        raise StepFailed(step, command, "timeout", str(late.stdout or "")) from None
    if done.returncode != 0:
        raise StepFailed(step, command, done.returncode, done.stdout)
    return done.stdout


def emit_ir(source: pathlib.Path, out: pathlib.Path, level: str, flags: tuple[str, ...] = LANGUAGE) -> pathlib.Path:
    """Write the presplit IR of clang's front end, before all passes."""
    call(
        "clang",
        [CLANG, *flags, level, "-Xclang", "-disable-llvm-passes", "-fPIC", "-w", "-S", "-emit-llvm", str(source), "-o", str(out)],
    )
    return out


def lower(
    ir: pathlib.Path, out: pathlib.Path, pipeline: str, mode: str | None = None, options: tuple[str, ...] = ()
) -> pathlib.Path:
    call("lower", [*opt_command(mode), str(ir), f"-passes={pipeline}", *options, "-S", "-o", str(out)])
    return out


def compile_ir(ir: pathlib.Path, out: pathlib.Path, level: str) -> pathlib.Path:
    """Run llc and never clang, which would run LLVM's coroutine passes and so hide an incomplete lowering."""
    call("llc", [LLC, level, "-filetype=obj", "-relocation-model=pic", str(ir), "-o", str(out)])
    return out


def lowered_object(
    source: pathlib.Path, folder: pathlib.Path, level: str, mode: str | None = None, flags: tuple[str, ...] = LANGUAGE
) -> pathlib.Path:
    stem = f"{source.parent.name}.{source.stem}{level}"
    presplit = emit_ir(source, folder / f"{stem}.presplit.ll", level, flags)
    lowered = lower(presplit, folder / f"{stem}.lowered.ll", pipeline_for(source, level), mode)
    return compile_ir(lowered, folder / f"{stem}.lowered.o", level)


def clang_object(source: pathlib.Path, folder: pathlib.Path, level: str, flags: tuple[str, ...] = LANGUAGE) -> pathlib.Path:
    out = folder / f"{source.parent.name}.{source.stem}{level}.clang.o"
    call("clang", [CLANG, *flags, level, "-fPIC", "-w", "-c", str(source), "-o", str(out)])
    return out


def sanitized_object(source: pathlib.Path, folder: pathlib.Path, level: str, flags: tuple[str, ...]) -> pathlib.Path:
    """The front end marks the functions and emits UBSan's checks; LLVM's asan pass runs after the lowering."""
    stem = f"{source.parent.name}.{source.stem}{level}.sanitized"
    presplit = emit_ir(source, folder / f"{stem}.presplit.ll", level, (*flags, *SANITIZE))
    lowered = lower(presplit, folder / f"{stem}.lowered.ll", f"{pipeline_for(source, level)},asan")
    return compile_ir(lowered, folder / f"{stem}.o", level)


def link(objects: list[pathlib.Path], out: pathlib.Path, flags: tuple[str, ...] = ()) -> pathlib.Path:
    call("link", [CLANG, *flags, *map(str, objects), "-o", str(out)])
    return out


def run(program: pathlib.Path, timeout: float = 20) -> Outcome:
    # Fills fresh and freed memory, so that reads of uninitialized or freed memory show.
    env = dict(os.environ, MALLOC_PERTURB_="165")
    try:
        done = subprocess.run([str(program)], capture_output=True, timeout=timeout, env=env, check=False)
    except subprocess.TimeoutExpired:
        raise StepFailed("run", [str(program)], "timeout", "") from None
    return Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def sources(program: pathlib.Path) -> list[pathlib.Path]:
    """Return the program's one file, or all .cpp files of its directory, which are linked together."""
    return sorted(program.glob("*.cpp")) if program.is_dir() else [program]


def programs() -> list[pathlib.Path]:
    return sorted(p for p in PROGRAMS.iterdir() if p.is_dir() or p.suffix == ".cpp")


class Ahead:
    """Computes work(key) for all keys in the background, with one worker for each processor; a call returns the result for a
    key."""

    def __init__(self, keys, work):
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1)
        self.futures = {key: self.pool.submit(work, key) for key in keys}

    def __call__(self, key):
        return self.futures[key].result()

    def close(self):
        self.pool.shutdown(cancel_futures=True)
