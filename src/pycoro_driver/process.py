"""Run programs, with response files for long command lines.

``subprocess`` is not used, because importing it costs as much as starting Python.
"""

from __future__ import annotations

import errno
import os
import signal

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Files = list[tuple[int, int, str, int, int]]

__all__ = ["Done", "Runner"]


class Done:
    """Result of a program."""

    __slots__ = ("errors", "output", "status")

    def __init__(self, status: int, output: bytes = b"", errors: bytes = b"") -> None:
        self.status = status
        """Exit status; negative for a signal."""
        self.output = output
        self.errors = errors


class Runner:
    """Runner of programs with a temporary directory."""

    def __init__(self, scratch: str) -> None:
        self.scratch = scratch
        self._responses = 0

    def run_with_inherited_output(self, command: Sequence[str], data: bytes | None = None) -> int:
        """Run a program with inherited output, and return its status."""
        return self._run_process(command, data, [], os.environ)

    def run_captured(self, command: Sequence[str], data: bytes | None = None, environment: Mapping[str, str] = os.environ) -> Done:
        """Run a program and capture its output. Without ``data`` it inherits the standard input."""
        files = {1: os.path.join(self.scratch, "stdout"), 2: os.path.join(self.scratch, "stderr")}
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        opened = [(os.POSIX_SPAWN_OPEN, descriptor, path, flags, 0o600) for descriptor, path in files.items()]
        status = self._run_process(command, data, opened, environment)
        return Done(status, *map(read_and_delete, files.values()))

    def _run_process(
        self,
        command: Sequence[str],
        data: bytes | None,
        files: Files,
        environment: Mapping[str, str],
    ) -> int:
        if data is not None:
            path = os.path.join(self.scratch, "stdin")
            with open(path, "wb") as file:
                file.write(data)
            files = [(os.POSIX_SPAWN_OPEN, 0, path, os.O_RDONLY, 0), *files]
        try:
            return _spawn(command, files, environment)
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            return _spawn(self._with_response_file(command), files, environment)

    def _with_response_file(self, command: Sequence[str]) -> list[str]:
        """Write the arguments to a response file, for a command line that is too long for the system; the option that selects the
        compiler remains first.
        """
        kept = 2 if command[1] in ("-cc1", "-cc1as") else 1
        self._responses += 1
        path = os.path.join(self.scratch, f"response-{self._responses}")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines("".join(map(_escape_response, argument)) + "\n" for argument in command[kept:])
        return [*command[:kept], f"@{path}"]


def _spawn(command: Sequence[str], files: Files, environment: Mapping[str, str]) -> int:
    """Run a process and return its status. An exception ends the process, which then deletes its temporary files."""
    restored = [signal.SIGPIPE, signal.SIGXFSZ]  # Python ignores them
    child = os.posix_spawnp(command[0], list(command), environment, file_actions=files, setsigdef=restored)
    try:
        status = os.waitpid(child, 0)[1]
    except BaseException:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
        raise
    return os.waitstatus_to_exitcode(status)


def _escape_response(character: str) -> str:
    return f"\\{character}" if character.isspace() or character in "\\\"'" else character


def read_and_delete(path: str) -> bytes:
    """Read and delete a file."""
    with open(path, "rb") as file:
        data = file.read()
    os.unlink(path)
    return data
