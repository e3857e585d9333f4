"""Where the cells of a sweep are computed: here, on processes of this machine, or by Dask.

Processes, never threads: python-flint's precision is global to a process.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from countbounds import workers
from countbounds.errors import CountboundsError, InputError, Unfinished
from countbounds.extras import load
from countbounds.sweeping.cells import (
    Finished,
    Task,
    compute,
    failed,
)

# How often processes that were killed are replaced without a cell being finished meanwhile.
_PATIENCE = 3
_SECONDS_TO_CONNECT = 10
_SECONDS_FOR_WORKERS = 30

Runner = Callable[[Sequence[Task]], Iterator[list[Finished]]]


def cores() -> int:
    """How many processes this machine runs at once."""
    import joblib

    count: int = joblib.effective_n_jobs(-1)
    return count


def here(tasks: Sequence[Task]) -> Iterator[list[Finished]]:
    """Compute the tasks in this process, cell by cell."""
    for task in tasks:
        for cell in task.cells:
            yield compute(task._replace(cells=(cell,)))


def processes(jobs: int) -> Runner:
    """What computes tasks on so many processes of this machine; finished ones come first.

    The runner raises Unfinished if the processes are killed again and again.
    """

    def run(tasks: Sequence[Task]) -> Iterator[list[Finished]]:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import BrokenProcessPool

        left = dict(enumerate(tasks))
        patience = _PATIENCE
        while left:
            parallel = Parallel(
                n_jobs=jobs,
                backend="loky",
                return_as="generator_unordered",
                initializer=workers.begin,
                initargs=(os.getpid(),),
            )
            calls = (delayed(_numbered)(number, task) for number, task in list(left.items()))
            try:
                with _interrupts_kept_from_children():
                    results = parallel(calls)
                with _closed_quietly(results):
                    for number, finished in results:
                        del left[number]
                        patience = _PATIENCE
                        yield finished
            except BrokenProcessPool as error:
                patience -= 1
                if not patience:
                    raise Unfinished(
                        "The processes of the sweep are killed again and again, perhaps for want "
                        "of memory. The same command goes on from there; give it fewer --jobs."
                    ) from error

    return run


@contextmanager
def _interrupts_kept_from_children() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: this one gets it, too, and stops them."""
    mask = getattr(signal, "pthread_sigmask", None)
    if mask is None:  # not on this system
        yield
        return
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend.resource_tracker import ensure_running

    # Either would lift the block when it starts.
    ensure_running()
    resource_tracker.ensure_running()
    before = mask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        mask(signal.SIG_SETMASK, before)


@contextmanager
def _closed_quietly(results: Any) -> Iterator[None]:
    """Close joblib's results, also midway, without its advice about wasted work."""
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _numbered(number: int, task: Task) -> tuple[int, list[Finished]]:
    return number, compute(task)


def dask(address: str) -> Runner:
    """What computes tasks by the workers of a Dask scheduler.

    A task whose worker dies goes to another one. A cell on which several workers die is a row
    with an error. The runner raises InputError if the scheduler is not reached or has no
    workers, and Unfinished if it is lost, or its workers do not have this version of the package.

    Args:
        address: of the scheduler, such as tcp://192.0.2.1:8786.

    Raises:
        InputError: if `distributed` is not installed.
    """
    distributed = load("distributed", what="A sweep by Dask", package="distributed", extra="dask")

    def run(tasks: Sequence[Task]) -> Iterator[list[Finished]]:
        _silence("distributed")
        client = _connected(distributed, address)
        try:
            yield from _gathered(distributed, client, tasks, address)
        finally:
            with suppress(Exception):
                client.close(timeout=5)

    return run


def _silence(package: str) -> None:
    """Keep a package from logging tracebacks of what becomes one sentence here."""
    for name in [package, *logging.root.manager.loggerDict]:
        if name.split(".")[0] == package:  # each of them may have a level of its own
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _connected(distributed: Any, address: str) -> Any:
    """A client of a scheduler that has workers.

    Raises:
        InputError: if there is no such scheduler, or it has no workers.
    """
    # In two steps: a client that never connected would wait for its scheduler when it is deleted.
    client = distributed.Client.__new__(distributed.Client)
    failures: list[Exception] = []

    def connect() -> None:
        try:
            client.__init__(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except Exception as error:
            failures.append(error)

    # Distributed waits for ever for the answer of a server that does not speak its protocol.
    attempt = threading.Thread(target=connect, daemon=True)
    attempt.start()
    attempt.join(_SECONDS_TO_CONNECT + 5)
    if attempt.is_alive() or failures:
        client.status = "closed"
        raise InputError(
            f"There is no Dask scheduler at {address}; start one with dask scheduler, and give "
            "its address, such as tcp://127.0.0.1:8786."
        ) from (failures[0] if failures else None)
    try:
        client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
    except BaseException as error:
        client.close(timeout=5)
        if not isinstance(error, TimeoutError):
            raise
        raise InputError(
            f"The Dask scheduler at {address} has no workers; start some with "
            f"dask worker {address} --nthreads 1."
        ) from error
    return client


def _gathered(
    distributed: Any, client: Any, tasks: Sequence[Task], address: str
) -> Iterator[list[Finished]]:
    """The results in the order in which they come."""

    def submit(task: Task) -> Any:
        future = client.submit(compute, task, pure=False, retries=2)
        running[future.key] = task
        return future

    running: dict[Any, Task] = {}
    coming = distributed.as_completed([submit(task) for task in tasks], loop=client.loop)
    for future in coming:
        task = running.pop(future.key)
        if future.status == "finished":
            try:
                found = future.result()
            except Exception:  # the worker died before it had handed its result over
                coming.add(submit(task))
                continue
            yield found
        elif future.status == "error":
            error = future.exception()
            if not isinstance(error, distributed.KilledWorker):
                raise Unfinished(
                    f"The Dask workers cannot compute the cells: {type(error).__name__}: "
                    f"{error}. The same command goes on from there."
                )
            # Alone, each cell shows whether it is the one that kills its worker.
            if len(task.cells) > 1:
                for cell in task.cells:
                    coming.add(submit(task._replace(cells=(cell,))))
            else:
                died = CountboundsError("every Dask worker that computed this cell died")
                yield [Finished(failed(task.cells[0], task.digits, died), None)]
        else:
            raise Unfinished(
                f"The Dask scheduler at {address} is lost; the same command goes on from there."
            )
