"""Server process of the oracle. It forks a child for each job, which lowers and compiles a module, and forks again to run its
entries: once for all runs, or for each run if the job is `live`.

It reads pickled jobs from stdin, and writes pickled answers to stdout: the ending, the reason and the events of each
schedule of each entry. A crash, abort or loop of a child becomes its answer, because parent and child share no state. If a
run ends a child early, another child executes the remaining runs.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from pycoro import _core
from pycoro.oracle._child import Child, Ended, write_json_line
from pycoro.oracle._interpreting import Interpreting

Answer = tuple[str, str, list[Any]]


def _limit_time(timeout: float) -> None:
    """Terminate this process after that many seconds of processor time. The wall-clock limit is larger, in case of a loaded
    machine.
    """
    signal.setitimer(signal.ITIMER_PROF, timeout)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE * timeout)


_PATIENCE = 6
_TIMES = (signal.SIGPROF, signal.SIGALRM)


def _run_in_fork(work: Callable[[int], object], timeout: float, where: str) -> tuple[list[list[Any]], list[str] | None]:
    """Run the work in a child; return the lines that it wrote, and how the child ended abnormally, if it did."""
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        gc.disable()  # the process is short-lived, and collection would copy pages shared with the parent
        _limit_time(timeout)
        try:
            work(sink)
        except Ended as end:
            write_json_line(sink, "ended", *end.args)
        except BaseException as error:
            write_json_line(sink, "ended", "failed", f"{type(error).__name__}: {error}")
        os._exit(0)
    os.close(sink)
    with open(source, "rb") as file:
        lines = [json.loads(line) for line in file.read().splitlines() if line.endswith(b"]")]
    status = os.waitpid(child, 0)[1]
    if lines and lines[-1][0] == "ended":
        return lines[:-1], lines[-1][1:]
    if not status:
        return lines, None
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    name = signal.Signals(number).name if number else f"exit status {os.waitstatus_to_exitcode(status)}"
    return lines, ["timeout", where] if number in _TIMES else ["crashed", f"{name} {where}"]


def _run_sharing_forks(child: Child, runs: Sequence[tuple[int, Sequence[str]]], timeout: float, file: int) -> None:
    """Execute the runs, each in its own fork if live, else in as few forks as possible, and write the answers to the file."""

    def run_entries_in_fork(sink: int) -> None:
        child.set_output_file(sink)
        for entry, schedule in todo:
            _limit_time(timeout)
            child.run(entry, schedule)

    _limit_time(0)  # each run has a separate limit
    done = 0
    while done < len(runs):
        todo = runs[done : done + 1] if child.live else runs[done:]
        lines, end = _run_in_fork(run_entries_in_fork, timeout, "while it ran")
        events = [line[1:] for line in lines if line[0] == "event"]
        answers = [[how, why, events or recorded] for kind, *rest in lines if kind == "run" for how, why, recorded in [rest]]
        if len(answers) < len(todo) and (end or not answers):
            answers.append([*(end or ["crashed", "it ended its process"]), events])
        done += len(answers)
        write_json_line(file, "answers", answers)


def _forbid_files_and_cores() -> None:
    """Forbid file growth and core dumps, since LLVM and the module may be untrusted."""
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, 0))


def _answer_job(job: dict[str, Any]) -> list[list[Answer]]:
    """Return an answer for each entry and schedule. If lowering or compilation fails, that is the answer to all."""
    runs = [(number, schedule) for number, entry in enumerate(job["entries"]) for schedule in entry["schedules"]]

    def compile_and_run(file: int) -> None:
        null = os.open(os.devnull, os.O_RDWR)  # output of compiled code must not mix with the answers
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        if not job["trusted"]:
            _forbid_files_and_cores()
        child = (Interpreting if job["interpreted"] or not job["trusted"] else Child)(job, file)
        child.prepare_runs()
        _run_sharing_forks(child, runs, job["timeout"], file)

    lines, end = _run_in_fork(compile_and_run, job["timeout"] + len(job["entries"]), "while it was lowered")
    found = [(how, why, events) for _, answers in lines for how, why, events in answers]
    how, why = end or ["failed", "the oracle's child ended too early"]
    found += [(how, why, [])] * (len(runs) - len(found))
    answers = iter(found)
    return [[next(answers) for _ in entry["schedules"]] for entry in job["entries"]]


def _load_cxx_runtime_globally() -> None:
    """Load the C++ runtime globally, so that compiled code finds it for exceptions."""
    for library in ("libgcc_s.so.1", "libstdc++.so.6"):
        with contextlib.suppress(OSError):  # without it, only programs without exceptions run
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)


def serve() -> None:
    """Answer jobs until stdin is closed."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends this process and its children without tracebacks
    _core.Engine().close()  # run one-time initialization before the forks
    _load_cxx_runtime_globally()
    while True:
        try:
            job = pickle.load(sys.stdin.buffer)
        except (EOFError, pickle.UnpicklingError):  # the client has ended, perhaps while it wrote a job
            return
        answer = _answer_job(job)
        try:
            pickle.dump(answer, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # the client has ended; Python would report at exit that it cannot write the rest
            os._exit(0)


if __name__ == "__main__":
    serve()
