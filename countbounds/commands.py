"""What each command does: call, print, and say how it ended."""

from __future__ import annotations

import os

from countbounds.answers import (
    HOLDS,
    INTERRUPTED,
    OPEN,
    REFUTED,
    complain,
    counted,
    emit,
    emit_json,
    emit_mappings,
    emit_rows,
    progress,
    refuse,
    save,
)
from countbounds.errors import InputError, Unfinished

TYPE_CHECKING = False  # type checkers know the name; importing typing would cost start-up time
if TYPE_CHECKING:
    import argparse
    from typing import Any


_STATUS = {"counts": HOLDS, "fails": REFUTED, "impossible": REFUTED, "undecided": OPEN}


def check(options: argparse.Namespace) -> int:
    """Decide a construction, or the optimum, on the whole domain."""
    if options.readout == "classification":
        return _check_head(options)
    from countbounds.checking import check as decide

    result = decide(
        options.variant,
        options.length,
        options.dim,
        options.bound,
        construction=options.construction,
        precision=options.precision,
    )
    if options.json:
        emit_json(result.as_dict(), options)
    elif result.worst_error is not None:
        from countbounds.describe import describe_check

        emit(describe_check(result), options)
    if result.worst_error is None:
        from countbounds.describe import describe_impossible

        reason = describe_impossible(result)
        refuse(reason, options)
    save(result.certificate, options)
    return _STATUS[result.verdict]


def _check_head(options: argparse.Namespace) -> int:
    """Decide a classification head on the whole domain."""
    from countbounds.heads.report import check_head
    from countbounds.heads.words import describe_head

    if options.construction is not None:
        raise InputError("A classification head has one construction; leave out --construction.")
    bound = 1 if options.bound is None else options.bound
    result = check_head(options.variant, options.length, options.dim, bound, options.precision)
    if options.json:
        emit_json(result.as_dict(), options)
    else:
        emit(describe_head(result), options)
    if options.certificate is not None:
        from countbounds.heads.certify import gap_certificate

        save(gap_certificate(options.variant, options.length, options.dim, result.bound), options)
    return _STATUS[result.verdict]


def bmin(options: argparse.Namespace) -> int:
    """Bracket B_min, certified."""
    from countbounds.bounds import b_min

    result = b_min(
        options.variant, options.length, options.dim, options.digits, exact=options.exact
    )
    if options.json:
        emit_json(result.as_dict(), options)
    else:
        from countbounds.describe import describe_smallest

        emit(describe_smallest(result), options)
    save(result.certificate, options)
    return REFUTED if result.upper is None else HOLDS


def lmax(options: argparse.Namespace) -> int:
    """Find L_max, certified."""
    from countbounds.bounds import l_max

    result = l_max(options.variant, options.bound, options.dim)
    if options.json:
        emit_json(result.as_dict(), options)
    else:
        from countbounds.describe import describe_longest

        emit(describe_longest(result), options)
    save(result.certificate, options)
    return HOLDS if result.unbounded or result.length is not None else OPEN


def verify(options: argparse.Namespace) -> int:
    """Let the kernel check certificates."""
    from countbounds.kernel import RejectedError, verify_file

    rows = []
    for path in options.files:
        try:
            claim = verify_file(path)
            rows.append({"file": path, "verdict": "VERIFIED", "claim": claim, "reason": None})
        except (RejectedError, UnicodeDecodeError) as error:
            rows.append({"file": path, "verdict": "REJECTED", "claim": None, "reason": str(error)})
        except OSError as error:
            raise InputError(f"The file {path} cannot be read: {error.strerror}.") from error
    if options.json:
        emit_json(rows[0] if len(rows) == 1 else {"rows": rows}, options)
    else:
        lines = (f"{row['verdict']} {row['claim'] or row['reason']}\n" for row in rows)
        emit("".join(lines), options)
    return HOLDS if all(row["verdict"] == "VERIFIED" for row in rows) else REFUTED


def cap(options: argparse.Namespace) -> int:
    """Print L_cap(d)."""
    from countbounds.checking import length_cap

    longest = length_cap(options.dim)
    if options.json:
        emit_json({"dim": options.dim, "length_cap": longest}, options)
    else:
        emit(f"L_cap({options.dim}) = {longest}\n", options)
    if options.certificate is not None:
        from countbounds.bounds import cap_certificate

        save(cap_certificate(options.dim), options)
    return HOLDS


def table(options: argparse.Namespace) -> int:
    """Print a table."""
    grid = "dim", "length", "variant"
    allowed: dict[str, tuple[str, ...]] = {
        "1": ("dim",),
        "2": (),
        "3": ("dim", "bound"),
        "bmin": grid,
        "storage": grid,
    }
    for name in ("bound", "dim", "length", "variant"):
        if getattr(options, name) and name not in allowed[options.number]:
            raise InputError(f"Table {options.number} has no option --{name}.")
    for name, flag in (("digits", "digits"), ("source", "from")):
        if getattr(options, name) is not None and options.number != "bmin":
            raise InputError(f"Table {options.number} has no option --{flag}.")
    dims = options.dim or [None]
    if allowed[options.number] != grid and len(dims) > 1:
        raise InputError(f"Table {options.number} is for one dimension; give -d once.")
    return _TABLES[options.number](options, dims)


def _table1(options: argparse.Namespace, dims: list[Any]) -> int:
    from countbounds.tables import TABLE1_COLUMNS, table1

    latex = options.format == "latex" and not options.json
    emit_rows(table1(dims[0], "latex" if latex else "text"), TABLE1_COLUMNS, options)
    return HOLDS


def _table2(options: argparse.Namespace, dims: list[Any]) -> int:
    from countbounds.tables import TABLE2_COLUMNS, table2

    emit_rows(table2(progress), TABLE2_COLUMNS, options)
    return HOLDS


def _table3(options: argparse.Namespace, dims: list[Any]) -> int:
    from countbounds.tables import TABLE3_COLUMNS, table3

    found = list(table3(options.bound, dims[0], progress))
    emit_rows(found, TABLE3_COLUMNS, options)
    if any(row.verdict == "fails" or row.next_guaranteed for row in found):
        return REFUTED
    return OPEN if any(row.verdict == "undecided" for row in found) else HOLDS


def _table_bmin(options: argparse.Namespace, dims: list[Any]) -> int:
    from countbounds.tables import BMIN_COLUMNS, table_bmin

    if options.source is not None:
        return _table_of_sweep(options)
    digits = 12 if options.digits is None else options.digits
    rows = table_bmin(options.variant, options.length, options.dim, digits, progress=progress)
    emit_rows(rows, BMIN_COLUMNS, options)
    return HOLDS


def _table_of_sweep(options: argparse.Namespace) -> int:
    """Print the rows of a sweep; the grid's options choose among them."""
    from countbounds.sweeping.results import bmin_rows, read_results
    from countbounds.tables import BMIN_COLUMNS

    if options.digits is not None:
        raise InputError("A sweep has its digits already; leave out --digits.")
    found = [
        row
        for row in read_results(options.source)
        if row["variant"] in (options.variant or [row["variant"]])
        and row["length"] in (options.length or [row["length"]])
        and row["dim"] in (options.dim or [row["dim"]])
    ]
    if not found:
        raise InputError(f"The file {options.source} has no such rows; ask for others.")
    emit_mappings(bmin_rows(found), BMIN_COLUMNS, options)
    return _status_of_cells(found)


def _status_of_cells(rows: list[dict[str, Any]]) -> int:
    """Say how many cells of a sweep failed."""
    errors = [row["error"] for row in rows if row.get("error") is not None]
    if errors:
        return complain(f"{len(errors):,} of these cells failed, the first: {errors[0]}", OPEN)
    return HOLDS


def _table_storage(options: argparse.Namespace, dims: list[Any]) -> int:
    from countbounds.heads.storage_table import STORAGE_COLUMNS, table_storage

    found, status = [], HOLDS
    try:
        for row in table_storage(options.variant, options.length, options.dim, progress):
            found.append(row)
    except KeyboardInterrupt:
        status = complain("Interrupted; these are the rows that were finished.", INTERRUPTED)
    progress("")
    exact = options.json or options.format == "json"
    rows = [row.as_dict() if exact else row.as_cells() for row in found]
    emit_mappings(rows, STORAGE_COLUMNS, options)
    if not exact:
        for reason in dict.fromkeys(row["reason"] for row in rows if row["reason"]):
            complain(reason, HOLDS)
    if status == HOLDS and any(row.undecided for row in found):
        return OPEN
    return status


_TABLES = {"1": _table1, "2": _table2, "3": _table3, "bmin": _table_bmin, "storage": _table_storage}


def storage(options: argparse.Namespace) -> int:
    """Count the bits that a read-out takes to store."""
    from countbounds.heads.storage import storage as count

    result = count(options.variant, options.length, options.dim, options.readout, options.bound)
    if options.json:
        emit_json(result.as_dict(), options)
    elif result.reason is None:
        from countbounds.heads.words import describe_storage

        emit(describe_storage(result), options)
    if result.reason is not None:
        refuse(result.reason, options)
    return HOLDS if result.reason is None else REFUTED


def prove(options: argparse.Namespace) -> int:
    """Run proofs and print what came of them."""
    from countbounds.proving import library, running

    if options.list or options.axioms:
        if options.names or options.record is not None:
            raise InputError("--list and --axioms take neither names nor --record.")
        rows: list[Any] = running.axioms() if options.axioms else running.listed()
        columns = {key: key for key in rows[0]}
        emit_mappings(rows, columns, options)
        return HOLDS
    if options.jobs is not None and options.jobs < 1:
        raise InputError("The number of jobs is at least 1.")
    if options.record is not None:
        from countbounds.output import require_writable

        require_writable(options.record)
    found = running.prove(options.names, options.jobs, progress)
    rows = [outcome.as_dict() for outcome in found.values()]
    shown = list(running.in_words(found)) if options.verbose else []
    columns = {key: key for key in ("theorem", "verdict", "steps", "seconds")}
    columns |= {"reason": "reason"} if any(row["reason"] for row in rows) else {}
    emit_mappings(rows, columns, options, "".join(f"{line}\n" for line in shown))
    if options.record is not None:
        from countbounds.formats import as_json
        from countbounds.output import write

        write(as_json(library.record(found)), options.record)
    return (
        HOLDS if all(outcome.verdict == library.PROVED for outcome in found.values()) else REFUTED
    )


def audit(options: argparse.Namespace) -> int:
    """Decide a trained layer on every input."""
    from countbounds.auditing.naming import load
    from countbounds.auditing.report import audit as decide

    if options.plot is not None:
        from countbounds.figures.style import require_format, require_plotting

        require_format(options.plot)
        require_plotting()
    found = load(options.file, options.config)
    result = decide(found, options.length, precision=options.precision, progress=progress)
    progress("")
    if options.json:
        emit_json(result.as_dict(), options)
    else:
        from countbounds.auditing.words import describe_audit

        emit(describe_audit(result), options)
    if options.plot is not None:
        from countbounds.auditing.plot import save_plot

        save_plot(found.layer, options.length, options.plot)
    return _STATUS[result.verdict]


def train(options: argparse.Namespace) -> int:
    """Train some seeds, and decide each on the whole domain."""
    from countbounds.training.recipe import Recipe, read_seeds
    from countbounds.training.running import COLUMNS
    from countbounds.training.running import train as run

    recipe = Recipe.of(
        options.variant,
        options.length,
        options.dim,
        options.bound,
        optimizer=options.optimizer,
        loss=options.loss,
        steps=options.steps,
        batch=options.batch,
        rate=options.lr,
    )
    try:
        found = run(recipe, read_seeds(options.seeds), options.folder, progress)
    except KeyboardInterrupt:
        progress("")
        return complain("Interrupted; the same command goes on from there.", INTERRUPTED)
    progress("")
    rows = [row.as_dict() if options.json else row.as_cells() for row in found]
    emit_mappings(rows, COLUMNS, options)
    verdicts = {row.audit.verdict for row in found}
    if "counts" in verdicts:
        return HOLDS
    return OPEN if "undecided" in verdicts else REFUTED


def sweep(options: argparse.Namespace) -> int:
    """Bracket B_min in many cells, and write the rows to --out."""
    from countbounds.output import write
    from countbounds.sweeping.grid import Grid
    from countbounds.sweeping.sweep import sweep as run

    grid = Grid.parse(options.variants, options.lengths, options.dims, options.digits)
    try:
        found = run(
            grid,
            options.out,
            jobs=options.jobs,
            dask=options.dask,
            certify=options.certify,
            progress=progress,
        )
    except KeyboardInterrupt:
        progress("")
        return complain("Interrupted; the same command goes on from there.", INTERRUPTED)
    except Unfinished as error:
        progress("")
        return complain(str(error), OPEN)
    progress("")
    if options.json:
        from countbounds.formats import as_json

        write(as_json(found.as_dict()), None)
    else:
        resumed = f", {found.resumed:,} of them from before" if found.resumed else ""
        write(f"{found.out}: {counted(found.cells, 'cell')}{resumed}\n", None)
    if not found.failed:
        return HOLDS
    first = found.failed[0]
    return complain(
        f"{len(found.failed):,} of {counted(found.cells, 'cell')} failed, the first "
        f"{first['variant']} at L = {first['length']}, d = {first['dim']}: {first['error']}",
        OPEN,
    )


def figure(options: argparse.Namespace) -> int:
    """Draw a figure, and write its data."""
    from countbounds.figures.registry import data_of, draw, require_source
    from countbounds.figures.style import require_format, require_plotting, save

    if options.list or options.name is None:
        return _figures(options)
    require_source(options.name, options.source, options.dim)
    if options.out is None and options.data is None:
        raise InputError("Name a file for the figure (--out) or for its data (--data).")
    if options.out is not None:
        require_format(options.out)
        require_plotting()
    rows = data_of(options.name, progress, options.source, options.dim)
    progress("")
    if options.data is not None:
        from countbounds.formats import as_table
        from countbounds.output import write

        write(as_table(rows, {key: key for key in rows[0]}, "csv"), options.data)
    if options.out is not None:
        save(draw(options.name, rows, options.source), options.out)
    return _status_of_cells(rows)


def _figures(options: argparse.Namespace) -> int:
    """List the figures."""
    from countbounds.figures.registry import FIGURES

    given = (options.data, options.source, options.dim)
    if options.list and (options.name, *given) != (None,) * 4:
        raise InputError("--list takes no figure, no --data, no --from and no -d; leave them out.")
    if given != (None,) * 3:
        raise InputError("Name the figure before its options; countbounds figure lists them.")
    rows = [
        {"figure": name, "shows": entry.shows, "from": entry.source and entry.source.what}
        for name, entry in FIGURES.items()
    ]
    emit_mappings(rows, {"figure": "figure", "shows": "shows", "from": "--from"}, options)
    return HOLDS


def report(options: argparse.Namespace) -> int:
    """Write one page with tables, certified brackets and figures."""
    from countbounds.report.build import build

    found = build(options.folder, progress=progress)
    progress("")
    if options.json:
        emit_json(found.as_dict(), options)
    else:
        from countbounds.report.folder import PAGE

        page = os.path.join(found.folder, PAGE)
        emit(f"{page}: {counted(found.certificates, 'certificate')} VERIFIED\n", options)
    return HOLDS


def show(options: argparse.Namespace) -> int:
    """Print the closed forms of a variant."""
    from countbounds.closed_forms import show

    formulas = show(options.variant, options.format)
    if options.json:
        emit_json({"variant": options.variant, "formulas": formulas}, options)
    else:
        width = max(len(name) for name in formulas)
        lines = (
            f"{name:<{width}} {' ' if name.endswith(('~', 'sim')) else '='} {text}\n"
            for name, text in formulas.items()
        )
        emit("".join(lines), options)
    return HOLDS


_OVERVIEW = (
    ("check softmax-post-ln -L 1000 -d 16", "one layer, on its whole domain"),
    ("bmin softmax-post-ln -L 1000 -d 16", "the smallest bound of all"),
    ("lmax softmax-post-ln -B 100 -d 16", "the longest length at a bound"),
    ("cap -d 16", "where bare pre-LN ends"),
    ("table 3", "the paper's table, certified"),
    ("table 1", "rates and sharp constants"),
    ("show softmax", "the closed forms"),
    ("prove letters-are-free --verbose", "a theorem for all L and d"),
    ("verify below.json", "what the kernel says of a certificate"),
    ("audit layer.safetensors -L 100", "how far a trained layer counts"),
    ("train softmax -L 50 -d 16 -B 30", "train one, and decide it"),
    ("table storage -L 20", "the bits that read-outs take"),
    ("sweep --help", "bounds on a grid, on all cores"),
    ("figure bounds --out bounds.svg", "a picture (figure --list: which)"),
    ("report --out site", "one page: tables, brackets, figures"),
)


def overview(options: argparse.Namespace) -> int:
    """Say what one can do."""
    lines = (f"  countbounds {command:<38}{text}\n" for command, text in _OVERVIEW)
    emit(
        "countbounds: how large must the weights of an attention layer be to count to L?\n\n"
        f"{''.join(lines)}\ncountbounds COMMAND --help tells more.\n",
        options,
    )
    return HOLDS
