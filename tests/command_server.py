"""A server that runs the command `pycoro` in forked children, for tests that run it often.

Most commands take less time than the start of Python and the loading of LLVM. The server does both once, and forks a child for
each command. The child has the client's arguments, directory, environment and standard files, so that a crash, an exit status
and all output are those of a process of its own. Tests of the process itself, such as its start or its signals, do not use it.

`Server` starts one, which ends with its owner. `python -I -S command_server.py SOCKET ARGUMENT...` is a client for shell commands.
"""

import array
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile

STANDARD_FILES = (0, 1, 2)
LENGTH = 8  # bytes of the length of a request


# ---- Client ----


def request(path: str, arguments: list[str], files: tuple[int, ...], timeout: float | None = None) -> int:
    """Run a command with these standard files; return its exit status, negative for a signal. Raises ``TimeoutError``, after which
    the command has ended.
    """
    with socket.socket(socket.AF_UNIX) as server:
        server.settimeout(timeout)
        server.connect(path)
        text = json.dumps([arguments, os.getcwd(), dict(os.environ)]).encode()
        descriptors = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))]
        server.sendmsg([len(text).to_bytes(LENGTH, "big")], descriptors)
        server.sendall(text)
        answer = server.recv(32)  # if this times out, closing the socket makes the server kill the command
        if not answer:
            raise ConnectionError("the server of the command pycoro ended")
        return int(answer)


class Server:
    """A running server process with its socket."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pycoro-")
        self.path = os.path.join(self._folder.name, "socket")
        # The server ends at the end of its standard input, which is that of this process at the latest.
        command = [sys.executable, __file__, "--serve", self.path]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout
        if self._process.stdout.readline() != b"ready\n":
            raise RuntimeError("the server of the command pycoro did not start; see its output on stderr")

    def run(self, arguments: list[str], timeout: float | None = None, merged: bool = True) -> subprocess.CompletedProcess[bytes]:
        """Run a command without input; its errors are part of its output if `merged`."""
        with open(os.devnull, "rb") as null, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            files = (null.fileno(), output.fileno(), output.fileno() if merged else errors.fileno())
            status = request(self.path, arguments, files, timeout)
            output.seek(0)
            errors.seek(0)
            return subprocess.CompletedProcess(arguments, status, output.read(), None if merged else errors.read())

    def close(self) -> None:
        self._process.communicate()
        self._folder.cleanup()


# ---- Server ----


def _receive(client: socket.socket) -> tuple[list[str], str, dict[str, str], list[int]]:
    size = array.array("i").itemsize
    head, ancillary, _, _ = client.recvmsg(LENGTH, socket.CMSG_SPACE(len(STANDARD_FILES) * size))
    files = array.array("i", b"".join(data for _, _, data in ancillary))
    rest, text = int.from_bytes(head, "big"), b""
    while len(text) < rest:
        more = client.recv(rest - len(text))
        if not more:
            raise EOFError("the client ended before its request")
        text += more
    arguments, folder, environment = json.loads(text)
    return arguments, folder, environment, list(files)


def _run_command(arguments: list[str], folder: str, environment: dict[str, str], files: list[int]) -> int:
    """Run the command in this process, which was forked for it."""
    from pycoro.cli import main

    for given, standard in zip(files, STANDARD_FILES, strict=True):
        os.dup2(given, standard)
        os.close(given)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["pycoro", *arguments]
    try:
        status = main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def _serve_client(client: socket.socket) -> None:
    """Run a client's command in a child, and send its status. If the client goes away, the child is killed."""
    import select

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    arguments, folder, environment, files = _receive(client)
    child = os.fork()
    if not child:
        client.close()
        os.setpgid(0, 0)
        status = 3
        try:
            status = _run_command(arguments, folder, environment, files)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    for file in files:
        os.close(file)
    ended = os.pidfd_open(child)
    ready, _, _ = select.select([ended, client], [], [])
    if ended not in ready:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(OSError):
        client.send(str(status).encode())


def _load() -> None:
    """Import what most commands need, and let LLVM initialize itself."""
    import gc

    import pycoro.cli.explain
    import pycoro.cli.opt
    import pycoro.cli.plain
    import pycoro.module
    from pycoro import _core

    module = _core.Module(pycoro.examples.COUNTER.encode(), "warm-up", trusted=True)
    module.run_in_place("default<O2>", verify=True)
    del module
    gc.collect()
    gc.freeze()


def serve(path: str) -> None:
    """Run commands of clients until standard input ends."""
    import select

    _load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children need no waiting
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        os.write(1, b"ready\n")
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if listener not in ready:
                return
            client, _ = listener.accept()
            if not os.fork():
                listener.close()
                try:
                    _serve_client(client)
                finally:
                    os._exit(0)
            client.close()


def _client(path: str, arguments: list[str]) -> int:
    status = request(path, arguments, STANDARD_FILES)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    else:
        sys.exit(_client(sys.argv[1], sys.argv[2:]))
