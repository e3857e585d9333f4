"""Run every benchmark: `make bench` writes the page, `python -m benchmarks` prints tables."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterable

from benchmarks.audits import against_everything, audits_at_length
from benchmarks.cold_start import cold_starts
from benchmarks.exact_bounds import against_optimiser, searches
from benchmarks.full_domain import against_loops, growth
from benchmarks.page import write_page
from benchmarks.sweeps import against_commands, against_loop
from countbounds.formats import as_table

SECTIONS: dict[str, tuple[str, Callable[[], Iterable[dict[str, str]]]]] = {
    "loops": ("The full-domain check against loops over every input (d = 16)", against_loops),
    "growth": ("The full-domain check at growing L (d = 16)", growth),
    "bounds": ("Exact bounds: search and kernel (d = 64)", searches),
    "optimiser": ("B_min of bare post-LN against a random search (d = 3)", against_optimiser),
    "audits": ("Audits and heads against every input in float64 (d = 16)", against_everything),
    "lengths": ("Audits at growing L, the worst input a mixture (d = 16)", audits_at_length),
    "sweeps": (
        "Sweeps against a loop over their cells (all variants, d = 3, 16, 64)",
        against_loop,
    ),
    "commands": ("Sweeps against one command for each cell", against_commands),
    "cold": ("Cold starts", cold_starts),
}


def main() -> None:
    """Print the chosen sections as Markdown, or write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], default=[])
    parser.add_argument("--page", action="store_true", help="write docs/benchmarks.md")
    options = parser.parse_args()
    run = f"Python {platform.python_version()}, {platform.machine()}, all in one run."
    if not options.page:
        print(f"{run}\n")
    tables = {}
    for name in options.sections or list(SECTIONS):
        title, rows = SECTIONS[name]
        print(f"{title}: working ...", file=sys.stderr)
        found = list(rows())
        columns = {key: key.replace("_ms", " (ms)").replace("_", " ") for key in found[0]}
        table = as_table(found, columns, "markdown")
        tables[name] = title, found, table
        if not options.page:
            print(f"### {title}\n\n{table}")
    if options.page:
        write_page(run, tables)


if __name__ == "__main__":
    main()
