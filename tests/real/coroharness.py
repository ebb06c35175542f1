"""Builds C++ coroutine programs three times and runs them: by clang alone, lowered by pycoro, and lowered by LLVM's passes
in the same steps (the reference, which separates errors of the steps from errors of pycoro).

Clang's front end runs once for a source, level and flags: clang's code generation, pycoro and LLVM's passes start with the same
bitcode. The command `pycoro` runs in children of a server (command_server.py).
PYCORO_LOWERING=reference uses opt-22 instead of pycoro in every "lowered" build.
"""

from __future__ import annotations

import atexit
import dataclasses
import functools
import importlib.util
import itertools
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import command_server

CLANG = os.environ.get("PYCORO_CLANGXX", "clang++-22")
OPT = os.environ.get("PYCORO_OPT", "opt-22")
LLC = os.environ.get("PYCORO_LLC", "llc-22")
TOOLS = (CLANG, OPT, LLC)
PYCORO = [sys.executable, "-m", "pycoro"]
LINKER = ("-fuse-ld=lld",) if shutil.which("ld.lld-22") else ()  # takes half as long as GNU ld

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
TIMEOUT = 900  # of wall time, against deadlocks: a busy machine may take that many seconds


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
    return [*PYCORO, "opt"]


@functools.cache
def server() -> command_server.Server:
    started = command_server.Server()
    atexit.register(started.close)
    return started


def run_command(command: list[str], timeout: float = TIMEOUT, **kwargs) -> subprocess.CompletedProcess[str]:
    """Run a command and return its output, which includes its errors. Raises ``TimeoutError``."""
    if command[: len(PYCORO)] == PYCORO and not kwargs and "LLVM_PROFILE_FILE" not in os.environ:
        done = server().run(command[len(PYCORO) :], timeout)
    else:
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, check=False, **kwargs)
        except subprocess.TimeoutExpired as late:
            raise TimeoutError((late.stdout or b"").decode(errors="replace")) from None
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(errors="replace"))


def call(step: str, command: list[str], timeout: float = TIMEOUT, **kwargs) -> str:
    try:
        done = run_command(command, timeout, **kwargs)
    except TimeoutError as late:
        raise StepFailed(step, command, "timeout", str(late)) from None
    if done.returncode != 0:
        raise StepFailed(step, command, done.returncode, done.stdout)
    return done.stdout


def format_of(out: pathlib.Path) -> tuple[str, ...]:
    """Return the options of clang, opt and pycoro that write text or, to a file `.bc`, bitcode."""
    return () if out.suffix == ".bc" else ("-S",)


def emit_ir(source: pathlib.Path, out: pathlib.Path, level: str, flags: tuple[str, ...] = LANGUAGE) -> pathlib.Path:
    """Write the presplit IR of clang's front end, before all passes."""
    kind = format_of(out) or ("-c",)
    call(
        "clang",
        [CLANG, *flags, level, "-Xclang", "-disable-llvm-passes", "-fPIC", "-w", *kind, "-emit-llvm", str(source), "-o", str(out)],
    )
    return out


@functools.cache
def session_folder() -> pathlib.Path:
    """Return a directory for what several tests use, which is removed at the end of this process."""
    folder = tempfile.TemporaryDirectory(prefix="pycoro-objects-")
    atexit.register(folder.cleanup)
    return pathlib.Path(folder.name)


_numbers = itertools.count()


@functools.cache
def _presplit(source: pathlib.Path, changed: int, level: str, flags: tuple[str, ...]) -> pathlib.Path:
    return emit_ir(source, session_folder() / f"{source.stem}{level}.{next(_numbers)}.bc", level, flags)


def presplit(source: pathlib.Path, level: str, flags: tuple[str, ...] = LANGUAGE) -> pathlib.Path:
    """Return the presplit bitcode of a source, which clang's front end writes once for all tests of this process."""
    return _presplit(source, source.stat().st_mtime_ns, level, flags)


def lower(
    ir: pathlib.Path, out: pathlib.Path, pipeline: str, mode: str | None = None, options: tuple[str, ...] = ()
) -> pathlib.Path:
    call("lower", [*opt_command(mode), str(ir), f"-passes={pipeline}", *options, *format_of(out), "-o", str(out)])
    return out


def compile_ir(ir: pathlib.Path, out: pathlib.Path, level: str) -> pathlib.Path:
    """Run llc and never clang, which would run LLVM's coroutine passes and so hide an incomplete lowering."""
    call("llc", [LLC, level, "-filetype=obj", "-relocation-model=pic", str(ir), "-o", str(out)])
    return out


def lowered_object(
    source: pathlib.Path, folder: pathlib.Path, level: str, mode: str | None = None, flags: tuple[str, ...] = LANGUAGE
) -> pathlib.Path:
    out = folder / f"{source.parent.name}.{source.stem}{level}.lowered.bc"
    lower(presplit(source, level, flags), out, pipeline_for(source, level), mode)
    return compile_ir(out, out.with_suffix(".o"), level)


@functools.cache
def _clang_object(bitcode: pathlib.Path, level: str) -> pathlib.Path:
    out = bitcode.with_suffix(".clang.o")
    call("clang", [CLANG, level, "-fPIC", "-w", "-c", "-x", "ir", str(bitcode), "-o", str(out)])
    return out


def clang_object(source: pathlib.Path, level: str, flags: tuple[str, ...] = LANGUAGE) -> pathlib.Path:
    """Return clang's object: LLVM's pipeline of the level lowers the coroutines. It is built once for all tests of this process."""
    return _clang_object(presplit(source, level, flags), level)


@functools.cache
def clang_outcome(source: pathlib.Path, level: str, flags: tuple[str, ...]) -> Outcome:
    """Return the outcome of the program that clang builds from one source, once for all tests of this process."""
    compiled = clang_object(source, level, flags)
    return run(link([compiled], compiled.with_suffix(".program")))


def sanitized_object(source: pathlib.Path, folder: pathlib.Path, level: str, flags: tuple[str, ...]) -> pathlib.Path:
    """The front end marks the functions and emits UBSan's checks; LLVM's asan pass runs after the lowering."""
    out = folder / f"{source.parent.name}.{source.stem}{level}.sanitized.bc"
    lower(presplit(source, level, (*flags, *SANITIZE)), out, f"{pipeline_for(source, level)},asan")
    return compile_ir(out, out.with_suffix(".o"), level)


@functools.cache
def linker_command(flags: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command with which clang links ``/dev/null``, which must exist, to ``OUT``. Its driver takes as long as the
    linker, so it runs once."""
    said = call("link", [CLANG, *LINKER, *flags, "-###", os.devnull, "-o", "OUT"])
    return tuple(shlex.split(said.splitlines()[-1]))


def link(objects: list[pathlib.Path], out: pathlib.Path, flags: tuple[str, ...] = ()) -> pathlib.Path:
    """Link object files, which may include C++ sources; only then clang's driver runs."""
    if any(path.suffix == ".cpp" for path in objects):
        call("link", [CLANG, *LINKER, *flags, *map(str, objects), "-o", str(out)])
        return out
    replaced = {os.devnull: list(map(str, objects)), "OUT": [str(out)]}
    call("link", [word for part in linker_command(flags) for word in replaced.get(part, [part])])
    return out


def run(program: pathlib.Path, timeout: int = 20) -> Outcome:
    """Run the program, with a limit of processor time; the wall time is limited only in case of a deadlock."""
    # Fills fresh and freed memory, so that reads of uninitialized or freed memory show.
    env = dict(os.environ, MALLOC_PERTURB_="165")
    command = ["prlimit", f"--cpu={timeout}:{timeout + 1}", str(program)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=20 * timeout, env=env, check=False)
    except subprocess.TimeoutExpired:
        raise StepFailed("run", [str(program)], "timeout", "") from None
    if done.returncode == -signal.SIGXCPU:
        raise StepFailed("run", [str(program)], "timeout", "")
    return Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def sources(program: pathlib.Path) -> list[pathlib.Path]:
    """Return the program's one file, or all .cpp files of its directory, which are linked together."""
    return sorted(program.glob("*.cpp")) if program.is_dir() else [program]


def programs() -> list[pathlib.Path]:
    return sorted(p for p in PROGRAMS.iterdir() if p.is_dir() or p.suffix == ".cpp")
