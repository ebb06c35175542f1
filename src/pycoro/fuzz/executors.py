"""Executors of shards: this process, local processes, or a Dask cluster. All are `concurrent.futures` executors."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from pycoro._subprocess import subprocesses_without_imports_from_cwd
from pycoro.errors import UsageError

__all__ = ["Serial", "dask", "processes"]

T = TypeVar("T")


class Serial(Executor):
    """Executor that runs each task on submission, in this process.

    >>> from pycoro import fuzz
    >>> with fuzz.Serial() as executor:
    ...     executor.submit(pow, 2, 10).result()
    1024
    """

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run the task and return its finished future."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _exit_when_campaign_exits(campaign: Connection) -> None:
    """Terminate this process when the campaign closes its end of the pipe, or its process exits."""
    parent = multiprocessing.parent_process()
    wait([campaign, parent.sentinel] if parent else [campaign])
    os._exit(1)


def _initialize_worker(campaign: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the campaign handles Ctrl-C: it stops and reports its results
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_exit_when_campaign_exits, args=(campaign,), daemon=True).start()


class _ProcessPool(ProcessPoolExecutor):
    """Pool whose processes start with SIGINT blocked, so that Ctrl-C prints no traceback of one that has not ignored it yet. A
    submission starts a process while some are missing and none is idle."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def processes(workers: int) -> Generator[Executor, None, None]:
    """Start that many fresh processes, which share no state with the campaign. 0 runs in this process. An exception, as of Ctrl-C,
    terminates them without waiting for their work.

    >>> from pycoro import fuzz
    >>> with fuzz.processes(0) as executor:
    ...     type(executor).__name__
    'Serial'
    """
    if workers <= 0:
        yield Serial()
        return
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    with (
        receiver,
        subprocesses_without_imports_from_cwd(),
        _ProcessPool(workers, context, _initialize_worker, (receiver,)) as pool,
    ):
        try:
            yield pool
        except BaseException:
            sender.close()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            sender.close()


@contextmanager
def dask(address: str) -> Generator[Executor, None, None]:
    """Connect to the Dask cluster of that scheduler; its workers need pycoro. Raises ``UsageError`` if Dask is not installed.

    >>> from pycoro import fuzz
    >>> settings = fuzz.Settings(fuzz.Budget(seconds=3600), pipelines=(fuzz.PIPELINES["plain"],))
    >>> campaign = fuzz.Campaign(settings, lambda: fuzz.dask("tcp://scheduler:8786"), window=64)
    >>> campaign.results.programs
    0
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--scheduler needs Dask: install pycoro-llvm[dask]") from None
    with Client(address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        executor: Executor = client.get_executor(pure=False, retries=2)  # pyright: ignore[reportUnknownMemberType]
        yield executor
