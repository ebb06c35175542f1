"""Entry points of the commands: they handle pycoro's options, or replace the process by clang."""

from __future__ import annotations

import os
import sys

from pycoro_driver.find import ClangError, find_archiver, find_installed_clang, write_stderr
from pycoro_driver.options import HELP, UsageError, cannot_have_coroutines, options_with_values, split_options

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["ar", "cc", "cxx", "drive", "main", "ranlib"]


def main() -> int:
    """Run a command line that the C program of ``pycoro-c++`` or ``pycoro-cc`` passes on. The first argument is the language."""
    return {"c++": cxx, "cc": cc}[sys.argv[1]](sys.argv[2:])


def cxx(arguments: Sequence[str] | None = None) -> int:
    """Run ``pycoro-c++``, which behaves as ``clang++``."""
    return drive("pycoro-c++", "clang++", sys.argv[1:] if arguments is None else arguments)


def cc(arguments: Sequence[str] | None = None) -> int:
    """Run ``pycoro-cc``, which behaves as ``clang``."""
    return drive("pycoro-cc", "clang", sys.argv[1:] if arguments is None else arguments)


def ar() -> int:
    """Run LLVM's archiver. CMake looks for ``pycoro-llvm-ar`` if the compiler is called ``pycoro-c++``."""
    return _run_archiver("llvm-ar", "ar")


def ranlib() -> int:
    """Run LLVM's ``ranlib``, as `ar`."""
    return _run_archiver("llvm-ranlib", "ranlib")


def drive(name: str, program: str, arguments: Sequence[str]) -> int:
    """Run a command line, and return clang's exit status. If clang needs no help, it replaces this process."""
    try:
        own, rest = split_options(arguments)
        if own.help:
            print(HELP.format(name=name), end="")
            return 0
        clang = find_installed_clang(program)
        if "--version" in options_with_values(rest) and rest[0] != "-cc1":
            return _print_versions(name, clang, rest)
        if cannot_have_coroutines(rest) and "CCC_OVERRIDE_OPTIONS" not in os.environ:
            _exec(clang, rest)
        from pycoro_driver.jobs import run_jobs_unless_clang_suffices  # deferred, because its imports are slow

        status = run_jobs_unless_clang_suffices(name, clang, rest, own)
        if status is None:
            _exec(clang, rest)
        return status
    except (UsageError, ClangError) as error:
        write_stderr(f"{name}: error: {error}\n")
    except OSError as error:
        write_stderr(f"{name}: error: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}\n")
    except MemoryError:
        write_stderr(f"{name}: error: memory ran out\n")
    except KeyboardInterrupt:
        return 130
    return 1


def _print_versions(name: str, clang: str, arguments: Sequence[str]) -> int:
    """Print clang's version, which build systems parse, and then pycoro's."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    sys.stdout.flush()
    child = os.posix_spawn(clang, [clang, *arguments], os.environ)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        try:
            print(f"{name}: pycoro {version('pycoro-llvm')} lowers the coroutines")
        except PackageNotFoundError:
            print(f"{name}: pycoro without package metadata lowers the coroutines")
    return status if status >= 0 else 1


def _run_archiver(program: str, fallback: str) -> int:
    try:
        _exec(find_archiver(program, fallback), sys.argv[1:])
    except (ClangError, OSError) as error:
        write_stderr(f"pycoro-{program}: error: {error}\n")
    return 1


def _exec(program: str, arguments: Sequence[str]) -> NoReturn:
    sys.stdout.flush()
    os.execv(program, [program, *arguments])
