"""``pycoro opt`` where IR is read, lowered and written, and nothing more is told of it: by the engine alone, which owns the
module and needs no way back. Of the package no more is imported than that, as it takes longer than most modules do."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from pycoro import _core
from pycoro.cli.guard import leave, read_guarded
from pycoro.cli.streams import diagnostic_lines, write_output

if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["run_plain"]


def _read(path: str) -> tuple[bytes, str]:
    if path == "-":
        return sys.stdin.buffer.read(), "<stdin>"
    with open(path, "rb") as file:
        return file.read(), os.fsdecode(path)


def _known(passes: str) -> bool:
    """Whether pycoro's passes and LLVM's are all that the string names; only the package knows of others, and what to say."""
    try:
        _core.pipeline_check(passes)
    except Exception:
        return False
    return True


def run_plain(options: argparse.Namespace) -> int | None:
    """Runs the command; None, with nothing done, where it needs more than the engine."""
    passes = options.level or options.passes
    if not (options.input + options.output + passes).isprintable() or not _known(passes):
        return None
    data, name = _read(options.input)
    module = read_guarded(data, name) if options.alone else _core.Module(data, name)
    try:
        for fields in module.run_in_place(passes, verify=not options.disable_verify):
            _warn(fields)
        if not options.disable_output:
            write_output(options.output, module.text().encode() if options.text else _bitcode(module))
    except Exception as error:
        from pycoro.errors import InternalError
        from pycoro.module import Module

        if isinstance(error, InternalError):
            error.ir = str(Module(data, name=name))
        raise
    if options.alone:
        leave(0)
    return 0


def _warn(fields: dict[str, Any]) -> None:
    from pycoro.errors import Diagnostic

    print("\n".join(diagnostic_lines(Diagnostic(**fields))), file=sys.stderr)


def _bitcode(module: _core.Module) -> bytes:
    try:
        return module.bitcode()
    except Exception:
        from pycoro.module import Module

        return Module._around(module).bitcode()  # which says more of what is wrong
