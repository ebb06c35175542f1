"""Where shards run: in this process, in processes of this machine, or on a Dask cluster. All are `concurrent.futures`."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from pycoro._subprocess import safe_path
from pycoro.errors import UsageError

__all__ = ["Serial", "dask", "processes"]

T = TypeVar("T")


class Serial(Executor):
    """Does what is submitted at once, in this process.

    >>> from pycoro import fuzz
    >>> with fuzz.Serial() as executor:
    ...     executor.submit(pow, 2, 10).result()
    1024
    """

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """A future that is done."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _follow_parent() -> None:
    """Ends this process when the one that started it does, however that ended."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the campaign: it stops, and tells what it has
    threading.Thread(target=_follow_parent, daemon=True).start()


@contextmanager
def processes(workers: int) -> Generator[Executor, None, None]:
    """So many processes, started anew: what the campaign's process holds is not theirs. None at all for 0.

    >>> from pycoro import fuzz
    >>> with fuzz.processes(0) as executor:
    ...     type(executor).__name__
    'Serial'
    """
    if workers <= 0:
        yield Serial()
        return
    context = multiprocessing.get_context("spawn")
    with safe_path(), ProcessPoolExecutor(workers, mp_context=context, initializer=_start) as pool:
        yield pool


@contextmanager
def dask(address: str) -> Generator[Executor, None, None]:
    """The cluster whose scheduler is there; its workers must have pycoro. ``UsageError`` where Dask is not installed.

    >>> from pycoro import fuzz
    >>> settings = fuzz.Settings(fuzz.Budget(seconds=3600), pipelines=(fuzz.PIPELINES["plain"],))
    >>> campaign = fuzz.Campaign(settings, lambda: fuzz.dask("tcp://scheduler:8786"), window=64)
    >>> campaign.results.programs
    0
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--scheduler needs Dask: install pycoro[dask]") from None
    with Client(address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        executor: Executor = client.get_executor(pure=False, retries=2)  # pyright: ignore[reportUnknownMemberType]
        yield executor
