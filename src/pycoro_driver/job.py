"""A job of clang's driver: its output, and its split into front end and code generation.

Tables list the relevant options of ``clang -cc1``.
"""

from __future__ import annotations

import os

from pycoro_driver.options import enables_coroutines_or_cxx20

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["LEVELS", "Job", "delete_output", "level_of", "may_create_or_replace", "temporary_beside"]

_ACTIONS = {"-emit-obj", "-S", "-emit-llvm", "-emit-llvm-bc"}
_WITHOUT_PASSES = {"-disable-llvm-passes", "-disable-llvm-optzns"}

# Options of the front end alone. The second step must drop them; otherwise it would, for example, write an empty dependency
# file.
_FRONT_END = {
    "-v", "-H", "-MP", "-MG", "-MV", "-sys-header-deps", "-module-file-deps", "-print-stats", "-verify", "-fmodules",
    "-show-includes", "--show-includes", "-verify-pch", "-fmodule-output", "-fmodules-reduced-bmi",
}  # fmt: skip
_FRONT_END_WITH_VALUE = {
    "-dependency-file", "-MT", "-MQ", "-dependency-dot", "-module-dependency-dir", "-header-include-file",
    "-serialize-diagnostic-file", "-diagnostic-log-file", "-include", "-include-pch", "-imacros", "-load", "-plugin", "-add-plugin",
}  # fmt: skip
_FRONT_END_BEGINS = ("-header-include-", "-plugin-arg-", "-verify=", "-fmodule-output=", "-fmodule-file=", "-fmodule-map-file=")

# Options with passes that a pass string cannot express, with output of clang's passes, or reserved for LLVM's passes.
CLANGS_PASSES = (
    "-fsanitize", "-fprofile", "-fcs-profile", "-fmemory-profile", "-fcoverage-mapping", "-coverage-", "-fpass-plugin",
    "-fpseudo-probe", "-fdebug-info-for-profiling", "-fexperimental", "-mllvm", "-fveclib", "-vector-library", "-Rpass",
    "-opt-record", "-ftime-report", "-ftime-trace", "-fdebug-pass-manager", "-ffat-lto-objects", "-flto", "-fembed-bitcode",
    "-fmerge-functions", "-funroll-loops", "-fno-unroll-loops", "-fwhole-program-vtables", "-fobjc-arc", "-pg",
    "-finstrument", "-fsplit-machine-functions", "-fno-builtin", "-ffreestanding", "-fno-inline", "-finline", "-mlink", "-fcuda",
    "-fopenmp", "-fdevirtualize-speculatively", "-floop-interchange", "-fsplit-lto-unit", "-fno-split-lto-unit", "-fxray",
    "-fthin-link",
)  # fmt: skip
TUNED = ("-vectorize-loops", "-vectorize-slp")
"""Options that clang's driver adds at -O2, -O3 and -Os; a missing one was disabled by the user."""

LEVELS = {"-O0": "O0", "-O": "O1", "-O1": "O1", "-Og": "O1", "-O2": "O2", "-O3": "O3", "-Ofast": "O3", "-Os": "Os", "-Oz": "Oz"}

# Instrumentation that clang inserts at the start of its pipeline, into functions before inlining.
_AS_WRITTEN = ("-fcoverage-mapping", "-coverage-data-file", "-coverage-notes-file", "-finstrument-function")

# `-cc1` options that override the driver's action.
OTHER_ACTIONS = {
    "-E", "-Eonly", "-analyze", "-dump-raw-tokens", "-dump-tokens", "-emit-codegen-only", "-emit-header-unit", "-emit-html",
    "-emit-llvm-only", "-emit-module", "-emit-module-interface", "-emit-pch", "-emit-reduced-module-interface",
    "-emit-interface-stubs", "-extract-api", "-fixit", "-fsyntax-only", "-init-only", "-print-preamble", "-rewrite-macros",
    "-rewrite-objc", "-rewrite-test", "-templight-dump", "-verify-pch",
}  # fmt: skip


class Job:
    """A command that clang's driver would run."""

    __slots__ = ("command",)

    def __init__(self, command: tuple[str, ...]) -> None:
        self.command = command
        """Program and arguments."""

    @property
    def output(self) -> str:
        """Output file; empty if none is named."""
        return self.last_separate_value_of("-o")

    @property
    def is_clang(self) -> bool:
        """True if clang compiles a source, and therefore reports its errors."""
        return self.command[1:2] == ("-cc1",)

    @property
    def tool(self) -> str:
        """clang's name for the program."""
        is_assembler = "-cc1as" in self.command[:2] or os.path.basename(self.command[0]).split("-")[-1] == "as"
        return "assembler" if is_assembler else "linker"

    @property
    def language(self) -> str:
        """Language of the input, as in ``-x``."""
        return self.last_separate_value_of("-x")

    @property
    def input(self) -> str:
        """Source file; ``-`` is standard input."""
        return self.command[self._input_position() + 2]

    @property
    def level(self) -> str:
        """``"O0"``, ``"O1"``, ``"O2"``, ``"O3"``, ``"Os"`` or ``"Oz"``."""
        return level_of(self.command)

    @property
    def has_text_output(self) -> bool:
        """True if the output is text."""
        return "-S" in self.command or "-emit-llvm" in self.command

    @property
    def may_have_coroutines(self) -> bool:
        """True if passes run and the input may contain a coroutine, because it is IR or a dialect with coroutines."""
        words = set(self.command)
        if not self.is_clang or words.isdisjoint(_ACTIONS) or not words.isdisjoint(_WITHOUT_PASSES):
            return False
        if "-x" not in words or any(a.startswith("-fthinlto-index=") for a in words) or "-fcuda-is-device" in words:
            return False
        if any(a in OTHER_ACTIONS or a.startswith("-ast-") for a in words):
            return False
        return self.language == "ir" or any(map(enables_coroutines_or_cxx20, self.command))

    @property
    def instruments_before_inlining(self) -> bool:
        """True if clang's pipeline instruments functions before inlining."""
        return any(a.startswith(_AS_WRITTEN) and "-after-inlining" not in a for a in self.command)

    @property
    def needs_clangs_passes(self) -> bool:
        """True if options of the job require clang's pipeline after pycoro's."""
        if any(a.startswith(CLANGS_PASSES) for a in self.command):
            return True
        return self.level in ("O2", "O3", "Os") and not all(a in self.command for a in TUNED)

    @property
    def may_request_remarks(self) -> bool:
        """True if an option concerns remarks of optimizations."""
        return any(a.startswith(("-Rpass", "-opt-record")) for a in self.command)

    @property
    def may_use_plugin(self) -> bool:
        """True if pycoro's plugin can lower the unit: clang reads a source, generates code for a regular file, and runs none of
        its passes.
        """
        if self.language == "ir" or "-emit-llvm" in self.command or self.needs_clangs_passes:
            return False
        return "-working-directory" not in self.command and may_create_or_replace(
            self.output
        )  # the output is relative to that directory

    def plugin_command(self, plugin: str, output: str) -> tuple[str, ...]:
        """Return the command that compiles the source with a plugin that lowers it."""
        at = self._input_position()
        before = _without_options(self.command[:at], (), {"-o"})
        added = ("-disable-llvm-passes", f"-fpass-plugin={plugin}", "-o", output)
        return (*before, *added, *self.command[at:])

    def front_end_command(
        self, output: str, *, force_line_tables: bool = False, with_locations_for_report: bool = False
    ) -> tuple[str, ...]:
        """Return the command of the front end, which writes presplit bitcode. ``force_line_tables`` forces line tables as debug
        information. ``with_locations_for_report`` adds source locations that do not reach the object, as for ``-Rpass``; not at
        -O0, where they would change the code. If code follows, the bitcode then also has clang's names of values.
        """
        at = self._input_position()
        named = with_locations_for_report and "-emit-obj" in self.command and not self.needs_clangs_passes
        before, after = (
            [
                a
                for a in _without_options(options, (), {"-o"})
                if a not in _ACTIONS
                and not (force_line_tables and a.startswith("-debug-info-kind="))
                and not (named and a == "-discard-value-names")
            ]
            for options in (self.command[:at], self.command[at + 3 :])
        )
        added = ["-debug-info-kind=line-tables-only"] if force_line_tables else []
        if with_locations_for_report and self.level != "O0" and not self.needs_clangs_passes and not self.may_request_remarks:
            added.append("-Rpass=^$")
        bitcode = ["-emit-llvm-bc", "-emit-llvm-uselists", "-disable-llvm-passes", *added, "-o", output]
        return (*before, *bitcode, *self.command[at : at + 3], *after)

    def command_from_ir(self, bitcode: str, *, with_passes: bool) -> tuple[str, ...]:
        """Return the command that compiles a file of bitcode, with or without clang's passes."""
        at = self._input_position()
        line = [*self.command[:at], *self.command[at + 3 :]]
        line = list(_without_options(line, _FRONT_END, _FRONT_END_WITH_VALUE, _FRONT_END_BEGINS))
        return (*line, *(() if with_passes else ("-disable-llvm-passes",)), "-x", "ir", bitcode)

    def _input_position(self) -> int:
        """Return the position of ``-x LANGUAGE INPUT``: the last ``-x`` with two following arguments, since the input may be
        named ``-x``.
        """
        return len(self.command) - 3 - self.command[-3::-1].index("-x")

    def last_separate_value_of(self, name: str) -> str:
        """Return the value of the last option with that name and a separate value; empty if there is none."""
        return next((v for n, v in reversed(list(zip(self.command, self.command[1:], strict=False))) if n == name), "")


def level_of(options: Sequence[str]) -> str:
    """Return the level that options select: ``"O0"``, ``"O1"``, ``"O2"``, ``"O3"``, ``"Os"`` or ``"Oz"``."""
    asked = next((a for a in reversed(options) if a in LEVELS or (a.startswith("-O") and a[2:].isdigit())), "-O0")
    return LEVELS.get(asked, "O3")  # clang clamps an unknown level to its highest


def may_create_or_replace(output: str) -> bool:
    """Return whether a compiler may create or replace the file by another one of its directory."""
    if output in ("", "-") or not os.access(os.path.dirname(output) or ".", os.W_OK):
        return False
    return os.access(output, os.W_OK) if os.path.isfile(output) else not os.path.lexists(output)


def temporary_beside(output: str) -> str:
    """Return an unused file name in the directory of an output, which may then be replaced by that file."""
    folder, name = os.path.split(output)
    return os.path.join(folder, f"{name[:40]}-{os.urandom(6).hex()}.tmp")  # short enough for every file system


def delete_output(output: str) -> None:
    """Delete the regular file that a failed job would have written, as clang's driver does."""
    if os.path.isfile(output) and os.access(output, os.W_OK):
        os.unlink(output)


def _without_options(
    line: Iterable[str], alone: Iterable[str], with_value: Iterable[str], begins: tuple[str, ...] = ()
) -> Iterator[str]:
    """Return a command line without some options."""
    words = iter(line)
    for word in words:
        if word in with_value:
            next(words, None)
        elif word not in alone and not (begins and word.startswith(begins)):
            yield word
