"""What is done about workers that die: a Dask of our own shows what a real one seldom does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Final

import pytest

from countbounds.errors import CountboundsError, Unfinished
from countbounds.sweeping import runners
from countbounds.sweeping.cells import Finished, Task, tasks
from countbounds.sweeping.grid import Cell

CELLS: Final = [Cell("linear", length, 16) for length in range(10, 20)]


class KilledWorkerError(Exception):
    """As Dask raises it when several workers have died on a task."""


class Future:
    def __init__(self, key: int, outcome: Any) -> None:
        self.key, self.outcome = key, outcome

    @property
    def status(self) -> str:
        if isinstance(self.outcome, str):
            return self.outcome
        return "error" if isinstance(self.outcome, Exception) else "finished"

    def exception(self) -> Any:
        return self.outcome

    def result(self) -> Any:
        if callable(self.outcome):
            self.outcome()
        return self.outcome


def dask_of(outcome: Callable[[Task, int], Any]) -> Any:
    """A module `distributed` in which the outcome of a task may depend on how often it is tried."""

    class Client:
        loop, submitted = None, 0

        def __init__(self, address: str, **options: Any) -> None:
            self.status = "running"

        def wait_for_workers(self, count: int, timeout: float) -> None:
            pass

        def submit(self, function: Any, task: Task, **options: Any) -> Future:
            self.submitted += 1
            found = outcome(task, self.submitted)
            return Future(self.submitted, function(task) if found is None else found)

        def close(self, timeout: float) -> None:
            self.status = "closed"

    class Completed:
        def __init__(self, futures: list[Future], loop: Any) -> None:
            self.futures = futures

        def add(self, future: Future) -> None:
            self.futures.append(future)

        def __iter__(self) -> Iterator[Future]:
            while self.futures:
                yield self.futures.pop(0)

    return SimpleNamespace(Client=Client, as_completed=Completed, KilledWorker=KilledWorkerError)


def computed(
    outcome: Callable[[Task, int], Any], monkeypatch: pytest.MonkeyPatch
) -> list[Finished]:
    monkeypatch.setattr(runners, "load", lambda name, **words: dask_of(outcome))
    run = runners.dask("tcp://127.0.0.1:1")
    portions = list(tasks(CELLS, 4, 6, certify=False, folder=None))
    return [one for finished in run(portions) for one in finished]


def test_only_the_cell_that_kills_its_workers_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def outcome(task: Task, submitted: int) -> Any:
        return KilledWorkerError() if CELLS[5] in task.cells else None

    rows = [one.row for one in computed(outcome, monkeypatch)]
    assert sorted(row["length"] for row in rows) == [cell.length for cell in CELLS]
    assert {row["length"]: row["error"] for row in rows if row["error"] is not None} == {
        15: "every Dask worker that computed this cell died"
    }


def test_a_result_that_is_lost_on_its_way_is_computed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lost() -> None:
        raise OSError("the worker is gone")

    rows = computed(lambda task, submitted: lost if submitted == 1 else None, monkeypatch)
    assert sorted(one.row["length"] for one in rows) == [cell.length for cell in CELLS]


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        (ModuleNotFoundError("No module named 'countbounds'"), "cannot compute the cells: Module"),
        (CountboundsError("install the same version"), "install the same version.*goes on"),
        ("cancelled", "The Dask scheduler at tcp://127.0.0.1:1 is lost; the same command goes on"),
        ("lost", "The Dask scheduler at tcp://127.0.0.1:1 is lost; the same command goes on"),
    ],
)
def test_what_no_other_worker_would_do_better_ends_the_sweep(
    outcome: Any, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Unfinished, match=says):
        computed(lambda task, submitted: outcome, monkeypatch)
