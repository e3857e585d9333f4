"""B_min against L, L_max against B, and the cap against d."""

from __future__ import annotations

from typing import TYPE_CHECKING

from countbounds.figures.registry import Progress, Rows
from countbounds.figures.style import line_of, new_figure
from countbounds.tables import published
from countbounds.variants import variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIM = 16
VARIANTS = ("softmax", "softmax-post-ln", "softmax-post-ln-learned", "softmax-pre-ln-learned")
LENGTHS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
DIMS = tuple(range(3, 65))


def data_bounds(progress: Progress) -> Rows:
    """Exact and published bounds over L, and lengths over B with what was attained."""
    from countbounds.bounds import b_min, l_max
    from countbounds.checking import exact_bracket

    rows: Rows = []
    figures = published()
    for name in VARIANTS:
        chosen = variant(name)
        for length in LENGTHS:
            progress(f"{name}, L = {length}")
            exact = b_min(name, length, DIM).upper
            own = exact_bracket(chosen.guaranteed_bound(length, DIM)).upper
            rows.append(
                {
                    "panel": "B over L",
                    "variant": name,
                    "L": length,
                    "B": None if exact is None else float(exact),
                    "published": float(own) if own and chosen.origin == "published" else None,
                    "attained": None,
                }
            )
        for place, text in enumerate(figures["bounds"]):
            progress(f"{name}, B = {text}")
            longest = l_max(name, text, DIM)
            attained = figures["attained"].get(name)
            guaranteed = figures["construction"].get(name)
            rows.append(
                {
                    "panel": "L over B",
                    "variant": name,
                    "L": longest.length or longest.lower,
                    "B": float(text),
                    "published": guaranteed and guaranteed[place],
                    "attained": attained and attained[place],
                }
            )
    return rows


def draw_bounds(rows: Rows) -> Figure:
    """B over L on the left, L over B on the right."""
    figure = new_figure(10.5, 4.8)
    panels = dict(zip(("B over L", "L over B"), figure.subplots(1, 2), strict=True))
    for panel, axes in panels.items():
        x, y = ("L", "B") if panel == "B over L" else ("B", "L")
        for name in VARIANTS:
            own = [row for row in rows if (row["panel"], row["variant"]) == (panel, name)]
            style = line_of(name)
            axes.plot([row[x] for row in own], [row[y] for row in own], linewidth=1.8, **style)
            known = [row for row in own if row["published"] is not None]
            axes.plot(
                [row[x] for row in known],
                [row["published"] for row in known],
                color=style["color"],
                linewidth=0.8,
                marker="x",
                markersize=4,
            )
            met = [row for row in own if row["attained"] is not None]
            axes.plot(
                [row[x] for row in met],
                [row["attained"] for row in met],
                "o",
                color=style["color"],
                markerfacecolor="white",
                markersize=6,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(x)
        axes.set_ylabel("norm bound B" if y == "B" else "length L")
        axes.grid(alpha=0.25)
    panels["B over L"].set_title(f"Smallest bound for a length (d = {DIM})")
    panels["L over B"].set_title(f"Longest length at a bound (d = {DIM})")
    handles, labels = panels["B over L"].get_legend_handles_labels()
    for marker, text in (
        ("x", "published construction"),
        ("o", "attained in the paper's training"),
    ):
        handles += panels["L over B"].plot(
            [], [], marker=marker, color="0.3", markerfacecolor="white", linestyle="none"
        )
        labels.append(text)
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def data_cap(progress: Progress) -> Rows:
    """L_cap(d)."""
    from countbounds.checking import length_cap

    rows: Rows = []
    for dim in DIMS:
        progress(f"d = {dim}")
        rows.append({"d": dim, "length_cap": length_cap(dim)})
    return rows


def draw_cap(rows: Rows) -> Figure:
    """The cap against d."""
    figure = new_figure()
    axes = figure.add_subplot()
    axes.plot(
        [row["d"] for row in rows],
        [row["length_cap"] for row in rows],
        ".",
        color=line_of("softmax-pre-ln")["color"],
    )
    axes.set_yscale("log")
    axes.set_xlabel("d")
    axes.set_ylabel("longest length, whatever the norms")
    axes.set_title("The cap of bare pre-LN softmax, about 1 + 2 exp(sqrt d)")
    axes.grid(alpha=0.25)
    return figure
