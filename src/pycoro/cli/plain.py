"""``pycoro opt`` without reports: read, lower and write IR with the engine alone, importing as little of the package as possible,
because imports take longer than lowering most modules."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from pycoro import _core
from pycoro._dialect import is_text_of_swift_llvm
from pycoro._engine_passes import is_valid_with_builtin_passes
from pycoro.cli.guard import flush_and_exit_child, fork_and_read_in_child_while_parent_waits
from pycoro.cli.streams import print_diagnostic, write_output

if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["run_plain"]


def _read_file_or_stdin_with_name(path: str) -> tuple[bytes, str]:
    if path == "-":
        return sys.stdin.buffer.read(), "<stdin>"
    with open(path, "rb") as file:
        return file.read(), os.fsdecode(path)


def run_plain(options: argparse.Namespace) -> int | None:
    """Run the command; return None, without effects, if it needs the package."""
    passes = options.level or options.passes
    if not (options.input + options.output + passes).isprintable() or not is_valid_with_builtin_passes(passes):
        return None
    data, name = _read_file_or_stdin_with_name(options.input)
    if is_text_of_swift_llvm(data):
        from pycoro.module import Module

        module = Module(data, name=name)._core
    else:
        module = fork_and_read_in_child_while_parent_waits(data, name) if options.owns_process else _core.Module(data, name)
    try:
        for fields in module.run_in_place(passes, verify=not options.disable_verify):
            _print_warning(fields, options.input)
        if not options.disable_output:
            write_output(options.output, module.text().encode() if options.text else _bitcode_of(module))
    except Exception as error:
        from pycoro.errors import InternalError
        from pycoro.module import Module

        if isinstance(error, InternalError):
            error.ir = str(Module(data, name=name))
        raise
    if options.owns_process:
        flush_and_exit_child(0)
    return 0


def _print_warning(fields: dict[str, Any], source: str) -> None:
    from pycoro.errors import Diagnostic

    print_diagnostic(Diagnostic(**fields), source)


def _bitcode_of(module: _core.Module) -> bytes:
    try:
        return module.bitcode()
    except Exception:
        from pycoro.module import Module

        return Module._owner_of_core_or_new(module).bitcode()  # for a better error message
