"""The oracle's other side: a process that forks a child for each job, which lowers and compiles a module, and forks
again to run its entries: once for all runs, or once for each where the job is `live`.

Jobs come pickled on stdin, answers go pickled to stdout: for each entry and each of its schedules how it ended, why,
and its events. Whatever a child does (crash, abort, loop), its answer says so: who forks it never touches what it
touches, and where one run ends a child that had more to do, another child does the rest.
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
from pycoro.oracle._child import Child, Ended, write
from pycoro.oracle._interpreting import Interpreting

Answer = tuple[str, str, list[Any]]


def _limit(timeout: float) -> None:
    """Ends this process after so many seconds of processor time; on the clock it may take longer, as where others run."""
    signal.setitimer(signal.ITIMER_PROF, timeout)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE * timeout)


_PATIENCE = 6
_TIMES = (signal.SIGPROF, signal.SIGALRM)


def _forked(work: Callable[[int], object], timeout: float, where: str) -> tuple[list[list[Any]], list[str] | None]:
    """The lines that the work writes to the file it is given, in a child; how the child ended, if not by itself."""
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        gc.disable()  # the process ends soon, and what it shares with its parent is best left untouched
        _limit(timeout)
        try:
            work(sink)
        except Ended as end:
            write(sink, "ended", *end.args)
        except BaseException as error:
            write(sink, "ended", "failed", f"{type(error).__name__}: {error}")
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


def _run(child: Child, runs: Sequence[tuple[int, Sequence[str]]], timeout: float, file: int) -> None:
    """Runs all of them, in as few forks as can be; the answers go to the file."""

    def work(sink: int) -> None:
        child.redirect(sink)
        for entry, schedule in todo:
            _limit(timeout)
            child.run(entry, schedule)

    _limit(0)  # each run has a limit of its own
    done = 0
    while done < len(runs):
        todo = runs[done : done + 1] if child.live else runs[done:]
        lines, end = _forked(work, timeout, "while it ran")
        events = [line[1:] for line in lines if line[0] == "event"]
        answers = [[how, why, events or told] for kind, *rest in lines if kind == "run" for how, why, told in [rest]]
        if len(answers) < len(todo) and (end or not answers):
            answers.append([*(end or ["crashed", "it ended its process"]), events])
        done += len(answers)
        write(file, "answers", answers)


def _confine() -> None:
    """No file grows, and none is left of a crash, whatever LLVM makes of what somebody else has written."""
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, 0))


def _do(job: dict[str, Any]) -> list[list[Answer]]:
    """For each entry an answer to each schedule. Where lowering or compiling failed, that is the answer to all."""
    runs = [(number, schedule) for number, entry in enumerate(job["entries"]) for schedule in entry["schedules"]]

    def compile_and_run(file: int) -> None:
        null = os.open(os.devnull, os.O_RDWR)  # what compiled code prints must not reach the answers
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        if not job["trusted"]:
            _confine()
        child = (Interpreting if job["interpreted"] or not job["trusted"] else Child)(job, file)
        child.compile()
        _run(child, runs, job["timeout"], file)

    lines, end = _forked(compile_and_run, job["timeout"] + len(job["entries"]), "while it was lowered")
    found = [(how, why, events) for _, answers in lines for how, why, events in answers]
    how, why = end or ["failed", "the oracle's child ended too early"]
    found += [(how, why, [])] * (len(runs) - len(found))
    answers = iter(found)
    return [[next(answers) for _ in entry["schedules"]] for entry in job["entries"]]


def _load_runtime() -> None:
    """Exceptions need their runtime, where compiled code looks for symbols: in what was loaded for all."""
    for library in ("libgcc_s.so.1", "libstdc++.so.6"):
        with contextlib.suppress(OSError):  # a machine without it runs what throws nothing
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)


def serve() -> None:
    """Answers jobs until stdin ends."""
    _core.Engine().close()  # what is set up once is set up before the forks
    _load_runtime()
    while True:
        try:
            job = pickle.load(sys.stdin.buffer)
        except (EOFError, KeyboardInterrupt):  # who interrupts the program interrupts its children
            return
        pickle.dump(_do(job), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve()
