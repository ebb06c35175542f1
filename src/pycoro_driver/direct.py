"""Compile a unit with pycoro's plugin without querying clang's driver for its jobs first, which takes as long as starting clang.

clang runs with the plugin and with ``-v``, so that it prints the job that it executes. Only then it is known whether the plugin was
allowed to lower the unit, with this pass string. If not, the result is discarded, and the caller compiles the unit as usual.

The object is first written beside its final name, and replaces it only if the job is right. An option is allowed only if it is
known that clang writes nothing that differs with that name or with the added options; any other takes the usual path at once.
"""

from __future__ import annotations

import os

from pycoro_driver.clang import read_plan, terminal_options
from pycoro_driver.find import find_plugin, write_stderr
from pycoro_driver.job import LEVELS, Job, delete_output, level_of, may_create_or_replace, temporary_beside
from pycoro_driver.pipelines import with_passes_of_own_options
from pycoro_driver.process import read_and_delete
from pycoro_driver.unit import mentions_coroutines, write_stdout

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pycoro_driver.options import Options
    from pycoro_driver.process import Runner

__all__ = ["compile_directly"]

_SUFFIXES = (".cpp", ".cc", ".cxx", ".C", ".c++")

# Options that are allowed: complete ones, those with a separate value, and beginnings.
_ALONE = {
    *LEVELS, "-c", "-w", "-pipe", "-pthread", "-pedantic", "-pedantic-errors", "-Qunused-arguments", "-nostdinc", "-nostdinc++",
    "-MD", "-MMD", "-MP", "-g", "-g0", "-g1", "-g2", "-g3", "-ggdb", "-ggdb1", "-ggdb2", "-ggdb3", "-gdwarf-4", "-gdwarf-5",
    "-gline-tables-only", "-m32", "-m64", "-mno-red-zone", "-fPIC", "-fpic", "-fno-PIC", "-fno-pic", "-fPIE", "-fpie", "-fno-PIE",
    "-fno-pie", "-fno-plt", "-fexceptions", "-fno-exceptions", "-frtti", "-fno-rtti", "-fcoroutines", "-fchar8_t",
    "-fno-char8_t", "-ffunction-sections", "-fdata-sections", "-fno-function-sections", "-fno-data-sections",
    "-fomit-frame-pointer", "-fno-omit-frame-pointer", "-fno-omit-leaf-frame-pointer", "-fstrict-aliasing", "-fno-strict-aliasing",
    "-fvisibility-inlines-hidden", "-fstack-protector", "-fstack-protector-strong", "-fstack-protector-all",
    "-fno-stack-protector", "-fstack-clash-protection", "-fcf-protection", "-fno-semantic-interposition", "-fwrapv",
    "-ffast-math", "-fno-math-errno", "-fno-common", "-fno-ident", "-fsigned-char", "-funsigned-char", "-fsized-deallocation",
    "-fno-sized-deallocation", "-fno-threadsafe-statics", "-fno-delete-null-pointer-checks", "-fstandalone-debug",
    "-fno-limit-debug-info", "-fcolor-diagnostics", "-fno-color-diagnostics", "-fdiagnostics-color", "-fno-diagnostics-color",
    "-fno-caret-diagnostics", "-fasynchronous-unwind-tables", "-fno-asynchronous-unwind-tables",
}  # fmt: skip
_WITH_VALUE = {"-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-MF", "-MT", "-MQ", "-o"}
_BEGINNINGS = (
    "-D", "-U", "-I", "-std=", "-stdlib=", "--sysroot=", "-march=", "-mtune=", "-mcpu=", "-mcmodel=", "-mfpmath=", "-msse",
    "-mno-sse", "-mavx", "-mno-avx", "-mbmi", "-mfma", "-mpopcnt", "-fvisibility=", "-ftls-model=", "-fcf-protection=",
    "-ftemplate-depth=", "-ftemplate-backtrace-limit=", "-fconstexpr-depth=", "-fconstexpr-steps=", "-ferror-limit=",
    "-fdiagnostics-color=", "-fmacro-prefix-map=", "-fdebug-prefix-map=", "-ffile-prefix-map=", "-ftrivial-auto-var-init=",
)  # fmt: skip

_LOGGING_VARIABLES = ("CC_PRINT_", "CC_LOG_", "CCC_", "RC_DEBUG_")
"""Beginnings of environment variables with which clang's driver prints or records its options, or changes them."""

_ADDED = ("-v", "-disable-llvm-passes")

# What ``clang -cc1 -v`` prints: a first line, lines with these beginnings, directories after the last of these, and a last line.
_FIRST_LINE = "clang -cc1 version "
_BEGINNINGS_OF_LINES = (
    'ignoring nonexistent directory "', 'ignoring duplicate directory "', "  as it is a non-system directory that duplicates",
    '#include "..." search starts here:', "#include <...> search starts here:",
)  # fmt: skip
_LAST_LINE = "End of search list."


class _Compilation:
    """The command line of a compilation with a single source and a named output, and only allowed options."""

    __slots__ = ("_options", "_values", "output", "source")

    def __init__(self, options: list[str], values: dict[str, str], source: str) -> None:
        self.source = source
        self.output = values["-o"]
        self._options = options
        """Arguments without the output."""
        self._values = values
        """Options with their values; those without one are included."""

    def arguments_with_output(self, output: str) -> list[str]:
        """Return arguments that write the object to another file, and dependencies as if they did not."""
        added = ["-o", output]
        if "-MD" in self._values or "-MMD" in self._values:
            folder, name = os.path.split(self.output)
            if "-MF" not in self._values:
                added += ["-MF", os.path.join(folder, f"{name[: name.rfind('.')] if '.' in name else name}.d")]
            if "-MT" not in self._values and "-MQ" not in self._values:
                added += ["-MQ", self.output]
        return [*self._options, *added]


def compile_directly(clang: str, arguments: list[str], own: Options, runner: Runner) -> int | None:
    """Compile a unit with a coroutine, and return clang's exit status. Return ``None`` if that is not possible, without output and
    without a change of the object; ``own.separate`` becomes true if the plugin found no coroutine or a rejected one.
    """
    unit = _parse_or_none_if_indirect(arguments)
    if not unit or not own.allows_lowering_in_clang or any(name.startswith(_LOGGING_VARIABLES) for name in os.environ):
        return None
    plugin = find_plugin() if may_create_or_replace(unit.output) and mentions_coroutines(unit.source) else ""
    if not plugin:
        return None
    level = level_of(arguments)
    temporary = temporary_beside(unit.output)
    outcome = os.path.join(runner.scratch, "outcome")
    passes = with_passes_of_own_options(f"default<{level}>", own, arguments)
    environment = {**os.environ, "PYCORO_PLUGIN_PASSES": passes, "PYCORO_PLUGIN_OUTCOME": outcome}
    added = ["-v", "-Xclang", "-disable-llvm-passes", f"-fpass-plugin={plugin}", "-fno-crash-diagnostics", *terminal_options()]
    try:
        done = runner.run_captured([clang, *added, *unit.arguments_with_output(temporary)], b"", environment)
        said = read_and_delete(outcome) if os.path.exists(outcome) else b""
        lines = done.errors.decode("utf-8", "surrogateescape").split("\n")
        at = next((number for number, line in enumerate(lines) if line.startswith(' "')), -1)
        plan = read_plan(done.status, lines[: at + 1])
        job = plan.jobs[0] if plan.jobs else Job(())
        messages = _without_verbose_lines_or_none(lines[at + 1 :])
        name = os.path.basename(temporary)
        named = [word for word in job.command if name.removesuffix(".tmp") in word]  # other files may be named after the output
        is_right = named == [temporary] and _could_be_direct(job, level)
        if messages is None or not is_right or name in messages or (done.status, said) not in ((0, b"lowered"), (1, b"loaded")):
            if (done.status, said) == (0, b"loaded"):
                own.separate = True  # no coroutine, or pycoro rejects it: the plugin would find the same again
            _delete_files_named_after(temporary)
            return None
        if done.status:
            delete_output(unit.output)
        else:
            os.replace(temporary, unit.output)
    except BaseException:
        _delete_files_named_after(temporary)
        raise
    write_stdout(done.output)
    write_stderr("".join(f"{line}\n" for line in plan.messages) + messages)
    return done.status


def _parse_or_none_if_indirect(arguments: Sequence[str]) -> _Compilation | None:
    """Return the compilation of a command line; ``None`` for any other command line."""
    options: list[str] = []
    values: dict[str, str] = {}
    sources: list[str] = []
    words = iter(arguments)
    for word in words:
        value = next(words, None) if word in _WITH_VALUE else ""
        if value is None or (word == "-o" and "-o" in values):
            return None
        if "\n" in word + value or "/dev/" in word + value:
            return None  # it would break the printed job, or might be standard input, which can be read only once
        if word in _WITH_VALUE or word in _ALONE:
            values[word] = value
        elif word.endswith(_SUFFIXES) and not word.startswith(("-", "@")):
            sources.append(word)
        elif not word.startswith(_BEGINNINGS) and not _is_warning_option(word):
            return None
        if word != "-o":
            options += [word, value] if word in _WITH_VALUE else [word]
    return _Compilation(options, values, sources[0]) if len(sources) == 1 and "-c" in values and "-o" in values else None


def _delete_files_named_after(temporary: str) -> None:
    """Delete a temporary output, and files whose names clang derives from it."""
    folder, name = os.path.split(temporary)
    for entry in os.listdir(folder or "."):
        if entry.startswith(name.removesuffix(".tmp")):
            os.unlink(os.path.join(folder, entry))


def _is_warning_option(word: str) -> bool:
    return word.startswith("-W") and "," not in word  # -Wl,... and others pass options to programs


def _without_verbose_lines_or_none(lines: Sequence[str]) -> str | None:
    """Return the messages of ``clang -cc1 -v``, without the lines that are printed because of ``-v``; ``None`` if those are not
    complete. If the command line is invalid there are none.
    """
    first = next((number for number, line in enumerate(lines) if line.startswith(_FIRST_LINE)), len(lines))
    last = next((number for number, line in enumerate(lines) if number > first and line == _LAST_LINE), len(lines))
    if last == len(lines) != first:
        return None
    kept, are_directories = [*lines[:first]], False
    for line in lines[first + 1 : last]:
        if line.startswith(_BEGINNINGS_OF_LINES):
            are_directories = line == _BEGINNINGS_OF_LINES[-1]
        elif not (are_directories and line.startswith(" ")):
            kept.append(line)
    return "\n".join([*kept, *lines[last + 1 :]])


def _could_be_direct(job: Job, level: str) -> bool:
    """Return whether the plugin may lower the unit of a job that was run with it."""
    command = tuple(a for a in job.command if a not in _ADDED and not a.startswith("-fpass-plugin="))
    without = Job(command)
    return without.may_have_coroutines and without.may_use_plugin and not without.may_request_remarks and without.level == level
