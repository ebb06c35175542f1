"""The commands: what of a command line is pycoro's, and whether clang takes over at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from pycoro_driver.find import ClangError, find, said
from pycoro_driver.options import HELP, UsageError, cannot_have_coroutines, split

__all__ = ["cc", "cxx", "drive"]


def cxx(arguments: Sequence[str] | None = None) -> int:
    """``pycoro-c++``: what ``clang++`` does."""
    return drive("pycoro-c++", "clang++", sys.argv[1:] if arguments is None else arguments)


def cc(arguments: Sequence[str] | None = None) -> int:
    """``pycoro-cc``: what ``clang`` does."""
    return drive("pycoro-cc", "clang", sys.argv[1:] if arguments is None else arguments)


def drive(name: str, program: str, arguments: Sequence[str]) -> int:
    """Runs a command line; the exit status, which is clang's. Where clang needs no help, it takes the process over."""
    try:
        own, rest = split(arguments)
        if own.help:
            print(HELP.format(name=name), end="")
            return 0
        clang = find(program)
        if cannot_have_coroutines(rest) and "CCC_OVERRIDE_OPTIONS" not in os.environ:
            _become(clang, rest)
        from pycoro_driver.jobs import in_scratch  # costs what its modules cost to load

        status = in_scratch(name, clang, rest, own)
        if status is None:
            _become(clang, rest)
        return status
    except (UsageError, ClangError) as error:
        said(f"{name}: error: {error}\n")
    except OSError as error:
        said(f"{name}: error: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}\n")
    except MemoryError:
        said(f"{name}: error: memory ran out\n")
    except KeyboardInterrupt:
        return 130
    return 1


def _become(clang: str, arguments: Sequence[str]) -> NoReturn:
    sys.stdout.flush()
    os.execv(clang, [clang, *arguments])
