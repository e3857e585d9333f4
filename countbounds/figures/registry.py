"""Which figures there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from countbounds.errors import InputError

Rows = list[dict[str, Any]]
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Source:
    """What a figure is drawn `--from`.

    Attributes:
        what: what that is, in words.
        module: where `data_from(path)` and `draw_from(rows)` are, below `figures`.
        required: whether the figure is drawn from nothing else.
        dims: whether `data_from` can choose among dimensions.
    """

    what: str
    module: str
    required: bool = False
    dims: bool = False


@dataclass(frozen=True)
class Entry:
    """A figure.

    Attributes:
        shows: what it shows, in words.
        module: where `data_NAME(progress)` and `draw_NAME(rows)` are, below `figures`.
        source: what else it can be drawn from; None if it is always computed.
    """

    shows: str
    module: str
    source: Source | None = None

    @property
    def computed(self) -> bool:
        """Whether it can be drawn from nothing."""
        return self.source is None or not self.source.required


_SWEEP = Source("the result of a sweep", "sweeps", dims=True)
_TRAINED = Source("a folder that train wrote", "training", required=True)

FIGURES = {
    "representations": Entry("h(n, 0) of each variant in a plane (Figure 1)", "representations"),
    "bounds": Entry(
        "B_min and its inverse, exact, published and attained (Figure 2d)", "bounds", _SWEEP
    ),
    "errors": Entry("y - n over n at the optimum: equal errors, and the letters", "errors"),
    "cap": Entry("L_cap(d) of bare pre-LN softmax", "bounds"),
    "costs": Entry("norms of regression, gaps of classification (Figure 2a)", "classification"),
    "storage": Entry("bits that either read-out takes to store", "classification"),
    "gaps": Entry("the winning gap of each count (Figure 2c)", "classification"),
    "training": Entry("worst error while training", "training", _TRAINED),
}


def require_source(name: str, source: str | None, dims: Sequence[int] | None = None) -> None:
    """Check that a figure is drawn from what is given.

    Raises:
        InputError: if there is no such figure, or the source is missing or not wanted, or
            dimensions are chosen where there is no choice.
    """
    entry = _entry(name)
    known = entry.source
    if known is None and source is not None:
        raise InputError(f"The figure {name} is computed, not drawn --from anything; leave it out.")
    if known is not None and known.required and source is None:
        raise InputError(f"The figure {name} is drawn --from {known.what}; name one.")
    if dims and known is not None and known.dims and source is None:
        raise InputError(
            f"For the figure {name}, -d chooses among the rows --from {known.what}; name one."
        )
    if dims and (known is None or not known.dims):
        raise InputError(f"The figure {name} has no choice of dimensions; leave out -d.")


def data_of(
    name: str, progress: Progress, source: str | None = None, dims: Sequence[int] | None = None
) -> Rows:
    """The numbers behind a figure, a dict for each point.

    Args:
        name: one of `FIGURES`.
        progress: is told what is being worked on.
        source: the file or folder that it is drawn from, see `Entry.source`.
        dims: of a source with several dimensions, those that are drawn.

    Raises:
        InputError: as `require_source`, or if the source is not what it should be.
    """
    require_source(name, source, dims)
    rows: Rows
    if source is None:
        rows = getattr(_module(name, source), f"data_{name}")(progress)
    elif dims:
        rows = _module(name, source).data_from(source, dims)
    else:
        rows = _module(name, source).data_from(source)
    return rows


def draw(name: str, rows: Rows, source: str | None = None) -> Any:
    """The figure of these numbers (a matplotlib Figure), which came from this source.

    Raises:
        InputError: if there is no such figure, or matplotlib is missing.
    """
    module = _module(name, source)
    return getattr(module, f"draw_{name}" if source is None else "draw_from")(rows)


def _module(name: str, source: str | None) -> Any:
    entry = _entry(name)
    chosen = entry.module if source is None or entry.source is None else entry.source.module
    return import_module(f"countbounds.figures.{chosen}")


def _entry(name: str) -> Entry:
    if name not in FIGURES:
        raise InputError(f"There is no figure {name!r}; the figures are {', '.join(FIGURES)}.")
    return FIGURES[name]
