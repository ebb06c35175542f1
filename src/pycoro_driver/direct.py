"""Compile a unit with pycoro's plugin without querying clang's driver for its jobs first, which takes as long as starting clang.

clang runs with the plugin and with ``-v``, so that it prints the job that it executes. Only then it is known whether the plugin was
allowed to lower the unit, with this pass string. If not, the result is discarded, and the caller compiles the unit as usual. The
command lines of build systems seldom contain options for which that happens.
"""

from __future__ import annotations

import os

from pycoro_driver.clang import read_plan, terminal_options
from pycoro_driver.find import find_plugin, write_stderr
from pycoro_driver.job import LEVELS, Job, may_replace
from pycoro_driver.process import read_and_delete
from pycoro_driver.unit import mentions_coroutines, write_stdout

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pycoro_driver.options import Options
    from pycoro_driver.process import Runner

__all__ = ["compile_directly"]

_SUFFIXES = (".cpp", ".cc", ".cxx", ".C", ".c++", ".cppm", ".ixx")
_NOT_DIRECT = (
    "-###", "-v", "@", "--config", "-X", "-S", "-E", "-emit", "-save-temps", "--save-temps", "-flto", "-fsanitize", "-fprofile",
    "-fcoverage", "--coverage", "-ftime", "-fpass-plugin", "-fplugin", "-Rpass", "-fsave-opt", "-working-directory", "-mllvm",
    "-grecord", "-frecord", "-x", "-arch", "-fmodule", "--precompile", "-fno-integrated", "-foffload", "--offload", "-fopenmp",
)  # fmt: skip
"""Starts of options with which a direct run would be discarded, or would write other files."""

_END_OF_PATHS = "End of search list."
"""Last line that ``clang -cc1 -v`` prints before diagnostics."""

_ADDED = ("-v", "-disable-llvm-passes")


def compile_directly(clang: str, arguments: list[str], own: Options, runner: Runner) -> int | None:
    """Compile a unit with a coroutine, and return clang's exit status. Return ``None``, without output, if that is not possible."""
    source, output = _source_and_output(arguments)
    plugin = find_plugin() if source and own.is_default and may_replace(output) and mentions_coroutines(source) else ""
    if not plugin:
        return None
    level = LEVELS.get(next((a for a in reversed(arguments) if a.startswith("-O")), "-O0"), "")
    outcome = os.path.join(runner.scratch, "outcome")
    environment = {**os.environ, "PYCORO_PLUGIN_PASSES": f"default<{level}>", "PYCORO_PLUGIN_OUTCOME": outcome}
    added = ["-v", "-Xclang", "-disable-llvm-passes", f"-fpass-plugin={plugin}", "-fno-crash-diagnostics", *terminal_options()]
    done = runner.run_captured([clang, *added, *arguments], b"", environment)
    said = read_and_delete(outcome) if os.path.exists(outcome) else b""
    lines = done.errors.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    at = next((number for number, line in enumerate(lines) if line.startswith(' "')), -1)
    plan = read_plan(done.status, lines[: at + 1])
    end = lines.index(_END_OF_PATHS) if _END_OF_PATHS in lines else -1
    is_complete = end > at >= 0 and (done.status, said) in ((0, b"lowered"), (1, b"loaded"))
    if not (is_complete and _could_be_direct(plan.jobs[0], level)):
        if not done.status and os.path.isfile(output):
            os.unlink(output)  # it is empty, or was compiled without passes
        if (done.status, said) == (0, b"loaded"):
            own.separate = True  # no coroutine, or pycoro rejects it: the plugin would find the same again
        return None
    write_stdout(done.output)
    write_stderr("".join(f"{line}\n" for line in (*plan.messages, *lines[end + 1 :])))
    return done.status


def _source_and_output(arguments: Sequence[str]) -> tuple[str, str]:
    """Return the only source and the output of a compilation; empty if the command line is another one."""
    if "-c" not in arguments or arguments.count("-o") != 1 or any(a.startswith(_NOT_DIRECT) for a in arguments):
        return "", ""
    after = arguments[arguments.index("-o") + 1 :][:1]
    sources = [a for a in arguments if a.endswith(_SUFFIXES) and not a.startswith("-") and os.path.isfile(a)]
    return (sources[0], after[0]) if len(sources) == 1 and after else ("", "")


def _could_be_direct(job: Job, level: str) -> bool:
    """Return whether the plugin may lower the unit of a job that was run with it."""
    command = tuple(a for a in job.command if a not in _ADDED and not a.startswith("-fpass-plugin="))
    without = Job(command)
    return without.may_have_coroutines and without.may_use_plugin and not without.may_request_remarks and without.level == level
